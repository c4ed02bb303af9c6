"""Session: the single writer of one workspace.

Owns: what other layers may ask of it, its start and its end, the one thread that does what is due.
Must not know: LSP types, URIs, how answers are shown, how names are resolved; what a stage does.
Invariant: `snapshot` shows every change of an open document that was made before; what it lacks is in `pending`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.graph.snapshot_pins import pinning
from graphls.languages.registry import provider_of
from graphls.queries.spelled_words import spells
from graphls.session import pauses
from graphls.session.disk_observer import DiskObserver, FreshnessMode
from graphls.session.documents.document import ByteEdit
from graphls.session.documents.open_files import OpenFile
from graphls.session.index.index_stage import index, show
from graphls.session.index.scan_stage import look_at_disk, scan, take_in
from graphls.session.link.link_stage import link
from graphls.session.options import IndexProgress as IndexProgress
from graphls.session.options import SessionOptions as SessionOptions
from graphls.session.process.foreground import ForegroundActivity
from graphls.session.process.forked_workers import can_fork
from graphls.session.process.gc_tuning import raise_thresholds
from graphls.session.process.malloc_trimming import MallocTrimmer, limit_arenas
from graphls.session.rest_stage import prefetch, rest, save
from graphls.session.server_limits import ServerLimits
from graphls.session.shared_caches import WorkCounters
from graphls.session.stages import StageName, due_stage
from graphls.session.state import SessionState
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

if TYPE_CHECKING:
    from graphls.compilers.scip import ScipIndex
    from graphls.compilers.scip_answers import IndexImport
    from graphls.context.pack import Pack, PackRequest
    from graphls.context.search import SearchHits, SearchQuery
    from graphls.session.annotations import AnnotationSource
    from graphls.session.comparison import Comparisons
    from graphls.session.verifying import CheckerService

_log = logging.getLogger(__name__)
_ACTIONS: Final[Mapping[StageName, Callable[[SessionState], None]]] = {
    "show": show,
    "scan": scan,
    "index": index,
    "link": link,
    "rest": rest,
    "prefetch": prefetch,
}


class Session:
    """Safe to call from any thread. `start` it, `close` it."""

    def __init__(
        self,
        workspace: Workspace,
        settings: Settings | None = None,
        store: BlobStore | None = None,
        options: SessionOptions | None = None,
    ) -> None:
        self._state = SessionState(workspace, settings or Settings(), store, options or SessionOptions())
        self._trimmer = MallocTrimmer()
        self._thread = threading.Thread(target=self._run, name="graphls-session", daemon=True)

    # ---------------------------------------------------------------- life

    def start(self) -> None:
        """Begins to index in the background."""
        if can_fork() and not self._state.load_memory():
            self._state.workers.pool().fork()
        # Copies allocate as fresh workers do: they let go of nothing before their end.
        limit_arenas()
        raise_thresholds(serves=self._state.options.look)
        self._thread.start()

    def close(self) -> None:
        """Ends all work and all processes, and writes down what is known."""
        state = self._state
        with state.wake:
            state.closing = True
            state.wake.notify_all()
        state.workers.close()
        if self._thread.is_alive():
            self._thread.join()
        state.services.close()
        state.disk.close()
        save(state)

    def wait(self, stage: Literal["ready", "complete"] = "ready", timeout: float | None = None) -> bool:
        """Waits until all facts, or all links too, are there; False when the time was over first."""
        state = self._state
        with state.wake:
            return state.wake.wait_for(lambda: state.closing or state.is_at(stage), timeout) and not state.closing

    def _run(self) -> None:
        state = self._state
        while True:
            with state.wake:
                # What is due depends on time as well as on events, until everything has come to rest.
                if not state.closing and due_stage(state.situation()) is None:
                    resting = state.saved and not state.rescan and not state.server_limits.problem and not state.gc.due
                    state.wake.wait(None if resting else pauses.DEBOUNCE)
                if state.closing:
                    return
                due = due_stage(state.situation())
                # Said before resting, so that what happens meanwhile is not taken for remembered.
                state.saved = state.saved or due == "rest"
            try:
                if due is not None:
                    with pinning():
                        _ACTIONS[due](state)
            except Exception as error:  # noqa: BLE001 (the session outlives what it does; the problem is named)
                state.problems["session"] = f"{type(error).__name__}: {error}"
                _log.error("the session failed: %s", type(error).__name__, exc_info=error)
                if state.options.on_failure is not None:
                    state.options.on_failure()
                time.sleep(pauses.QUIET)
            if due is not None:  # here too: who asks and edits without a pause grants no rest
                state.gc.collect_if_grown(busy=state.options.busy(), asked=not state.foreground.is_quiet())
                self._trimmer.trim_if_due()
            elif state.saved and state.foreground.is_quiet():
                state.gc.collect_and_freeze()
            with state.wake:
                state.wake.notify_all()

    # ---------------------------------------------------------------- documents

    def open(self, path: FilePath, data: bytes) -> None:
        """An editor shows a file; from now on its contents are what the editor says."""
        with self._state.wake:
            self._state.open[path] = OpenFile(path, data, provider_of(path, data))
            self._state.touch()

    def change(self, path: FilePath, data: bytes, edits: Sequence[ByteEdit] = ()) -> None:
        """An open file has other contents; `edits` lead from the earlier ones to these."""
        with self._state.wake:
            open_file = self._state.open.setdefault(path, OpenFile(path, data, provider_of(path, data)))
            open_file.change(data, edits)
            self._state.touch()

    def text_on_disk(self, path: FilePath) -> bytes | None:
        """What a file says whatever an editor shows; None for one that is not read."""
        return self._state.on_disk(path)

    def close_document(self, path: FilePath) -> None:
        """The editor no longer holds the file: the disk counts again."""
        with self._state.wake:
            closed = self._state.open.pop(path, None)
            if closed is not None:
                closed.forget()
                take_in(self._state, [path])

    @property
    def open_paths(self) -> tuple[FilePath, ...]:
        """Open files, sorted."""
        with self._state.lock:
            return tuple(sorted(self._state.open))

    def files_changed(self, paths: Collection[FilePath]) -> None:
        """Files were made, changed or deleted on disk. A folder that is gone stands for all below it."""
        state = self._state
        with state.wake:
            take_in(state, state.disk.news(state.limits, state.files, paths))

    def look(self, freshness: FreshnessMode = "prefer-fresh", patience: float | None = None) -> bool:
        """Takes in what changed on disk, and waits a bounded time (`patience` seconds) until that was read; whether
        the disk was looked at."""
        state = self._state
        if freshness == "allow-stale":
            return False
        if not state.options.look:
            return True
        with state.lock:
            at_rest = state.is_at("ready")
        look_at_disk(state, everything=freshness == "require-fresh")
        if freshness == "require-fresh":
            self.wait("ready", pauses.AT_MOST if patience is None else max(patience, pauses.AT_MOST))
        elif patience is not None or (at_rest and state.files.pending_count <= pauses.LITTLE):
            self.wait("ready", pauses.AT_ONCE if patience is None else patience)
        return True

    def looked(
        self,
        freshness: FreshnessMode,
        patience: float | None = None,
        about: FilePath | None = None,
        *,
        whole: bool = False,
    ) -> tuple[bool, Snapshot]:
        """The same, and the state right after it: nothing that comes later is pending in that, but for edits of open
        files that are slow to read. Those are waited for as long as somebody waits for an answer; those of the file
        that is asked `about`, and for what has to be `whole` or fresh all, until they are read. Who has no `patience`
        and asks about no file has the state that was shown last while many files are read; then nobody looked."""
        at_hand = freshness != "require-fresh" and not whole and about is None and patience == 0.0
        if at_hand and (shown := self._state.shown_while_reading()) is not None:
            return False, shown
        if whole or freshness == "require-fresh":
            self._state.read_slow()
        else:
            if about is not None:
                self._state.read_slow(about)
            self._state.wait_for_slow(pauses.WHILE_READING)
        with self._state.wake:
            return self.look(freshness, patience), self._state.snapshot_at_once()

    def rescan(self, *, again: bool = False) -> None:
        """Anything may have changed on disk. `again`: what could not be read or linked is tried once more."""
        with self._state.wake:
            self._state.scan_soon(now=True)
            if again:
                self._state.files.try_again()

    def read_again(self, paths: Collection[FilePath]) -> None:
        """The same of some files, whatever is known of them."""
        with self._state.wake:
            self._state.files.try_again(paths)
            take_in(self._state, paths)

    def configure(self, settings: Settings) -> None:
        """The user chose otherwise."""
        with self._state.wake:
            self._state.choose(settings)
            self._state.server_limits.settings_changed()
            self._state.scan_soon(now=True)

    # ---------------------------------------------------------------- answers

    def snapshot(self, about: FilePath | None = None) -> Snapshot:
        """The newest state. Who asks `about` one file does not wait for edits of others that are slow to read."""
        return self._state.snapshot(about)

    def snapshot_at_once(self) -> Snapshot:
        """The newest state, whatever of open files is not read yet and slow to read; it is pending."""
        return self._state.snapshot_at_once()

    def snapshot_soon(self, since: float) -> Snapshot:
        """The same, with the edits that are read in the time that an answer waits for them, from a moment of the
        monotonic clock on."""
        self._state.wait_for_slow(max(since + pauses.WHILE_READING - time.monotonic(), 0.0))
        return self._state.snapshot_at_once()

    def may_spell(self, names: Collection[str], paths: Collection[FilePath]) -> bool:
        """Whether the newest text of one of these open files, or its name, has one of some names."""
        with self._state.lock:
            shown = [self._state.open.get(path) for path in paths]
        return any(one is None or spells(one.data + b"\n" + one.path.encode(), names) for one in shown)

    def is_slow(self, about: FilePath | None = None) -> bool:
        """Whether such a snapshot waits for an open file that is slow to read. Takes no lock."""
        return bool(self._state.slow(about))

    def import_index(self, snapshot: Snapshot, index: ScipIndex) -> IndexImport:
        """Keeps what a SCIP index says of a snapshot whose files are all linked. Raises ScipError."""
        from graphls.compilers.scip_files import scip_files  # few sessions import an index
        from graphls.session.imported_files import without_imports

        snapshot = without_imports(snapshot)
        files, stale = scip_files(snapshot, index)
        services = self._state.services
        found = services.checker_service.import_index(snapshot, index, files.keys())
        services.imported_files.replace(files)
        return attrs.evolve(found, stale=tuple(sorted({*found.stale, *stale})), known=tuple(sorted(files)))

    def pack(self, snapshot: Snapshot, request: PackRequest, budget_ms: float | None = None) -> tuple[Snapshot, Pack]:
        """The code that a task needs, and the snapshot with what was settled for it."""
        return self._state.services.packs.made(snapshot, request, self.settings, budget_ms)

    def search(self, snapshot: Snapshot, query: SearchQuery) -> SearchHits:
        """What a question in words is about."""
        return self._state.services.packs.searched(snapshot, query)

    @property
    def checker_service(self) -> CheckerService:
        """What has names settled that graphls is not sure of."""
        return self._state.services.checker_service

    @property
    def comparisons(self) -> Comparisons:
        """What compares states in another process."""
        return self._state.services.comparisons

    @property
    def annotations(self) -> AnnotationSource:
        """What decisions and history say of code."""
        return self._state.services.annotations

    @property
    def verifies(self) -> bool:
        """Whether names are settled at all: who only wants to know need not load what does it."""
        return self._state.options.checker

    # ---------------------------------------------------------------- what it is and how it does

    @property
    def workspace(self) -> Workspace:
        """The folders."""
        return self._state.workspace

    @property
    def settings(self) -> Settings:
        """What the user chose last."""
        return self._state.settings

    @property
    def store(self) -> BlobStore | None:
        """Where values are kept between runs."""
        return self._state.store

    @property
    def disk(self) -> DiskObserver:
        """What watches the workspace."""
        return self._state.disk

    @property
    def foreground(self) -> ForegroundActivity:
        """Who waits for answers."""
        return self._state.foreground

    @property
    def server_limits(self) -> ServerLimits:
        """What a server may use."""
        return self._state.server_limits

    @property
    def progress(self) -> IndexProgress:
        """How far the background work is."""
        return self._state.progress

    @property
    def work(self) -> WorkCounters:
        """What was extracted and linked so far."""
        return self._state.caches.work

    @property
    def problems(self) -> dict[str, str]:
        """What went wrong in the session itself, by what failed."""
        return self._state.problems

    def worker_processes(self) -> tuple[int, ...]:
        """Ids of worker processes that run now."""
        return self._state.workers.processes()

    def report_problem(self, what: str, problem: str) -> None:
        """Something that works with this session is not as it should be; said once."""
        self._state.report_problem(what, problem)
