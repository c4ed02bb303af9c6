"""Rest stage: what is done while nothing is asked for.

Owns: letting go of processes, checking open files against scratch, writing the store, preparing first questions.
Must not know: when it runs.
Invariant: an answer is the same whether any of this was done or not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from graphls.graph.idle_share import IdleShare
from graphls.graph.snapshot import Revision
from graphls.graph.snapshot_pins import pin
from graphls.session import pauses
from graphls.session.cache.framework_cache import MANY_DERIVED, store_derived
from graphls.session.documents.buffers import apply_reparse
from graphls.session.documents.open_files import OpenFile
from graphls.session.index.extraction import encoded
from graphls.session.link.validation_stamp import store_validation
from graphls.session.process.malloc_trimming import trim_heap
from graphls.session.publishing import PublishedSnapshot
from graphls.session.state import SessionState

CALLS_AT_ONCE: Final = 60.0
"""Seconds of work in which calls by flow are found without a rest: once they are, the store has them."""


def rest(state: SessionState) -> None:
    """Lets go of processes, checks trees, writes down what is known."""
    state.workers.release()
    with state.lock:
        unsettled = [open_file for open_file in state.open.values() if open_file.needs_reparse]
    for open_file in unsettled:
        _reparse(state, open_file)
    save(state)
    trim_heap()


def save(state: SessionState) -> None:
    """Writes down what is known."""
    if state.store is None:
        return
    state.caches.flush()
    with state.lock:
        stamps = dict(state.files.stamps)
        listed, linked, published = not state.unlisted, state.linked, state.published
    if state.memory is None:
        return
    if listed:
        state.memory.store(stamps)
    if published is not None and state.closing:
        store_derived(published.snapshot, state.store, state.memory.workspace)
    # In between, single links are tested where others took their place.
    if linked is not None and (state.validated is None or state.closing) and state.validated != _revision(linked):
        store_validation(linked.snapshot, linked.reader.entries, state.store, state.memory.workspace)
        state.validated = linked.snapshot.revision


def prefetch(state: SessionState) -> None:
    """What is known is safe: does what first questions would have to do."""
    with state.lock:
        published, touched = state.published, state.touched
        # Said before: what fails once is not tried again and again.
        state.prefetched = _revision(published)

    def stop() -> bool:
        changed = state.published is not published or state.touched != touched
        return state.closing or changed or len(state.queue) > 0

    if published is not None:
        from graphls.session.prefetch import Prefetch  # nobody waits now: whoever starts does without it

        snapshot, service, share = pin(published.snapshot), state.services, IdleShare()

        def give_way() -> bool:
            state.foreground.pause_for_requests()
            while share.pause() > 0 and not stop():
                time.sleep(pauses.SHORT_REST)
            return stop()

        verified = service.checker_service.verified_in_background(snapshot) if state.options.checker else None
        calm = _calm(state, stop) if state.options.look else None
        Prefetch(snapshot, state.caches, give_way, calm, state.options.give_way()).run(verified)
        if state.store is not None and state.memory is not None:
            store_derived(snapshot, state.store, state.memory.workspace, MANY_DERIVED)
    if stop():
        state.prefetched = None


def _calm(state: SessionState, stop: Callable[[], bool]) -> Callable[[], bool]:
    """Waits until there is time to find all calls by flow; whether to go on. The first time of a session that is at
    once, then while nobody edits: the next edit makes it worthless."""
    is_first, share = state.calls_share is None, state.calls_share or IdleShare(CALLS_AT_ONCE)
    state.calls_share = share
    share.resume()

    def calm() -> bool:
        state.foreground.pause_for_requests()
        while not stop() and (share.pause() > 0 or not (is_first or time.monotonic() - state.touched > pauses.CALM)):
            time.sleep(pauses.SHORT_REST)
        return not stop()

    return calm


def _revision(published: PublishedSnapshot | None) -> Revision | None:
    return None if published is None else published.snapshot.revision


def _reparse(state: SessionState, open_file: OpenFile) -> None:
    fresh = open_file.reparse()
    made = None if fresh is None else encoded(fresh.facts, fresh.surface)
    with state.lock:
        if fresh is not None and made is not None and state.open.get(open_file.path) is open_file:
            apply_reparse(open_file, fresh, made, state.files, state.caches)
            state.remembered.note(open_file)
