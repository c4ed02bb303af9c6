"""Outcomes: what became of findings that agents were shown.

Owns: arguments of `graphls outcomes`, its layout.
Must not know: how they are kept, any particular rule.
Invariant: findings are computed anew, so that what is said is of the files as they are.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import attrs
import typer

from graphls.analysis.findings import findings
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.session.known_findings import known_findings
from graphls.session.outcomes import OUTCOMES, Outcomes, RuleEffect, ShownFinding, effects

COMMAND = CommandEntry(help="Show what became of findings that agents were shown.", rank=293)


class OutcomeName(StrEnum):
    """What may become of one."""

    SUGGESTED = "suggested"
    ATTEMPTED = "attempted"
    FIXED = "fixed"
    REPEATED = "repeated"
    CLOSED = "closed"
    UNKNOWN = "unknown"


@attrs.frozen(kw_only=True)
class OutcomesView:
    """By rule, then each. `erased`: how many were forgotten just now."""

    rules: tuple[RuleEffect, ...]
    findings: tuple[ShownFinding, ...]
    erased: int


def run(
    ctx: typer.Context,
    *,
    rule: Annotated[str, typer.Option("--rule", metavar="CODE", help="Of this rule only.")] = "",
    outcome: Annotated[OutcomeName | None, typer.Option("--outcome", help="Those that came to this.")] = None,
    erase: Annotated[bool, typer.Option("--erase", help="Forget all of it.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="Findings to list.")] = 50,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, "complete") as workspace:
        if workspace.store is None:
            raise UsageError("The cache is switched off, and outcomes stand there.")
        known = Outcomes(workspace.store, workspace.workspace)
        erased = known.erase() if erase else 0
        beside = known_findings(workspace.workspace, workspace.settings, workspace.store)
        rows = known.look(workspace.snapshot, findings(workspace.snapshot, workspace.settings, beside))
        known.prune()
        rows = tuple(one for one in rows if rule in ("", one.rule))
        chosen = [one for one in rows if outcome is None or one.outcome == outcome.value]
        view = OutcomesView(rules=effects(rows), findings=tuple(chosen[:limit]), erased=erased)
        omitted = max(len(chosen) - limit, 0)
        envelope = answer(workspace.snapshot, Coverage(truncated=omitted > 0, omitted=omitted, empty=not rows))
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = _page(view)
        close_page(page, envelope)
        page.write()
    if not (view.findings or erased):
        raise NegativeAnswer


def _page(view: OutcomesView) -> TextPage:
    page = TextPage()
    page.rows(
        [
            ((one.rule, NAME), counted(one.shown, "finding") + " shown",
             ", ".join(f"{one.counts[name]} {name}" for name in OUTCOMES if one.counts[name]))
            for one in view.rules
        ]
    )  # fmt: skip
    if view.findings:
        page.line()
    page.rows(
        [
            ((one.outcome, KIND), one.title, (one.file, PLACE),
             (f"edited {one.attempts} times" if one.attempts > 1 else "", FAINT))
            for one in view.findings
        ]
    )  # fmt: skip
    if view.erased:
        page.line(f"{counted(view.erased, 'finding')} forgotten.")
    elif not view.rules:
        page.line("No agent was shown a finding, or the journal is off (agents.journal).")
    return page
