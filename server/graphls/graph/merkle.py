"""Merkle: digests that say whether two snapshots hold the same graph, and where they differ.

Owns: the snapshot id, the roots of packages and files, the digest of a file's records.
Must not know: output, who compares.
Invariant: equal ids, equal graphs.

A graph is a function of: the bytes of every file, the module name and package of every file, what is installed outside
(`resolution_inputs`), the files left out or not linked, and the versions of extractors, resolver and schema. The
snapshot id is a digest of exactly that, so nothing is linked or projected to compute it; one pass over all files is
enough. Neither the folder nor its name takes part. What is installed counts as a whole, so that two ids may differ
where nothing that differs is used. A file's root covers its own share: when only another file changed, it stays
although an edge may now point elsewhere; `records_root` covers the records themselves and is for comparing two graphs
in depth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from hashlib import blake2b
from typing import NewType

import attrs

from graphls.facts.file_facts import FACTS_VERSION
from graphls.facts.links import LINKS_VERSION
from graphls.facts.paths import FilePath
from graphls.graph.addresses import declared_package, digest_of, format_id
from graphls.graph.memo import Memo
from graphls.graph.packages import manifest_text as spelled_package
from graphls.graph.projection import file_diagnostics, file_edges, file_nodes
from graphls.graph.records import SCHEMA_VERSION
from graphls.graph.resolution_inputs import resolution_inputs
from graphls.graph.snapshot import Shard, Snapshot
from graphls.graph.wire import edge_line, node_line
from graphls.languages.registry import providers

SnapshotId = NewType("SnapshotId", str)
"""`s:` and 26 letters of base32."""
Root = NewType("Root", str)
"""26 letters of base32 behind a letter that says of what."""

_MEMO = Memo["_DigestMemo"]("snapshot id", rests_on_links=False)


@attrs.define(eq=False)
class _DigestMemo:
    """What the id of a snapshot is made of, as far as it is at hand; shared by all views of the snapshot."""

    lines: dict[FilePath, str] | None = None
    """A line for each file."""
    made: SnapshotId | None = None


def snapshot_id(snapshot: Snapshot) -> SnapshotId:
    """Id of the graph of a snapshot."""
    known = _MEMO.once(snapshot, _DigestMemo)
    if known.made is None:
        text = "\n".join(_everything(snapshot, known))
        digest = blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        known.made = SnapshotId(format_id("s", digest))
    return known.made


def follow(before: Snapshot, snapshot: Snapshot, edited: Collection[FilePath]) -> None:
    """The same files are there and modules are called the same as in the snapshot before; some were edited."""
    known = _MEMO.get(before)
    if known is None:
        _MEMO.put(snapshot, _DigestMemo())
        return
    lines = None if known.lines is None else dict(known.lines)
    if lines is not None:
        lines.update((path, _line(snapshot.shards[path])) for path in edited)
    _MEMO.put(snapshot, _DigestMemo(lines))


def file_root(snapshot: Snapshot, path: FilePath) -> Root:
    """Root of one file: its bytes, its names, and how it is read."""
    shard = snapshot.shards[path]
    name = snapshot.module_name(path)
    parts = (path, shard.language, shard.content, name.dotted, declared_package(snapshot, path), versions())
    return Root(format_id("f", digest_of(*parts)))


def package_root(snapshot: Snapshot, package: str) -> Root:
    """Root over the files of one package, by declared name ("" for files under no manifest)."""
    own = (path for path in snapshot.shards if declared_package(snapshot, path) == package)
    return Root(format_id("d", digest_of(package, *(file_root(snapshot, path) for path in own))))


def records_root(snapshot: Snapshot, path: FilePath) -> Root:
    """Root over the records of one file, its edges included; links and projects that file."""
    lines = [node_line(node) for node in file_nodes(snapshot, path)]
    lines += [node_line(node) for node in file_diagnostics(snapshot, path)]
    lines += sorted(edge_line(edge) for edge in file_edges(snapshot, path))
    return Root(format_id("r", digest_of(*lines)))


@cache
def versions() -> str:
    """What besides the workspace decides how it is read."""
    recipes = [f"{name}={provider.recipe}" for name, provider in providers().items()]
    return " ".join([SCHEMA_VERSION, str(FACTS_VERSION), str(LINKS_VERSION), *recipes])


def _line(shard: Shard) -> str:
    parts = (shard.path, shard.language, shard.content, *((shard.imported,) if shard.imported else ()))
    return "\0".join(parts)


def _everything(snapshot: Snapshot, known: _DigestMemo) -> Iterator[str]:
    if known.lines is None:
        known.lines = {path: _line(shard) for path, shard in snapshot.shards.items()}
    yield versions()
    yield resolution_inputs(snapshot).hex()
    yield from (f"{folder}\t{name}" for folder, name in sorted(snapshot.packages.items()))
    yield from (f"{folder}\t{spelled_package(one)}" for folder, one in sorted(snapshot.declared.items()))
    if known.lines:
        yield "\n".join(known.lines.values())
    yield from (f"{skipped.path}\0{skipped.reason}" for skipped in snapshot.skipped)
    yield from (f"unread\0{unread.path}\0{unread.reason}" for unread in snapshot.unread)
    yield from (f"unlinked\0{failed.path}\0{failed.reason}" for failed in snapshot.unlinked)
    if snapshot.derivation is not None:
        yield snapshot.derivation.digest
