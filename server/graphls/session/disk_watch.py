"""Disk watch: a session that takes in what changes on disk, whoever asks.

Owns: waiting for the word of the system, a watcher where the system does not tell of everything.
Must not know: clients, what a change means.
Invariant: every change ends in the session as changed files or a rescan; a watch that is worse than it could be is a
    problem of the session.

What a question looks at and what the watch waits for is one queue (`sources/inotify.py`): two watchers of one folder
would not agree on what is left out, and on the names of folders that were moved.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from graphls.session.session import Session
from graphls.sources.limits import SourceLimits
from graphls.sources.watch import WatchOptions, watch

_PAUSE = WatchOptions().debounce_ms / 1_000


async def watch_disk(
    session: Session, stop: asyncio.Event, changed: Callable[[], None] = lambda: None, *, alone: bool = True
) -> None:
    """Until `stop` is set. `changed`: called after something was taken in. `alone`: nobody else tells of changes."""
    while session.disk.exact:
        await session.disk.wait(stop)
        with contextlib.suppress(TimeoutError):  # many changes mostly come together
            await asyncio.wait_for(stop.wait(), _PAUSE)
        if stop.is_set():
            return
        await asyncio.to_thread(session.look, "prefer-fresh", 0.0)
        changed()
    if not alone:
        return
    begun = False
    async for changes in watch(session.workspace, lambda: SourceLimits.of(session.settings.files), stop):
        if changes.degraded:
            session.report_problem("watching", changes.degraded)
        if stop.is_set():
            return
        if changes.rescan or not begun:  # what happened before the watch began is not in it
            session.rescan()
        elif changes.changed or changes.deleted:
            session.files_changed((*changes.changed, *changes.deleted))
        begun = True
        changed()
