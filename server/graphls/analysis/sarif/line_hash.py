"""Line hash: the fingerprint `primaryLocationLineHash`, as code scanning services compute it.

Owns: the rolling hash over the hundred characters that begin at a line.
Must not know: findings, logs.
Invariant: spaces, tabs and the kind of line ends change nothing; equal lines are told apart by their order.

The algorithm is the one of the open source action that uploads SARIF logs to GitHub, so that both give one value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

_BLOCK: Final = 100
_FACTOR: Final = 37
_MASK: Final = (1 << 64) - 1
_END: Final = 65535


def line_hashes(text: str) -> Mapping[int, str]:
    """Line from 1 -> its hash with its number among equal ones, as `3bd7c0f3e04bfa4b:1`."""
    letters, starts = _letters(text)
    highest = pow(_FACTOR, _BLOCK, 1 << 64)
    padded = [*letters, _END, *([0] * _BLOCK)]
    sums = [0]
    for letter in padded:
        sums.append((sums[-1] * _FACTOR + letter) & _MASK)
    seen: Counter[str] = Counter()
    found: dict[int, str] = {}
    for line, start in enumerate(starts, 1):
        value = f"{(sums[start + _BLOCK] - highest * sums[start]) & _MASK:x}"
        seen[value] += 1
        found[line] = f"{value}:{seen[value]}"
    return found


def _letters(text: str) -> tuple[list[int], list[int]]:
    """UTF-16 units without spaces and tabs, every line end as one LF, and where each line begins among them."""
    letters: list[int] = []
    starts = [0]
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        units = line.replace(" ", "").replace("\t", "").encode("utf-16-le", "surrogatepass")
        letters += memoryview(units).cast("H")
        letters.append(10)
        starts.append(len(letters))
    letters.pop()
    starts.pop()
    return letters, starts
