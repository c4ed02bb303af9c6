"""Tour: what to read first in a workspace or a part of it.

Owns: the order of stops, what each is good for.
Must not know: links (nothing is resolved for a tour), records, protocols.
Invariant: a stop is shown once, under the first reason that holds for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import attrs

from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import Place, Snapshot
from graphls.queries.answer import Coverage
from graphls.queries.named import find_symbol
from graphls.queries.summary import summary

Why = Literal["entry point", "public name", "imported by many"]
MAX_LIMIT = 200


@attrs.frozen
class Stop:
    """One thing to read, and why. `count`: of modules that import it, where that is the reason."""

    place: Place
    why: Why
    count: int


@attrs.frozen
class Tour:
    """Where a run begins, then what everything rests on, then what is offered to others."""

    stops: tuple[Stop, ...]
    coverage: Coverage


def tour(snapshot: Snapshot, scope: str = "", limit: int = 40) -> Tour:
    """What to read first."""
    stops: dict[Place, Stop] = {}
    for stop in _stops(snapshot, scope):
        stops.setdefault(stop.place, stop)
    shown = min(max(limit, 1), MAX_LIMIT)
    omitted = max(len(stops) - shown, 0)
    return Tour(tuple(stops.values())[:shown], Coverage(truncated=omitted > 0, omitted=omitted))


def entry_points(snapshot: Snapshot, scope: str = "") -> tuple[Stop, ...]:
    """Where runs begin, and what is offered to others."""
    return tuple(stop for stop in tour(snapshot, scope, MAX_LIMIT).stops if stop.why != "imported by many")


def _stops(snapshot: Snapshot, scope: str) -> Iterator[Stop]:
    found = summary(snapshot, scope)
    for name in found.entry_points:
        yield from (Stop(place, "entry point", 0) for place in _places(snapshot, name))
    for counted in found.most_imported:
        yield from (Stop(place, "imported by many", counted.count) for place in _places(snapshot, counted.name)[:1])
    for name in found.public_api:
        yield from (Stop(place, "public name", 0) for place in _places(snapshot, name)[:1])


def _places(snapshot: Snapshot, name: str) -> list[Place]:
    return [place for place in find_symbol(snapshot, name) if not is_test_file(place.file)]
