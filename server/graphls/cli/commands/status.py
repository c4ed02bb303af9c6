"""Status: what the graph holds and what it could not take in.

Owns: arguments of `graphls status`.
Must not know: how the numbers are counted.
Invariant: the JSON form has the same keys whatever the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.empty_workspace import end_if_empty
from graphls.cli.index_status import index_status, status_rows
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.verification import available, rule_name


@attrs.frozen
class PrecisionView:
    """How often a rule was right, by what the checker says. `silent`: it knew no answer."""

    language: str
    rule: int
    name: str
    right: int
    wrong: int
    silent: int


COMMAND = CommandEntry(help="Say what the graph holds and what it could not take in.", rank=260, read_only=True)


def run(
    ctx: typer.Context,
    *,
    precision: Annotated[
        bool, typer.Option("--precision", help="How often each rule was right, by the answers of the checker so far.")
    ] = False,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, "complete" if precision else "ready", checker=True) as workspace:
        index = index_status(workspace)
        judged = _judged(workspace) if precision else None
    if format is Format.JSON:
        write_json(index, {"precision": judged} if precision else {})
        end_if_empty(index.indexed)
        return
    page = TextPage()
    page.rows(status_rows(index))
    if judged is not None:
        _show(page, judged)
    page.write()
    end_if_empty(index.indexed)


def _judged(workspace: OpenWorkspace) -> tuple[PrecisionView, ...]:
    snapshot = available(workspace).snapshot
    return tuple(
        PrecisionView(row.language, row.rule, rule_name(row.language, row.rule), row.right, row.wrong, row.silent)
        for row in workspace.session.checker_service.precision(snapshot)
    )


def _show(page: TextPage, judged: Sequence[PrecisionView]) -> None:
    page.heading("rules, judged by the checker")
    if not judged:
        page.note("  no answers yet: graphls index --verify asks for all of them")
    rows = [("language", "rule", "right", "wrong", "silent", "precision")]
    for one in judged:
        share = f"{one.right / (one.right + one.wrong):.4f}" if one.right + one.wrong and one.rule >= 0 else "-"
        rows.append((one.language, one.name, f"{one.right:,}", f"{one.wrong:,}", f"{one.silent:,}", share))
    page.rows(rows if judged else [], indent="  ")
