"""Neighborhood: what is around a node, step by step.

Owns: breadth-first order, filters, limits, pages.
Must not know: records, LSP types, how edges are made.
Invariant: the order is a function of the snapshot and the request: among the edges of a node, what leads to files of
    tools comes last; what was left out is said.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Literal

import attrs

from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import (
    STRUCTURE,
    EdgeRef,
    Key,
    Node,
    derived_among,
    edge_of_ref,
    is_structure,
    is_whole_file,
    key_of,
    node_of,
)
from graphls.graph.edge_table import site_count
from graphls.graph.edges import RawEdge, edge_refs_at
from graphls.graph.errors import BadRequest
from graphls.graph.made_by_tool import comes_last
from graphls.graph.node_records import external_kind
from graphls.graph.node_table import record_kind
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget, spend, spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage, coverage_for
from graphls.queries.completeness import NOTHING_CLAIMED, CoverageClaim, sites_of
from graphls.queries.dispatch import DispatchWalk

Direction = Literal["in", "out", "both"]

_target, _source = attrgetter("target_key"), attrgetter("source_key")
MAX_DEPTH = 5
MAX_LIMIT = 2_000
_IN_WORDS = 0.15
"""Part of the time of a request that so many nodes are put into words in, with the edges between them."""


@attrs.frozen
class NeighborhoodQuery:
    """How far to go, and through what. Empty sets mean: no restriction."""

    depth: int = 1
    direction: Direction = "both"
    edge_kinds: frozenset[str] = frozenset()
    node_kinds: frozenset[str] = frozenset()
    min_confidence: float = 0.0
    provenance: frozenset[str] = frozenset()
    limit: int = 200
    cursor: str = ""
    ranked: bool = False
    """In each step what is used most comes first; what pictures hide at first comes last of all: nodes that only
    structure leads to, bindings of imports, and what is outside the workspace."""

    @property
    def goes_everywhere(self) -> bool:
        """No edge and no node is left out."""
        return not (self.edge_kinds or self.node_kinds or self.provenance or self.min_confidence > 0)


@attrs.frozen
class NearNode:
    """A node and its distance from the root."""

    node: Node
    depth: int


@attrs.frozen
class Neighborhood:
    """Nodes in breadth-first order without the root, and the edges that were walked between those shown."""

    root: SymbolRef | DerivedNode
    nodes: tuple[NearNode, ...]
    edge_refs: tuple[EdgeRef, ...]
    coverage: Coverage
    _snapshot: Snapshot
    total: int | None = None
    """Ranked: how many nodes there are beside those that come last. None: nobody counted them."""

    @property
    def edges(self) -> tuple[RawEdge, ...]:
        """What the leads lead to, made when asked for."""
        return tuple(edge_of_ref(self._snapshot, ref) for ref in self.edge_refs)


def neighborhood(snapshot: Snapshot, root: SymbolRef | DerivedNode, query: NeighborhoodQuery) -> Neighborhood:
    """The part of the graph around a root."""
    first = _page_start(query.cursor)
    if not 1 <= query.depth <= MAX_DEPTH:
        raise BadRequest(f"depth is from 1 to {MAX_DEPTH}.")
    limit = min(max(query.limit, 1), MAX_LIMIT)
    walk = _NeighborhoodWalk(snapshot, root, query, MAX_LIMIT if query.ranked else first + limit)
    with contextlib.suppress(BudgetSpentError), PartOfBudget(1 - _IN_WORDS * limit / MAX_LIMIT):
        walk.run()
    stopped = walk.stopped or bool(spent_reason())
    found, main = _ranked(snapshot, walk) if query.ranked else (walk.nodes, None)
    page = found[first : first + limit]
    nodes = [NearNode(node_of(key), depth) for key, depth in page]
    visible = {key_of(root), *(key for key, _ in page)}
    between = tuple(ref for ref in walk.edge_refs if ref.source_key in visible and ref.target_key in visible)
    more = stopped or len(walk.nodes) > first + limit
    # Where the walk stopped nobody knows how many more there are.
    omitted = 0 if stopped else max(len(walk.nodes) - first - limit, 0)
    cursor = str(first + len(page)) if more else ""
    claim = attrs.evolve(_claim(root, walk.expanded, query), shown=sites_of(derived_among(between)))
    coverage = coverage_for(snapshot, claim, truncated=more, omitted=omitted, cursor=cursor, empty=not nodes)
    return Neighborhood(root, tuple(nodes), between, coverage, snapshot, None if stopped else main)


def _ranked(snapshot: Snapshot, walk: _NeighborhoodWalk) -> tuple[Sequence[tuple[Key, int]], int]:
    """The nodes of a walk in the order of `NeighborhoodQuery.ranked`, and how many do not come last."""
    uses: Counter[Key] = Counter()
    for ref in walk.edge_refs:
        if not is_structure(ref):
            count = len(ref.origin.sites) if isinstance(ref.origin, RawEdge) else site_count(ref.origin, ref.row)
            for end in (ref.source_key, ref.target_key):
                uses[end] += max(count, 1)

    def is_last(key: Key) -> bool:
        node = node_of(key)
        return isinstance(node, str) or not uses[key] or kind_name(snapshot, node) == "import"

    last = {key for key, _ in walk.nodes if is_last(key)}
    # Sorting is stable: what is used as often stays in the order of the walk.
    ordered = sorted(walk.nodes, key=lambda one: (one[0] in last, one[1], -uses[one[0]]))
    return ordered, len(ordered) - len(last)


def steps(snapshot: Snapshot, node: Node, direction: Direction) -> Iterator[tuple[RawEdge, Node]]:
    """Edges at a node with the node at their other end, in a fixed order."""
    for ref, other in refs_at(snapshot, node, direction):
        yield edge_of_ref(snapshot, ref), node_of(other)


def refs_at(snapshot: Snapshot, node: Node, direction: Direction) -> Iterator[tuple[EdgeRef, Key]]:
    """The same without making edges and nodes."""
    if isinstance(node, str):
        return
    if direction in ("out", "both"):
        found = edge_refs_at(snapshot, node, incoming=False)
        yield from zip(found, map(_target, found), strict=True)
    if direction in ("in", "both"):
        found = edge_refs_at(snapshot, node, incoming=True)
        yield from zip(found, map(_source, found), strict=True)


def passes(edge: RawEdge | EdgeRef, query: NeighborhoodQuery) -> bool:
    """Whether a walk may use an edge."""
    confidence = edge.confidence if isinstance(edge, RawEdge) else -edge.negative_confidence
    return (
        (not query.edge_kinds or edge.kind in query.edge_kinds)
        and (not query.provenance or edge.provenance in query.provenance)
        and confidence >= query.min_confidence
    )


def kind_name(snapshot: Snapshot, node: Node) -> str:
    """Kind of a node as records spell it."""
    if isinstance(node, str):
        return external_kind(snapshot, node)
    if isinstance(node, DerivedNode):
        return node.kind
    return record_kind(snapshot, node) if snapshot.shards[node.file].language else "file"


class _NeighborhoodWalk:
    """One breadth-first walk that stops when it has seen enough."""

    def __init__(
        self, snapshot: Snapshot, root: SymbolRef | DerivedNode, query: NeighborhoodQuery, enough: int
    ) -> None:
        self._snapshot = snapshot
        self._reach = query
        self._enough = enough
        self._free = query.goes_everywhere
        self._numbers: dict[Key, int] = {key_of(root): -1}
        """Places in `nodes`; only edges between the first `enough` of them are ever shown."""
        self._known_refs: set[tuple[Key, Key, str, str]] = set()
        one_way = query.direction != "both" and query.depth > 1
        self._dispatch = DispatchWalk(snapshot, query.direction, self._numbers) if one_way else None
        """In both directions each edge is walked as it is, those of members that override others among them."""
        self._of_tools: dict[str, bool] = {}
        """Whether the file of a name comes last."""
        self._again: list[Key] = []
        """Nodes to look at once more, one step further out than they are."""
        self.nodes: list[tuple[Key, int]] = []
        """With their distance from the root."""
        self.edge_refs: list[EdgeRef] = []
        self.expanded: list[Key] = []
        """Nodes whose edges were looked at."""
        self.stopped = False

    def run(self) -> None:
        frontier: list[Key] = list(self._numbers)
        for depth in range(1, self._reach.depth + 1):
            first = len(self.nodes)
            for key in frontier:
                if len(self.nodes) > self._enough:
                    self.stopped = True
                    return
                spend()
                self._expand(key, depth)
            if depth < self._reach.depth:
                # A module holds and serves what has nothing else in common: a walk ends there, unless it began there.
                frontier = [key for key, _ in self.nodes[first:] if not is_whole_file(key)]
                frontier += self._again
                self._again = []

    def _expand(self, key: Key, depth: int) -> None:
        free, enough, numbers, nodes = self._free, self._enough, self._numbers, self.nodes
        self.expanded.append(key)
        for ref, other in self._own_first(self._leads(key)):
            if not (free or (passes(ref, self._reach) and self._is_selected(other))):
                continue
            number = numbers.get(other)
            if self._dispatch is not None and self._dispatch.reach(ref, other) and number is not None:
                self._again.append(other)
            if number is None:
                number = numbers[other] = len(nodes)
                nodes.append((other, depth))
            if number >= enough:
                continue
            known = (ref.source_key, ref.target_key, ref.kind, ref.provenance)
            if known not in self._known_refs:
                self._known_refs.add(known)
                self.edge_refs.append(ref)

    def _own_first(self, leads: Iterator[tuple[EdgeRef, Key]]) -> Iterator[tuple[EdgeRef, Key]]:
        """What people of the project wrote before what is generated or vendored."""
        late: list[tuple[EdgeRef, Key]] = []
        for step in leads:
            if self._is_of_tool(step[1]):
                late.append(step)
            else:
                yield step
        yield from late

    def _is_of_tool(self, key: Key) -> bool:
        if isinstance(key, DerivedNode):
            return False
        known = self._of_tools.get(key[0])
        if known is None:
            node = node_of(key)
            known = isinstance(node, SymbolRef) and comes_last(self._snapshot, node.file)
            self._of_tools[key[0]] = known
        return known

    def _leads(self, key: Key) -> Iterator[tuple[EdgeRef, Key]]:
        """Edges at a node; on a walk one way also those to members that may run where it is called, and back."""
        found, dispatch = refs_at(self._snapshot, node_of(key), self._reach.direction), self._dispatch
        if dispatch is None:
            yield from found
            return
        yield from (step for step in found if dispatch.admits(key, step[0]))
        yield from dispatch.steps(key)

    def _is_selected(self, key: Key) -> bool:
        kinds = self._reach.node_kinds
        return not kinds or key in self._numbers or kind_name(self._snapshot, node_of(key)) in kinds


def _claim(root: SymbolRef | DerivedNode, expanded: Sequence[Key], query: NeighborhoodQuery) -> CoverageClaim:
    """All edges at the nodes that a walk went on from, unless it follows only those that no use of a name makes."""
    if query.edge_kinds and query.edge_kinds <= STRUCTURE:
        return NOTHING_CLAIMED
    places = tuple(node for key in expanded if isinstance(node := node_of(key), SymbolRef))
    entries = (root,) if isinstance(root, DerivedNode) and root.in_document and query.direction != "out" else ()
    used, using = query.direction != "out", query.direction != "in"
    return CoverageClaim(places if used else (), places if using else (), entries)


def _page_start(cursor: str) -> int:
    if cursor and not (cursor.isdigit() and len(cursor) < 9):
        raise BadRequest("The cursor is not one that an answer gave; ask again without it.")
    return int(cursor or 0)
