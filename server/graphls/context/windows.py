"""Windows: which lines of a long declaration to show.

Owns: the choice of lines that fit and say most about the task.
Must not know: files, ranking, budgets as a whole.
Invariant: stretches are whole lines, in order, apart from each other, and fit together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from graphls.context.terms import terms

_AROUND = 2
"""Lines shown before and after one that says something."""
_BRIDGED = 2
"""Lines that are no code which are shown rather than part two stretches."""
_COMMON = 0.7
"""How much a word loses by standing on many lines."""
_BRANCHES: Final = re.compile(r"[\s}]*(if|elif|else)\b")
_COMMENT: Final = re.compile(r"\s*(#\W|#$|//|/\*|\*/|\*\s|\*$)")
_SILENT: Final = re.compile(r"[\s)\]}>;,]*$")
"""A line that is blank or only closes what others opened."""
_QUOTES: Final = re.compile(r"\s*[rRuU]?(\"\"\"|'''|\"|')")
_BEGINNING = 3
"""Lines that are worth showing whatever they say."""


def fitting_end(lines: Sequence[str], first: int, room: int) -> int:
    """Index after the last line that fits in `room` characters, from `first` on."""
    size = -1
    for at in range(first, len(lines)):
        size += len(lines[at]) + 1
        if size > room:
            return at
    return len(lines)


def doc_end(lines: Sequence[str], first: int) -> int:
    """Index after the last line of the text in quotes that begins at `first`; 0 where none does."""
    opening = _QUOTES.match(lines[first]) if first < len(lines) else None
    if opening is None:
        return 0
    quotes, rest = opening[1], lines[first][opening.end() :]
    for at in range(first, len(lines)):
        if quotes in (rest if at == first else lines[at]):
            return at + 1
    return 0


def informative_lines(
    lines: Sequence[str], room: int, words: Mapping[str, float], inner: Collection[int] = ()
) -> list[tuple[int, int]]:
    """Start and end of the stretches, of `room` characters together, that say most.

    Lines of code whose words weigh most come first, each with some around it; then, as far as there is room, lines that
    branch, and the rest from the top, those that are no code last. `inner`: lines of functions inside, which come after
    all others.
    """
    costs = [len(line) + 2 for line in lines]
    doc_stop = doc_end(lines, 0)
    prose = {*range(doc_stop), *(at for at, line in enumerate(lines) if _COMMENT.match(line))}
    chosen: set[int] = set()
    for at in _by_worth(lines, words, prose, doc_stop):
        added = [near for near in range(max(0, at - _AROUND), min(len(lines), at + _AROUND + 1)) if near not in chosen]
        cost = sum(costs[near] for near in added)
        if cost <= room:
            chosen.update(added)
            room -= cost
    quiet = {at for at, line in enumerate(lines) if at in prose or _SILENT.match(line)}
    for at in sorted(range(len(lines)), key=lambda at: (at in inner, at in quiet, not _BRANCHES.match(lines[at]), at)):
        if at not in chosen:
            added = [at, *_bridges(at, chosen, quiet)]
            cost = sum(costs[near] for near in added)
            if cost > room:
                break
            chosen.update(added)
            room -= cost
    return [
        (first, stop)
        for first, stop in _stretches(sorted(chosen))
        if any(lines[at].strip() for at in range(first, stop))
    ]


def _bridges(at: int, chosen: Collection[int], quiet: Collection[int]) -> Iterator[int]:
    """Lines that are no code, from a line to what is chosen before and after it."""
    for step in (-1, 1):
        far = at + step
        while far in quiet and far not in chosen and abs(far - at) <= _BRIDGED:
            far += step
        if far in chosen:
            yield from range(min(at, far) + 1, max(at, far))


def _by_worth(lines: Sequence[str], words: Mapping[str, float], prose: Collection[int], doc_stop: int) -> list[int]:
    """Lines of code that say something, and those at the beginning; the most telling first.

    `prose`: lines that tell about the code. `told`: index after the text that it begins with.
    """
    found = [{term for term in terms(line) if term in words and at not in prose} for at, line in enumerate(lines)]
    spread = Counter(term for known in found for term in known)
    values = [sum(words[term] / spread[term] ** _COMMON for term in sorted(known)) for known in found]
    early = [
        value + 0.3 if at < _BEGINNING or doc_stop <= at < doc_stop + _BEGINNING else value
        for at, value in enumerate(values)
    ]
    return sorted((at for at in range(len(lines)) if early[at] > 0), key=lambda at: (-early[at], at))


def _stretches(chosen: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at in chosen:
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found
