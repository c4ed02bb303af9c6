"""Declared above: what is one thing with a declaration elsewhere, to which uses of both lead.

Owns: which uses may mean a member that only assigns what a class above declares, or a type that another module is
    given more of.
Must not know: counts, causes, answers.
Invariant: `x = {}` below a class that says `x: dict` is a write of that `x`, as checkers have it, and all uses lead
    there; `declare module "./app" { interface App { ... } }` adds to that `App`. So what is known of the place itself
    is never all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from graphls.facts.columns import NONE, rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.edge_refs import edge_of_ref
from graphls.graph.edges import edge_refs_at
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.outside_bases import bases_inside
from graphls.queries.rows import class_around, member_row, name_of, string_index

_FIELDS = frozenset({DefinitionKind.FIELD, DefinitionKind.CONSTANT, DefinitionKind.VARIABLE})
_MODULE_SCOPE = 0
_CLASSES = 64
"""Classes above that are looked at."""


def uses_of_declarations_above(snapshot: Snapshot, places: Collection[SymbolRef]) -> Iterator[tuple[FilePath, int]]:
    """File and row of the uses that lead to what a class above declares, for places that only assign it. Those that
    are uses of another of the places are not repeated."""
    asked = set(places)
    for place in places:
        yield from _uses_of_augmented(snapshot, place)
        above = _declaration(snapshot, place)
        if above is None or above in asked:
            continue
        spend()
        own = snapshot.facts(place.file).definitions.start[place.definition]
        found: set[tuple[FilePath, int]] = set()
        for ref in edge_refs_at(snapshot, above, incoming=True):
            for path, start, _ in edge_of_ref(snapshot, ref).sites:
                if (path, start) != (place.file, own) and snapshot.shards[path].language:
                    occurrences = snapshot.facts(path).occurrences
                    found.update((path, row) for row in rows_with(occurrences.start, start))
        yield from sorted(found)


def _uses_of_augmented(snapshot: Snapshot, place: SymbolRef) -> Iterator[tuple[FilePath, int]]:
    """Uses of a name that another module gives to what a block for that module adds to, wherever it declares it."""
    known = snapshot.capabilities(place.file)
    if place.definition == NONE or known is None or not known.augments_modules:
        return
    facts = snapshot.facts(place.file)
    if not _is_augmenting(facts, place.definition):
        return
    name = name_of(facts, place.definition)
    for path in snapshot.files_with_name(name):
        if snapshot.shards[path].language == snapshot.shards[place.file].language:
            spend()
            other = snapshot.facts(path)
            number = string_index(other, name)
            for row in rows_with(other.occurrences.name, number) if number != NONE else ():
                if all(target.place != place for target in snapshot.targets(path, row)):
                    yield path, row


def _is_augmenting(facts: FileFacts, row: int) -> bool:
    """Whether a declaration stands in a block for another module, whose name is no word."""
    scope = facts.definitions.scope[row]
    owner = facts.scopes.owner[scope] if scope >= 0 else NONE
    is_block = owner != NONE and facts.definitions.kind[owner] == DefinitionKind.NAMESPACE
    return is_block and not name_of(facts, owner).isidentifier()


def augmentations(snapshot: Snapshot, place: SymbolRef) -> Iterator[SymbolRef]:
    """Declarations in blocks for other modules that may add to what a module declares: `interface App` of
    `declare module "./app"`. Which module a block is for is not looked up."""
    known = snapshot.capabilities(place.file)
    if place.definition == NONE or known is None or not known.augments_modules:
        return
    facts = snapshot.facts(place.file)
    if facts.definitions.scope[place.definition] != _MODULE_SCOPE:
        return
    name = name_of(facts, place.definition)
    for path in snapshot.files_with_name(name):
        if snapshot.shards[path].language == known.name:
            spend()
            other = snapshot.facts(path)
            for row in rows_with(other.definitions.name, string_index(other, name)):
                if _is_augmenting(other, row):
                    yield SymbolRef(path, row)


def _declaration(snapshot: Snapshot, place: SymbolRef) -> SymbolRef | None:
    """The nearest declaration with a type above a field that has none; None where there is none, or where a class
    between binds the name in another way."""
    known = snapshot.capabilities(place.file)
    if place.definition == NONE or known is None or not known.assigns_what_is_declared_above:
        return None
    facts = snapshot.facts(place.file)
    table, row = facts.definitions, place.definition
    owner = class_around(facts, row)
    if owner == NONE or table.kind[row] not in _FIELDS or table.type[row] >= 0:
        return None
    name = name_of(facts, row)
    own = SymbolRef(place.file, owner)
    pending, seen = bases_inside(snapshot, own), {own}
    while pending and len(seen) < _CLASSES:
        cls = pending.pop(0)
        if cls in seen:
            continue
        seen.add(cls)
        found = member_row(snapshot.facts(cls.file), cls.definition, name)
        if found != NONE:
            other = snapshot.facts(cls.file).definitions
            return SymbolRef(cls.file, found) if other.type[found] >= 0 and other.kind[found] in _FIELDS else None
        pending += bases_inside(snapshot, cls)
    return None
