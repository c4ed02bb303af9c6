"""Doctor: is everything there that graphls needs?

Owns: arguments of `graphls doctor`, the layout of the checks.
Must not know: how a check is made.
Invariant: one failing check leaves the others standing; only a failure makes the answer negative.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.cli.checks import Check, CheckVerdict, checker_names, checks
from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer
from graphls.cli.open_workspace import located, opened, switches
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted
from graphls.queries.languages import LanguageCoverage, language_coverage


@attrs.frozen
class LanguageVerdict:
    """A language and the checker that settles what it leaves open, "" where none is found."""

    coverage: LanguageCoverage
    checker: str


@attrs.frozen
class LanguageVerdicts:
    """All languages of a workspace, most files first."""

    languages: tuple[LanguageVerdict, ...]


_SIGNS = {
    "ok": ("ok", "green"),
    "note": ("note", "cyan"),
    "warning": ("warning", "yellow"),
    "failed": ("FAILED", "red"),
}


COMMAND = CommandEntry(help="Check that everything graphls needs is there and works.", rank=270)


def run(
    ctx: typer.Context,
    *,
    root: Root = ".",
    languages: Annotated[
        bool,
        typer.Option("--languages", help="Show languages instead: files, tier, checker, what stays open."),
    ] = False,
    format: AsFormat = Format.TEXT,
) -> None:
    if languages:
        _languages(ctx, root, format)
        return
    verdict = CheckVerdict(tuple(checks(located(ctx, root), cache=switches(ctx).cache)))
    if format is Format.JSON:
        write_json(verdict)
    else:
        page = TextPage()
        page.rows([(_SIGNS[check.state], (check.name, "bold"), check.detail) for check in verdict.checks])
        for check in verdict.checks:
            if check.advice:
                page.line()
                page.line((f"{check.name}: ", "bold"), check.advice)
        page.write()
    if any(_failed(check) for check in verdict.checks):
        raise NegativeAnswer


def _languages(ctx: typer.Context, root: str, format: Format) -> None:
    with opened(ctx, root) as workspace:
        found = language_coverage(workspace.snapshot)
    named = checker_names(located(ctx, root))
    if format is Format.JSON:
        write_json(LanguageVerdicts(tuple(LanguageVerdict(one, named.get(one.name, "")) for one in found)))
        return
    page = TextPage()
    for one in found:
        checker = named.get(one.name) or "no checker"
        page.line((one.name, "bold"), f"  {counted(one.files, 'file')}, {one.tier}, {checker}")
        share = f"{one.unresolved / one.uses:.1%}" if one.uses else "0%"
        page.line(f"  {one.uses:,} uses: {one.outside:,} lead outside, {one.unresolved:,} are unresolved ({share})")
    if not found:
        page.line("no source file of a known language")
    page.write()


def _failed(check: Check) -> bool:
    return check.state == "failed"
