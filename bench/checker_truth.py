"""Own and verified definitions beside a truth set.

    python bench/checker_truth.py ROOT TRUTH.defs.jsonl.gz TRUTH.external.jsonl.gz [--environment FOLDER]

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

from graphls.compilers.checkers import find_checkers
from graphls.compilers.verifier import Verifier
from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import provider_for
from graphls.queries.definition import definition
from graphls.session.memory import snapshot_of
from graphls.settings.tree import Checker as CheckerSettings
from graphls.sources.environment import find_environment
from graphls.sources.workspace import Workspace

IGNORED = {".git", ".venv", "venv", "node_modules", "__pycache__"}
MANIFESTS = {"pyproject.toml", "setup.py", "setup.cfg", "package.json", "tsconfig.json", "jsconfig.json"}


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
    root = str(Path(options.root).resolve())
    snapshot = snapshot_of(_texts(Path(root)))
    found = find_environment(root, options.environment).found
    chosen = CheckerSettings(name=options.checker, typescript_path=options.typescript)
    verifier = Verifier(Workspace.of([root]), find_checkers(chosen, found, (root,)))
    left = sum(verifier.settle_file(snapshot, path, 600_000).left_out for path in snapshot.files())
    seen = verifier.verified(snapshot)
    for label, state in (("own", snapshot), ("verified", seen)):
        print(label, _definitions(state, _records(options.truth)), _outside(state, _records(options.external)))
    print("left out", left)
    verifier.close()
    return 0


def _definitions(snapshot: Snapshot, records: list[Record]) -> str:
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
    return " ".join(
        f"{kind}: P {count['right'] / max(count['answered'], 1):.4f} R {count['right'] / count['asked']:.4f};"
        for kind, count in counts.items()
    )


def _outside(snapshot: Snapshot, records: list[Record]) -> str:
    indexes: dict[str, LineIndex] = {}
    false = sum(bool(_places(snapshot, indexes, record)) for record in records)
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


def _texts(root: Path) -> dict[str, bytes]:
    texts: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        wanted = provider_for(FilePath(name)) or path.name in MANIFESTS
        if wanted and not IGNORED & set(name.split("/")) and path.is_file():
            texts[name] = path.read_bytes()
    return texts


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("truth")
    parser.add_argument("external")
    parser.add_argument("--environment", default="", help="folder of the virtual environment that the code uses")
    parser.add_argument("--checker", default="ty")
    parser.add_argument("--typescript", default="", help="the tsc of TypeScript 7; else the one on the PATH")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
