"""Implementation: what stands behind a class or a member when the program runs.

Owns: subclasses of a class, members of classes and of object literals that stand in for a member.
Must not know: LSP types, URIs.
Invariant: an answer never holds a place that the hierarchy does not reach.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.definition import Destinations, location
from graphls.queries.dispatch import members_of_objects
from graphls.queries.symbol import meaning
from graphls.queries.type_hierarchy import all_subtypes, is_class, overriding_members


def implementation(snapshot: Snapshot, path: FilePath, offset: int) -> Destinations | None:
    """Subclasses or overriding members; the thing itself when there are none."""
    found = meaning(snapshot, path, offset)
    if found is None:
        return None
    places = [behind for place in found.places for behind in implementations(snapshot, place) or (place,)]
    locations = tuple(location(snapshot, place) for place in dict.fromkeys(places))
    return Destinations(found.at, locations, found.externals)


def implementations(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """What may run in place of a class or member."""
    if is_class(snapshot, place):
        return all_subtypes(snapshot, place)
    return tuple(dict.fromkeys((*overriding_members(snapshot, place), *members_of_objects(snapshot, place))))
