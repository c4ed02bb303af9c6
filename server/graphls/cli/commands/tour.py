"""Tour: what to read first.

Owns: arguments of `graphls tour`, the layout of stops.
Must not know: how stops are chosen.
Invariant: each stop says why it is there.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, At, Format, Root
from graphls.cli.rendering.answers import FAINT, close_page, thing_row, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.queries.answer import answer
from graphls.queries.node_views import NodeView, Presenter
from graphls.queries.tour import MAX_LIMIT, tour


@attrs.frozen
class TourRow:
    """One thing to read, and why. `count`: of modules that import it, where that is the reason."""

    why: str
    count: int
    node: NodeView


@attrs.frozen
class TourView:
    """In the order to read them."""

    stops: tuple[TourRow, ...]


COMMAND = CommandEntry(
    help="List what to read first in a workspace or a part of it.",
    rank=190,
    read_only=True,
    synonyms=("onboard",),
)


def run(
    ctx: typer.Context,
    scope: Annotated[str, typer.Argument(metavar="[SCOPE]", help="A file, folder, package or module.")] = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MAX_LIMIT, help="How many to show.")] = 40,
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, at=at) as workspace:
        found = tour(workspace.snapshot, scope, limit)
        things = Presenter(workspace.snapshot)
        view = TourView(tuple(TourRow(stop.why, stop.count, things.node(stop.place)) for stop in found.stops))
        envelope = answer(workspace.snapshot, found.coverage)
    if format is Format.JSON:
        write_answer(envelope, view)
        return
    page = TextPage()
    page.rows(((stop.why, FAINT), *thing_row(stop.node)) for stop in view.stops)
    if not view.stops:
        page.line("There is nothing to read here.")
    close_page(page, envelope)
    page.write()
