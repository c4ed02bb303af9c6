"""Report: one page about a workspace.

Owns: report.
Must not know: what stands on the page.
Invariant: what is missing is named.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphls.mcp.paging import Reply
from graphls.mcp.requests import PagedRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.mcp.wording import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.health_report import HealthSources
from graphls.session.overview_report import OverviewReport, overview_report


class ReportRequest(PagedRequest):
    scope: Scope = ""


def page(context: ToolContext, request: ReportRequest) -> Reply:
    """What is central, how files belong together, what is risky and decided."""
    state = context.state
    sources = HealthSources(state.workspace, state.settings, state.store)
    report = overview_report(context.snapshot, sources, context.subjects.scope(request.scope))

    def text() -> TextAnswer:
        head = f"{counted(report.files, 'file')}, health {report.health:g}, {counted(report.findings, 'open finding')}"
        return TextAnswer(head, tuple(_rows(report)), report.warnings)

    return Reply(answer(context.snapshot, Coverage(empty=not report.files)), report, text, "central")


def _rows(report: OverviewReport) -> Iterator[Row]:
    for central in report.central:
        why = ", ".join(f"{row.signal} {row.count:g}" for row in central.signals)
        yield Row(f"{central.file}  {central.score:g}: {why}", ("central files:",))
    for group in report.communities.communities if report.communities is not None else ():
        yield Row(f"{group.name}: {counted(group.size, 'file')}, cohesion {group.cohesion:g}", ("communities:",))
    for chain in report.processes:
        yield Row(f"{chain.name}  [{chain.confidence:g}]", ("processes, a heuristic:",))
    for decision in report.decisions:
        yield Row(f"{decision.file}:{decision.line} [{decision.status}] {decision.title}", ("decisions:",))
    for target in report.health_targets:
        yield Row(f"{target.file}  health {target.health:g}", ("hard to change:",))


QUERIES = (Query(name="report", request=ReportRequest, contents=OverviewReport, run=page),)
