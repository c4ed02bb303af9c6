"""Spool: many lines, put in order without keeping them as they are.

Owns: buckets by key, packed while they wait, sorted when they are read.
Must not know: what the lines are, the disk.
Invariant: the order that comes out depends on the lines alone, not on the order in which they came.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

_CHUNK = 1 << 15
# Rows are short and alike: more effort takes several times as long for a tenth less.
_EFFORT = 1


class Spool:
    """Rows of text, without line ends, that come out sorted. The first `width` characters choose the bucket."""

    def __init__(self, skip: int = 0, width: int = 0) -> None:
        self._skip = skip
        self._width = width
        self._waiting: dict[str, list[str]] = {}
        self._size: dict[str, int] = {}
        self._packed: dict[str, list[bytes]] = {}
        self.count = 0

    def add(self, row: str) -> None:
        """One row more."""
        key = row[self._skip : self._skip + self._width]
        self.count += 1
        rows = self._waiting.get(key)
        if rows is None:
            rows = self._waiting[key] = []
            self._size[key] = 0
        rows.append(row)
        self._size[key] += len(row)
        if self._size[key] >= _CHUNK:
            self._pack(key)

    def in_order(self) -> Iterator[str]:
        """All rows as they came, bucket by bucket."""
        for key in sorted(self._waiting):
            yield from self._bucket(key)

    def sorted(self) -> Iterator[str]:
        """All rows, sorted."""
        for key in sorted(self._waiting):
            yield from sorted(self._bucket(key))

    def _pack(self, key: str) -> None:
        data = "\n".join(self._waiting[key]).encode("utf-8", "surrogatepass")
        self._packed.setdefault(key, []).append(zlib.compress(data, _EFFORT))
        self._waiting[key] = []
        self._size[key] = 0

    def _bucket(self, key: str) -> Iterator[str]:
        for chunk in self._packed.get(key, ()):
            yield from zlib.decompress(chunk).decode("utf-8", "surrogatepass").split("\n")
        yield from self._waiting[key]
