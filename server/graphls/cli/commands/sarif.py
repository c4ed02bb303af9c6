"""Sarif: what logs of other tools say, asked by rule, policy, path, run or symbol.

Owns: arguments of `graphls sarif`, its layout.
Must not know: formats of logs, how they are kept.
Invariant: nothing is taken in or forgotten here; a log that cannot be read is named.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import attrs
import typer

from graphls.analysis.sarif.imported import rule_name
from graphls.analysis.sarif.reading import SarifRefused
from graphls.analysis.sarif.results import ResultFilter, ResultRow, RunRow, SameDefect, log_rows, same_defects
from graphls.analysis.views import is_within
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.known_findings import known_findings
from graphls.session.log_history import RepeatedResult, repeated

COMMAND = CommandEntry(help="Ask what logs of linters and scanners say.", rank=232, read_only=True)


class SarifAction(StrEnum):
    """What is asked."""

    RESULTS = "results"
    RUNS = "runs"
    SAME = "same"
    REPEATED = "repeated"


@attrs.frozen(kw_only=True)
class SarifView:
    """What was asked for; `total`: how many there are."""

    total: int
    runs: tuple[RunRow, ...] = ()
    results: tuple[ResultRow, ...] = ()
    same: tuple[SameDefect, ...] = ()
    repeated: tuple[RepeatedResult, ...] = ()


def run(
    ctx: typer.Context,
    action: Annotated[
        SarifAction,
        typer.Argument(
            metavar="[ACTION]",
            help="Results; runs; the same said by several tools or runs; repeated, each time that a log came.",
        ),
    ] = SarifAction.RESULTS,
    *,
    rule: Annotated[str, typer.Option("--rule", metavar="CODE", help="Of this rule only.")] = "",
    policy: Annotated[str, typer.Option("--policy", metavar="ID", help="Of this policy only.")] = "",
    skill: Annotated[str, typer.Option("--skill", metavar="ID", help="With this advice only.")] = "",
    path: Annotated[str, typer.Option("--path", metavar="PATH", help="Of this file or folder only.")] = "",
    log: Annotated[str, typer.Option("--run", metavar="RUN", help="Of this run, or of all of a log.")] = "",
    symbol: Annotated[
        str, typer.Option("--symbol", metavar="SYMBOL", help="In this symbol, or in what it holds.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="Rows to list.")] = 50,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root) as workspace:
        inside = path.rstrip("/").removeprefix("./")
        wanted = ResultFilter(
            rule=rule, policy=policy, skill=skill, path="" if inside == "." else inside, run=log, symbol=symbol
        )
        view = _view(workspace, action, wanted, limit)
        omitted = view.total - max(len(view.runs), len(view.results), len(view.same), len(view.repeated))
        coverage = Coverage(truncated=omitted > 0, omitted=omitted, empty=not view.total)
        envelope = answer(workspace.snapshot, coverage)
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = _page(view)
        close_page(page, envelope)
        page.write()
    if not view.total:
        raise NegativeAnswer


def _view(workspace: OpenWorkspace, action: SarifAction, wanted: ResultFilter, limit: int) -> SarifView:
    if action is SarifAction.REPEATED:
        store = workspace.store
        found = () if store is None else repeated(store, workspace.workspace)
        chosen = [
            one
            for one in found
            if wanted.rule.casefold() in ("", one.rule.casefold(), one.rule.partition("/")[2].casefold())
            and is_within(one.file, wanted.path)
            and wanted.run in ("", one.log)
        ]
        return SarifView(total=len(chosen), repeated=tuple(chosen[:limit]))
    reports = known_findings(workspace.workspace, workspace.settings, workspace.store).reports
    try:
        runs, rows = log_rows(workspace.snapshot, reports, wanted)
    except SarifRefused as refused:
        raise UsageError(f"A log {refused}.") from None
    if action is SarifAction.RUNS:
        return SarifView(total=len(runs), runs=runs[:limit])
    if action is SarifAction.SAME:
        same = same_defects(rows)
        return SarifView(total=len(same), same=same[:limit])
    return SarifView(total=len(rows), results=rows[:limit])


def _page(view: SarifView) -> TextPage:
    page = TextPage()
    page.rows(map(_run_parts, view.runs))
    page.rows(map(_result_parts, view.results))
    for one in view.same:
        page.heading(f"{one.file}:{one.line}")
        page.rows(map(_result_parts, one.results), indent="  ")
    page.rows(map(_repeated_parts, view.repeated))
    if not view.total:
        page.line("No log says so: `graphls ingest FILE` takes one in, findings.reports names others.")
    return page


def _run_parts(one: RunRow) -> tuple[Part, ...]:
    unlinked = f"{one.unlinked} in no file of the graph" if one.unlinked else ""
    return (
        (one.source, NAME), f"{one.tool} {one.version}".strip(), counted(one.results, "result"),
        one.category, one.produced_at, unlinked, (one.id, FAINT),
    )  # fmt: skip


def _result_parts(one: ResultRow) -> tuple[Part, ...]:
    said = next(iter(one.message.splitlines()), "")
    state = "" if one.status == "open" else one.status
    return (
        (one.level, KIND), rule_name(one.tool, one.rule), (f"{one.file}:{one.line}" if one.file else "", PLACE),
        (one.symbol, NAME), said[:100], (" ".join(filter(None, (state, one.policy, one.skill))), FAINT),
    )  # fmt: skip


def _repeated_parts(one: RepeatedResult) -> tuple[Part, ...]:
    day = datetime.fromtimestamp(one.last, UTC).date().isoformat()
    state = "reopened" if one.reopened and one.open else "" if one.open else "gone"
    return (
        f"{one.times} of {one.of} times",
        one.rule,
        (one.file, PLACE),
        one.title[:100],
        (f"{day} {state}".strip(), FAINT),
    )
