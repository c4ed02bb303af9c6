"""Snapshot pins: who reads a snapshot, and when the values of one that was replaced go.

Owns: the snapshots that work under way has taken, those that were replaced meanwhile.
Must not know: what work that is, what values there are, who makes snapshots.
Invariant: values go once, as soon as a snapshot is both replaced and read by nobody who pinned it.

Values that a snapshot carries refer back to it. Without this only a look at all objects would find that nobody needs
either; each edit leaves one behind. Who reads without a pin computes again what is gone, with equal values.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator, Mapping
from contextvars import ContextVar
from typing import Final, TypeAlias

from graphls.graph.memo import carried_values, drop_values, trim_values
from graphls.graph.snapshot import Snapshot

_Values: TypeAlias = Mapping[str, object]


class _Pins:
    """What one piece of work has pinned."""

    def __init__(self) -> None:
        self.values: dict[int, _Values] = {}
        """By identity. Snapshots with the same contents share one."""


_PINS: Final[ContextVar[_Pins | None]] = ContextVar("graphls_snapshot_pins", default=None)


class _Retirement:
    """The pins of a process. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pinned: dict[int, int] = {}
        self._retired: dict[int, Callable[[], None]] = {}

    def pin(self, pins: _Pins, values: _Values) -> None:
        with self._lock:
            if id(values) not in pins.values:
                pins.values[id(values)] = values
                self._pinned[id(values)] = self._pinned.get(id(values), 0) + 1

    def release(self, pins: _Pins) -> None:
        with self._lock:
            gone = [drop for one in pins.values if (drop := self._unpinned(one)) is not None]
        for drop in gone:
            drop()

    def _unpinned(self, one: int) -> Callable[[], None] | None:
        left = self._pinned.pop(one) - 1
        if left:
            self._pinned[one] = left
            return None
        return self._retired.pop(one, None)

    def retire(self, values: _Values, drop: Callable[[], None]) -> None:
        with self._lock:
            if id(values) in self._pinned:
                self._retired[id(values)] = drop
                return
        drop()


_RETIREMENT: Final = _Retirement()


@contextlib.contextmanager
def pinning() -> Generator[None]:
    """Within this, what this thread pins stays as it is. At its end what files carry is what fits."""
    pins = _Pins()
    token = _PINS.set(pins)
    try:
        yield
    finally:
        _PINS.reset(token)
        _RETIREMENT.release(pins)
        trim_values()


def pin(snapshot: Snapshot) -> Snapshot:
    """The same snapshot, which the work of this thread reads from now on."""
    pins = _PINS.get()
    if pins is not None:
        _RETIREMENT.pin(pins, carried_values(snapshot))
    return snapshot


def retire(snapshot: Snapshot, then: Callable[[], None] = lambda: None) -> None:
    """Another one has taken its place: its values go when nobody reads it, and `then` is called."""

    def drop() -> None:
        drop_values(snapshot)
        then()

    _RETIREMENT.retire(carried_values(snapshot), drop)


def pin_alone(snapshot: Snapshot, then: Callable[[], None] = lambda: None) -> Snapshot:
    """The same snapshot, which was made for the work of this thread alone: its values go when that ends."""
    pin(snapshot)
    retire(snapshot, then)
    return snapshot
