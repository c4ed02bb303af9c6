"""Map: packages, how often they import each other, and cycles among them.

Owns: arguments of `graphls map`, the layout of lists and of the matrix.
Must not know: how imports are counted or packages folded.
Invariant: a list that is cut says how many more there are; JSON has all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, At, Format, Root, Scope
from graphls.cli.rendering.answers import FAINT, NAME, close_page, write_answer
from graphls.cli.rendering.page import Part, TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.answer import answer
from graphls.queries.module_map import (
    MOST_BOXES,
    TESTS,
    FoldedMap,
    MapLink,
    first_unfolded,
    folded,
    module_map,
    to_depth,
)

_LISTED = 25
_CLOSING = 8

COMMAND = CommandEntry(
    help="Show which packages import which, and cycles among them.",
    rank=195,
    read_only=True,
    synonyms=("modules", "layers", "deps", "dependencies"),
)


def run(
    ctx: typer.Context,
    scope: Scope = "",
    *,
    depth: Annotated[int, typer.Option("--depth", "-d", min=0, max=30, help="Parts of a name; 0: by size.")] = 0,
    unfold: Annotated[
        str, typer.Option("--unfold", metavar="PACKAGE", help="A package to look into, with those around it.")
    ] = "",
    boxes: Annotated[int, typer.Option("--boxes", min=1, max=500, help="About how many to show.")] = MOST_BOXES,
    matrix: Annotated[bool, typer.Option("--matrix", help="As a dependency matrix: rows import columns.")] = False,
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    if depth and unfold:
        raise UsageError("Choose one of --depth and --unfold.")
    with opened(ctx, root, "complete", at=at) as workspace:
        found = module_map(workspace.snapshot, scope, workspace.settings.findings.layers)
        chosen = to_depth(found, depth) if depth else first_unfolded(found, boxes)
        view = folded(found, {*chosen, *_around(unfold)} if unfold else chosen)
        envelope = answer(workspace.snapshot, found.coverage)
    if format is Format.JSON:
        write_answer(envelope, view)
        return
    page = TextPage()
    total = sum(one.count for one in found.imports)
    page.line((f"{counted(len(found.modules), 'module')}, {total:,} imports among them", NAME))
    if matrix:
        _matrix(page, view)
    else:
        _lists(page, view)
    _cycles(page, view)
    page.note("Imports by a computed name are not seen.")
    close_page(page, envelope)
    page.write()


def _around(package: str) -> set[str]:
    parts = package.replace("::", "/").strip("/")
    parts = (parts if "/" in parts else parts.replace(".", "/")).split("/")
    return {"/".join(parts[:end]) for end in range(1, len(parts) + 1)}


def _lists(page: TextPage, view: FoldedMap) -> None:
    out = {box.id: sum(link.count for link in view.links if link.source == box.id) for box in view.boxes}
    into = {box.id: sum(link.count for link in view.links if link.target == box.id) for box in view.boxes}
    page.heading("packages and modules")
    head: tuple[Part, ...] = tuple((word, FAINT) for word in ("", "modules", "imports", "imported by", "inside"))
    rows: list[tuple[Part, ...]] = [
        ((box.id, NAME), f"{box.modules:,}", f"{out[box.id]:,}", f"{into[box.id]:,}", f"{box.inside:,}")
        for box in sorted(view.boxes, key=lambda box: (-into[box.id], box.id))
    ]
    page.rows([head, *rows], indent="  ")
    _legend(page, view)
    page.heading("imports")
    links = sorted(view.links, key=lambda link: (-link.count, link.source, link.target))
    page.rows(
        [
            (
                f"{link.count:,}",
                link.source,
                "->",
                link.target,
                (f"{link.later:,} later" if link.later < link.count else "all later", FAINT) if link.later else "",
                f"{link.against:,} against the layers" if link.against else "",
            )
            for link in links[:_LISTED]
        ],
        indent="  ",
    )
    if any(link.later for link in links[:_LISTED]):
        page.note("  later: inside functions or for a type checker only, so not while the module loads")
    if len(links) > _LISTED:
        page.note(f"  and {len(links) - _LISTED} more: --format json, --matrix")


def _legend(page: TextPage, view: FoldedMap) -> None:
    if any(box.id.partition("/")[0] == TESTS for box in view.boxes):
        page.note(f"  {TESTS}: tests that stand beside no package")


def _matrix(page: TextPage, view: FoldedMap) -> None:
    links = {(link.source, link.target): link for link in view.links}
    closing = {(link.source, link.target) for link in _closing(view)}
    page.heading("rows import columns")
    numbers = [str(number) for number in range(1, len(view.boxes) + 1)]
    rows: list[tuple[Part, ...]] = [("", "", *((number, FAINT) for number in numbers))]
    for number, box in zip(numbers, view.boxes, strict=True):
        cells = (
            "." if other == box else _cell(links.get((box.id, other.id)), (box.id, other.id) in closing)
            for other in view.boxes
        )
        rows.append((number, (box.id, NAME), *cells))
    page.rows(rows, indent="  ")
    words = ["in brackets: not while the module loads"] if any(one.later == one.count for one in view.links) else []
    words += ["!: closes a cycle"] if closing else []
    if words:
        page.note(f"  {', '.join(words)}")
    _legend(page, view)


def _cell(link: MapLink | None, closes: bool) -> str:
    if link is None:
        return " "
    return f"({link.count:,})" if link.later == link.count else f"{link.count:,}{'!' if closes else ''}"


def _closing(view: FoldedMap) -> Iterator[MapLink]:
    """Imports that run while a module loads, from a box of a cycle to one that stands before it."""
    places = {box.id: place for place, box in enumerate(view.boxes)}
    groups = {box: number for number, group in enumerate(view.cycles) for box in group}
    for link in view.links:
        group = groups.get(link.source)
        tied = group is not None and group == groups.get(link.target) and link.count > link.later
        if tied and places[link.source] > places[link.target]:
            yield link


def _cycles(page: TextPage, view: FoldedMap) -> None:
    page.heading("cycles" if view.cycles else "no cycles among these")
    for group in view.cycles:
        shown = ", ".join(group[:_LISTED])
        page.line("  ", f"{len(group)} import each other: ", shown, " ..." if len(group) > _LISTED else "")
        closing = sorted((one for one in _closing(view) if one.source in group), key=lambda one: one.count - one.later)
        rows = [(f"{one.count - one.later:,}", one.source, "->", one.target) for one in closing[:_CLOSING]]
        page.note(f"  closed by {counted(len(closing), 'link')}{', the weakest' if len(closing) > len(rows) else ''}:")
        page.rows(rows, indent="    ")
