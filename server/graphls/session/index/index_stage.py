"""Index stage: files that wait are read, and the newest state is shown to those who wait for it.

Owns: reading in workers or here, what becomes of each outcome, telling the faces of a snapshot that nobody asked for.
Must not know: when it runs, how facts are extracted.
Invariant: a file that no worker could read is read here, or named.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from graphls.facts.paths import FilePath
from graphls.session import pauses
from graphls.session.index.indexing import FEW_FILES, ExtractJob, FileExtraction, run_here
from graphls.session.process.gc_tuning import collect_young
from graphls.session.process.workers import WorkerError
from graphls.session.publishing import drop_unpublished, load_derivation
from graphls.session.state import SessionState
from graphls.sources.read import read_source
from graphls.sources.source_files import SkippedSource, SourceText


def index(state: SessionState) -> None:
    """Reads what waits."""
    read, report = partial(_read, state), partial(_report, state)
    job = ExtractJob(state.queue, read, state.caches.facts_cache, report, state.files.quarantined)
    state.saved = False
    if len(state.queue) <= FEW_FILES:
        run_here(job, lambda: state.closing)
        return
    try:
        state.workers.pool().run(job, partial(show_meanwhile, state))
    except WorkerError as error:
        state.report_lost_workers(error)
        run_here(job, lambda: state.closing)


def show(state: SessionState) -> None:
    """Publishes, and tells the faces."""
    state.read_slow(known_too=True)
    snapshot = state.snapshot_at_once()
    state.saved = False
    state.wake_checker(snapshot)
    if state.options.on_snapshot is not None:
        state.options.on_snapshot(snapshot)
    state.caches.facts_cache.squeeze()
    collect_young()


def show_meanwhile(state: SessionState) -> None:
    """Between two batches of long work: edits are shown, and the store gets what waits for it."""
    load_derivation()
    _ = state.open and state.services.checker_service  # whoever looks at a file asks soon
    if state.caches.unwritten_bytes > pauses.MOST_BEHIND:
        state.caches.flush()
    with state.lock:
        stale = state.stale
    if stale and time.monotonic() - state.touched > pauses.DEBOUNCE:
        show(state)


def _read(state: SessionState, path: FilePath) -> SourceText | SkippedSource:
    state.caches.work.note_extracted(path)
    return read_source(state.workspace, path, state.limits)


def _report(state: SessionState, outcomes: Sequence[FileExtraction]) -> None:
    with state.wake:
        for outcome in outcomes:
            before, open_file = state.files.shards.get(outcome.ticket.path), state.open.get(outcome.ticket.path)
            if state.files.close_ticket(outcome):
                state.files.integrate(outcome, is_open=open_file is not None)
                if open_file is not None:
                    open_file.on_disk, open_file.stale = outcome.content or None, True
            drop_unpublished(outcome, before, state.files, state.published, state.caches)
        left = state.files.pending_count
        if not left:
            state.wake.notify_all()
    state.report_progress(often=left > 0)
