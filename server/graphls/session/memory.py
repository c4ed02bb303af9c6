"""Memory: a snapshot of files that are given as text.

Owns: a reader over values that are all in memory, made anew, without cache or process.
Must not know: the disk, the store, edits.
Invariant: a function of the files and settings; what the session gives for the same contents is equal to it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Final

import attrs

from graphls.analysis.frameworks.derivation import derivation_for
from graphls.facts.codec import encode
from graphls.facts.file_facts import FileFacts
from graphls.facts.lines import encode_text
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface, surface_hash
from graphls.graph.import_rows import ImportRow
from graphls.graph.open_names import OpenNames, defined_numbers
from graphls.graph.snapshot import End, ReachingFiles, Revision, Shard, Snapshot
from graphls.languages.provider import Imports
from graphls.languages.registry import provider_of, providers
from graphls.languages.unread import words_in
from graphls.linking.libraries import Libraries
from graphls.linking.linker import LinkingFailedError, OccurrenceResolver, link_file
from graphls.session.import_words import imports_among
from graphls.session.index.extraction import defined_in, has_name, is_plain_name, names_of_facts, understand
from graphls.session.index.layout import is_manifest, lay_out
from graphls.session.link.defining_tables import Columns, with_definers
from graphls.session.link.link_index import LinkIndex, end_number, index_of
from graphls.session.link.outside_tables import with_libraries
from graphls.settings import Settings
from graphls.sources.content import content_hash

_SCANS: Final = 24
"""Names that all files are looked through for before it is written down which files mention which names."""


@attrs.frozen(eq=False)
class _MemoryContents:
    data: bytes
    language: str
    facts: FileFacts | None
    surface: Surface | None


@attrs.frozen(eq=False)
class _EndTable:
    """Files by the ends, as numbers, that their links lead to, and that they pass on under another name."""

    leading: dict[int, list[FilePath]] = attrs.field(factory=dict[int, list[FilePath]])
    renaming: dict[int, list[FilePath]] = attrs.field(factory=dict[int, list[FilePath]])

    def add(self, path: FilePath, index: LinkIndex) -> None:
        for number in index.ends:
            self.leading.setdefault(number, []).append(path)
        for number in dict.fromkeys(index.renamed):
            self.renaming.setdefault(number, []).append(path)


class MemorySnapshotContents:
    """The `SnapshotReader` of a snapshot whose files are all at hand. Failures of a resolver are in `problems`."""

    def __init__(self, contents: Mapping[FilePath, _MemoryContents]) -> None:
        self._contents = contents
        self._links: dict[FilePath, Links] = {}
        self._indexes: dict[FilePath, LinkIndex] = {}
        self._end_table: _EndTable | None = None
        self._defined: dict[str, Set[int]] = {}
        self._names: dict[FilePath, Set[str]] = {}
        self._scans = 0
        self._naming: Mapping[str, Sequence[FilePath]] | None = None
        self._lock = threading.RLock()
        self.problems: dict[FilePath, str] = {}

    def facts(self, shard: Shard) -> FileFacts:
        """Facts of a file that has a language."""
        facts = self._contents[shard.path].facts
        if facts is None:
            raise KeyError(shard.path)
        return facts

    def surface(self, shard: Shard) -> Surface:
        """Surface of a file that has a language."""
        surface = self._contents[shard.path].surface
        if surface is None:
            raise KeyError(shard.path)
        return surface

    def links(self, snapshot: Snapshot, shard: Shard) -> Links:
        """Links of a file, made once."""
        with self._lock:
            known = self._links.get(shard.path)
            if known is None:
                known = self._links[shard.path] = self._link(snapshot, shard)
            return known

    def links_at(
        self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int], frame: bool, constructs: bool
    ) -> Links:
        """Links of the whole file: here nobody waits."""
        return self.links(snapshot, shard)

    def known_links(self, snapshot: Snapshot, shard: Shard) -> Links | None:
        """Links of the whole file: here nobody waits."""
        return self.links(snapshot, shard)

    def links_stamp(self, snapshot: Snapshot, shard: Shard) -> str:
        """Not known: nothing lasts here."""
        return ""

    def links_state(self, snapshot: Snapshot, shard: Shard) -> str:
        """Not known: nothing lasts here."""
        return ""

    def reaching(self, snapshot: Snapshot, ends: Collection[End]) -> ReachingFiles:
        """Files whose links lead to any of these ends in other files."""
        leading = self._ends(snapshot).leading
        found = {path for end in ends for path in leading.get(end_number(*end), ())}
        return ReachingFiles(tuple(sorted(found)), frozenset())

    def take_in_links(self, snapshot: Snapshot) -> None:
        """All links are at hand."""

    def renamed(self, snapshot: Snapshot, ends: Collection[End]) -> Mapping[FilePath, Sequence[str]]:
        """Files that pass any of these ends on under another name, with these names."""
        numbers, renaming = [end_number(*end) for end in ends], self._ends(snapshot).renaming
        files = sorted({path for end in numbers for path in renaming.get(end, ())})
        return {
            path: tuple(dict.fromkeys(name for end in numbers for name in self._index(snapshot, path).names_of(end)))
            for path in files
        }

    def _ends(self, snapshot: Snapshot) -> _EndTable:
        """Made once, of all files: whoever asks for one end asks for many."""
        with self._lock:
            if self._end_table is None:
                table = _EndTable()
                for path in snapshot.files():
                    table.add(path, self._index(snapshot, path))
                self._end_table = table
            return self._end_table

    def open_names(self, snapshot: Snapshot, shard: Shard) -> OpenNames | None:
        """Uses in a file that its own links cannot tell the meaning of."""
        return self._index(snapshot, shard.path).open

    def import_rows(self, snapshot: Snapshot, shard: Shard) -> Sequence[ImportRow] | None:
        """Not known at once: links and facts tell."""
        return None

    def may_be_uncertain(self, snapshot: Snapshot, shard: Shard) -> bool:
        """Not without looking."""
        return True

    def open_counts(self, snapshot: Snapshot, language: str, name: int) -> Sequence[int] | None:
        """Not summed up: each file tells."""
        return None

    def defined_names(self, snapshot: Snapshot, language: str) -> Set[int]:
        """Numbers of all names that files of a language define for others."""
        known = self._defined.get(language)
        if known is None:
            files = (path for path in snapshot.files() if snapshot.shards[path].language == language)
            known = self._defined[language] = defined_numbers(defined_in(snapshot.facts(path)) for path in files)
        return known

    def _index(self, snapshot: Snapshot, path: FilePath) -> LinkIndex:
        with self._lock:
            known = self._indexes.get(path)
            if known is None:
                links = self.links(snapshot, snapshot.shards[path])
                known = self._indexes[path] = index_of(links, self.facts(snapshot.shards[path]))
            return known

    def types_at(self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int]) -> Links:
        """The classes of the values that these occurrences have, as targets."""
        return OccurrenceResolver(
            providers()[shard.language],
            shard.path,
            self.facts(shard),
            self.surface(shard),
            modules=snapshot.modules[shard.language],
            surfaces=lambda path: self.surface(snapshot.shards[path]),
        ).types_at(occurrences)

    def link_failures(self, snapshot: Snapshot) -> Mapping[FilePath, str]:
        """Files that could not be linked, and why, among those that somebody tried to link."""
        return dict(sorted(self.problems.items()))

    def not_linked(self, snapshot: Snapshot) -> Set[FilePath]:
        """None: here nobody waits."""
        return frozenset()

    def text(self, shard: Shard) -> bytes | None:
        """The bytes that were given."""
        return self._contents[shard.path].data

    def files_with_name(self, snapshot: Snapshot, name: str) -> tuple[FilePath, ...]:
        """Files whose facts mention a name, sorted."""
        if not is_plain_name(name):
            return tuple(path for path in snapshot.files() if has_name(snapshot.facts(path), name))
        self._scans += 1
        if self._scans <= _SCANS:
            return tuple(path for path in snapshot.files() if name in self._names_in(snapshot, path))
        if self._naming is None:
            made: dict[str, list[FilePath]] = {}
            for path in snapshot.files():
                for one in self._names_in(snapshot, path):
                    made.setdefault(one, []).append(path)
            self._naming = made
        return tuple(self._naming.get(name, ()))

    def _names_in(self, snapshot: Snapshot, path: FilePath) -> Set[str]:
        known = self._names.get(path)
        if known is None:
            known = self._names[path] = names_of_facts(snapshot.facts(path))
        return known

    def words(self, snapshot: Snapshot, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        """Of plain files, sorted numbers of the words that may name code; those whose text is gone lack."""
        texts = ((path, self.text(snapshot.shards[path])) for path in paths)
        return {path: words_in(path, text) for path, text in texts if text is not None}

    def file_values(self, snapshot: Snapshot, subject: str, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        """Nothing is stored."""
        return {}

    def store_file_values(self, snapshot: Snapshot, subject: str, values: Mapping[FilePath, bytes]) -> None:
        """Nothing is stored."""

    def _link(self, snapshot: Snapshot, shard: Shard) -> Links:
        try:
            return link_file(
                providers()[shard.language],
                shard.path,
                self.facts(shard),
                self.surface(shard),
                modules=snapshot.modules[shard.language],
                surfaces=lambda path: self.surface(snapshot.shards[path]),
            )
        except LinkingFailedError as failure:
            self.problems[shard.path] = str(failure)
            return failure.links


def snapshot_of(
    files: Mapping[str, str | bytes],
    settings: Settings | None = None,
    *,
    name: str = "",
    revision: int = 1,
    libraries: Libraries | None = None,
    folders: Collection[str] = (),
) -> Snapshot:
    """A snapshot of these files, by workspace-relative posix path. `folders`: names of several open folders."""
    given = {FilePath(path): _bytes(text) for path, text in sorted(files.items())}
    contents = {path: _contents(path, data) for path, data in given.items()}
    shards = {path: _shard(path, contents[path]) for path in given}
    manifests = {path: data for path, data in given.items() if is_manifest(path)}
    languages = {path: content.language for path, content in contents.items()}
    layout = lay_out(languages, manifests, settings or Settings(), folders, imports=_imports(contents))
    return Snapshot(
        revision=Revision(revision),
        name=name or layout.name,
        shards=MappingProxyType(shards),
        modules=with_definers(with_libraries(layout.modules, libraries), _defined(contents)),
        skipped=(),
        pending=(),
        reader=MemorySnapshotContents(contents),
        packages=layout.packages,
        declared=layout.declared,
        derivation=derivation_for(settings or Settings()),
    )


def _defined(contents: Mapping[FilePath, _MemoryContents]) -> Columns:
    def columns(files: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        facts = {file: contents[file].facts for file in files}
        return {file: defined_in(one) for file, one in facts.items() if one is not None}

    return columns


def _imports(contents: Mapping[FilePath, _MemoryContents]) -> Callable[[str], Imports]:
    def imports(language: str) -> Imports:
        own = {path: content.facts for path, content in contents.items() if content.language == language}
        return imports_among({path: lambda facts=facts: facts for path, facts in own.items()})

    return imports


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else encode_text(text)


def _contents(path: FilePath, data: bytes) -> _MemoryContents:
    provider = provider_of(path, data)
    if provider is None:
        return _MemoryContents(data, "", None, None)
    return _MemoryContents(data, provider.capabilities.name, *understand(provider, path, data))


def _shard(path: FilePath, contents: _MemoryContents) -> Shard:
    return Shard(
        path=path,
        language=contents.language,
        content=content_hash(contents.data),
        size=len(contents.data),
        surface_hash=surface_hash(encode(contents.surface) if contents.surface else b""),
        dirty=False,
    )
