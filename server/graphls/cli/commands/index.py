"""Index: read a workspace and keep what it says.

Owns: arguments of `graphls index`, the report of what is stored.
Must not know: how files are read and linked.
Invariant: every file that is left out is named with the reason; *complete* is said only when every file is linked.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from graphls.cli.emptiness import end_if_empty
from graphls.cli.guard import Refused
from graphls.cli.opening import Opened, opened
from graphls.cli.options import AsFormat, Format
from graphls.cli.rendering.page import Page
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted
from graphls.cli.standing import Standing, standing, standing_rows
from graphls.cli.verifying import complete
from graphls.sources.read import read_small

if TYPE_CHECKING:
    from graphls.compilers.imported import Imported
    from graphls.compilers.scip import Index


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
    scip: Annotated[
        str, typer.Option("--scip", metavar="FILE", help="Take in what a SCIP index says where graphls is not sure.")
    ] = "",
    format: AsFormat = Format.TEXT,
) -> None:
    began = time.monotonic()
    if (verify or scip) and facts_only:
        raise Refused("--verify and --scip need every file linked: leave --facts-only out.")
    index = _index_in(scip) if scip else None
    with opened(ctx, root_option or root, "ready" if facts_only else "complete", checker=verify) as workspace:
        brought = _brought(workspace, index) if index is not None else None
        if verify:
            workspace = complete(workspace)
        done = _indexed(workspace)
    seconds = time.monotonic() - began
    if format is Format.JSON:
        write_json(done.standing, {"extracted": done.extracted, "linked": done.linked, **_figures(brought)})
        end_if_empty(done.standing.indexed)
        return
    page = Page()
    work = f"{counted(done.extracted, 'file')} read, {done.linked:,} linked in {seconds:.1f} s"
    rows = [("scip", _words(brought))] if brought is not None else []
    page.rows([*standing_rows(done.standing), *rows, ("done", work)])
    page.write()
    end_if_empty(done.standing.indexed)


def _index_in(file: str) -> Index:
    from graphls.compilers.scip import LARGEST, ScipError, read_index

    raw = read_small(file, LARGEST)
    if raw is None:
        raise Refused(f"{file} cannot be read, or is larger than {LARGEST // 1_000_000} MB.")
    try:
        return read_index(raw)
    except ScipError as error:
        raise Refused(f"{file}: {error}. Nothing of it was taken in.") from error


def _brought(workspace: Opened, index: Index) -> Imported:
    from graphls.compilers.scip import ScipError

    try:
        return workspace.session.verifying.take_in(workspace.snapshot, index)
    except ScipError as error:
        raise Refused(f"{error}. Nothing of the index was taken in.") from error


def _words(brought: Imported) -> str:
    said = f"{counted(brought.settled, 'uncertain site')} settled in {counted(len(brought.files), 'file')}"
    sure = brought.agreeing + brought.differing
    said += f"; of {sure:,} certain ones the index agrees with {brought.agreeing:,}"
    if brought.stale:
        said += f"; {counted(len(brought.stale), 'file')} left out: made of other contents ({brought.stale[0]} ...)"
    return said


def _figures(brought: Imported | None) -> dict[str, object]:
    if brought is None:
        return {}
    return {
        "scip": {
            "tool": brought.tool,
            "settled": brought.settled,
            "agreeing": brought.agreeing,
            "differing": brought.differing,
            "stale": list(brought.stale),
            "unknown": list(brought.unknown),
        }
    }


def _indexed(workspace: Opened) -> Indexed:
    # What was made last is written to the cache when the session ends.
    workspace.session.close()
    work = workspace.session.work
    return Indexed(standing(workspace), len(work.extracted_files), len(work.linked_files))
