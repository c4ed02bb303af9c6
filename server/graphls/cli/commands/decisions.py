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
from graphls.cli.rendering.words import counted
from graphls.cli.symbols import place_of
from graphls.queries.answer import Coverage, answer
from graphls.session.decision_health import decision_health
from graphls.session.decision_report import DecisionReport, decision_report
from graphls.session.health_report import HealthSources

COMMAND = CommandEntry(help="List decisions, and the code that they govern.", rank=239, read_only=True)
_SHOWN = 5


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    symbol: Annotated[str, typer.Option("--symbol", metavar="SYMBOL", help="Those that govern it.")] = "",
    status: Annotated[str, typer.Option("--status", metavar="STATUS", help="accepted, proposed, superseded ...")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Decisions to list.")] = 20,
    health: Annotated[
        bool, typer.Option("--health", help="Those that may be out of date or conflict, and hot files without one.")
    ] = False,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    if health:
        if scope or symbol or status:
            raise UsageError("--health is about all decisions: leave out the scope, --symbol and --status.")
        _health(ctx, root, limit, format)
        return
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


def _health(ctx: typer.Context, root: str, limit: int, format: Format) -> None:
    with opened(ctx, root) as workspace:
        sources = HealthSources(workspace.workspace, workspace.settings, workspace.store)
        found = decision_health(workspace.snapshot, sources, limit)
        envelope = answer(workspace.snapshot, Coverage())
    if format is Format.JSON:
        write_answer(envelope, found)
        return
    page = TextPage()
    page.line(counted(found.decisions, "decision"))
    for one in found.stale or ():
        when = "before the commits that were looked at" if one.changed is None else f"on {one.changed}"
        page.line(("stale", "yellow"), "  ", (one.title, NAME), "  ", (one.file, PLACE), f"  changed {when}")
        page.rows(((path, PLACE), ("changed since", FAINT)) for path in one.since[:_SHOWN])
    for what, places in (("conflicting", found.conflicting), ("overlapping", found.overlapping)):
        for place in places:
            page.line((what, "yellow"), "  ", (place.symbol, NAME), f"  {counted(len(place.decisions), 'decision')}")
    if found.ungoverned:
        page.heading("often changed, no decision")
        page.rows([((one.file, PLACE), counted(one.commits, "commit")) for one in found.ungoverned], indent="  ")
    if found.head is None:
        page.line(("Without history nobody knows what is stale or ungoverned.", "yellow"))
    close_page(page, envelope)
    page.write()


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
