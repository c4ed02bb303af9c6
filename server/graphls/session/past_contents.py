"""Past contents: files of a state that is not the newest, read and linked as those of the session are.

Owns: reading contents that are not on disk in workers, links of such a state over the caches of the session.
Must not know: version control, what is asked, how a face answers.
Invariant: a content that the session or its store knows is not read again, a link that holds is not made again; links
    of a content that the newest state has too are never stored: they are those of another state.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Final

from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.graph.open_names import OpenNames
from graphls.graph.request_budget import is_spent, spend
from graphls.graph.snapshot import End, ReachingFiles, Shard, SkippedFile, Snapshot
from graphls.session.index.indexing import ExtractJob, FileExtraction, Ticket, TicketQueue, run_here
from graphls.session.link.background_linking import LinkJob, without_links
from graphls.session.link.link_entries import LinkEntry
from graphls.session.process.pool import Job, Pool, T, worker_count
from graphls.session.process.workers import WorkerError
from graphls.session.shared_caches import SharedCaches, key_of
from graphls.session.snapshot_contents import SnapshotContents
from graphls.sources.source_files import SkippedSource, SourceText, Stamp

_FEW_FILES: Final = 8
_FEW_BYTES: Final = 200_000
"""What is less is read and linked in this process: starting another takes longer."""


class PastCaches(SharedCaches):
    """Facts are those of the session, as contents are the same in each state; links are of this state."""

    def __init__(self, session: SharedCaches, texts: Mapping[FilePath, bytes]) -> None:
        super().__init__(session.store, session.on_disk, session.own_linking)
        self.facts_cache = session.facts_cache
        self.libraries = session.libraries
        self.texts = session.texts
        self.latest = dict(session.latest)
        self._past = texts

    def store_entry(self, entry: LinkEntry) -> None:
        """The store has one place for a file with its contents: that of the newest state."""
        if entry.path in self._past:
            super().store_entry(entry)


class PastSnapshotContents(SnapshotContents):
    """Reads a state of which these texts are not on disk, linked as far as somebody asks."""

    def __init__(self, live: Snapshot, session: SharedCaches, texts: Mapping[FilePath, bytes]) -> None:
        super().__init__(PastCaches(session, texts), {})
        self._live = live
        self._past = texts

    def text(self, shard: Shard) -> bytes | None:
        """The bytes the shard was made from."""
        known = self._past.get(shard.path)
        return self._live.text(shard.path) if known is None else known

    def let_go(self, snapshot: Snapshot) -> None:
        """Nobody asks any more."""
        self.drop_derived()
        self.caches.flush()
        kept = {key_of(shard) for path in self._past if (shard := self._live.shards.get(path)) and shard.language}
        for path in self._past:
            shard = snapshot.shards.get(path)
            if shard is not None and shard.language and key_of(shard) not in kept:
                self.caches.facts_cache.mark_replaced(key_of(shard))


class WholePastContents(PastSnapshotContents):
    """The same of a state that is asked about as a whole: who asks what leads to something has all of it linked."""

    def __init__(self, live: Snapshot, session: SharedCaches, texts: Mapping[FilePath, bytes]) -> None:
        super().__init__(live, session, texts)
        self._linking = threading.Lock()
        self._is_linked = False

    def link_all(self, snapshot: Snapshot) -> None:
        """Links each file of it, in workers where they are many. Raises BudgetSpentError."""
        with self._linking:
            if self._is_linked:
                return
            missing = without_links(snapshot, self, is_spent)
            spend()
            if _is_much([item.size for item in missing]):
                job = LinkJob(snapshot, self, missing, stop=is_spent)
                in_workers(job)
                spend()
                missing = without_links(snapshot, self, is_spent)
            for item in missing:
                snapshot.own_links(item.shard.path)
                spend()
            self._is_linked = True

    def known_links(self, snapshot: Snapshot, shard: Shard) -> Links | None:
        """Links of a file, made now if nobody did before."""
        return self.links(snapshot, shard)

    def links_at(
        self, snapshot: Snapshot, shard: Shard, occurrences: Collection[int], frame: bool, constructs: bool
    ) -> Links:
        """Links with all rows of these occurrences: the whole file's where they are known, else made for these only."""
        known = super().known_links(snapshot, shard)
        return self.linked_at(snapshot, shard, occurrences, frame, constructs) if known is None else known

    def reaching(self, snapshot: Snapshot, ends: Collection[End]) -> ReachingFiles:
        """Files whose links lead to any of these ends in other files."""
        self.link_all(snapshot)
        return super().reaching(snapshot, ends)

    def renamed(self, snapshot: Snapshot, ends: Collection[End]) -> Mapping[FilePath, Sequence[str]]:
        """Files that pass any of these ends on under another name, with these names."""
        self.link_all(snapshot)
        return super().renamed(snapshot, ends)

    def open_names(self, snapshot: Snapshot, shard: Shard) -> OpenNames | None:
        """Uses in a file that its own links cannot tell the meaning of."""
        self.links(snapshot, shard)
        return super().open_names(snapshot, shard)

    def open_counts(self, snapshot: Snapshot, language: str, name: int) -> Sequence[int] | None:
        """Uses of a name that own links cannot tell the meaning of."""
        self.link_all(snapshot)
        return super().open_counts(snapshot, language, name)

    def not_linked(self, snapshot: Snapshot) -> Set[FilePath]:
        """None: they are linked as soon as that matters."""
        return frozenset()


def read_past(
    caches: SharedCaches, texts: Mapping[FilePath, bytes]
) -> tuple[Mapping[FilePath, Shard], Sequence[SkippedFile]]:
    """Files with these contents, in order of path; and those that cannot be read, with the reason."""
    found: dict[FilePath, FileExtraction] = {}

    def read(path: FilePath) -> SourceText | SkippedSource:
        return SourceText(texts[path], Stamp(len(texts[path]), 0))

    def report(outcomes: Sequence[FileExtraction]) -> None:
        found.update((outcome.ticket.path, outcome) for outcome in outcomes)

    queue = TicketQueue()
    queue.add(Ticket(path, number, len(texts[path])) for number, path in enumerate(sorted(texts)))
    job = ExtractJob(queue, read, caches.facts_cache, report, {})
    if _is_much([len(data) for data in texts.values()]):
        in_workers(job)
        spend()
    run_here(job, is_spent)
    spend()
    caches.facts_cache.flush()
    shards = {path: _shard(path, found[path]) for path in sorted(texts) if not found[path].reason}
    return shards, [SkippedFile(path, one.reason) for path, one in sorted(found.items()) if one.reason]


def _shard(path: FilePath, outcome: FileExtraction) -> Shard:
    return Shard(
        path=path,
        language=outcome.language,
        content=outcome.content,
        size=outcome.size,
        surface_hash=outcome.surface_hash,
        dirty=False,
    )


def in_workers(job: Job[T]) -> None:
    """Does a job in processes of its own, which end with it, and at once when nobody wants the answer any more. What
    they leave is done by who asked."""
    pool = Pool(worker_count(0))

    def meanwhile() -> None:
        if is_spent():
            pool.close()

    try:
        pool.run(job, meanwhile)
    except WorkerError:
        return
    finally:
        pool.close()


def _is_much(sizes: Sequence[int]) -> bool:
    return len(sizes) > _FEW_FILES and sum(sizes) > _FEW_BYTES
