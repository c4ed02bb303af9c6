"""Node: one node with its members and the edges that touch it.

Owns: grouping of direct edges by kind and direction, members, caps.
Must not know: records, LSP types.
Invariant: counts are of all edges, lists are capped and say so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import attrs

from graphls.graph.derivation import DERIVED, DerivedNode
from graphls.graph.derived_edges import derived_edges_of, derived_edges_to
from graphls.graph.edge_refs import edge_order, is_structure
from graphls.graph.edges import RawEdge, linked_edges_of, linked_edges_to
from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import container, is_node
from graphls.graph.request_budget import BudgetSpentError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, coverage_for
from graphls.queries.completeness import CoverageClaim, sites_of
from graphls.queries.document_uses import entries_inside
from graphls.queries.redeclarations import redeclarations

MAX_MEMBERS = 500
_Place = TypeVar("_Place", bound="SymbolRef | DerivedNode")


@attrs.frozen
class EdgesOfKind:
    """Edges of one kind in one direction."""

    kind: str
    incoming: bool
    count: int
    edges: tuple[RawEdge, ...]


@attrs.frozen
class NodeAnswer(Generic[_Place]):
    """The node, what it holds, what touches it."""

    place: _Place
    members: tuple[SymbolRef | DerivedNode, ...]
    groups: tuple[EdgesOfKind, ...]
    coverage: Coverage


def node(snapshot: Snapshot, place: _Place, limit: int = 50) -> NodeAnswer[_Place]:
    """Everything directly about a node."""
    members = _members(snapshot, place)
    places = redeclarations(snapshot, place) if isinstance(place, SymbolRef) else ()
    same: Sequence[SymbolRef | DerivedNode] = places or (place,)
    outgoing, incoming = _edges(snapshot, same)
    groups = (
        *_groups(snapshot, outgoing, limit, incoming=False),
        *_groups(snapshot, incoming, limit, incoming=True),
    )
    omitted = sum(group.count - len(group.edges) for group in groups) + max(len(members) - MAX_MEMBERS, 0)
    claim = CoverageClaim(places, places, shown=sites_of(edge for edge in incoming if edge.provenance == DERIVED))
    claim = CoverageClaim(entries=(place,)) if isinstance(place, DerivedNode) else claim
    coverage = coverage_for(snapshot, claim, truncated=omitted > 0, omitted=omitted)
    return NodeAnswer(place, members[:MAX_MEMBERS], groups, coverage)


def _edges(snapshot: Snapshot, same: Sequence[SymbolRef | DerivedNode]) -> tuple[Sequence[RawEdge], Sequence[RawEdge]]:
    """The edges that start at a symbol and those that end there. What links give comes first from both ends: the rest
    may take more work than the request may do."""
    outgoing, incoming = _EdgesOfPlaces(same, incoming=False), _EdgesOfPlaces(same, incoming=True)
    with contextlib.suppress(BudgetSpentError):
        outgoing.add(lambda place: linked_edges_of(snapshot, place))
        incoming.add(lambda place: linked_edges_to(snapshot, place))
        outgoing.add(lambda place: derived_edges_of(snapshot, place))
        incoming.add(lambda place: derived_edges_to(snapshot, place))
    return outgoing.found, incoming.found


class _EdgesOfPlaces:
    """The edges of a symbol, the first of its places first: what several of them say is said once."""

    def __init__(self, same: Sequence[SymbolRef | DerivedNode], *, incoming: bool) -> None:
        self._same = same
        self._incoming = incoming
        self._seen: dict[tuple[str, SymbolRef | DerivedNode | str], int] = {}
        self.found: list[RawEdge] = []

    def add(self, edges_at: Callable[[SymbolRef | DerivedNode], Iterable[RawEdge]]) -> None:
        """More of them; where the budget of the request ends the search, those that came before."""
        for number, place in enumerate(self._same):
            for edge in edges_at(place):
                other = edge.source if self._incoming else edge.target
                if number and (other in self._same or is_structure(edge)):
                    continue
                if self._seen.setdefault((edge.kind, other), number) == number:
                    self.found.append(edge)


def _groups(snapshot: Snapshot, edges: Iterable[RawEdge], limit: int, *, incoming: bool) -> tuple[EdgesOfKind, ...]:
    """Edges by kind; those of files that tools or others made come last."""

    def rank(edge: RawEdge) -> tuple[bool, float, str, tuple[str, int], tuple[str, int]]:
        other = edge.source if incoming else edge.target
        return isinstance(other, SymbolRef) and comes_last(snapshot, other.file), *edge_order(edge)

    by_kind: dict[str, list[RawEdge]] = {}
    for edge in sorted(edges, key=rank):
        by_kind.setdefault(edge.kind, []).append(edge)
    return tuple(
        EdgesOfKind(kind, incoming, len(found), tuple(found[:limit])) for kind, found in sorted(by_kind.items())
    )


def _members(snapshot: Snapshot, place: SymbolRef | DerivedNode) -> tuple[SymbolRef | DerivedNode, ...]:
    if isinstance(place, DerivedNode):
        return tuple(entries_inside(snapshot, place))
    if not snapshot.shards[place.file].language:
        return ()
    facts = snapshot.facts(place.file)
    rows = range(len(facts.definitions))
    inside = (row for row in rows if container(facts, row) == place.definition and is_node(facts, row))
    return tuple(SymbolRef(place.file, row) for row in inside)
