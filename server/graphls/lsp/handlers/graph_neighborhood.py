"""Near: graph/neighborhood and graph/node.

Owns: the params as a reach.
Must not know: how edges are found.
Invariant: every id of an edge is that of a node in the same answer.
"""

from __future__ import annotations

from graphls.graph.records import Node
from graphls.lsp.from_proto import Context, subject, to_proto
from graphls.lsp.messages import EdgeGroupView, NeighborhoodResult, NodeResult
from graphls.lsp.params import NeighborhoodParams, NodeParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.verification import reported_near
from graphls.lsp.views import edge_record_view, edge_ref_view, edge_view, ends, listing, node_view, record_view
from graphls.queries.graph_kinds import edge_kinds, node_kinds
from graphls.queries.neighborhood import NeighborhoodQuery, neighborhood
from graphls.queries.node import node
from graphls.session.attached_neighbors import attached_neighbors
from graphls.session.health_report import HealthSources


@custom("graph/neighborhood", NeighborhoodParams, NeighborhoodResult)
def near(context: Context, params: NeighborhoodParams) -> NeighborhoodResult:
    """The graph around a subject."""
    context = reported_near(context, params, params.direction, params.depth)
    proto = to_proto(context)
    reach = NeighborhoodQuery(
        depth=params.depth,
        direction=params.direction,
        edge_kinds=edge_kinds(params.edge_kinds),
        node_kinds=node_kinds(params.node_kinds),
        min_confidence=params.min_confidence,
        provenance=frozenset(params.provenance),
        limit=params.limit,
        cursor=params.cursor,
        ranked=params.ranked,
    )
    found = neighborhood(context.snapshot, subject(context, proto, params), reach)
    session = context.session.session
    sources = HealthSources(session.workspace, session.settings, session.store)
    attached = attached_neighbors(context.snapshot, sources, reach, found)
    return NeighborhoodResult(
        **listing(proto, found.coverage, params.unresolved),
        root=node_view(proto, found.root, 0),
        nodes=[
            *(node_view(proto, near.node, near.depth) for near in found.nodes),
            *(
                record_view(proto, one.node, one.depth)
                if isinstance(one.node, Node)
                else node_view(proto, one.node, one.depth)
                for one in attached.nodes
            ),
        ],
        edges=[
            *(edge_ref_view(proto, lead, sites=params.include_sites) for lead in found.edge_refs),
            *(edge_record_view(proto, edge) for edge in attached.edges),
        ],
        total=found.total,
    )


@custom("graph/node", NodeParams, NodeResult)
def one(context: Context, params: NodeParams) -> NodeResult:
    """A node with its members and direct edges."""
    context = reported_near(context, params)
    proto = to_proto(context)
    found = node(context.snapshot, subject(context, proto, params), params.limit)
    touching = [edge for group in found.groups for edge in group.edges]
    return NodeResult(
        **listing(proto, found.coverage, params.unresolved),
        node=node_view(proto, found.place),
        members=[node_view(proto, member) for member in found.members],
        edges=[
            EdgeGroupView(
                kind=group.kind,
                direction="in" if group.incoming else "out",
                count=group.count,
                edges=[edge_view(proto, edge, sites=params.include_sites) for edge in group.edges],
            )
            for group in found.groups
        ],
        nodes=[node_view(proto, other) for other in ends(touching, found.place)],
    )


FEATURES: tuple[Declaration, ...] = (near, one)
