"""Name index: which of many files mention a name, without looking at each.

Owns: buckets of files by a part of the numbers of their names.
Must not know: snapshots, where names come from.
Invariant: the answer is what looking at the names of each file gives.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from graphls.facts.paths import FilePath

MOST_NAMES: Final = 6_000_000
"""Names of all files together; of more an index would cost more memory than the time that it saves."""
_BUCKETS: Final = 1 << 16


class NameIndex:
    """Sorted numbers of the names of each file, by path in order."""

    def __init__(self, names: Mapping[FilePath, Sequence[int]]) -> None:
        self._paths = list(names)
        self._names = list(names.values())
        self._buckets: dict[int, array[int]] = {}
        buckets, mask = self._buckets, _BUCKETS - 1
        for file, numbers in enumerate(self._names):
            for number in numbers:
                bucket = buckets.get(number & mask)
                if bucket is None:
                    bucket = buckets[number & mask] = array("I")
                bucket.append(file)

    def files(self, number: int) -> list[FilePath]:
        """Files that mention a name, in order of path."""
        found: list[FilePath] = []
        last = -1
        for file in self._buckets.get(number & (_BUCKETS - 1), ()):
            if file == last:
                continue
            last, numbers = file, self._names[file]
            at = bisect_left(numbers, number)
            if at < len(numbers) and numbers[at] == number:
                found.append(self._paths[file])
        return found
