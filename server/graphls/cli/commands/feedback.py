"""Feedback: say whether an item of a pack was useful, list what was said, forget it.

Owns: arguments of `graphls feedback`, its layout.
Must not know: how feedback is kept, what it is worth.
Invariant: a verdict that no longer counts is listed as such.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, NAME, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.context.feedback import (
    FeedbackStatus,
    erase_feedback,
    feedback_of,
    feedback_status,
    store_feedback,
    verdict_on,
)
from graphls.queries.answer import answer


@attrs.frozen
class FeedbackView:
    """Everything that was said, oldest first. `erased`: how many verdicts were forgotten just now."""

    erased: int
    verdicts: tuple[FeedbackStatus, ...]


COMMAND = CommandEntry(help="Say whether an item of a pack was useful; list or erase.", rank=210)


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
        raise UsageError("Either say something or erase it.")
    if useful is not None and not node:
        raise UsageError("Say which item: its id or symbol.")
    if node and useful is None and not erase:
        raise UsageError("Say what it was: --useful or --not-useful; --erase forgets it.")
    with opened(ctx, root) as workspace:
        view = _recorded(workspace, node, useful=useful, task=task, pack=pack, erase=erase)
        envelope = answer(workspace.snapshot)
    if format is Format.JSON:
        write_answer(envelope, view)
        return
    page = _page(view)
    close_page(page, envelope)
    page.write()


def _recorded(
    workspace: OpenWorkspace, node: str, *, useful: bool | None, task: str, pack: str, erase: bool
) -> FeedbackView:
    store, folders, snapshot = workspace.store, workspace.workspace, workspace.snapshot
    erased = erase_feedback(store, folders, node) if erase else 0
    if useful is not None:
        store_feedback(store, folders, verdict_on(snapshot, node, useful=useful, task=task, pack=pack))
    return FeedbackView(erased, feedback_status(snapshot, feedback_of(store, folders)))


def _page(view: FeedbackView) -> TextPage:
    page = TextPage()
    if view.erased:
        page.line(f"{counted(view.erased, 'verdict')} forgotten.")
    page.rows(
        [
            (
                ("useful", "green") if one.verdict.useful else ("not useful", "yellow"),
                (one.verdict.symbol, NAME),
                "" if one.counts else ("no longer counts: the code around it changed", FAINT),
                (one.verdict.task.split("\n")[0][:60], FAINT),
            )
            for one in view.verdicts
        ]
    )
    if not view.verdicts and not view.erased:
        page.line("Nothing was said yet.")
    return page
