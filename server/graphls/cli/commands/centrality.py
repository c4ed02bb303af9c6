"""Centrality: files that much hangs on.

Owns: arguments of `graphls centrality`, its layout.
Must not know: what a point is for.
Invariant: inputs that are not there are named.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import PLACE, close_page, write_answer
from graphls.cli.rendering.overview import central_rows
from graphls.cli.rendering.page import TextPage
from graphls.queries.answer import Coverage, answer
from graphls.session.health_report import HealthSources
from graphls.session.overview_report import CentralityReport, centrality_report

COMMAND = CommandEntry(help="Rank files by what hangs on them.", rank=233, read_only=True)


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Files to list.")] = 20,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, "complete") as workspace:
        sources = HealthSources(workspace.workspace, workspace.settings, workspace.store)
        report = centrality_report(workspace.snapshot, sources, scope, limit)
        omitted = report.total - len(report.files)
        envelope = answer(workspace.snapshot, Coverage(truncated=omitted > 0, omitted=omitted))
    if format is Format.JSON:
        write_answer(envelope, report)
        return
    page = _page(report)
    close_page(page, envelope)
    page.write()


def _page(report: CentralityReport) -> TextPage:
    page = TextPage()
    for one in report.files:
        page.line((one.file, PLACE), f"  {one.score:g}")
        page.rows(central_rows(one), indent="  ")
    if report.absent:
        page.line((f"Without {' and '.join(report.absent)}: points that rest on it are missing.", "yellow"))
    return page
