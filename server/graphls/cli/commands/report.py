"""Report: one page about a workspace.

Owns: arguments of `graphls report`.
Must not know: what stands on the page.
Invariant: nothing is written; what is missing is named with the command that brings it.
"""

from __future__ import annotations

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import close_page, write_answer
from graphls.cli.rendering.overview import overview_page
from graphls.queries.answer import Coverage, answer
from graphls.session.health_report import HealthSources
from graphls.session.overview_report import overview_report

COMMAND = CommandEntry(help="Show one page about a workspace.", rank=131, read_only=True)


def run(ctx: typer.Context, scope: Scope = "", *, root: Root = ".", format: AsFormat = Format.TEXT) -> None:
    with opened(ctx, root, "complete") as workspace:
        sources = HealthSources(workspace.workspace, workspace.settings, workspace.store)
        report = overview_report(workspace.snapshot, sources, scope)
        envelope = answer(workspace.snapshot, Coverage(empty=not report.files))
    if format is Format.JSON:
        write_answer(envelope, report)
        return
    page = overview_page(report)
    close_page(page, envelope)
    page.write()
