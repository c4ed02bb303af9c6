"""Entry: a route, tool, command or job, and what stands behind it.

Owns: arguments of `graphls entry`, the layout of an entry.
Must not know: frameworks, how entries are followed.
Invariant: a name with several meanings is refused with its candidates.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import EVERY, WITHIN, AsFormat, At, Format, Root, Unresolved, Verify, Within
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, legend, link_rows, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.verification import settled
from graphls.queries.answer import answer
from graphls.queries.entry import entry, find_entry
from graphls.queries.entry_list import entry_list
from graphls.queries.entry_view import EntryView, entry_view
from graphls.queries.node_views import NodeView, Presenter

COMMAND = CommandEntry(help="Show what stands behind a route, tool, command or job.", rank=140, read_only=True)

_MOST_NAMED = 3


def run(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]", help="A route as 'GET /items' or by its path; else the name, or an id. None: list all."
        ),
    ] = "",
    *,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=6, help="Steps to go from the handlers.")] = 2,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many nodes to show.")] = 100,
    verify: Verify = False,
    unresolved: Unresolved = False,
    within: Within = WITHIN,
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    if not name:
        _list(ctx, root, at, limit, format)
        return
    with opened(ctx, root, checker=verify, at=at, within=within) as workspace:
        found = entry(workspace.snapshot, find_entry(workspace.snapshot, name), depth, limit)
        snapshot = settled(workspace, found.handlers, wanted=verify).snapshot
        if snapshot is not workspace.snapshot:
            found = entry(snapshot, found.entry, depth, limit)
        view = entry_view(Presenter(snapshot), found)
        envelope = answer(snapshot, found.coverage, listed=EVERY if unresolved else 0)
    if format is Format.JSON:
        write_answer(envelope, view)
        return
    page = _page(view)
    close_page(page, envelope)
    page.write()


@attrs.frozen
class EntryRow:
    """One entry, and what handles it; `inline`: a function without a name, which calls these."""

    node: NodeView
    handlers: tuple[NodeView, ...]
    inline: bool


@attrs.frozen
class EntryRows:
    """By file and position."""

    entries: tuple[EntryRow, ...]


def _list(ctx: typer.Context, root: str, at: str, limit: int, format: Format) -> None:
    with opened(ctx, root, at=at) as workspace:
        found, things = entry_list(workspace.snapshot, limit=limit), Presenter(workspace.snapshot)
        rows = EntryRows(
            tuple(
                EntryRow(things.node(one.entry), tuple(things.node(place) for place in one.handlers), one.inline)
                for one in found.entries
            )
        )
        envelope = answer(workspace.snapshot, found.coverage)
    if format is Format.JSON:
        write_answer(envelope, rows)
        return
    page = TextPage()
    page.rows(
        [
            (
                (one.node.word, KIND),
                (one.node.name, NAME),
                (one.node.at, PLACE),
                _handling(one),
            )
            for one in rows.entries
        ]
    )
    if not rows.entries:
        page.line("No rule finds a route, tool, command or job here. docs/frameworks.md says what rules there are.")
    close_page(page, envelope)
    page.write()


def _handling(one: EntryRow) -> str:
    names = ", ".join(to.symbol for to in one.handlers[:_MOST_NAMED])
    more = f" and {len(one.handlers) - _MOST_NAMED} more" if len(one.handlers) > _MOST_NAMED else ""
    return f"calls {names}{more}" if one.inline else f"{names}{more}"


def _page(view: EntryView) -> TextPage:
    page = TextPage()
    thing = view.entry
    page.line((thing.word, KIND), " " * bool(thing.word), (thing.symbol, NAME), "  ", (thing.at, PLACE))
    page.rows(link_rows(view.edges, other="target"), indent="  ")
    if view.description:
        page.line(view.description.split("\n")[0])
    if view.inputs:
        page.heading("inputs")
        page.rows([(one.declared, ("" if one.required else "optional", FAINT)) for one in view.inputs], indent="  ")
    if view.response_types:
        page.heading("answers with")
        page.line("  ", (", ".join(view.response_types), NAME), ": ", ", ".join(view.response_fields))
    if view.response_keys:
        page.heading("keys of its answers")
        page.line("  ", ", ".join(view.response_keys), (" and maybe others" if view.more_keys else "", FAINT))
    if view.errors:
        page.heading("errors")
        page.rows([(str(one.status), ", ".join(one.keys), (one.at, PLACE)) for one in view.errors], indent="  ")
    _show_middleware(page, view)
    if view.consumers:
        page.heading("asked for by")
        page.rows(
            [((one.symbol, NAME), (one.at, PLACE), ("test" if one.test else "", "yellow")) for one in view.consumers],
            indent="  ",
        )
    if view.mismatches:
        page.heading("read, and never answered")
        page.rows([((one.key, NAME), one.symbol, (one.at, PLACE)) for one in view.mismatches], indent="  ")
    for title, rows in (("needs", view.needs), ("tests", view.tests)):
        if rows:
            page.heading(title)
            page.rows(
                [
                    ((str(one.depth), FAINT), (one.via, FAINT), (one.node.symbol, NAME), (one.node.at, PLACE))
                    for one in rows
                ],
                indent="  ",
            )
    used = legend(view.edges)
    if used:
        page.line()
        page.note(used)
    return page


def _show_middleware(page: TextPage, view: EntryView) -> None:
    if view.middleware or view.middleware_gap:
        page.heading("runs before, as its file and types say")
    page.rows(
        [((one.symbol or one.name, NAME), (one.how, FAINT), one.path, (one.at, PLACE)) for one in view.middleware],
        indent="  ",
    )
    if view.middleware_gap:
        page.line("  ", (view.middleware_gap, "yellow"))
