"""Session state: what the stages of one session share.

Owns: open documents, the table of files, the newest snapshot, what is asked for and not done, the lock around them.
Must not know: what a stage does, when it runs.
Invariant: changed with the lock held; whoever waits is woken by what changed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Set
from typing import TYPE_CHECKING, Literal

from graphls.facts.paths import FilePath
from graphls.graph.idle_share import IdleShare
from graphls.graph.snapshot import Revision, Snapshot, with_pending
from graphls.graph.snapshot_pins import pin
from graphls.languages.extract.yielding import giving_way
from graphls.session import pauses
from graphls.session.cache.framework_cache import load_derived
from graphls.session.disk_observer import DiskObserver
from graphls.session.documents.buffers import place_buffer, read_buffer, refresh
from graphls.session.documents.imported_files import imported_files
from graphls.session.documents.open_files import MOST_BYTES_AT_ONCE, OpenFile, ParsedFile, RememberedFiles
from graphls.session.index.file_table import FileTable
from graphls.session.index.indexing import TicketQueue
from graphls.session.index.scanning import WorkspaceMemory
from graphls.session.lazy_services import LazyServices
from graphls.session.link.background_linking import LinkJob
from graphls.session.link.link_entries import ValidationStamp
from graphls.session.link.own_linking import OwnLinking
from graphls.session.link.validation_stamp import load_validation
from graphls.session.options import IndexProgress, SessionOptions
from graphls.session.process.foreground import ForegroundActivity
from graphls.session.process.gc_tuning import GcTuning
from graphls.session.process.shared_pool import SharedPool
from graphls.session.process.workers import WorkerError
from graphls.session.publishing import PublishedSnapshot, publish
from graphls.session.server_limits import DroppableState, ServerLimits
from graphls.session.shared_caches import SharedCaches
from graphls.session.stages import SessionSituation
from graphls.settings import Settings
from graphls.sources.limits import SourceLimits
from graphls.sources.read import read_source
from graphls.sources.source_files import SkippedSource
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

if TYPE_CHECKING:
    from graphls.compilers.background import CheckerProgress

_log = logging.getLogger(__name__)


class SessionState:
    """One session. Attributes are read and written with `lock` held, but those that never change."""

    def __init__(
        self, workspace: Workspace, settings: Settings, store: BlobStore | None, options: SessionOptions
    ) -> None:
        self.workspace = workspace
        self.settings = settings
        self.limits = SourceLimits.of(settings.files)
        self.store = store
        self.options = options
        self.caches = SharedCaches(store, self.on_disk, OwnLinking(options.limit))
        self.caches.load_validation = self._load_validation
        self.disk = DiskObserver(workspace, follow=options.look)
        self.lock = threading.RLock()
        self.wake = threading.Condition(self.lock)
        self.workers = SharedPool(self.lock, lambda: self.settings.index.workers, options.limit)
        self.foreground = ForegroundActivity(options.busy)
        self.services = LazyServices(workspace, store, self._checked, self.foreground.is_answering)
        self.gc = GcTuning()
        self.files = FileTable()
        self.open: dict[FilePath, OpenFile] = {}
        self.remembered = RememberedFiles()
        self.queue = TicketQueue()
        self.published: PublishedSnapshot | None = None
        self.linked: PublishedSnapshot | None = None
        self.prefetched: Revision | None = None
        self.calls_share: IdleShare | None = None
        """What finding all calls by flow has of the time; None before that was begun."""
        self.validated: Revision | None = None
        """Whose links the store vouches for as a whole."""
        self.derived_loaded = False
        """What rules of frameworks derived in another run may be read."""
        self.memory: WorkspaceMemory | None = None
        self.link_job: LinkJob | None = None
        self.rescan = self.unlisted = True
        self.closing = self.scanning = False
        self.read_anew = False
        """The next walk has every file read again."""
        self._is_read_ahead = self._is_reading_wanted = False
        self.saved = False
        self.touched = 0.0
        self.walk_due = 0.0
        """When a walk may follow for what is outside of the workspace: an installation changes thousands of files."""
        self.total = 0
        self._last_progress = 0.0
        self.problems: dict[str, str] = {}
        held = DroppableState(lambda: (self.published, self.linked), self.services, self.caches, self._forget_texts)
        self.server_limits = ServerLimits(lambda: self.settings, held, serves=options.look)

    def _forget_texts(self) -> None:
        # Whoever holds the lock for long makes something of what is kept.
        if self.lock.acquire(blocking=False):
            try:
                self.remembered.forget()
            finally:
                self.lock.release()

    # what is read by many

    def on_disk(self, path: FilePath) -> bytes | None:
        """The contents of a file, None for one that is not read."""
        source = read_source(self.workspace, path, self.limits)
        return None if isinstance(source, SkippedSource) else source.data

    def snapshot(self, about: FilePath | None = None) -> Snapshot:
        """The newest state, for somebody who asks; `about`: about one file, so that no edit of another one that is slow
        to read is waited for. Such files are pending. Who asks about a file that is shown as it is has the state that
        was shown last, while many others are read."""
        shown = self.shown_while_reading(about) if about is not None else None
        if shown is not None:
            return shown
        self.read_slow(about)
        return self.snapshot_at_once()

    def snapshot_at_once(self) -> Snapshot:
        """The same, whatever of open files is not read yet and slow to read; it is pending."""
        with self.lock:
            self.foreground.note()
            waiting = {file.path for file in self._unread()}
            snapshot = pin(self.services.with_imports(pin(self.current(waiting).snapshot)))
            return with_pending(snapshot, [path for path in waiting if self._is_behind(snapshot, path)])

    def shown_while_reading(self, about: FilePath | None = None) -> Snapshot | None:
        """The state that was shown last, while so many files are read that who takes in a walk or makes a state holds
        the lock for seconds; open files that say something else are pending. None where a state is to be made, as where
        the file that is asked `about` is known better since. Waits for no such lock."""
        published = self.published
        if published is None or not (self.files.pending_count > pauses.MANY or self._is_walk_taken_in()):
            return None
        snapshot = pin(published.snapshot)
        if about is not None and (
            self._is_behind(snapshot, about) or self.files.shards.get(about) is not published.shards.get(about)
        ):
            return None
        return with_pending(snapshot, [path for path in tuple(self.open) if self._is_behind(snapshot, path)])

    def _is_walk_taken_in(self) -> bool:
        if not (self.unlisted or self.scanning):
            return False
        free = self.lock.acquire(timeout=pauses.AT_ONCE)
        if free:
            self.lock.release()
        return not free

    def slow(self, about: FilePath | None = None) -> list[OpenFile]:
        """Open files, or the one that is asked `about`, that say something else than is known of them, and take long to
        read. What was just opened mostly says what the disk does: its tree is for the first edit."""
        shards = self.files.shards
        return [
            file
            for file in self._unread(about)
            if (shard := shards.get(file.path)) is None or shard.content != file.content
        ]

    def _unread(self, about: FilePath | None = None) -> list[OpenFile]:
        """The same, and those whose contents are known."""
        unread = [file for file in tuple(self.open.values()) if file.stale or file.reading]
        many = sum(len(file.data) for file in unread) > MOST_BYTES_AT_ONCE
        return [file for file in unread if about in (None, file.path) and (many or file.is_slow)]

    def _is_behind(self, snapshot: Snapshot, path: FilePath) -> bool:
        """Whether an open file has another text than a snapshot shows."""
        shard, open_file = snapshot.shards.get(path), self.open.get(path)
        return open_file is not None and (shard is None or shard.content != open_file.content)

    def wait_for_slow(self, seconds: float) -> None:
        """Waits until such files are read as they are now, or so long. Another thread reads them, to the end."""
        with self.wake:
            wanted = self._wanted(self.slow())
            if not wanted:
                return
            self._is_reading_wanted = True
            if not self._is_read_ahead:
                self._is_read_ahead = True
                threading.Thread(target=self._read_ahead, name="graphls-reading", daemon=True).start()
            self.wake.wait_for(lambda: self.closing or not self._left(wanted), seconds)

    def _read_ahead(self) -> None:
        while True:
            with self.lock:
                self._is_read_ahead, self._is_reading_wanted = self._is_reading_wanted, False
                if not self._is_read_ahead:
                    return
            try:
                self.read_slow()
            except Exception:  # noqa: BLE001 (who reads the file next meets it again)
                _log.exception("an open file could not be read ahead")

    def _wanted(self, files: Iterable[OpenFile]) -> list[tuple[OpenFile, int]]:
        """Files with the number of the reading that has their text of now."""
        # The reading that goes on now may have begun before an edit; whose ever follows it is as good as one's own.
        return [(file, file.begun + file.stale) for file in files]

    def _left(self, wanted: Iterable[tuple[OpenFile, int]]) -> list[OpenFile]:
        """Those of which such a reading has not ended."""
        left = (file for file, number in wanted if file.ended < number and self.open.get(file.path) is file)
        return [file for file in left if file.stale or file.reading]

    def read_slow(self, about: FilePath | None = None, *, known_too: bool = False) -> None:
        """Reads open files that take long, of which one alone is asked `about`, as of the moment of the call. Documents
        may be edited meanwhile, and others be asked about: the caller must not hold the lock. `known_too`: those whose
        contents are known as well."""
        with self.wake:
            wanted = self._wanted(self._unread(about) if known_too else self.slow(about))
        while True:
            with self.wake:
                slow = self._left(wanted)
                if not slow:
                    return
                open_file = next((file for file in slow if not file.reading), None)
                if open_file is None:
                    self.wake.wait()
                    continue
                copy = open_file.copy_to_read()
            found = None
            try:
                with giving_way(self.options.give_way()):
                    found = read_buffer(copy, self.limits, self.on_disk)
            finally:
                with self.wake:
                    open_file.take_back(copy)
                    self.remembered.note(open_file)
                    if found is not None and self.open.get(open_file.path) is open_file:
                        self._follow_imports(open_file, place_buffer(open_file, found, self.files, self.caches))
                    self.wake.notify_all()

    def current(self, waiting: Set[FilePath] = frozenset()) -> PublishedSnapshot:
        """The newest state; what open documents lack is read first, but for files that are `waiting`."""
        self._refresh(waiting)
        self.files.give_up(self.caches.own_linking.take())
        before = self.published
        if before is not None and not self.files.altered:
            return before
        made = self.published = publish(
            before,
            self.files,
            self.caches,
            settings=self.settings,
            folders=self.workspace.prefixes,
            unlisted=self.unlisted or self.rescan or self.scanning,
        )
        if made.snapshot.derivation is not None and not self.derived_loaded and not made.snapshot.pending:
            self.derived_loaded = True
            if self.store is not None and self.memory is not None:
                load_derived(made.snapshot, self.store, self.memory.workspace)
        if before is not None:
            before.retire(made.replaced_files(before, self.files.placed | self.files.edited))
        self.files.mark_published()
        self.saved = False
        self.wake.notify_all()
        return made

    def _refresh(self, waiting: Set[FilePath]) -> None:
        for path, open_file in tuple(self.open.items()):
            if path not in waiting:
                self.wake.wait_for(lambda file=open_file: not file.reading)
                if open_file.stale and self.open.get(path) is open_file:
                    parsed = refresh(open_file, self.files, self.caches, self.limits, self.on_disk)
                    self.remembered.note(open_file)
                    self._follow_imports(open_file, parsed)

    def _follow_imports(self, open_file: OpenFile, parsed: ParsedFile | None) -> None:
        if parsed is not None and len(self.queue) and self.published is not None:
            self.queue.prefer(imported_files(open_file.path, parsed.facts, self.published.layout))

    @property
    def stale(self) -> bool:
        """Whether an open file has edits that were not read."""
        return any(open_file.stale or open_file.reading for open_file in self.open.values())

    def is_at(self, stage: Literal["ready", "complete"]) -> bool:
        """Whether all facts, or all links too, are there."""
        if self.rescan or self.scanning or self.unlisted or self.files.pending_count:
            return False
        if stage == "ready":
            return True
        return not self.stale and not self.files.altered and self.linked is not None and self.linked is self.published

    def situation(self) -> SessionSituation:
        """What decides which stage is due."""
        return SessionSituation(
            stale=self.stale,
            rescan=self.rescan,
            walk_due=time.monotonic() >= self.walk_due,
            queued=len(self.queue) > 0,
            altered=self.files.altered,
            short=self.server_limits.note(self.problems, self.report_problem),
            unlinked=self.options.link_all and not self.is_at("complete"),
            editing=bool(self.open) and self.linked is not None,
            saved=self.saved,
            unprefetched=self.linked is not None
            and self.linked is self.published
            and self.prefetched != self.linked.snapshot.revision,
            quiet=time.monotonic() - self.touched,
        )

    @property
    def progress(self) -> IndexProgress:
        """How far the background work is. Said without the lock where that is held for long: it is numbers to show."""
        free = self.lock.acquire(timeout=pauses.AT_ONCE)
        try:
            if self.unlisted:
                return IndexProgress("scanning")
            if not self.is_at("ready"):
                left = self.files.pending_count
                return IndexProgress("indexing", max(self.total - left, 0), max(self.total, left))
            if self.is_at("complete"):
                return IndexProgress("complete")
            job = self.link_job
            return IndexProgress("ready") if job is None else IndexProgress("linking", job.done, job.total)
        finally:
            if free:
                self.lock.release()

    # what many change

    def touch(self) -> None:
        """Contents changed."""
        self.touched = time.monotonic()
        self.saved = False
        self.wake.notify_all()

    def scan_soon(self, *, now: bool = False) -> None:
        """The workspace is to be walked; `now`: without a pause for what goes on outside of it."""
        self.walk_due = 0.0 if now else self.walk_due
        if now or not self.rescan:
            self.rescan = self.files.altered = True
            self.touch()

    def enqueue(self, sized: Collection[tuple[FilePath, int]]) -> None:
        """Files are to be read."""
        self.queue.add(self.files.tickets(sized))
        self.total = self.files.pending_count

    def remove_file(self, path: FilePath) -> None:
        """A file is gone from the disk."""
        self.queue.drop(path)
        open_file = self.open.get(path)
        if open_file is None:
            self.files.remove(path)
        else:
            open_file.on_disk, open_file.stale = None, True

    def choose(self, settings: Settings) -> None:
        """These settings hold from now on."""
        before = self.limits
        self.settings, self.limits = settings, SourceLimits.of(settings.files)
        self.files.layout_changed = True
        # What was read under other limits is read again, though nothing of it changed on disk.
        listed = self.scanning or not self.unlisted
        self.read_anew = self.read_anew or (listed and before.of_texts() != self.limits.of_texts())

    def _load_validation(self, snapshot: Snapshot) -> ValidationStamp | None:
        """What is known of all links at the start."""
        if self.store is None or self.memory is None or self.linked is not None:
            return None
        return load_validation(snapshot, self.store, self.memory.workspace)

    def load_memory(self) -> bool:
        """Whether anything is remembered of the workspace."""
        if self.memory is None:
            self.memory = WorkspaceMemory(self.store, self.workspace, self.limits)
            self.files.stamps.update(self.memory.load())
        return bool(self.files.stamps)

    # what is told to others

    def report_problem(self, what: str, problem: str) -> None:
        """Something is not as it should be; said once."""
        if self.problems.get(what) != problem:
            self.problems[what] = problem
            _log.warning("%s", problem)

    def report_lost_workers(self, error: WorkerError) -> None:
        """No worker can be had."""
        if not self.closing:
            self.report_problem("workers", f"{error}; files are read and linked in one process")

    def report_progress(self, *, often: bool = False) -> None:
        """`often`: one of many steps, of which only some are told."""
        now = time.monotonic()
        if self.options.on_progress is None or (often and now - self._last_progress < pauses.PROGRESS_PAUSE):
            return
        self._last_progress = now
        self.options.on_progress(self.progress)

    def wake_checker(self, snapshot: Snapshot) -> None:
        """Somebody looks at a file: the checker is wanted soon, but reading the workspace goes before."""
        with self.lock:
            soon = bool(self.open) and self.is_at("ready")
        if soon:
            self.services.checker_service.wake(snapshot)

    def _checked(self, progress: CheckerProgress) -> None:
        with self.wake:
            if progress.phase == "done":
                self.prefetched = None  # what it said is packed now, as links are
            self.wake.notify_all()
        if self.options.on_checked is not None:
            self.options.on_checked(progress)


StopTest = Callable[[], bool]
"""Whether work that nobody waits for is to end."""
