"""Health: what makes files hard to change.

Owns: health.
Must not know: formulas.
Invariant: inputs that are not there are named, not counted as nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from graphls.graph.errors import BadRequest
from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted
from graphls.queries.answer import Coverage, answer
from graphls.queries.coverage_reports import CoverageRefused
from graphls.session.health_report import HealthReport, HealthSources, health_report


class HealthRequest(PagedRequest):
    scope: Scope = ""
    limit: Annotated[int, Field(ge=1, le=1_000)] = 20


def health(context: ToolContext, request: HealthRequest) -> Reply:
    """Files below a scope, those to look at first."""
    scope = context.subjects.scope(request.scope)
    state = context.state
    try:
        sources = HealthSources(state.workspace, state.settings, state.store)
        report = health_report(context.snapshot, sources, scope, request.limit)
    except CoverageRefused as refused:
        raise BadRequest(str(refused)) from None
    omitted = report.total - len(report.files)

    def text() -> TextAnswer:
        head = f"{counted(report.files_judged, 'file')}, health {report.health:g} on average"
        absent = (f"without {' and '.join(report.absent)}",) if report.absent else ()
        return TextAnswer(head, tuple(_rows(report)), absent)

    coverage = Coverage(truncated=omitted > 0, omitted=omitted, empty=not report.files_judged)
    return Reply(answer(context.snapshot, coverage), report, text, "files")


def _rows(report: HealthReport) -> Iterator[Row]:
    for one in report.files:
        group = f"{one.file}: health {one.health:g}, priority {one.priority:g}"
        for item in one.evidence:
            yield Row(f"{item.line or 1}: {item.marker} {item.measure:g} (-{item.delta:g}) {item.symbol}", (group,))


QUERIES = (Query(name="health", request=HealthRequest, contents=HealthReport, run=health),)
