"""Stub names: the name under which the stub of a module is found, whether or not a source has the module's name.

Owns: that name.
Must not know: files, who asks.
Invariant: no import can spell it, and no part of it is the name of a package.
"""

from __future__ import annotations


def stub_name(dotted: str) -> str:
    """For the stub of a module of this name."""
    return f"{dotted.replace('.', '/')}:stub"
