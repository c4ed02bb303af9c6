"""Edge refs: the edges at one node, in order, each made only when somebody shows it.

Owns: the order of edges, what tells their ends apart, the way from a lead to its edge.
Must not know: which edges there are, which of them a question wants.
Invariant: leads sort as their edges do; equal keys of ends are equal nodes.

A module that hundreds of files import has thousands of edges, of which an answer shows a page. A lead is a plain tuple:
to make one takes a tenth of the time that the edge takes, and tuples are compared natively.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias, cast

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DERIVED, DerivedNode
from graphls.graph.edge_table import EdgeTable, edge_in, edge_properties, end_in
from graphls.graph.evidence import RawEdge
from graphls.graph.snapshot import Snapshot, SymbolRef

Node: TypeAlias = "SymbolRef | DerivedNode | str"
"""A place, what is derived from code, or the dotted name of something outside the workspace."""
Key: TypeAlias = "tuple[str, int] | DerivedNode"
"""Stands for a node; what no binding site stands for stands for itself."""

_OUTSIDE = "\x7f"


class EdgeRef(NamedTuple):
    """One edge. Surest first, then by kind and ends, then as they came."""

    negative_confidence: float
    """The confidence, negative."""
    kind: str
    target: tuple[str, int]
    source: tuple[str, int]
    number: int
    """Of the lead among those that are compared: the rest never is."""
    target_key: Key
    source_key: Key
    provenance: str
    origin: EdgeTable | RawEdge
    row: int = -1


# What the class itself calls, without packing the arguments twice.
_made = cast("Callable[[type[EdgeRef], tuple[object, ...]], EdgeRef]", tuple.__new__)  # pyright: ignore[reportUnknownMemberType]


def node_order(node: Node) -> tuple[str, int]:
    """By file and position; names outside the workspace by name, behind a mark no path begins with."""
    if isinstance(node, DerivedNode):
        return f"{node.file}\0{node.kind} {node.name}", node.start
    return (f"{_OUTSIDE}{node}", -1) if isinstance(node, str) else (node.file, node.definition)


def edge_order(edge: RawEdge) -> tuple[float, str, tuple[str, int], tuple[str, int]]:
    """Surest first, then by kind and ends: what a lead begins with."""
    return -edge.confidence, edge.kind, node_order(edge.target), node_order(edge.source)


def key_of(node: Node) -> Key:
    """What stands for a node."""
    return node if isinstance(node, DerivedNode) else node_order(node)


def node_of(key: Key) -> Node:
    """The inverse."""
    if isinstance(key, DerivedNode):
        return key
    name, row = key
    return name[1:] if name.startswith(_OUTSIDE) else SymbolRef(FilePath(name), row)


def is_whole_file(key: Key) -> bool:
    """Whether a module, or a plain file, stands there."""
    return not isinstance(key, DerivedNode) and key[1] < 0 and not key[0].startswith(_OUTSIDE)


def edge_of_ref(snapshot: Snapshot, ref: EdgeRef) -> RawEdge:
    """The edge itself."""
    origin = ref.origin
    return origin if isinstance(origin, RawEdge) else edge_in(origin, ref.row, node_of(ref.target_key))


STRUCTURE: Final = frozenset({"contains", "defines", "documents", "diagnoses"})
"""Kinds of edges that say what stands where."""


def is_structure(edge: EdgeRef | RawEdge) -> bool:
    """Whether an edge says what stands where, or that a module exports what stands in it, as no use of a name does."""
    if edge.kind != "exports":
        return edge.kind in STRUCTURE
    if isinstance(edge, RawEdge):
        return isinstance(edge.target, SymbolRef) and edge.source.file == edge.target.file
    return edge.source[0] == edge.target[0]


def derived_among(refs: Iterable[EdgeRef]) -> Iterator[RawEdge]:
    """The edges of those leads that no link says."""
    return (ref.origin for ref in refs if ref.provenance == DERIVED and isinstance(ref.origin, RawEdge))


def sorted_refs(refs: Iterable[EdgeRef]) -> list[EdgeRef]:
    """Sorted leads. What ends at one node comes by file, so that little is left to do once kinds are told apart."""
    kinds: dict[tuple[float, str], list[EdgeRef]] = {}
    for ref in refs:
        kinds.setdefault(ref[:2], []).append(ref)
    found = [ref for about in sorted(kinds) for ref in kinds[about]]
    found.sort()
    return found


def refs_of_edges(edges: Iterable[RawEdge], first: int) -> Iterator[EdgeRef]:
    """Leads of edges that are made already; numbers begin with `first`."""
    for number, edge in enumerate(edges, first):
        keys = key_of(edge.target), key_of(edge.source)
        yield EdgeRef(*edge_order(edge), number, *keys, edge.provenance, edge)


def refs_to(table: EdgeTable, target: SymbolRef, rows: Iterable[int], first: int) -> Iterator[EdgeRef]:
    """Leads of rows of a table that all end at one place."""
    properties, path, end = edge_properties(table), table.files[0], (target.file, target.definition)
    sources, sayings = table.rows.source, table.rows.saying
    for number, row in enumerate(rows, first):
        about = properties[sayings[row]]
        source = (path, sources[row])
        yield _made(EdgeRef, (-about[3], about[0], end, source, number, end, source, about[1], table, row))


def refs_from(snapshot: Snapshot, table: EdgeTable, rows: Iterable[int], first: int) -> Iterator[EdgeRef]:
    """Leads of rows of a table."""
    properties, path = edge_properties(table), table.files[0]
    columns = table.rows
    for number, row in enumerate(rows, first):
        about = properties[columns.saying[row]]
        end = node_order(end_in(snapshot, table, columns.file[row], columns.target[row]))
        source = (path, columns.source[row])
        yield _made(EdgeRef, (-about[3], about[0], end, source, number, end, source, about[1], table, row))
