"""Own definitions of TypeScript and JavaScript beside two compilers, on any workspace: only what both say against
graphls counts against it.

    python bench/two_compilers.py ROOT... --seven TSC --five SERVER --library FOLDER [--count N] [--below FOLDER]
        [--seed N] [--with-checker] [--details FILE]

TSC is the `tsc` of TypeScript 7, SERVER a typescript-language-server, FOLDER the `lib` of its TypeScript 5.
Sites are sampled over all identifiers of the syntax trees, whether or not graphls records them; those that TypeScript 7
takes for declarations are left out, and `module` and `exports` of CommonJS. TypeScript 7 is asked about every one,
TypeScript 5 about those where graphls and 7 differ. `--with-checker` asks graphls again once TypeScript 7 has settled
what is uncertain among the sites.

precision, recall, false: as in `two_checkers.py`; recall also for calls and imports.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs
from linked import linked
from opinions import OUTSIDE, Line, Manner, Opinion, Said
from tree_sitter import Node

from graphls.compilers.checkers import find_checkers
from graphls.compilers.child_process import Launch
from graphls.compilers.verifier import Verifier
from graphls.compilers.wire import Json
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import provider_for
from graphls.queries.definition import definition
from graphls.queries.position import name_at
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.programs import child_environment

NAMES = frozenset(
    (
        "identifier",
        "property_identifier",
        "private_property_identifier",
        "type_identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
    )
)
ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_PIPELINED = 16


@attrs.frozen
class Site:
    path: FilePath
    start: int
    end: int
    kind: str
    """call, import or ref."""


def asked(command: Sequence[str], root: str, options: Json) -> Opinion:
    """A compiler that is asked about files that are open: which settings hold for a closed file, that the nearest ones
    leave out, neither looks up."""
    launch = Launch(tuple(command), root, child_environment({}))
    return Opinion(launch, Manner(options=options, packages="node_modules", at_once=_PIPELINED, opened_as=_language))


def _language(path: str) -> str:
    return ("typescript" if path.endswith(("ts", "tsx")) else "javascript") + ("react" if path.endswith("x") else "")


def main() -> int:
    """Prints one JSON object a workspace and way of asking."""
    chosen = _options()
    for root in chosen.roots:
        with linked(Path(root).resolve(), cache=chosen.cache) as session:
            _measure(session.snapshot(), session.workspace, Path(root).resolve(), chosen)
    return 0


def _measure(snapshot: Snapshot, workspace: object, root: Path, chosen: argparse.Namespace) -> None:
    sites = _sample(snapshot, chosen.count, chosen.seed, chosen.below)
    first = asked((chosen.seven, "--lsp", "--stdio"), str(root), None)
    one = first.ask(snapshot, sites)
    first.end()
    sites = [site for site in sites if not one[site].declares]
    views = [("alone", snapshot)]
    if chosen.with_checker:
        views.append(("with TypeScript 7", _settled(snapshot, workspace, str(root), sites, chosen)))
    own = {label: {site: _own(state, site) for site in sites} for label, state in views}
    doubtful = [site for site in sites if any(not _same(said[site], one[site].lines) for said in own.values())]
    doubtful = [site for site in doubtful if one[site].lines or any(said[site] for said in own.values())]
    server: Json = {"path": chosen.library, "useSyntaxServer": "never"}
    options: Json = {"disableAutomaticTypingAcquisition": True, "tsserver": server}
    second = asked((chosen.five, "--stdio"), str(root), options)
    two = second.ask(snapshot, doubtful)
    second.end()
    for label, said in own.items():
        verdicts = {
            site: "declares" if site in two and two[site].declares else _verdict(said[site], one[site], two.get(site))
            for site in sites
        }
        print(json.dumps({"workspace": root.name, "asked": label, **_figures(verdicts)}), flush=True)
        if chosen.details:
            with Path(chosen.details).open("a", encoding="utf-8") as out:
                for site, verdict in verdicts.items():
                    if verdict in ("wrong", "missing", "false", "seven alone"):
                        row = _detail(snapshot, root, site, said[site], one[site], two[site])
                        out.write(json.dumps({"asked": label, "verdict": verdict, **row}) + "\n")


def _same(own: frozenset[Line], said: frozenset[Line]) -> bool:
    """Whether both lead to one place, or both only outside."""
    inside, other = own - {OUTSIDE}, said - {OUTSIDE}
    return bool(inside & other) if inside or other else bool(own & said)


def _figures(verdicts: Mapping[Site, str]) -> Mapping[str, object]:
    def recall(kinds: Sequence[str]) -> float:
        counts = Counter(verdict for site, verdict in verdicts.items() if site.kind in kinds)
        return round(counts["right"] / max(counts["right"] + counts["wrong"] + counts["missing"], 1), 4)

    counts = Counter(verdicts.values())
    right, wrong, false = counts["right"], counts["wrong"], counts["false"]
    return {
        "precision": round(right / max(right + wrong + false, 1), 4),
        "recall": recall(("call", "import", "ref")),
        "calls": recall(("call",)),
        "imports": recall(("import",)),
        "false_outside": f"{false} of {counts['outside'] + false}",
        **dict(sorted(counts.items())),
    }


def _verdict(own: frozenset[Line], one: Said, two: Said | None) -> str:
    inside = own - {OUTSIDE}
    both = one.lines | (two.lines if two else frozenset[Line]())
    if not both - {OUTSIDE}:
        if not both:
            return "silent"
        return "false" if inside and two and two.lines and one.lines else "outside"
    if inside & both:
        return "right"
    if not inside and OUTSIDE in own & one.lines:
        return "outside"
    agreed = one.lines & (two.lines if two else frozenset[Line]())
    if not agreed - {OUTSIDE}:
        return "seven alone" if one.lines - {OUTSIDE} and not (two and two.lines) else "undecided"
    return "wrong" if inside else "missing"


def _settled(
    snapshot: Snapshot, workspace: object, root: str, sites: Sequence[Site], chosen: argparse.Namespace
) -> Snapshot:
    settings = CheckerSettings(typescript_path=chosen.seven)
    verifier = Verifier(workspace, find_checkers(settings, None, (root,)))  # pyright: ignore[reportArgumentType]
    verifier.wait_ready(120)
    for site in sites:
        found = name_at(snapshot, site.path, site.start)
        if found is not None and found.occurrence >= 0:
            verifier.verify(snapshot, [(site.path, found.occurrence)], 60_000)
    state = verifier.verified(snapshot)
    verifier.close()
    return state


def _sample(snapshot: Snapshot, count: int, seed: int, below: str) -> list[Site]:
    sites: list[Site] = []
    for path in snapshot.files():
        provider = provider_for(path)
        if provider is None or not path.endswith(ENDINGS) or not path.startswith(below):
            continue
        raw = snapshot.text(path) or b""
        root = provider.parser(path).parse(raw).root_node
        sites.extend(Site(path, node.start_byte, node.end_byte, kind) for node, kind in _names(root))
    chosen = random.Random(seed).sample(sites, min(count, len(sites)))
    return sorted(chosen, key=lambda site: (site.path, site.start))


def _names(root: Node) -> Iterator[tuple[Node, str]]:
    pending = [(root, "ref")]
    while pending:
        node, kind = pending.pop()
        if node.type in NAMES:
            if node.text not in (b"exports", b"module"):
                yield node, kind
            continue
        called = node.child_by_field_name("function" if node.type == "call_expression" else "constructor")
        for child in node.children:
            if node.type in ("import_statement", "import_specifier", "import_clause", "named_imports", "export_clause"):
                inner = "import"
            elif child == called and node.type in ("call_expression", "new_expression"):
                inner = "call"
            elif node.type == "member_expression" and child == node.child_by_field_name("property"):
                inner = kind
            else:
                inner = "import" if kind == "import" and node.type == "export_specifier" else "ref"
            pending.append(
                (child, inner if child.type in (*NAMES, "member_expression") or inner == "import" else "ref")
            )


def _own(snapshot: Snapshot, site: Site) -> frozenset[Line]:
    answer = definition(snapshot, site.path, site.start)
    if answer is None:
        return frozenset()
    lines = {(str(one.file), snapshot.facts(one.file).line_column(one.start)[0]) for one in answer.places}
    return frozenset(lines | ({OUTSIDE} if answer.externals and not lines else set()))


def _detail(
    snapshot: Snapshot, root: Path, site: Site, own: frozenset[Line], one: Said, two: Said
) -> Mapping[str, object]:
    raw = snapshot.text(site.path) or b""
    line, column = LineIndex(raw).position(site.start, "utf-8")
    return {
        "workspace": root.name,
        "site": f"{site.path}:{line + 1}:{column + 1}",
        "kind": site.kind,
        "name": raw[site.start : site.end].decode(errors="replace"),
        "source": raw.split(b"\n")[line].decode(errors="replace").strip()[:160],
        "own": _shown(snapshot, own),
        "seven": _shown(snapshot, one.lines),
        "five": _shown(snapshot, two.lines),
    }


def _shown(snapshot: Snapshot, lines: frozenset[Line]) -> Sequence[str]:
    found: list[str] = []
    for path, line in sorted(lines):
        raw = snapshot.text(FilePath(path)) if path and FilePath(path) in snapshot.shards else None
        rows = (raw or b"").split(b"\n")
        found.append(
            f"{path}:{line + 1}: {rows[line].decode(errors='replace').strip()[:90] if line < len(rows) else ''}"
        )
    return found[:4]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("roots", nargs="+")
    parser.add_argument("--seven", required=True, help="the tsc of TypeScript 7")
    parser.add_argument("--five", required=True, help="a typescript-language-server")
    parser.add_argument("--library", required=True, help="the lib folder of the TypeScript 5 that it uses")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--below", default="", help="sample only files below this folder of the workspace")
    parser.add_argument("--with-checker", action="store_true")
    parser.add_argument("--cache", default="")
    parser.add_argument("--details", default="", help="append sites that count against graphls to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
