"""Paths: graph/trace and graph/impact.

Owns: the params as routes and changes.
Must not know: how paths are found.
Invariant: an answer that gave up says so.
"""

from __future__ import annotations

from graphls.graph.diagnoses import diagnostic_counts
from graphls.lsp.from_proto import Context, subject, to_proto
from graphls.lsp.messages import ImpactResult, PathView, TraceResult
from graphls.lsp.params import ImpactParams, TraceParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.verification import reported_near, settled_near
from graphls.lsp.views import affected_views, edge_view, id_of, listing, node_view
from graphls.queries.graph_kinds import edge_kinds, effect_kinds
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.impact_view import by_depth, communities_of, passing_names
from graphls.queries.trace import FLOW, TraceQuery, steps_within, trace


@custom("graph/trace", TraceParams, TraceResult)
def traced(context: Context, params: TraceParams) -> TraceResult:
    """How one node reaches another."""
    depth = steps_within(params.depth, has_target=params.target is not None)
    context = settled_near(context, params.source, params.direction, depth)
    proto = to_proto(context)
    route = TraceQuery(
        source=subject(context, proto, params.source),
        target=subject(context, proto, params.target) if params.target else None,
        direction=params.direction,
        kinds=edge_kinds(params.kinds) or FLOW,
        depth=depth,
        paths=params.paths,
        min_confidence=params.min_confidence,
    )
    found = trace(context.snapshot, route)
    return TraceResult(
        **listing(proto, found.coverage, params.unresolved),
        paths=[
            PathView(
                nodes=[id_of(context.snapshot, node) for node in path.nodes],
                edges=[edge_view(proto, edge, sites=params.include_sites) for edge in path.edges],
                confidence=path.confidence,
                parallel=[edge_view(proto, edge, sites=params.include_sites) for edge in path.parallel],
            )
            for path in found.paths
        ],
        nodes=[node_view(proto, node) for node in dict.fromkeys(node for path in found.paths for node in path.nodes)],
        visited=found.visited,
        exhausted=found.exhausted,
    )


@custom("graph/impact", ImpactParams, ImpactResult)
def reached(context: Context, params: ImpactParams) -> ImpactResult:
    """What a change may reach."""
    context = reported_near(context, params, "in" if params.direction == "upstream" else "out", params.depth)
    proto = to_proto(context)
    change = ImpactQuery(
        target=subject(context, proto, params),
        stream=params.direction,
        depth=params.depth,
        kinds=effect_kinds(params.kinds),
        min_confidence=params.min_confidence,
        tests=params.include_tests,
        limit=params.limit,
        edges=params.edges,
    )
    found = impact(context.snapshot, change)
    passing, touched = passing_names(context.snapshot, found), communities_of(context.snapshot, found)
    return ImpactResult(
        **listing(proto, found.coverage, params.unresolved),
        seeds=[node_view(proto, seed) for seed in found.seeds],
        affected=affected_views(proto, found.affected),
        edges=[edge_view(proto, edge, sites=params.include_sites) for edge in found.edges],
        edges_omitted=found.edges_omitted,
        diagnostics=sum(diagnostic_counts(context.snapshot, found.seeds).values()),
        tests=[id_of(context.snapshot, one.node) for one in found.affected if one.kind == "test"],
        routes=[id_of(context.snapshot, one.node) for one in found.entries],
        processes=None if passing is None else list(passing),
        communities=None if touched is None else list(touched),
        packages=list(found.packages),
        by_depth=None if found.coverage.truncated else list(by_depth(found.affected)),
        importers=None if found.coverage.truncated else len(found.importers),
    )


FEATURES: tuple[Declaration, ...] = (traced, reached)
