"""Processes: chains of calls from the entries of a program.

Owns: arguments of `graphls processes`, its layout.
Must not know: how chains are found.
Invariant: the answer says that chains are a heuristic, and which steps are only possible.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import FAINT, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.cli.symbols import place_of
from graphls.session.process_report import ProcessReport, process_report

COMMAND = CommandEntry(
    help="Show chains of calls from routes and commands.",
    rank=141,
    read_only=True,
    synonyms=("flows",),
)


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    through: Annotated[str, typer.Option("--through", metavar="SYMBOL", help="Those only that pass it.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=75, help="Chains to list.")] = 20,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, "complete") as workspace:
        place = place_of(workspace, through) if through else None
        envelope, report = process_report(workspace.snapshot, place, limit, scope)
    if format is Format.JSON:
        write_answer(envelope, report)
    else:
        page = _page(report)
        close_page(page, envelope)
        page.write()
    if not report.processes:
        raise NegativeAnswer


def _page(report: ProcessReport) -> TextPage:
    page = TextPage()
    for one in report.processes:
        page.line((one.name, NAME), f"  confidence {one.confidence:g}, {counted(one.files, 'file')}",
                  "" if one.declared else "  (an entry by its calls alone)")  # fmt: skip
        page.rows(
            (
                (str(step.order), step.symbol, (f"{step.kind}, possibly" if step.possible else step.kind, FAINT),
                 (step.at, PLACE))
                for step in one.steps
            ),
            indent="  ",
        )  # fmt: skip
    if report.processes:
        page.line()
    page.note(
        f"A heuristic: {report.rule}; {counted(report.entries, 'entry', 'entries')}, {report.declared} of them declared"
    )
    return page
