"""Watching: what a derivation looks at, so that it is known when it must be made anew.

Owns: a view of a snapshot that notes which files were looked at, the test whether a later snapshot shows the same.
Must not know: any rule, what is derived.
Invariant: what rests on grounds that still hold would come out the same if it were made again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.graph.snapshot import End, Reaching, Shard, Snapshot


@attrs.frozen
class Grounds:
    """Files of one snapshot on which an answer rests."""

    files: frozenset[FilePath]
    """Their contents were looked at."""
    linked: frozenset[FilePath] = frozenset()
    """Their links were."""
    shown: frozenset[FilePath] = frozenset()
    """Their surfaces were, while types were inferred."""


@attrs.frozen
class Changes:
    """In what one snapshot differs from an earlier one with the same files and module names."""

    contents: frozenset[FilePath]
    surfaces: frozenset[FilePath]

    def touch(self, grounds: Grounds, before: Snapshot, after: Snapshot) -> bool:
        """Whether what rests on these grounds may be different now."""
        if not self.contents.isdisjoint(grounds.files):
            return True
        if not self.surfaces:
            return False
        shown = not self.surfaces.isdisjoint(grounds.shown)
        return shown or any(_may_differ(path, before, after) for path in grounds.linked)


def _may_differ(path: FilePath, before: Snapshot, after: Snapshot) -> bool:
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
        self.snapshot = attrs.evolve(
            snapshot, shards=_Shards(snapshot.shards, self.files), reader=_Reader(snapshot, self), verification=None
        )

    def grounds(self) -> Grounds:
        """What was looked at so far."""
        return Grounds(frozenset(self.files), frozenset(self.linked), frozenset(self.shown))

    def join(self, grounds: Grounds) -> None:
        """Something was taken in that rests on these."""
        self.files |= grounds.files
        self.linked |= grounds.linked
        self.shown |= grounds.shown


class _Shards(Mapping[FilePath, Shard]):
    """The way to the contents of any file leads through here."""

    def __init__(self, shards: Mapping[FilePath, Shard], seen: set[FilePath]) -> None:
        self._shards = shards
        self._seen = seen

    def __getitem__(self, path: FilePath) -> Shard:
        self._seen.add(path)
        return self._shards[path]

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

    def unresolved_members(self, snapshot: Snapshot, shard: Shard, name: str) -> int | None:
        raise NotImplementedError

    def files_with_name(self, snapshot: Snapshot, name: str) -> tuple[FilePath, ...]:
        raise NotImplementedError
