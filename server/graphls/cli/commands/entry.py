"""Entry: a route, tool, command or job, and what stands behind it.

Owns: arguments of `graphls entry`, the layout of an entry.
Must not know: frameworks, how entries are followed.
Invariant: a name with several meanings is refused with its candidates.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.opening import opened
from graphls.cli.options import EVERY, AsFormat, Format, Root, Unresolved, Verify
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, legend, link_rows, write_answer
from graphls.cli.rendering.page import Page
from graphls.cli.verifying import settled
from graphls.queries.answer import answer
from graphls.queries.entry import entry, entry_named
from graphls.queries.entry_shown import Entry, entry_shown
from graphls.queries.things import Things


def run(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A route as 'GET /items' or by its path; else the name, or an id.")
    ],
    *,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=6, help="Steps to go from the handlers.")] = 2,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many nodes to show.")] = 100,
    verify: Verify = False,
    unresolved: Unresolved = False,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, checker=verify) as workspace:
        found = entry(workspace.snapshot, entry_named(workspace.snapshot, name), depth, limit)
        snapshot = settled(workspace, found.handlers, wanted=verify).snapshot
        found = entry(snapshot, found.entry, depth, limit)
        shown = entry_shown(Things(snapshot), found)
        envelope = answer(snapshot, found.coverage, listed=EVERY if unresolved else 0)
    if format is Format.JSON:
        write_answer(envelope, shown)
        return
    page = _page(shown)
    close_page(page, envelope)
    page.write()


def _page(shown: Entry) -> Page:
    page = Page()
    page.line((shown.entry.what, KIND), " ", (shown.entry.symbol, NAME), "  ", (shown.entry.at, PLACE))
    page.rows(link_rows(shown.edges, other="target"), indent="  ")
    for title, rows in (("needs", shown.needs), ("tests", shown.tests)):
        if rows:
            page.heading(title)
            page.rows(
                [
                    ((str(one.depth), FAINT), (one.via, FAINT), (one.node.symbol, NAME), (one.node.at, PLACE))
                    for one in rows
                ],
                indent="  ",
            )
    used = legend(shown.edges)
    if used:
        page.line()
        page.note(used)
    return page
