"""Definitions of a typed language against the answers of its compiler.

    python bench/languages.py LANGUAGE ROOT TRUTH.jsonl[.gz] [--show N] [--references N] [--seed N] [--checker]

TRUTH has one line an occurrence: `file`, `line`, `col` (from 1), `name`, `external`, `local`, `kind`, `definitions` (`[file, line, column]`).
Right is an answer with one place on the line of a true one. Recall: right of all that are defined in the tree; precision: right of all answered;
single: the first place is right. `false`: answers inside the tree for what is outside of it. Names that do not stand where
the compiler sees them, since a macro writes them, are not asked for.

`--references N` asks for the references of N symbols that are not local, drawn by the seed among those that the truth uses twice or more, against the
truth inverted: all places that lead to the symbol; `certain`: without those that say that they are possible only. Answers in files or at places that the truth does not speak of are counted apart.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import gzip
import json
import random
import re
import time
from collections.abc import Iterable
from pathlib import Path

from linked import linked

from graphls.compilers.checkers import find_checkers
from graphls.compilers.verifier import Verifier
from graphls.facts.kinds import Role
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import providers
from graphls.queries.definition import definition
from graphls.queries.references import references
from graphls.session.memory import snapshot_of
from graphls.session.session import Session
from graphls.settings.tree import TypeCheckerSettings

Place = tuple[str, int]
_WORD = re.compile(rb"\w*")


def read_files(language: str, root: Path) -> dict[str, bytes]:
    """Sources and manifests of one language below a folder."""
    known = providers()[language].capabilities
    found: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        wanted = path.name.endswith(known.endings) or any(path.match(name) for name in known.manifests)
        if wanted and path.is_file() and not path.is_symlink():
            found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found


class CheckedAnswers:
    """Places that links with a checker's answers laid over them lead to."""

    def __init__(self, session: Session, files: Iterable[str]) -> None:
        self.snapshot = session.snapshot()
        roots = tuple(folder.root for folder in session.workspace.folders)
        self._verifier = Verifier(session.workspace, find_checkers(TypeCheckerSettings(), None, roots))
        for file in files:
            if FilePath(file) in self.snapshot.shards:
                self._verifier.verify_file(self.snapshot, FilePath(file), 600_000)
        self._state = self._verifier.verified(self.snapshot)
        print("; ".join(f"{one.name} {one.version} {one.state.name} {one.problem}" for one in self._verifier.status()))
        self._verifier.close()

    def of(self, file: str) -> dict[int, list[Place | None]]:
        """By offset; None for a place outside."""
        found: dict[int, list[Place | None]] = {}
        for start in self.snapshot.facts(FilePath(file)).occurrences.start:
            answer = definition(self._state, FilePath(file), start)
            places: list[Place | None] = [] if answer is None else [None for _ in answer.externals]
            for one in answer.places if answer is not None else ():
                places.append((one.file, self.snapshot.facts(one.file).line_column(one.start)[0] + 1))
            found[start] = places
        return found


