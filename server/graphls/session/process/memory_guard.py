"""Memory guard: keeps the server's own process below a limit of memory.

Owns: when memory is looked at, when what can be made again is dropped, whether the process is short of it.
Must not know: what is dropped, who is answered.
Invariant: it drops nothing again before memory has grown; who is short of memory is so until a look says otherwise.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from graphls.sources.programs import own_resident_bytes

_NEAR: Final = 0.85
_GROWN: Final = 0.03
"""Parts of the limit: from where on things are dropped, and by how much memory grows until that is done once more."""
_EVERY: Final = 0.2
"""Seconds between two looks."""


class MemoryGuard:
    """Safe to use from any thread."""

    def __init__(
        self,
        limit: Callable[[], int],
        drop: Callable[[], None],
        used: Callable[[], int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`limit`: bytes, 0 for none. `drop`: gives back what can be made again."""
        self._limit, self._drop, self._clock = limit, drop, clock
        self._used = used or own_resident_bytes
        self._looking = threading.Lock()
        self._next = 0.0
        self._left = 0
        """What was in use after the last drop."""
        self.drops = 0
        self._short = False

    @property
    def limit(self) -> int:
        """Bytes that the process may use; 0: no limit."""
        return self._limit()

    @property
    def used(self) -> int:
        """Bytes that the process uses now; 0 where the system does not tell."""
        return self._used()

    def is_short(self) -> bool:
        """Whether memory is at the limit though all was dropped that can be. Looks now and then."""
        if self._clock() >= self._next and self._looking.acquire(blocking=False):
            try:
                self._look()
                self._next = self._clock() + _EVERY
            finally:
                self._looking.release()
        return self._short

    def look_soon(self) -> None:
        """The next question is answered by a look."""
        self._next = 0.0

    def _look(self) -> None:
        limit = self._limit()
        used = self._used() if limit else 0
        if used < limit * _NEAR or not limit:
            self._left, self._short = 0, False
            return
        if used >= self._left + limit * _GROWN:
            self._drop()
            self.drops += 1
            self._left = used = self._used()
        self._short = used >= limit
