"""Nesting: how deep code may be nested and still be read with meaning.

Owns: the bound, and Python's own limit that goes with it.
Must not know: what any node means.
Invariant: a process that has loaded a grammar has room for the bound; what is nested deeper is said, never a crash.
"""

from __future__ import annotations

import sys
from typing import Final

DEPTH: Final = 400
"""Nested nodes that are read with meaning: two hundred calls in a chain, or branches behind `else`. Each may take some
six frames of Python; compiled, some 1.5 kB of a stack that has a megabyte where it is smallest."""
CHAIN: Final = DEPTH - 60
"""From here on a chain of operators is read from the innermost one out, which takes no frames for its length."""
_FRAMES: Final = 8_000


def allow_frames() -> None:
    """Lets Python nest as deep as the bound asks for; a host that allows more keeps what it has."""
    if sys.getrecursionlimit() < _FRAMES:
        sys.setrecursionlimit(_FRAMES)
