"""Neighbors: the graph around a symbol.

Owns: neighbors.
Must not know: how edges are found.
Invariant: each edge stands at the later of its ends: a reader of pages has seen the other one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

import attrs
from pydantic import Field

from graphls.graph.derivation import DerivedNode
from graphls.graph.edge_refs import Node
from graphls.graph.edges import RawEdge
from graphls.graph.snapshot import SymbolRef
from graphls.mcp.graph_kinds import checked_kinds, listed_unresolved
from graphls.mcp.paging import Reply
from graphls.mcp.requests import CommitRequest, Confidence, Subject, Words
from graphls.mcp.results import NeighborsReply, PathStep
from graphls.mcp.text_form import Row, TextAnswer, folded, open_rows
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted, described, headline
from graphls.queries.answer import answer
from graphls.queries.neighborhood import Direction, NearNode, Neighborhood, NeighborhoodQuery, neighborhood
from graphls.session.attached_neighbors import AttachedNeighbors, attached_neighbors
from graphls.session.health_report import HealthSources


class NeighborsRequest(CommitRequest):
    symbol: Subject
    depth: Annotated[int, Field(ge=1, le=5, description="steps")] = 1
    direction: Direction = "both"
    kinds: Annotated[Words, Field(description="of edges: calls, imports ...; unresolved lists open uses")] = ()
    node_kinds: Words = ()
    min_confidence: Confidence = 0.0
    limit: Annotated[int, Field(ge=1, le=2_000)] = 200


def around(context: ToolContext, request: NeighborsRequest) -> Reply:
    """The graph around a symbol."""
    reach = NeighborhoodQuery(
        depth=request.depth,
        direction=request.direction,
        edge_kinds=checked_kinds(request.kinds),
        node_kinds=checked_kinds(request.node_kinds, nodes=True),
        min_confidence=request.min_confidence,
        limit=request.limit,
    )
    place = context.subjects.node(request.symbol)
    context = context.with_reported().verified(place, request.direction, request.depth)
    found = neighborhood(context.snapshot, place, reach)
    # Pages of this face are cut by size; the cursor of the walk is another one.
    envelope = answer(
        context.snapshot, attrs.evolve(found.coverage, cursor=""), listed=listed_unresolved(request.kinds)
    )
    state = context.state
    attached = attached_neighbors(
        context.snapshot, HealthSources(state.workspace, state.settings, state.store), reach, found
    )
    steps = (*_steps(context, found.root, found.nodes, found.edges), *_attached(context, found, attached))
    contents = NeighborsReply(root=context.things.node(found.root), nodes=steps)

    near, ties = len(found.nodes) + len(attached.nodes), len(found.edges) + len(attached.edges)

    def text() -> TextAnswer:
        head = f"{headline(contents.root)}: {counted(near, 'neighbor')}, {counted(ties, 'edge')}"
        open_uses = open_rows(envelope.unresolved, "unresolved, may belong here:")
        return TextAnswer(head, (*folded(_rows(steps)), *open_uses))

    return Reply(envelope, contents, text, "nodes")


def _attached(context: ToolContext, found: Neighborhood, attached: AttachedNeighbors) -> Iterator[PathStep]:
    """Each with its edges to what the walk reached."""
    nodes = attached.node_views(context.things)
    reached = (found.root, *(near.node for near in found.nodes))
    edges = attached.edge_views((*map(context.things.node, reached), *(node for _, node in nodes)))
    for depth, node in nodes:
        own = tuple(edge for edge in edges if node.id in (edge.source_id, edge.target_id))
        yield PathStep(depth=depth, node=node, edges=own)


def _rows(steps: Iterable[PathStep]) -> Iterator[Row]:
    for step in steps:
        ties = dict.fromkeys(
            edge.kind if edge.target_id == step.node.id else f"{edge.kind} (from it)" for edge in step.edges
        )
        heading, line = f"{counted(step.depth, 'step')} away:", step.node.line or ""
        yield Row(f"{line}  {described(step.node)}  <- {', '.join(ties)}", (heading, step.node.file or "", ""))


def _steps(
    context: ToolContext, root: SymbolRef | DerivedNode, nodes: tuple[NearNode, ...], edges: Iterable[RawEdge]
) -> tuple[PathStep, ...]:
    """The root is a step only where it leads to itself."""
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


QUERIES = (Query(name="neighbors", request=NeighborsRequest, contents=NeighborsReply, run=around),)
