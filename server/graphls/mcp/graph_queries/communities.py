"""Communities: files that belong together.

Owns: communities.
Must not know: how communities are found.
Invariant: without history the answer says that it rests on imports alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.community_report import CommunityReport, community_report
from graphls.session.health_report import HealthSources


class CommunitiesRequest(PagedRequest):
    scope: Scope = ""
    limit: Annotated[int, Field(ge=1, le=1_000)] = 10


def communities(context: ToolContext, request: CommunitiesRequest) -> Reply:
    """Of the whole workspace, or those with files of a part of it."""
    state = context.state
    sources = HealthSources(state.workspace, state.settings, state.store)
    report = community_report(context.snapshot, sources, request.limit, context.subjects.scope(request.scope))
    omitted = report.total - len(report.communities)

    def text() -> TextAnswer:
        foot = ("without history: by imports alone",) if report.head is None else ()
        head = f"{report.total} communities, {counted(report.alone, 'file')} alone"
        return TextAnswer(head, tuple(_rows(report)), foot)

    return Reply(
        answer(context.snapshot, Coverage(truncated=omitted > 0, omitted=omitted)), report, text, "communities"
    )


def _rows(report: CommunityReport) -> Iterator[Row]:
    for one in report.communities:
        central = ", ".join(path for path, _ in one.central)
        yield Row(f"{one.name}: {counted(one.size, 'file')}, cohesion {one.cohesion:g}; central: {central}")
    for one in report.surprises:
        yield Row(f"{one.tie.one} - {one.tie.other}: {', '.join(one.reasons)}", ("ties that may surprise:",))


QUERIES = (Query(name="communities", request=CommunitiesRequest, contents=CommunityReport, run=communities),)
