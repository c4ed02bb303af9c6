"""Ranges: which of many stretches of a text holds at an offset, without looking at each.

Owns: the first of several ranges that covers an offset, rows that begin before one.
Must not know: what ranges stand for.
Invariant: the same answer as looking at them one by one, in the order that they are given in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Final, final

FEW: Final = 8
"""So many are looked at one by one."""


@final
class FirstCover:
    """Ranges `(start, end, value)`; each holds for offsets from `start` on and before `end`."""

    def __init__(self, ranges: list[tuple[int, int, int]]) -> None:
        self._ranges = ranges
        self._starts: list[int] = []
        self._values: list[int] = []

    def at(self, offset: int) -> int:
        """The value of the first range that covers an offset, -1 for none."""
        if len(self._ranges) > FEW:
            if not self._starts:
                self._sweep()
            place = bisect_right(self._starts, offset) - 1
            return self._values[place] if place >= 0 else -1
        for start, end, value in self._ranges:
            if start <= offset < end:
                return value
        return -1

    def _sweep(self) -> None:
        """From offset to offset where the answer may change: the value from there on."""
        order = sorted(range(len(self._ranges)), key=lambda one: self._ranges[one][0])
        offsets = sorted({edge for start, end, _ in self._ranges for edge in (start, end)})
        open_ranges: list[int] = []
        next_ = 0
        for offset in offsets:
            while next_ < len(order) and self._ranges[order[next_]][0] <= offset:
                heappush(open_ranges, order[next_])
                next_ += 1
            while open_ranges and self._ranges[open_ranges[0]][1] <= offset:
                heappop(open_ranges)
            self._starts.append(offset)
            self._values.append(self._ranges[open_ranges[0]][2] if open_ranges else -1)


def rows_begun(starts: Sequence[int], rows: Sequence[int], offset: int) -> int:
    """How many of some rows, in the order of their starts, begin at an offset or before it."""
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if starts[rows[middle]] <= offset:
            low = middle + 1
        else:
            high = middle
    return low
