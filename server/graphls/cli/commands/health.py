"""Health: what makes files hard to change.

Owns: arguments of `graphls health`, its layout.
Must not know: formulas, where history and coverage come from.
Invariant: inputs that are not there are named, not counted as nothing.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.queries.coverage_reports import CoverageRefused
from graphls.session.health_report import HealthReport, HealthSources, health_report
from graphls.session.health_trend import health_trend

COMMAND = CommandEntry(help="Rank files by what makes them hard to change.", rank=236, read_only=True)
_SHOWN = 6


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    report: Annotated[
        list[str] | None,
        typer.Option("--report", metavar="FILE", help="Of coverage, beside those of findings.coverage; repeat."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="Files to list.")] = 20,
    trend: Annotated[
        int, typer.Option("--trend", min=0, max=20, help="Show the last commits that were judged here.")
    ] = 0,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root) as workspace:
        sources = HealthSources(workspace.workspace, workspace.settings, workspace.store, tuple(report or ()))
        try:
            judged = health_report(workspace.snapshot, sources, scope, limit)
        except CoverageRefused as refused:
            raise UsageError(str(refused)) from None
        if trend:
            rows = health_trend(workspace.store, workspace.workspace)[-trend:]
            judged = attrs.evolve(judged, trend=rows)
        omitted = judged.total - len(judged.files)
        envelope = answer(workspace.snapshot, Coverage(truncated=omitted > 0, omitted=omitted))
    if format is Format.JSON:
        write_answer(envelope, judged)
        return
    page = _page(judged)
    close_page(page, envelope)
    page.write()


def _page(report: HealthReport) -> TextPage:
    page = TextPage()
    first_test = next((one for one in report.files if one.test), None)
    for one in report.files:
        if one is first_test and one is not report.files[0]:
            page.heading("tests")
        page.line((one.file, PLACE), f"  health {one.health:g}, impact {one.impact:g}, priority {one.priority:g}")
        page.rows(
            (
                ((item.marker, KIND), f"{item.measure:g}", f"-{item.delta:g}", (item.rule or item.symbol, NAME),
                 (f"line {item.line}" if item.line else "", FAINT))
                for item in one.evidence[:_SHOWN]
            ),
            indent="  ",
        )  # fmt: skip
        if len(one.evidence) > _SHOWN:
            page.line(f"  {len(one.evidence) - _SHOWN} more")
    page.line()
    page.line(f"{counted(report.files_judged, 'file')} judged, health {report.health:g} on average.")
    if report.absent:
        page.line((f"Without {', '.join(report.absent)}: what rests on it is missing.", "yellow"))
    if report.unmeasured:
        page.line((f"Branches and nesting of {counted(report.unmeasured, 'file')} are not measured.", "yellow"))
    if report.trend:
        page.heading("the whole, at the last commits that were judged on this machine")
        page.rows(
            [((one.head[:12] or one.snapshot, FAINT), f"health {one.health:g}", counted(one.files, "file"),
              counted(one.targets, "file with evidence", "files with evidence")) for one in report.trend],
            indent="  ",
        )  # fmt: skip
    return page
