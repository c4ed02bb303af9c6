"""Governing decisions: why the code that a pack shows is as it is.

Owns: which decisions are named, what a name costs.
Must not know: how decisions are found, output formats.
Invariant: a decision that is named governs an item; the names never cost more than their room.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from graphls.analysis.decisions import Decision, decisions, governing
from graphls.context.packing import row_cost
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef


@attrs.frozen(kw_only=True)
class PackDecision:
    """A decision that governs items: their numbers in the list of items, from 0. `tokens`: those of this row."""

    file: FilePath
    line: int
    title: str
    status: str
    items: tuple[int, ...]
    tokens: int


def governing_decisions(snapshot: Snapshot, shown: Mapping[SymbolRef, int], room: int) -> tuple[PackDecision, ...]:
    """Those that govern what is shown, of the best items first. `shown`: the number of each declaration's item."""
    return tuple(_fitting(snapshot, shown, room))


def _fitting(snapshot: Snapshot, shown: Mapping[SymbolRef, int], room: int) -> Iterator[PackDecision]:
    known = decisions(snapshot, frozenset(place.file for place in shown))
    items: dict[str, dict[int, None]] = {}
    found: dict[str, Decision] = {}
    for place, number in sorted(shown.items(), key=lambda pair: (pair[1], pair[0].definition)) if known else ():
        for one in governing(snapshot, known, place):
            found[one.id] = one
            items.setdefault(one.id, {})[number] = None
    for identity, one in found.items():
        line = (snapshot.text(one.file) or b"").count(b"\n", 0, one.start) + 1
        numbers = tuple(items[identity])
        cost = row_cost(one.file, line, f":{one.title} {one.status}", numbers)
        if cost > room:
            return
        room -= cost
        yield PackDecision(file=one.file, line=line, title=one.title, status=one.status, items=numbers, tokens=cost)
