"""Proposals: a patch that nobody has applied yet, from a file or standard input.

Owns: reading it, the workspace with it.
Must not know: what is asked about it.
Invariant: nothing is written; a path that leaves the workspace is refused.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from graphls.cli.guard import UsageError
from graphls.cli.open_workspace import OpenWorkspace
from graphls.graph.snapshot import Snapshot
from graphls.queries.changed import FileDiff
from graphls.session.patches import patched
from graphls.session.proposed import with_proposed

PatchFile = Annotated[
    str,
    typer.Option("--patch", metavar="FILE", help="A unified diff that is not applied yet; - for standard input."),
]


def with_patch(workspace: OpenWorkspace, file: str) -> tuple[Snapshot, tuple[FileDiff, ...]]:
    """The workspace with a patch, and the files that differ."""
    snapshot, place = workspace.snapshot, workspace.workspace

    def text_of(name: str) -> str | None:
        key = place.contained(name)
        known = snapshot.text(key) if key in snapshot.shards else None
        return None if known is None else known.decode("utf-8", "replace")

    texts = {place.contained(name): text for name, text in patched(read_text(file), text_of).items()}
    return with_proposed(snapshot, texts, workspace.settings, place.prefixes)


def read_text(file: str) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from None
    return raw.decode("utf-8", "replace")
