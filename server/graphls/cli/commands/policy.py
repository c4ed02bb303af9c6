"""Policy: the rules of a team.

Owns: arguments of `graphls policy`, its layout.
Must not know: how expressions are evaluated.
Invariant: the answer is negative where something breaks a rule that blocks, and where a rule cannot be read or used.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from graphls.analysis.policy.overriding import effective_rules
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import KIND, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import plain
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.queries.completeness import rules_that_failed
from graphls.session.finding_views import ReportedFinding
from graphls.session.policy_report import (
    PolicyExplanation,
    PolicyReport,
    policy_explanation,
    policy_findings,
    policy_report,
)

COMMAND = CommandEntry(help="Apply your own rules to code and to a change.", rank=231, read_only=True)
_SHOWN = 50
_SECTION = "policy"


class PolicyAction(StrEnum):
    """What to do."""

    CHECK = "check"
    EXPLAIN = "explain"


def run(
    ctx: typer.Context,
    action: Annotated[PolicyAction, typer.Argument(help="Apply all rules, or explain one.")] = PolicyAction.CHECK,
    rule: Annotated[str, typer.Argument(metavar="[RULE]", help="The rule to explain.")] = "",
    *,
    base: Annotated[str, typer.Option("--base", metavar="REF", help="The change is everything since this.")] = "",
    staged: Annotated[bool, typer.Option("--staged", help="The change is what is staged.")] = False,
    unstaged: Annotated[bool, typer.Option("--unstaged", help="The change is what is not staged.")] = False,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    if sum((bool(base), staged, unstaged)) > 1:
        raise UsageError("Choose one of --staged, --unstaged and --base.")
    if (action is PolicyAction.EXPLAIN) != bool(rule):
        raise UsageError("Name one rule to explain, and none to check them all.")
    changes = "compare" if base else "staged" if staged else "unstaged" if unstaged else "all"
    with opened(ctx, root, "complete") as workspace:
        snapshot, settings = workspace.snapshot, workspace.settings
        known = {one.id: one for one in effective_rules(settings.policy.rules)[0]}
        if rule and rule not in known:
            there = f"There are: {', '.join(known)}." if known else "There are none."
            raise UsageError(f"There is no rule {rule!r} in the setting policy.rules. {there}")
        found = policy_findings(snapshot, workspace.workspace, settings, changes, base, store=workspace.store)
        explained = policy_explanation(snapshot, known[rule], found) if rule else None
        report = policy_report(snapshot, settings, found)
        misread = _SECTION in workspace.place.misread
        completeness = rules_that_failed(len(report.failed) + misread)
        envelope = answer(snapshot, Coverage(empty=not report.findings, completeness=completeness))
    if format is Format.JSON:
        write_answer(envelope, report if explained is None else explained)
    else:
        page = _page(report, misread=misread) if explained is None else _explained(explained)
        close_page(page, envelope)
        page.write()
    if explained is None and (report.blocked or report.failed or misread):
        raise NegativeAnswer


def _page(report: PolicyReport, *, misread: bool) -> TextPage:
    page = TextPage()
    _findings(page, report.findings)
    for name, reason in report.failed.items():
        page.line((f"the rule {name} was not applied: {reason}", "yellow"))
    if misread:
        page.line(("rules that cannot be read were not applied: the warnings name them", "yellow"))
    if not report.rules and not misread:
        page.line("There are no rules: write them in the setting policy.rules (docs/policy.md).")
    else:
        page.line(f"{counted(report.rules, 'rule')}, {counted(len(report.findings), 'finding')}")
    return page


def _findings(page: TextPage, found: tuple[ReportedFinding, ...]) -> None:
    for one in found[:_SHOWN]:
        place = one.evidence[0]
        page.line((one.priority, KIND), "  ", one.title, "  ", (one.rule, "dim"))
        page.line("   ", (f"{place.file}:{place.line}", PLACE), "  ", one.suggestions[0])
    if len(found) > _SHOWN:
        page.note(f"and {len(found) - _SHOWN} more")


def _explained(one: PolicyExplanation) -> TextPage:
    page = TextPage()
    page.line((one.id, "bold"), f"  {one.scope}, {one.severity}: {one.message}")
    page.line("when: ", one.when)
    page.line("advice: ", one.advice)
    if one.problem:
        page.line((one.problem, "yellow"))
    page.heading("facts, as an example")
    page.rows([((name, KIND), json.dumps(plain(value))) for name, value in one.facts.items()], indent="  ")
    page.line("functions: ", ", ".join(one.helpers), " and those of CEL")
    page.line()
    _findings(page, one.findings)
    page.line(counted(len(one.findings), "finding"))
    return page
