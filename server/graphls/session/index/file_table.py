"""File table: what the session knows of each file, and what changed since the last snapshot.

Owns: shards, pending and skipped files, stamps, manifests, the record of changes.
Must not know: threads (its owner holds a lock), the disk, how facts are made.
Invariant: a file is in at most one of shards, skipped and unread; pending names every file whose change is not shown
    yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Set

from graphls.facts.paths import ContentHash, FilePath, ending_of
from graphls.graph.snapshot import Shard
from graphls.languages.registry import language_of
from graphls.session.index.indexing import FileExtraction, Ticket
from graphls.session.index.layout import is_manifest
from graphls.session.link.link_entries import LinkEntry
from graphls.sources.read import BINARY
from graphls.store.manifest import ManifestEntry


class FileTable:
    """The newest state of all files."""

    def __init__(self) -> None:
        self.shards: dict[FilePath, Shard] = {}
        self.skipped: dict[FilePath, str] = {}
        self.unread: dict[FilePath, str] = {}
        """Text of no language that is too large or odd to be read, and why."""
        self.listed: dict[FilePath, str] = {}
        """Skipped by the walk itself."""
        self.cut_rules: Mapping[FilePath, str] = {}
        """Ignore files that the walk did not apply as a whole, and why."""
        self.links: Mapping[str, str] = {}
        """Symbolic links that the walk met, and where they lead."""
        self.sources: dict[FilePath, str] = {}
        """Languages of files that exist, indexed or not; of a file whose name does not tell while its text is known."""
        self.stamps: dict[FilePath, ManifestEntry] = {}
        self.manifests: dict[FilePath, bytes] = {}
        self.quarantined: dict[str, str] = {}
        """Content key -> why."""
        self.unlinked: dict[FilePath, LinkEntry] = {}
        """Files that cannot be linked as long as they have the contents that the entry names."""
        self.placed: set[FilePath] = set()
        """Files with another shard than the last snapshot shows, be it only that a buffer was saved."""
        self.edited: set[FilePath] = set()
        self.surfaces: set[FilePath] = set()
        """Files whose surface changed, appeared or vanished."""
        self.renewed: set[FilePath] = set()
        """Files whose links are worthless although their contents are the same."""
        self.names_changed = True
        self.layout_changed = True
        self.altered = True
        self._pending: dict[FilePath, int] = {}
        self._number = 0
        self._files_with: dict[str, Counter[ContentHash]] = {}
        """By endings, how many files of a language have a content: files are copied, and one that is moved is in two
        places for a while."""

    # ---------------------------------------------------------------- pending

    def tickets(self, sized: Iterable[tuple[FilePath, int]]) -> list[Ticket]:
        """Marks files as pending."""
        made: list[Ticket] = []
        for path, size in sized:
            self._number += 1
            self._pending[path] = self._number
            made.append(Ticket(path, self._number, size))
            self._note_language(path, language_of(path) or self.sources.get(path, ""))
        self.altered = self.altered or bool(made)
        return made

    @property
    def pending(self) -> tuple[FilePath, ...]:
        """Files whose change no snapshot shows yet, sorted."""
        return tuple(sorted(self._pending))

    @property
    def pending_count(self) -> int:
        """How many these are."""
        return len(self._pending)

    # ---------------------------------------------------------------- changes

    def close_ticket(self, outcome: FileExtraction) -> bool:
        """Whether the outcome is of the newest ticket of its file, which is then no longer pending."""
        path = outcome.ticket.path
        if self._pending.get(path) != outcome.ticket.number:
            return False
        del self._pending[path]
        self.altered = True
        return True

    def integrate(self, outcome: FileExtraction, *, is_open: bool) -> None:
        """Takes in what the disk has; the contents of an open file are those of its buffer and stay."""
        path = outcome.ticket.path
        if outcome.reason:
            self._leave_out(outcome, is_open)
            return
        if outcome.text is not None and not is_open and is_manifest(path):
            self.note_manifest(path, outcome.text)
        self.listed.pop(path, None)
        key = f"{outcome.key} {outcome.surface_hash}"
        self.stamps[path] = ManifestEntry(outcome.size, outcome.mtime_ns, outcome.content, key)
        if not is_open:
            self.place(Shard(path, outcome.language, outcome.content, outcome.size, outcome.surface_hash, dirty=False))

    def place(self, shard: Shard) -> None:
        """A file has these contents now."""
        path, old = shard.path, self.shards.get(shard.path)
        self._forget_reason(path)
        self._note_language(path, shard.language or language_of(path))
        if old is not None and (old.content, old.dirty, old.language) == (shard.content, shard.dirty, shard.language):
            return
        self._set_shard(shard)
        self.placed.add(path)
        self.altered = True
        if old is None:
            self.names_changed = True
        if old is None or (old.content, old.language) != (shard.content, shard.language):
            self.edited.add(path)
        if old is None or (old.surface_hash, old.language) != (shard.surface_hash, shard.language):
            self.surfaces.add(path)

    def renew(self, shard: Shard) -> None:
        """The same contents say something else than before; only a parser that remembered too much makes this so."""
        self._set_shard(shard)
        self.placed.add(shard.path)
        self.edited.add(shard.path)
        self.surfaces.add(shard.path)
        self.renewed.add(shard.path)
        self.altered = True

    def refuse(self, path: FilePath, reason: str) -> None:
        """A file has contents that nothing can be said about."""
        self._drop_shard(path)
        self._drop_manifest(path)
        self._note_reason(path, reason)
        self.altered = True

    def give_up(self, failed: Mapping[FilePath, LinkEntry]) -> None:
        """Files could not be linked."""
        self.unlinked.update(failed)
        self.altered = self.altered or bool(failed)

    def try_again(self, paths: Collection[FilePath] | None = None) -> None:
        """What could not be read or linked may be tried once more; of what was not linked `paths` only, if given."""
        self.quarantined.clear()
        chosen = {*self.unlinked} if paths is None else {*paths, *self.below(paths)}.intersection(self.unlinked)
        for path in chosen:
            del self.unlinked[path]
        self.altered = self.altered or bool(chosen)

    def remove(self, path: FilePath) -> None:
        """A file is gone."""
        self._note_language(path, "")
        self._drop_manifest(path)
        self._drop_shard(path)
        self.altered = self.altered or any(
            path in place for place in (self._pending, self.skipped, self.listed, self.unread)
        )
        self._pending.pop(path, None)
        self.listed.pop(path, None)
        self._forget_reason(path)
        self.stamps.pop(path, None)

    def below(self, folders: Iterable[FilePath]) -> list[FilePath]:
        """All files that are known below any of these."""
        # Nothing is below a file: what is told of is mostly one.
        above = sorted(
            path for path in folders if not any(path in place for place in (self.shards, self.skipped, self.unread))
        )
        tops: list[str] = []
        for path in above:
            if not (tops and path.startswith(tops[-1])):
                tops.append(f"{path}/")
        prefixes = tuple(tops)
        known = {*self.shards, *self.skipped, *self.unread, *self.listed, *self._pending} if prefixes else ()
        return sorted(path for path in known if path.startswith(prefixes))

    @property
    def seen(self) -> Set[FilePath]:
        """All files that were read, could not be or wait for it."""
        return {*self.shards, *self.skipped, *self.unread, *self._pending}

    def known(self, paths: Iterable[FilePath]) -> list[FilePath]:
        """Those of which anything is known, sorted."""
        places = (self.shards, self.sources, self.skipped, self.unread, self.listed, self.manifests, self.stamps)
        return sorted(path for path in paths if path in self._pending or any(path in place for place in places))

    def mark_published(self) -> None:
        """A snapshot shows everything."""
        self.placed, self.edited, self.surfaces, self.renewed = set(), set(), set(), set()
        self.names_changed = self.layout_changed = self.altered = False

    def all_skipped(self) -> Mapping[FilePath, str]:
        """Everything that is not in the graph, and why; and ignore files, whose rules decide what is."""
        listed = {path: why for path, why in self.listed.items() if path not in self.shards}
        return {**self.cut_rules, **listed, **self.skipped}

    def without_contents(self) -> Mapping[FilePath, str]:
        """Text files that are there and were not read, and why."""
        return {path: why for path, why in {**self.unread, **self.skipped}.items() if why != BINARY}

    def note_walk(self, listed: dict[FilePath, str], links: Mapping[str, str]) -> None:
        """What a walk met besides files."""
        self.listed = listed
        if links != self.links:
            self.links, self.layout_changed = links, True

    def note_manifest(self, path: FilePath, text: bytes) -> None:
        """A manifest has this text."""
        if self.manifests.get(path) != text:
            self.manifests[path] = text
            self.layout_changed = self.altered = True

    def _leave_out(self, outcome: FileExtraction, is_open: bool) -> None:
        path = outcome.ticket.path
        self.stamps.pop(path, None)
        if outcome.quarantined and outcome.key:
            self.quarantined[outcome.key] = outcome.reason
        if is_open:
            return
        if outcome.gone:
            self.remove(path)
            return
        self._drop_shard(path)
        self._drop_manifest(path)
        self._note_reason(path, outcome.reason)

    def _note_language(self, path: FilePath, language: str) -> None:
        if language != self.sources.get(path, ""):
            self.layout_changed = True
            if language:
                self.sources[path] = language
            else:
                del self.sources[path]

    def _note_reason(self, path: FilePath, reason: str) -> None:
        self._note_language(path, language_of(path))
        if path in self.sources:
            self.skipped[path] = reason
        elif reason != BINARY:
            self.unread[path] = reason
            self.altered = True

    def _forget_reason(self, path: FilePath) -> None:
        self.skipped.pop(path, None)
        self.unread.pop(path, None)

    def has_content(self, path: FilePath, content: ContentHash) -> bool:
        """Whether a file of a language has this content and an ending like this path."""
        return content in self._files_with.get(ending_of(path), ())

    def _set_shard(self, shard: Shard) -> None:
        self._release_content(self.shards.get(shard.path))
        self.shards[shard.path] = shard
        if shard.language:
            self._files_with.setdefault(ending_of(shard.path), Counter())[shard.content] += 1

    def _release_content(self, shard: Shard | None) -> None:
        if shard is not None and shard.language:
            files = self._files_with[ending_of(shard.path)]
            files[shard.content] -= 1
            if not files[shard.content]:
                del files[shard.content]

    def _drop_shard(self, path: FilePath) -> None:
        old = self.shards.pop(path, None)
        if old is not None:
            self._release_content(old)
            self.names_changed = self.altered = True
            self.edited.add(path)
            self.surfaces.add(path)

    def _drop_manifest(self, path: FilePath) -> None:
        if self.manifests.pop(path, None) is not None:
            self.layout_changed = self.altered = True
