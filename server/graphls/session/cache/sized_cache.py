"""Sized cache: the values used last, as many as fit.

Owns: order of use, the bound in bytes.
Must not know: what the values are.
Invariant: the sizes of the kept values never sum up to more than the bound, whatever threads do.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class SizedCache(Generic[K, V]):
    """Least recently used values go first. A value larger than the bound is not kept."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._size = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """The value, which is now the one used last."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keeps a value of `size` bytes."""
        with self._lock:
            self._remove(key)
            if size > self._bound:
                return
            self._entries[key] = (value, size)
            self._size += size
            self._drop_to(self._bound)

    def drop(self, key: K) -> None:
        """Forgets one value."""
        with self._lock:
            self._remove(key)

    def shrink(self, size: int) -> None:
        """Keeps the values used last, up to a size."""
        with self._lock:
            self._drop_to(size)

    @property
    def keys(self) -> tuple[K, ...]:
        """What it keeps, the value used last at the end."""
        with self._lock:
            return tuple(self._entries)

    @property
    def size(self) -> int:
        """Bytes that the kept values take."""
        return self._size

    def _drop_to(self, size: int) -> None:
        while self._size > size:
            _, (_, freed) = self._entries.popitem(last=False)
            self._size -= freed

    def _remove(self, key: K) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._size -= entry[1]
