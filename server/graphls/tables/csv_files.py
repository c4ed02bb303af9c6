"""CSV files: the tables as text, one file a table, in the spelling of Neo4j's import or plain.

Owns: quoting, the two kinds of headings.
Must not know: who reads the files.
Invariant: an empty cell is NULL, an empty text is `""`; whatever text holds, a reader of RFC 4180 gets it back.

`neo4j-admin database import full --nodes=nodes.csv --relationships=edges.csv --multiline-fields=true` takes what
`neo4j` writes: ids, labels and types stand under the names that it asks for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import IO

from graphls.graph.records import Record
from graphls.tables.columns import Cell, Column, rows_of, tables

_NEO4J: Mapping[str, Mapping[str, str]] = {
    "nodes": {"id": "id:ID", "kind": "kind:LABEL"},
    "edges": {"source": ":START_ID", "target": ":END_ID", "kind": "kind:TYPE"},
}
_NEO4J_TYPES = {"BIGINT": ":long", "DOUBLE": ":double", "BOOLEAN": ":boolean", "TEXT": ""}


def write_csv(folder: str, records: Iterable[Record], *, neo4j: bool = False) -> None:
    """Writes `TABLE.csv` of every table into a folder. Raises OSError."""
    with ExitStack() as stack:
        files: dict[str, IO[str]] = {}
        for name, table in tables().items():
            path = os.path.join(folder, f"{name}.csv")
            file = files[name] = stack.enter_context(open(path, "w", encoding="utf-8", newline=""))
            heads = [_neo4j(name, column) if neo4j else column.name for column in table.columns]
            file.write(",".join(map(_cell, heads)) + "\n")
        for name, row in rows_of(records):
            files[name].write(",".join(map(_cell, row)) + "\n")


def _neo4j(table: str, column: Column) -> str:
    known = _NEO4J.get(table, {})
    return known.get(column.name) or f"{column.name}{_NEO4J_TYPES[column.type]}"


def _cell(value: Cell) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + value.replace('"', '""') + '"'
        case _:
            return str(value)
