"""Allotment: how much of a budget each declaration gets.

Owns: the trade between all of a likely declaration, a part of it, its head, and other declarations.
Must not know: text, files, how declarations were ranked.
Invariant: the parts together never exceed the room; a part is the whole, a window that is worth reading, or a head.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import attrs

from graphls.context.weights import Weights

HEAD: Final = 30
"""Tokens that the head of a declaration takes, about."""
_WINDOWS: Final = (0.2, 0.35, 0.5, 0.7)
"""The parts of a long declaration that may be shown."""
_LONGEST: Final = 250
"""Tokens up to which a declaration is shown whole or as a head only."""
_NAMED, _SITE, _EDIT = 0.35, 0.6, 1.0
"""What it is worth to know that a declaration is there, to see a line that will change, to see enough to edit it."""
_USUAL: Final = 2_000
"""Tokens of the smallest budget that is as choosy as its size says."""
_SITE_POWER: Final = 0.37
"""A part of a declaration shows the line that matters as often as the part to this power: a third does in 2 of 3."""
_WINDOWED: Final = 1.3
"""Items that a head with windows is, about."""
_Step: TypeAlias = tuple[float, int, int]
"""What a token more is worth (negative, so that the best comes first), number of the declaration, tokens in all."""


@attrs.frozen
class _Form:
    """What a declaration may be shown as: tokens, tokens with what an item costs besides, what it is worth."""

    size: int
    cost: float
    worth: float


def allot(scores: Sequence[float], sizes: Sequence[int], room: int, weights: Weights) -> list[int]:
    """Tokens for each declaration, best first; 0 for those that are not shown.

    Every declaration has forms: its head, windows of it, the whole. The steps from one to the next are taken by what
    they are worth for a token, as long as they fit. Each item costs some tokens besides its text, so that few large
    ones come before many small ones.
    """
    parts = [0] * len(sizes)
    closed: set[int] = set()
    left = room
    for _, at, size in sorted(_steps(scores, sizes, room, weights)):
        more = size - parts[at]
        if at in closed or more <= 0:
            continue
        if more > left:
            closed.add(at)
            continue
        left -= more
        parts[at] = size
    for at, part in enumerate(parts):
        if left <= 0:
            break
        # Room that no form fits in: the best take more of what they have.
        if HEAD < part < sizes[at] or (part < sizes[at] and at == 0):
            parts[at] = min(sizes[at], part + left)
            left -= parts[at] - part
    return parts


def likelihoods(scores: Sequence[float], weights: Weights) -> list[float]:
    """How likely each is to be needed; together they are 1."""
    found = [
        math.exp(weights.sharpness * (score - scores[0])) / rank**weights.rank for rank, score in enumerate(scores, 1)
    ]
    whole = sum(found)
    return [chance / whole for chance in found]


def _steps(scores: Sequence[float], sizes: Sequence[int], room: int, weights: Weights) -> Iterator[_Step]:
    unlikely = weights.unlikely if sum(sizes) > room else 0.0
    for at, (chance, size) in enumerate(zip(likelihoods(scores, weights) if scores else (), sizes, strict=True)):
        if chance * max(room, _USUAL) < unlikely:
            continue
        here, forms = _Form(0, 0.0, 0.0), list(_forms(size, room, weights))
        while forms:
            # The best next form; those between are worth less for a token, so they are left out.
            gains = [_gain(here, form) for form in forms]
            best = gains.index(max(gains))
            yield -chance * gains[best], at, forms[best].size
            here, forms = forms[best], forms[best + 1 :]


def _gain(here: _Form, there: _Form) -> float:
    """What a token more is worth on the way from one form to the next."""
    return (there.worth - here.worth) / (there.cost - here.cost)


def _forms(size: int, room: int, weights: Weights) -> Iterator[_Form]:
    """What a declaration may be shown as, the smallest first."""
    if size > 1.5 * HEAD:
        yield _Form(HEAD, HEAD + weights.item, _NAMED)
    for part in _WINDOWS if size > _LONGEST else ():
        shown = int(size * part)
        if room * weights.least <= shown <= room * weights.part:
            worth = _NAMED + _SITE * part**_SITE_POWER + _EDIT * part
            yield _Form(shown, shown + _WINDOWED * weights.item, worth)
    if size <= room * weights.part:
        yield _Form(size, size + weights.item, _NAMED + _SITE + _EDIT)
