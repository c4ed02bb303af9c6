"""Call hierarchy: who calls a callable, and what it calls.

Owns: grouping of call sites by the callable around them and by what they mean.
Must not know: LSP types, URIs.
Invariant: every call is a `calls` or `instantiates` link; code outside callables counts for its module.
"""

from __future__ import annotations

import attrs

from graphls.facts.columns import NONE
from graphls.facts.kinds import EdgeKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Place, Snapshot
from graphls.queries.references import CALLING, references
from graphls.queries.rows import CALLABLE, TYPES, callable_around, rows_between
from graphls.queries.symbol import canonical, meaning


@attrs.frozen
class Site:
    """Where one call stands."""

    file: FilePath
    start: int
    end: int
    confidence: float


@attrs.frozen
class Calls:
    """Calls between the asked callable and one other; `sites` in source order."""

    place: Place
    sites: tuple[Site, ...]


@attrs.frozen
class Callers:
    """Incoming calls, with the number of calls of that name that no rule resolves."""

    calls: tuple[Calls, ...]
    unresolved_sites: int


def prepare(snapshot: Snapshot, path: FilePath, offset: int) -> tuple[Place, ...]:
    """The callables and classes that the name at an offset means."""
    found = meaning(snapshot, path, offset)
    return () if found is None else tuple(place for place in found.places if _is_callable(snapshot, place))


def callers(snapshot: Snapshot, place: Place) -> Callers:
    """Who calls a place."""
    found = references(snapshot, place)
    groups: dict[Place, list[Site]] = {}
    for use in found.uses:
        if use.edge in CALLING:
            around = callable_around(snapshot.facts(use.file), use.owner)
            site = Site(use.file, use.start, use.end, use.confidence)
            groups.setdefault(canonical(snapshot, Place(use.file, around)), []).append(site)
    calls = tuple(Calls(who, tuple(sites)) for who, sites in groups.items())
    return Callers(calls, found.unresolved_sites)


def callees(snapshot: Snapshot, place: Place) -> tuple[Calls, ...]:
    """What a place calls, in order of the first call. Places outside the workspace are left out."""
    facts, links = snapshot.facts(place.file), snapshot.links(place.file)
    uses = facts.occurrences
    groups: dict[Place, list[Site]] = {}
    inside = _uses_inside(snapshot, place)
    for row, use in enumerate(links.targets.occurrence):
        if use not in inside or EdgeKind(links.targets.edge[row]) not in CALLING:
            continue
        target = snapshot.target(place.file, links, row)
        if target.place is not None and callable_around(facts, uses.owner[use]) == place.definition:
            site = Site(place.file, uses.start[use], uses.end[use], target.confidence)
            groups.setdefault(canonical(snapshot, target.place), []).append(site)
    return tuple(Calls(callee, tuple(sites)) for callee, sites in groups.items())


def _uses_inside(snapshot: Snapshot, place: Place) -> range:
    uses = snapshot.facts(place.file).occurrences
    if place.definition == NONE:
        return range(len(uses))
    rows = snapshot.facts(place.file).definitions
    return rows_between(uses.start, rows.full_start[place.definition], rows.full_end[place.definition])


def _is_callable(snapshot: Snapshot, place: Place) -> bool:
    if place.definition == NONE:
        return False
    kind = snapshot.facts(place.file).definitions.kind[place.definition]
    return kind in CALLABLE or kind in TYPES
