"""Feedback: say whether an item of a pack was useful, list what was said, forget it.

Owns: arguments of `graphls feedback`, its layout.
Must not know: how feedback is kept, what it is worth.
Invariant: a verdict that no longer counts is listed as such.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.cli.guard import Refused
from graphls.cli.opening import Opened, opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, NAME, close_page, write_answer
from graphls.cli.rendering.page import Page
from graphls.cli.rendering.words import counted
from graphls.context.feedback import (
    Standing,
    erase_feedback,
    feedback_of,
    keep_feedback,
    standing,
    verdict_on,
)
from graphls.queries.answer import answer


@attrs.frozen
class Said:
    """Everything that was said, oldest first. `erased`: how many verdicts were forgotten just now."""

    erased: int
    verdicts: tuple[Standing, ...]


def run(
    ctx: typer.Context,
    node: Annotated[str, typer.Argument(metavar="[SYMBOL]", help="Id or symbol of an item; without one, list.")] = "",
    *,
    useful: Annotated[bool | None, typer.Option("--useful/--not-useful", help="What it was for the task.")] = None,
    task: Annotated[str, typer.Option("--task", "-t", metavar="TEXT", help="The task of the pack.")] = "",
    pack: Annotated[str, typer.Option("--pack", metavar="ID", help="Id of the pack (p:...).")] = "",
    erase: Annotated[bool, typer.Option("--erase", help="Forget what was said about SYMBOL, or everything.")] = False,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    if erase and useful is not None:
        raise Refused("Either say something or erase it.")
    if useful is not None and not node:
        raise Refused("Say which item: its id or symbol.")
    if node and useful is None and not erase:
        raise Refused("Say what it was: --useful or --not-useful; --erase forgets it.")
    with opened(ctx, root) as workspace:
        said = _said(workspace, node, useful=useful, task=task, pack=pack, erase=erase)
        envelope = answer(workspace.snapshot)
    if format is Format.JSON:
        write_answer(envelope, said)
        return
    page = _page(said)
    close_page(page, envelope)
    page.write()


def _said(workspace: Opened, node: str, *, useful: bool | None, task: str, pack: str, erase: bool) -> Said:
    store, folders, snapshot = workspace.store, workspace.workspace, workspace.snapshot
    erased = erase_feedback(store, folders, node) if erase else 0
    if useful is not None:
        keep_feedback(store, folders, verdict_on(snapshot, node, useful=useful, task=task, pack=pack))
    return Said(erased, standing(snapshot, feedback_of(store, folders)))


def _page(said: Said) -> Page:
    page = Page()
    if said.erased:
        page.line(f"{counted(said.erased, 'verdict')} forgotten.")
    page.rows(
        [
            (
                ("useful", "green") if one.verdict.useful else ("not useful", "yellow"),
                (one.verdict.symbol, NAME),
                "" if one.counts else ("no longer counts: the code around it changed", FAINT),
                (one.verdict.task.split("\n")[0][:60], FAINT),
            )
            for one in said.verdicts
        ]
    )
    if not said.verdicts and not said.erased:
        page.line("Nothing was said yet.")
    return page