class Answers:
    """Places that links lead to."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._rows = functools.cache(self._symbol_rows)

    def _symbol_rows(self, file: str) -> dict[int, int]:
        column = self._snapshot.facts(FilePath(file)).definitions.surface
        return {symbol: row for row, symbol in reversed(list(enumerate(column))) if symbol >= 0}

    def of(self, file: str) -> dict[int, list[Place | None]]:
        """By offset; None for a place outside."""
        facts, links = self._snapshot.facts(FilePath(file)), self._snapshot.links(FilePath(file))
        found: dict[int, list[Place | None]] = {start: [] for start in facts.occurrences.start}
        table = links.targets
        for row, occurrence in enumerate(table.occurrence):
            places = found[facts.occurrences.start[occurrence]]
            if table.symbol[row] == EXTERNAL:
                places.append(None)
                continue
            home, symbol = links.files[table.file[row]], table.symbol[row]
            if symbol < 0:
                places.append((home, 1))
                continue
            definition = symbol if home == file else self._rows(home)[symbol]
            other = self._snapshot.facts(FilePath(home))
            places.append((home, other.line_column(other.definitions.start[definition])[0] + 1))
        return found


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language")
    parser.add_argument("root", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--references", type=int, default=0)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--writes", action="store_true", help="a true place that writes the same variable is right too")
    parser.add_argument("--checker", action="store_true", help="with the answers of the checker of the language")
    given = parser.parse_args()
    opened = gzip.open(given.truth, "rt") if given.truth.suffix == ".gz" else given.truth.open()
    rows = [json.loads(line) for line in opened]
    started = time.process_time()
    files = read_files(given.language, given.root)
    with contextlib.ExitStack() as open_session:
        if given.checker:
            session = open_session.enter_context(linked(given.root.resolve()))
            answers = CheckedAnswers(session, sorted({row["file"] for row in rows}))
            snapshot = answers.snapshot
        else:
            snapshot = snapshot_of(files)
            answers = Answers(snapshot)
        _measure(given, rows, files, snapshot, answers)
    print(f"cpu {time.process_time() - started:.1f} s")


def _measure(given, rows, files, snapshot: Snapshot, answers: Answers | CheckedAnswers) -> None:
    by_file: dict[str, list[dict[str, object]]] = collections.defaultdict(list)
    for row in rows:
        by_file[row["file"]].append(row)
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    outside: collections.Counter[str] = collections.Counter()
    wrong: list[tuple[str, dict[str, object], object]] = []
    for file, asked in by_file.items():
        if FilePath(file) not in snapshot.shards:
            outside["files that are not there"] += 1
            continue
        known, lines = answers.of(file), snapshot.facts(FilePath(file)).lines
        for row in asked:
            at = lines[row["line"] - 1] + row["col"] - 1
            if given.writes:
                row["definitions"] = [*row["definitions"], *_written(row, snapshot, answers)]
            if _WORD.match(files[file], at)[0] == row["name"].encode():
                _count(row, known.get(at), counts, outside, wrong)
            else:
                outside["what a macro writes"] += 1
    _print(counts, outside, wrong, given.show)
    if given.references:
        drawn = _symbols(rows, files)
        random.Random(given.seed).shuffle(drawn)
        _references(snapshot, rows, drawn, given.references, given.show)


def _written(row, snapshot: Snapshot, answers: Answers | CheckedAnswers) -> list[tuple[str, int, int]]:
    """What the same name on the lines of the true places leads to."""
    found: list[tuple[str, int, int]] = []
    for file, line, *_ in row["definitions"]:
        if FilePath(file) not in snapshot.shards:
            continue
        facts, known = snapshot.facts(FilePath(file)), answers.of(file)
        uses = facts.occurrences
        for start, name, role in zip(uses.start, uses.name, uses.role, strict=True):
            if role == Role.WRITE and facts.strings[name] == row["name"] and facts.line_column(start)[0] + 1 == line:
                found += [(*place, 1) for place in known.get(start, ()) if place is not None]
    return found


Site = tuple[str, int, int]
"""File, line, column from 1."""


def _symbols(rows: list[dict[str, object]], files: dict[str, bytes]) -> list[tuple[str, int, int, str, set[Site]]]:
    """File, line, column (1 where the truth does not say it) and name of what is used twice or more, and where."""
    found: dict[tuple[str, int, int, str], set[Site]] = collections.defaultdict(set)
    for row in rows:
        if row.get("external") or row.get("local"):
            continue
        # Where the truth says which of several places is the definition, that one is asked for.
        places = [row["symbol"]] if row.get("symbol") else [] if "symbol" in row else row["definitions"]
        for file, line, *column in places:
            found[file, line, (column and column[0]) or 1, row["name"]].add((row["file"], row["line"], row["col"]))
    return sorted((*key, sites) for key, sites in found.items() if key[0] in files and len(sites) > 1)


def _references(snapshot, rows, drawn, wanted: int, show: int) -> None:
    spoken = {(row["file"], row["line"], row["col"]) for row in rows}
    total: collections.Counter[str] = collections.Counter()
    shares: list[tuple[float, float]] = []
    for file, line, column, name, true in drawn:
        if len(shares) == wanted:
            break
        facts = snapshot.facts(FilePath(file))
        table = facts.definitions
        found = [
            row
            for row, at in enumerate(table.start)
            if facts.line_column(at)[0] + 1 == line and facts.strings[table.name[row]] == name
        ]
        exact = [row for row in found if facts.line_column(table.start[row])[1] + 1 == column]
        found = exact or found  # `value(String value)` has two of one name in a line
        if not found:
            total["symbols that are not read"] += 1
            continue
        got: set[Site] = set()
        certain: set[Site] = set()
        for row in found:
            for use in references(snapshot, SymbolRef(FilePath(file), row)).uses:
                at = snapshot.facts(use.file).line_column(use.start)
                got.add((use.file, at[0] + 1, at[1] + 1))
                if not use.ambiguous:
                    certain.add((use.file, at[0] + 1, at[1] + 1))
        here = got & spoken
        total += collections.Counter(certain=len(certain & spoken), certainly=len(true & certain))
        total += collections.Counter(true=len(true), found=len(true & got), answered=len(here), apart=len(got - spoken))
        shares.append((len(true & got) / len(true), len(true & here) / len(here) if here else 1.0))
        if show and (true - got or here - true):
            print(f"{name} {file}:{line} missed {sorted(true - got)[:3]} false {sorted(here - true)[:3]}")
    recall, precision = (total["found"] / max(1, total[key]) for key in ("true", "answered"))
    means = [sum(share[at] for share in shares) / max(1, len(shares)) for at in (0, 1)]
    print(
        f"references   {len(shares):7}  R {recall:.4f}  P {precision:.4f}  a symbol R {means[0]:.4f} P {means[1]:.4f}"
        f"  certain P {total['certainly'] / max(1, total['certain']):.4f}  {dict(total)}"
    )


def _count(row, got, counts, outside, wrong) -> None:
    places = [place for place in got or () if place is not None]
    if row.get("external"):
        outside["asked"] += 1
        if places:
            outside["false"] += 1
            wrong.append(("false", row, places))
        return
    count = counts["local" if row.get("local") else row.get("kind") or "other"]
    count["asked"] += 1
    true = {(place[0], place[1]) for place in row["definitions"]}
    if not places:
        wrong.append(("not read" if got is None else "outside" if got else "unresolved", row, None))
        return
    count["answered"] += 1
    count["single"] += places[0] in true
    if true.intersection(places):
        count["right"] += 1
        if places[0] not in true:
            wrong.append(("several", row, places))
    else:
        wrong.append(("wrong", row, places))


def _print(counts, outside, wrong, show: int) -> None:
    total, beyond = collections.Counter(), collections.Counter()
    for kind, count in sorted(counts.items()):
        total += count
        beyond += collections.Counter() if kind == "local" else count
        _line(kind, count)
    _line("all", total)
    _line("not local", beyond)
    print(f"outside {dict(outside)}; {dict(collections.Counter(kind for kind, *_ in wrong))}")
    random.Random(3).shuffle(wrong)
    for kind, row, places in wrong[:show]:
        print(
            f"{kind:10} {row['file']}:{row['line']}:{row['col']} {row['name']} -> {row.get('definitions')} {places or ''}"
        )


def _line(kind: str, count: collections.Counter[str]) -> None:
    asked, answered = max(1, count["asked"]), max(1, count["answered"])
    parts = f"R {count['right'] / asked:.4f}  P {count['right'] / answered:.4f}  single {count['single'] / asked:.4f}"
    print(f"{kind:12} {count['asked']:7}  {parts}")


if __name__ == "__main__":
    main()
