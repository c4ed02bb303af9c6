"""Own definitions beside two checkers, on any workspace: only what both checkers say against graphls counts against it.

    python bench/two_checkers.py ROOT [--environment FOLDER] [--second PROGRAM] [--count N] [--seed N] [--details FILE]

Sites are sampled over all uses of names. The first checker (ty) is asked about every one, the second about those where
graphls and the first differ. An answer is right when one of its places starts on a line that a checker named.

precision   of the sites where graphls leads into the workspace and a second opinion settles who is right
recall      of the sites that lead into the workspace by both checkers, or by one checker and graphls
false       sites where both checkers lead outside the workspace and graphls into it
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import attrs
from linked import linked
from opinions import OUTSIDE, Line, Manner, Opinion, Said

from graphls.compilers.child_process import Launch
from graphls.compilers.wire import Json
from graphls.facts.kinds import Role
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, rows_of
from graphls.queries.definition import definition
from graphls.sources.environment import find_environment
from graphls.sources.programs import child_environment, find_program

_PIPELINED = 200
_STRINGS = frozenset({Role.EXPORT, Role.TEXT})


@attrs.frozen
class Site:
    path: FilePath
    row: int
    start: int


def asked(name: str, root: str, environment: str, opens: bool) -> Opinion:
    """A checker that knows the environment; `opens`: it answers about files that are open only."""
    program = find_program(name.split()[0], ())
    if program is None:
        raise SystemExit(f"{name} is not on the PATH")
    found = find_environment(root, environment).found
    variables = child_environment({"VIRTUAL_ENV": found.prefix} if found else {}, ("PYTHONPATH",))
    analysis: Json = {
        "diagnosticMode": "openFilesOnly",
        "typeCheckingMode": "off",
        "autoSearchPaths": True,
        "useLibraryCodeForTypes": True,
        "extraPaths": list(found.site_packages) if found else [],
    }
    sections: Mapping[str, Json] = {"basedpyright.analysis": analysis, "basedpyright": {"analysis": analysis}}
    launch = Launch((program, *name.split()[1:]), root, variables)
    return Opinion(
        launch,
        Manner(sections=sections, packages="site-packages", at_once=_PIPELINED, opened_as=_python if opens else None),
    )


def _python(_: str) -> str:
    return "python"


def main() -> int:
    """Prints one JSON object a workspace."""
    chosen = _options()
    for root in chosen.roots:
        figures, details = measure(Path(root).resolve(), chosen)
        print(json.dumps(figures), flush=True)
        if chosen.details:
            with Path(chosen.details).open("a", encoding="utf-8") as out:
                out.writelines(f"{json.dumps(detail)}\n" for detail in details)
    return 0


def measure(root: Path, chosen: argparse.Namespace) -> tuple[dict[str, object], list[dict[str, object]]]:
    """Figures of one workspace, and the sites where both checkers are against graphls."""
    with linked(root, chosen.environment, chosen.cache) as session:
        return _compare(session.snapshot(), root, chosen)


def _compare(
    snapshot: Snapshot, root: Path, chosen: argparse.Namespace
) -> tuple[dict[str, object], list[dict[str, object]]]:
    sites = _sample(snapshot, chosen.count, chosen.seed)
    own = {site: _own(snapshot, site) for site in sites}
    first = asked("ty server", str(root), chosen.environment, opens=False)
    one = _lines(first.ask(snapshot, sites))
    first.end()
    doubtful = [site for site in sites if not own[site] & one[site] and (own[site] or one[site])]
    second = asked(chosen.second, str(root), chosen.environment, opens=True)
    two = _lines(second.ask(snapshot, doubtful))
    second.end()
    counts: Counter[str] = Counter()
    details: list[dict[str, object]] = []
    for site in sites:
        verdict = _verdict(own[site], one[site], two.get(site, frozenset()))
        counts[verdict] += 1
        if verdict in ("wrong", "missing", "false", "alone wrong"):
            details.append(_detail(snapshot, root, site, verdict, own[site], one[site], two[site]))
    right, missing = counts["right"], counts["missing"]
    wrong, false = counts["wrong"], counts["false"]
    figures: dict[str, object] = {"workspace": root.name, "files": len(snapshot.shards), "sites": len(sites)}
    figures["precision"] = round(right / max(right + wrong + false, 1), 4)
    figures["recall"] = round(right / max(right + wrong + missing, 1), 4)
    figures["false_outside"] = round(false / max(counts["outside"] + false, 1), 4)
    return figures | dict(sorted(counts.items())), details


def _lines(said: Mapping[Site, Said]) -> Mapping[Site, frozenset[Line]]:
    return {site: one.lines for site, one in said.items()}


def _verdict(own: frozenset[Line], one: frozenset[Line], two: frozenset[Line]) -> str:
    inside = {line for line in own if line != OUTSIDE}
    agreed = one & two
    if not inside:
        if any(line != OUTSIDE for line in agreed):
            return "missing"
        return "outside" if OUTSIDE in one else "undecided"
    if inside & one or inside & two:
        return "right"
    if agreed and not any(line != OUTSIDE for line in one | two):
        return "false"
    if agreed:
        return "wrong"
    if two and not one:
        return "alone wrong"
    return "undecided"


def _sample(snapshot: Snapshot, count: int, seed: int) -> list[Site]:
    sites: list[Site] = []
    for path in snapshot.files():
        if snapshot.shards[path].language != "python":
            continue
        table = snapshot.facts(path).occurrences
        rows = (row for row in range(len(table)) if table.role[row] not in _STRINGS)
        sites.extend(Site(path, row, table.start[row]) for row in rows)
    return sorted(random.Random(seed).sample(sites, min(count, len(sites))), key=lambda site: (site.path, site.row))


def _own(snapshot: Snapshot, site: Site) -> frozenset[Line]:
    answer = definition(snapshot, site.path, site.start)
    if answer is None:
        return frozenset()
    lines = {(str(one.file), snapshot.facts(one.file).line_column(one.start)[0]) for one in answer.places}
    return frozenset(lines | ({OUTSIDE} if answer.externals else set()))


def _detail(snapshot: Snapshot, root: Path, site: Site, verdict: str, *said: frozenset[Line]) -> dict[str, object]:
    facts, own = snapshot.facts(site.path), snapshot.own_links(site.path)
    rows = rows_of(own.targets, site.row)
    line, column = facts.line_column(site.start)
    source = (snapshot.text(site.path) or b"").split(b"\n")[line].decode(errors="replace").strip()
    return {
        "workspace": root.name,
        "verdict": verdict,
        "site": f"{site.path}:{line + 1}:{column + 1}",
        "name": facts.strings[facts.occurrences.name[site.row]],
        "role": Role(facts.occurrences.role[site.row]).name,
        "rule": own.rules[rows.start] if rows else None,
        "source": source[:160],
        "own": sorted(said[0]),
        "first": sorted(said[1]),
        "second": sorted(said[2]),
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("roots", nargs="+")
    parser.add_argument("--environment", default="", help="folder of the virtual environment that the code uses")
    parser.add_argument("--second", default="basedpyright-langserver --stdio", help="command of the second checker")
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", default="")
    parser.add_argument("--details", default="", help="append sites that count against graphls to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
