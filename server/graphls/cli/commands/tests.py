"""Tests: the tests that may execute a symbol.

Owns: arguments of `graphls tests`.
Must not know: how tests are found, their layout.
Invariant: ids are those of the runner, and all tests are listed unless a limit was given.
"""

from __future__ import annotations

from typing import Annotated

import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.open_workspace import opened
from graphls.cli.options import WITHIN, AsFormat, At, Format, Root, Symbol, Within
from graphls.cli.rendering.selected_tests import write_tests
from graphls.cli.symbols import place_of
from graphls.session.selected_tests import selection_of

COMMAND = CommandEntry(
    help="Show the tests that may run a symbol, surest first.",
    rank=155,
    read_only=True,
    synonyms=("test",),
)


def run(
    ctx: typer.Context,
    symbol: Symbol,
    *,
    ids: Annotated[bool, typer.Option("--ids", help="Only the ids that the runner takes, one a line.")] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=0, help="How many tests to show; 0: all. In text 60 where left out."),
    ] = None,
    within: Within = WITHIN,
    root: Root = ".",
    at: At = "",
    format: AsFormat = Format.TEXT,
) -> None:
    with opened(ctx, root, at=at, within=within) as workspace:
        place = place_of(workspace, symbol)
        found = selection_of(workspace.workspace, workspace.settings, workspace.snapshot, place)
        write_tests(workspace.snapshot, found, format, limit=limit, only_ids=ids)
