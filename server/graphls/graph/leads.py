"""Leads: the edges at one node, in order, each made only when somebody shows it.

Owns: the order of edges, what tells their ends apart, the way from a lead to its edge.
Must not know: which edges there are, which of them a question wants.
Invariant: leads sort as their edges do; equal keys of ends are equal nodes.

A module that hundreds of files import has thousands of edges, of which an answer shows a page. A lead is a plain tuple:
to make one takes a tenth of the time that the edge takes, and tuples are compared natively.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias, cast

from graphls.facts.paths import FilePath
from graphls.graph.derivation import Derived
from graphls.graph.edge_table import EdgeTable, edge_in, end_in, said_in
from graphls.graph.evidence import RawEdge
from graphls.graph.snapshot import Place, Snapshot

Node: TypeAlias = "Place | Derived | str"
"""A place, what is derived from code, or the dotted name of something outside the workspace."""
Key: TypeAlias = "tuple[str, int] | Derived"
"""Stands for a node; what no binding site stands for stands for itself."""

_OUTSIDE = "\x7f"


class Lead(NamedTuple):
    """One edge. Surest first, then by kind and ends, then as they came."""

    doubt: float
    """The confidence, negative."""
    kind: str
    target: tuple[str, int]
    source: tuple[str, int]
    number: int
    """Of the lead among those that are compared: the rest never is."""
    target_key: Key
    source_key: Key
    provenance: str
    held: EdgeTable | RawEdge
    row: int = -1


# What the class itself calls, without packing the arguments twice.
_made = cast("Callable[[type[Lead], tuple[object, ...]], Lead]", tuple.__new__)  # pyright: ignore[reportUnknownMemberType]


def node_order(node: Node) -> tuple[str, int]:
    """By file and position; names outside the workspace by name, behind a mark no path begins with."""
    if isinstance(node, Derived):
        return f"{node.file}\0{node.kind} {node.name}", node.start
    return (f"{_OUTSIDE}{node}", -1) if isinstance(node, str) else (node.file, node.definition)


def edge_order(edge: RawEdge) -> tuple[float, str, tuple[str, int], tuple[str, int]]:
    """Surest first, then by kind and ends: what a lead begins with."""
    return -edge.confidence, edge.kind, node_order(edge.target), node_order(edge.source)


def key_of(node: Node) -> Key:
    """What stands for a node."""
    return node if isinstance(node, Derived) else node_order(node)


def node_of(key: Key) -> Node:
    """The inverse."""
    if isinstance(key, Derived):
        return key
    name, row = key
    return name[1:] if name.startswith(_OUTSIDE) else Place(FilePath(name), row)


def is_whole_file(key: Key) -> bool:
    """Whether a module, or a plain file, stands there."""
    return not isinstance(key, Derived) and key[1] < 0 and not key[0].startswith(_OUTSIDE)


def edge_of_lead(snapshot: Snapshot, lead: Lead) -> RawEdge:
    """The edge itself."""
    held = lead.held
    return held if isinstance(held, RawEdge) else edge_in(held, lead.row, node_of(lead.target_key))


def in_order(leads: Iterable[Lead]) -> list[Lead]:
    """Sorted leads. What ends at one node comes by file, so that little is left to do once kinds are told apart."""
    kinds: dict[tuple[float, str], list[Lead]] = {}
    for lead in leads:
        kinds.setdefault(lead[:2], []).append(lead)
    found = [lead for about in sorted(kinds) for lead in kinds[about]]
    found.sort()
    return found


def led(edges: Iterable[RawEdge], first: int) -> Iterator[Lead]:
    """Leads of edges that are made already; numbers begin with `first`."""
    for number, edge in enumerate(edges, first):
        keys = key_of(edge.target), key_of(edge.source)
        yield Lead(*edge_order(edge), number, *keys, edge.provenance, edge)


def leads_to(table: EdgeTable, target: Place, rows: Iterable[int], first: int) -> Iterator[Lead]:
    """Leads of rows of a table that all end at one place."""
    said, path, end = said_in(table), table.files[0], (target.file, target.definition)
    sources, sayings = table.rows.source, table.rows.saying
    for number, row in enumerate(rows, first):
        about = said[sayings[row]]
        source = (path, sources[row])
        yield _made(Lead, (-about[3], about[0], end, source, number, end, source, about[1], table, row))


def leads_from(snapshot: Snapshot, table: EdgeTable, rows: Iterable[int], first: int) -> Iterator[Lead]:
    """Leads of rows of a table."""
    said, path = said_in(table), table.files[0]
    columns = table.rows
    for number, row in enumerate(rows, first):
        about = said[columns.saying[row]]
        end = node_order(end_in(snapshot, table, columns.file[row], columns.target[row]))
        source = (path, columns.source[row])
        yield _made(Lead, (-about[3], about[0], end, source, number, end, source, about[1], table, row))
