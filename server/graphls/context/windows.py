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

_AROUND: Final = (7, 4, 1)
"""Lines shown before and after one that says something: an edit needs about five; fewer where there is less room."""
_MOST_WINDOWS: Final = 2
"""Windows besides the beginning: more would be shreds."""
_COMMON: Final = 0.7
"""How much a word loses by standing on many lines."""
_OWN: Final = 0.3
"""What the words of a line itself count, over those of the lines around it."""
_FADING: Final = 0.09
"""How much a word loses with every line that parts it from the middle of a window."""
_EARLY: Final = 0.1
"""What the first lines are worth, whatever they say."""
_COMMENT: Final = re.compile(r"\s*(#\W|#$|//|/\*|\*/|\*\s|\*$)")
_QUOTES: Final = re.compile(r"\s*[rRuU]?(\"\"\"|'''|\"|')")
_BEGINNING: Final = 4


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

    A few windows around the lines whose neighbourhood says most, each wide enough to edit what stands in its middle;
    then they grow at their ends, as does the beginning. `inner`: lines of functions inside, which come after all
    others.
    """
    costs, hidden = [len(line) + 2 for line in lines], frozenset(inner)
    values = _values(lines, words, hidden)
    chosen: set[int] = set()
    windows = 0
    for at in sorted((at for at in range(len(lines)) if values[at] > 0), key=lambda at: (-values[at], at)):
        if windows == _MOST_WINDOWS:
            break
        added = () if at in chosen else _window(at, chosen, costs, room, hidden)
        chosen.update(added)
        room -= sum(costs[near] for near in added)
        windows += bool(added)
    _grow(chosen, values, costs, room, hidden)
    return [
        (start, stop)
        for start, stop in _stretches(sorted(chosen))
        if any(lines[at].strip() for at in range(start, stop))
    ]


def _window(at: int, chosen: Collection[int], costs: Sequence[int], room: int, inner: Collection[int]) -> list[int]:
    """The lines around one that are not there yet, as many as fit; bodies inside only where the line is in one."""
    for around in _AROUND:
        first, stop = max(0, at - around), min(len(costs), at + around + 1)
        added = [near for near in range(first, stop) if near not in chosen and (near not in inner or at in inner)]
        if sum(costs[near] for near in added) <= room:
            return added
    return []


def _grow(chosen: set[int], values: Sequence[float], costs: Sequence[int], room: int, inner: Collection[int]) -> None:
    """Lengthen the beginning and every stretch by the line at an end that says most, as long as it fits."""
    while True:
        ends = {at for line in (-1, *chosen) for at in (line - 1, line + 1) if 0 <= at < len(costs)} - chosen
        best = min((at for at in ends if costs[at] <= room), key=lambda at: (at in inner, -values[at], at), default=-1)
        if best < 0:
            return
        chosen.add(best)
        room -= costs[best]


def _values(lines: Sequence[str], words: Mapping[str, float], inner: Collection[int]) -> list[float]:
    """What the lines around each say: every word counts once, where it is nearest. Prose about code says nothing."""
    doc_stop = doc_end(lines, 0)
    prose = {*range(doc_stop), *(at for at, line in enumerate(lines) if _COMMENT.match(line))}
    found = [{term for term in terms(line) if term in words and at not in prose} for at, line in enumerate(lines)]
    spread = Counter(term for known in found for term in known)
    worth = {term: words[term] / count**_COMMON for term, count in spread.items()}
    own = [sum(worth[term] for term in sorted(known)) for known in found]
    most = max(own, default=0.0) or 1.0
    around = [0.0] * len(lines)
    for term, value in sorted(worth.items()):
        at_term = [at for at, known in enumerate(found) if term in known]
        for at, near in _nearest(at_term, len(lines)):
            around[at] += value * (1 - _FADING * near)
    return [
        (_OWN * own[at] + (1 - _OWN) * around[at]) / most
        + (_EARLY if doc_stop <= at < doc_stop + _BEGINNING and at not in inner else 0.0)
        for at in range(len(lines))
    ]


def _nearest(places: Sequence[int], count: int) -> Iterator[tuple[int, int]]:
    """Lines that have one of these within a window, each with how far the nearest is."""
    for number, place in enumerate(places):
        first = max(0, place - _AROUND[0], 0 if not number else (places[number - 1] + place) // 2 + 1)
        last = min(
            count - 1, place + _AROUND[0], count if number + 1 == len(places) else (place + places[number + 1]) // 2
        )
        for at in range(first, last + 1):
            yield at, abs(at - place)


def _stretches(chosen: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at in chosen:
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found
