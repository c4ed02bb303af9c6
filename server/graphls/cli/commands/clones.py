"""Clones: functions whose bodies are the same but for names, strings and numbers, and pairs that nearly are.

Owns: arguments of `graphls clones`, its layout.
Must not know: how bodies are compared.
Invariant: no clone is an answer with a code of its own, as where nothing is found.
"""

from __future__ import annotations

from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root, Scope
from graphls.cli.rendering.answers import close_page, thing_row, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import Coverage, answer
from graphls.queries.clone_families import clone_families
from graphls.queries.near_clones import BANDS_MISS, near_clones
from graphls.queries.node_views import NodeView, Presenter
from graphls.queries.scope import paths_in
from graphls.queries.similar import refuse_where_off

COMMAND = CommandEntry(
    help="List functions with the same body but for names.",
    rank=175,
    read_only=True,
    synonyms=("duplicates",),
)


@attrs.frozen(kw_only=True)
class FamilyView:
    """Functions with one body."""

    lines: int
    members: tuple[NodeView, ...]


@attrs.frozen(kw_only=True)
class NearView:
    """Two functions, by the part of their bodies that both have."""

    similarity: float
    one: NodeView
    other: NodeView


@attrs.frozen(kw_only=True)
class ClonesView:
    """Most lines that could go first. `total`: families with a member below the scope."""

    total: int
    families: tuple[FamilyView, ...]
    near_total: int | None = None
    """Pairs that are nearly the same; None where they were not asked for."""
    near: tuple[NearView, ...] = ()


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=5000, help="Families to list.")] = 20,
    near: Annotated[bool, typer.Option("--near", help="List pairs as well that share four fifths of a body.")] = False,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root) as workspace:
        snapshot, chosen = workspace.snapshot, workspace.settings.similarity
        refuse_where_off(chosen)
        paths = paths_in(snapshot, scope)
        families = [
            one for one in clone_families(snapshot, chosen) if any(place.file in paths for place in one.members)
        ]
        things = Presenter(snapshot)
        pairs = [one for one in near_clones(snapshot, chosen) if {one.one.file, one.other.file} & paths] if near else []
        view = ClonesView(
            total=len(families),
            families=tuple(
                FamilyView(lines=one.lines, members=tuple(map(things.node, one.members))) for one in families[:limit]
            ),
            near_total=len(pairs) if near else None,
            near=tuple(
                NearView(similarity=round(one.similarity, 2), one=things.node(one.one), other=things.node(one.other))
                for one in pairs[:limit]
            ),
        )
        omitted = view.total - len(view.families) + len(pairs) - len(view.near)
        coverage = Coverage(truncated=omitted > 0, omitted=omitted, empty=not (families or pairs))
        envelope = answer(snapshot, attrs.evolve(coverage, completeness=BANDS_MISS) if near else coverage)
    if format is Format.JSON:
        write_answer(envelope, view)
    else:
        page = TextPage()
        for family in view.families:
            page.heading(f"{counted(family.lines, 'line')}, {len(family.members)} times")
            page.rows(map(thing_row, family.members), indent="  ")
        for pair in view.near:
            page.heading(f"{pair.similarity:.0%} the same")
            page.rows(map(thing_row, (pair.one, pair.other)), indent="  ")
        if not view.families and not view.near:
            page.line("No two functions of five lines have the same body.")
        close_page(page, envelope)
        page.write()
    if not view.families and not view.near:
        raise NegativeAnswer
