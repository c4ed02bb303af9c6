"""Doctor: is everything there that graphls needs?

Owns: arguments of `graphls doctor`, the layout of the checks.
Must not know: how a check is made.
Invariant: one failing check leaves the others standing; only a failure makes the answer negative.
"""

from __future__ import annotations

import typer

from graphls.cli.checks import Check, CheckVerdict, checks
from graphls.cli.guard import NegativeAnswer
from graphls.cli.open_workspace import located, switches
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json

_SIGNS = {
    "ok": ("ok", "green"),
    "note": ("note", "cyan"),
    "warning": ("warning", "yellow"),
    "failed": ("FAILED", "red"),
}


def run(ctx: typer.Context, *, root: Root = ".", format: AsFormat = Format.TEXT) -> None:
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


def _failed(check: Check) -> bool:
    return check.state == "failed"
