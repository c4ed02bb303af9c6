"""Scheduling: which request runs next, and how one learns that it is not wanted any more.

Owns: five lanes of one worker thread each (requests about one place, lists, those that wait for an open file to be
    read, long ones, background work), cancel tokens.
Must not know: JSON-RPC, methods, the session, what a job does.
Invariant: jobs of one lane never overlap and run in the order they came; a job never runs on the loop; a hover does not
    queue behind a list that goes through many files;
    no request queues behind background work, which gives way to requests and so would hold up those behind it;
    neither of the first two lanes waits for a file.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Final, Literal

from graphls.graph.snapshot_pins import pinning
from graphls.lsp.protocol.errors import Cancelled

Kind = Literal["quick", "read", "slow", "long", "loop"]
Lane = Literal["quick", "read", "slow", "long", "background"]
Job = Callable[[], None]
_WAY: Final = 0.005
_MOST_WAYS: Final = 40
_STRETCH: Final = 0.004
"""Seconds that a long request waits, step by step, while short ones are answered, and how often before it goes on;
seconds of its work between two looks."""

_log = logging.getLogger(__name__)


class MustWait(Exception):
    """Raised by a job of the first two lanes that would wait for an open file to be read: its place is another lane."""


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
    """Runs jobs off the loop. Each kind of request has a lane, and so has the work for which nobody waits."""

    def __init__(self) -> None:
        names: tuple[Lane, ...] = ("quick", "read", "slow", "long", "background")
        self._lanes = {name: _WorkQueue(name) for name in names}

    def submit(self, kind: Kind, job: Job) -> None:
        """Queue a request, or what is as short as one."""
        self._lanes["quick" if kind == "loop" else kind].put(job)

    def submit_background(self, job: Job) -> None:
        """Queue work for which nobody waits; it should give way to requests between its steps."""
        self._lanes["background"].put(job)

    def give_way(self, cancel: CancelToken, unanswered: Callable[[], bool] = lambda: False) -> Callable[[], None]:
        """What work of seconds or minutes calls between its steps: it waits while a job of the short lanes is done, or
        its answer is on its way (`unanswered`). Of each only for a bounded time: such a job may itself wait for what
        the caller is about to make."""
        short = self._lanes["quick"], self._lanes["read"]
        due, waited_for = 0.0, (-1, -1)

        def step() -> None:
            nonlocal due, waited_for
            if time.monotonic() < due or cancel.cancelled:
                return
            jobs = waited_for
            for _ in range(_MOST_WAYS):
                jobs = (short[0].begun, short[1].begun)
                at_work = any(lane.is_at_work() for lane in short) or unanswered()
                if jobs == waited_for or not at_work or cancel.wait(_WAY):
                    break
            else:
                waited_for = jobs
            due = time.monotonic() + _STRETCH

        return step

    def close(self) -> None:
        """Run nothing more. What runs now is not waited for: its thread ends with the process."""
        for lane in self._lanes.values():
            lane.close()


class _WorkQueue:
    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._closed = self._runs = False
        self.begun = 0
        """Jobs so far."""

    def is_at_work(self) -> bool:
        """Whether a job runs or is next."""
        return self._runs or not self._jobs.empty()

    def put(self, job: Job) -> None:
        with self._starting:
            # Timers put as well as the loop does: with a second thread jobs would overlap.
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"graphls-{self._name}", daemon=True)
                self._thread.start()
        self._jobs.put(job)

    def close(self) -> None:
        self._closed = True
        self._jobs.put(None)

    def _work(self) -> None:
        while not self._closed:
            job = self._jobs.get()
            if job is None or self._closed:
                return
            self.begun, self._runs = self.begun + 1, True
            try:
                with pinning():
                    job()
            except Exception:  # noqa: BLE001 - the lane outlives its jobs
                _log.exception("a job of the %s lane failed", self._name)
            self._runs = False
            del job  # the next one may be long in coming
