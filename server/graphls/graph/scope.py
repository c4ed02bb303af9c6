"""Scope: which part of a snapshot a question is about.

Owns: workspace, package, folder and file as sets of files.
Must not know: what is asked about them.
Invariant: a scope that names nothing in the snapshot is an error, never an empty answer.
"""

from __future__ import annotations

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest, NotInGraph
from graphls.graph.snapshot import Snapshot

KINDS = ("workspace", "package", "folder", "file")


@attrs.frozen
class Scope:
    """`kind` is one of KINDS; `name` is the package, folder or file, "" for the workspace."""

    kind: str = "workspace"
    name: str = ""


WORKSPACE = Scope()


def files_of(snapshot: Snapshot, scope: Scope) -> tuple[FilePath, ...]:
    """Files in a scope, in order of path, plain files too."""
    name = scope.name.strip("/").removeprefix("./")
    match scope.kind:
        case "workspace":
            return tuple(snapshot.shards)
        case "package":
            found = tuple(path for path in snapshot.shards if snapshot.package_of(path) == scope.name)
        case "folder":
            found = tuple(path for path in snapshot.shards if name in ("", ".") or path.startswith(f"{name}/"))
        case "file":
            found = tuple(path for path in snapshot.shards if path == name)
        case _:
            raise BadRequest(f"{scope.kind!r} is no scope. Use one of: {', '.join(KINDS)}.")
    if not found:
        raise NotInGraph(scope.name)
    return found
