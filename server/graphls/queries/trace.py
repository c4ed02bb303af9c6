"""Trace: how one node reaches another.

Owns: shortest paths, alternatives of the same length, bounds.
Must not know: records, LSP types.
Invariant: every step of a path is an edge, those marked that lead to a member which only may run; a search that gave
    up says so, so "no path" is never a guess.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from itertools import chain, islice

import attrs

from graphls.facts.columns import NONE
from graphls.graph.edge_refs import Node, edge_of_ref, key_of, node_of
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import node_row
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget, spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, coverage_for
from graphls.queries.completeness import CoverageClaim
from graphls.queries.dispatch import NAMING, DispatchWalk
from graphls.queries.neighborhood import Direction, NeighborhoodQuery, passes, refs_at

MAX_PATHS = 20
MAX_VISITED = 4_000
MAX_DEPTH = 12
_ANYWHERE = 6
_PART_BEFORE_LINKS = 0.7
"""Of the budget of a request, for a way to a target. A search for calls of what places may hold can take all of it at
one node on the way: what is left is for a way that links alone give."""
FLOW = frozenset(
    {"calls", "instantiates", "accesses", "references", "type_ref", "extends", "implements", "decorates", "renders"}
)
_SAYS_MOST = ("calls", "instantiates", "renders", "decorates", "extends", "implements", "accesses", "type_ref")
"""Of several edges between two nodes a path has the one of the earliest kind."""


@attrs.frozen
class TraceQuery:
    """From where, to where (None: wherever it leads), through what."""

    source: SymbolRef
    target: SymbolRef | None = None
    direction: Direction = "out"
    kinds: frozenset[str] = FLOW
    depth: int | None = None
    """Steps of the longest path; None: `steps_within`."""
    paths: int = 5
    min_confidence: float = 0.0


def steps_within(depth: int | None, *, has_target: bool) -> int:
    """The depth that was asked for, or else one: a way to something goes through many layers of a program, while what
    is anywhere within so many steps is most of it."""
    return depth if depth is not None else MAX_DEPTH if has_target else _ANYWHERE


@attrs.frozen
class TracePath:
    """Edges from the source on; `confidence` is that of the weakest."""

    edges: tuple[RawEdge, ...]
    nodes: tuple[Node, ...]
    confidence: float
    parallel: tuple[RawEdge, ...] = ()
    """Further edges that lead from one of the nodes to the next: what is called may be handed on there, too."""


@attrs.frozen
class Trace:
    """Shortest paths first. `exhausted`: everything within the depth was visited, and nothing on the way is open."""

    paths: tuple[TracePath, ...]
    visited: int
    exhausted: bool
    coverage: Coverage


@attrs.frozen(eq=False)
class _SearchRecord:
    depths: dict[Node, int]
    """How far away nodes are."""
    expanded: list[SymbolRef]
    """Those whose edges were looked at."""
    loops: list[tuple[RawEdge, Node]]
    """Edges that lead back to where the search began, and where they come from: shortest ways round."""


_Parents = dict[Node, list[tuple[RawEdge, Node]]]
_Way = tuple[tuple[RawEdge, ...], tuple[Node, ...], tuple[RawEdge, ...]]
"""Edges, nodes and parallel edges of a path."""


def trace(snapshot: Snapshot, route: TraceQuery) -> Trace:
    """Paths of a route. Its ends may be any declaration of their symbols, an overload among them."""
    target = None if route.target is None else _node(snapshot, route.target)
    route = attrs.evolve(route, source=_node(snapshot, route.source), target=target)
    parents, seen = _begun(route)
    exhausted = False
    part = PartOfBudget(1.0 if route.target is None else _PART_BEFORE_LINKS)
    with contextlib.suppress(BudgetSpentError), part:
        exhausted = _search(snapshot, route, parents, seen)
    if part.is_spent and route.target is not None and not (seen.loops or route.target in parents):
        parents, seen = _begun(route)
        with contextlib.suppress(BudgetSpentError):
            _search(attrs.evolve(snapshot, derivation=None), route, parents, seen)
    loops, expanded = seen.loops, seen.expanded
    if route.target is None:
        inner = {node for entries in parents.values() for _, node in entries}
        ends = [node for node in parents if node not in inner and node != route.source]
    else:
        ends = [route.target] if route.target in parents and route.target != route.source else []
    limit = min(max(route.paths, 1), MAX_PATHS)
    ways = chain(_cycles(parents, loops, route), *(_paths(parents, end) for end in ends))
    found = list(islice(ways, limit + 1))
    more = max(len(found), len(ends)) > limit
    places = tuple(expanded)
    claim = CoverageClaim(places if route.direction != "out" else (), places if route.direction != "in" else ())
    # How many more paths there are nobody counts: of one pair of nodes there may be thousands.
    coverage = coverage_for(snapshot, claim, truncated=more or not (exhausted or found), empty=not found)
    coverage = attrs.evolve(coverage, exhausted=exhausted)
    known = exhausted and not coverage.completeness.gaps
    return Trace(tuple(found[:limit]), len(parents), known, coverage)


def _begun(route: TraceQuery) -> tuple[_Parents, _SearchRecord]:
    return {route.source: []}, _SearchRecord({route.source: 0}, [], [])


def _node(snapshot: Snapshot, place: SymbolRef) -> SymbolRef:
    """The declaration that has the edges of its symbol."""
    if place.definition == NONE:
        return place
    return SymbolRef(place.file, node_row(snapshot.facts(place.file), place.definition))


def _search(snapshot: Snapshot, route: TraceQuery, parents: _Parents, seen: _SearchRecord) -> bool:
    """Fill in every parent on a shortest way; False when the bounds ended the search."""
    depths = seen.depths
    walk = _Walk(snapshot, route)
    frontier: list[Node] = [route.source]
    longest = steps_within(route.depth, has_target=route.target is not None)
    for depth in range(1, min(max(longest, 1), MAX_DEPTH) + 1):
        following: list[Node] = []
        for node in frontier:
            if len(parents) > MAX_VISITED:
                return False
            spend()
            if isinstance(node, SymbolRef):
                seen.expanded.append(node)
            for edge, other, again in walk.steps(node):
                if other == route.source and _is_way_round(route, node):
                    seen.loops.append((edge, node))
                if again and depths.get(other, depth) < depth:
                    following.append(other)
                if depths.get(other, depth) != depth:
                    continue
                if other not in depths:
                    depths[other] = depth
                    following.append(other)
                parents.setdefault(other, []).append((edge, node))
        if route.target is not None and (seen.loops if route.target == route.source else route.target in depths):
            return True
        frontier = following
    return not frontier


def _is_way_round(route: TraceQuery, node: Node) -> bool:
    """What uses itself leads to itself. Longer ways round are for who asks for them; both ways there is always one."""
    return node == route.source or (route.target == route.source and route.direction != "both")


class _Walk:
    """The steps of one search."""

    def __init__(self, snapshot: Snapshot, route: TraceQuery) -> None:
        self._snapshot = snapshot
        self._direction: Direction = route.direction
        self._reach = NeighborhoodQuery(edge_kinds=route.kinds, min_confidence=route.min_confidence)
        self._sure = NeighborhoodQuery(min_confidence=route.min_confidence)
        # A call that may run another member is a call: who follows these follows it.
        self._dispatch = (
            DispatchWalk(snapshot, route.direction, (key_of(route.source),)) if route.kinds & NAMING else None
        )

    def steps(self, node: Node) -> Iterator[tuple[RawEdge, Node, bool]]:
        """Edges at a node that the route may use, the node at their other end, and whether that has to be looked at
        again if it was before."""
        dispatch = self._dispatch
        for lead, other in refs_at(self._snapshot, node, self._direction):
            if passes(lead, self._reach) and (dispatch is None or dispatch.admits(key_of(node), lead)):
                again = dispatch is not None and dispatch.reach(lead, other)
                yield edge_of_ref(self._snapshot, lead), node_of(other), again
        if dispatch is not None:
            for lead, other in dispatch.steps(key_of(node)):
                if passes(lead, self._sure):
                    yield edge_of_ref(self._snapshot, lead), node_of(other), False


def _paths(parents: _Parents, end: Node) -> Iterator[TracePath]:
    """Every shortest path to an end, one at a time."""
    stack: list[_Way] = [((), (end,), ())]
    while stack:
        edges, nodes, parallel = stack.pop()
        node = nodes[0]
        if not parents[node]:
            yield TracePath(edges, nodes, min((edge.confidence for edge in edges), default=1.0), parallel)
            continue
        between: dict[Node, list[RawEdge]] = {}
        for edge, before in parents[node]:
            between.setdefault(before, []).append(edge)
        for before, found in reversed(between.items()):
            first, *others = sorted(found, key=_rank)
            stack.append(((first, *edges), (before, *nodes), (*others, *parallel)))


def _cycles(parents: _Parents, loops: Sequence[tuple[RawEdge, Node]], route: TraceQuery) -> Iterator[TracePath]:
    """Shortest ways from the source to itself."""
    if route.target not in (None, route.source):
        return
    between: dict[Node, list[RawEdge]] = {}
    for edge, before in loops:
        if edge not in between.setdefault(before, []):
            between[before].append(edge)
    for before, found in between.items():
        first, *others = sorted(found, key=_rank)
        for way in _paths(parents, before):
            sure = min(way.confidence, first.confidence)
            yield TracePath((*way.edges, first), (*way.nodes, route.source), sure, (*others, *way.parallel))


def _rank(edge: RawEdge) -> int:
    return _SAYS_MOST.index(edge.kind) if edge.kind in _SAYS_MOST else len(_SAYS_MOST)
