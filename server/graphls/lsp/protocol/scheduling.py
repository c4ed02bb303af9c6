"""Scheduling: which request runs next, and how one learns that it is not wanted any more.

Owns: four lanes of one worker thread each (editor requests, those that wait for an open file to be read, long ones,
    background work), priorities, cancel tokens.
Must not know: JSON-RPC, methods, the session, what a job does.
Invariant: jobs of one lane never overlap; equal priorities run in the order they came; a job never runs on the loop;
    no request queues behind background work, which gives way to requests and so would hold up those behind it;
    no job of the editor lane waits for a file.
"""

from __future__ import annotations

import itertools
import logging
import queue
import threading
from collections.abc import Callable
from typing import Literal

from graphls.lsp.protocol.errors import Cancelled

Kind = Literal["quick", "read", "slow", "long", "loop"]
Lane = Literal["editor", "slow", "long", "background"]
Job = Callable[[], None]

_log = logging.getLogger(__name__)


class MustWait(Exception):
    """Raised by a job of the editor lane that would wait for an open file to be read: it belongs into another lane."""


class CancelToken:
    """Set from any thread, once; polled by the handler."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Whether the result is still wanted."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Say that it is not."""
        self._event.set()

    def check(self) -> None:
        """Leave the handler if the result is not wanted. Call it every few milliseconds of work."""
        if self._event.is_set():
            raise Cancelled

    def wait(self, seconds: float) -> bool:
        """Sleep, or wake up early and answer True when cancelled."""
        return self._event.wait(seconds)


class Scheduler:
    """Runs jobs off the loop. `quick` before `read` in one lane; `slow` and `long` have a lane each, and so has the
    work for which nobody waits."""

    def __init__(self) -> None:
        names: tuple[Lane, ...] = ("editor", "slow", "long", "background")
        self._lanes = {name: _WorkQueue(name) for name in names}

    def submit(self, kind: Kind, job: Job) -> None:
        """Queue a request, or what is as short as one."""
        lane = self._lanes[kind if kind in ("slow", "long") else "editor"]
        lane.put(0 if kind == "quick" else 1, job)

    def submit_background(self, job: Job) -> None:
        """Queue work for which nobody waits; it should give way to requests between its steps."""
        self._lanes["background"].put(1, job)

    def close(self) -> None:
        """Run nothing more. What runs now is not waited for: its thread ends with the process."""
        for lane in self._lanes.values():
            lane.close()


class _WorkQueue:
    def __init__(self, name: str) -> None:
        self._name = name
        self._order = itertools.count()
        self._jobs: queue.PriorityQueue[tuple[int, int, Job | None]] = queue.PriorityQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._closed = False

    def put(self, priority: int, job: Job) -> None:
        with self._starting:
            # Timers put as well as the loop does: with a second thread jobs would overlap.
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"graphls-{self._name}", daemon=True)
                self._thread.start()
        self._jobs.put((priority, next(self._order), job))

    def close(self) -> None:
        self._closed = True
        self._jobs.put((-1, next(self._order), None))

    def _work(self) -> None:
        while not self._closed:
            job = self._jobs.get()[2]
            if job is None:
                return
            try:
                job()
            except Exception:  # noqa: BLE001 - the lane outlives its jobs
                _log.exception("a job of the %s lane failed", self._name)
