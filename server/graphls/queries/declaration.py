"""Declaration: where a file itself brings a name in.

Owns: the import binding behind a use; the stub beside an implementation.
Must not know: LSP types, URIs.
Invariant: falls back to the definition when the file has no declaration of its own.
"""

from __future__ import annotations

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Place, Snapshot
from graphls.queries.definition import Destinations, definition, location
from graphls.queries.rows import rows_with


def declaration(snapshot: Snapshot, path: FilePath, offset: int) -> Destinations | None:
    """The import that binds a plain name, else stubs of the definition, else the definition."""
    found = definition(snapshot, path, offset)
    if found is None:
        return None
    facts = snapshot.facts(path)
    row = _import_of(facts, found.origin.occurrence)
    if row != NONE:
        return attrs.evolve(found, places=(location(snapshot, Place(path, row)),))
    stubs = tuple(place for place in found.places if place.file.endswith(".pyi"))
    return attrs.evolve(found, places=stubs or found.places)


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
