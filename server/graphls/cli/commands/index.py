"""Index: read a workspace and keep what it says.

Owns: arguments of `graphls index`, the report of what is stored.
Must not know: how files are read and linked.
Invariant: every file that is left out is named with the reason; *complete* is said only when every file is linked.
"""

from __future__ import annotations

import time
from typing import Annotated

import attrs
import typer

from graphls.cli.guard import Refused
from graphls.cli.opening import Opened, opened
from graphls.cli.options import AsFormat, Format
from graphls.cli.rendering.page import Page
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted
from graphls.cli.standing import Standing, standing, standing_rows
from graphls.cli.verifying import complete


@attrs.frozen
class Indexed:
    """What was done, and what the cache holds now."""

    standing: Standing
    extracted: int
    """Files that had to be read and understood."""
    linked: int
    """Files whose names had to be resolved."""


def run(
    ctx: typer.Context,
    root: Annotated[str, typer.Argument(metavar="[ROOT]", help="Folder of the workspace.")] = ".",
    *,
    root_option: Annotated[str, typer.Option("--root", "-r", hidden=True)] = "",
    facts_only: Annotated[
        bool, typer.Option("--facts-only", help="Stop when every file is read, before names are resolved.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Go on with the checker until every uncertain site is settled.")
    ] = False,
    format: AsFormat = Format.TEXT,
) -> None:
    began = time.monotonic()
    if verify and facts_only:
        raise Refused("--verify needs every file linked: leave --facts-only out.")
    with opened(ctx, root_option or root, "ready" if facts_only else "complete", checker=verify) as workspace:
        if verify:
            workspace = complete(workspace)
        done = _indexed(workspace)
    seconds = time.monotonic() - began
    if format is Format.JSON:
        write_json(done.standing, {"extracted": done.extracted, "linked": done.linked})
        return
    page = Page()
    work = f"{counted(done.extracted, 'file')} read, {done.linked:,} linked in {seconds:.1f} s"
    page.rows([*standing_rows(done.standing), ("done", work)])
    page.write()


def _indexed(workspace: Opened) -> Indexed:
    # What was made last is written to the cache when the session ends.
    workspace.session.close()
    work = workspace.session.work
    return Indexed(standing(workspace), len(set(work.extracted)), len(set(work.linked)))
