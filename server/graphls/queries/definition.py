"""Definition: where the name at a position is bound.

Owns: the choice of binding sites to show, origin ranges, names outside the workspace.
Must not know: LSP types, URIs, how links were made.
Invariant: every place shown is a target of a link, the binding at the position itself, what a checker or a rule
    about frameworks names, or what brings in a name of which no manifest says where it comes from, or whose module is
    not there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, UnresolvedReason
from graphls.facts.paths import FilePath
from graphls.graph.nodes import is_declared
from graphls.graph.snapshot import Snapshot, SymbolRef, Target
from graphls.graph.verification import tier_of
from graphls.queries.document_uses import document_name_at
from graphls.queries.outside_uses import outside_bindings
from graphls.queries.position import NameAtOffset
from graphls.queries.redeclarations import definitions_of
from graphls.queries.references import has_known_places
from graphls.queries.stubs import sources_of
from graphls.queries.symbol import meaning, symbol


@attrs.frozen
class DefinitionLocation:
    """A stretch of a file: the name, and the whole of what it names."""

    file: FilePath
    start: int
    end: int
    full_start: int
    full_end: int


@attrs.frozen
class Destinations:
    """Where a name leads. `externals`: dotted names outside the workspace, for which there is no place."""

    origin: NameAtOffset
    places: tuple[DefinitionLocation, ...]
    externals: tuple[str, ...] = ()


def definition(snapshot: Snapshot, path: FilePath, offset: int) -> Destinations | None:
    """Binding sites of what the name at an offset means, for a name in a stub those of the module that it is about;
    None where no name is."""
    found = meaning(snapshot, path, offset)
    if found is None or _is_parameter(snapshot, found.own):
        ruled = _framework_definition(snapshot, path, offset)
        if ruled is not None or found is None:
            return ruled
    referents = found.places if found.own is None else sources_of(snapshot, found.own) or found.places
    # Before all is linked the declaration alone is known at once.
    ready = (one for one in referents if has_known_places(snapshot, one))
    defined = (one for place in ready for one in definitions_of(snapshot, place))
    referents = tuple(dict.fromkeys((*defined, *referents)))
    places = tuple(
        dict.fromkeys(site for place in referents for site in _binding_locations(snapshot, place, found.signatures))
    )
    bare = found.own is not None or not places
    locations = (
        (_checker_locations(snapshot, found.at) if bare else ())
        or places
        or _undeclared_imports(snapshot, path, found.targets)
    )
    locations = locations or (_missing_imports(snapshot, found.at) if not found.targets else ())
    return Destinations(found.at, locations, found.externals)


def _is_parameter(snapshot: Snapshot, own: SymbolRef | None) -> bool:
    if own is None or own.definition == NONE:
        return False
    return snapshot.facts(own.file).definitions.kind[own.definition] == DefinitionKind.PARAMETER


def _framework_definition(snapshot: Snapshot, path: FilePath, offset: int) -> Destinations | None:
    """What a rule about frameworks says: the fixture that fills a parameter, the definition that a string names."""
    if snapshot.derivation is None or path not in snapshot.shards:
        return None
    if not snapshot.shards[path].language:
        return _document_definition(snapshot, path, offset)
    found: dict[DefinitionLocation, None] = {}
    origin: tuple[int, int] | None = None
    for edge in snapshot.derivation.edges_from(snapshot, path):
        if edge.attributes.get("via") not in _NAMING or not isinstance(edge.target, SymbolRef):
            continue
        for file, start, end in edge.sites:
            if file == path and start <= offset <= end:
                origin = (start, end)
                found.update(dict.fromkeys(_sites(snapshot, edge.target)))
    if origin is None:
        return _document_definition(snapshot, path, offset)
    return Destinations(NameAtOffset(path, NONE, NONE, *origin), tuple(found))


def _document_definition(snapshot: Snapshot, path: FilePath, offset: int) -> Destinations | None:
    """What configuration or prose names: a file, an entry of a document, a definition."""
    named = document_name_at(snapshot, path, offset)
    if named is None:
        return None
    places: dict[DefinitionLocation, None] = {}
    for target in named.targets:
        if isinstance(target, SymbolRef):
            places.update(dict.fromkeys(_sites(snapshot, target)))
        else:
            span = target.start, target.end, target.full_start, target.full_end
            places[DefinitionLocation(target.file, *span)] = None
    return Destinations(NameAtOffset(path, NONE, NONE, named.start, named.end), tuple(places))


def _checker_locations(snapshot: Snapshot, found: NameAtOffset) -> tuple[DefinitionLocation, ...]:
    """Stretches of text that a checker names and that are no definitions: a key of an object that is passed on."""
    if snapshot.verification is None or found.occurrence == NONE:
        return ()
    locations = snapshot.verification.locations(snapshot, snapshot.shards[found.file], found.occurrence)
    return tuple(DefinitionLocation(file, start, end, start, end) for file, start, end in locations)


def _undeclared_imports(
    snapshot: Snapshot, path: FilePath, targets: Collection[Target]
) -> tuple[DefinitionLocation, ...]:
    """What brings in names of packages that no manifest mentions and no checker saw: nobody can say more of those."""
    known = snapshot.capabilities(path)
    declares = None if known is None else known.declares
    externals = {target.external for target in targets if target.external and tier_of(target.rule) is None}
    if not externals or declares is None:
        return ()
    aliases = snapshot.modules[snapshot.shards[path].language].aliases
    names = [name for name in externals if not declares(aliases, path, name)]
    bindings = outside_bindings(snapshot, path, names) if names else ()
    return tuple(DefinitionLocation(path, *span, *span) for span in bindings)


def _missing_imports(snapshot: Snapshot, found: NameAtOffset) -> tuple[DefinitionLocation, ...]:
    """What brings in a name from a module that is not there, a built one often: nobody can say more of it either."""
    known = snapshot.capabilities(found.file)
    if found.occurrence == NONE or known is None or known.declares is None:
        return ()
    facts, unresolved = snapshot.facts(found.file), snapshot.links_at(found.file, (found.occurrence,)).unresolved
    at = bisect_left(unresolved.occurrence, found.occurrence)
    rows = slice(at, at + 1)
    if (*unresolved.occurrence[rows], *unresolved.reason[rows]) != (found.occurrence, UnresolvedReason.MISSING_MODULE):
        return ()
    table = facts.definitions
    named = rows_with(table.name, facts.occurrences.name[found.occurrence])
    bound = [row for row in named if table.kind[row] == DefinitionKind.IMPORT]
    plain = facts.occurrences.base[found.occurrence] == NONE and len(bound) == 1
    return (location(snapshot, SymbolRef(found.file, bound[0])),) if plain else ()


def location(snapshot: Snapshot, place: SymbolRef) -> DefinitionLocation:
    """The stretch of one place; a module is the start of its file, or of its code where its language says so."""
    if place.definition == NONE:
        known = snapshot.capabilities(place.file)
        module_start = None if known is None else known.module_start
        start = 0 if module_start is None else module_start(place.file, snapshot.text(place.file) or b"")
        return DefinitionLocation(place.file, start, start, start, snapshot.shards[place.file].size)
    rows, row = snapshot.facts(place.file).definitions, place.definition
    return DefinitionLocation(place.file, rows.start[row], rows.end[row], rows.full_start[row], rows.full_end[row])


def _binding_locations(
    snapshot: Snapshot, place: SymbolRef, signatures: Mapping[SymbolRef, SymbolRef]
) -> tuple[DefinitionLocation, ...]:
    """The signature that a use means before the binding that stands for all of them."""
    exact = signatures.get(place)
    return (*(() if exact is None else (location(snapshot, exact),)), *_sites(snapshot, place))


def _sites(snapshot: Snapshot, place: SymbolRef) -> tuple[DefinitionLocation, ...]:
    """The canonical binding; for names bound in arms of a condition every one, for a property all its halves; of an
    attribute with a declared type its declaration alone."""
    if place.definition == NONE:
        return (location(snapshot, place),)
    flags = snapshot.facts(place.file).definitions.flags
    if flags[place.definition] & DefinitionFlag.CONDITIONAL == 0 and is_declared(
        snapshot.facts(place.file), place.definition
    ):
        return (location(snapshot, place),)
    rows = symbol(snapshot, place).rows
    visible_rows = [row for row in rows if row == place.definition or flags[row] & (_ALSO)]
    return tuple(location(snapshot, SymbolRef(place.file, row)) for row in visible_rows)


_NAMING = frozenset({"fixture", "string"})
"""Ways in which a rule ties a stretch of text to one definition."""
_ALSO = DefinitionFlag.CONDITIONAL | DefinitionFlag.SETTER
