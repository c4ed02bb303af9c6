"""Neighbors: what is around a symbol.

Owns: arguments of `graphls neighbors`.
Must not know: how the walk goes.
Invariant: what the limit left out is said.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import (
    EVERY,
    WITHIN,
    At,
    Direction,
    EdgeKinds,
    MinConfidence,
    Root,
    Symbol,
    Unresolved,
    Verify,
    Within,
)
from graphls.cli.rendering.answers import (
    FAINT,
    KIND,
    NAME,
    PLACE,
    close_page,
    construct_note,
    legend,
    link_mark,
    thing_row,
    write_answer,
)
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.symbols import code_places, node_of_text
from graphls.cli.verification import settled, with_reported
from graphls.graph.edge_records import EdgeRecords
from graphls.graph.formats.compact import CompactAbout, CompactItem, compact
from graphls.graph.node_records import end_record
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import Answer, answer
from graphls.queries.graph_kinds import edge_kinds, node_kinds
from graphls.queries.neighborhood import Neighborhood, NeighborhoodQuery, neighborhood
from graphls.queries.node_views import EdgeView, NodeView, Presenter
from graphls.session.attached_neighbors import AttachedNeighbors, attached_neighbors
from graphls.session.health_report import HealthSources


class NearFormat(StrEnum):
    """How the surroundings are written."""

    TEXT = "text"
    JSON = "json"
    COMPACT = "compact"


@attrs.frozen
class Neighbor:
    """A node, and how many steps away it is."""

    depth: int
    node: NodeView


@attrs.frozen
class NeighborsView:
    """Nearest first, and the links that were followed."""

    root: NodeView
    nodes: tuple[Neighbor, ...]
    edges: tuple[EdgeView, ...]


COMMAND = CommandEntry(
    help="Show what is around a symbol, step by step.",
    rank=120,
    read_only=True,
    synonyms=("neighborhood", "graph", "callees"),
)


def run(
    ctx: typer.Context,
    symbol: Symbol,
    *,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=5, help="Steps to go.")] = 1,
    direction: Annotated[Direction, typer.Option("--direction", help="Which edges to follow.")] = Direction.BOTH,
    edge_kind: EdgeKinds = None,
    node_kind: Annotated[
        list[str] | None, typer.Option("--node-kind", metavar="KIND", help="Go through this kind of node only; repeat.")
    ] = None,
    min_confidence: MinConfidence = 0.0,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=2000, help="How many nodes to show.")] = 50,
    verify: Verify = False,
    unresolved: Unresolved = False,
    within: Within = WITHIN,
    root: Root = ".",
    at: At = "",
    format: Annotated[
        NearFormat, typer.Option("--format", "-f", help="compact is for a reader who counts tokens.")
    ] = NearFormat.TEXT,
) -> None:
    reach = NeighborhoodQuery(
        depth=depth,
        direction=direction.value,
        edge_kinds=edge_kinds(edge_kind),
        node_kinds=node_kinds(node_kind),
        min_confidence=min_confidence,
        limit=limit,
    )
    with opened(ctx, root, checker=verify, at=at, within=within) as workspace:
        workspace = with_reported(workspace, at)
        place = node_of_text(workspace, symbol)
        snapshot = settled(workspace, code_places(place), reach.direction, depth, wanted=verify).snapshot
        found = neighborhood(snapshot, place, reach)
        things = Presenter(snapshot)
        sources = HealthSources(workspace.workspace, workspace.settings, workspace.store)
        attached = attached_neighbors(snapshot, sources, reach, found)
        middle = things.node(found.root)
        near = [(one.depth, things.node(one.node)) for one in found.nodes] + list(attached.node_views(things))
        ties = attached.edge_views((middle, *(node for _, node in near)))
        neighbors = tuple(Neighbor(depth, node) for depth, node in near)
        view = NeighborsView(middle, neighbors, (*things.edges(found.edges), *ties))
        envelope = answer(snapshot, found.coverage, listed=EVERY if unresolved else 0)
        text = _compact(snapshot, found, attached, envelope) if format is NearFormat.COMPACT else ""
    if text:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        return
    if format is NearFormat.JSON:
        write_answer(envelope, view)
        return
    page = _page(view)
    close_page(page, envelope)
    page.write()


def _compact(snapshot: Snapshot, found: Neighborhood, attached: AttachedNeighbors, envelope: Answer) -> str:
    nodes = (found.root, *(near.node for near in found.nodes))
    records = (*(end_record(snapshot, node) for node in nodes), *attached.records(snapshot))
    edges = EdgeRecords(snapshot)
    about = CompactAbout(
        snapshot=envelope.snapshot,
        revision=envelope.revision,
        pending=envelope.pending_count,
        omitted=envelope.omitted,
        next=envelope.next.kind,
        coverage=envelope.coverage_text,
    )
    every = [*(edges.record(edge) for edge in found.edges), *attached.edges]
    return compact(about, [CompactItem(record) for record in records], every)


def _page(view: NeighborsView) -> TextPage:
    page = TextPage()
    page.line((view.root.word, KIND), " " * bool(view.root.word), (view.root.symbol, NAME), "  ", (view.root.at, PLACE))
    for depth in sorted({near.depth for near in view.nodes}):
        page.heading(f"{depth} step{'' if depth == 1 else 's'} away")
        page.rows(
            [_row(view, near.node) for near in view.nodes if near.depth == depth],
            indent="  ",
        )
    if not view.nodes:
        page.line("  nothing around it within these limits")
    used = legend(view.edges)
    if used:
        page.line()
        page.note(used)
    return page


def _row(view: NeighborsView, thing: NodeView) -> tuple[Part, ...]:
    """A node behind the surest link to it among those that were followed, seen from the middle."""
    touching = [link for link in view.edges if thing.id in (link.source_id, link.target_id)]
    direct = [link for link in touching if view.root.id in (link.source_id, link.target_id)]
    link = next(iter(direct or touching), None)
    if link is None:
        return "", "", *thing_row(thing)
    arrow = "->" if link.target_id == thing.id else "<-"
    return link_mark(link), (f"{arrow} {link.kind}", FAINT), *thing_row(thing), (construct_note(link), FAINT)
