"""Findings: what the rules say about a workspace.

Owns: arguments of `graphls findings`, its layout, the threshold that makes the answer negative.
Must not know: any particular rule.
Invariant: a baseline is written only when asked for, inside the workspace, whole or not at all.
"""

from __future__ import annotations

import os
from collections import Counter
from enum import StrEnum
from typing import Annotated

import attrs
import typer

from graphls.analysis.baseline import Baseline, baseline_text
from graphls.analysis.finding import PRIORITIES, Finding, Priority, Status
from graphls.analysis.findings import FindingSet, findings
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.queries.node_views import Presenter
from graphls.session.finding_views import FindingsReport, findings_report
from graphls.settings import Settings
from graphls.sources.read import read_small
from graphls.sources.write import write_inside

_COLOURS = {"P1": "bold red", "P2": "red", "P3": "yellow", "info": "cyan"}
_LARGEST_BASELINE = 20_000_000
_SHOWN_EVIDENCE = 6


class Severity(StrEnum):
    """How pressing a finding is."""

    P1 = "P1"
    P2 = "P2"
    P3 = "P3"
    INFO = "info"


class State(StrEnum):
    """Which findings are listed."""

    OPEN = "open"
    SUPPRESSED = "suppressed"
    BASELINED = "baselined"
    ALL = "all"


COMMAND = CommandEntry(help="List architecture findings.", rank=230, read_only=True)


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    rule: Annotated[list[str] | None, typer.Option("--rule", metavar="CODE", help="This rule only; repeat.")] = None,
    least: Annotated[Severity, typer.Option("--least", help="Leave out what is less pressing.")] = Severity.INFO,
    status: Annotated[State, typer.Option("--status", help="Which findings are listed.")] = State.OPEN,
    fail_on: Annotated[
        Severity | None, typer.Option("--fail-on", help="Exit with 1 when an open finding is this pressing or more.")
    ] = None,
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="FILE", help="File of known findings, in the workspace.")
    ] = "",
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Write the open findings to the baseline.")
    ] = False,
    generated: Annotated[
        bool, typer.Option("--generated", help="Findings in generated and vendored files as well.")
    ] = False,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, "complete") as workspace:
        path = _baseline_path(workspace, baseline)
        before = _baseline_bytes(path, wanted=bool(baseline) and not update_baseline)
        folder = _folder(workspace, scope)
        settings = _with_generated(workspace.settings) if generated else workspace.settings
        answered = findings(workspace.snapshot, settings, before, folder)
        chosen = answered.chosen(status=_statuses(status), rules=_known(rule or []), least=least.value, scope=folder)
        listing = findings_report(Presenter(workspace.snapshot), answered, chosen)
        if update_baseline:
            opens = answered.chosen(rules=rule or (), least=least.value, scope=folder)
            note = _update(workspace, path, answered.baseline, opens)
        else:
            note = ""
        envelope = answer(workspace.snapshot, Coverage(empty=not chosen))
    if format is Format.JSON:
        write_answer(envelope, listing)
    else:
        page = _page(listing, answered, note)
        close_page(page, envelope)
        page.write()
    if fail_on is not None and not update_baseline and _exceeds(answered, chosen, fail_on.value):
        raise NegativeAnswer


def _with_generated(settings: Settings) -> Settings:
    return attrs.evolve(settings, findings=attrs.evolve(settings.findings, generated=True))


def _statuses(state: State) -> tuple[Status, ...]:
    every: tuple[Status, ...] = ("open", "suppressed", "baselined")
    return every if state is State.ALL else tuple(name for name in every if name == state.value)


def _exceeds(answered: FindingSet, chosen: tuple[Finding, ...], least: Priority) -> bool:
    limit = PRIORITIES.index(least)
    pressing = any(found.status == "open" and PRIORITIES.index(found.priority) <= limit for found in chosen)
    return pressing or bool(answered.failures)


def _known(rules: list[str]) -> list[str]:
    from graphls.analysis.engine import catalogue

    unknown = sorted(set(rules) - catalogue().keys())
    if unknown:
        raise UsageError(f"There is no rule {unknown[0]!r}. Use one of: {', '.join(catalogue())}.")
    return rules


def _folder(workspace: OpenWorkspace, scope: str) -> str:
    if not scope or scope == ".":
        return ""
    path = workspace.workspace.contained(scope)
    shards = workspace.snapshot.shards
    if path not in shards and not any(file.startswith(f"{path}/") for file in shards):
        raise UsageError(f"{scope!r} names no file or folder of the graph.")
    return path


def _baseline_path(workspace: OpenWorkspace, chosen: str) -> str:
    return workspace.workspace.absolute(workspace.workspace.contained(chosen or workspace.settings.findings.baseline))


def _baseline_bytes(path: str, *, wanted: bool) -> bytes:
    """What is there; nothing where no file is, unless the user named it."""
    data = read_small(path, _LARGEST_BASELINE)
    if data is None and wanted:
        raise UsageError("The baseline cannot be read. Make it with --update-baseline, or leave --baseline out.")
    return data or b""


def _update(workspace: OpenWorkspace, path: str, known: Baseline, opens: tuple[Finding, ...]) -> str:
    if known.problem:
        raise UsageError(known.problem)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_inside(workspace.workspace, path, [baseline_text(known, opens).encode()])
    except OSError as error:
        raise UsageError(f"The baseline cannot be written: {error.strerror or error}.") from error
    return f"{counted(len(opens), 'finding')} added to the baseline"


def _page(listing: FindingsReport, answered: FindingSet, note: str) -> TextPage:
    page = TextPage()
    for found in listing.findings:
        page.line(
            (found.priority, _COLOURS.get(found.priority, "")), " ", (found.title, "bold"), "  ", (found.rule, "dim"),
            "" if found.status == "open" else f"  ({found.status})",
        )  # fmt: skip
        page.line("   ", found.pressure)
        evidence = found.evidence[:_SHOWN_EVIDENCE]
        page.rows([((f"{seen.file}:{seen.line}", "green"), seen.note) for seen in evidence], indent="   ")
        if len(found.evidence) > _SHOWN_EVIDENCE:
            page.note(f"   and {len(found.evidence) - _SHOWN_EVIDENCE} more places")
        for suggestion in found.suggestions[:1]:
            page.line("   try: ", suggestion)
        page.line()
    for rule, reason in listing.failed.items():
        page.line((f"the rule {rule} could not finish: {reason}", "yellow"))
    if answered.baseline.problem:
        page.line((answered.baseline.problem, "yellow"))
    page.line(_total(listing, answered))
    if note:
        page.line(note)
    return page


def _total(listing: FindingsReport, answered: FindingSet) -> str:
    listed = ", ".join(f"{count} {priority}" for priority, count in listing.counts.items() if count)
    states = Counter(found.status for found in answered.findings)
    hidden = [f"{states[state]} {state}" for state in ("suppressed", "baselined") if states[state]]
    if answered.files_left_out:
        hidden.append(f"{counted(answered.files_left_out, 'generated or vendored file')} left out (--generated)")
    return "; ".join([counted(len(listing.findings), "finding") + (f": {listed}" if listed else ""), *hidden])
