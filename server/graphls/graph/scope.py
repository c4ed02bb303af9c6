"""Scope: which part of a snapshot a question is about.

Owns: workspace, package, folder and file as sets of files.
Must not know: what is asked about them.
Invariant: a scope that names nothing in the snapshot is an error, never an empty answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    found = _within(snapshot, scope, snapshot.shards)
    if not found and scope.kind != "workspace":
        raise NotInGraph(scope.name)
    return found


def unread_of(snapshot: Snapshot, scope: Scope) -> Mapping[FilePath, str]:
    """Text files in a scope of which nothing but the name is known, and why."""
    reasons = {unread.path: unread.reason for unread in snapshot.unread}
    return {path: reasons[path] for path in _within(snapshot, scope, reasons) if path not in snapshot.shards}


def _within(snapshot: Snapshot, scope: Scope, files: Iterable[FilePath]) -> tuple[FilePath, ...]:
    name = scope.name.strip("/").removeprefix("./")
    match scope.kind:
        case "workspace":
            return tuple(files)
        case "package":
            return tuple(path for path in files if snapshot.package_of(path) == scope.name)
        case "folder":
            return tuple(path for path in files if name in ("", ".") or path.startswith(f"{name}/"))
        case "file":
            return tuple(path for path in files if path == name)
        case _:
            raise BadRequest(f"{scope.kind!r} is no scope. Use one of: {', '.join(KINDS)}.")
