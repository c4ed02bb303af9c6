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

from graphls.facts.paths import ContentHash, FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import provider_for
from graphls.session.asking import Asking
from graphls.session.buffers import refresh, settle
from graphls.session.carrying import carry, carry_stale
from graphls.session.completing import FEW_FILES as FEW_UNLINKED
from graphls.session.completing import LinkJob, complete_here, recalled, without_links
from graphls.session.copies import copyable
from graphls.session.cycles import Aside, look_at_new, look_rarely
from graphls.session.derived import MANY_DERIVED, keep_derived, recall_derived
from graphls.session.documents import ByteEdit
from graphls.session.extraction import encoded
from graphls.session.files import Files
from graphls.session.freed_memory import Trimming, give_back, hold_few_arenas
from graphls.session.indexing import FEW_FILES, ExtractJob, Outcome, Queue, run_here
from graphls.session.later import Later
from graphls.session.layout import is_manifest
from graphls.session.libraries import installed_now
from graphls.session.link_entries import Proved
from graphls.session.looking import FreshnessMode, Looking
from graphls.session.nearby import imported_files
from graphls.session.open_files import OpenFile
from graphls.session.options import Options as Options
from graphls.session.options import Progress as Progress
from graphls.session.pool import Pool, worker_count
from graphls.session.proof import keep_proof, proved
from graphls.session.publishing import Published, deriving, note_unshown, publish
from graphls.session.reader import Shelf, Work
from graphls.session.scanning import Memory, Scan, compare, indexed, shard_of
from graphls.session.tidings import tidings
from graphls.session.workers import WorkerError
from graphls.settings import Settings
from graphls.sources.content import content_hash
from graphls.sources.found import Skipped, SourceText
from graphls.sources.limits import Limits
from graphls.sources.read import read_source
from graphls.sources.walk import Many, Walk, walk
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

if TYPE_CHECKING:
    from graphls.compilers.background import Progress as CheckProgress
    from graphls.context.pack import Pack, PackRequest
    from graphls.session.verifying import Verifying

_log = logging.getLogger(__name__)
_DEBOUNCE = 0.15
_QUIET = 0.5
_MOST_BEHIND = 96_000_000
_BEHIND_WHEN_LINKED = 8_000_000
"""Bytes that may wait for the store while work goes on, and once all is linked: writing then delays nobody."""
_PAUSE = 0.6
"""Seconds without an edit after which files are linked ahead."""
_TELLING_PAUSE = 0.1
_AT_ONCE, _LITTLE = 0.3, 20
"""Seconds that an answer waits for what changed on disk, where that is so few files."""
_AT_MOST = 30.0
"""The same where the answer has to be fresh."""


