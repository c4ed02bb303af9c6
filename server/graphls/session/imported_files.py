"""Imported files: what indexes say of files that graphls does not read itself, as parts of every snapshot.

Owns: keeping them between runs, which of them hold for a snapshot, the snapshot with them.
Must not know: indexes, protocols, what is asked of the snapshot.
Invariant: a file with other contents than its index saw is a plain file again, and named among what is left out; all
    else in a snapshot is as it was without them.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Collection, Mapping, Sequence, Set
from types import MappingProxyType
from weakref import ref

import attrs

from graphls.compilers.scip_files import ScipFile
from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.columns import column
from graphls.facts.file_facts import FileFacts
from graphls.facts.links import EXTERNAL, OWN_FILE, Links
from graphls.facts.paths import FilePath, ending_of
from graphls.facts.surface import Surface
from graphls.facts.validity import check_facts, check_links, check_surface
from graphls.graph.import_rows import ImportRow
from graphls.graph.open_names import OpenNames, defined_numbers
from graphls.graph.snapshot import End, ReachingFiles, Shard, SkippedFile, Snapshot, SnapshotReader
from graphls.graph.snapshot_pins import retire
from graphls.graph.verification import Tier
from graphls.languages.unread import words_in
from graphls.linking.module_table import ModuleTable
from graphls.session.index.extraction import defined_in, has_name
from graphls.session.lazy_services import imported_name
from graphls.session.link.link_index import LinkIndex, end_number, index_of
from graphls.store.blobs import BlobStore

_STALE = "the index that was taken in is about other contents of it; make and import one anew"
_UNNAMED = "the index that was taken in does not name it; make and import one anew"


@attrs.frozen(eq=False)
class _StoredScipFile:
    path: str
    language: str
    content: str
    facts: bytes
    surface: bytes
    links: bytes
    end_files: tuple[str, ...]
    end_contents: tuple[str, ...]


class ImportedFiles:
    """Safe to use from any thread. `home` names the workspace."""

    def __init__(self, store: BlobStore | None, home: str) -> None:
        self._store, self._home = store, home
        self._lock = threading.Lock()
        self._files: Mapping[FilePath, ScipFile] | None = None
        self._last: tuple[ref[Snapshot], Snapshot] | None = None
        self._shards: dict[FilePath, Shard] = {}

    def replace(self, files: Mapping[FilePath, ScipFile]) -> None:
        """Keeps these in the place of earlier ones."""
        if self._store is not None:
            values = {self._key(path, file.content): _packed(file) for path, file in files.items()}
            listed = encode_paths([(path, file.content) for path, file in sorted(files.items())])
            self._store.put_many("values", {**values, self._key(FilePath(""), ""): listed})
        with self._lock:
            self._files, self._last = dict(files), None
            self._shards.clear()

    def over(self, snapshot: Snapshot) -> Snapshot:
        """A snapshot with them; the same one where there are none."""
        with self._lock:
            if self._files is None:
                self._files = self._stored()
            if not self._files:
                return snapshot
            if self._last is not None and self._last[0]() is snapshot:
                return self._last[1]
            view = self._joined(snapshot, self._files)
            before, self._last = self._last, (ref(snapshot), view)
            if before is not None and before[1] is not before[0]():
                retire(before[1])
            return view

    def _joined(self, snapshot: Snapshot, files: Mapping[FilePath, ScipFile]) -> Snapshot:
        plain = {path: shard for path, shard in snapshot.shards.items() if not shard.language}
        held = {path: file for path, file in files.items() if path in plain and plain[path].content == file.content}
        shards = dict(snapshot.shards)
        for path, file in held.items():
            if path not in self._shards:
                self._shards[path] = file.shard(plain[path])
            shards[path] = self._shards[path]
        endings = {ending_of(path) for path in files} - {""}
        left = (path for path in plain if path not in held and ending_of(path) in endings)
        skipped = {file.path: file for file in snapshot.skipped}
        skipped.update((path, SkippedFile(path, _STALE if path in files else _UNNAMED)) for path in left)
        tables = {file.language: ModuleTable({}, {}, {}) for file in held.values()}
        view = attrs.evolve(
            snapshot,
            shards=MappingProxyType(shards),
            modules={**snapshot.modules, **tables},
            skipped=tuple(skipped[path] for path in sorted(skipped)),
            reader=ImportedSnapshotContents(snapshot, held),
        )
        return view if held or len(view.skipped) > len(snapshot.skipped) else snapshot

    def _stored(self) -> Mapping[FilePath, ScipFile]:
        listed = None if self._store is None else self._store.get("values", self._key(FilePath(""), ""))
        if self._store is None or listed is None:
            return {}
        paths = dict(decode_paths(listed))
        names = {self._key(path, content): path for path, content in paths.items()}
        found = self._store.get_many("values", names)
        files = {path: _unpacked(path, found.get(name, b"")) for name, path in names.items()}
        return {path: file for path, file in files.items() if file is not None}

    def _key(self, path: FilePath, content: str) -> str:
        return imported_name(self._home, path, content)


def without_imports(snapshot: Snapshot) -> Snapshot:
    """The snapshot below: what graphls reads itself."""
    reader = snapshot.reader
    return reader.below if isinstance(reader, ImportedSnapshotContents) else snapshot


def encode_paths(pairs: Sequence[tuple[str, str]]) -> bytes:
    """Paths with content hashes."""
    return "\0".join(part for pair in pairs for part in pair).encode("utf-8", "surrogatepass")


def decode_paths(raw: bytes) -> Sequence[tuple[FilePath, str]]:
    """The inverse; what was written by others is whatever it is."""
    parts = raw.decode("utf-8", "surrogatepass").split("\0") if raw else []
    return [(FilePath(path), content) for path, content in zip(parts[::2], parts[1::2], strict=False)]


class ImportedSnapshotContents:
    """The `SnapshotReader` of a snapshot with imported files. `below`: the same without them."""

    def __init__(self, below: Snapshot, files: Mapping[FilePath, ScipFile]) -> None:
        self.below = below
        self._reader: SnapshotReader = below.reader
        self._files = files
        self._links: dict[FilePath, Links] = {}
        self._indexes: dict[FilePath, LinkIndex] = {}

    def facts(self, shard: Shard) -> FileFacts:
        """Facts of a file that has a language."""
        return self._files[shard.path].facts if shard.imported else self._reader.facts(shard)

    def surface(self, shard: Shard) -> Surface:
        """Surface of a file that has a language."""
        return self._files[shard.path].surface if shard.imported else self._reader.surface(shard)

    def links(self, snapshot: Snapshot, shard: Shard) -> Links:
        """Links of a file."""
        return self._own_links(shard.path) if shard.imported else self._reader.links(self.below, shard)

    def links_at(
        self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int], frame: bool, constructs: bool
    ) -> Links:
        """Links that have every row for these occurrences."""
        if shard.imported:
            return self._own_links(shard.path)
        return self._reader.links_at(self.below, shard, occurrences, frame, constructs)

    def known_links(self, snapshot: Snapshot, shard: Shard) -> Links | None:
        """Links of a file if they were made before."""
        return self._own_links(shard.path) if shard.imported else self._reader.known_links(self.below, shard)

    def links_stamp(self, snapshot: Snapshot, shard: Shard) -> str:
        """Not known of imported files: they are not stored among others."""
        return "" if shard.imported else self._reader.links_stamp(self.below, shard)

    def links_state(self, snapshot: Snapshot, shard: Shard) -> str:
        """Not known of imported files."""
        return "" if shard.imported else self._reader.links_state(self.below, shard)

    def types_at(self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int]) -> Links:
        """An index says no types."""
        if not shard.imported:
            return self._reader.types_at(self.below, shard, occurrences)
        own = self._own_links(shard.path)
        return attrs.evolve(own, targets=type(own.targets).of(()), rules=own.rules[:0])

    def reaching(self, snapshot: Snapshot, ends: Collection[End]) -> ReachingFiles:
        """Files whose links lead to any of these ends in other files."""
        found = self._reader.reaching(self.below, [end for end in ends if end[0] not in self._files])
        numbers = [end_number(*end) for end in ends]
        own = [path for path in self._files if any(map(self._index(path).leads_to, numbers))]
        return ReachingFiles(tuple(sorted({*found.files, *own})), found.unsure)

    def take_in_links(self, snapshot: Snapshot) -> None:
        """Those of the files themselves."""
        self._reader.take_in_links(self.below)

    def renamed(self, snapshot: Snapshot, ends: Collection[End]) -> Mapping[FilePath, Sequence[str]]:
        """An index passes nothing on under another name."""
        return self._reader.renamed(self.below, [end for end in ends if end[0] not in self._files])

    def open_names(self, snapshot: Snapshot, shard: Shard) -> OpenNames | None:
        """Uses in a file that its own links cannot tell the meaning of."""
        return self._index(shard.path).open if shard.imported else self._reader.open_names(self.below, shard)

    def import_rows(self, snapshot: Snapshot, shard: Shard) -> Sequence[ImportRow] | None:
        """Which files each line of a file imports."""
        return None if shard.imported else self._reader.import_rows(self.below, shard)

    def open_counts(self, snapshot: Snapshot, language: str, name: int) -> Sequence[int] | None:
        """Not summed up for imported files: each tells."""
        return None if self._speak(language) else self._reader.open_counts(self.below, language, name)

    def defined_names(self, snapshot: Snapshot, language: str) -> Set[int]:
        """All names that files of a language define for others."""
        if not self._speak(language):
            return self._reader.defined_names(self.below, language)
        spoken = (file for file in self._files.values() if file.language == language)
        return defined_numbers(defined_in(file.facts) for file in spoken)

    def link_failures(self, snapshot: Snapshot) -> Mapping[FilePath, str]:
        """Files that could not be linked, and why."""
        return self._reader.link_failures(self.below)

    def not_linked(self, snapshot: Snapshot) -> Set[FilePath]:
        """Files that nobody linked yet."""
        return self._reader.not_linked(self.below)

    def text(self, shard: Shard) -> bytes | None:
        """The bytes the shard was made from."""
        return self._reader.text(self.below.shards[shard.path] if shard.imported else shard)

    def files_with_name(self, snapshot: Snapshot, name: str) -> tuple[FilePath, ...]:
        """Files whose facts mention a name, sorted."""
        own = (path for path, file in self._files.items() if has_name(file.facts, name))
        return tuple(sorted({*self._reader.files_with_name(self.below, name), *own}))

    def words(self, snapshot: Snapshot, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        """Of plain files, sorted numbers of the words that may name code."""
        found = dict(self._reader.words(self.below, [path for path in paths if path not in self._files]))
        for path in paths:
            text = self.text(snapshot.shards[path]) if path in self._files else None
            if text is not None:
                found[path] = words_in(path, text)
        return found

    def file_values(self, snapshot: Snapshot, subject: str, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        """What was stored of files that graphls reads itself."""
        return self._reader.file_values(self.below, subject, [path for path in paths if path not in self._files])

    def store_file_values(self, snapshot: Snapshot, subject: str, values: Mapping[FilePath, bytes]) -> None:
        """Stores values of files that graphls reads itself: those of others are no function of contents alone."""
        own = {path: value for path, value in values.items() if path not in self._files}
        self._reader.store_file_values(self.below, subject, own)

    def _speak(self, language: str) -> bool:
        return any(file.language == language for file in self._files.values())

    def _own_links(self, path: FilePath) -> Links:
        known = self._links.get(path)
        if known is None:
            shards = self.below.shards
            known = self._files[path].links_now(
                lambda name: shards[FilePath(name)].content if FilePath(name) in shards else ""
            )
            self._links[path] = known
        return known

    def _index(self, path: FilePath) -> LinkIndex:
        known = self._indexes.get(path)
        if known is None:
            known = self._indexes[path] = index_of(self._own_links(path), self._files[path].facts)
        return known


def _packed(file: ScipFile) -> bytes:
    stored = _StoredScipFile(
        file.path,
        file.language,
        file.content,
        encode(file.facts),
        encode(file.surface),
        encode(attrs.evolve(file.links, rules=column())),  # all of them are those of an index
        tuple(name for name, _ in file.ends),
        tuple(content for _, content in file.ends),
    )
    return zlib.compress(encode(stored), 1)


def _unpacked(path: FilePath, raw: bytes) -> ScipFile | None:
    """None for what is no such file: whoever may write to the cache may have written anything."""
    try:
        stored = decode(_StoredScipFile, zlib.decompress(raw))
        facts, surface, links = (
            decode(FileFacts, stored.facts),
            decode(Surface, stored.surface),
            decode(Links, stored.links),
        )
        check_facts(facts)
        check_surface(surface)
        check_links(links)
        ends = tuple(zip(stored.end_files, stored.end_contents, strict=True))
        _check_rows(path, facts, links, {name for name, _ in ends})
    except (CodecError, zlib.error, ValueError):
        return None
    if stored.path != path:
        return None
    links = attrs.evolve(links, rules=column([Tier.SCIP_IMPORTED] * len(links.targets)))
    return ScipFile(path, stored.language, stored.content, facts, surface, links, ends)


def _check_rows(path: FilePath, facts: FileFacts, links: Links, ends: Set[str]) -> None:
    """Raises CodecError for links of another file."""
    targets = links.targets
    rows, definitions = len(facts.occurrences), len(facts.definitions)
    own = (symbol for file, symbol in zip(targets.file, targets.symbol, strict=True) if file == OWN_FILE)
    if links.files[OWN_FILE] != path or not ends >= set(links.files[1:]):
        raise CodecError("links of another file")
    if any(row >= rows for row in targets.occurrence) or any(symbol >= definitions for symbol in own):
        raise CodecError("links refer to nothing")
    if any(row >= rows for row in links.unresolved.occurrence):
        raise CodecError("links refer to nothing")
    if any(row >= definitions for row in links.overrides.definition) or EXTERNAL in links.overrides.symbol:
        raise CodecError("links refer to nothing")
