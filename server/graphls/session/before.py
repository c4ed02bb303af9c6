"""Before: the graph as it was before some edits, linked only where a question leads.

Owns: which contents are those of before, which links of these were made.
Must not know: version control, what is asked.
Invariant: answers are those of a snapshot of the same contents that is linked as a whole; nothing is written anywhere.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import partial

from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.graph.open_names import OpenNames, defined_numbers
from graphls.graph.snapshot import End, ReachingFiles, Shard, Snapshot
from graphls.graph.snapshot_pins import pin_alone
from graphls.languages.registry import providers
from graphls.linking.linker import OccurrenceResolver
from graphls.queries.changed import FileDiff
from graphls.session.index.extraction import defined_in, has_name
from graphls.session.link.link_index import LinkIndex, end_number, index_of
from graphls.session.revisions import CommitSnapshotContents, joined, let_go
from graphls.settings import Settings


class PreEditSnapshotContents(CommitSnapshotContents):
    """Links files as they are asked for, and of files that only mention a name the uses of that name: over a snapshot
    that is in memory."""

    def __init__(self, past: Snapshot, live: Snapshot) -> None:
        super().__init__(past, live)
        self._made: dict[FilePath, Links] = {}
        self._made_indexes: dict[FilePath, LinkIndex] = {}
        self._resolvers: dict[FilePath, OccurrenceResolver] = {}
        self._resolver_lock = threading.RLock()

    def links(self, snapshot: Snapshot, shard: Shard) -> Links:
        """Links of a file, made once."""
        with self._resolver_lock:
            made = self._made.get(shard.path)
            if made is None:
                made = self._made[shard.path] = super().links(snapshot, shard)
                self._made_indexes[shard.path] = index_of(made, self.facts(shard))
            return made

    def known_links(self, snapshot: Snapshot, shard: Shard) -> Links | None:
        """Links of a file if they were made before."""
        return self._made.get(shard.path)

    def links_at(
        self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int], frame: bool, constructs: bool
    ) -> Links:
        """Links of these occurrences, where the file is not linked."""
        made = self._made.get(shard.path)
        if made is not None:
            return made
        with self._resolver_lock:
            resolver = self._resolvers.get(shard.path)
            if resolver is None:
                resolver = self._resolvers[shard.path] = self._inquirer(snapshot, shard)
            return resolver.at(occurrences, frame, constructs)

    def reaching(self, snapshot: Snapshot, ends: Collection[End]) -> ReachingFiles:
        """Those that are linked tell, others are unsure."""
        numbers = [end_number(*end) for end in ends]
        found = [path for path, index in self._made_indexes.items() if any(map(index.leads_to, numbers))]
        return ReachingFiles(tuple(sorted(found)), frozenset(self.not_linked(snapshot)))

    def take_in_links(self, snapshot: Snapshot) -> None:
        """No run before has made any."""

    def renamed(self, snapshot: Snapshot, ends: Collection[End]) -> Mapping[FilePath, Sequence[str]]:
        """Linked files that pass any of these ends on under another name, with these names."""
        numbers = [end_number(*end) for end in ends]
        names = {
            path: tuple(dict.fromkeys(name for end in numbers for name in index.names_of(end)))
            for path, index in sorted(self._made_indexes.items())
        }
        return {path: found for path, found in names.items() if found}

    def open_names(self, snapshot: Snapshot, shard: Shard) -> OpenNames | None:
        """None where the file is not linked."""
        index = self._made_indexes.get(shard.path)
        return None if index is None else index.open

    def not_linked(self, snapshot: Snapshot) -> Set[FilePath]:
        """Files that no question led to."""
        return frozenset(snapshot.files()) - self._made.keys()

    def files_with_name(self, snapshot: Snapshot, name: str) -> tuple[FilePath, ...]:
        """As the live snapshot knows, but for the files that were edited."""
        open_file = self._past.shards
        live = (path for path in self._live.files_with_name(name) if path in snapshot.shards and path not in open_file)
        return tuple(sorted({*live, *(path for path in self._past.files() if has_name(self._past.facts(path), name))}))

    def defined_names(self, snapshot: Snapshot, language: str) -> Set[int]:
        """Those of the live snapshot, and those that the edits took."""
        files = (path for path in self._past.files() if self._past.shards[path].language == language)
        return self._live.defined_names(language) | defined_numbers(
            defined_in(self._past.facts(path)) for path in files
        )

    def drop_resolvers(self) -> None:
        """Nobody asks any more: resolvers refer back to the snapshot."""
        with self._resolver_lock:
            self._resolvers.clear()

    def _inquirer(self, snapshot: Snapshot, shard: Shard) -> OccurrenceResolver:
        return OccurrenceResolver(
            providers()[shard.language],
            shard.path,
            self.facts(shard),
            self.surface(shard),
            modules=snapshot.modules[shard.language],
            surfaces=lambda path: self.surface(snapshot.shards[path]),
        )


def before_edits(live: Snapshot, settings: Settings, edits: Iterable[FileDiff], folders: Collection[str]) -> Snapshot:
    """The workspace without these edits."""
    edits = tuple(edits)
    new = {edit.path for edit in edits if edit.status in ("added", "renamed")}
    replaced = {edit.old_path or edit.path: edit.before for edit in edits if edit.before is not None}
    unchanged = {path for path in live.shards if path not in new and path not in replaced}
    return pre_edit_snapshot(live, unchanged, replaced, settings, folders)


def pre_edit_snapshot(
    live: Snapshot,
    unchanged: set[FilePath],
    replaced: Mapping[FilePath, bytes],
    settings: Settings,
    folders: Collection[str],
) -> Snapshot:
    """The workspace with other contents, for one question."""
    snapshot = joined(live, unchanged, replaced, settings, folders, reader=PreEditSnapshotContents, whole=False)
    if isinstance(snapshot.reader, PreEditSnapshotContents):
        return pin_alone(snapshot, snapshot.reader.drop_resolvers)
    return pin_alone(snapshot, partial(let_go, snapshot))
