"""Malloc trimming: what the C library keeps of it, and how it goes back to the system.

Owns: the requests to glibc's allocator: few arenas, large blocks apart, trimming; how often who never rests trims.
Must not know: what the memory held.
Invariant: where the C library knows no such request, nothing happens.

glibc gives each thread an arena of its own and keeps what is freed there; a server with many threads then holds
several times what it uses (mallopt(3), malloc_trim(3)).
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

_ARENA_MAX = -8
"""M_ARENA_MAX of malloc.h."""
_ARENAS = 2
_MMAP_THRESHOLD = -3
"""M_MMAP_THRESHOLD of malloc.h."""
_LARGE = 256 * 1024
"""Bytes of a block that has pages of its own, which go back at once. Without this glibc takes larger and larger blocks
from among the small ones, up to 32 MB, and the gaps that they leave fill up with what stays."""

_EVERY = 20.0
"""Seconds between two trims of a session that never rests. One takes some milliseconds."""


def limit_arenas() -> None:
    """Lets all threads share a few arenas, and keeps large blocks out of them. Early: arenas that exist stay."""
    request = _request("mallopt")
    if request is not None:
        request(_ARENA_MAX, _ARENAS)
        request(_MMAP_THRESHOLD, _LARGE)


def trim_heap() -> bool:
    """Returns free memory to the system; whether any was."""
    request = _request("malloc_trim")
    return request is not None and bool(request(0))


class MallocTrimmer:
    """Gives back now and then, whatever goes on: between much that stays, what is freed would stay as well."""

    def __init__(self, give: Callable[[], bool] = trim_heap, clock: Callable[[], float] = time.monotonic) -> None:
        self._give, self._clock = give, clock
        self._last = clock()

    def trim_if_due(self) -> bool:
        """Whether it was time, and memory went back."""
        now = self._clock()
        if now - self._last < _EVERY:
            return False
        self._last = now
        return self._give()


def _request(name: str) -> ctypes._NamedFuncPointer | None:  # pyright: ignore[reportPrivateUsage]
    if not sys.platform.startswith("linux"):
        return None
    try:
        return getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):
        return None
