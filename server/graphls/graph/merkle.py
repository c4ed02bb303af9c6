"""Merkle: digests that say whether two snapshots hold the same graph, and where they differ.

Owns: the snapshot id, the roots of packages and files, the digest of a file's records.
Must not know: output, who compares.
Invariant: equal ids, equal graphs.

A graph is a function of: the name of the workspace, the bytes of every file, the module name and package of every
file, the files left out, and the versions of extractors, resolver and schema. The snapshot id is a digest of exactly
that, so nothing is linked or projected to compute it; one pass over the list of files is enough. A file's root
covers its own share: when only another file changed, its root stays although an edge may now point elsewhere;
`records_root` covers the records themselves and is for comparing two graphs in depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import NewType

from graphls.facts.file_facts import FACTS_VERSION
from graphls.facts.links import LINKS_VERSION
from graphls.facts.paths import FilePath
from graphls.graph.addresses import declared_package, digest_of, spelled
from graphls.graph.projection import file_diagnostics, file_edges, file_nodes
from graphls.graph.records import SCHEMA_VERSION
from graphls.graph.snapshot import Shard, Snapshot
from graphls.graph.wire import edge_line, node_line
from graphls.languages.registry import providers

SnapshotId = NewType("SnapshotId", str)
"""`s:` and 26 letters of base32."""
Root = NewType("Root", str)
"""26 letters of base32 behind a letter that says of what."""

_KEPT = "snapshot_id"
_LINE = "snapshot_id_line"
_NAMES = "snapshot_id_names"


def snapshot_id(snapshot: Snapshot) -> SnapshotId:
    """Id of the graph of a snapshot."""
    known = snapshot.kept.get(_KEPT)
    if isinstance(known, str):
        return SnapshotId(known)
    digest = blake2b("\n".join(_everything(snapshot)).encode(errors="surrogatepass"), digest_size=16).digest()
    made = SnapshotId(spelled("s", digest))
    snapshot.kept[_KEPT] = made
    return made


def file_root(snapshot: Snapshot, path: FilePath) -> Root:
    """Root of one file: its bytes, its names, and how it is read."""
    shard = snapshot.shards[path]
    name = snapshot.module_name(path)
    parts = (path, shard.language, shard.content, name.dotted, declared_package(snapshot, path), versions())
    return Root(spelled("f", digest_of(*parts)))


def package_root(snapshot: Snapshot, package: str) -> Root:
    """Root over the files of one package, by declared name ("" for files under no manifest)."""
    own = (path for path in snapshot.shards if declared_package(snapshot, path) == package)
    return Root(spelled("d", digest_of(package, *(file_root(snapshot, path) for path in own))))


def records_root(snapshot: Snapshot, path: FilePath) -> Root:
    """Root over the records of one file, its edges included; links and projects that file."""
    lines = [node_line(node) for node in file_nodes(snapshot, path)]
    lines += [node_line(node) for node in file_diagnostics(snapshot, path)]
    lines += sorted(edge_line(edge) for edge in file_edges(snapshot, path))
    return Root(spelled("r", digest_of(*lines)))


@cache
def versions() -> str:
    """What besides the workspace decides how it is read."""
    recipes = [f"{name}={provider.recipe}" for name, provider in providers().items()]
    return " ".join([SCHEMA_VERSION, str(FACTS_VERSION), str(LINKS_VERSION), *recipes])


def keep_names(before: Snapshot, snapshot: Snapshot) -> None:
    """Modules are called as in the snapshot before."""
    if _NAMES in before.kept:
        snapshot.kept[_NAMES] = before.kept[_NAMES]


def _names(snapshot: Snapshot) -> str:
    known = snapshot.kept.get(_NAMES)
    if not isinstance(known, str):
        tables = (snapshot.modules[language].names for language in sorted(snapshot.modules))
        lines = (f"{path}\0{name.dotted}\0{name.root}" for names in tables for path, name in names.items())
        known = snapshot.kept[_NAMES] = "\n".join(lines)
    return known


def _line(shard: Shard) -> str:
    known = shard.kept.get(_LINE)
    if not isinstance(known, str):
        known = shard.kept[_LINE] = f"{shard.path}\0{shard.language}\0{shard.content}"
    return known


def _everything(snapshot: Snapshot) -> Iterator[str]:
    yield snapshot.name
    yield versions()
    yield from (f"{folder}\t{name}" for folder, name in sorted(snapshot.packages.items()))
    yield from map(_line, snapshot.shards.values())
    if names := _names(snapshot):
        yield names
    yield from (f"{skipped.path}\0{skipped.reason}" for skipped in snapshot.skipped)
    if snapshot.derivation is not None:
        yield snapshot.derivation.digest
