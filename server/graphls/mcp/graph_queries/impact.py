"""Impact: what a change of one symbol may reach.

Owns: impact.
Must not know: how reach is computed.
Invariant: uses that could not be resolved are counted beside what was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from graphls.mcp.graph_kinds import effects_by, listed_unresolved
from graphls.mcp.paging import Reply
from graphls.mcp.requests import CommitRequest, Confidence, Subject, Words
from graphls.mcp.text_form import Row, TextAnswer, folded, open_rows
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted, headline, name_at, passing_lines
from graphls.queries.answer import answer
from graphls.queries.impact import ImpactQuery, Stream, impact
from graphls.queries.impact_view import ImpactView, impact_view

_FEW = 5


class ImpactRequest(CommitRequest):
    symbol: Subject
    stream: Annotated[Stream, Field(description="impact: upstream depends on it, downstream it depends on")] = (
        "upstream"
    )
    depth: Annotated[int, Field(ge=1, le=6, description="steps")] = 3
    kinds: Annotated[Words, Field(description="of edges: calls, imports ...; unresolved lists open uses")] = ()
    min_confidence: Confidence = 0.0
    include_tests: bool = True
    limit: Annotated[int, Field(ge=1, le=5_000)] = 500
    edges: Annotated[int, Field(ge=0, le=200)] = 0


def effects(context: ToolContext, request: ImpactRequest) -> Reply:
    """Everything reached, nearest first."""
    kinds, listed = effects_by(request.kinds), listed_unresolved(request.kinds)
    place = context.subjects.node(request.symbol)
    context = context.with_reported().verified(place, "in" if request.stream == "upstream" else "out", request.depth)
    change = ImpactQuery(
        target=place,
        stream=request.stream,
        depth=request.depth,
        kinds=kinds,
        min_confidence=request.min_confidence,
        tests=request.include_tests,
        limit=request.limit,
        edges=request.edges,
    )
    found = impact(context.snapshot, change)
    envelope = answer(context.snapshot, found.coverage, listed=listed)
    view = impact_view(context.things, found, request.stream)

    def text() -> TextAnswer:
        least = "at least " if envelope.truncated else ""
        head = (
            f"{headline(view.changed[0])}, {request.stream}: {least}{counted(len(view.affected), 'symbol')} in "
            f"{counted(len(view.packages), 'package')}"
        )
        head += f"; {counted(view.diagnostics, 'diagnostic')} in what is changed" if view.diagnostics else ""
        rows = (*folded(_rows(view)), *open_rows(envelope.unresolved, "unresolved, may be uses:"))
        return TextAnswer(head, rows, (*passing_lines(view.processes), *_touched(view)))

    return Reply(envelope, view, text, "affected")


def _touched(view: ImpactView) -> Iterator[str]:
    if view.communities:
        yield f"in communities: {', '.join(view.communities[:_FEW])}"


def _rows(view: ImpactView) -> Iterator[Row]:
    for one in view.affected:
        possible = ", possibly" if one.possible else ""
        sure = f", {one.confidence:.0%} sure" if one.confidence < 1 else ""
        heading = f"{counted(one.depth, 'step')} away:"
        what = " ".join(filter(None, (one.node.what, name_at(one.node))))
        wrong = f", {counted(one.diagnostics, 'diagnostic')}" if one.diagnostics else ""
        row = f"{one.node.line or ''}  {what}  <- {one.via}{possible}{sure}{wrong}"
        yield Row(row, (heading, one.node.file or "", ""))


QUERIES = (Query(name="impact", request=ImpactRequest, contents=ImpactView, run=effects),)
