"""Status while reading: who asks how far a large workspace is waits for nobody who works on it.

Owns: what is answered while another thread holds the session's lock.
Must not know: the protocol, how files are read.
Invariant: what is not shown yet is named as pending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from graphls.graph.snapshot import Snapshot
from graphls.session import pauses, publishing
from graphls.session.session import Session, SessionOptions
from graphls.session.state import SessionState
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from increment.session_folder import PATIENCE, key

MANY = [key(f"d{number}/m.py") for number in range(pauses.MANY + 1)]
T = TypeVar("T")


def test_who_asks_how_far_reading_is_waits_for_no_lock(tmp_path: Path) -> None:
    """It took over four seconds in a folder of 200,000 files: who takes in such a walk holds the lock."""
    session = _session(tmp_path)
    first = session.snapshot_at_once()
    assert first.pending == (publishing.EVERYTHING,)
    seen = _beside_the_lock(session, lambda: session.looked("prefer-fresh", 0.0))
    assert seen == (False, first), "before the walk is taken in"
    state = _state(session)
    state.unlisted = state.rescan = False
    state.enqueue([(path, 1) for path in MANY])
    listed = session.snapshot_at_once()
    assert listed.pending == tuple(sorted(MANY))
    session.open(MANY[0], b"x = 1\n")
    state.files.tickets([(MANY[1], 2)])  # a state would have to be made
    looked, shown = _beside_the_lock(session, lambda: session.looked("prefer-fresh", 0.0))
    assert not looked
    assert (shown.revision, shown.pending) == (listed.revision, listed.pending)
    assert _beside_the_lock(session, lambda: session.progress).stage == "indexing"


def test_who_asks_about_a_file_that_is_shown_waits_for_no_lock_either(tmp_path: Path) -> None:
    """An edited one is read first, whatever else is."""
    session = _session(tmp_path)
    state = _state(session)
    state.unlisted = state.rescan = False
    state.enqueue([(path, 1) for path in MANY])
    session.open(MANY[0], b"x = 1\n")
    shown = session.snapshot(MANY[0])
    assert MANY[0] in shown.shards
    state.files.tickets([(MANY[1], 2)])
    assert _beside_the_lock(session, lambda: session.snapshot(MANY[0])).revision == shown.revision
    session.change(MANY[0], b"y = 1\n", [])
    now: Snapshot = session.snapshot(MANY[0])
    assert now.shards[MANY[0]].content != shown.shards[MANY[0]].content


def _session(root: Path) -> Session:
    """A session that nothing works for: its thread is not begun."""
    return Session(Workspace.of([str(root)]), Settings(), None, SessionOptions(look=True))


def _state(session: Session) -> SessionState:
    return session._state  # pyright: ignore[reportPrivateUsage]


def _beside_the_lock(session: Session, ask: Callable[[], T]) -> T:
    """What is answered while another thread holds the lock."""
    over = threading.Event()
    held = threading.Event()

    def hold() -> None:
        with _state(session).lock:
            held.set()
            over.wait(PATIENCE)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert held.wait(PATIENCE)
        with ThreadPoolExecutor(1) as asker:
            future = asker.submit(ask)
            try:
                return future.result(PATIENCE / 2)
            finally:
                over.set()
    finally:
        over.set()
        holder.join()
