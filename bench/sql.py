"""SQL: do the exported tables and the live questions say the same of sampled symbols?

Owns: the sample; one statement and one live question for each of callers, references and subclasses.
Must not know: how tables are made.
Invariant: both sides are of one snapshot; every difference is printed.

    python bench/sql.py ROOT [--count 1000] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from linked import linked

from graphls.graph.export import ExportOptions, export
from graphls.graph.identity import end_id, node_id
from graphls.graph.nodes import is_lasting, is_node
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.neighborhood import STRUCTURE, steps
from graphls.queries.type_hierarchy import is_class, subtypes
from graphls.tables.sqlite_file import write_sqlite

_CALLS = ("calls", "instantiates", "renders")
STATEMENTS = {
    "callers": "SELECT DISTINCT source FROM edges WHERE target = ? AND kind IN ('calls', 'instantiates', 'renders')",
    "references": (
        "SELECT DISTINCT source, kind FROM edges WHERE target = ? "
        "AND kind NOT IN ('contains', 'defines', 'documents', 'diagnoses')"
    ),
    "subclasses": "SELECT DISTINCT source FROM edges WHERE target = ? AND kind IN ('extends', 'implements')",
}


def main() -> int:
    """Prints counts and differences; ends with 1 where there is one."""
    options = argparse.ArgumentParser()
    options.add_argument("root", type=Path)
    options.add_argument("--count", type=int, default=1_000)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, linked(chosen.root.resolve()) as session:
        snapshot = session.snapshot()
        made = export(snapshot, ExportOptions(mode="allow-errors"))
        write_sqlite(f"{folder}/graph.sqlite", made.records())
        return _compare(snapshot, f"{folder}/graph.sqlite", chosen.count, chosen.seed)


def _compare(snapshot: Snapshot, database: str, count: int, seed: int) -> int:
    rows, differing = Counter[str](), Counter[str]()
    with closing(sqlite3.connect(database)) as connection:
        for place in _sample(snapshot, count, seed):
            live = _live(snapshot, place)
            for question, statement in STATEMENTS.items():
                if question == "subclasses" and not is_class(snapshot, place):
                    continue  # of an import the live question answers for what it imports
                stored = {tuple(map(str, row)) for row in connection.execute(statement, [node_id(snapshot, place)])}
                rows[question] += len(stored)
                if stored != live[question]:
                    differing[question] += 1
                    print(question, place, sorted(stored ^ live[question])[:5])
    for question in STATEMENTS:
        print(f"{question}: {rows[question]:,} rows of {count:,} symbols, {differing[question]} symbols differ")
    return 1 if differing else 0


def _live(snapshot: Snapshot, place: SymbolRef) -> dict[str, set[tuple[str, ...]]]:
    edges = [edge for edge, _ in steps(snapshot, place, "in") if edge.kind not in STRUCTURE]
    return {
        "callers": {(end_id(snapshot, edge.source),) for edge in edges if edge.kind in _CALLS},
        "references": {(end_id(snapshot, edge.source), edge.kind) for edge in edges},
        "subclasses": {(node_id(snapshot, below),) for below in subtypes(snapshot, place)},
    }


def _sample(snapshot: Snapshot, count: int, seed: int) -> list[SymbolRef]:
    places = [
        SymbolRef(path, row)
        for path in sorted(snapshot.files())
        for facts in (snapshot.facts(path),)
        for row in range(len(facts.definitions))
        if is_lasting(facts, row) and is_node(facts, row)
    ]
    return random.Random(seed).sample(places, min(count, len(places)))


if __name__ == "__main__":
    raise SystemExit(main())
