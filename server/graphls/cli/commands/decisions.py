"""Decisions: why code is as it is.

Owns: arguments of `graphls decisions`, its layout.
Must not know: where decisions stand, what a record looks like.
Invariant: no decision is an answer with a code of its own, as where nothing is found.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.decision_records import ACTIONS, DecisionArguments, written, written_page
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.cli.symbols import place_of
from graphls.queries.answer import Coverage, answer
from graphls.session.decision_health import decision_health
from graphls.session.decision_report import DecisionReport, decision_report
from graphls.session.health_report import HealthSources

COMMAND = CommandEntry(help="List, add and link decisions and the code they govern.", rank=239)
_SHOWN = 5


def run(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SCOPE | add | link DECISION | import FILE...]",
            help="A file, folder, package or module whose decisions are listed, all if none; or what to write.",
        ),
    ] = None,
    *,
    symbols: Annotated[
        list[str] | None, typer.Option("--symbol", metavar="SYMBOL", help="List those that govern it; or let one.")
    ] = None,
    paths: Annotated[
        list[str] | None, typer.Option("--path", metavar="PATH", help="add, link: a file or folder that it governs.")
    ] = None,
    status: Annotated[str, typer.Option("--status", metavar="STATUS", help="accepted, proposed, superseded ...")] = "",
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="add: what was decided.")] = "",
    rationale: Annotated[str, typer.Option("--rationale", metavar="TEXT", help="add: why.")] = "",
    alternatives: Annotated[
        list[str] | None, typer.Option("--alternative", metavar="TEXT", help="add: what else was considered; repeat.")
    ] = None,
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="add: who decided.")] = "",
    folder: Annotated[str, typer.Option("--folder", metavar="FOLDER", help="add, import: where records go.")] = "",
    dry: Annotated[bool, typer.Option("--dry-run", help="add, link, import: write nothing, show it.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Decisions to list.")] = 20,
    health: Annotated[
        bool, typer.Option("--health", help="Those that may be out of date or conflict, and hot files without one.")
    ] = False,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    action, *rest = words if words and words[0] in ACTIONS else ["list", *(words or ())]
    given = DecisionArguments(
        action=action, rest=tuple(rest), title=title, rationale=rationale, status=status,
        alternatives=tuple(alternatives or ()), author=author, paths=tuple(paths or ()), symbols=tuple(symbols or ()),
        folder=folder, dry=dry,
    )  # fmt: skip
    given.check()
    if health:
        if rest or symbols or status or action != "list":
            raise UsageError("--health is about all decisions: leave out the scope, --symbol and --status.")
        _health(ctx, root, limit, format)
    elif action == "list":
        _list(ctx, given, root, limit, format)
    else:
        _write(ctx, given, root, format)


def _write(ctx: typer.Context, given: DecisionArguments, root: str, format: Format) -> None:
    with opened(ctx, root) as workspace:
        view = written(workspace, given)
        envelope = answer(workspace.snapshot, Coverage())
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = written_page(view)
        close_page(page, envelope)
        page.write()
    if all(one.what == "skipped" for one in view.records):
        raise NegativeAnswer


def _list(ctx: typer.Context, given: DecisionArguments, root: str, limit: int, format: Format) -> None:
    if given.paths or given.folder or given.dry or len(given.symbols) > 1 or len(given.rest) > 1:
        raise UsageError("A list takes one scope or one --symbol; what to write is said first: add, link or import.")
    with opened(ctx, root) as workspace:
        place = place_of(workspace, given.symbols[0]) if given.symbols else None
        found = decision_report(workspace.snapshot, given.rest[0] if given.rest else "", place, given.status)
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
    for path in found.unreadable:
        page.line(("unreadable", "yellow"), "  ", (path, PLACE), "  its front matter is no YAML")
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
