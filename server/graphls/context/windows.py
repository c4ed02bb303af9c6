"""Windows: which lines of a long declaration to show.

Owns: the choice of a stretch of lines that fits and says most about the task.
Must not know: files, ranking, budgets as a whole.
Invariant: a stretch is whole lines and fits; the beginning is preferred unless another part says clearly more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from graphls.context.terms import terms

_CLEARLY = 1.5


def fitting(lines: Sequence[str], first: int, room: int) -> int:
    """Index after the last line that fits in `room` characters, from `first` on."""
    size = -1
    for at in range(first, len(lines)):
        size += len(lines[at]) + 1
        if size > room:
            return at
    return len(lines)


def window(lines: Sequence[str], room: int, words: Mapping[str, float]) -> tuple[int, int]:
    """Start and end of the stretch of at most `room` characters whose words weigh most."""
    values = _values(lines, words)
    best = (0, fitting(lines, 0, room))
    most = sum(values[: best[1]]) * _CLEARLY
    first, size, value = 0, -1, 0.0
    for at, line in enumerate(lines):
        size += len(line) + 1
        value += values[at]
        while size > room and first <= at:
            size -= len(lines[first]) + 1
            value -= values[first]
            first += 1
        if value > most + 1e-9 and first <= at:
            best, most = (first, at + 1), value
    return _centred(lines, best, room)


def _values(lines: Sequence[str], words: Mapping[str, float]) -> list[float]:
    """What each line says: its words of the task, those that stand on few lines more than others."""
    found = [{term for term in terms(line) if term in words} for line in lines]
    spread = Counter(term for known in found for term in known)
    return [sum(words[term] / spread[term] for term in sorted(known)) for known in found]


def _centred(lines: Sequence[str], best: tuple[int, int], room: int) -> tuple[int, int]:
    """The same stretch with as many lines after it as still fit: what follows explains what was found."""
    first, _ = best
    return first, max(best[1], fitting(lines, first, room))
