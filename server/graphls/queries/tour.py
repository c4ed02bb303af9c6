"""Tour: what to read first in a workspace or a part of it.

Owns: the order of stops, what each is good for.
Must not know: how imports are resolved, records, protocols.
Invariant: a stop is shown once, under the first reason that holds for it; where runs begin and what is offered takes no
    links, and of files whose imports say by themselves what they mean the same holds for what many import.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import attrs

from graphls.graph.made_by_tool import comes_last
from graphls.graph.nodes import is_test_file
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage
from graphls.queries.summary import MAX_LISTED, summary
from graphls.queries.symbol_lookup import find_symbol

Why = Literal["entry point", "public name", "imported by many", "used by many"]
MAX_LIMIT = 200
_PART: Final = 0.85
"""Of a request, up to which names are looked up."""


@attrs.frozen
class ReadingItem:
    """One thing to read, and why. `count`: of modules that import it, where that is the reason."""

    place: SymbolRef
    why: Why
    count: int


@attrs.frozen
class Tour:
    """Where a run begins, then what everything rests on, then what is offered to others."""

    stops: tuple[ReadingItem, ...]
    coverage: Coverage


def tour(snapshot: Snapshot, scope: str = "", limit: int = 40) -> Tour:
    """What to read first."""
    stops: dict[SymbolRef, ReadingItem] = {}
    for stop in _reading_items(snapshot, scope, linked=True):
        stops.setdefault(stop.place, stop)
    count = min(max(limit, 1), MAX_LIMIT)
    omitted = max(len(stops) - count, 0)
    return Tour(tuple(stops.values())[:count], Coverage(truncated=omitted > 0, omitted=omitted, empty=not stops))


def entry_points(snapshot: Snapshot, scope: str = "") -> tuple[ReadingItem, ...]:
    """Where runs begin, and what is offered to others."""
    stops: dict[SymbolRef, ReadingItem] = {}
    for stop in _reading_items(snapshot, scope, linked=False):
        stops.setdefault(stop.place, stop)
    return tuple(stop for stop in list(stops.values())[:MAX_LIMIT] if stop.why in ("entry point", "public name"))


def _reading_items(snapshot: Snapshot, scope: str, *, linked: bool) -> Iterator[ReadingItem]:
    found = summary(snapshot, scope, linked=linked)
    for name in found.entry_points:
        yield from (ReadingItem(place, "entry point", 0) for place in _places(snapshot, name))
    many = [
        ReadingItem(place, _is_rested_on(snapshot, place), counted.count)
        for counted in found.most_imported
        for place in _places(snapshot, counted.name)[:1]
    ]
    yield from sorted(many, key=lambda one: (comes_last(snapshot, one.place.file), -one.count))[:MAX_LISTED]
    for name in found.public_api:
        yield from (ReadingItem(place, "public name", 0) for place in _places(snapshot, name)[:1])


def _is_rested_on(snapshot: Snapshot, place: SymbolRef) -> Why:
    known = snapshot.capabilities(place.file)
    return "imported by many" if known is None or known.imports_name_files else "used by many"


def _places(snapshot: Snapshot, name: str) -> list[SymbolRef]:
    """Those of a name; none where a request has no more time for it, which the answer says."""
    if is_spent_to(_PART):
        return []
    return [place for place in find_symbol(snapshot, name) if not is_test_file(place.file)]
