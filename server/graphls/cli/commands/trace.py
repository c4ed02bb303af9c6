"""Trace: how one symbol reaches another.

Owns: arguments of `graphls trace`, the layout of a path.
Must not know: how paths are searched.
Invariant: "no path" is said only when everything within the depth was looked at.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer
from graphls.cli.open_workspace import opened
from graphls.cli.options import (
    EVERY,
    WITHIN,
    AsFormat,
    At,
    Direction,
    EdgeKinds,
    Format,
    MinConfidence,
    Root,
    Symbol,
    Unresolved,
    Verify,
    Within,
)
from graphls.cli.rendering.answers import (
    FAINT,
    NAME,
    PLACE,
    close_page,
    construct_note,
    legend,
    link_mark,
    write_answer,
)
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.words import counted
from graphls.cli.symbols import place_of
from graphls.cli.verification import settled
from graphls.queries.answer import answer
from graphls.queries.graph_kinds import edge_kinds
from graphls.queries.node_views import Presenter
from graphls.queries.trace import FLOW, TraceQuery, steps_within, trace
from graphls.queries.trace_view import TraceView, trace_view

COMMAND = CommandEntry(
    help="Show how one symbol reaches another.",
    rank=130,
    read_only=True,
    synonyms=("path", "paths"),
)


def run(
    ctx: typer.Context,
    source: Symbol,
    target: Annotated[str, typer.Argument(metavar="[TARGET]", help="Where to; wherever it leads when left out.")] = "",
    *,
    depth: Annotated[
        int | None,
        typer.Option("--depth", "-d", min=1, max=12, help="The longest path; by default 12 to a target, else 6."),
    ] = None,
    direction: Annotated[Direction, typer.Option("--direction", help="Which edges to follow.")] = Direction.OUT,
    edge_kind: EdgeKinds = None,
    min_confidence: MinConfidence = 0.0,
    paths: Annotated[int, typer.Option("--paths", "-n", min=1, max=20, help="How many paths to show.")] = 5,
    verify: Verify = False,
    unresolved: Unresolved = False,
    within: Within = WITHIN,
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, checker=verify, at=at, within=within) as workspace:
        begin = place_of(workspace, source)
        longest = steps_within(depth, has_target=bool(target))
        snapshot = settled(workspace, (begin,), direction.value, longest, wanted=verify).snapshot
        route = TraceQuery(
            source=begin,
            target=place_of(workspace, target) if target else None,
            direction=direction.value,
            kinds=edge_kinds(edge_kind) or FLOW,
            depth=longest,
            paths=paths,
            min_confidence=min_confidence,
        )
        found = trace(snapshot, route)
        view = trace_view(Presenter(snapshot), found)
        envelope = answer(snapshot, found.coverage, listed=EVERY if unresolved else 0)
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = _page(view, longest, cut=envelope.is_cut_short)
        close_page(page, envelope)
        page.write()
    if not view.paths:
        raise NegativeAnswer


def _page(view: TraceView, depth: int, *, cut: bool) -> TextPage:
    page = TextPage()
    for number, way in enumerate(view.paths, 1):
        page.heading(f"path {number}, {counted(len(way.edges), 'step')}, confidence {way.confidence:.2f}")
        first = way.nodes[0]
        rows: list[tuple[Part, ...]] = [("", "", (first.symbol, NAME), (first.at, PLACE))]
        for step, (link, node) in enumerate(zip(way.edges, way.nodes[1:], strict=True)):
            arrow = "->" if link.target_id == node.id else "<-"
            site = str(link.sites[0]) if link.sites else node.at
            rows.append(
                (
                    link_mark(link),
                    (f"{arrow} {way.kinds(step)}", FAINT),
                    (node.symbol, NAME),
                    (site, PLACE),
                    (construct_note(link), FAINT),
                )
            )
        page.rows(rows, indent="  ")
    if not view.paths:
        visited = counted(view.visited, "node")
        page.line(
            f"No path found so far; {visited} visited."
            if cut
            else f"No path within {counted(depth, 'step')}; {visited} visited."
            if not view.exhausted
            else f"No path: everything that can be reached was visited ({visited})."
        )
    used = legend(link for way in view.paths for link in way.edges)
    if used:
        page.line()
        page.note(used)
    return page
