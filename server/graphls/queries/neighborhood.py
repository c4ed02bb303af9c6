"""Neighborhood: what is around a node, step by step.

Owns: breadth-first order, filters, limits, pages.
Must not know: records, LSP types, how edges are made.
Invariant: the order is a function of the snapshot and the request; what was left out is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import attrs

from graphls.facts.columns import NONE
from graphls.graph.derivation import Derived
from graphls.graph.edges import RawEdge, edges_of, edges_to
from graphls.graph.errors import BadRequest
from graphls.graph.nodes import kind_of
from graphls.graph.snapshot import Place, Snapshot
from graphls.queries.answer import Coverage

Direction = Literal["in", "out", "both"]
Node = Place | Derived | str
"""A place, what is derived from code, or the dotted name of something outside the workspace."""

MAX_DEPTH = 5
MAX_LIMIT = 2_000


@attrs.frozen
class Reach:
    """How far to go, and through what. Empty sets mean: no restriction."""

    depth: int = 1
    direction: Direction = "both"
    edge_kinds: frozenset[str] = frozenset()
    node_kinds: frozenset[str] = frozenset()
    min_confidence: float = 0.0
    provenance: frozenset[str] = frozenset()
    limit: int = 200
    cursor: str = ""


@attrs.frozen
class Near:
    """A node and its distance from the root."""

    node: Node
    depth: int


@attrs.frozen
class Neighborhood:
    """Nodes in breadth-first order without the root, and the edges that were walked between those shown."""

    root: Place
    nodes: tuple[Near, ...]
    edges: tuple[RawEdge, ...]
    coverage: Coverage


def neighborhood(snapshot: Snapshot, root: Place, reach: Reach) -> Neighborhood:
    """The part of the graph around a root."""
    first = _page_start(reach.cursor)
    if not 1 <= reach.depth <= MAX_DEPTH:
        raise BadRequest(f"depth is from 1 to {MAX_DEPTH}.")
    limit = min(max(reach.limit, 1), MAX_LIMIT)
    walk = _Walk(snapshot, root, reach, first + limit)
    walk.run()
    nodes = walk.nodes[first : first + limit]
    shown = {root, *(near.node for near in nodes)}
    edges = tuple(edge for edge in walk.edges if edge.source in shown and edge.target in shown)
    more = walk.stopped or len(walk.nodes) > first + limit
    omitted = max(len(walk.nodes) - first - limit, 0)
    return Neighborhood(
        root, tuple(nodes), edges, Coverage(truncated=more, omitted=omitted, cursor=str(first + limit) if more else "")
    )


def steps(snapshot: Snapshot, node: Node, direction: Direction) -> Iterator[tuple[RawEdge, Node]]:
    """Edges at a node with the node at their other end, in a fixed order."""
    if isinstance(node, str):
        return
    if direction in ("out", "both"):
        for edge in sorted(edges_of(snapshot, node), key=edge_order):
            yield edge, edge.target
    if direction in ("in", "both"):
        for edge in sorted(edges_to(snapshot, node), key=edge_order):
            yield edge, edge.source


def edge_order(edge: RawEdge) -> tuple[object, ...]:
    """Surest first, then by kind and ends."""
    return -edge.confidence, edge.kind, *node_order(edge.target), *node_order(edge.source)


def node_order(node: Node) -> tuple[str, int]:
    """By file and position; names outside the workspace by name, behind a mark no path begins with."""
    if isinstance(node, Derived):
        return f"{node.file}\0{node.kind} {node.name}", node.start
    return (f"\x7f{node}", -1) if isinstance(node, str) else (node.file, node.definition)


def passes(edge: RawEdge, reach: Reach) -> bool:
    """Whether a walk may use an edge."""
    return (
        (not reach.edge_kinds or edge.kind in reach.edge_kinds)
        and (not reach.provenance or edge.provenance in reach.provenance)
        and edge.confidence >= reach.min_confidence
    )


def kind_name(snapshot: Snapshot, node: Node) -> str:
    """Kind of a node as records spell it."""
    if isinstance(node, str):
        return "external"
    if isinstance(node, Derived):
        return node.kind
    shard = snapshot.shards[node.file]
    return kind_of(snapshot.facts(node.file), node.file, node.definition).kind if shard.language else "file"


class _Walk:
    """One breadth-first walk that stops when it has seen enough."""

    def __init__(self, snapshot: Snapshot, root: Place, reach: Reach, enough: int) -> None:
        self._snapshot = snapshot
        self._reach = reach
        self._enough = enough
        self._depths: dict[Node, int] = {root: 0}
        self._known_edges: set[tuple[Node, Node, str, str]] = set()
        self.nodes: list[Near] = []
        self.edges: list[RawEdge] = []
        self.stopped = False

    def run(self) -> None:
        frontier: list[Node] = list(self._depths)
        for depth in range(1, self._reach.depth + 1):
            following: list[Node] = []
            for node in frontier:
                if len(self.nodes) > self._enough:
                    self.stopped = True
                    return
                following.extend(self._expand(node, depth))
            frontier = [node for node in following if not _gathers(node)]

    def _expand(self, node: Node, depth: int) -> Iterator[Node]:
        for edge, other in steps(self._snapshot, node, self._reach.direction):
            if not passes(edge, self._reach) or not self._is_wanted(other):
                continue
            key = (edge.source, edge.target, edge.kind, edge.provenance)
            if key not in self._known_edges:
                self._known_edges.add(key)
                self.edges.append(edge)
            if other not in self._depths:
                self._depths[other] = depth
                self.nodes.append(Near(other, depth))
                yield other

    def _is_wanted(self, node: Node) -> bool:
        kinds = self._reach.node_kinds
        return not kinds or node in self._depths or kind_name(self._snapshot, node) in kinds


def _gathers(node: Node) -> bool:
    """A module holds and serves what has nothing else in common: a walk ends there, unless it began there."""
    return isinstance(node, Place) and node.definition == NONE


def _page_start(cursor: str) -> int:
    if cursor and not (cursor.isdigit() and len(cursor) < 9):
        raise BadRequest("The cursor is not one that an answer gave; ask again without it.")
    return int(cursor or 0)
