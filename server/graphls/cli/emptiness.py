"""Emptiness: a workspace without a file that graphls reads is a negative answer.

Owns: saying so.
Must not know: arguments, how files are read.
Invariant: nothing is said of a workspace with a source file.
"""

from __future__ import annotations

import typer

from graphls.cli.guard import NEGATIVE, Refused
from graphls.cli.opening import Opened
from graphls.cli.rendering.words import visible
from graphls.queries.status import status
from graphls.session import emptiness


def why_empty(workspace: Opened) -> str:
    """What was found instead of source files, and what was left out."""
    return visible(emptiness.why_empty(workspace.snapshot, workspace.workspace, workspace.settings))


def refuse_if_empty(workspace: Opened) -> None:
    """Raises Refused where there is nothing to make a graph of."""
    held = status(workspace.snapshot)
    if not (held.indexed or held.pending):
        raise Refused(
            f"Nothing to export: {why_empty(workspace)} With --mode allow-errors the empty graph is written.", NEGATIVE
        )


def end_if_empty(indexed: int) -> None:
    """A workspace without source files is a negative answer."""
    if not indexed:
        raise typer.Exit(NEGATIVE)
