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

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.empty_workspace import end_if_empty
from graphls.cli.guard import UsageError
from graphls.cli.index_status import IndexStatus, index_status, status_rows
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import AsFormat, Format
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted
from graphls.cli.verification import complete
from graphls.sources.read import read_small

if TYPE_CHECKING:
    from graphls.compilers.scip import ScipIndex
    from graphls.compilers.scip_answers import IndexImport


@attrs.frozen
class IndexView:
    """What was done, and what the cache holds now."""

    standing: IndexStatus
    extracted: int
    """Files that had to be read and understood."""
    linked: int
    """Files whose names had to be resolved."""


COMMAND = CommandEntry(
    help="Read a workspace and keep what it says for later.",
    rank=20,
    read_only=True,
    synonyms=("build", "analyze", "update", "sync"),
)


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
        raise UsageError("--verify and --scip need every file linked: leave --facts-only out.")
    index = _index_in(scip) if scip else None
    with opened(ctx, root_option or root, "ready" if facts_only else "complete", checker=verify) as workspace:
        brought = _brought(workspace, index) if index is not None else None
        if brought is not None:
            workspace = attrs.evolve(workspace, snapshot=workspace.session.snapshot())
        if verify:
            workspace = complete(workspace)
        done = _indexed(workspace)
    seconds = time.monotonic() - began
    if format is Format.JSON:
        write_json(done.standing, {"extracted": done.extracted, "linked": done.linked, **_figures(brought)})
        end_if_empty(done.standing.indexed)
        return
    page = TextPage()
    work = f"{counted(done.extracted, 'file')} read, {done.linked:,} linked in {seconds:.1f} s"
    rows = [("scip", _words(brought))] if brought is not None else []
    page.rows([*status_rows(done.standing), *rows, ("done", work)])
    page.write()
    end_if_empty(done.standing.indexed)


def _index_in(file: str) -> ScipIndex:
    from graphls.compilers.scip import LARGEST, ScipError, read_index

    raw = read_small(file, LARGEST)
    if raw is None:
        raise UsageError(f"{file} cannot be read, or is larger than {LARGEST // 1_000_000} MB.")
    try:
        return read_index(raw)
    except ScipError as error:
        raise UsageError(f"{file}: {error}. Nothing of it was taken in.") from error


def _brought(workspace: OpenWorkspace, index: ScipIndex) -> IndexImport:
    from graphls.compilers.scip import ScipError

    try:
        return workspace.session.import_index(workspace.snapshot, index)
    except ScipError as error:
        raise UsageError(f"{error}. Nothing of the index was taken in.") from error


def _words(brought: IndexImport) -> str:
    sentence = f"{counted(brought.settled, 'uncertain site')} settled in {counted(len(brought.files), 'file')}"
    sure = brought.agreeing + brought.differing
    sentence += f"; of {sure:,} certain ones the index agrees with {brought.agreeing:,}"
    if brought.known:
        sentence += f"; {counted(len(brought.known), 'file')} of other languages taken in"
    if brought.stale:
        sentence += f"; {counted(len(brought.stale), 'file')} left out: made of other contents ({brought.stale[0]} ...)"
    return sentence


def _figures(brought: IndexImport | None) -> dict[str, object]:
    if brought is None:
        return {}
    return {
        "scip": {
            "tool": brought.tool,
            "settled": brought.settled,
            "agreeing": brought.agreeing,
            "differing": brought.differing,
            "files": len(brought.known),
            "stale": list(brought.stale),
            "unknown": list(brought.unknown),
        }
    }


def _indexed(workspace: OpenWorkspace) -> IndexView:
    # What was made last is written to the cache when the session ends.
    workspace.session.close()
    work = workspace.session.work
    return IndexView(index_status(workspace), len(work.extracted_files), len(work.linked_files))
