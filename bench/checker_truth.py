"""Own and verified definitions beside a truth set.

    python bench/checker_truth.py ROOT TRUTH.defs.jsonl.gz TRUTH.external.jsonl.gz [--environment FOLDER]
        [--details FILE]

Every record of the truth set is asked twice: of own links, and of links with the checker's answers laid over them.
Right: a target starts on a true line of the right file. A record outside is wrong when a target is in the workspace.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TypedDict

from linked import linked

from graphls.compilers.checkers import find_checkers
from graphls.compilers.verifier import Verifier
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.definition import definition
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.environment import find_environment


class Record(TypedDict):
    file: str
    line: int
    col: int
    kind: str
    def_file: str
    def_line: int
    alt_defs: list[list[object]]
    yes: list[str]


def main() -> int:
    options = _options()
    root = Path(options.root).resolve()
    with linked(root, options.environment) as session:
        snapshot = session.snapshot()
        found = find_environment(str(root), options.environment).found
        chosen = CheckerSettings(name=options.checker, typescript_path=options.typescript)
        verifier = Verifier(session.workspace, find_checkers(chosen, found, (str(root),)))
        left = sum(verifier.verify_file(snapshot, path, 600_000).left_out for path in snapshot.files())
        for label, state in (("own", snapshot), ("verified", verifier.verified(snapshot))):
            shown = _Details(label, options.details)
            print(label, _definitions(state, _records(options.truth), shown), _outside(state, options.external, shown))
        print("left out", left)
        verifier.close()
    return 0


class _Details:
    """Each record that is not answered right, a line of JSON."""

    def __init__(self, label: str, path: str) -> None:
        self._label = label
        self._path = path

    def say(self, what: str, record: Record, places: set[tuple[str, int]]) -> None:
        if self._path:
            one = {"links": self._label, "what": what, **record, "places": sorted(places)}
            with Path(self._path).open("a", encoding="utf-8") as out:
                out.write(f"{json.dumps(one)}\n")


def _definitions(snapshot: Snapshot, records: list[Record], details: _Details) -> str:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    indexes: dict[str, LineIndex] = {}
    for record in records:
        places = _places(snapshot, indexes, record)
        true = {(record["def_file"], record["def_line"])}
        true |= {(str(file), int(str(line))) for file, line, _ in record.get("alt_defs") or ()}
        kinds = ["all", record["kind"]] + (["confirmed"] if record.get("yes") else [])
        for kind in kinds:
            counts[kind]["asked"] += 1
            counts[kind]["answered"] += bool(places)
            counts[kind]["right"] += bool(places & true)
        if not places & true:
            details.say("wrong" if places else "missing", record, places)
    return " ".join(
        f"{kind}: P {count['right'] / max(count['answered'], 1):.4f} R {count['right'] / count['asked']:.4f};"
        for kind, count in counts.items()
    )


def _outside(snapshot: Snapshot, path: str, details: _Details) -> str:
    indexes: dict[str, LineIndex] = {}
    records = _records(path)
    false = 0
    for record in records:
        if places := _places(snapshot, indexes, record):
            false += 1
            details.say("false", record, places)
    return f"outside: {false} false of {len(records)}"


def _places(snapshot: Snapshot, indexes: dict[str, LineIndex], record: Record) -> set[tuple[str, int]]:
    path = FilePath(record["file"])
    if path not in snapshot.shards:
        return set()
    offset = _index(snapshot, indexes, path).offset(record["line"], record["col"], "utf-16")
    answer = definition(snapshot, path, offset)
    places: set[tuple[str, int]] = set()
    for one in answer.places if answer else ():
        places.add((one.file, _index(snapshot, indexes, one.file).line_of(one.start)))
    return places


def _index(snapshot: Snapshot, indexes: dict[str, LineIndex], path: FilePath) -> LineIndex:
    if path not in indexes:
        indexes[path] = LineIndex(snapshot.text(path) or b"")
    return indexes[path]


def _records(path: str) -> list[Record]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("truth")
    parser.add_argument("external")
    parser.add_argument("--environment", default="", help="folder of the virtual environment that the code uses")
    parser.add_argument("--details", default="", help="file to which each miss is added")
    parser.add_argument("--checker", default="ty")
    parser.add_argument("--typescript", default="", help="the tsc of TypeScript 7; else the one on the PATH")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
