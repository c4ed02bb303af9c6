"""Graph: names, neighbours, paths and shapes.

Owns: symbol_context, graph_find, graph_neighbors, graph_trace, graph_summary.
Must not know: how edges are found.
Invariant: every edge that is shown is one of the graph, with provenance and confidence.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from graphls.graph.edge_refs import Node
from graphls.graph.edges import RawEdge
from graphls.graph.snapshot import SymbolRef
from graphls.mcp.paging import Reply
from graphls.mcp.requests import GraphFind, GraphNeighbors, GraphSummary, GraphTrace, SymbolContext
from graphls.mcp.results import EdgeReply, FindReply, NeighborsReply, PathStep, SummaryReply, SymbolReply
from graphls.mcp.tool_catalog import ToolContext, ToolEntry
from graphls.queries.answer import answer
from graphls.queries.find import FindQuery, find
from graphls.queries.neighborhood import NearNode, NeighborhoodQuery, neighborhood
from graphls.queries.node import node
from graphls.queries.summary import summary
from graphls.queries.trace import FLOW, TraceQuery, trace
from graphls.queries.trace_view import TraceView, trace_view

_STRUCTURE = ("contains", "defines")
_MOST_SOURCE = 12_000


def about(context: ToolContext, request: SymbolContext) -> Reply:
    """Everything directly about one symbol."""
    place = context.subjects.place(request.symbol)
    context = context.verified(place)
    found = node(context.snapshot, place, request.limit)
    ties = [
        _tie(context, edge, incoming=group.incoming)
        for group in found.groups
        if group.kind not in _STRUCTURE
        for edge in group.edges
    ]
    contents = SymbolReply(
        node=context.things.node(found.place),
        source=_source(context, place) if request.include_source else None,
        members=tuple(context.things.node(member) for member in found.members),
        counts={f"{'in' if group.incoming else 'out'} {group.kind}": group.count for group in found.groups},
        ties=tuple(ties),
    )
    return Reply(answer(context.snapshot, found.coverage, listed=request.unresolved), contents, "ties")


def named(context: ToolContext, request: GraphFind) -> Reply:
    """Symbols by name."""
    found = find(context.snapshot, FindQuery(request.text, request.mode, frozenset(request.kinds), limit=request.limit))
    nodes = (*(match.place for match in found.matches), *found.derived)
    envelope = answer(context.snapshot, found.coverage, found.next_step)
    matches = tuple(context.things.node(node) for node in nodes)
    return Reply(envelope, FindReply(total=found.total, matches=matches), "matches")


def around(context: ToolContext, request: GraphNeighbors) -> Reply:
    """The graph around a symbol."""
    reach = NeighborhoodQuery(
        depth=request.depth,
        direction=request.direction,
        edge_kinds=frozenset(request.edge_kinds),
        node_kinds=frozenset(request.node_kinds),
        min_confidence=request.min_confidence,
        limit=request.limit,
    )
    place = context.subjects.place(request.symbol)
    context = context.verified(place, request.direction, request.depth)
    found = neighborhood(context.snapshot, place, reach)
    # Pages of this face are cut by size; the cursor of the walk is another one.
    coverage = attrs.evolve(found.coverage, cursor="")
    contents = NeighborsReply(
        root=context.things.node(found.root), nodes=_steps(context, found.root, found.nodes, found.edges)
    )
    return Reply(answer(context.snapshot, coverage, listed=request.unresolved), contents, "nodes")


def paths(context: ToolContext, request: GraphTrace) -> Reply:
    """How one symbol reaches another."""
    begin = context.subjects.place(request.source)
    context = context.verified(begin, request.direction, request.depth)
    route = TraceQuery(
        source=begin,
        target=context.subjects.place(request.target) if request.target else None,
        direction=request.direction,
        kinds=frozenset(request.edge_kinds) or FLOW,
        depth=request.depth,
        paths=request.paths,
        min_confidence=request.min_confidence,
    )
    found = trace(context.snapshot, route)
    return Reply(
        answer(context.snapshot, found.coverage, listed=request.unresolved), trace_view(context.things, found), "paths"
    )


def shape(context: ToolContext, request: GraphSummary) -> Reply:
    """The shape of a scope."""
    return Reply(
        answer(context.snapshot), SummaryReply(summary=summary(context.snapshot, context.subjects.scope(request.scope)))
    )


def _tie(context: ToolContext, edge: RawEdge, *, incoming: bool) -> EdgeReply:
    other = edge.source if incoming else edge.target
    return EdgeReply(
        direction="in" if incoming else "out", edge=context.things.edge(edge), node=context.things.node(other)
    )


def _steps(
    context: ToolContext, root: SymbolRef, nodes: tuple[NearNode, ...], edges: Iterable[RawEdge]
) -> tuple[PathStep, ...]:
    """Each edge stands at the later of its ends: a reader of pages has seen the other one. The root is a step
    only where it leads to itself."""
    numbers: dict[Node, int] = {root: 0, **{near.node: number for number, near in enumerate(nodes, 1)}}
    ties: dict[int, list[RawEdge]] = {}
    for edge in edges:
        ties.setdefault(max(numbers[edge.source], numbers[edge.target]), []).append(edge)
    return tuple(
        PathStep(
            depth=near.depth, node=context.things.node(near.node), edges=context.things.edges(ties.get(number, ()))
        )
        for number, near in enumerate((NearNode(root, 0), *nodes))
        if number or number in ties
    )


def _source(context: ToolContext, place: SymbolRef) -> str | None:
    text = context.snapshot.text(place.file)
    if text is None:
        return None
    if place.definition >= 0:
        table = context.snapshot.facts(place.file).definitions
        text = text[table.full_start[place.definition] : table.full_end[place.definition]]
    return text[:_MOST_SOURCE].decode("utf-8", "ignore")


TOOLS = (
    ToolEntry(
        name="symbol_context",
        title="One symbol",
        description="Everything directly about one symbol: declaration, members, callers, callees, bases, overrides, "
        "tests, each edge with its sites, provenance and confidence. An ambiguous name is answered with candidates.",
        request=SymbolContext,
        contents=SymbolReply,
        run=about,
    ),
    ToolEntry(
        name="graph_find",
        title="Find symbols",
        description="Finds symbols by name: exact, prefix or fuzzy (camel humps, parts, words in any order), best "
        "matches first. Names local to functions are not searched, so an empty answer is not complete.",
        request=GraphFind,
        contents=FindReply,
        run=named,
    ),
    ToolEntry(
        name="graph_neighbors",
        title="Neighbours of a symbol",
        description="The part of the graph around a symbol, step by step, filtered by kind, direction and confidence.",
        request=GraphNeighbors,
        contents=NeighborsReply,
        run=around,
    ),
    ToolEntry(
        name="graph_trace",
        title="Paths between symbols",
        description="How one symbol reaches another: the shortest paths, edge by edge. Says whether everything within "
        "the depth was visited, so that no path is never a guess.",
        request=GraphTrace,
        contents=TraceView,
        run=paths,
    ),
    ToolEntry(
        name="graph_summary",
        title="Shape of the workspace",
        description="Counts, languages, packages, folders, entry points, public names, and the modules that most "
        "others import; for the workspace or a part of it.",
        request=GraphSummary,
        contents=SummaryReply,
        run=shape,
    ),
)
