"""Freed memory: what the C library keeps of it, and how it goes back to the system.

Owns: the two requests to glibc's allocator: few arenas, and trimming.
Must not know: what the memory held.
Invariant: where the C library knows no such request, nothing happens.

glibc gives each thread an arena of its own and keeps what is freed there; a server with many threads then holds
several times what it uses (mallopt(3), malloc_trim(3)).
"""

from __future__ import annotations

import ctypes
import sys

_ARENA_MAX = -8
"""M_ARENA_MAX of malloc.h."""
_ARENAS = 2


def hold_few_arenas() -> None:
    """Lets all threads share a few arenas. Early: arenas that exist stay."""
    request = _request("mallopt")
    if request is not None:
        request(_ARENA_MAX, _ARENAS)


def give_back() -> bool:
    """Returns free memory to the system; whether any was."""
    request = _request("malloc_trim")
    return request is not None and bool(request(0))


def _request(name: str) -> ctypes._NamedFuncPointer | None:  # pyright: ignore[reportPrivateUsage]
    if not sys.platform.startswith("linux"):
        return None
    try:
        return getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):
        return None
