"""Watching: what a derivation looks at, so that it is known when it must be made anew.

Owns: a view of a snapshot that notes which files were looked at, the test whether a later snapshot shows the same.
Must not know: any rule, what is derived.
Invariant: what rests on grounds that still hold would come out the same if it were made again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from hashlib import blake2b
from typing import Final

import attrs

from graphls.facts.columns import Column
from graphls.facts.file_facts import FileFacts
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.graph.addresses import Addresses, addresses
from graphls.graph.open_names import OpenNames
from graphls.graph.snapshot import End, Reaching, Shard, Snapshot

_KEPT: Final = "things"


@attrs.frozen
class Grounds:
    """Files of one snapshot on which an answer rests."""

    files: frozenset[FilePath]
    """Their contents were looked at."""
    linked: frozenset[FilePath] = frozenset()
    """Their links were."""
    shown: frozenset[FilePath] = frozenset()
    """Their surfaces were, while types were inferred."""
    held: Mapping[FilePath, bytes] = attrs.field(factory=dict[FilePath, bytes])
    """Of these it was looked at which things they hold, with a digest of that."""


@attrs.frozen(eq=False)
class Things:
    """Where the things of a file are, and what they are: the same while an edit adds and takes away none."""

    addresses: Addresses
    kinds: Column


def things(snapshot: Snapshot, path: FilePath) -> Things:
    """Those of one file; who watches notes no more than that."""
    shards = snapshot.shards
    return shards.things(path) if isinstance(shards, _Shards) else _things(snapshot, path)


def _things(snapshot: Snapshot, path: FilePath) -> Things:
    return Things(addresses(snapshot, path), snapshot.facts(path).definitions.kind)


def _digest(snapshot: Snapshot, path: FilePath) -> bytes:
    """Of the things of a file; kept with its contents."""
    kept = snapshot.shards[path].kept
    known = kept.get(_KEPT)
    if not isinstance(known, bytes):
        found, digest = _things(snapshot, path), blake2b(digest_size=16)
        for part in (found.kinds, found.addresses.rows, found.addresses.slots, found.addresses.symbols):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
        known = kept[_KEPT] = digest.digest()
    return known


@attrs.frozen
class Changes:
    """In what one snapshot differs from an earlier one with the same files and module names."""

    contents: frozenset[FilePath]
    surfaces: frozenset[FilePath]

    def touch(self, grounds: Grounds, after: Snapshot, relinked: Callable[[FilePath], bool]) -> bool:
        """Whether what rests on these grounds may be different now. `relinked`: whether links of a file may be."""
        if not self.contents.isdisjoint(grounds.files):
            return True
        if any(_digest(after, path) != grounds.held[path] for path in self.contents & grounds.held.keys()):
            return True
        if not self.surfaces:
            return False
        shown = not self.surfaces.isdisjoint(grounds.shown)
        return shown or any(map(relinked, grounds.linked))


def may_differ(path: FilePath, before: Snapshot, after: Snapshot) -> bool:
    """Whether the links of a file with the same contents may be different now."""
    stamp = before.links_stamp(path)
    return not stamp or stamp != after.links_stamp(path)


def changes(before: Snapshot, after: Snapshot) -> Changes | None:
    """How two snapshots differ; None when more than contents of files did."""
    if before.modules is not after.modules or before.shards.keys() != after.shards.keys():
        return None
    old = before.shards
    differing = [(old[path], shard) for path, shard in after.shards.items() if old[path] is not shard]
    if any(one.language != other.language for one, other in differing):
        return None
    # Other contents, or other facts of the same contents: a parser may have remembered too much.
    contents = frozenset(one.path for one, other in differing if not _same(one, other))
    return Changes(contents, frozenset(one.path for one, other in differing if one.surface_hash != other.surface_hash))


def _same(one: Shard, other: Shard) -> bool:
    return one.content == other.content and one.dirty != other.dirty


class Watch:
    """Notes what is looked at through `snapshot`."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.files: set[FilePath] = set()
        self.linked: set[FilePath] = set()
        self.shown: set[FilePath] = set()
        self.held: set[FilePath] = set()
        self._whole = snapshot
        self.snapshot = attrs.evolve(
            snapshot, shards=_Shards(snapshot, self), reader=_Reader(snapshot, self), verification=None
        )

    def grounds(self) -> Grounds:
        """What was looked at so far."""
        held = {path: _digest(self._whole, path) for path in sorted(self.held - self.files)}
        return Grounds(frozenset(self.files), frozenset(self.linked), frozenset(self.shown), held)

    def join(self, grounds: Grounds) -> None:
        """Something was taken in that rests on these."""
        self.files |= grounds.files
        self.linked |= grounds.linked
        self.shown |= grounds.shown
        self.held |= grounds.held.keys()


