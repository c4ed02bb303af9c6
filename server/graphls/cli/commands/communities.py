"""Communities: files that belong together.

Owns: arguments of `graphls communities`, its layout.
Must not know: how communities are found.
Invariant: without history the answer says that it rests on imports alone.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import FAINT, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.community_report import CommunityReport, community_report
from graphls.session.health_report import HealthSources

COMMAND = CommandEntry(help="Show which files belong together.", rank=234, read_only=True)


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Communities to list.")] = 10,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, "complete") as workspace:
        sources = HealthSources(workspace.workspace, workspace.settings, workspace.store)
        report = community_report(workspace.snapshot, sources, limit, scope)
        omitted = report.total - len(report.communities)
        envelope = answer(workspace.snapshot, Coverage(truncated=omitted > 0, omitted=omitted))
    if format is Format.JSON:
        write_answer(envelope, report)
        return
    page = _page(report)
    close_page(page, envelope)
    page.write()


def _page(report: CommunityReport) -> TextPage:
    page = TextPage()
    for one in report.communities:
        page.line((one.name, PLACE), f"  {counted(one.size, 'file')}, cohesion {one.cohesion:g}")
        page.rows((((path, FAINT), str(weight)) for path, weight in one.central), indent="  ")
    if report.surprises:
        page.heading("ties that may surprise")
        page.rows(
            (
                (str(one.points), (one.tie.one, PLACE), (one.tie.other, PLACE), ", ".join(one.reasons),
                 (f"{one.tie.changes} common commits" if one.tie.changes else "", FAINT))
                for one in report.surprises
            ),
            indent="  ",
        )  # fmt: skip
    page.line()
    page.line(f"{counted(report.alone, 'file')} with no tie to another.")
    if report.head is None:
        page.line(("Without history: by imports alone.", "yellow"))
    return page
