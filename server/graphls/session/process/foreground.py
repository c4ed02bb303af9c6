"""Foreground: whether somebody waits for an answer, and how work ahead gives way then.

Owns: the count of answers under way, when a snapshot was last taken for one.
Must not know: protocols, what is asked, what the work ahead is.
Invariant: work ahead is held up for a bounded time at each step, and never stopped.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from graphls.graph.idle_share import IdleShare

_LATELY: Final = 0.05
_WAY: Final = 0.005
_MOST_WAYS: Final = 10
"""Seconds that work ahead waits, step by step, while answers are asked for; and how often before it takes a step."""
_PER_WORK: Final = 9.0
_LONGEST: Final = 200
"""Seconds that it waits for each second of its last step, where that is more; how often at most."""
_STRETCH: Final = 0.004
_AT_WORK: Final = 0.5
"""Seconds of work between two looks at who waits; seconds after which one who asked is taken to read."""
_QUIET: Final = 2.0
"""Seconds without a question after which what holds up every thread for a while is least likely to be noticed."""


_TURN: Final = 0.0005


def take_short_turns() -> None:
    """Has threads of this process hold the interpreter for a short time each, so that an answer does not wait for
    work ahead: one that reads from disk gives its turn away with each read. For servers."""
    sys.setswitchinterval(_TURN)


class ForegroundActivity:
    """Safe to use from any thread."""

    def __init__(self, busy: Callable[[], bool]) -> None:
        """`busy`: whether a face that keeps count itself has requests without an answer."""
        self._busy = busy
        self._lock = threading.Lock()
        self._under_way = 0
        self._last = 0.0
        self._steps = threading.local()

    def note(self) -> None:
        """Somebody took a snapshot, or edits."""
        self._last = time.monotonic()

    @contextmanager
    def answering(self) -> Generator[None]:
        """While somebody waits for an answer of which `busy` does not know."""
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def pacer(self) -> Callable[[], None]:
        """What work of seconds, for which nobody waits, calls between its steps. While somebody types or asks, it has
        little of the processor, also between two questions: the next one comes without a sign. Else it has
        its share."""
        due, share = 0.0, IdleShare()

        def step() -> None:
            nonlocal due
            if time.monotonic() >= due:
                if time.monotonic() - self._last < _AT_WORK:
                    time.sleep(_MOST_WAYS * _WAY)
                self.pause_for_requests()
                if (rest := share.pause()) > 0:
                    time.sleep(rest)
                due = time.monotonic() + _STRETCH

        return step

    def is_answering(self) -> bool:
        """Whether somebody waits for an answer."""
        return bool(self._under_way) or self._busy()

    def is_quiet(self) -> bool:
        """Whether nobody waits for an answer, and nobody asked or edited lately."""
        return not self.is_answering() and time.monotonic() - self._last > _QUIET

    def pause_for_requests(self) -> bool:
        """Leaves room for whoever asks at this moment; never a reason to stop. A step that took long waits in
        proportion before the next: beside a request of seconds, work ahead has a tenth of the interpreter."""
        if time.monotonic() - self._last < _LATELY:
            time.sleep(_WAY)
        now = time.thread_time()
        worked = now - getattr(self._steps, "ended", now)
        for _ in range(min(max(_MOST_WAYS, int(worked * _PER_WORK / _WAY)), _LONGEST)):
            if not self.is_answering():
                break
            time.sleep(_WAY)
        self._steps.ended = time.thread_time()
        return False
