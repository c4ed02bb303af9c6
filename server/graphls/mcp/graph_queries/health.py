"""Health: what makes files hard to change.

Owns: health.
Must not know: formulas.
Invariant: inputs that are not there are named, not counted as nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from graphls.session.health_report import HealthEvidence, HealthReport, HealthSources, health_report

_PLACES = 3
"""Places of one marker in a file that its row names."""


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
        absent = (f"without {', '.join(report.absent)}",) if report.absent else ()
        return TextAnswer(head, tuple(_rows(report)), absent)

    coverage = Coverage(truncated=omitted > 0, omitted=omitted, empty=not report.files_judged)
    return Reply(answer(context.snapshot, coverage), report, text, "files")


def _rows(report: HealthReport) -> Iterator[Row]:
    for one in report.files:
        group = f"{one.file}: health {one.health:g}, priority {one.priority:g}"
        by_marker: dict[str, list[HealthEvidence]] = {}
        for item in one.evidence:
            by_marker.setdefault(item.marker, []).append(item)
        for marker, items in by_marker.items():
            yield Row(_marked(marker, items), (group,))


def _marked(marker: str, items: Sequence[HealthEvidence]) -> str:
    """One marker of a file with the places that it was found at, in the order of the list."""
    times = f" x{len(items)}" if len(items) > 1 else ""
    places = ", ".join(
        f"{item.line or 1} {item.rule or item.symbol.rpartition(':')[2]} {item.measure:g}" for item in items[:_PLACES]
    )
    more = f", and {len(items) - _PLACES} more" if len(items) > _PLACES else ""
    return f"{marker}{times} (-{sum(item.delta for item in items):g}): {places}{more}"


QUERIES = (Query(name="health", request=HealthRequest, contents=HealthReport, run=health),)
