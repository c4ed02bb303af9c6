"""Docs: links of documents that lead nowhere.

Owns: arguments of `graphls docs`, its layout.
Must not know: formats of documents.
Invariant: a broken link makes the answer negative.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import KIND, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.document_report import document_report

COMMAND = CommandEntry(help="List links of documents that lead nowhere.", rank=238, read_only=True)


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="Links to list.")] = 50,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root) as workspace:
        report = document_report(workspace.workspace, workspace.snapshot, workspace.settings, scope)
        omitted = max(len(report.broken) - limit, 0)
        envelope = answer(workspace.snapshot, Coverage(truncated=omitted > 0, omitted=omitted))
    if format is Format.JSON:
        write_answer(envelope, report)
    else:
        page = TextPage()
        page.rows(
            ((f"{one.file}:{one.line}:{one.column}", PLACE), one.text, (f"no such {one.cause}", KIND))
            for one in report.broken[:limit]
        )
        said = f"{counted(len(report.broken), 'link')} of {counted(report.documents, 'document')} "
        page.line(
            f"{said}lead nowhere; {report.resolved:,} lead to something, {report.unsettled:,} may lead elsewhere."
        )
        close_page(page, envelope)
        page.write()
    if report.broken:
        raise NegativeAnswer