class Session:
    """Safe to call from any thread. `start` it, `close` it."""

    def __init__(
        self,
        workspace: Workspace,
        settings: Settings | None = None,
        store: BlobStore | None = None,
        options: Options | None = None,
    ) -> None:
        self.workspace = workspace
        self.settings = settings or Settings()
        self.store = store
        self._options = options or Options()
        self._limits = Limits.of(self.settings.files)
        self._shelf = Shelf(store, self._on_disk)
        self._later = Later(workspace, store, self._checked)
        self._files = Files()
        self._open: dict[FilePath, OpenFile] = {}
        self._queue = Queue()
        self._published: Published | None = None
        self._memory: Memory | None = None
        self._pool: Pool | None = None
        self._link_job: LinkJob | None = None
        self._looking = Looking(workspace, follow=self._options.look)
        self._outside_due = 0.0
        """When a walk may follow for what is outside of the workspace: an installation changes thousands of files."""
        self._aside = Aside()
        self._trimming = Trimming()
        self._lock = threading.RLock()
        self._wake = threading.Condition(self._lock)
        self._rescan = self._unlisted = True
        self._closing = self._scanning = False
        self._remembered = False
        self._touched = self._told = 0.0
        self.asking = Asking(self._options.busy)
        self._linked: Published | None = None
        self._prepared: Published | None = None
        self._proved: Published | None = None
        """Whose links the store vouches for as a whole."""
        self._total = 0
        self._thread = threading.Thread(target=self._run, name="graphls-session", daemon=True)
        self.problems: dict[str, str] = {}
        """What went wrong in the session itself, by what failed."""

    # ---------------------------------------------------------------- life

    def start(self) -> None:
        """Begins to index in the background."""
        if copyable() and not self._recall():
            self._workers().copy()
        # Copies allocate as fresh workers do: they let go of nothing before their end.
        hold_few_arenas()
        look_rarely()
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
        self._later.close()
        self._looking.close()
        self._save()

    def wait(self, stage: Literal["ready", "complete"] = "ready", timeout: float | None = None) -> bool:
        """Waits until all facts, or all links too, are there; False when the time was over first."""
        with self._wake:
            return self._wake.wait_for(lambda: self._closing or self._reached(stage), timeout) and not self._closing

    # ---------------------------------------------------------------- documents

    def open(self, path: FilePath, data: bytes) -> None:
        """An editor shows a file; from now on its contents are what the editor says."""
        with self._wake:
            self._open[path] = OpenFile(path, data, provider_for(path))
            self._disturbed()

    def change(self, path: FilePath, data: bytes, edits: Sequence[ByteEdit] = ()) -> None:
        """An open file has other contents; `edits` lead from the earlier ones to these."""
        with self._wake:
            held = self._open.setdefault(path, OpenFile(path, data, provider_for(path)))
            held.change(data, edits)
            self._disturbed()

    def close_document(self, path: FilePath) -> None:
        """The editor no longer holds the file: the disk counts again."""
        with self._wake:
            if self._open.pop(path, None) is not None:
                self.files_changed([path])

    @property
    def open_paths(self) -> tuple[FilePath, ...]:
        """Open files, sorted."""
        with self._lock:
            return tuple(sorted(self._open))

    # ---------------------------------------------------------------- the disk

    def files_changed(self, paths: Collection[FilePath]) -> None:
        """Files were made, changed or deleted on disk. A folder that is gone stands for all below it."""
        with self._wake:
            # Looked at under the lock: an older look must not overrule a newer one.
            told = tidings(self.workspace, self._limits, paths)
            if told.rescan:
                self._rescan = self._files.altered = True
                self._outside_due = 0.0
            if told.outside:
                self._outside_changed()
            for path in {*told.gone, *self._files.below(told.no_folders)}:
                self._gone(path)
            if told.changed:
                self._enqueue(told.changed)
            self._disturbed()

    def look(self, freshness: FreshnessMode = "prefer-fresh", patience: float | None = None) -> bool:
        """Takes in what changed on disk before this call, and waits a bounded time until that was read, `patience`
        seconds where it is given; whether the disk was looked at."""
        if freshness == "allow-stale":
            return False
        if not self._options.look:
            return True
        with self._lock:
            at_rest = self._reached("ready")
        self._glance(everything=freshness == "require-fresh")
        if freshness == "require-fresh":
            self.wait("ready", _AT_MOST if patience is None else max(patience, _AT_MOST))
        elif patience is not None or (at_rest and self._files.pending_count <= _LITTLE):
            self.wait("ready", _AT_ONCE if patience is None else patience)
        return True

    def rescan(self, *, again: bool = False) -> None:
        """Anything may have changed on disk. `again`: what could not be read or linked is tried once more."""
        with self._wake:
            self._rescan = self._files.altered = True
            self._outside_due = 0.0
            if again:
                self._files.try_again()
            self._disturbed()

    def read_again(self, paths: Collection[FilePath]) -> None:
        """The same of some files, whatever is known of them."""
        with self._wake:
            self._files.try_again(paths)
            self.files_changed(paths)

    def configure(self, settings: Settings) -> None:
        """The user chose otherwise."""
        with self._wake:
            self.settings = settings
            self._limits = Limits.of(settings.files)
            self._files.layout_changed = self._files.altered = True
            self._rescan = True
            self._disturbed()

    # ---------------------------------------------------------------- answers

    def snapshot(self) -> Snapshot:
        """The newest state."""
        with self._lock:
            self.asking.note()
            return self._current().snapshot

    def pack(self, snapshot: Snapshot, request: PackRequest, budget_ms: float | None = None) -> tuple[Snapshot, Pack]:
        """The code that a task needs, and the snapshot with what was settled for it."""
        return self._later.packs.made(snapshot, request, self.settings, budget_ms)

    @property
    def verifying(self) -> Verifying:
        """What has names settled that graphls is not sure of."""
        return self._later.verifying

    @property
    def settles(self) -> bool:
        """Whether names are settled at all: who only wants to know need not load what does it."""
        return self._options.checker

    @property
    def progress(self) -> Progress:
        """How far the background work is."""
        with self._lock:
            if self._unlisted:
                return Progress("scanning")
            if not self._reached("ready"):
                left = self._files.pending_count
                return Progress("indexing", max(self._total - left, 0), max(self._total, left))
            if self._reached("complete"):
                return Progress("complete")
            job = self._link_job
            return Progress("ready") if job is None else Progress("linking", job.done, job.total)

    @property
    def work(self) -> Work:
        """What was extracted and linked so far."""
        return self._shelf.work

    def worker_processes(self) -> tuple[int, ...]:
        """Ids of worker processes that run now."""
        pool = self._pool
        return pool.processes() if pool else ()

    def complain(self, what: str, problem: str) -> None:
        """Something that works with this session is not as it should be; said once."""
        if self.problems.get(what) != problem:
            self.problems[what] = problem
            _log.warning("%s", problem)

    # ---------------------------------------------------------------- under the lock

    def _current(self) -> Published:
        self._refresh()
        if self._published is None or self._files.altered:
            before = self._published
            self._published = publish(
                before,
                self._files,
                self._shelf,
                settings=self.settings,
                folders=self.workspace.prefixes,
                unlisted=self._unlisted or self._rescan or self._scanning,
            )
            self._files.taken_in()
            self._remembered = False
            self._wake.notify_all()
        return self._published

    def _refresh(self) -> None:
        for held in self._open.values():
            if held.stale:
                understood = refresh(held, self._files, self._shelf, self._limits, self._hash_on_disk)
                if understood is not None and len(self._queue) and self._published is not None:
                    self._queue.prefer(imported_files(held.path, understood.facts, self._published.layout))

    def _hash_on_disk(self, path: FilePath) -> ContentHash | None:
        data = self._on_disk(path)
        return None if data is None else content_hash(data)

    def _on_disk(self, path: FilePath) -> bytes | None:
        source = read_source(self.workspace, path, self._limits)
        return None if isinstance(source, Skipped) else source.data

    def _glance(self, *, everything: bool) -> None:
        with self._wake:
            found = self._looking.seen(self._limits, self._files, everything=everything)
            if found.rescan:
                self.rescan()
            elif found.outside:
                self._outside_changed()
            if found.paths:
                self.files_changed(found.paths)

    def _outside_changed(self) -> None:
        if not self._rescan:
            self._rescan = self._files.altered = True
            self._disturbed()

    def _disturbed(self) -> None:
        self._touched = time.monotonic()
        self._remembered = False
        self._wake.notify_all()

    def _gone(self, path: FilePath) -> None:
        self._queue.drop(path)
        held = self._open.get(path)
        if held is None:
            self._files.remove(path)
        else:
            held.on_disk, held.stale = None, True

    def _enqueue(self, sized: Collection[tuple[FilePath, int]]) -> None:
        self._queue.add(self._files.tickets(sized))
        self._total = self._files.pending_count

    def _reached(self, stage: Literal["ready", "complete"]) -> bool:
        if self._rescan or self._scanning or self._unlisted or self._files.pending_count:
            return False
        if stage == "ready":
            return True
        stale = any(held.stale for held in self._open.values())
        return not stale and not self._files.altered and self._linked is not None and self._linked is self._published

    def _report(self, outcomes: Sequence[Outcome]) -> None:
        with self._wake:
            for outcome in outcomes:
                before, held = self._files.shards.get(outcome.ticket.path), self._open.get(outcome.ticket.path)
                if self._files.settle_ticket(outcome):
                    self._files.integrate(outcome, is_open=held is not None)
                    if held is not None:
                        held.on_disk, held.stale = outcome.content or None, True
                note_unshown(outcome, before, self._files, self._published, self._shelf)
            left = self._files.pending_count
            if not left:
                self._wake.notify_all()
        self._tell(often=left > 0)

    # ---------------------------------------------------------------- the background

    def _run(self) -> None:
        while True:
            with self._wake:
                # What is due depends on time as well as on events, until everything has come to rest.
                if not self._closing and self._due() is None:
                    self._wake.wait(None if self._remembered else _DEBOUNCE)
                if self._closing:
                    return
                due = self._due()
                # Said before resting, so that what happens meanwhile is not taken for remembered.
                self._remembered = self._remembered or due == self._rest
            try:
                if due is not None:
                    due()
            except Exception as error:  # noqa: BLE001 (the session outlives what it does; the problem is named)
                self.problems["session"] = f"{type(error).__name__}: {error}"
                _log.error("the session failed: %s", type(error).__name__, exc_info=error)
                time.sleep(_QUIET)
            if due is not None:  # here too: who asks and edits without a pause grants no rest
                self._aside.look(busy=self._options.busy())
                self._trimming.due()
            with self._wake:
                self._wake.notify_all()

    def _due(self) -> Callable[[], None] | None:
        """The most urgent thing to do."""
        quiet = time.monotonic() - self._touched
        if any(held.stale for held in self._open.values()) and quiet > _DEBOUNCE:
            return self._show
        if self._rescan and time.monotonic() >= self._outside_due:
            return self._scan
        if len(self._queue):
            return self._index
        if self._files.altered and quiet > _DEBOUNCE:
            return self._show
        # What is asked meanwhile is linked on demand: linking ahead between two keystrokes only delays the answers.
        pause = _PAUSE if self._open and self._linked is not None else _DEBOUNCE
        if self._options.link_all and not self._reached("complete"):  # before rest, which events alone end
            return self._complete if quiet > pause else None
        if not self._remembered:
            return self._rest if quiet > _QUIET else None
        if self._linked is not None and self._linked is self._published and self._prepared is not self._linked:
            return self._look_ahead
        return None

    def _wake_checker(self, snapshot: Snapshot) -> None:
        """Somebody looks at a file: the checker is wanted soon, but reading the workspace goes before."""
        with self._lock:
            soon = bool(self._open) and self._reached("ready")
        if soon:
            self.verifying.wake(snapshot)

    def _show(self) -> None:
        snapshot = self.snapshot()
        self._remembered = False
        self._wake_checker(snapshot)
        if self._options.on_snapshot is not None:
            self._options.on_snapshot(snapshot)
        self._shelf.contents.squeeze()
        look_at_new()

    def _scan(self) -> None:
        with self._wake:
            self._rescan, self._scanning, first = False, True, self._unlisted
        began = time.monotonic()
        try:
            self._choose_settings()
            self._looking.surround(self.settings)
            self._find_libraries()
            # Workers take a while to start: meanwhile the walk goes on.
            cold = first and not self._recall()
            many = Many(FEW_FILES + 1, lambda: self._workers().warm_up()) if cold else None
            found = walk(self.workspace, self._limits, many, indexed, self._looking.walked)
            if self._options.checker:
                self.verifying.renew(self.settings)
            self._take_in_walk(found, first)
        except BaseException:
            with self._lock:
                self._rescan, self._scanning = True, False
            raise
        self._outside_due = time.monotonic() + min(time.monotonic() - began, 2 * _AT_ONCE)
        self._tell()

    def _choose_settings(self) -> None:
        """The files that say them may have changed."""
        chosen = self._options.settings and self._options.settings()
        if chosen is not None and chosen != self.settings:
            with self._lock:
                self.settings, self._limits = chosen, Limits.of(chosen.files)
                self._files.layout_changed = self._files.altered = True

    def _find_libraries(self) -> None:
        """What is installed now; nothing of it is read before a name leads there."""
        if not self._options.libraries or not self.workspace.folders:
            return
        known = self._shelf.libraries
        found = installed_now(self.workspace, self.settings, known, self.store)
        with self._lock:
            self._files.altered = self._files.altered or found is not known
            self._shelf.libraries = found

    def _recall(self) -> bool:
        """Whether anything is remembered of the workspace."""
        if self._memory is None:
            self._memory = Memory(self.store, self.workspace, self._limits)
            self._files.stamps.update(self._memory.recall())
        return bool(self._files.stamps)

    def _take_in_walk(self, found: Walk, first: bool) -> None:
        manifests = {file.path: self._on_disk(file.path) for file in found.files if is_manifest(file.path)}
        with self._wake:
            known = {*self._files.shards, *self._files.skipped, *self._files.pending} - self._open.keys()
            scan = compare(found.files, self._files.stamps, known)
            left_out = [skipped for skipped in found.skipped if skipped.whole_folder or indexed(skipped.path)]
            for path, text in manifests.items():
                if text is not None and path not in self._open:
                    self._files.note_manifest(path, text)
            self._take_in(scan, first)
            self._files.listed = {skipped.path: skipped.reason for skipped in left_out}
            if found.truncated:
                self._files.listed[FilePath(".")] = "more files than the limit; the rest is left out"
            self._unlisted = self._scanning = False
            self._wake.notify_all()

    def _take_in(self, scan: Scan, first: bool) -> None:
        # A file that is told of may be younger than the look into its folder.
        younger = dict(tidings(self.workspace, self._limits, {*scan.gone}.intersection(self._files.pending)).changed)
        for path in scan.gone:
            if path not in younger:
                self._gone(path)
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
        job = ExtractJob(self._queue, self._read, self._shelf.contents, self._report, self._files.quarantined)
        self._remembered = False
        if len(self._queue) <= FEW_FILES:
            run_here(job, lambda: self._closing)
            return
        try:
            self._workers().run(job, self._meanwhile)
        except WorkerError as error:
            self._without_workers(error)
            run_here(job, lambda: self._closing)

    def _without_workers(self, error: WorkerError) -> None:
        if not self._closing:
            self.complain("workers", f"{error}; files are read and linked in one process")

    def _read(self, path: FilePath) -> SourceText | Skipped:
        self._shelf.work.note_extracted(path)
        return read_source(self.workspace, path, self._limits)

    def _meanwhile(self) -> None:
        deriving()
        _ = self._open and self.verifying  # whoever looks at a file asks soon
        if self._shelf.behind > _MOST_BEHIND:
            self._shelf.flush()
        with self._lock:
            stale = any(held.stale for held in self._open.values())
        if stale and time.monotonic() - self._touched > _DEBOUNCE:
            self._show()

    def _linking(self) -> None:
        self._meanwhile()
        self._tell(often=True)

    def _complete(self) -> None:
        with self._lock:
            published = self._current()
        self._wake_checker(published.snapshot)

        def stop() -> bool:
            return self._closing or self._published is not published or self._files.altered or len(self._queue) > 0

        snapshot, reader = published.snapshot, published.reader
        known, linked_before = self._proof(snapshot), self._linked
        if linked_before is None and self.store is not None and self._memory is not None:
            recall_derived(snapshot, self.store, self._memory.workspace)
        if linked_before is not None:
            carry(linked_before.snapshot, linked_before.reader.entries, snapshot, reader)
        missing, stale = recalled(snapshot, reader, lambda: self.asking.gives_way() or stop(), known)
        if known is not None and self._memory is not None:
            carry_stale(known, stale, self._memory.recalled, snapshot, reader)
            missing = [item for item in missing if item.shard.path not in reader.entries]
        if len(missing) <= FEW_UNLINKED:
            complete_here(snapshot, missing, stop)
        else:
            self._complete_in_workers(LinkJob(snapshot, reader, missing, stop=stop), published, stop)
        with self._wake:
            linked = not stop()
            if linked:
                self._linked = published
                self._remembered = False
                if known is not None and not known.changed and not missing:
                    self._proved = published
            self._wake.notify_all()
        self._tell()
        # Nobody waits for the store. It is written here all the same: who never rests would keep all in memory.
        if self._shelf.behind > _BEHIND_WHEN_LINKED:
            self._shelf.flush()
        if linked and self._options.upgrade:
            self.verifying.upgrade(snapshot, self.open_paths)

    def _proof(self, snapshot: Snapshot) -> Proved | None:
        """What is known of all links at the start."""
        if self.store is None or self._memory is None or self._linked is not None:
            return None
        return proved(snapshot, self.store, self._memory.workspace)

    def _look_ahead(self) -> None:
        """What is known is safe: does what first questions would have to do."""
        with self._lock:
            published, touched = self._published, self._touched
            # Said before: what fails once is not tried again and again.
            self._prepared = published

        def stop() -> bool:
            return self._closing or self._published is not published or self._touched != touched or len(self._queue) > 0

        if published is not None:
            from graphls.session.ahead import Ahead  # nobody waits now: whoever starts does without it

            seen = self.verifying.seen(published.snapshot) if self.settles else None
            Ahead(published.snapshot, self._shelf, lambda: self.asking.gives_way() or stop()).run(seen)
            if self.store is not None and self._memory is not None:
                keep_derived(published.snapshot, self.store, self._memory.workspace, MANY_DERIVED)
        if stop():
            self._prepared = None
        else:
            self._aside.renew()

    def _checked(self, progress: CheckProgress) -> None:
        with self._wake:
            if progress.phase == "done":
                self._prepared = None  # what it said is packed now, as links are
            self._wake.notify_all()
        if self._options.on_checked is not None:
            self._options.on_checked(progress)

    def _complete_in_workers(self, job: LinkJob, published: Published, stop: Callable[[], bool]) -> None:
        self._link_job = job
        try:
            self._workers().run(job, self._linking)
        except WorkerError as error:
            self._without_workers(error)
        finally:
            self._link_job = None
            with self._lock:
                self._files.give_up(job.failed)
            for path, entry in job.failed.items():
                _log.warning("%s cannot be linked: %s", path, entry.problem)
        # What workers could not do, for whatever reason, is done here.
        complete_here(published.snapshot, without_links(published.snapshot, published.reader, stop), stop)

    def _rest(self) -> None:
        """Nothing is asked for: lets go of processes, checks trees, writes down what is known."""
        self._close_pool()
        with self._lock:
            unsettled = [held for held in self._open.values() if held.unsettled]
        for held in unsettled:
            self._settle(held)
        self._save()
        self._aside.renew()
        give_back()

    def _settle(self, held: OpenFile) -> None:
        fresh = held.from_scratch()
        made = None if fresh is None else encoded(fresh.facts, fresh.surface)
        with self._lock:
            if fresh is not None and made is not None and self._open.get(held.path) is held:
                settle(held, fresh, made, self._files, self._shelf)

    def _save(self) -> None:
        if self.store is None:
            return
        self._shelf.flush()
        with self._lock:
            stamps = dict(self._files.stamps)
            listed, linked = not self._unlisted, self._linked
        if self._memory is not None and listed:
            self._memory.remember(stamps)
        # In between, single links are tested where others took their place.
        due = self._proved is None or (self._closing and self._proved is not linked)
        if self._memory is not None and linked is not None and due:
            keep_proof(linked.snapshot, linked.reader.entries, self.store, self._memory.workspace)
            self._proved = linked
        if self._closing and self._memory is not None and linked is not None:
            keep_derived(linked.snapshot, self.store, self._memory.workspace)

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

    def _tell(self, *, often: bool = False) -> None:
        """`often`: one of many steps, of which only some are told."""
        now = time.monotonic()
        if self._options.on_progress is None or (often and now - self._told < _TELLING_PAUSE):
            return
        self._told = now
        self._options.on_progress(self.progress)
