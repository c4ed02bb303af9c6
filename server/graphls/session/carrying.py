"""Carrying: links of many files over an edit that means nothing to them.

Owns: which files that read what was edited know none of the names that mean something else now.
Must not know: what links say, how names are resolved, how surfaces differ.
Invariant: links that are carried over are those that linking the file anew would give.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

import attrs

from graphls.facts.codec import CodecError
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.provider import Spelling
from graphls.languages.registry import providers
from graphls.resolve.differing import Differing, differing
from graphls.resolve.modules import ModuleTable
from graphls.session.extraction import LONGEST_NAME
from graphls.session.link_entries import LinkEntry, Proved, SurfaceHashes, moved
from graphls.session.reader import SessionReader, Shelf, key_of, surface_hashes
from graphls.session.shifting import Shift, shift, shifted
from graphls.store.manifest import ManifestEntry

Was: TypeAlias = tuple[str, str]
"""Key of a content, hash of its surface."""
FEW = 3
"""So few files are linked anew: to compare surfaces takes longer."""
_MOST = 40
"""Names that each file is asked about."""


def carry(before: Snapshot, earlier: Mapping[FilePath, LinkEntry], snapshot: Snapshot, reader: SessionReader) -> int:
    """Takes over entries of a snapshot that was linked as a whole; answers how many."""
    if before.modules is not snapshot.modules:
        return 0
    shelf = reader.shelf
    left = [path for path in snapshot.files() if path not in reader.entries]
    entries = [entry for path in left if (entry := _same(earlier.get(path), snapshot, shelf)) is not None]

    def was(path: FilePath) -> Was | None:
        shard = before.shards.get(path)
        return None if shard is None or not shard.language else (key_of(shard), shard.surface_hash)

    return _carried(entries, was, snapshot, reader)


def carry_stale(
    proved: Proved,
    stale: Sequence[LinkEntry],
    remembered: Mapping[FilePath, ManifestEntry],
    snapshot: Snapshot,
    reader: SessionReader,
) -> int:
    """The same with links of an earlier run, whose state was proved."""

    def was(path: FilePath) -> Was | None:
        surface = proved.changed.get(path)
        if surface is None:
            shard = snapshot.shards.get(path)
            return None if shard is None or not shard.language else (key_of(shard), shard.surface_hash)
        entry = remembered.get(path)
        key, _, digest = entry.facts_key.rpartition(" ") if entry is not None else ("", "", "")
        return (key, surface) if key and digest == surface else None

    return _carried([one for one in stale if one.path not in reader.entries], was, snapshot, reader)


def _carried(
    entries: Sequence[LinkEntry], was: Callable[[FilePath], Was | None], snapshot: Snapshot, reader: SessionReader
) -> int:
    shelf = reader.shelf
    if len(entries) <= FEW:
        return 0
    try:
        reads = {entry.path: frozenset(map(FilePath, entry.asked.reads)) for entry in entries}
    except CodecError:
        return 0
    asked = sorted(frozenset[FilePath]().union(reads, *reads.values()))
    found = _differing(was, snapshot, shelf, asked)
    if not found:
        return 0
    speaking = _speaking(snapshot, shelf, asked, {path: one.names for path, one in found.items()})
    by = _shift(was, shelf, found)
    hashes, count = surface_hashes(snapshot), 0
    for entry in entries:
        if entry.path not in speaking and speaking.isdisjoint(reads[entry.path]):
            shard = snapshot.shards[entry.path]
            made = _now(entry, by, snapshot.modules[shard.language], hashes)
            if made is None:
                continue
            reader.carry(made)
            if not shard.dirty:
                shelf.keep(made)
            count += 1
    return count


def _now(entry: LinkEntry, by: Shift, modules: ModuleTable, hashes: SurfaceHashes) -> LinkEntry | None:
    """The entry in the new state; None when it has to be made there."""
    try:
        there = shifted(entry, by)
        made = None if there is None else moved(there, modules, hashes)
    except CodecError:
        return None
    # Other links than before go by another name.
    return made if made is None or there is entry else attrs.evolve(made, stamp=made.digest)


def _shift(was: Callable[[FilePath], Was | None], shelf: Shelf, found: Mapping[FilePath, Differing]) -> Shift:
    rows = {path: one.rows for path, one in found.items() if one.rows}
    before = {path: shelf.contents.surface(then[0]) for path in rows if (then := was(path)) is not None}
    return shift(rows, {path: 0 if surface is None else len(surface.symbols) for path, surface in before.items()})


def _same(entry: LinkEntry | None, snapshot: Snapshot, shelf: Shelf) -> LinkEntry | None:
    """The entry if it is still the newest about these contents."""
    if entry is None or shelf.latest.get(entry.path) is not entry:
        return None
    return entry if entry.content == key_of(snapshot.shards[entry.path]) else None


def _differing(
    was: Callable[[FilePath], Was | None], snapshot: Snapshot, shelf: Shelf, asked: Sequence[FilePath]
) -> Mapping[FilePath, Differing]:
    """How surfaces differ, by file; nothing where that cannot be said of each file."""
    found: dict[FilePath, Differing] = {}
    for path in asked:
        new, then = snapshot.shards.get(path), was(path)
        if then is None or new is None or not new.language:
            return {}
        key, surface = then
        if surface == new.surface_hash:
            continue
        old, now = shelf.contents.surface(key), shelf.contents.surface(key_of(new))
        # The same contents show something else only where a parser remembered too much.
        one = None if old is None or now is None or key == key_of(new) else differing(old, now)
        if one is None or not _tellable(new.language, one.names):
            return {}
        found[path] = one
    return found if sum(len(one.names) for one in found.values()) <= _MOST else {}


def _tellable(language: str, names: Collection[str]) -> bool:
    """Whether each file that depends on one of the names spells it."""
    provider = providers()[language]
    return isinstance(provider, Spelling) and not any(
        provider.implied(name) or len(name) > LONGEST_NAME for name in names
    )


def _speaking(
    snapshot: Snapshot, shelf: Shelf, asked: Sequence[FilePath], named: Mapping[FilePath, frozenset[str]]
) -> frozenset[FilePath]:
    """Files that mention one of the names; a file's own ones were looked for in the file."""
    keys = [key_of(snapshot.shards[path]) for path in asked]
    found: set[FilePath] = set()
    for home, names in named.items():
        for name in names:
            hits = shelf.contents.mentions(keys, name)
            found.update(path for path, hit in zip(asked, hits, strict=True) if hit and path != home)
    return frozenset(found)
