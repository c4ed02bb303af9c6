"""Tour: what to read first.

Owns: tour.
Must not know: the order of stops.
Invariant: a stop is shown once, with the reason that holds for it.
"""

from __future__ import annotations

from typing import Annotated

import attrs
from pydantic import Field

from graphls.mcp.paging import Reply
from graphls.mcp.requests import CommitRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted, one_line
from graphls.queries.answer import answer
from graphls.queries.node_views import NodeView
from graphls.queries.tour import tour


class TourRequest(CommitRequest):
    scope: Scope = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 40


@attrs.frozen(kw_only=True)
class TourStop:
    """A symbol, and why it is here."""

    note: str
    node: NodeView


@attrs.frozen(kw_only=True)
class TourReply:
    """Where runs begin, then what everything rests on, then what is offered to others."""

    stops: tuple[TourStop, ...]


def reading_tour(context: ToolContext, request: TourRequest) -> Reply:
    """What to read first."""
    found = tour(context.snapshot, context.subjects.scope(request.scope), request.limit)
    stops = tuple(
        TourStop(
            note=f"{stop.why}: {stop.count} modules" if stop.count else stop.why, node=context.things.node(stop.place)
        )
        for stop in found.stops
    )

    def text() -> TextAnswer:
        rows = tuple(Row(f"{one_line(stop.node)}  <- {stop.note}") for stop in stops)
        return TextAnswer(f"{counted(len(stops) + found.coverage.omitted, 'stop')}, in the order to read", rows)

    return Reply(answer(context.snapshot, found.coverage), TourReply(stops=stops), text, "stops")


QUERIES = (Query(name="tour", request=TourRequest, contents=TourReply, run=reading_tour),)
