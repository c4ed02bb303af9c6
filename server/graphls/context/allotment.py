"""Allotment: how much of a budget each declaration gets.

Owns: the trade between more of a likely declaration and a little of a less likely one.
Must not know: text, files, how declarations were ranked.
Invariant: the parts together never exceed the room; a likelier declaration of the same size never gets less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from graphls.context.weights import Weights

_STEPS = 48
_LOW, _HIGH = 1e-12, 10.0


def allot(scores: Sequence[float], sizes: Sequence[int], room: int, weights: Weights) -> list[int]:
    """Tokens for each declaration, best first; 0 for those that are not worth a beginning.

    Showing m of n tokens of a declaration is worth its likelihood times (m / n) to the power `shown`. All parts end
    where one more token is worth the same everywhere, so a price for a token decides them all; it is searched for.
    """
    if not scores:
        return []
    likely = [math.exp(weights.sharpness * (score - scores[0])) for score in scores]
    low, high = _LOW, _HIGH
    for _ in range(_STEPS):
        price = math.sqrt(low * high)
        if sum(_parts(likely, sizes, price, weights)) > room:
            low = price
        else:
            high = price
    parts = _parts(likely, sizes, high, weights)
    return [int(part) for part in parts] if sum(parts) <= room else [0] * len(sizes)


def _parts(likely: Sequence[float], sizes: Sequence[int], price: float, weights: Weights) -> list[float]:
    power = min(weights.shown, 0.99)
    found: list[float] = []
    for chance, size in zip(likely, sizes, strict=True):
        part = min((chance * power * size**-power / price) ** (1 / (1 - power)), size)
        found.append(part if part >= min(size, weights.least) else 0.0)
    return found
