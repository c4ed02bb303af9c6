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

from graphls.cli.emptiness import end_if_empty
from graphls.cli.opening import Opened, opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.page import Page
from graphls.cli.rendering.wire import write_json
from graphls.cli.standing import standing, standing_rows
from graphls.cli.verifying import available, rule_name


@attrs.frozen
class Judged:
    """How often a rule was right, by what the checker says. `silent`: it knew no answer."""

    language: str
    rule: int
    name: str
    right: int
    wrong: int
    silent: int


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
        held = standing(workspace)
        judged = _judged(workspace) if precision else None
    if format is Format.JSON:
        write_json(held, {"precision": judged} if precision else {})
        end_if_empty(held.indexed)
        return
    page = Page()
    page.rows(standing_rows(held))
    if judged is not None:
        _show(page, judged)
    page.write()
    end_if_empty(held.indexed)


def _judged(workspace: Opened) -> tuple[Judged, ...]:
    snapshot = available(workspace).snapshot
    return tuple(
        Judged(row.language, row.rule, rule_name(row.language, row.rule), row.right, row.wrong, row.silent)
        for row in workspace.session.verifying.precision(snapshot)
    )


def _show(page: Page, judged: Sequence[Judged]) -> None:
    page.heading("rules, judged by the checker")
    if not judged:
        page.note("  no answers yet: graphls index --verify asks for all of them")
    rows = [("language", "rule", "right", "wrong", "silent", "precision")]
    for one in judged:
        share = f"{one.right / (one.right + one.wrong):.4f}" if one.right + one.wrong and one.rule >= 0 else "-"
        rows.append((one.language, one.name, f"{one.right:,}", f"{one.wrong:,}", f"{one.silent:,}", share))
    page.rows(rows if judged else [], indent="  ")
