"""Scopes: the files and scopes that own requests name.

Owns: paths, URIs and names of packages as scopes of the graph.
Must not know: what is asked about them.
Invariant: what names nothing is refused.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.errors import NotInGraph
from graphls.graph.scope import WORKSPACE, Scope
from graphls.graph.snapshot import Snapshot
from graphls.lsp.from_proto import Context


def required_path(context: Context, text: str) -> FilePath:
    """The file of the graph that a URI or a workspace-relative path names."""
    path = context.session.uris.path(text) or FilePath(text.removeprefix("./"))
    if path not in context.snapshot.shards:
        raise NotInGraph(text.rpartition("/")[2])
    return path


def scope_of(snapshot: Snapshot, text: str) -> Scope:
    """Empty for the workspace, else a file, a declared package or a folder."""
    name = text.strip().removeprefix("./").rstrip("/")
    if name in ("", "."):
        return WORKSPACE
    if name in snapshot.shards:
        return Scope("file", name)
    return Scope("package" if name in snapshot.packages.values() else "folder", name)
