"""Type definition: the classes that the value behind a name is an instance of.

Owns: the choice between inferred types, annotations and the class itself.
Must not know: how types are inferred, LSP types.
Invariant: only classes that a resolver states; no guess from names.
"""

from __future__ import annotations

from graphls.facts.columns import NONE
from graphls.facts.kinds import EdgeKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.definition import Destinations, location
from graphls.queries.rows import TYPES, rows_between
from graphls.queries.symbol import canonical, meaning, symbol


def type_definition(snapshot: Snapshot, path: FilePath, offset: int) -> Destinations | None:
    """Classes behind the name at an offset; None where no name is."""
    found = meaning(snapshot, path, offset)
    if found is None:
        return None
    use = found.at.occurrence
    types = snapshot.type_targets(path, use) if use != NONE else ()
    places = [canonical(snapshot, target.place) for target in types if target.place is not None]
    externals = tuple(dict.fromkeys(target.external for target in types if target.external))
    if not types:
        places = [cls for place in found.places for cls in _classes(snapshot, place)]
    locations = tuple(location(snapshot, place) for place in dict.fromkeys(places))
    return Destinations(found.at, locations, externals)


def _classes(snapshot: Snapshot, place: SymbolRef) -> tuple[SymbolRef, ...]:
    """The class itself, or the classes in the annotations of its bindings."""
    if place.definition == NONE:
        return ()
    if snapshot.facts(place.file).definitions.kind[place.definition] in TYPES:
        return (place,)
    found = [cls for row in symbol(snapshot, place).rows for cls in _annotated(snapshot, place.file, row)]
    return tuple(dict.fromkeys(found))


def _annotated(snapshot: Snapshot, path: FilePath, row: int) -> list[SymbolRef]:
    """Classes in the annotation of a variable, or in the construction bound to it: `x: C`, `x = C()`."""
    facts = snapshot.facts(path)
    rows, uses = facts.definitions, facts.occurrences
    if rows.body[row] != NONE:
        return []
    inside = rows_between(uses.start, rows.start[row], rows.full_end[row])
    links = snapshot.links_at(path, inside)
    found: list[SymbolRef] = []
    for number, use in enumerate(links.targets.occurrence):
        if use in inside and links.targets.edge[number] in (EdgeKind.TYPE_REF, EdgeKind.INSTANTIATES):
            target = snapshot.target(path, links, number).place
            if target is not None and target.definition != NONE:
                found.append(canonical(snapshot, target))
    return found
