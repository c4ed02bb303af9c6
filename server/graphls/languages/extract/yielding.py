"""Yielding: where long work lets other threads have the interpreter.

Owns: the one function that does so, what it does besides where whoever began the work says so, tables that go in
    portions.
Must not know: who calls it, who waits.
Invariant: never compiled. Compiled code keeps the interpreter's lock until it is done; the interpreter looks at each
    call of a Python function whether another thread waits, and that costs next to nothing where none does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Final, Protocol

PORTION: Final = 2_048
"""Rows, or entries, that go at once: some milliseconds where much hangs on each."""
_GIVING_WAY: Final[ContextVar[Callable[[], None] | None]] = ContextVar("graphls_giving_way", default=None)


def yield_now() -> None:
    """Lets a thread that waits run, as `std::thread::yield_now` does: called every few hundred steps of long work."""
    step = _GIVING_WAY.get()
    if step is not None:
        step()


@contextlib.contextmanager
def giving_way(step: Callable[[], None]) -> Generator[None]:
    """Within this, work of this thread calls `step` at each turn, which may wait for a moment: of two threads that take
    turns, an answer would else have half of the time. For work that holds no lock."""
    before = _GIVING_WAY.set(step)
    try:
        yield
    finally:
        _GIVING_WAY.reset(before)


class Rows(Protocol):
    """A list of whatever."""

    def __len__(self) -> int: ...

    def __delitem__(self, key: slice, /) -> None: ...

    def clear(self) -> None:
        """Takes all away."""
        ...


class Entries(Protocol):
    """A dictionary of whatever."""

    def __len__(self) -> int: ...

    def popitem(self) -> object:
        """Takes one away."""
        ...

    def clear(self) -> None:
        """Takes all away."""
        ...


def release_rows(*tables: Rows) -> None:
    """Empties tables that nobody needs any more. What goes in one piece keeps the interpreter's lock until the last
    row of it is gone, half a second for what a text of two megabytes leads to: between two portions the interpreter
    looks whether another thread waits, as at every jump back. Waits for nobody, so that what holds a lock may do it."""
    for rows in tables:
        while len(rows) > PORTION:
            del rows[-PORTION:]
        rows.clear()


def release_entries(*tables: Entries) -> None:
    """The same of dictionaries."""
    for entries in tables:
        while len(entries) > PORTION:
            entries.popitem()
        entries.clear()
