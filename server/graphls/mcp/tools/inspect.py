"""Inspect: one tool for structural questions, with the thinking before the request.

Owns: inspect_graph.
Must not know: how any question is answered.
Invariant: exactly one request is answered; an answer that is none says where to look instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import attrs
from pydantic import Field

from graphls.mcp.paging import Reply
from graphls.mcp.requests import (
    GraphFind,
    GraphSummary,
    GraphTrace,
    PagedRequest,
    Scope,
    Subject,
    SymbolContext,
    ToolRequest,
)
from graphls.mcp.results import EdgeReply, FindReply, SummaryReply, SymbolReply
from graphls.mcp.tool_catalog import ToolContext, ToolEntry
from graphls.mcp.tools import graph
from graphls.queries.answer import Answer, Coverage, Next, answer
from graphls.queries.node_views import NodeView
from graphls.queries.summary import Summary
from graphls.queries.tour import ReadingItem, entry_points, tour
from graphls.queries.trace_view import TracePathView, TraceView

Kind = Literal["entrypoints", "lookup", "trace", "details", "overview", "tour", "escape"]


class DraftStep(ToolRequest):
    reason: Annotated[str, Field(max_length=4_000, description="What you need to know and why.")]
    type: Annotated[Kind, Field(description="The request that seems to fit.")]


class EntrypointsStep(ToolRequest):
    type: Literal["entrypoints"]
    scope: Scope = ""


class LookupStep(ToolRequest):
    type: Literal["lookup"]
    text: Annotated[str, Field(min_length=1, max_length=200, description="Name or part of it.")]
    mode: Literal["exact", "prefix", "fuzzy"] = "fuzzy"
    limit: Annotated[int, Field(ge=1, le=200)] = 20


class TraceStep(ToolRequest):
    type: Literal["trace"]
    source: Subject
    target: Annotated[str, Field(max_length=1_000, description="Where to; wherever it leads when left out.")] = ""
    direction: Literal["in", "out", "both"] = "out"
    depth: Annotated[int, Field(ge=1, le=12)] = 6


class DetailsStep(ToolRequest):
    type: Literal["details"]
    symbol: Subject
    include_source: bool = False


class OverviewStep(ToolRequest):
    type: Literal["overview"]
    scope: Scope = ""


class TourStep(ToolRequest):
    type: Literal["tour"]
    scope: Scope = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 40


class EscapeStep(ToolRequest):
    type: Literal["escape"]
    why: Annotated[str, Field(max_length=4_000, description="Why the graph cannot answer.")] = ""


class InspectGraph(PagedRequest):
    question: Annotated[str, Field(max_length=4_000, description="The question, in your words.")]
    draft: DraftStep
    review: Annotated[str, Field(max_length=4_000, description="Does the draft fit the question? Name a better one.")]
    request: Annotated[
        EntrypointsStep | LookupStep | TraceStep | DetailsStep | OverviewStep | TourStep | EscapeStep,
        Field(discriminator="type"),
    ]


@attrs.frozen(kw_only=True)
class InspectedNode:
    """A symbol, and why it is here."""

    note: str
    node: NodeView


@attrs.frozen(kw_only=True)
class Inspection:
    """What the request of this type gave; the other fields are empty. `kept`: the draft had the same type."""

    type: Kind
    kept: bool
    exhausted: bool
    source: str | None
    summary: Summary | None
    nodes: tuple[InspectedNode, ...]
    ties: tuple[EdgeReply, ...]
    paths: tuple[TracePathView, ...]


def inspect(context: ToolContext, request: InspectGraph) -> Reply:
    """Answers the one request."""
    return _ANSWERS[request.request.type](context, request)


def _reply(envelope: Answer, request: InspectGraph, pages: str, **fields: Any) -> Reply:
    empty = Inspection(
        type=request.request.type,
        kept=request.draft.type == request.request.type,
        exhausted=True,
        source=None,
        summary=None,
        nodes=(),
        ties=(),
        paths=(),
    )
    return Reply(envelope, attrs.evolve(empty, **fields), pages)


def _entrypoints(context: ToolContext, request: InspectGraph) -> Reply:
    assert isinstance(request.request, EntrypointsStep)
    stops = entry_points(context.snapshot, context.subjects.scope(request.request.scope))
    nodes = tuple(_stop(context, stop) for stop in stops)
    following = Next() if nodes else Next("inspect", "graph_summary")
    return _reply(answer(context.snapshot, next_step=following), request, "nodes", nodes=nodes)


def _lookup(context: ToolContext, request: InspectGraph) -> Reply:
    assert isinstance(request.request, LookupStep)
    wanted = request.request
    found = graph.named(context, GraphFind(text=wanted.text, mode=wanted.mode, limit=wanted.limit))
    assert isinstance(found.contents, FindReply)
    nodes = tuple(InspectedNode(note="name", node=thing) for thing in found.contents.matches)
    return _reply(found.answer, request, "nodes", nodes=nodes)


def _trace(context: ToolContext, request: InspectGraph) -> Reply:
    assert isinstance(request.request, TraceStep)
    wanted = request.request
    route = GraphTrace(source=wanted.source, target=wanted.target, direction=wanted.direction, depth=wanted.depth)
    found = graph.paths(context, route)
    assert isinstance(found.contents, TraceView)
    ways = found.contents
    return _reply(found.answer, request, "paths", paths=ways.paths, exhausted=ways.exhausted)


def _details(context: ToolContext, request: InspectGraph) -> Reply:
    assert isinstance(request.request, DetailsStep)
    wanted = request.request
    found = graph.about(context, SymbolContext(symbol=wanted.symbol, include_source=wanted.include_source))
    assert isinstance(found.contents, SymbolReply)
    contents = found.contents
    nodes = (
        InspectedNode(note="subject", node=contents.node),
        *(InspectedNode(note="member", node=one) for one in contents.members),
    )
    return _reply(found.answer, request, "ties", nodes=nodes, ties=contents.ties, source=contents.source)


def _overview(context: ToolContext, request: InspectGraph) -> Reply:
    assert isinstance(request.request, OverviewStep)
    found = graph.shape(context, GraphSummary(scope=request.request.scope))
    assert isinstance(found.contents, SummaryReply)
    return _reply(found.answer, request, "", summary=found.contents.summary)


def _tour(context: ToolContext, request: InspectGraph) -> Reply:
    assert isinstance(request.request, TourStep)
    found = tour(context.snapshot, context.subjects.scope(request.request.scope), request.request.limit)
    nodes = tuple(_stop(context, stop) for stop in found.stops)
    return _reply(answer(context.snapshot, found.coverage), request, "nodes", nodes=nodes)


def _escape(context: ToolContext, request: InspectGraph) -> Reply:
    return _reply(answer(context.snapshot, Coverage(), Next("outside")), request, "")


def _stop(context: ToolContext, stop: ReadingItem) -> InspectedNode:
    note = f"{stop.why}: {stop.count} modules" if stop.count else stop.why
    return InspectedNode(note=note, node=context.things.node(stop.place))


_ANSWERS: Mapping[Kind, Callable[[ToolContext, InspectGraph], Reply]] = {
    "entrypoints": _entrypoints,
    "lookup": _lookup,
    "trace": _trace,
    "details": _details,
    "overview": _overview,
    "tour": _tour,
    "escape": _escape,
}

TOOLS = (
    ToolEntry(
        name="inspect_graph",
        title="A structural question",
        description="One structural question, thought through first: write the question, draft a request with its "
        "reason, review it, then send exactly one request: entrypoints (where runs begin), lookup (a name), trace (how "
        "A reaches B), details (one symbol), overview (shape), tour (what to read first), or escape when the graph "
        "cannot answer, for example about the meaning of text or about run-time values.",
        request=InspectGraph,
        contents=Inspection,
        run=inspect,
    ),
)
