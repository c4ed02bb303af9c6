"""Scope: which files a question is about.

Owns: workspace, package, folder and file scopes.
Must not know: protocols, the disk.
Invariant: a scope that names nothing is refused, never answered as empty.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot


def files_in(snapshot: Snapshot, scope: str = "") -> tuple[FilePath, ...]:
    """Files with facts in a scope: "" for all, else a file, a folder, a declared package or a dotted module name."""
    name = scope.strip().removeprefix("./").rstrip("/")
    every = tuple(snapshot.files())
    if name in ("", "."):
        return every
    if name in snapshot.shards:
        return (FilePath(name),)
    for found in (
        tuple(path for path in every if path.startswith(f"{name}/")),
        tuple(path for path in every if snapshot.package_of(path) == name),
        tuple(path for path in every if f"{snapshot.module_name(path).dotted}.".startswith(f"{name}.")),
    ):
        if found:
            return found
    raise BadRequest(f"{scope!r} names no file, folder, package or module of the graph.")


def paths_in(snapshot: Snapshot, scope: str = "") -> frozenset[FilePath]:
    """All files in a scope, those of no language among them."""
    name = scope.strip().removeprefix("./").rstrip("/")
    if name in ("", "."):
        return frozenset(snapshot.shards)
    inside = frozenset(path for path in snapshot.shards if path.startswith(f"{name}/"))
    return inside or frozenset(files_in(snapshot, scope))
