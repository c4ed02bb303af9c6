"""Dependency recorder: what a derivation looks at, so that it is known when it must be made anew.

Owns: a view of a snapshot that notes which files were looked at, the test whether a later snapshot shows the same.
Must not know: any rule, what is derived.
Invariant: what rests on grounds that still hold would come out the same if it were made again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from hashlib import blake2b
from typing import Final, Self

import attrs

from graphls.facts.cached_property import cached_property
from graphls.facts.columns import Column
from graphls.facts.file_facts import FileFacts
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.graph.addresses import Addresses, addresses
from graphls.graph.import_rows import ImportRow
from graphls.graph.memo import Memo, drop_values
from graphls.graph.mentions import has_name
from graphls.graph.open_names import OpenNames
from graphls.graph.snapshot import End, ReachingFiles, Shard, Snapshot
from graphls.languages.config.reading import format_of

_MEMO: Final = Memo[bytes]("digest of nodes")


@attrs.frozen
class Dependencies:
    """Files of one snapshot on which an answer rests."""

    files: frozenset[FilePath]
    """Their contents were looked at."""
    linked: frozenset[FilePath] = frozenset()
    """Their links were."""
    surfaces: frozenset[FilePath] = frozenset()
    """Their surfaces were, while types were inferred."""
    node_digests: Mapping[FilePath, bytes] = attrs.field(factory=dict[FilePath, bytes])
    """Of these it was looked at which things they hold, with a digest of that."""
    formats: frozenset[str] = frozenset()
    """Of these all documents were looked at."""
    names: frozenset[str] = frozenset()
    """All files with one of these were looked for."""


@attrs.frozen(eq=False)
class NodeIndex:
    """Where the things of a file are, and what they are: the same while an edit adds and takes away none."""

    addresses: Addresses
    kinds: Column


def node_index(snapshot: Snapshot, path: FilePath) -> NodeIndex:
    """Those of one file; who watches notes no more than that."""
    shards = snapshot.shards
    return shards.node_index(path) if isinstance(shards, _RecordingShards) else _node_index(snapshot, path)


def rest_on_format(snapshot: Snapshot, name: str) -> None:
    """Who watches notes that all documents of a format are looked at, which may be thousands."""
    if isinstance(snapshot.shards, _RecordingShards):
        snapshot.shards.rest_on_format(name)


def files_naming(snapshot: Snapshot, name: str) -> Sequence[FilePath]:
    """Files that have a name, or import by a key; who watches notes the name."""
    shards = snapshot.shards
    return shards.naming(name) if isinstance(shards, _RecordingShards) else snapshot.files_with_name(name)


def _node_index(snapshot: Snapshot, path: FilePath) -> NodeIndex:
    return NodeIndex(addresses(snapshot, path), snapshot.facts(path).definitions.kind)


def _digest(snapshot: Snapshot, path: FilePath) -> bytes:
    """Of the things of a file; kept with its contents."""
    known = _MEMO.get(snapshot.shards[path])
    if known is None:
        found, digest = _node_index(snapshot, path), blake2b(digest_size=16)
        for part in (found.kinds, found.addresses.rows, found.addresses.slots, found.addresses.symbols):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
        known = _MEMO.put(snapshot.shards[path], digest.digest())
    return known


@attrs.frozen
class ContentChanges:
    """In what one snapshot differs from an earlier one with the same files and module names."""

    contents: frozenset[FilePath]
    surfaces: frozenset[FilePath]

    @cached_property
    def formats(self) -> frozenset[str]:
        """Of the documents among `contents`."""
        return frozenset(filter(None, map(format_of, self.contents)))

    def touch(self, dependencies: Dependencies, after: Snapshot, relinked: Callable[[FilePath], bool]) -> bool:
        """Whether what rests on these grounds may be different now. `relinked`: whether links of a file may be."""
        if not self.contents.isdisjoint(dependencies.files) or not self.formats.isdisjoint(dependencies.formats):
            return True
        if any(
            _digest(after, path) != dependencies.node_digests[path]
            for path in self.contents & dependencies.node_digests.keys()
        ):
            return True
        if any(has_name(after.facts(path), name) for name in dependencies.names for path in self.contents):
            return True
        if not self.surfaces:
            return False
        inferred = not self.surfaces.isdisjoint(dependencies.surfaces)
        return inferred or any(map(relinked, dependencies.linked))


def may_differ(path: FilePath, before: Snapshot, after: Snapshot) -> bool:
    """Whether the links of a file with the same contents may be different now."""
    stamp = before.links_stamp(path)
    return not stamp or stamp != after.links_stamp(path)


def changes(before: Snapshot, after: Snapshot) -> ContentChanges | None:
    """How two snapshots differ; None when more than contents of files did."""
    if before.modules is not after.modules or before.shards.keys() != after.shards.keys():
        return None
    old = before.shards
    differing = [(old[path], shard) for path, shard in after.shards.items() if old[path] is not shard]
    if any(one.language != other.language for one, other in differing):
        return None
    # Other contents, or other facts of the same contents: a parser may have remembered too much.
    contents = frozenset(one.path for one, other in differing if not _same(one, other))
    return ContentChanges(
        contents, frozenset(one.path for one, other in differing if one.surface_hash != other.surface_hash)
    )


def _same(one: Shard, other: Shard) -> bool:
    return one.content == other.content and one.dirty != other.dirty


class _Reads:
    """What was looked at."""

    def __init__(self) -> None:
        self.files: set[FilePath] = set()
        self.linked: set[FilePath] = set()
        self.surfaces: set[FilePath] = set()
        self.nodes: set[FilePath] = set()
        self.formats: set[str] = set()
        self.names: set[str] = set()


class DependencyRecorder:
    """Notes what is looked at through `snapshot`, which lasts as long as the recorder is entered."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._reads = reads = _Reads()
        self._whole = snapshot
        self.snapshot = attrs.evolve(
            snapshot,
            shards=_RecordingShards(snapshot, reads),
            reader=_RecordingReader(snapshot, reads),
            verification=None,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exit_info: object) -> None:
        # Values that the watched snapshot carries refer back to it, and there is one for each file.
        drop_values(self.snapshot)

    def dependencies(self) -> Dependencies:
        """What was looked at so far."""
        reads = self._reads
        node_digests = {path: _digest(self._whole, path) for path in sorted(reads.nodes - reads.files)}
        files, linked, surfaces = frozenset(reads.files), frozenset(reads.linked), frozenset(reads.surfaces)
        return Dependencies(files, linked, surfaces, node_digests, frozenset(reads.formats), frozenset(reads.names))

    def note(self, path: FilePath) -> None:
        """The contents of a file were looked at another way."""
        self._reads.files.add(path)

    def join(self, dependencies: Dependencies) -> None:
        """Something was taken in that rests on these."""
        reads = self._reads
        reads.files |= dependencies.files
        reads.linked |= dependencies.linked
        reads.surfaces |= dependencies.surfaces
        reads.nodes |= dependencies.node_digests.keys()
        reads.formats |= dependencies.formats
        reads.names |= dependencies.names


