"""Windows: which lines of a long declaration to show.

Owns: the choice of lines that fit and say most about the task.
Must not know: files, ranking, budgets as a whole.
Invariant: stretches are whole lines, in order, apart from each other, and fit together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from graphls.context.terms import terms

_AROUND = 2
"""Lines shown before and after one that says something."""
_COMMON = 0.7
"""How much a word loses by standing on many lines."""
_BEGINNING = 3
"""Lines that are worth showing whatever they say."""


def fitting(lines: Sequence[str], first: int, room: int) -> int:
    """Index after the last line that fits in `room` characters, from `first` on."""
    size = -1
    for at in range(first, len(lines)):
        size += len(lines[at]) + 1
        if size > room:
            return at
    return len(lines)


def telling(lines: Sequence[str], room: int, words: Mapping[str, float]) -> list[tuple[int, int]]:
    """Start and end of the stretches, of `room` characters together, whose words weigh most."""
    costs = [len(line) + 2 for line in lines]
    chosen: set[int] = set()
    for at in _by_worth(lines, words):
        added = [near for near in range(max(0, at - _AROUND), min(len(lines), at + _AROUND + 1)) if near not in chosen]
        cost = sum(costs[near] for near in added)
        if cost <= room:
            chosen.update(added)
            room -= cost
    for at in range(len(lines)):
        if at not in chosen:
            if costs[at] > room:
                break
            chosen.add(at)
            room -= costs[at]
    return [
        (first, stop)
        for first, stop in _stretches(sorted(chosen))
        if any(lines[at].strip() for at in range(first, stop))
    ]


def _by_worth(lines: Sequence[str], words: Mapping[str, float]) -> list[int]:
    """Lines that say something, and those at the beginning; the most telling first."""
    found = [{term for term in terms(line) if term in words} for line in lines]
    spread = Counter(term for known in found for term in known)
    values = [sum(words[term] / spread[term] ** _COMMON for term in sorted(known)) for known in found]
    early = [value + 0.3 if at < _BEGINNING else value for at, value in enumerate(values)]
    return sorted((at for at in range(len(lines)) if early[at] > 0), key=lambda at: (-early[at], at))


def _stretches(chosen: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at in chosen:
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found
