"""Dot: a graph for Graphviz.

Owns: shapes, labels, quoting.
Must not know: snapshots.
Invariant: any name is a valid quoted string of the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphls.graph.control_escapes import escape_line
from graphls.graph.records import Edge, Node, Record

_SHAPES = {
    "package": "folder", "workspace": "folder", "file": "note", "module": "tab", "external": "plaintext",
    "stdlib_item": "plaintext", "diagnostic": "octagon", "test": "hexagon", "callable": "ellipse", "method": "ellipse",
}  # fmt: skip


def dot(records: Iterable[Record]) -> Iterator[str]:
    """One `digraph`; uncertain edges are dashed, ambiguous ones dotted."""
    yield "digraph graphls {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n  edge [fontsize=8];\n"
    for record in records:
        match record:
            case Node():
                name = escape_line(record.qualified_name or record.name)
                label = quoted(f"{name}\n{escape_line(record.subkind or record.kind)}")
                yield f"  {quoted(record.id)} [label={label}, shape={_SHAPES.get(record.kind, 'box')}];\n"
            case Edge():
                style = "dotted" if record.ambiguous else "dashed" if record.confidence < 1 else "solid"
                ends = f"{quoted(record.source)} -> {quoted(record.target)}"
                yield f"  {ends} [label={quoted(escape_line(record.kind))}, style={style}];\n"
            case _:
                pass
    yield "}\n"


def quoted(text: str) -> str:
    """A quoted string; line ends become the escape for a new centred line."""
    plain = "".join(character if character >= " " or character == "\n" else " " for character in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
