"""Name numbers: 64 bits that stand for a name.

Owns: the hash of a name, the same on every machine and in every run.
Must not know: where names come from, who looks them up.
Invariant: equal names have equal numbers.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

_REMEMBERED = 20_000
"""Few names beyond these are met again soon, and who types makes new ones for as long as the process lives."""


@lru_cache(_REMEMBERED)
def name_number(name: str) -> int:
    """64 bits that stand for a name, on every machine alike."""
    return hashed_name(name)


def hashed_name(name: str) -> int:
    """The same without remembering it."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
