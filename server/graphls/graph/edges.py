"""Edges: what starts and ends at a place, over all files of a snapshot.

Owns: which files have edges to a place, what of them is read packed and what anew.
Must not know: ids, records, output, what the occurrences of a file mean.
Invariant: an edge that starts in a file is the same whether its source, its target or its file was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from graphls.facts.kinds import EdgeKind
from graphls.facts.paths import FilePath
from graphls.graph import edge_table
from graphls.graph.derivation import DerivedNode
from graphls.graph.derived_edges import derived_edges_of, derived_edges_to, rule_edges_of
from graphls.graph.edge_refs import EdgeRef, edge_of_ref, refs_from, refs_of_edges, refs_to, sorted_refs
from graphls.graph.edge_table import EdgeTable, cached_table, rows_from, rows_to, symbol_of
from graphls.graph.evidence import KINDS, RawEdge, Site
from graphls.graph.file_edges import OVERRIDE_KINDS, FileEdges, ends_of
from graphls.graph.memo import MemoTable
from graphls.graph.mentions import files_mentioning
from graphls.graph.nodes import is_node, node_row
from graphls.graph.request_budget import spend, spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.wanted_tables import wanted_table

__all__ = [
    "RawEdge",
    "Site",
    "edge_refs_at",
    "edge_refs_of_kinds",
    "edges_from",
    "edges_of",
    "edges_of_kinds",
    "edges_to",
    "imports_of",
    "is_node",
    "linked_edges_of",
    "linked_edges_to",
    "linked_refs_to",
    "node_row",
    "override_line",
]

_HUBS = MemoTable["SymbolRef | DerivedNode", "list[EdgeRef]"]("hubs")
_MANY = 500
"""From so many edges on, a node's are kept as long as the snapshot."""
_MOST_HUBS = 32
_IMPORTS = KINDS[EdgeKind.IMPORTS]


def edges_from(snapshot: Snapshot, path: FilePath, locals: bool = False) -> Iterator[RawEdge]:
    """Every edge whose source is in one file. `locals`: those to variables of functions as well."""
    yield from named_edges_from(snapshot, path, locals)
    if snapshot.derivation is not None and snapshot.shards[path].language:
        yield from snapshot.derivation.calls(snapshot).from_file(path)


def named_edges_from(snapshot: Snapshot, path: FilePath, locals: bool = False) -> Iterator[RawEdge]:
    """Those that links and rules give: no calls by flow, which cost most of all."""
    if snapshot.shards[path].language:
        yield from FileEdges(snapshot, path, locals).edges()
    if snapshot.derivation is not None:
        yield from snapshot.derivation.edges_from(snapshot, path)


def edges_of(snapshot: Snapshot, node: SymbolRef | DerivedNode) -> Iterator[RawEdge]:
    """Every edge that starts at one node."""
    return (edge_of_ref(snapshot, ref) for ref in _edge_refs_from(snapshot, node))


def named_edges_of(snapshot: Snapshot, node: SymbolRef | DerivedNode) -> Iterator[RawEdge]:
    """Those of `edges_of` that links and rules give."""
    yield from linked_edges_of(snapshot, node)
    yield from rule_edges_of(snapshot, node)


def edges_to(snapshot: Snapshot, node: SymbolRef | DerivedNode) -> Iterator[RawEdge]:
    """Every edge that ends at one node, by file of the source."""
    return (edge_of_ref(snapshot, ref) for ref in _edge_refs_to(snapshot, node))


def linked_edges_of(snapshot: Snapshot, node: SymbolRef | DerivedNode) -> Iterator[RawEdge]:
    """Those of `edges_of` that links give."""
    found = _linked_refs_from(snapshot, node) if isinstance(node, SymbolRef) else ()
    return (edge_of_ref(snapshot, ref) for ref in found)


def linked_edges_to(snapshot: Snapshot, node: SymbolRef | DerivedNode) -> Iterator[RawEdge]:
    """Those of `edges_to` that links give."""
    found = _linked_refs_to(snapshot, node) if isinstance(node, SymbolRef) else ()
    return (edge_of_ref(snapshot, ref) for ref in found)


def edges_of_kinds(
    snapshot: Snapshot, node: SymbolRef | DerivedNode, kinds: Collection[str], *, incoming: bool
) -> Iterator[RawEdge]:
    """Those of some kinds that end or start at one node; no others are made, where a hub has thousands."""
    refs = _edge_refs_to(snapshot, node, kinds) if incoming else _edge_refs_from(snapshot, node, kinds)
    return (edge_of_ref(snapshot, ref) for ref in refs if ref.kind in kinds)


def override_line(snapshot: Snapshot, member: SymbolRef, *, incoming: bool) -> tuple[SymbolRef, ...]:
    """A member, and those that override it, or that it overrides, as links say so of each: the nearest first."""
    seen = {member: None}
    queue = [member]
    for one in queue:
        for edge in edges_of_kinds(snapshot, one, OVERRIDE_KINDS, incoming=incoming):
            other = edge.source if incoming else edge.target
            if isinstance(other, SymbolRef) and other not in seen:
                seen[other] = None
                queue.append(other)
    return tuple(queue)


