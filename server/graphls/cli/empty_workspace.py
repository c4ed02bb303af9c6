"""Empty workspace: a workspace without a file that graphls reads is a negative answer.

Owns: saying so.
Must not know: arguments, how files are read.
Invariant: nothing is said of a workspace with a source file.
"""

from __future__ import annotations

import typer

from graphls.cli.guard import NEGATIVE, UsageError
from graphls.cli.open_workspace import OpenWorkspace
from graphls.cli.rendering.words import visible
from graphls.queries.status import status
from graphls.session.index import empty_workspace


def why_empty(workspace: OpenWorkspace) -> str:
    """What was found instead of source files, and what was left out."""
    return visible(empty_workspace.why_empty(workspace.snapshot, workspace.workspace, workspace.settings))


def refuse_if_empty(workspace: OpenWorkspace) -> None:
    """Raises Refused where there is nothing to make a graph of."""
    totals = status(workspace.snapshot)
    if not (totals.indexed or totals.pending):
        raise UsageError(
            f"Nothing to export: {why_empty(workspace)} With --mode allow-errors the empty graph is written.", NEGATIVE
        )


def end_if_empty(indexed: int) -> None:
    """A workspace without source files is a negative answer."""
    if not indexed:
        raise typer.Exit(NEGATIVE)