class _RecordingShards(Mapping[FilePath, Shard]):
    """The way to the contents of any file leads through here."""

    def __init__(self, snapshot: Snapshot, reads: _Reads) -> None:
        self._snapshot = snapshot
        self._shards = snapshot.shards
        self._watch = reads

    def __getitem__(self, path: FilePath) -> Shard:
        self._watch.files.add(path)
        return self._shards[path]

    def node_index(self, path: FilePath) -> NodeIndex:
        self._watch.nodes.add(path)
        return _node_index(self._snapshot, path)

    def rest_on_format(self, name: str) -> None:
        self._watch.formats.add(name)

    def naming(self, name: str) -> Sequence[FilePath]:
        self._watch.names.add(name)
        return self._snapshot.files_with_name(name)

    def __iter__(self) -> Iterator[FilePath]:
        return iter(self._shards)

    def __len__(self) -> int:
        return len(self._shards)


class _RecordingReader:
    """The `SnapshotReader` behind a watched snapshot."""

    def __init__(self, snapshot: Snapshot, reads: _Reads) -> None:
        self._snapshot = snapshot
        self._reader = snapshot.reader
        self._watch = reads

    def facts(self, shard: Shard) -> FileFacts:
        return self._reader.facts(shard)

    def surface(self, shard: Shard) -> Surface:
        return self._reader.surface(shard)

    def text(self, shard: Shard) -> bytes | None:
        return self._reader.text(shard)

    def links(self, snapshot: Snapshot, shard: Shard) -> Links:
        self._watch.linked.add(shard.path)
        return self._reader.links(self._snapshot, shard)

    def links_at(
        self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int], frame: bool, constructs: bool
    ) -> Links:
        self._watch.linked.add(shard.path)
        return self._reader.links_at(self._snapshot, shard, occurrences, frame, constructs)

    def known_links(self, snapshot: Snapshot, shard: Shard) -> Links | None:
        self._watch.linked.add(shard.path)
        return self._reader.known_links(self._snapshot, shard)

    def types_at(self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int]) -> Links:
        found = self._reader.types_at(self._snapshot, shard, occurrences)
        self._watch.surfaces.update(map(FilePath, found.reads))
        return found

    # What follows answers about the whole workspace: nothing that is kept may rest on it.

    def links_stamp(self, snapshot: Snapshot, shard: Shard) -> str:
        raise NotImplementedError

    def reaching(self, snapshot: Snapshot, ends: Collection[End]) -> ReachingFiles:
        raise NotImplementedError

    def link_failures(self, snapshot: Snapshot) -> Mapping[FilePath, str]:
        raise NotImplementedError

    def not_linked(self, snapshot: Snapshot) -> Set[FilePath]:
        raise NotImplementedError

    def take_in_links(self, snapshot: Snapshot) -> None:
        raise NotImplementedError

    def renamed(self, snapshot: Snapshot, ends: Collection[End]) -> Mapping[FilePath, Sequence[str]]:
        raise NotImplementedError

    def open_names(self, snapshot: Snapshot, shard: Shard) -> OpenNames | None:
        raise NotImplementedError

    def import_rows(self, snapshot: Snapshot, shard: Shard) -> Sequence[ImportRow] | None:
        raise NotImplementedError

    def may_be_uncertain(self, snapshot: Snapshot, shard: Shard) -> bool:
        raise NotImplementedError

    def open_counts(self, snapshot: Snapshot, language: str, name: int) -> Sequence[int] | None:
        raise NotImplementedError

    def defined_names(self, snapshot: Snapshot, language: str) -> Set[int]:
        raise NotImplementedError

    def files_with_name(self, snapshot: Snapshot, name: str) -> tuple[FilePath, ...]:
        raise NotImplementedError

    def file_values(self, snapshot: Snapshot, subject: str, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        raise NotImplementedError

    def store_file_values(self, snapshot: Snapshot, subject: str, values: Mapping[FilePath, bytes]) -> None:
        raise NotImplementedError
