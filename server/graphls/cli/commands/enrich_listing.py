"""Enrich listing: the listing of a folder as it came, with what the files there hold behind it.

Owns: arguments of `graphls enrich-listing`, the compact block.
Must not know: how commands of a shell are read, which symbols are first.
Invariant: the listing passes byte for byte, and before anything is read that may fail; where nothing can be added,
nothing is, and that is no error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import UsageError
from graphls.cli.listings import listed_folder
from graphls.cli.open_workspace import opened
from graphls.cli.options import Root
from graphls.cli.rendering.words import counted, visible
from graphls.graph.errors import GraphError
from graphls.queries.anatomy import Anatomy, FileAnatomy, anatomy
from graphls.sources.workspace import OutsideWorkspaceError

COMMAND = CommandEntry(help="Pass an ls or tree listing on, with what the folder has.", rank=202, read_only=True)


def run(
    ctx: typer.Context,
    *,
    command: Annotated[str, typer.Option("--command", metavar="TEXT", help="What made the listing: ls src.")],
    listing_file: Annotated[
        str, typer.Option("--listing-file", metavar="FILE", help="The listing; standard input if none.")
    ] = "",
    cwd: Annotated[
        str, typer.Option("--cwd", metavar="FOLDER", help="Where the command ran; the current folder if none.")
    ] = "",
    symbols: Annotated[int, typer.Option("--symbols", min=0, max=50, help="Symbols of each file.")] = 4,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Files to describe.")] = 40,
    root: Root = ".",
) -> None:
    _pass_on(listing_file)
    listed = listed_folder(command)
    if listed is None:
        return
    try:
        with opened(ctx, root) as workspace:
            place = workspace.workspace.contained(os.path.abspath(os.path.join(cwd or os.curdir, listed.folder)))
            found = anatomy(workspace.snapshot, place, depth=listed.depth, symbols=symbols, limit=limit)
    except (GraphError, OutsideWorkspaceError, UsageError):
        return
    for line in _block(found):
        sys.stdout.write(f"{visible(line)}\n")


def _pass_on(listing_file: str) -> None:
    try:
        listing = Path(listing_file).read_bytes() if listing_file else sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"{listing_file} cannot be read: {error.strerror}.") from None
    sys.stdout.buffer.write(listing)
    sys.stdout.buffer.flush()


def _block(found: Anatomy) -> Iterator[str]:
    """One line a file, one a folder that is not opened."""
    yield ""
    yield f"graphls: {found.folder}: files with lines, tokens (estimated), first symbols"
    yield from map(_file, found.files)
    if found.omitted:
        yield f"{counted(found.omitted, 'file')} more"
    for one in found.folders:
        yield f"{one.folder}/ {counted(one.files, 'file')}, {one.tokens:,} tokens"


def _file(one: FileAnatomy) -> str:
    names = [f"{node.what} {node.name}:{node.line}" for node in one.symbols]
    more = [f"{one.omitted} more"] if one.omitted else []
    made = " made by a tool" if one.made_by_tool else ""
    said = f"{one.file} {one.language or 'text'} {one.lines:,} lines, {one.tokens:,} tokens{made}"
    return f"{said}: {', '.join((*names, *more))}" if names or more else said
