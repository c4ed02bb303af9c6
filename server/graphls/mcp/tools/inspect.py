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

from graphls.mcp.catalog import Asked, ToolEntry
from graphls.mcp.paging import Reply
from graphls.mcp.requests import GraphFind, GraphSummary, GraphTrace, Paged, Request, Scope, Subject, SymbolContext
from graphls.mcp.results import About, Matches, Shape, Tie
from graphls.mcp.tools import graph
from graphls.queries.answer import Answer, Coverage, Next, answer
from graphls.queries.summary import Summary
from graphls.queries.things import Thing
from graphls.queries.tour import Stop, entry_points, tour
from graphls.queries.trace_shown import Way, Ways

Kind = Literal["entrypoints", "lookup", "trace", "details", "overview", "tour", "escape"]


class Draft(Request):
    reason: Annotated[str, Field(max_length=4_000, description="What you need to know and why.")]
    type: Annotated[Kind, Field(description="The request that seems to fit.")]


class Entrypoints(Request):
    type: Literal["entrypoints"]
    scope: Scope = ""


class Lookup(Request):
    type: Literal["lookup"]
    text: Annotated[str, Field(min_length=1, max_length=200, description="Name or part of it.")]
    mode: Literal["exact", "prefix", "fuzzy"] = "fuzzy"
    limit: Annotated[int, Field(ge=1, le=200)] = 20


class Trace(Request):
    type: Literal["trace"]
    source: Subject
    target: Annotated[str, Field(max_length=1_000, description="Where to; wherever it leads when left out.")] = ""
    direction: Literal["in", "out", "both"] = "out"
    depth: Annotated[int, Field(ge=1, le=12)] = 6


class Details(Request):
    type: Literal["details"]
    symbol: Subject
    include_source: bool = False


class Overview(Request):
    type: Literal["overview"]
    scope: Scope = ""


class Tour(Request):
    type: Literal["tour"]
    scope: Scope = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 40


class Escape(Request):
    type: Literal["escape"]
    why: Annotated[str, Field(max_length=4_000, description="Why the graph cannot answer.")] = ""


class InspectGraph(Paged):
    question: Annotated[str, Field(max_length=4_000, description="The question, in your words.")]
    draft: Draft
    review: Annotated[str, Field(max_length=4_000, description="Does the draft fit the question? Name a better one.")]
    request: Annotated[Entrypoints | Lookup | Trace | Details | Overview | Tour | Escape, Field(discriminator="type")]


@attrs.frozen(kw_only=True)
class Listed:
    """A symbol, and why it is here."""

    note: str
    node: Thing


@attrs.frozen(kw_only=True)
class Inspection:
    """What the request of this type gave; the other fields are empty. `kept`: the draft had the same type."""

    type: Kind
    kept: bool
    exhausted: bool
    source: str | None
    summary: Summary | None
    nodes: tuple[Listed, ...]
    ties: tuple[Tie, ...]
    paths: tuple[Way, ...]


def inspect(asked: Asked, request: InspectGraph) -> Reply:
    """Answers the one request."""
    return _ANSWERS[request.request.type](asked, request)


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


def _entrypoints(asked: Asked, request: InspectGraph) -> Reply:
    assert isinstance(request.request, Entrypoints)
    stops = entry_points(asked.snapshot, asked.subjects.scope(request.request.scope))
    nodes = tuple(_stop(asked, stop) for stop in stops)
    following = Next() if nodes else Next("inspect", "graph_summary")
    return _reply(answer(asked.snapshot, following=following), request, "nodes", nodes=nodes)


def _lookup(asked: Asked, request: InspectGraph) -> Reply:
    assert isinstance(request.request, Lookup)
    wanted = request.request
    found = graph.named(asked, GraphFind(text=wanted.text, mode=wanted.mode, limit=wanted.limit))
    assert isinstance(found.contents, Matches)
    nodes = tuple(Listed(note="name", node=thing) for thing in found.contents.matches)
    return _reply(found.answer, request, "nodes", nodes=nodes)


def _trace(asked: Asked, request: InspectGraph) -> Reply:
    assert isinstance(request.request, Trace)
    wanted = request.request
    route = GraphTrace(source=wanted.source, target=wanted.target, direction=wanted.direction, depth=wanted.depth)
    found = graph.paths(asked, route)
    assert isinstance(found.contents, Ways)
    ways = found.contents
    return _reply(found.answer, request, "paths", paths=ways.paths, exhausted=ways.exhausted)


def _details(asked: Asked, request: InspectGraph) -> Reply:
    assert isinstance(request.request, Details)
    wanted = request.request
    found = graph.about(asked, SymbolContext(symbol=wanted.symbol, include_source=wanted.include_source))
    assert isinstance(found.contents, About)
    told = found.contents
    nodes = (Listed(note="subject", node=told.node), *(Listed(note="member", node=one) for one in told.members))
    return _reply(found.answer, request, "ties", nodes=nodes, ties=told.ties, source=told.source)


def _overview(asked: Asked, request: InspectGraph) -> Reply:
    assert isinstance(request.request, Overview)
    found = graph.shape(asked, GraphSummary(scope=request.request.scope))
    assert isinstance(found.contents, Shape)
    return _reply(found.answer, request, "", summary=found.contents.summary)


def _tour(asked: Asked, request: InspectGraph) -> Reply:
    assert isinstance(request.request, Tour)
    found = tour(asked.snapshot, asked.subjects.scope(request.request.scope), request.request.limit)
    nodes = tuple(_stop(asked, stop) for stop in found.stops)
    return _reply(answer(asked.snapshot, found.coverage), request, "nodes", nodes=nodes)


def _escape(asked: Asked, request: InspectGraph) -> Reply:
    return _reply(answer(asked.snapshot, Coverage(), Next("outside")), request, "")


def _stop(asked: Asked, stop: Stop) -> Listed:
    note = f"{stop.why}: {stop.count} modules" if stop.count else stop.why
    return Listed(note=note, node=asked.things.thing(stop.place))


_ANSWERS: Mapping[Kind, Callable[[Asked, InspectGraph], Reply]] = {
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
