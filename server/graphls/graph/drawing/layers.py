"""Layers: a place for every box and line: what points at something stands before it.

Owns: turning cycles, ranks, order inside a rank, places; the steps of Sugiyama, Tagawa and Toda.
Must not know: colours, text, what boxes stand for.
Invariant: boxes and labels never overlap; a function of sizes and pairs alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import attrs

_SWEEPS = 12
_SHIFTS = 8
_WIDEST = 9
_THREAD = 4.0
"""Room that a line takes where it passes other boxes."""


@attrs.frozen
class Size:
    """`along` the direction of the layers, and `across` it."""

    along: float
    across: float


@attrs.frozen
class LayerPoint:
    """A middle."""

    along: float
    across: float


@attrs.frozen
class Gaps:
    """Between ranks and between neighbours of a rank."""

    ranks: float = 30.0
    neighbours: float = 16.0


@attrs.frozen
class LayeredLayout:
    """Middles of boxes by id; for each pair the middle of its label, and where it passes ranks, from source to target.

    A line passes a rank at a middle, straight for as far to both sides as the number beside it.
    """

    boxes: Mapping[str, LayerPoint]
    halves: Mapping[str, float]
    """By box, half the depth of its rank: as far a line runs straight before it bends."""
    lines: Mapping[tuple[str, str], tuple[tuple[LayerPoint, float], ...]]
    labels: Mapping[tuple[str, str], LayerPoint]
    along: float
    across: float


Pair = tuple[str, str]
_Part = tuple[str, str, int]
_Item = str | _Part
"""A box, or the part of a line in one rank."""


def layered_layout(boxes: Mapping[str, Size], labels: Mapping[Pair, Size], gaps: Gaps) -> LayeredLayout:
    """Places for boxes and for the pairs that `labels` names; a pair without a label has one of no size."""
    pairs = [pair for pair in labels if pair[0] != pair[1]]
    forward = break_cycles(boxes, pairs)
    ranks = {box: 2 * rank for box, rank in _ranks(boxes, list(forward.values())).items()}
    chains = {pair: _chain(pair, ranks, forward[pair]) for pair in pairs}
    sizes: dict[_Item, Size] = {**boxes}
    middles: dict[Pair, _Item] = {}
    for pair, chain in chains.items():
        middles[pair] = middle = chain[len(chain) // 2]
        sizes.update(dict.fromkeys(chain, Size(0, _THREAD)))
        sizes[middle] = Size(labels[pair].along, max(labels[pair].across, _THREAD))
    rows = _rows(ranks, chains, forward)
    links = _links(chains, forward)
    _order(rows, links)
    across = _across(rows, links, sizes, gaps)
    along, length = _along(rows, sizes, gaps)
    points = {item: LayerPoint(along[rank][0], across[item]) for rank, row in enumerate(rows) for item in row}
    passed = {item: (points[item], along[item[2]][1]) for chain in chains.values() for item in chain}
    back = {pair for pair in pairs if forward[pair] != pair}
    return LayeredLayout(
        boxes={box: points[box] for box in boxes},
        halves={box: along[rank][1] for box, rank in ranks.items()},
        lines={pair: tuple(passed[item] for item in chains[pair][:: -1 if pair in back else 1]) for pair in pairs},
        labels={pair: points[middles[pair]] for pair in pairs},
        along=length,
        across=max((across[item] + sizes[item].across / 2 for item in points), default=0.0),
    )


def break_cycles(boxes: Iterable[str], pairs: Sequence[Pair]) -> dict[Pair, Pair]:
    """Each pair, turned round where it points back in an order with few such pairs (Eades, Lin and Smyth)."""
    after: dict[str, set[str]] = {box: set() for box in boxes}
    before: dict[str, set[str]] = {box: set() for box in after}
    for source, target in pairs:
        after[source].add(target)
        before[target].add(source)
    first: list[str] = []
    last: list[str] = []
    left = list(after)
    while left:
        end = next((box for box in left if not after[box]), None)
        box = end or max(left, key=lambda box: (not before[box], len(after[box]) - len(before[box])))
        (last if end else first).append(box)
        left.remove(box)
        for other in after[box]:
            before[other].discard(box)
        for other in before[box]:
            after[other].discard(box)
    place = {box: at for at, box in enumerate((*first, *reversed(last)))}
    return {pair: pair if place[pair[0]] < place[pair[1]] else (pair[1], pair[0]) for pair in pairs}


def _ranks(boxes: Mapping[str, Size], pairs: Sequence[Pair]) -> dict[str, int]:
    """The longest way from a beginning; then a box without one stands right before the nearest that it points at."""
    after: dict[str, list[str]] = {box: [] for box in boxes}
    before: dict[str, int] = dict.fromkeys(boxes, 0)
    for source, target in pairs:
        after[source].append(target)
        before[target] += 1
    begins = [box for box in boxes if not before[box]]
    ranks = dict.fromkeys(boxes, 0)
    ready = list(begins)
    while ready:
        box = ready.pop()
        for other in after[box]:
            ranks[other] = max(ranks[other], ranks[box] + 1)
            before[other] -= 1
            if not before[other]:
                ready.append(other)
    for box in begins:
        if after[box]:
            ranks[box] = min(ranks[other] for other in after[box]) - 1
    return _narrow_ranks(ranks, begins)


def _narrow_ranks(ranks: Mapping[str, int], begins: Sequence[str]) -> dict[str, int]:
    """Boxes that nothing points at may stand anywhere before: ranks that are too wide give them to the one before."""
    found = dict(ranks)
    crowd = Counter(found.values())
    for rank in range(max(crowd, default=0), -len(begins), -1):
        movable = [box for box in begins if found[box] == rank]
        for box in movable[: max(crowd[rank] - _WIDEST, 0)]:
            found[box] = rank - 1
            crowd.update({rank: -1, rank - 1: 1})
    least = min(found.values(), default=0)
    return {box: rank - least for box, rank in found.items()}


def _chain(pair: Pair, ranks: Mapping[str, int], forward: Pair) -> tuple[_Part, ...]:
    first, last = ranks[forward[0]], ranks[forward[1]]
    return tuple((*pair, rank) for rank in range(first + 1, last))


def _rows(
    ranks: Mapping[str, int], chains: Mapping[Pair, Sequence[_Part]], forward: Mapping[Pair, Pair]
) -> list[list[_Item]]:
    rows: list[list[_Item]] = [[] for _ in range(max(ranks.values(), default=0) + 1)]
    for box, rank in ranks.items():
        rows[rank].append(box)
    for pair, chain in chains.items():
        for step, item in enumerate(chain, ranks[forward[pair][0]] + 1):
            rows[step].append(item)
    return rows


_Links = tuple[dict[_Item, list[_Item]], dict[_Item, list[_Item]]]
"""Neighbours in the rank before, and in the one after."""


def _links(chains: Mapping[Pair, Sequence[_Part]], forward: Mapping[Pair, Pair]) -> _Links:
    before: dict[_Item, list[_Item]] = {}
    after: dict[_Item, list[_Item]] = {}
    for pair, chain in chains.items():
        source, target = forward[pair]
        way: list[_Item] = [source, *chain, target]
        for one, other in pairwise(way):
            after.setdefault(one, []).append(other)
            before.setdefault(other, []).append(one)
    return before, after


def _order(rows: list[list[_Item]], links: _Links) -> None:
    """Each rank by the mean place of its neighbours, forth and back; the order with the fewest crossings stays."""
    best, fewest = [list(row) for row in rows], _crossings(rows, links[1])
    for sweep in range(_SWEEPS):
        forth = sweep % 2 == 0
        numbers = range(1, len(rows)) if forth else range(len(rows) - 2, -1, -1)
        near = links[0] if forth else links[1]
        for number in numbers:
            places = {item: place for place, item in enumerate(rows[number - 1 if forth else number + 1])}
            own = {item: place for place, item in enumerate(rows[number])}
            rows[number].sort(key=lambda item: (_mean([places[at] for at in near.get(item, ())], own[item]), own[item]))
        crossings = _crossings(rows, links[1])
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
        if not fewest:
            break
    for row, best_row in zip(rows, best, strict=True):
        row[:] = best_row


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(rows: Sequence[Sequence[_Item]], after: Mapping[_Item, Sequence[_Item]]) -> int:
    """Pairs of lines between neighbouring ranks that cross, counted with a tree of sums."""
    crossings = 0
    for upper, lower in pairwise(rows):
        places = {item: place for place, item in enumerate(lower)}
        ends = [place for item in upper for place in sorted(places[other] for other in after.get(item, ()))]
        sums = [0] * (len(lower) + 1)
        for seen, end in enumerate(ends):
            at, not_beyond = end + 1, 0
            while at:
                not_beyond += sums[at]
                at &= at - 1
            crossings += seen - not_beyond
            at = end + 1
            while at <= len(lower):
                sums[at] += 1
                at += at & -at
    return crossings


def _across(
    rows: Sequence[Sequence[_Item]], links: _Links, sizes: Mapping[_Item, Size], gaps: Gaps
) -> dict[_Item, float]:
    """Every item as near to the middle of its neighbours as order and room allow."""
    places: dict[_Item, float] = {}
    for row in rows:
        places.update(_fit_row(row, [0.0] * len(row), sizes, gaps))
    for shift in range(_SHIFTS):
        forth = shift % 2 == 0
        near = links[0] if forth else links[1]
        for row in rows if forth else reversed(rows):
            targets = [_mean([places[other] for other in near.get(item, ())], places[item]) for item in row]
            places.update(_fit_row(row, targets, sizes, gaps))
    least = min((places[item] - sizes[item].across / 2 for item in places), default=0.0)
    return {item: round(place - least, 1) for item, place in places.items()}


def _fit_row(
    row: Sequence[_Item], targets: Sequence[float], sizes: Mapping[_Item, Size], gaps: Gaps
) -> dict[_Item, float]:
    """Places in the given order, nearest to the wanted ones by least squares: neighbours that collide share a shift."""
    offsets: list[float] = []
    at = 0.0
    for number, item in enumerate(row):
        if number:
            thread = isinstance(item, tuple) or isinstance(row[number - 1], tuple)
            at += (sizes[row[number - 1]].across + sizes[item].across) / 2
            at += gaps.neighbours / 2 if thread else gaps.neighbours
        offsets.append(at)
    groups: list[tuple[float, int]] = []
    for want, offset in zip(targets, offsets, strict=True):
        total, count = want - offset, 1
        while groups and groups[-1][0] / groups[-1][1] > total / count:
            before = groups.pop()
            total, count = total + before[0], count + before[1]
        groups.append((total, count))
    shifts = [total / count for total, count in groups for _ in range(count)]
    return {item: offset + shift for item, offset, shift in zip(row, offsets, shifts, strict=True)}


_Deep = tuple[float, float]
"""Middle and half depth of a rank."""


def _along(rows: Sequence[Sequence[_Item]], sizes: Mapping[_Item, Size], gaps: Gaps) -> tuple[list[_Deep], float]:
    """Every rank, and the length of all."""
    middles: list[_Deep] = []
    at = 0.0
    for number, row in enumerate(rows):
        deep = max((sizes[item].along for item in row), default=0.0)
        at += gaps.ranks if number else 0.0
        middles.append((round(at + deep / 2, 1), deep / 2))
        at += deep
    return middles, round(at, 1)
