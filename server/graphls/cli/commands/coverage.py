"""Coverage: how much of files and functions tests ran.

Owns: arguments of `graphls coverage`, its layout.
Must not know: formats of reports.
Invariant: without a report the answer is refused, never zero.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.words import branches_taken, counted
from graphls.queries.answer import Coverage, answer
from graphls.queries.coverage_reports import CoverageRefused
from graphls.queries.node_views import Presenter
from graphls.session.coverage_view import CoverageRow, CoverageView, coverage_view
from graphls.session.reports import coverage_of

COMMAND = CommandEntry(help="Show how much of files and functions tests ran.", rank=237, read_only=True)


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    report: Annotated[
        list[str] | None,
        typer.Option("--report", metavar="FILE", help="LCOV, JSON of coverage.py or Cobertura XML; repeat."),
    ] = None,
    fail_under: Annotated[
        float | None, typer.Option("--fail-under", min=0, max=100, help="Exit with 1 below this percent.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="Files and functions to list.")] = 20,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root) as workspace:
        snapshot = workspace.snapshot
        try:
            found = coverage_of(workspace.workspace, snapshot, workspace.settings, report or ())
        except CoverageRefused as refused:
            raise UsageError(str(refused)) from None
        if found is None:
            raise UsageError("There is no report of coverage. Name one with --report, or in findings.coverage.")
        inside = "" if scope == "." else scope.rstrip("/").removeprefix("./")
        view = coverage_view(Presenter(snapshot), found, inside, limit)
        envelope = answer(snapshot, Coverage(empty=not view.files))
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = _page(view)
        close_page(page, envelope)
        page.write()
    if fail_under is not None and (view.percent is None or view.percent < fail_under):
        raise NegativeAnswer


def _page(view: CoverageView) -> TextPage:
    page = TextPage()
    share = "no line of these files" if view.percent is None else f"{view.percent:g} % of {counted(view.lines, 'line')}"
    ways = branches_taken(view.branches_covered, view.branches)
    page.line(", ".join((share, *([ways] if ways else ()), f"by {', '.join(view.reports)}")))
    page.heading("files by lines that no test ran")
    page.rows(map(_row, view.files), indent="  ")
    page.heading("functions by lines that no test ran")
    page.rows(map(_row, view.functions), indent="  ")
    if view.outside:
        page.line()
        page.line((f"{counted(view.outside, 'file')} of the reports not in the workspace", "yellow"))
    for path in view.outdated:
        page.line((f"{path} is shorter than a report says: nothing is said of it", "yellow"))
    return page


def _row(one: CoverageRow) -> tuple[Part, ...]:
    place = f"{one.file}:{one.line}" if one.line else ""
    return (
        f"{one.covered} of {one.lines}",
        f"{one.percent:g} %",
        branches_taken(one.branches_covered, one.branches),
        (one.symbol if one.line else one.file, NAME),
        (place, PLACE),
    )
