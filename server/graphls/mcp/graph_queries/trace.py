"""Trace: how one symbol reaches another.

Owns: trace.
Must not know: how paths are searched.
Invariant: an answer without a path says whether everything within the depth was visited.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from graphls.mcp.graph_kinds import checked_kinds, listed_unresolved
from graphls.mcp.paging import Reply
from graphls.mcp.requests import CommitRequest, Confidence, Subject, Words
from graphls.mcp.text_form import Row, TextAnswer, open_rows
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted, one_line
from graphls.queries.answer import answer
from graphls.queries.neighborhood import Direction
from graphls.queries.trace import FLOW, TraceQuery, steps_within, trace
from graphls.queries.trace_view import TraceView, trace_view


class TraceRequest(CommitRequest):
    symbol: Subject
    target: Annotated[str, Field(max_length=1_000, description="where to; else wherever it leads")] = ""
    direction: Direction = "out"
    kinds: Annotated[Words, Field(description="of edges")] = ()
    depth: Annotated[int | None, Field(ge=1, le=12, description="steps; 12 to a target, else 6")] = None
    paths: Annotated[int, Field(ge=1, le=20)] = 5
    min_confidence: Confidence = 0.0


def paths(context: ToolContext, request: TraceRequest) -> Reply:
    """The shortest paths, edge by edge."""
    begin = context.subjects.place(request.symbol)
    target = context.subjects.place(request.target) if request.target else None
    depth = steps_within(request.depth, has_target=target is not None)
    context = context.verified(begin, request.direction, depth)
    route = TraceQuery(
        source=begin,
        target=target,
        direction=request.direction,
        kinds=checked_kinds(request.kinds) or FLOW,
        depth=depth,
        paths=request.paths,
        min_confidence=request.min_confidence,
    )
    found = trace(context.snapshot, route)
    envelope = answer(context.snapshot, found.coverage, listed=listed_unresolved(request.kinds))
    view = trace_view(context.things, found)

    def text() -> TextAnswer:
        seen = "all within the depth was visited" if view.exhausted else "not all was visited: raise depth or paths"
        head = f"{counted(len(view.paths), 'path')}; {seen}"
        return TextAnswer(head, (*_rows(view), *open_rows(envelope.unresolved, "unresolved, may belong here:")))

    return Reply(envelope, view, text, "paths")


def _rows(view: TraceView) -> Iterator[Row]:
    for number, path in enumerate(view.paths, 1):
        heading = f"path {number}, {path.confidence:.0%} sure:"
        for at, node in enumerate(path.nodes):
            via = f"{path.kinds(at - 1)} -> " if at else ""
            yield Row(f"{via}{one_line(node)}", (heading,))


QUERIES = (Query(name="trace", request=TraceRequest, contents=TraceView, run=paths),)
