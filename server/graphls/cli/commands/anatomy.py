"""Anatomy: the files of one folder with their sizes and first symbols.

Owns: arguments of `graphls anatomy`, its layout.
Must not know: how sizes are counted, which symbols are first.
Invariant: one row a file, its symbols below it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import AsFormat, Format, Root
from graphls.cli.rendering.answers import FAINT, KIND, NAME, PLACE, close_page, write_answer
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.words import counted
from graphls.queries.anatomy import Anatomy, anatomy
from graphls.queries.answer import Coverage, answer
from graphls.queries.node_views import NodeView

COMMAND = CommandEntry(
    help="Show the files of a folder with sizes and first symbols.",
    rank=201,
    read_only=True,
    synonyms=("ls", "files", "outline"),
)


def run(
    ctx: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="[FOLDER]", help="A folder; that of the workspace if none.")] = "",
    *,
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=10, help="1: its own files; more: below.")] = 1,
    symbols: Annotated[int, typer.Option("--symbols", min=0, max=50, help="Symbols of each file.")] = 6,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Files to list.")] = 100,
    root: Root = ".",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root) as workspace:
        found = anatomy(workspace.snapshot, folder, depth=depth, symbols=symbols, limit=limit)
        envelope = answer(workspace.snapshot, Coverage(truncated=found.omitted > 0, omitted=found.omitted))
    if format is Format.JSON:
        write_answer(envelope, found)
    else:
        page = _page(found)
        close_page(page, envelope)
        page.write()


def _page(found: Anatomy) -> TextPage:
    page = TextPage()
    page.line((found.folder, NAME))
    for one in found.files:
        mark = "made by a tool" if one.made_by_tool else ""
        size = f"{counted(one.lines, 'line')}  {one.bytes:,} bytes  about {one.tokens:,} tokens"
        page.line((one.file, PLACE), f"  {one.language or 'text'}  {size}  ", (mark, FAINT))
        page.rows(map(_symbol, one.symbols), indent="   ")
        if one.omitted:
            page.line((f"   {one.omitted} more", FAINT))
    if found.folders:
        page.heading("folders below")
        page.rows(
            [
                (
                    (one.folder, PLACE),
                    counted(one.files, "file"),
                    f"{one.bytes:,} bytes",
                    f"about {one.tokens:,} tokens",
                )
                for one in found.folders
            ],
            indent="  ",
        )
    return page


def _symbol(node: NodeView) -> tuple[tuple[str, str] | str, ...]:
    return (f"{node.line}", (node.what, KIND), node.signature or node.name)