def edge_refs_of_kinds(
    snapshot: Snapshot, node: SymbolRef | DerivedNode, kinds: Collection[str], *, incoming: bool
) -> list[EdgeRef]:
    """The same as `edge_refs_at` gives them."""
    refs = _edge_refs_to(snapshot, node, kinds) if incoming else _edge_refs_from(snapshot, node, kinds)
    return sorted_refs(ref for ref in refs if ref.kind in kinds)


def edge_refs_at(snapshot: Snapshot, node: SymbolRef | DerivedNode, *, incoming: bool) -> list[EdgeRef]:
    """The edges that end or start at one node, in order, without making those that have to be unpacked."""
    if not incoming:
        return sorted(_edge_refs_from(snapshot, node))
    # A hub is around many nodes, and what ends there does not change within a snapshot.
    hubs = _HUBS.of(snapshot)
    known = hubs.get(node)
    if known is None:
        known = sorted_refs(_edge_refs_to(snapshot, node))
        if len(known) >= _MANY and len(hubs) < _MOST_HUBS and not spent_reason():
            hubs[node] = known
    return known


def linked_refs_to(snapshot: Snapshot, node: SymbolRef) -> list[EdgeRef]:
    """Those of `edge_refs_at` that links give, incoming."""
    return sorted_refs(_linked_refs_to(snapshot, node))


def imports_of(snapshot: Snapshot, path: FilePath) -> Iterator[RawEdge]:
    """What the module of one file imports: of its edges these alone. Links say them; nothing is derived for them."""
    if not snapshot.shards[path].language:
        return
    if cached_table(snapshot, path) is None:
        yield from FileEdges(snapshot, path, source=-1).imports()
        return
    found = _linked_refs_from(snapshot, SymbolRef(path, -1))
    yield from (edge_of_ref(snapshot, ref) for ref in found if ref.kind == _IMPORTS)


def _linked_refs_from(snapshot: Snapshot, node: SymbolRef) -> Iterator[EdgeRef]:
    """Those that links give."""
    if not snapshot.shards[node.file].language:
        return iter(())
    table = cached_table(snapshot, node.file)
    if table is None:
        return refs_of_edges(FileEdges(snapshot, node.file, source=node.definition).edges(), 0)
    return refs_from(snapshot, table, rows_from(table, node.definition), 0)


def _edge_refs_from(
    snapshot: Snapshot, node: SymbolRef | DerivedNode, kinds: Collection[str] = ()
) -> Iterator[EdgeRef]:
    """`kinds`: others may be left out."""
    number = 0
    if isinstance(node, SymbolRef):
        found = list(_linked_refs_from(snapshot, node))
        yield from found
        number = len(found)
    yield from refs_of_edges(derived_edges_of(snapshot, node, kinds), number)


def _edge_refs_to(snapshot: Snapshot, node: SymbolRef | DerivedNode, kinds: Collection[str] = ()) -> Iterator[EdgeRef]:
    """`kinds`: others may be left out."""
    number = 0
    if isinstance(node, SymbolRef):
        for ref in _linked_refs_to(snapshot, node, kinds):
            yield ref
            number += 1
    yield from refs_of_edges(derived_edges_to(snapshot, node, kinds), number)


def edges_of_links(snapshot: Snapshot, path: FilePath) -> Iterator[RawEdge]:
    """Every edge of one file that links give."""
    return FileEdges(snapshot, path).edges()


def _linked_refs_to(snapshot: Snapshot, node: SymbolRef, kinds: Collection[str] = ()) -> Iterator[EdgeRef]:
    """Those that links give. `kinds`: others may be left out."""
    if not snapshot.shards[node.file].language:
        return
    number = 0
    mentions = files_mentioning(snapshot, node, ends_of(snapshot, node))
    symbol = symbol_of(snapshot, node)
    for path in mentions.files:
        table = cached_table(snapshot, path) or wanted_table(snapshot, path, edges_of_links)
        spend()
        if table is not None:
            rows = rows_to(table, node, symbol)
            yield from refs_to(table, node, rows, number)
            number += len(rows)
            continue
        names = tuple(mentions.names_in(path)) if node.definition >= 0 and path in mentions.unsure else ()
        edges = list(FileEdges(snapshot, path, target=node, names=names, kinds=kinds).edges())
        yield from refs_of_edges(edges, number)
        number += len(edges)


def prepare(snapshot: Snapshot, stop: Callable[[], bool]) -> Iterator[tuple[FilePath, EdgeTable]]:
    """Packs the edges of files whose links are known, until `stop` says so; gives each table that it made."""
    return edge_table.prepare(snapshot, lambda path: edges_of_links(snapshot, path), stop)
