"""Graph: names, neighbours, paths and shapes.

Owns: symbol_context, graph_find, graph_neighbors, graph_trace, graph_summary.
Must not know: how edges are found.
Invariant: every edge that is shown is one of the graph, with provenance and confidence.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from graphls.graph.edges import RawEdge
from graphls.graph.leads import Node
from graphls.graph.snapshot import Place
from graphls.mcp.catalog import Asked, ToolEntry
from graphls.mcp.paging import Reply
from graphls.mcp.requests import GraphFind, GraphNeighbors, GraphSummary, GraphTrace, SymbolContext
from graphls.mcp.results import About, Around, Matches, Shape, Step, Tie
from graphls.queries.answer import answer
from graphls.queries.find import Wanted, find
from graphls.queries.neighborhood import Near, Reach, neighborhood
from graphls.queries.node import node
from graphls.queries.summary import summary
from graphls.queries.trace import FLOW, Route, trace
from graphls.queries.trace_shown import Ways, ways

_STRUCTURE = ("contains", "defines")
_MOST_SOURCE = 12_000


def about(asked: Asked, request: SymbolContext) -> Reply:
    """Everything directly about one symbol."""
    place = asked.subjects.place(request.symbol)
    asked = asked.settled(place)
    found = node(asked.snapshot, place, request.limit)
    ties = [
        _tie(asked, edge, incoming=group.incoming)
        for group in found.groups
        if group.kind not in _STRUCTURE
        for edge in group.edges
    ]
    contents = About(
        node=asked.things.thing(found.place),
        source=_source(asked, place) if request.include_source else None,
        members=tuple(asked.things.thing(member) for member in found.members),
        counts={f"{'in' if group.incoming else 'out'} {group.kind}": group.count for group in found.groups},
        ties=tuple(ties),
    )
    return Reply(answer(asked.snapshot, found.coverage, listed=request.unresolved), contents, "ties")


def named(asked: Asked, request: GraphFind) -> Reply:
    """Symbols by name."""
    found = find(asked.snapshot, Wanted(request.text, request.mode, frozenset(request.kinds), limit=request.limit))
    nodes = (*(match.place for match in found.matches), *found.derived)
    envelope = answer(asked.snapshot, found.coverage, found.following)
    matches = tuple(asked.things.thing(node) for node in nodes)
    return Reply(envelope, Matches(total=found.total, matches=matches), "matches")


def around(asked: Asked, request: GraphNeighbors) -> Reply:
    """The graph around a symbol."""
    reach = Reach(
        depth=request.depth,
        direction=request.direction,
        edge_kinds=frozenset(request.edge_kinds),
        node_kinds=frozenset(request.node_kinds),
        min_confidence=request.min_confidence,
        limit=request.limit,
    )
    place = asked.subjects.place(request.symbol)
    asked = asked.settled(place, request.direction, request.depth)
    found = neighborhood(asked.snapshot, place, reach)
    # Pages of this face are cut by size; the cursor of the walk is another one.
    coverage = attrs.evolve(found.coverage, cursor="")
    contents = Around(root=asked.things.thing(found.root), nodes=_steps(asked, found.root, found.nodes, found.edges))
    return Reply(answer(asked.snapshot, coverage, listed=request.unresolved), contents, "nodes")


def paths(asked: Asked, request: GraphTrace) -> Reply:
    """How one symbol reaches another."""
    begin = asked.subjects.place(request.source)
    asked = asked.settled(begin, request.direction, request.depth)
    route = Route(
        source=begin,
        target=asked.subjects.place(request.target) if request.target else None,
        direction=request.direction,
        kinds=frozenset(request.edge_kinds) or FLOW,
        depth=request.depth,
        paths=request.paths,
        min_confidence=request.min_confidence,
    )
    found = trace(asked.snapshot, route)
    return Reply(answer(asked.snapshot, found.coverage, listed=request.unresolved), ways(asked.things, found), "paths")


def shape(asked: Asked, request: GraphSummary) -> Reply:
    """The shape of a scope."""
    return Reply(answer(asked.snapshot), Shape(summary=summary(asked.snapshot, asked.subjects.scope(request.scope))))


def _tie(asked: Asked, edge: RawEdge, *, incoming: bool) -> Tie:
    other = edge.source if incoming else edge.target
    return Tie(direction="in" if incoming else "out", edge=asked.things.link(edge), node=asked.things.thing(other))


def _steps(asked: Asked, root: Place, nodes: tuple[Near, ...], edges: Iterable[RawEdge]) -> tuple[Step, ...]:
    """Each edge stands at the later of its ends: a reader of pages has seen the other one."""
    numbers: dict[Node, int] = {root: -1, **{near.node: number for number, near in enumerate(nodes)}}
    ties: dict[int, list[RawEdge]] = {}
    for edge in edges:
        ties.setdefault(max(numbers[edge.source], numbers[edge.target]), []).append(edge)
    return tuple(
        Step(depth=near.depth, node=asked.things.thing(near.node), edges=asked.things.links(ties.get(number, ())))
        for number, near in enumerate(nodes)
    )


def _source(asked: Asked, place: Place) -> str | None:
    text = asked.snapshot.text(place.file)
    if text is None:
        return None
    if place.definition >= 0:
        table = asked.snapshot.facts(place.file).definitions
        text = text[table.full_start[place.definition] : table.full_end[place.definition]]
    return text[:_MOST_SOURCE].decode("utf-8", "ignore")


TOOLS = (
    ToolEntry(
        name="symbol_context",
        title="One symbol",
        description="Everything directly about one symbol: declaration, members, callers, callees, bases, overrides, "
        "tests, each edge with its sites, provenance and confidence. An ambiguous name is answered with candidates.",
        request=SymbolContext,
        contents=About,
        run=about,
    ),
    ToolEntry(
        name="graph_find",
        title="Find symbols",
        description="Finds symbols by name: exact, prefix or fuzzy (camel humps, parts, words in any order), best "
        "matches first. Names local to functions are not searched, so an empty answer is not complete.",
        request=GraphFind,
        contents=Matches,
        run=named,
    ),
    ToolEntry(
        name="graph_neighbors",
        title="Neighbours of a symbol",
        description="The part of the graph around a symbol, step by step, filtered by kind, direction and confidence.",
        request=GraphNeighbors,
        contents=Around,
        run=around,
    ),
    ToolEntry(
        name="graph_trace",
        title="Paths between symbols",
        description="How one symbol reaches another: the shortest paths, edge by edge. Says whether everything within "
        "the depth was visited, so that no path is never a guess.",
        request=GraphTrace,
        contents=Ways,
        run=paths,
    ),
    ToolEntry(
        name="graph_summary",
        title="Shape of the workspace",
        description="Counts, languages, packages, folders, entry points, public names, and the modules that most "
        "others import; for the workspace or a part of it.",
        request=GraphSummary,
        contents=Shape,
        run=shape,
    ),
)
