"""Decisions: why code is as it is.

Owns: arguments of `graphls decisions`, its layout.
Must not know: where decisions stand.
Invariant: no decision is an answer with a code of its own, as where nothing is found.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.analysis.decisions import STATUSES
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.symbols import place_of
from graphls.queries.answer import Coverage, answer
from graphls.session.decision_report import DecisionReport, decision_report

COMMAND = CommandEntry(help="List decisions, and the code that they govern.", rank=239, read_only=True)
_SHOWN = 5


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    symbol: Annotated[str, typer.Option("--symbol", metavar="SYMBOL", help="Those that govern it.")] = "",
    status: Annotated[str, typer.Option("--status", metavar="STATUS", help="accepted, proposed, superseded ...")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Decisions to list.")] = 20,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    if status and status not in STATUSES:
        raise UsageError(f"No decision has the status {status!r}. Use one of: {', '.join(STATUSES)}.")
    with opened(ctx, root) as workspace:
        place = place_of(workspace, symbol) if symbol else None
        found = decision_report(workspace.snapshot, scope, place, status)
        omitted = max(len(found.decisions) - limit, 0)
        report = attrs.evolve(found, decisions=found.decisions[:limit])
        coverage = Coverage(truncated=omitted > 0, omitted=omitted, empty=not report.decisions)
        envelope = answer(workspace.snapshot, coverage)
    if format is Format.JSON:
        write_answer(envelope, report)
    else:
        page = _page(report)
        close_page(page, envelope)
        page.write()
    if not report.decisions:
        raise NegativeAnswer


def _page(report: DecisionReport) -> TextPage:
    page = TextPage()
    for one in report.decisions:
        page.rows([((one.status, KIND), (one.title, NAME), (f"{one.file}:{one.line}", PLACE))])
        page.rows((("governs", FAINT), name) for name in one.governs[:_SHOWN])
        if len(one.governs) > _SHOWN:
            page.line(f"  and {len(one.governs) - _SHOWN} more")
        page.rows((("not in the graph", "yellow"), name) for name in one.lost)
    for conflict in report.conflicts:
        page.line((f"Decisions of different status govern {conflict.symbol}.", "yellow"))
    if not report.decisions:
        page.line("No decision is recorded." if not report.total else "No decision is about this.")
    return page
