"""Yielding: where compiled code lets other threads have the interpreter.

Owns: the one function that does so.
Must not know: who calls it, who waits.
Invariant: never compiled. Compiled code keeps the interpreter's lock until it is done; the interpreter looks at each
    call of a Python function whether another thread waits, and that costs next to nothing where none does.
"""

from __future__ import annotations


def yield_now() -> None:
    """Lets a thread that waits run, as `std::thread::yield_now` does: called every few hundred steps of long work."""
