"""Feedback rows: the names under which the store keeps what people and agents did in one workspace.

Owns: how a name begins, which rows begin so.
Must not know: what rows hold, when they are dropped.
Invariant: workspaces of other folders, and rows of another form, never meet.
"""

from __future__ import annotations

from graphls.graph.addresses import digest_of
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore


def start_of_rows(form: str, workspace: Workspace) -> str:
    """How the names of all rows of a form begin in a workspace."""
    return f"{form}\0{digest_of(form, *(folder.root for folder in workspace.folders)).hex()}\0"


def rows_from(store: BlobStore, start: str) -> list[str]:
    """The names of the rows that begin so."""
    return [name for name in store.names("feedback") if name.startswith(start)]
