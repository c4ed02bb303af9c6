"""Indexing: from changed files to what they say.

Owns: the order in which files are read, what is read once, batches, what becomes of unfit files.
Must not know: snapshots, links, who is waiting.
Invariant: every file that is taken from the queue gives exactly one outcome; a failing file fails alone and by name.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from graphls.facts.paths import ContentHash, FilePath
from graphls.facts.surface import SurfaceHash, surface_hash
from graphls.languages.provider import Provider
from graphls.languages.registry import provider_of
from graphls.session.cache.contents import ContentStore
from graphls.session.index.extraction import EncodedFile, content_key
from graphls.session.index.layout import is_manifest
from graphls.session.process.frames import Message
from graphls.session.process.pool import batch_size
from graphls.session.process.worker import WorkerServer
from graphls.sources.content import content_hash
from graphls.sources.source_files import SkippedSource, SourceText
from graphls.store.manifest import RACY_NS

BATCH_BYTES = 256_000
FEW_FILES = 30
"""So few files are extracted in this process: starting another takes longer."""
NO_SURFACE = surface_hash(b"")
NO_CONTENT = ContentHash("")
NO_MEMORY = MemoryError.__name__
"""Begins what a worker says of a file that it had no room for."""

Read = Callable[[FilePath], SourceText | SkippedSource]


@attrs.frozen
class Ticket:
    """A file to be read. A later ticket of the same file makes earlier ones worthless."""

    path: FilePath
    number: int
    size: int


@attrs.frozen
class FileExtraction:
    """What became of one ticket. `reason`: why the file has no facts."""

    ticket: Ticket
    language: str = ""
    content: ContentHash = NO_CONTENT
    size: int = 0
    mtime_ns: int = 0
    key: str = ""
    surface_hash: SurfaceHash = NO_SURFACE
    reason: str = ""
    quarantined: bool = False
    """Not tried again until the contents change."""
    gone: bool = False
    """It was deleted before it could be read."""
    text: bytes | None = attrs.field(default=None, repr=False)
    """Contents of plain files that someone will ask for soon."""


@attrs.frozen(eq=False)
class PendingExtraction:
    """A file that was read and waits for extraction."""

    ticket: Ticket
    provider: Provider
    data: bytes = attrs.field(repr=False)
    outcome: FileExtraction

    @property
    def size(self) -> int:
        return len(self.data)


class TicketQueue:
    """Tickets in the order of work. Used by several threads."""

    def __init__(self) -> None:
        self._tickets: OrderedDict[FilePath, Ticket] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, tickets: Iterable[Ticket]) -> None:
        """Appends; a newer ticket replaces the older one in its place."""
        with self._lock:
            self._tickets.update((ticket.path, ticket) for ticket in tickets)

    def prefer(self, paths: Sequence[FilePath]) -> None:
        """Moves files to the front, the first of them foremost."""
        with self._lock:
            for path in reversed(paths):
                if path in self._tickets:
                    self._tickets.move_to_end(path, last=False)

    def drop(self, path: FilePath) -> None:
        """The file is gone."""
        with self._lock:
            self._tickets.pop(path, None)

    def put_back(self, tickets: Iterable[Ticket]) -> None:
        """Nothing was done with them; newer ones of the same files count more."""
        with self._lock:
            for ticket in tickets:
                self._tickets.setdefault(ticket.path, ticket)

    def take(self, size: int) -> Sequence[Ticket]:
        """The first tickets, until they make up `size` bytes."""
        taken: list[Ticket] = []
        with self._lock:
            size = batch_size(self._tickets.values(), size)
            while self._tickets and size > 0:
                _, ticket = self._tickets.popitem(last=False)
                taken.append(ticket)
                size -= ticket.size + 200
        return taken

    def __len__(self) -> int:
        return len(self._tickets)


class ExtractJob:
    """Extraction of all that is in a queue, also of what is added meanwhile."""

    def __init__(
        self,
        queue: TicketQueue,
        read: Read,
        contents: ContentStore,
        report: Callable[[Sequence[FileExtraction]], None],
        quarantined: Mapping[str, str],
    ) -> None:
        self._queue = queue
        self._read = read
        self._contents = contents
        self._report = report
        self._quarantined = quarantined

    def first(self) -> Message | None:
        """Workers need nothing else."""
        return None

    def take(self) -> Sequence[PendingExtraction]:
        """Reads the next files; those whose facts are known are reported at once."""
        while tickets := self._queue.take(BATCH_BYTES):
            fresh = self._unknown([self._one(ticket) for ticket in tickets])
            if fresh:
                return fresh
        return ()

    def put_back(self, items: Sequence[PendingExtraction]) -> None:
        """They are read again."""
        self._queue.put_back(item.ticket for item in items)

    def message(self, items: Sequence[PendingExtraction]) -> Message:
        """The bytes go along: they are read once, and the worker needs no disk."""
        return ("extract", tuple((item.ticket.path, item.provider.capabilities.name, item.data) for item in items))

    def accept(self, item: PendingExtraction, answer: Message) -> None:
        """Facts, or the reason why there are none."""
        _, problem, *values = answer
        if problem:
            self.fail(item, f"extraction failed: {problem}")
            return
        facts, surface, names, defined, digest = values
        made = EncodedFile(_bytes(facts), _bytes(surface), _bytes(names), _bytes(defined), SurfaceHash(str(digest)))
        self._contents.put(item.outcome.key, made)
        self._report([attrs.evolve(item.outcome, surface_hash=made.surface_hash)])

    def doubtful(self, answer: Message) -> bool:
        """Memory that other files took is no fault of this one."""
        return str(answer[1]).startswith(NO_MEMORY)

    def fail(self, item: PendingExtraction, reason: str) -> None:
        """The file is left out, by name, until its contents change."""
        self._report([attrs.evolve(item.outcome, language="", reason=reason, quarantined=True)])

    def _one(self, ticket: Ticket) -> PendingExtraction | FileExtraction:
        source = self._read(ticket.path)
        if isinstance(source, SkippedSource):
            return FileExtraction(ticket, reason=source.reason, gone=source.gone)
        data = source.data
        provider = provider_of(ticket.path, data)
        content, written = content_hash(data), _telling(source.stamp.mtime_ns)
        if provider is None:
            return FileExtraction(ticket, "", content, len(data), written, text=data)
        key = content_key(provider, ticket.path, content)
        text = data if is_manifest(ticket.path) else None
        outcome = FileExtraction(ticket, provider.capabilities.name, content, len(data), written, key, text=text)
        if key in self._quarantined:
            return attrs.evolve(outcome, language="", reason=self._quarantined[key], quarantined=True)
        return PendingExtraction(ticket, provider, data, outcome)

    def _unknown(self, read: Sequence[PendingExtraction | FileExtraction]) -> Sequence[PendingExtraction]:
        known = self._contents.known([item.outcome.key for item in read if isinstance(item, PendingExtraction)])
        fresh: list[PendingExtraction] = []
        done: list[FileExtraction] = []
        for item in read:
            if isinstance(item, FileExtraction):
                done.append(item)
            elif item.outcome.key in known:
                done.append(attrs.evolve(item.outcome, surface_hash=known[item.outcome.key]))
            else:
                fresh.append(item)
        if done:
            self._report(done)
        return fresh


def run_here(job: ExtractJob, stop: Callable[[], bool]) -> None:
    """Does the job in this thread."""
    serving = WorkerServer()
    while not stop() and (items := job.take()):
        for item, answer in zip(items, serving.answers(job.message(items)), strict=True):
            job.accept(item, answer)


def _telling(mtime_ns: int) -> int:
    """The time stamp, or 0 when it is so young that the file may change again without another one."""
    return mtime_ns if mtime_ns < time.time_ns() - RACY_NS else 0


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""
