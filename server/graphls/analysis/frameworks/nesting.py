"""Nesting: which of many stretches of a file is the innermost one around an offset.

Owns: stretches in the order of where they begin, which of them each stands in.
Must not know: what they are.
Invariant: a question costs no more than the depth at which stretches stand in one another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


class Nesting:
    """Stretches of one file: begin, end, and a number by which the owner knows each."""

    def __init__(self, stretches: Iterable[tuple[int, int, int]]) -> None:
        self._sorted = sorted(stretches, key=lambda one: one[0])
        self._starts = [start for start, _, _ in self._sorted]
        self._outer: list[int] = []
        """Of each the number of the last one before it in which it begins; -1 for none."""
        open_: list[int] = []
        for number, (start, _, _) in enumerate(self._sorted):
            while open_ and self._sorted[open_[-1]][1] <= start:
                open_.pop()
            self._outer.append(open_[-1] if open_ else -1)
            open_.append(number)

    def around(self, offset: int) -> int:
        """The number of the innermost one around an offset; -1 for none."""
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and self._sorted[at][1] <= offset:
            at = self._outer[at]
        return self._sorted[at][2] if at >= 0 else -1
