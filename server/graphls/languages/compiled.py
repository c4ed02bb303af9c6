"""Compiled: whether the modules that do most of the reading and linking run as native code.

Owns: that answer.
Must not know: how they are compiled (`hatch_build.py`).
Invariant: both forms give the same facts and links, byte for byte.
"""

from __future__ import annotations

from graphls.languages.resolve import cycle_guard


def compiled() -> bool:
    """Whether the modules in use are the compiled ones."""
    return not (cycle_guard.__file__ or "").endswith(".py")
