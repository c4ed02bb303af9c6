"""Link stage: links of the whole workspace, made ahead.

Owns: what is taken over from before, from the store and from workers, in this order.
Must not know: when it runs, how one file is linked.
Invariant: ends as soon as the workspace changes; the links are those that would be made on demand.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial

from graphls.facts.paths import FilePath
from graphls.graph.snapshot_pins import pin
from graphls.languages.extract.yielding import giving_way
from graphls.session import pauses
from graphls.session.index.index_stage import show_meanwhile
from graphls.session.link.background_linking import (
    FEW_FILES,
    LinkJob,
    UnlinkedFile,
    link_here,
    load_links,
    without_links,
)
from graphls.session.link.link_entries import LinkEntry
from graphls.session.link.link_reuse import backdate_links, reuse_links
from graphls.session.process.workers import WorkerError
from graphls.session.publishing import PublishedSnapshot
from graphls.session.state import SessionState, StopTest

_log = logging.getLogger(__name__)


def link(state: SessionState) -> None:
    """Links every file that has no links."""
    state.read_slow(known_too=True)
    with state.lock:
        published = state.current()
    state.wake_checker(published.snapshot)
    stop = partial(_is_over, state, published)
    snapshot, reader = pin(published.snapshot), published.reader
    known, linked_before = reader.validation(snapshot), state.linked
    if linked_before is not None:
        reuse_links(linked_before.snapshot, linked_before.reader.entries, snapshot, reader)
    missing, stale = load_links(snapshot, reader, lambda: state.foreground.pause_for_requests() or stop(), known)
    if known is not None and state.memory is not None:
        backdate_links(known, stale, state.memory.initial, snapshot, reader)
        missing = [item for item in missing if item.shard.path not in reader.entries]
    if len(missing) <= FEW_FILES:
        with giving_way(state.options.give_way()):
            link_here(snapshot, missing, stop, partial(_is_stale, state))
    else:
        _link_in_workers(state, LinkJob(snapshot, reader, missing, stop=stop), published, stop)
    with state.wake:
        _give_up(state, state.caches.own_linking.take())
        linked = not stop()
        if linked:
            state.linked = published
            state.saved = False
            if known is not None and not known.changed and not missing:
                state.validated = snapshot.revision
        state.wake.notify_all()
    state.report_progress()
    # Nobody waits for the store. It is written here all the same: who never rests would keep all in memory.
    if state.caches.unwritten_bytes > pauses.BEHIND_WHEN_LINKED:
        state.caches.flush()
    if linked and state.options.upgrade:
        with state.lock:
            shown = tuple(sorted(state.open))
        state.services.checker_service.upgrade(snapshot, shown)


def _is_over(state: SessionState, published: PublishedSnapshot) -> bool:
    changing = state.files.altered or state.rescan or len(state.queue) > 0
    return state.closing or state.published is not published or changing or state.server_limits.is_memory_short()


def _link_in_workers(state: SessionState, job: LinkJob, published: PublishedSnapshot, stop: StopTest) -> None:
    def meanwhile() -> None:
        show_meanwhile(state)
        state.report_progress(often=True)

    state.link_job = job
    try:
        state.workers.pool().run(job, meanwhile)
    except WorkerError as error:
        state.report_lost_workers(error)
    finally:
        state.link_job = None
        with state.lock:
            _give_up(state, job.failed)
    # What workers could not do, for whatever reason, is done here.
    left = without_links(published.snapshot, published.reader, stop)
    link_here(published.snapshot, left, stop, partial(_is_stale, state))


def _give_up(state: SessionState, failed: Mapping[FilePath, LinkEntry]) -> None:
    state.files.give_up(failed)
    for path, entry in failed.items():
        _log.warning("%s cannot be linked: %s", path, entry.problem)


def _is_stale(state: SessionState, item: UnlinkedFile) -> bool:
    """Whether a file has other contents by now: what is made of these is for nothing."""
    open_file = state.open.get(item.shard.path)
    edited = open_file is not None and open_file.stale
    return state.closing or edited or state.files.shards.get(item.shard.path) is not item.shard
