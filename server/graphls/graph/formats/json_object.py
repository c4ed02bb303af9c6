"""JSON object: header, nodes, edges and diagnostics as one document.

Owns: the shape of that document.
Must not know: snapshots, what a record means.
Invariant: the records are those of JSONL, in the same order; it is written as they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphls.graph.control_escapes import escape_controls
from graphls.graph.records import Edge, Header, Node, Record
from graphls.graph.wire import line_of


def json_object(records: Iterable[Record]) -> Iterator[str]:
    """`{"header": {...}, "nodes": [...], "edges": [...], "diagnostics": [...], "others": [...]}`."""
    section, written = "", set[str]()
    for record in records:
        name = _section(record)
        if name == section:
            yield ",\n"
        else:
            yield _close(section)
            yield f',\n"{name}":' if section else f'{{"{name}":'
            yield "\n" if name == "header" else "[\n"
            section = name
            written.add(name)
        # As part of JSON what is spelled out means the character itself.
        yield escape_controls(line_of(record))
    yield _close(section)
    for missing in ("nodes", "edges", "diagnostics"):
        if missing not in written:
            yield f',\n"{missing}":[]' if section else f'{{"{missing}":[]'
            section = missing
    yield "}\n"


def _section(record: Record) -> str:
    match record:
        case Header():
            return "header"
        case Node():
            return "diagnostics" if record.kind == "diagnostic" else "nodes"
        case Edge():
            return "edges"
        case _:
            return "others"


def _close(section: str) -> str:
    return "\n]" if section not in ("", "header") else ""