class _Shards(Mapping[FilePath, Shard]):
    """The way to the contents of any file leads through here."""

    def __init__(self, snapshot: Snapshot, watch: Watch) -> None:
        self._snapshot = snapshot
        self._shards = snapshot.shards
        self._watch = watch

    def __getitem__(self, path: FilePath) -> Shard:
        self._watch.files.add(path)
        return self._shards[path]

    def things(self, path: FilePath) -> Things:
        self._watch.held.add(path)
        return _things(self._snapshot, path)

    def __iter__(self) -> Iterator[FilePath]:
        return iter(self._shards)

    def __len__(self) -> int:
        return len(self._shards)


class _Reader:
    """The `Reader` behind a watched snapshot."""

    def __init__(self, snapshot: Snapshot, watch: Watch) -> None:
        self._snapshot = snapshot
        self._reader = snapshot.reader
        self._watch = watch

    def facts(self, shard: Shard) -> FileFacts:
        return self._reader.facts(shard)

    def surface(self, shard: Shard) -> Surface:
        return self._reader.surface(shard)

    def text(self, shard: Shard) -> bytes | None:
        return self._reader.text(shard)

    def links(self, snapshot: Snapshot, shard: Shard) -> Links:
        self._watch.linked.add(shard.path)
        return self._reader.links(self._snapshot, shard)

    def links_at(self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int], frame: bool) -> Links:
        self._watch.linked.add(shard.path)
        return self._reader.links_at(self._snapshot, shard, occurrences, frame)

    def known_links(self, snapshot: Snapshot, shard: Shard) -> Links | None:
        self._watch.linked.add(shard.path)
        return self._reader.known_links(self._snapshot, shard)

    def types_at(self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int]) -> Links:
        found = self._reader.types_at(self._snapshot, shard, occurrences)
        self._watch.shown.update(map(FilePath, found.reads))
        return found

    # What follows answers about the whole workspace: nothing that is kept may rest on it.

    def links_stamp(self, snapshot: Snapshot, shard: Shard) -> str:
        raise NotImplementedError

    def reaching(self, snapshot: Snapshot, ends: Collection[End]) -> Reaching:
        raise NotImplementedError

    def link_failures(self, snapshot: Snapshot) -> Mapping[FilePath, str]:
        raise NotImplementedError

    def not_linked(self, snapshot: Snapshot) -> Set[FilePath]:
        raise NotImplementedError

    def renamed(self, snapshot: Snapshot, ends: Collection[End]) -> Mapping[FilePath, Sequence[str]]:
        raise NotImplementedError

    def open_names(self, snapshot: Snapshot, shard: Shard) -> OpenNames | None:
        raise NotImplementedError

    def open_counts(self, snapshot: Snapshot, language: str, name: int) -> Sequence[int] | None:
        raise NotImplementedError

    def defined_names(self, snapshot: Snapshot, language: str) -> Set[int]:
        raise NotImplementedError

    def files_with_name(self, snapshot: Snapshot, name: str) -> tuple[FilePath, ...]:
        raise NotImplementedError
