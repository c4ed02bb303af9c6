"""Session: the single writer of one workspace.

Owns: open documents, changes on disk, the thread that indexes and links, the sequence of snapshots.
Must not know: LSP types, URIs, how answers are shown, how names are resolved.
Invariant: `snapshot` shows every change of an open document that was made before; what it lacks is in `pending`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Literal

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import provider_for
from graphls.session import pauses
from graphls.session.cache.framework_cache import MANY_DERIVED, load_derived, store_derived
from graphls.session.documents.buffers import apply_reparse, refresh
from graphls.session.documents.document import ByteEdit
from graphls.session.documents.imported_files import imported_files
from graphls.session.documents.open_files import OpenFile
from graphls.session.index.extraction import encoded
from graphls.session.index.file_events import classify_changes
from graphls.session.index.file_table import FileTable
from graphls.session.index.indexing import FEW_FILES, ExtractJob, FileExtraction, TicketQueue, run_here
from graphls.session.index.layout import is_manifest
from graphls.session.index.scanning import Scan, WorkspaceMemory, compare, indexed, shard_of
from graphls.session.lazy_services import LazyServices
from graphls.session.link.background_linking import FEW_FILES as FEW_UNLINKED
from graphls.session.link.background_linking import LinkJob, link_here, load_links, without_links
from graphls.session.link.libraries import installed_now
from graphls.session.link.link_entries import ValidationStamp
from graphls.session.link.link_reuse import backdate_links, reuse_links
from graphls.session.link.validation_stamp import load_validation, store_validation
from graphls.session.looking import DiskObserver, FreshnessMode
from graphls.session.options import IndexProgress as IndexProgress
from graphls.session.options import SessionOptions as SessionOptions
from graphls.session.process.foreground import ForegroundActivity
from graphls.session.process.forked_workers import can_fork
from graphls.session.process.gc_tuning import GcTuning, collect_young, raise_thresholds
from graphls.session.process.malloc_trimming import MallocTrimmer, limit_arenas, trim_heap
from graphls.session.process.pool import Pool, worker_count
from graphls.session.process.workers import WorkerError
from graphls.session.publishing import PublishedSnapshot, drop_unpublished, load_derivation, publish
from graphls.session.server_limits import DroppableState, ServerLimits
from graphls.session.snapshot_contents import SharedCaches, WorkCounters
from graphls.settings import Settings
from graphls.sources.found import SkippedSource, SourceText
from graphls.sources.limits import SourceLimits
from graphls.sources.read import read_source
from graphls.sources.walk import ManyFilesListener, Walk, walk
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

if TYPE_CHECKING:
    from graphls.compilers.background import CheckerProgress
    from graphls.context.pack import Pack, PackRequest
    from graphls.session.verifying import CheckerService

_log = logging.getLogger(__name__)


class Session:
    """Safe to call from any thread. `start` it, `close` it."""

    def __init__(
        self,
        workspace: Workspace,
        settings: Settings | None = None,
        store: BlobStore | None = None,
        options: SessionOptions | None = None,
    ) -> None:
        self.workspace = workspace
        self.settings = settings or Settings()
        self.store = store
        self._options = options or SessionOptions()
        self._limits = SourceLimits.of(self.settings.files)
        self._caches = SharedCaches(store, self._on_disk)
        self._services = LazyServices(workspace, store, self._checked)
        self._files = FileTable()
        self._open: dict[FilePath, OpenFile] = {}
        self._queue = TicketQueue()
        self._published: PublishedSnapshot | None = None
        self._memory: WorkspaceMemory | None = None
        self._pool: Pool | None = None
        self._link_job: LinkJob | None = None
        self.disk = DiskObserver(workspace, follow=self._options.look)
        self._outside_due = 0.0
        """When a walk may follow for what is outside of the workspace: an installation changes thousands of files."""
        self._gc = GcTuning()
        self._trimmer = MallocTrimmer()
        self._lock = threading.RLock()
        self._wake = threading.Condition(self._lock)
        self._rescan = self._unlisted = True
        self._closing = self._scanning = False
        self._saved = False
        self._touched = self._last_progress = 0.0
        self.foreground = ForegroundActivity(self._options.busy)
        self._linked: PublishedSnapshot | None = None
        self._prefetched: PublishedSnapshot | None = None
        self._validated: PublishedSnapshot | None = None
        """Whose links the store vouches for as a whole."""
        held = DroppableState(lambda: (self._published, self._linked, self._validated), self._services, self._caches)
        self.server_limits = ServerLimits(lambda: self.settings, held, serves=self._options.look)
        self._total = 0
        self._thread = threading.Thread(target=self._run, name="graphls-session", daemon=True)
        self.problems: dict[str, str] = {}
        """What went wrong in the session itself, by what failed."""

    # ---------------------------------------------------------------- life

    def start(self) -> None:
        """Begins to index in the background."""
        if can_fork() and not self._load_memory():
            self._workers().fork()
        # Copies allocate as fresh workers do: they let go of nothing before their end.
        limit_arenas()
        raise_thresholds()
        self._thread.start()

    def close(self) -> None:
        """Ends all work and all processes, and writes down what is known."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
            pool = self._pool
        if pool is not None:
            pool.close()
        if self._thread.is_alive():
            self._thread.join()
        self._services.close()
        self.disk.close()
        self._save()

    def wait(self, stage: Literal["ready", "complete"] = "ready", timeout: float | None = None) -> bool:
        """Waits until all facts, or all links too, are there; False when the time was over first."""
        with self._wake:
            return self._wake.wait_for(lambda: self._closing or self._is_at(stage), timeout) and not self._closing

    # ---------------------------------------------------------------- documents

    def open(self, path: FilePath, data: bytes) -> None:
        """An editor shows a file; from now on its contents are what the editor says."""
        with self._wake:
            self._open[path] = OpenFile(path, data, provider_for(path))
            self._touch()

    def change(self, path: FilePath, data: bytes, edits: Sequence[ByteEdit] = ()) -> None:
        """An open file has other contents; `edits` lead from the earlier ones to these."""
        with self._wake:
            open_file = self._open.setdefault(path, OpenFile(path, data, provider_for(path)))
            open_file.change(data, edits)
            self._touch()

    def close_document(self, path: FilePath) -> None:
        """The editor no longer holds the file: the disk counts again."""
        with self._wake:
            if self._open.pop(path, None) is not None:
                self._take_in([path])

    @property
    def open_paths(self) -> tuple[FilePath, ...]:
        """Open files, sorted."""
        with self._lock:
            return tuple(sorted(self._open))

    def files_changed(self, paths: Collection[FilePath]) -> None:
        """Files were made, changed or deleted on disk. A folder that is gone stands for all below it."""
        with self._wake:
            self._take_in(self.disk.news(self._limits, self._files, paths))

    def look(self, freshness: FreshnessMode = "prefer-fresh", patience: float | None = None) -> bool:
        """Takes in what changed on disk, and waits a bounded time (`patience` seconds) until that was read; whether
        the disk was looked at."""
        if freshness == "allow-stale":
            return False
        if not self._options.look:
            return True
        with self._lock:
            at_rest = self._is_at("ready")
        self._glance(everything=freshness == "require-fresh")
        if freshness == "require-fresh":
            self.wait("ready", pauses.AT_MOST if patience is None else max(patience, pauses.AT_MOST))
        elif patience is not None or (at_rest and self._files.pending_count <= pauses.LITTLE):
            self.wait("ready", pauses.AT_ONCE if patience is None else patience)
        return True

    def looked(self, freshness: FreshnessMode, patience: float | None = None) -> tuple[bool, Snapshot]:
        """The same, and the state right after it: nothing that comes later is pending in that."""
        with self._wake:
            return self.look(freshness, patience), self.snapshot()

    def rescan(self, *, again: bool = False) -> None:
        """Anything may have changed on disk. `again`: what could not be read or linked is tried once more."""
        with self._wake:
            self._scan_soon(now=True)
            if again:
                self._files.try_again()

    def read_again(self, paths: Collection[FilePath]) -> None:
        """The same of some files, whatever is known of them."""
        with self._wake:
            self._files.try_again(paths)
            self._take_in(paths)

    def configure(self, settings: Settings) -> None:
        """The user chose otherwise."""
        with self._wake:
            self.settings = settings
            self._limits = SourceLimits.of(settings.files)
            self.server_limits.settings_changed()
            self._files.layout_changed = True
            self._scan_soon(now=True)

    # ---------------------------------------------------------------- answers

    def snapshot(self) -> Snapshot:
        """The newest state."""
        with self._lock:
            self.foreground.note()
            return self._current().snapshot

    def pack(self, snapshot: Snapshot, request: PackRequest, budget_ms: float | None = None) -> tuple[Snapshot, Pack]:
        """The code that a task needs, and the snapshot with what was settled for it."""
        return self._services.packs.made(snapshot, request, self.settings, budget_ms)

    @property
    def checker_service(self) -> CheckerService:
        """What has names settled that graphls is not sure of."""
        return self._services.checker_service

    @property
    def verifies(self) -> bool:
        """Whether names are settled at all: who only wants to know need not load what does it."""
        return self._options.checker

    @property
    def progress(self) -> IndexProgress:
        """How far the background work is."""
        with self._lock:
            if self._unlisted:
                return IndexProgress("scanning")
            if not self._is_at("ready"):
                left = self._files.pending_count
                return IndexProgress("indexing", max(self._total - left, 0), max(self._total, left))
            if self._is_at("complete"):
                return IndexProgress("complete")
            job = self._link_job
            return IndexProgress("ready") if job is None else IndexProgress("linking", job.done, job.total)

    @property
    def work(self) -> WorkCounters:
        """What was extracted and linked so far."""
        return self._caches.work

    def worker_processes(self) -> tuple[int, ...]:
        """Ids of worker processes that run now."""
        pool = self._pool
        return pool.processes() if pool else ()

    def report_problem(self, what: str, problem: str) -> None:
        """Something that works with this session is not as it should be; said once."""
        if self.problems.get(what) != problem:
            self.problems[what] = problem
            _log.warning("%s", problem)

    def _current(self) -> PublishedSnapshot:
        self._refresh()
        if self._published is None or self._files.altered:
            before = self._published
            self._published = publish(
                before,
                self._files,
                self._caches,
                settings=self.settings,
                folders=self.workspace.prefixes,
                unlisted=self._unlisted or self._rescan or self._scanning,
            )
            self._files.mark_published()
            self._saved = False
            self._wake.notify_all()
        return self._published

    def _refresh(self) -> None:
        for open_file in self._open.values():
            if open_file.stale:
                parsed = refresh(open_file, self._files, self._caches, self._limits, self._on_disk)
                if parsed is not None and len(self._queue) and self._published is not None:
                    self._queue.prefer(imported_files(open_file.path, parsed.facts, self._published.layout))

    def _on_disk(self, path: FilePath) -> bytes | None:
        source = read_source(self.workspace, path, self._limits)
        return None if isinstance(source, SkippedSource) else source.data

    def _glance(self, *, everything: bool) -> None:
        with self._wake:
            found = self.disk.changes(self._limits, self._files, everything=everything)
            if found.rescan:
                self.rescan()
            elif found.outside:
                self._scan_soon()
            self._take_in(found.paths)

    def _take_in(self, paths: Collection[FilePath]) -> None:
        # Looked at under the lock: an older look must not overrule a newer one.
        events = classify_changes(self.workspace, self._limits, paths, self._files.links)
        gone = self._files.known({*events.gone, *self._files.below(events.no_folders)})
        for path in gone:
            self._remove_file(path)
        if events.changed:
            self._enqueue(events.changed)
        if events.rescan or events.outside:
            self._scan_soon(now=events.rescan)
        if gone or events.changed:  # what is left out may change without end
            self._touch()

    def _scan_soon(self, *, now: bool = False) -> None:
        self._outside_due = 0.0 if now else self._outside_due
        if now or not self._rescan:
            self._rescan = self._files.altered = True
            self._touch()

    def _touch(self) -> None:
        self._touched = time.monotonic()
        self._saved = False
        self._wake.notify_all()

    def _remove_file(self, path: FilePath) -> None:
        self._queue.drop(path)
        open_file = self._open.get(path)
        if open_file is None:
            self._files.remove(path)
        else:
            open_file.on_disk, open_file.stale = None, True

    def _enqueue(self, sized: Collection[tuple[FilePath, int]]) -> None:
        self._queue.add(self._files.tickets(sized))
        self._total = self._files.pending_count

    def _is_at(self, stage: Literal["ready", "complete"]) -> bool:
        if self._rescan or self._scanning or self._unlisted or self._files.pending_count:
            return False
        if stage == "ready":
            return True
        stale = any(open_file.stale for open_file in self._open.values())
        return not stale and not self._files.altered and self._linked is not None and self._linked is self._published

    def _report(self, outcomes: Sequence[FileExtraction]) -> None:
        with self._wake:
            for outcome in outcomes:
                before, open_file = self._files.shards.get(outcome.ticket.path), self._open.get(outcome.ticket.path)
                if self._files.close_ticket(outcome):
                    self._files.integrate(outcome, is_open=open_file is not None)
                    if open_file is not None:
                        open_file.on_disk, open_file.stale = outcome.content or None, True
                drop_unpublished(outcome, before, self._files, self._published, self._caches)
            left = self._files.pending_count
            if not left:
                self._wake.notify_all()
        self._report_progress(often=left > 0)

    # ---------------------------------------------------------------- the background

    def _run(self) -> None:
        while True:
            with self._wake:
                # What is due depends on time as well as on events, until everything has come to rest.
                if not self._closing and self._due() is None:
                    self._wake.wait(
                        None if self._saved and not self._rescan and not self.server_limits.problem else pauses.DEBOUNCE
                    )
                if self._closing:
                    return
                due = self._due()
                # Said before resting, so that what happens meanwhile is not taken for remembered.
                self._saved = self._saved or due == self._rest
            try:
                if due is not None:
                    due()
            except Exception as error:  # noqa: BLE001 (the session outlives what it does; the problem is named)
                self.problems["session"] = f"{type(error).__name__}: {error}"
                _log.error("the session failed: %s", type(error).__name__, exc_info=error)
                time.sleep(pauses.QUIET)
            if due is not None:  # here too: who asks and edits without a pause grants no rest
                self._gc.collect_if_grown(busy=self._options.busy())
                self._trimmer.trim_if_due()
            with self._wake:
                self._wake.notify_all()

    def _due(self) -> Callable[[], None] | None:
        """The most urgent thing to do."""
        quiet = time.monotonic() - self._touched
        if any(open_file.stale for open_file in self._open.values()) and quiet > pauses.DEBOUNCE:
            return self._show
        if self._rescan and time.monotonic() >= self._outside_due:
            return self._scan
        short = self.server_limits.note(self.problems, self.report_problem)
        if len(self._queue) and not short:
            return self._index
        if self._files.altered and quiet > pauses.DEBOUNCE:
            return self._show
        if short:
            return self._rest if not self._saved and quiet > pauses.QUIET else None
        # What is asked meanwhile is linked on demand: linking ahead between two keystrokes only delays the answers.
        pause = pauses.PAUSE if self._open and self._linked is not None else pauses.DEBOUNCE
        if self._options.link_all and not self._is_at("complete"):  # before rest, which events alone end
            return self._link_all if quiet > pause and not self._rescan else None
        if not self._saved:
            return self._rest if quiet > pauses.QUIET else None
        if self._linked is not None and self._linked is self._published and self._prefetched is not self._linked:
            return self._prefetch
        return None

    def _wake_checker(self, snapshot: Snapshot) -> None:
        """Somebody looks at a file: the checker is wanted soon, but reading the workspace goes before."""
        with self._lock:
            soon = bool(self._open) and self._is_at("ready")
        if soon:
            self.checker_service.wake(snapshot)

    def _show(self) -> None:
        snapshot = self.snapshot()
        self._saved = False
        self._wake_checker(snapshot)
        if self._options.on_snapshot is not None:
            self._options.on_snapshot(snapshot)
        self._caches.facts_cache.squeeze()
        collect_young()

    def _scan(self) -> None:
        with self._wake:
            self._rescan, self._scanning, first = False, True, self._unlisted
        began = time.monotonic()
        try:
            self._choose_settings()
            self.disk.follow_environment(self.settings)
            self._find_libraries()
            # Workers take a while to start: meanwhile the walk goes on.
            cold = first and not self._load_memory()
            many = ManyFilesListener(FEW_FILES + 1, lambda: self._workers().warm_up()) if cold else None
            found = walk(self.workspace, self._limits, many, indexed, self.disk.follow_folder)
            if self._options.checker:
                self.checker_service.renew(self.settings)
            self._apply_walk(found, first)
        except BaseException:
            with self._lock:
                self._rescan, self._scanning = True, False
            raise
        self._outside_due = time.monotonic() + min(time.monotonic() - began, 2 * pauses.AT_ONCE)
        self._report_progress()

    def _choose_settings(self) -> None:
        """The files that say them may have changed."""
        chosen = self._options.settings and self._options.settings()
        if chosen is not None and chosen != self.settings:
            with self._lock:
                self.settings, self._limits = chosen, SourceLimits.of(chosen.files)
                self._files.layout_changed = self._files.altered = True

    def _find_libraries(self) -> None:
        """What is installed now; nothing of it is read before a name leads there."""
        if not self._options.libraries or not self.workspace.folders:
            return
        known = self._caches.libraries
        found = installed_now(self.workspace, self.settings, known, self.store)
        with self._lock:
            self._files.altered = self._files.altered or found is not known
            self._caches.libraries = found

    def _load_memory(self) -> bool:
        """Whether anything is remembered of the workspace."""
        if self._memory is None:
            self._memory = WorkspaceMemory(self.store, self.workspace, self._limits)
            self._files.stamps.update(self._memory.load())
        return bool(self._files.stamps)

    def _apply_walk(self, found: Walk, first: bool) -> None:
        manifests = {file.path: self._on_disk(file.path) for file in found.files if is_manifest(file.path)}
        with self._wake:
            known = self._files.seen - self._open.keys()
            scan = compare(found.files, self._files.stamps, known)
            left_out = [skipped for skipped in found.skipped if skipped.whole_folder or indexed(skipped.path)]
            for path, text in manifests.items():
                if text is not None and path not in self._open:
                    self._files.note_manifest(path, text)
            self._apply_scan(scan, first)
            self._files.note_walk({skipped.path: skipped.reason for skipped in left_out}, found.links)
            if found.truncated:
                self._files.listed[FilePath(".")] = "more files than the limit; the rest is left out"
            self._unlisted = self._scanning = False
            self._wake.notify_all()

    def _apply_scan(self, scan: Scan, first: bool) -> None:
        # A file that is told of may be younger than the look into its folder.
        younger = dict(
            classify_changes(self.workspace, self._limits, {*scan.gone}.intersection(self._files.pending)).changed
        )
        for path in scan.gone:
            if path not in younger:
                self._remove_file(path)
        changed = list(scan.changed)
        for path, entry in scan.unchanged.items():
            if not first or path in self._open:
                continue
            shard = shard_of(path, entry)
            if shard is None:
                changed.append((path, entry.size))
            else:
                self._files.place(shard)
        self._files.altered = True
        self._enqueue([item for item in changed if item[0] not in self._open or item[0] not in self._files.stamps])

    def _index(self) -> None:
        job = ExtractJob(self._queue, self._read, self._caches.facts_cache, self._report, self._files.quarantined)
        self._saved = False
        if len(self._queue) <= FEW_FILES:
            run_here(job, lambda: self._closing)
            return
        try:
            self._workers().run(job, self._while_indexing)
        except WorkerError as error:
            self._without_workers(error)
            run_here(job, lambda: self._closing)

    def _without_workers(self, error: WorkerError) -> None:
        if not self._closing:
            self.report_problem("workers", f"{error}; files are read and linked in one process")

    def _read(self, path: FilePath) -> SourceText | SkippedSource:
        self._caches.work.note_extracted(path)
        return read_source(self.workspace, path, self._limits)

    def _while_indexing(self) -> None:
        load_derivation()
        _ = self._open and self.checker_service  # whoever looks at a file asks soon
        if self._caches.unwritten_bytes > pauses.MOST_BEHIND:
            self._caches.flush()
        with self._lock:
            stale = any(open_file.stale for open_file in self._open.values())
        if stale and time.monotonic() - self._touched > pauses.DEBOUNCE:
            self._show()

    def _while_linking(self) -> None:
        self._while_indexing()
        self._report_progress(often=True)

    def _link_all(self) -> None:
        with self._lock:
            published = self._current()
        self._wake_checker(published.snapshot)

        def stop() -> bool:
            changing = self._files.altered or self._rescan or len(self._queue) > 0
            return self._closing or self._published is not published or changing or self.server_limits.is_memory_short()

        snapshot, reader = published.snapshot, published.reader
        known, linked_before = self._load_validation(snapshot), self._linked
        if linked_before is None and self.store is not None and self._memory is not None:
            load_derived(snapshot, self.store, self._memory.workspace)
        if linked_before is not None:
            reuse_links(linked_before.snapshot, linked_before.reader.entries, snapshot, reader)
        missing, stale = load_links(snapshot, reader, lambda: self.foreground.pause_for_requests() or stop(), known)
        if known is not None and self._memory is not None:
            backdate_links(known, stale, self._memory.initial, snapshot, reader)
            missing = [item for item in missing if item.shard.path not in reader.entries]
        if len(missing) <= FEW_UNLINKED:
            link_here(snapshot, missing, stop)
        else:
            self._link_in_workers(LinkJob(snapshot, reader, missing, stop=stop), published, stop)
        with self._wake:
            linked = not stop()
            if linked:
                self._linked = published
                self._saved = False
                if known is not None and not known.changed and not missing:
                    self._validated = published
            self._wake.notify_all()
        self._report_progress()
        # Nobody waits for the store. It is written here all the same: who never rests would keep all in memory.
        if self._caches.unwritten_bytes > pauses.BEHIND_WHEN_LINKED:
            self._caches.flush()
        if linked and self._options.upgrade:
            self.checker_service.upgrade(snapshot, self.open_paths)

    def _load_validation(self, snapshot: Snapshot) -> ValidationStamp | None:
        """What is known of all links at the start."""
        if self.store is None or self._memory is None or self._linked is not None:
            return None
        return load_validation(snapshot, self.store, self._memory.workspace)

    def _prefetch(self) -> None:
        """What is known is safe: does what first questions would have to do."""
        with self._lock:
            published, touched = self._published, self._touched
            # Said before: what fails once is not tried again and again.
            self._prefetched = published

        def stop() -> bool:
            return self._closing or self._published is not published or self._touched != touched or len(self._queue) > 0

        if published is not None:
            from graphls.session.prefetch import Prefetch  # nobody waits now: whoever starts does without it

            verified = self.checker_service.verified_in_background(published.snapshot) if self.verifies else None
            Prefetch(published.snapshot, self._caches, lambda: self.foreground.pause_for_requests() or stop()).run(
                verified
            )
            if self.store is not None and self._memory is not None:
                store_derived(published.snapshot, self.store, self._memory.workspace, MANY_DERIVED)
        if stop():
            self._prefetched = None
        else:
            self._gc.collect_and_freeze()

    def _checked(self, progress: CheckerProgress) -> None:
        with self._wake:
            if progress.phase == "done":
                self._prefetched = None  # what it said is packed now, as links are
            self._wake.notify_all()
        if self._options.on_checked is not None:
            self._options.on_checked(progress)

    def _link_in_workers(self, job: LinkJob, published: PublishedSnapshot, stop: Callable[[], bool]) -> None:
        self._link_job = job
        try:
            self._workers().run(job, self._while_linking)
        except WorkerError as error:
            self._without_workers(error)
        finally:
            self._link_job = None
            with self._lock:
                self._files.give_up(job.failed)
            for path, entry in job.failed.items():
                _log.warning("%s cannot be linked: %s", path, entry.problem)
        # What workers could not do, for whatever reason, is done here.
        link_here(published.snapshot, without_links(published.snapshot, published.reader, stop), stop)

    def _rest(self) -> None:
        """Nothing is asked for: lets go of processes, checks trees, writes down what is known."""
        self._close_pool()
        with self._lock:
            unsettled = [open_file for open_file in self._open.values() if open_file.needs_reparse]
        for open_file in unsettled:
            self._reparse(open_file)
        self._save()
        self._gc.collect_and_freeze()
        trim_heap()

    def _reparse(self, open_file: OpenFile) -> None:
        fresh = open_file.reparse()
        made = None if fresh is None else encoded(fresh.facts, fresh.surface)
        with self._lock:
            if fresh is not None and made is not None and self._open.get(open_file.path) is open_file:
                apply_reparse(open_file, fresh, made, self._files, self._caches)

    def _save(self) -> None:
        if self.store is None:
            return
        self._caches.flush()
        with self._lock:
            stamps = dict(self._files.stamps)
            listed, linked = not self._unlisted, self._linked
        if self._memory is not None and listed:
            self._memory.store(stamps)
        # In between, single links are tested where others took their place.
        due = self._validated is None or (self._closing and self._validated is not linked)
        if self._memory is None or linked is None:
            return
        if due:
            store_validation(linked.snapshot, linked.reader.entries, self.store, self._memory.workspace)
            self._validated = linked
        if self._closing:
            store_derived(linked.snapshot, self.store, self._memory.workspace)

    def _workers(self) -> Pool:
        with self._lock:
            if self._pool is None:
                self._pool = Pool(worker_count(self.settings.index.workers), self._options.limit)
                if self._closing:
                    self._pool.close()
            return self._pool

    def _close_pool(self) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def _report_progress(self, *, often: bool = False) -> None:
        """`often`: one of many steps, of which only some are told."""
        now = time.monotonic()
        if self._options.on_progress is None or (often and now - self._last_progress < pauses.PROGRESS_PAUSE):
            return
        self._last_progress = now
        self._options.on_progress(self.progress)
