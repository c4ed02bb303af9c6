"""Snapshot contents: where a snapshot of the session gets its contents.

Owns: the links that hold in one snapshot, made on demand; the way from a shard to its facts, surface and text.
Must not know: who edits, what comes after this snapshot.
Invariant: safe for readers in any thread; links are kept for later snapshots only where they rest on indexed files.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial

from graphls.facts.codec import CodecError
from graphls.facts.file_facts import FileFacts
from graphls.facts.links import Links
from graphls.facts.name_numbers import name_number
from graphls.facts.paths import FilePath
from graphls.facts.surface import Surface
from graphls.graph.errors import GraphError
from graphls.graph.import_rows import ImportRow, unpacked_import_rows
from graphls.graph.memo import drop_values
from graphls.graph.open_names import OpenNames, defined_numbers
from graphls.graph.request_budget import BudgetSpentError, is_spent, spent_reason
from graphls.graph.snapshot import End, ReachingFiles, Shard, Snapshot
from graphls.graph.unread_words import unread_files_with
from graphls.languages.registry import providers
from graphls.linking.linker import (
    EMPTY_SURFACE,
    LinkingFailedError,
    LinkingStoppedError,
    OccurrenceResolver,
    link_file,
    unresolved_links,
)
from graphls.linking.module_table import ModuleTable
from graphls.queries.outside_names import may_be_inside, stems
from graphls.session.cache.name_index import NameIndex
from graphls.session.cache.sized_cache import SizedCache
from graphls.session.index.extraction import encoded, understand
from graphls.session.link.link_entries import (
    LinkedFile,
    LinkEntry,
    ReusedLinks,
    ValidationStamp,
    holds,
    make_entry,
    unpack_entry,
)
from graphls.session.link.link_index import end_number
from graphls.session.link.open_totals import OpenTotals, TotalsInput, open_totals
from graphls.session.link.own_linking import LinkingTimeError
from graphls.session.shared_caches import STRIPES, SharedCaches, key_of, stored_name
from graphls.session.word_numbers import stored_words
from graphls.sources.content import content_hash

_NAMES = 20_000
"""Names whose files one snapshot remembers."""
_SCANS = 24
"""Names that all files are looked through for before an index of all their names is made, which costs as much."""
_INDEX_SINCE = 200
"""Edited files that an index of names is asked beside."""
_SINCE = 20
"""Edited files that each known name is looked for anew."""
_ASKED_BACK = 3
"""Questions what leads to some ends, after which the links of earlier runs are read: a file without links is searched
for each of them."""
_AT_ONCE = 50
"""Files whose links are read from the store at once."""
_INQUIRERS = 24
"""Files of one snapshot whose resolvers are kept between questions."""


class LostContentsError(GraphError):
    """The facts of a file are gone from the cache, and the file has changed since."""

    def __init__(self, path: FilePath) -> None:
        super().__init__(
            "graphls.notReady", f"{path!r} changed on disk while it was read. Ask again.", {"file": str(path)}
        )


def _value_name(shard: Shard, subject: str) -> str:
    return f"{subject}.{key_of(shard) if shard.language else shard.content}:{shard.path}"


class SnapshotContents:
    """The `SnapshotReader` of one snapshot of a session."""

    def __init__(self, caches: SharedCaches, inherited: Mapping[FilePath, LinkEntry]) -> None:
        self.caches = caches
        self.entries = dict(inherited)
        """Entries that hold in this snapshot."""
        self._covered = (0, -1)
        self._unlinked_then = (-1, frozenset[FilePath]())
        self._failed_then: tuple[int, Mapping[FilePath, str]] = (-1, {})
        self._resolver_lock = threading.Lock()
        self._resolvers: SizedCache[FilePath, OccurrenceResolver] = SizedCache(_INQUIRERS)
        self._named: dict[str, tuple[FilePath, ...]] = {}
        self._named_then: Mapping[str, tuple[FilePath, ...]] = {}
        """The same of an earlier snapshot of the same files, true of all but `_since`."""
        self._since: frozenset[FilePath] = frozenset()
        self._took_in = False
        """Whether all that an earlier run made was looked for."""
        self._asked_back = 0
        """Questions what leads to some ends."""
        self._scans = 0
        """Names that all files were looked through for."""
        self._index: tuple[NameIndex, frozenset[FilePath]] | None = None
        """The index may be of an earlier snapshot of the same files, true of all but these."""
        self._index_refused = False
        self._keys: dict[FilePath, str] | None = None
        self._defined: Mapping[str, Set[int]] = {}
        self._defined_then: Mapping[str, Set[int]] = {}
        """Of an earlier snapshot, until somebody asks whether edits have changed it: what the edited files defined then
        is in `_defined_in_then`."""
        self._defined_in_then: dict[FilePath, bytes | None] = {}
        self._totals: dict[str, OpenTotals] = {}
        self._totals_then: Mapping[str, OpenTotals] = {}
        """Of an earlier snapshot."""
        self._taking = threading.Lock()
        """Held while entries from before are taken in: whoever comes second goes on with the others."""
        self._validation: tuple[ValidationStamp | None] | None = None

    def facts(self, shard: Shard) -> FileFacts:
        """Facts of a file that has a language."""
        found = self.caches.facts_cache.facts(key_of(shard))
        return found if found is not None else self._extract_again(shard)[0]

    def surface(self, shard: Shard) -> Surface:
        """Surface of a file that has a language."""
        found = self.caches.facts_cache.surface(key_of(shard))
        return found if found is not None else self._extract_again(shard)[1]

    def text(self, shard: Shard) -> bytes | None:
        """The bytes the shard was made from, or None when they are gone."""
        known = self.caches.texts.get(shard.content)
        if known is None:
            known = self.caches.on_disk(shard.path)
            if known is None or content_hash(known) != shard.content:
                return None
            self.caches.texts.put(shard.content, known, len(known))
        return known

    def files_with_name(self, snapshot: Snapshot, name: str) -> tuple[FilePath, ...]:
        """Files whose facts mention a name, sorted."""
        known = self._named.get(name)
        if known is None:
            keys, then = self._all_keys(snapshot), self._named_then.get(name)
            if then is not None:
                known = self._with_edited(keys, name, then, self._since)
            elif self._index is not None or self._scans >= _SCANS:
                known = self._indexed(keys, name)
            if known is None:
                self._scans += 1
                known = self._mentioning(keys, list(keys), name)
            if len(self._named) < _NAMES:
                self._named[name] = known
        return known

    def _mentioning(self, keys: Mapping[FilePath, str], paths: Sequence[FilePath], name: str) -> tuple[FilePath, ...]:
        """Those of some files that mention a name, by the names of each."""
        hits = self.caches.facts_cache.mentions([keys[path] for path in paths], name)
        return tuple(path for path, hit in zip(paths, hits, strict=True) if hit)

    def _with_edited(
        self, keys: Mapping[FilePath, str], name: str, then: Iterable[FilePath], since: Set[FilePath]
    ) -> tuple[FilePath, ...]:
        """What was so then, with the files that were edited since."""
        edited = self._mentioning(keys, [path for path in since if path in keys], name)
        return tuple(sorted({*edited, *(path for path in then if path not in since)}))

    def _indexed(self, keys: Mapping[FilePath, str], name: str) -> tuple[FilePath, ...] | None:
        """By the index of all names, which is made when enough of them were asked for; None where there is none."""
        known = self._index
        if known is None:
            index = None if self._index_refused else self.caches.facts_cache.name_index(keys)
            self._index_refused = index is None
            if index is None:
                return None
            known = self._index = index, frozenset[FilePath]()
        index, since = known
        found = index.files(name_number(name))
        return self._with_edited(keys, name, found, since) if since else tuple(found)

    def words(self, snapshot: Snapshot, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        """Of plain files, sorted numbers of the words that may name code; those whose text is gone lack."""
        return stored_words(self.caches.store, snapshot, paths)

    def file_values(self, snapshot: Snapshot, subject: str, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
        """What was stored of files with their present contents; those of which nothing is known lack."""
        if self.caches.store is None:
            return {}
        names = {path: _value_name(snapshot.shards[path], subject) for path in paths}
        found = self.caches.store.get_many("values", names.values())
        return {path: found[name] for path, name in names.items() if name in found}

    def store_file_values(self, snapshot: Snapshot, subject: str, values: Mapping[FilePath, bytes]) -> None:
        """Has values for later runs; not those of what an editor did not save."""
        lasting = {path: value for path, value in values.items() if not snapshot.shards[path].dirty}
        if self.caches.store is not None and lasting:
            named = {_value_name(snapshot.shards[path], subject): value for path, value in lasting.items()}
            self.caches.store.put_many("values", named)

    def open_counts(self, snapshot: Snapshot, language: str, name: int) -> Sequence[int] | None:
        """Uses of a name that own links cannot tell the meaning of, by OpenKind; None while files are not linked."""
        known = self._totals.get(language)
        if known is None:
            files = [path for path in self._all_keys(snapshot) if snapshot.shards[path].language == language]
            made_of = TotalsInput(
                self.entries,
                files,
                self.defined_names(snapshot, language),
                stems(snapshot),
                lambda path, module: may_be_inside(snapshot, path, module),
            )
            known = open_totals(made_of, self._totals_then.get(language))
            if known is None:
                return None
            self._totals[language] = known
        return known.counts(name)

    def _all_keys(self, snapshot: Snapshot) -> Mapping[FilePath, str]:
        keys = self._keys
        if keys is None:
            keys = self._keys = {path: key_of(snapshot.shards[path]) for path in snapshot.files()}
        return keys

    def follow(self, before: SnapshotContents, shards: Mapping[FilePath, Shard], edited: Collection[FilePath]) -> None:
        """The same files have facts as in the snapshot before: what it knew of the others is still so."""
        since = before._since.union(edited)
        if len(since) > _SINCE or len(before._named_then) > _NAMES:
            since, self._named_then = frozenset(edited), dict(before._named)
        else:
            self._named_then = {**before._named_then, **before._named}
        self._since = since
        index = before._index
        if index is not None and len(index_since := index[1].union(edited)) <= _INDEX_SINCE:
            self._index = index[0], index_since
        self._scans, self._index_refused = before._scans, before._index_refused
        self._totals_then = {**before._totals_then, **before._totals}
        if before._covered == (len(before.entries), self.caches.reverse.generation):
            self._covered = len(self.entries), before._covered[1]
        if before._keys is not None:
            self._keys = dict(before._keys)
            self._keys.update((path, key_of(shards[path])) for path in edited if path in self._keys)
            self._follow_defined(before, [path for path in edited if path in self._keys])

    def _follow_defined(self, before: SnapshotContents, edited: Sequence[FilePath]) -> None:
        waiting = before._defined_then  # read once: somebody may ask at this moment
        self._defined_then = waiting or before._defined
        if not self._defined_then or before._keys is None:
            return
        if waiting:
            self._defined_in_then.update(before._defined_in_then)
        old = {path: before._keys[path] for path in edited if path not in self._defined_in_then}
        found = self.caches.facts_cache.defined(list(old.values()))
        self._defined_in_then.update((path, found.get(key)) for path, key in old.items())

    def _known_defined(self) -> Mapping[str, Set[int]]:
        """Edits that define what was defined before leave the names of the workspace as they were."""
        then, keys = self._defined_then, self._keys
        if then and keys is not None:
            old = dict(self._defined_in_then)
            found = self.caches.facts_cache.defined([keys[path] for path in old])
            if all(names is not None and names == found.get(keys[path]) for path, names in old.items()):
                self._defined = {**then, **self._defined}
            self._defined_then = {}
        return self._defined

    def defined_names(self, snapshot: Snapshot, language: str) -> Set[int]:
        """Numbers of all names that files of a language define for others."""
        known = self._known_defined().get(language)
        if known is None:
            keys = [key for path, key in self._all_keys(snapshot).items() if snapshot.shards[path].language == language]
            known = defined_numbers(self.caches.facts_cache.defined(keys).values())
            self._defined = {**self._defined, language: known}
        return known

    def links(self, snapshot: Snapshot, shard: Shard) -> Links:
        """Links of a file, made now if nobody did before."""
        entry = self.entries.get(shard.path)
        if entry is None:
            with self.caches.stripes[hash(shard.path) % STRIPES]:
                entry = (
                    self.entries.get(shard.path)
                    or self.known_entry(snapshot, shard)
                    or self._link_entry(snapshot, shard)
                )
                self.entries[shard.path] = entry
        return self._decoded(snapshot, shard, entry)

    def links_at(
        self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int], frame: bool, constructs: bool
    ) -> Links:
        """Links with all rows of these occurrences: the whole file's where they are known, else made for these only."""
        known = self.known_links(snapshot, shard)
        return self.linked_at(snapshot, shard, occurrences, frame, constructs) if known is None else known

    def linked_at(
        self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int], frame: bool, constructs: bool
    ) -> Links:
        """Links made for these occurrences only."""
        return self._resolver_for(snapshot, shard).at(occurrences, frame, constructs)

    def known_links(self, snapshot: Snapshot, shard: Shard) -> Links | None:
        """Links of a file if they were made before, in this run or an earlier one."""
        entry = self.entries.get(shard.path)
        if entry is None and self._resolvers.get(shard.path) is None:
            entry = self.known_entry(snapshot, shard)
            if entry is not None:
                entry = self.entries.setdefault(shard.path, entry)
        return None if entry is None else self._decoded(snapshot, shard, entry)

    def links_stamp(self, snapshot: Snapshot, shard: Shard) -> str:
        """Names the contents of a file and all that its links rest on; "" when it is not linked."""
        entry = self.entries.get(shard.path)
        return "" if entry is None else f"{entry.content} {entry.stamp}"

    def links_state(self, snapshot: Snapshot, shard: Shard) -> str:
        """Names all that the links of a file rest on, as it is now; "" when it is not linked."""
        entry = self.entries.get(shard.path)
        return "" if entry is None else entry.digest

    def types_at(self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int]) -> Links:
        """The classes of the values that these occurrences have, as targets."""
        return self._resolver_for(snapshot, shard).types_at(occurrences)

    def reaching(self, snapshot: Snapshot, ends: Collection[End]) -> ReachingFiles:
        """Files whose links lead to any of these ends in other files: those that are linked tell, others are unsure."""
        numbers = [end_number(*end) for end in ends]
        self._asked_back += 1
        if self._asked_back == _ASKED_BACK:
            for _ in self.take_in_known(snapshot, is_spent, self.validation(snapshot)):
                pass
        self.cover()
        found = self.caches.reverse.files(self.entries, numbers)
        return ReachingFiles(tuple(sorted(found)), self._unlinked(snapshot))

    def take_in_links(self, snapshot: Snapshot) -> None:
        """Has links that an earlier run made at hand, as far as a request has the time; where that run vouches for
        them: to test each against a state that was edited since is more work than most questions."""
        known = self.validation(snapshot)
        if known is not None and not self._took_in:
            for _ in self.take_in_known(snapshot, is_spent, known):
                pass
            self._took_in = not is_spent()

    def renamed(self, snapshot: Snapshot, ends: Collection[End]) -> Mapping[FilePath, Sequence[str]]:
        """Linked files that pass any of these ends on under another name, with these names."""
        numbers = [end_number(*end) for end in ends]
        self.cover()
        own = {file for file, _ in ends}
        files = sorted(own.union(self.caches.reverse.files(self.entries, numbers)))
        found: dict[FilePath, Sequence[str]] = {}
        for path in files:
            entry = self.entries.get(path)
            names = () if entry is None else [name for number in numbers for name in entry.index.names_of(number)]
            if names:
                found[path] = tuple(dict.fromkeys(names))
        return found

    def _unlinked(self, snapshot: Snapshot) -> frozenset[FilePath]:
        count, files = self._unlinked_then
        if count != len(self.entries):
            files = frozenset(self._all_keys(snapshot).keys() - self.entries.keys())
            self._unlinked_then = len(self.entries), files
        return files

    def prepare(self, snapshot: Snapshot, stop: Callable[[], bool]) -> None:
        """Does what the first question about uses, and the first edit that others see, would have to do."""
        steps: list[Callable[[], object]] = [self.cover, partial(self.files_with_name, snapshot, "")]
        steps += [partial(self.open_counts, snapshot, language, 0) for language in snapshot.modules]
        for step in (*steps, partial(unread_files_with, snapshot, "")):
            if stop():
                return
            step()
        for entry in tuple(self.entries.values()):
            if stop():
                return
            with contextlib.suppress(CodecError):
                _ = entry.inputs

    def cover(self) -> None:
        """Prepares `reaching` for all entries that are known now."""
        state = len(self.entries), self.caches.reverse.generation
        if state != self._covered:
            self.caches.reverse.cover(self.entries)
            self._covered = state[0], self.caches.reverse.generation

    def open_names(self, snapshot: Snapshot, shard: Shard) -> OpenNames | None:
        """Uses in a file that its own links cannot tell the meaning of; None when it is not linked."""
        entry = self.entries.get(shard.path)
        return None if entry is None else entry.index.open

    def import_rows(self, snapshot: Snapshot, shard: Shard) -> Sequence[ImportRow] | None:
        """Which files each line of a file imports, by its own links; None when it is not linked."""
        entry = self.entries.get(shard.path)
        if entry is None:
            return None
        with contextlib.suppress(CodecError):
            rows = unpacked_import_rows(entry.index.imports)
            if all(file in snapshot.shards for _, file, _ in rows):
                return rows
        return None

    def may_be_uncertain(self, snapshot: Snapshot, shard: Shard) -> bool:
        """Whether a checker may know more about some use in a file; False only for one that is linked."""
        entry = self.entries.get(shard.path)
        return entry is None or entry.index.uncertain

    def drop_values(self, snapshot: Snapshot) -> None:
        """Lets go of what is derived from the snapshot, its files and its names."""
        self.drop_derived()
        drop_values(snapshot)
        for shard in tuple(snapshot.shards.values()):
            drop_values(shard)

    def drop_derived(self) -> None:
        """A newer snapshot is there, which has taken over what it could: only links are still wanted of this one."""
        self.drop_resolvers()
        self._named.clear()
        self._named_then, self._totals, self._totals_then = {}, {}, {}
        self._index = self._keys = None

    def drop_resolvers(self) -> None:
        """A newer snapshot is there: resolvers go, which refer back to this one and would outlive it as garbage."""
        self._resolvers.shrink(0)

    def _resolver_for(self, snapshot: Snapshot, shard: Shard) -> OccurrenceResolver:
        with self._resolver_lock:
            known = self._resolvers.get(shard.path)
            if known is None:
                known = OccurrenceResolver(
                    providers()[shard.language],
                    shard.path,
                    self.facts(shard),
                    self.surface(shard),
                    modules=snapshot.modules[shard.language],
                    surfaces=self._surfaces(snapshot),
                )
                self._resolvers.put(shard.path, known, 1)
            return known

    def known_entry(self, snapshot: Snapshot, shard: Shard) -> LinkEntry | None:
        """An entry from before that holds in this snapshot."""
        return self.known_entries(snapshot, (shard,)).valid.get(shard.path)

    def known_entries(
        self, snapshot: Snapshot, shards: Sequence[Shard], validation: ValidationStamp | None = None
    ) -> ReusedLinks:
        """Entries from before, of those of these files that have one."""
        found: dict[FilePath, LinkEntry] = {}
        stale: list[LinkEntry] = []
        names: dict[str, Shard] = {}
        hashes = surface_hashes(snapshot)
        for shard in shards:
            latest, content = self.caches.latest.get(shard.path), key_of(shard)
            same = latest is not None and latest.content == content
            if latest is not None and same and holds(latest, snapshot.modules[shard.language], hashes):
                found[shard.path] = latest
            elif not shard.dirty:  # links of an unsaved buffer are never stored
                names[stored_name(shard.path, content)] = shard
        if self.caches.store is None or not names:
            return ReusedLinks(found, stale)
        for name, raw in self.caches.store.get_many("links", names).items():
            shard = names[name]
            modules = snapshot.modules[shard.language]
            known = unpack_entry(shard.path, key_of(shard), raw, modules=modules, hashes=hashes, validation=validation)
            if known is not None and known[1]:
                found[shard.path] = known[0]
                self.caches.supersede(known[0])
            elif known is not None:
                stale.append(known[0])
        return ReusedLinks(found, stale)

    def take_in_known(
        self, snapshot: Snapshot, stop: Callable[[], bool], validation: ValidationStamp | None = None
    ) -> Iterator[tuple[Sequence[Shard], ReusedLinks]]:
        """Takes in the entries from before that hold in this snapshot, of all files without one, some at a time."""
        left = [path for path in snapshot.files() if path not in self.entries]
        for first in range(0, len(left), _AT_ONCE):
            if stop():
                return
            with self._taking:
                batch = [path for path in left[first : first + _AT_ONCE] if path not in self.entries]
                shards = [snapshot.shards[path] for path in batch]
                known = self.known_entries(snapshot, shards, validation)
                for path, entry in known.valid.items():
                    self.entries.setdefault(path, entry)
            yield shards, known

    def validation(self, snapshot: Snapshot) -> ValidationStamp | None:
        """What is known of all links of an earlier run; nothing once a state of this run was linked as a whole."""
        if self._validation is None:
            self._validation = (self.caches.load_validation(snapshot),)
        return self._validation[0]

    def adopt(self, entry: LinkEntry) -> None:
        """Takes in an entry that was made for this very snapshot."""
        self.entries[entry.path] = entry
        self._failed_then = (-1, {})
        self.caches.work.note_linked(entry.path)
        if entry.complete:
            self.caches.supersede(entry)

    def reuse(self, entry: LinkEntry) -> None:
        """Takes in an entry of an earlier snapshot that holds in this one."""
        self.entries[entry.path] = entry
        self.caches.supersede(entry)

    def give_up(self, snapshot: Snapshot, shard: Shard, reason: str) -> LinkEntry:
        """The file cannot be linked: each of its occurrences says so, and `reason` is its problem."""
        own = self._own(shard)
        links = unresolved_links(shard.path, own.facts)
        modules, hashes = snapshot.modules[shard.language], surface_hashes(snapshot)
        entry = make_entry(own, links, modules=modules, hashes=hashes, problem=reason)
        self.adopt(entry)
        return entry

    def link_failures(self, snapshot: Snapshot) -> Mapping[FilePath, str]:
        """Files that could not be linked, and why, among those that somebody tried to link."""
        count, failed = self._failed_then
        if count != len(self.entries):
            failed = {path: entry.problem for path, entry in sorted(self.entries.items()) if entry.problem}
            self._failed_then = len(self.entries), failed
        return failed

    def not_linked(self, snapshot: Snapshot) -> Set[FilePath]:
        """Files that nobody linked yet."""
        return self._unlinked(snapshot)

    def _own(self, shard: Shard) -> LinkedFile:
        return LinkedFile(shard.path, key_of(shard), self.facts(shard))

    def _link_entry(self, snapshot: Snapshot, shard: Shard) -> LinkEntry:
        modules = snapshot.modules[shard.language]
        try:
            links, problem = self._link(snapshot, shard, modules)
        except LinkingTimeError as error:
            entry = self.give_up(snapshot, shard, str(error))
            self.caches.own_linking.give_up(entry)
            return entry
        hashes = surface_hashes(snapshot)
        try:
            entry = make_entry(self._own(shard), links, modules=modules, hashes=hashes, problem=problem)
        except Exception as error:  # noqa: BLE001 (one file that fails is named, and the others are answered)
            return self.give_up(snapshot, shard, f"{type(error).__name__}: {error}")
        self.adopt(entry)
        self.caches.put_decoded(entry, links)
        if not shard.dirty:
            self.caches.store_entry(entry)
        return entry

    def _link(self, snapshot: Snapshot, shard: Shard, modules: ModuleTable) -> tuple[Links, str]:
        time = self.caches.own_linking.begin(shard.size)
        try:
            links = link_file(
                providers()[shard.language],
                shard.path,
                self.facts(shard),
                self.surface(shard),
                modules=modules,
                surfaces=self._surfaces(snapshot),
                stop=lambda: time.is_over or is_spent(),
            )
        except LinkingFailedError as failure:
            return failure.links, str(failure)
        except LinkingStoppedError:
            if time.is_over:
                raise time.error() from None
            # The request ends here; the file is linked in the background, or by the next one that has the time.
            raise BudgetSpentError(spent_reason()) from None
        return links, ""

    def _surfaces(self, snapshot: Snapshot) -> Callable[[FilePath], Surface]:
        def surface(path: FilePath) -> Surface:
            other = snapshot.shards.get(path)
            return EMPTY_SURFACE if other is None or not other.language else self.surface(other)

        return surface

    def _decoded(self, snapshot: Snapshot, shard: Shard, entry: LinkEntry) -> Links:
        known = self.caches.decoded(entry)
        if known is None:
            try:
                known = entry.links()
                if not all(map(snapshot.shards.__contains__, known.files)):
                    raise CodecError("links lead to files that are not there")
            except CodecError:
                with contextlib.suppress(LinkingTimeError):
                    known = self._link(snapshot, shard, snapshot.modules[shard.language])[0]
                known = known or unresolved_links(shard.path, self.facts(shard))
            self.caches.put_decoded(entry, known)
        return known

    def _extract_again(self, shard: Shard) -> tuple[FileFacts, Surface]:
        """The cache lost what it had: extract once more from the text, if that is still what it was."""
        data = self.text(shard)
        if data is None:
            raise LostContentsError(shard.path)
        facts, surface = understand(providers()[shard.language], shard.path, data)
        self.caches.facts_cache.put(key_of(shard), encoded(facts, surface))
        self.caches.facts_cache.put_decoded(key_of(shard), facts, surface)
        self.caches.work.note_extracted(shard.path)
        return facts, surface


def surface_hashes(snapshot: Snapshot) -> Callable[[FilePath], str]:
    """Surface hashes of a snapshot by path, "" where there is none."""
    shards = snapshot.shards

    def of(path: FilePath) -> str:
        shard = shards.get(path)
        return "" if shard is None else shard.surface_hash

    return of
