"""Link reuse: links of many files over an edit that means nothing to them.

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
from graphls.languages.capabilities import Capabilities
from graphls.languages.registry import providers
from graphls.linking.dependencies import SurfaceHashes
from graphls.linking.module_table import ModuleTable
from graphls.linking.surface_diff import SurfaceDiff, diff_surfaces, words_of
from graphls.session.index.extraction import LONGEST_NAME
from graphls.session.link.link_entries import LinkEntry, ValidationStamp, with_state
from graphls.session.link.row_renumbering import RowRenumbering, renumber_entry, renumbering
from graphls.session.shared_caches import SharedCaches, key_of
from graphls.session.snapshot_contents import SnapshotContents, surface_hashes
from graphls.store.manifest import ManifestEntry

PreviousSurface: TypeAlias = tuple[str, str]
"""Key of a content, hash of its surface."""
FEW = 3
"""So few files are linked anew: to compare surfaces takes longer."""
_MOST = 40
"""Names that each file is asked about."""


def reuse_links(
    before: Snapshot, earlier: Mapping[FilePath, LinkEntry], snapshot: Snapshot, reader: SnapshotContents
) -> int:
    """Takes over entries of a snapshot that was linked as a whole; answers how many."""
    if before.modules is not snapshot.modules:
        return 0
    caches = reader.caches
    left = [path for path in snapshot.files() if path not in reader.entries]
    entries = [entry for path in left if (entry := _same(earlier.get(path), snapshot, caches)) is not None]

    def was(path: FilePath) -> PreviousSurface | None:
        shard = before.shards.get(path)
        return None if shard is None or not shard.language else (key_of(shard), shard.surface_hash)

    return _reuse(entries, was, snapshot, reader)


def backdate_links(
    validation: ValidationStamp,
    stale: Sequence[LinkEntry],
    manifest: Mapping[FilePath, ManifestEntry],
    snapshot: Snapshot,
    reader: SnapshotContents,
) -> int:
    """The same with links of an earlier run, whose state was proved."""

    def was(path: FilePath) -> PreviousSurface | None:
        surface = validation.changed.get(path)
        if surface is None:
            shard = snapshot.shards.get(path)
            return None if shard is None or not shard.language else (key_of(shard), shard.surface_hash)
        entry = manifest.get(path)
        key, _, digest = entry.facts_key.rpartition(" ") if entry is not None else ("", "", "")
        return (key, surface) if key and digest == surface else None

    return _reuse([one for one in stale if one.path not in reader.entries], was, snapshot, reader)


def _reuse(
    entries: Sequence[LinkEntry],
    previous: Callable[[FilePath], PreviousSurface | None],
    snapshot: Snapshot,
    reader: SnapshotContents,
) -> int:
    caches = reader.caches
    if len(entries) <= FEW:
        return 0
    try:
        reads = {entry.path: frozenset(map(FilePath, entry.inputs.reads)) for entry in entries}
    except CodecError:
        return 0
    paths = sorted(frozenset[FilePath]().union(reads, *reads.values()))
    found = _surface_diffs(previous, snapshot, caches, paths)
    if not found:
        return 0
    mentioning = _files_mentioning(snapshot, caches, paths, {path: one.names for path, one in found.items()})
    passing = _passing_on(snapshot, caches, mentioning, frozenset[str]().union(*(one.names for one in found.values())))
    by = _renumbering(previous, caches, found)
    hashes, count = surface_hashes(snapshot), 0
    for entry in entries:
        if entry.path not in mentioning and passing.isdisjoint(reads[entry.path]):
            shard = snapshot.shards[entry.path]
            made = _backdated(entry, by, snapshot.modules[shard.language], hashes)
            if made is None:
                continue
            reader.reuse(made)
            if not shard.dirty:
                caches.store_entry(made)
            count += 1
    return count


def _passing_on(
    snapshot: Snapshot, caches: SharedCaches, mentioning: Collection[FilePath], names: Collection[str]
) -> frozenset[FilePath]:
    """Those of the files that mention names where others see it: what only bodies spell, nobody else asks for."""
    found: set[FilePath] = set()
    for path in mentioning:
        surface = caches.facts_cache.surface(key_of(snapshot.shards[path]))
        if surface is None or not words_of(surface).isdisjoint(names):
            found.add(path)
    return frozenset(found)


def _backdated(entry: LinkEntry, by: RowRenumbering, modules: ModuleTable, hashes: SurfaceHashes) -> LinkEntry | None:
    """The entry in the new state; None when it has to be made there."""
    try:
        there = renumber_entry(entry, by)
        made = None if there is None else with_state(there, modules, hashes)
    except CodecError:
        return None
    # Other links than before go by another name.
    return made if made is None or there is entry else attrs.evolve(made, stamp=made.digest)


def _renumbering(
    previous: Callable[[FilePath], PreviousSurface | None], caches: SharedCaches, found: Mapping[FilePath, SurfaceDiff]
) -> RowRenumbering:
    rows = {path: one.rows for path, one in found.items() if one.rows}
    before = {path: caches.facts_cache.surface(then[0]) for path in rows if (then := previous(path)) is not None}
    return renumbering(rows, {path: 0 if surface is None else len(surface.symbols) for path, surface in before.items()})


def _same(entry: LinkEntry | None, snapshot: Snapshot, caches: SharedCaches) -> LinkEntry | None:
    """The entry if it is still the newest about these contents."""
    if entry is None or caches.latest.get(entry.path) is not entry:
        return None
    return entry if entry.content == key_of(snapshot.shards[entry.path]) else None


def _surface_diffs(
    previous: Callable[[FilePath], PreviousSurface | None],
    snapshot: Snapshot,
    caches: SharedCaches,
    paths: Sequence[FilePath],
) -> Mapping[FilePath, SurfaceDiff]:
    """How surfaces differ, by file; nothing where that cannot be said of each file."""
    found: dict[FilePath, SurfaceDiff] = {}
    for path in paths:
        new, then = snapshot.shards.get(path), previous(path)
        if then is None or new is None or not new.language:
            return {}
        key, surface = then
        if surface == new.surface_hash:
            continue
        old, now = caches.facts_cache.surface(key), caches.facts_cache.surface(key_of(new))
        # The same contents show something else only where a parser remembered too much.
        language = providers()[new.language].capabilities
        by_type = language.is_reached_by_type
        one = None if old is None or now is None or key == key_of(new) else diff_surfaces(old, now, by_type)
        if one is None or not _is_name_based(language, one):
            return {}
        found[path] = one
    return found if sum(len(one.names) for one in found.values()) <= _MOST else {}


def _is_name_based(language: Capabilities, diff: SurfaceDiff) -> bool:
    """Whether each file that depends on one of the names spells it."""
    is_implied_name = language.is_implied_name
    if is_implied_name is None or not language.compared_types.isdisjoint(diff.types):
        return False
    run = language.run_by_constructs or ()
    return not any(is_implied_name(name) or name in run or len(name) > LONGEST_NAME for name in diff.names)


def _files_mentioning(
    snapshot: Snapshot,
    caches: SharedCaches,
    paths: Sequence[FilePath],
    names_by_file: Mapping[FilePath, frozenset[str]],
) -> frozenset[FilePath]:
    """Files that mention one of the names; a file's own ones were looked for in the file."""
    keys = [key_of(snapshot.shards[path]) for path in paths]
    found: set[FilePath] = set()
    for home, names in names_by_file.items():
        for name in names:
            hits = caches.facts_cache.mentions(keys, name)
            found.update(path for path, hit in zip(paths, hits, strict=True) if hit and path != home)
    return frozenset(found)
