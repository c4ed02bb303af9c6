"""Impact: what a change of a symbol may reach.

Owns: arguments of `graphls impact`, the layout by distance.
Must not know: how reach is computed.
Invariant: uses that could not be resolved are named beside what was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import (
    EVERY,
    WITHIN,
    AsFormat,
    At,
    EdgeKinds,
    Format,
    MinConfidence,
    Root,
    Symbol,
    Unresolved,
    Verify,
    Within,
)
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted, wrong_with
from graphls.cli.symbols import code_places, node_of_text
from graphls.cli.verification import settled, with_reported
from graphls.queries.answer import answer
from graphls.queries.graph_kinds import effect_kinds
from graphls.queries.impact import MAX_EDGES, ImpactQuery, Stream, impact
from graphls.queries.impact_view import ImpactView, count_tests, impact_view
from graphls.queries.node_views import Presenter
from graphls.session.community_report import community_report
from graphls.session.health_report import HealthSources

_FEW = 5


COMMAND = CommandEntry(
    help="Show what a change of a symbol may reach.",
    rank=150,
    read_only=True,
    synonyms=("callers", "affected", "blast-radius"),
)


def run(
    ctx: typer.Context,
    symbol: Symbol,
    *,
    downstream: Annotated[
        bool, typer.Option("--downstream", help="What it depends on, instead of what depends on it.")
    ] = False,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=6, help="Steps to go.")] = 3,
    edge_kind: EdgeKinds = None,
    min_confidence: MinConfidence = 0.0,
    tests: Annotated[bool, typer.Option("--tests/--no-tests", help="List tests too.")] = True,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="How many nodes to show.")] = 100,
    verify: Verify = False,
    unresolved: Unresolved = False,
    communities: Annotated[
        bool, typer.Option("--communities", help="Name the communities of files that it touches; takes all links.")
    ] = False,
    within: Within = WITHIN,
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    stream: Stream = "downstream" if downstream else "upstream"
    stage = "complete" if communities else "ready"
    with opened(ctx, root, stage, checker=verify, at=at, within=within) as workspace:
        workspace = with_reported(workspace, at)
        place = node_of_text(workspace, symbol)
        snapshot = settled(workspace, code_places(place), "out" if downstream else "in", depth, wanted=verify).snapshot
        change = ImpactQuery(
            target=place,
            stream=stream,
            depth=depth,
            kinds=effect_kinds(edge_kind),
            min_confidence=min_confidence,
            tests=tests,
            limit=limit,
            edges=MAX_EDGES if format is Format.JSON else 0,
        )
        found = impact(snapshot, change)
        if communities:
            community_report(snapshot, HealthSources(workspace.workspace, workspace.settings, workspace.store), limit=1)
        view = impact_view(Presenter(snapshot), found, stream)
        envelope = answer(snapshot, found.coverage, listed=EVERY if unresolved else 0)
    if format is Format.JSON:
        write_answer(envelope, view)
        return
    page = _page(view, "at least " if envelope.truncated else "")
    close_page(page, envelope)
    page.write()


def _more(routes: Sequence[object]) -> tuple[str, ...]:
    return (f" and {len(routes) - _FEW} more",) if len(routes) > _FEW else ()


def _page(view: ImpactView, bound: str) -> TextPage:
    page = TextPage()
    first = view.changed[0]
    page.line((first.word, KIND), " " * bool(first.word), (first.symbol, NAME), "  ", (first.at, PLACE))
    if len(view.changed) > 1:
        page.note(f"and {len(view.changed) - 1} that change along with it (members, overrides)")
    tests = count_tests(view.affected)
    verb = "depends on" if view.stream == "downstream" else "may affect"
    page.line(
        f"{verb} {bound}{counted(len(view.affected), 'node')}, {counted(tests, 'test')} among them, in "
        f"{bound}{counted(len(view.packages), 'package')}"
    )
    if view.diagnostics:
        page.line((f"{wrong_with(view.diagnostics)} in what is changed", "red"))
    if view.importers:
        page.note(f"and {counted(view.importers, 'import')} of these, not listed")
    if view.routes:
        page.line("met through ", (", ".join(one.symbol for one in view.routes[:_FEW]), NAME), *_more(view.routes))
    if view.processes:
        page.line("on the way of ", (", ".join(view.processes[:_FEW]), NAME), *_more(view.processes))
    if view.communities:
        page.line("in communities ", (", ".join(view.communities[:_FEW]), NAME), *_more(view.communities))
    for depth in sorted({one.depth for one in view.affected}):
        page.heading(f"{counted(depth, 'step')} away")
        page.rows(
            [
                (
                    (f"{one.confidence:.2f}" if one.confidence < 1 else "1", FAINT),
                    (f"{one.via}, possibly" if one.possible else one.via, FAINT),
                    ("test" if one.test and one.node.what != "test" else "", "yellow"),
                    (one.node.word, KIND),
                    (one.node.symbol, NAME),
                    (one.node.at, PLACE),
                    (wrong_with(one.diagnostics), "red"),
                )
                for one in view.affected
                if one.depth == depth
            ],
            indent="  ",
        )
    return page
