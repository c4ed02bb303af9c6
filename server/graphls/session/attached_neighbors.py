"""Attached neighbors: findings, decisions, owners, clones and the like around nodes of the graph.

Owns: which kinds of edges these have, which records are made for a question that names some.
Must not know: how records are found, faces.
Invariant: an edge is given with the nodes at both of its ends; what lacks its input is refused, never none.

A walk does not meet these edges, since their making may take seconds: who names their kind asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from graphls.graph.edge_records import AttachedEdge
from graphls.graph.edge_refs import Node as GraphNode
from graphls.graph.export import ExportOptions
from graphls.graph.node_records import end_record
from graphls.graph.records import Edge, Node
from graphls.graph.snapshot import Snapshot
from graphls.queries.neighborhood import Neighborhood, NeighborhoodQuery
from graphls.queries.node_views import EdgeView, NodeView, Presenter
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.derived_records import with_derived
from graphls.session.health_report import HealthSources

RECORDS: Final[Mapping[str, str]] = {
    "evidences": "findings",
    "governed_by": "decisions",
    "rationale_for": "decisions",
    "similar_to": "clones",
    "dispatches_on": "dispatches",
    "matches_pattern": "dispatches",
    "owned_by": "history",
    "co_changes_with": "history",
    "covered_by": "coverage",
    "step_of": "processes",
    "member_of": "communities",
}
"""Kinds of edges that no walk meets, and the records that have them."""


@attrs.frozen
class AttachedNeighbor:
    """A node at the end of such an edge: a record of its own, or a node of the graph that the walk did not reach."""

    depth: int
    node: Node | GraphNode


@attrs.frozen
class AttachedNeighbors:
    """Nodes that were not reached otherwise, and the edges to them."""

    nodes: tuple[AttachedNeighbor, ...] = ()
    edges: tuple[Edge, ...] = ()

    def node_views(self, things: Presenter) -> tuple[tuple[int, NodeView], ...]:
        """As faces for people and agents show them, each with its depth."""
        return tuple(
            (one.depth, _node_view(one.node) if isinstance(one.node, Node) else things.node(one.node))
            for one in self.nodes
        )

    def records(self, snapshot: Snapshot) -> tuple[Node, ...]:
        """As an export has the nodes."""
        return tuple(one.node if isinstance(one.node, Node) else end_record(snapshot, one.node) for one in self.nodes)

    def edge_views(self, nodes: Iterable[NodeView]) -> tuple[EdgeView, ...]:
        """Likewise; `nodes`: all that are in the answer."""
        symbols = {node.id: node.symbol for node in nodes}
        return tuple(_edge_view(edge, symbols) for edge in self.edges)


def attached_neighbors(
    snapshot: Snapshot, sources: HealthSources, query: NeighborhoodQuery, found: Neighborhood
) -> AttachedNeighbors:
    """The edges of kinds that a query names, at nodes that its walk reached. Raises BadRequest, NoHistory and
    CoverageRefused."""
    wanted = list(dict.fromkeys(name for kind, name in RECORDS.items() if kind in query.edge_kinds))
    if not wanted:
        return AttachedNeighbors()
    made = with_derived(ExportOptions(), snapshot, sources, wanted)
    reached = {found.root: 0, **{near.node: near.depth for near in found.nodes}}
    depths = {end_record(snapshot, node).id: depth for node, depth in reached.items()}
    own = {attached.node.id: attached.node for attached in made.attached}
    nodes: dict[str, AttachedNeighbor] = {}
    edges: dict[str, Edge] = {}
    for tie in (*(tie for one in made.attached for tie in one.edges), *(tie for _, tie in made.ties)):
        edge = tie.edge
        if edge.kind in query.edge_kinds and _is_followed(edge, depths, query):
            edges[edge.id] = edge
            near = min(depths[id] for id in (edge.source, edge.target) if id in depths)
            for id in (edge.source, edge.target):
                if id not in depths and id not in nodes:
                    nodes[id] = AttachedNeighbor(near + 1, _end(snapshot, own, tie, id))
    return AttachedNeighbors(tuple(sorted(nodes.values(), key=lambda one: one.depth)), tuple(edges.values()))


def _is_followed(edge: Edge, depths: Mapping[str, int], query: NeighborhoodQuery) -> bool:
    """Whether a walk that has so many steps, in this direction, would go along an edge."""
    near = ((edge.source, "out"), (edge.target, "in"))
    return edge.confidence >= query.min_confidence and any(
        depths.get(id, query.depth) < query.depth and query.direction in ("both", direction) for id, direction in near
    )


def _end(snapshot: Snapshot, own: Mapping[str, Node], tie: AttachedEdge, id: str) -> Node | GraphNode:
    if id in own:
        return own[id]
    if tie.end is not None and end_record(snapshot, tie.end).id == id:
        return tie.end
    return one_symbol(snapshot, id)


def _node_view(node: Node) -> NodeView:
    where = node.range
    return NodeView(
        id=node.id,
        symbol=node.qualified_name or node.name,
        kind=node.kind,
        subkind=node.subkind,
        name=node.name,
        file=node.file,
        line=where[0] + 1 if where else None,
        column=where[1] + 1 if where else None,
        end_line=node.full_range[2] + 1 if node.full_range else None,
        signature=node.signature,
        doc=node.doc,
        visibility=node.visibility,
        provenance=node.provenance,
    )


def _edge_view(edge: Edge, symbols: Mapping[str, str]) -> EdgeView:
    return EdgeView(
        kind=edge.kind,
        source=symbols.get(edge.source, ""),
        target=symbols.get(edge.target, ""),
        source_id=edge.source,
        target_id=edge.target,
        provenance=edge.provenance,
        resolution=edge.resolution,
        confidence=edge.confidence,
        ambiguous=edge.ambiguous,
        sites=(),
        site_count=edge.site_count,
        attributes={name: value for name, value in edge.attributes.items() if isinstance(value, (str, bool))},
    )
