"""Declaration: where a file itself brings a name in.

Owns: the choice between the stub beside a module, the import binding behind a use, and the definition.
Must not know: LSP types, URIs.
Invariant: falls back to the definition when the file has no declaration of its own.
"""

from __future__ import annotations

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.languages.registry import is_stub
from graphls.queries.definition import DefinitionLocation, Destinations, definition, location
from graphls.queries.redeclarations import declarations_of
from graphls.queries.rows import rows_between
from graphls.queries.stubs import stubs_of


def declaration(snapshot: Snapshot, path: FilePath, offset: int) -> Destinations | None:
    """What a stub beside the module says, else declarations apart from the definition, else the import that binds a
    plain name, else the definition."""
    found = definition(snapshot, path, offset)
    if found is None:
        return None
    for other in (_stubs, _declarations):
        apart = tuple(dict.fromkeys(one for place in found.places for one in other(snapshot, place)))
        if apart:
            return attrs.evolve(found, places=apart)
    facts = snapshot.facts(path)
    row = _import_of(facts, found.origin.occurrence)
    if row != NONE:
        return attrs.evolve(found, places=(location(snapshot, SymbolRef(path, row)),))
    return found


def _stubs(snapshot: Snapshot, place: DefinitionLocation) -> list[DefinitionLocation]:
    if is_stub(place.file):
        return [place]
    return [location(snapshot, stub) for one in _symbols(snapshot, place) for stub in stubs_of(snapshot, one)]


def _declarations(snapshot: Snapshot, place: DefinitionLocation) -> list[DefinitionLocation]:
    return [location(snapshot, one) for at in _symbols(snapshot, place) for one in declarations_of(snapshot, at)]


def _symbols(snapshot: Snapshot, place: DefinitionLocation) -> list[SymbolRef]:
    starts = snapshot.facts(place.file).definitions.start
    rows = rows_between(starts, place.start, place.start + 1) if place.end else (NONE,)
    return [SymbolRef(place.file, row) for row in rows]


def _import_of(facts: FileFacts, use: int) -> int:
    """The import binding that a plain name sees: in the innermost scope outward that binds the name."""
    if use == NONE or facts.occurrences.base[use] != NONE:
        return NONE
    definitions = facts.definitions
    name, scope = facts.occurrences.name[use], facts.occurrences.scope[use]
    rows = list(rows_with(definitions.name, name))
    while scope != NONE:
        bound = [row for row in rows if definitions.scope[row] == scope]
        if bound:
            imports = [row for row in bound if definitions.kind[row] == DefinitionKind.IMPORT]
            return imports[0] if len(imports) == len(bound) else NONE
        scope = facts.scopes.parent[scope]
    return NONE
