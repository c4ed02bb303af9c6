"""Mermaid: a flow chart for pages that draw such text.

Owns: short ids, labels, escaping.
Must not know: snapshots.
Invariant: no name can end a label or start markup; ids are numbers in order of appearance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphls.graph.control_escapes import escape_line
from graphls.graph.records import Edge, Node, Record


def mermaid(records: Iterable[Record]) -> Iterator[str]:
    """A `flowchart`; uncertain edges are dotted. Edges to nodes that are not shown are left out."""
    yield "flowchart LR\n"
    short: dict[str, str] = {}
    for record in records:
        match record:
            case Node():
                name = short[record.id] = f"n{len(short)}"
                label = escaped(record.qualified_name or record.name)
                yield f'  {name}["{label}<br/>{escaped(record.subkind or record.kind)}"]\n'
            case Edge() if record.source in short and record.target in short:
                arrow = "-.->" if record.confidence < 1 or record.ambiguous else "-->"
                yield f'  {short[record.source]} {arrow}|"{escaped(record.kind)}"| {short[record.target]}\n'
            case _:
                pass


def escaped(text: str) -> str:
    """Text as character references wherever the format gives a character a meaning."""
    return "".join(
        letter if letter.isalnum() or letter in " _.-/" else f"#{ord(letter)};" for letter in escape_line(text)
    )
