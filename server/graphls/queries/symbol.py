"""Symbol: the bindings that are one thing, and what an import binding stands for.

Owns: from a position or a place to the canonical place, all binding sites of it, its names.
Must not know: LSP types, who asks, how occurrences were resolved.
Invariant: two places of one symbol have the same canonical place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from graphls.facts.columns import NONE, rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.nodes import import_occurrence, node_row, symbol_row
from graphls.graph.snapshot import Snapshot, SymbolRef, Target
from graphls.queries.position import NameAtOffset, name_at
from graphls.queries.redeclarations import redeclarations
from graphls.queries.rows import is_local, name_of, rows_between


@attrs.frozen
class Symbol:
    """One thing. `rows`: its binding sites in its file, in source order; empty for a module."""

    place: SymbolRef
    name: str
    rows: tuple[int, ...]
    local: bool
    """No other file can see it."""


@attrs.frozen
class NameMeaning:
    """What the name at a position stands for. Empty `targets`: nothing that a rule could say."""

    at: NameAtOffset
    targets: tuple[Target, ...]
    own: SymbolRef | None
    """The binding at the position itself, when it is no import."""
    signatures: Mapping[SymbolRef, SymbolRef] = attrs.field(factory=dict[SymbolRef, SymbolRef])
    """Functions of several signatures -> the signature that is meant, or the first of those that may be."""

    @property
    def places(self) -> tuple[SymbolRef, ...]:
        """Places in the workspace, best first, without repeats."""
        found = [target.place for target in self.targets if target.place is not None]
        if self.own is not None:
            found.insert(0, self.own)
        return tuple(dict.fromkeys(found))

    def referents(self, snapshot: Snapshot) -> tuple[SymbolRef, ...]:
        """Places whose uses are uses of this name: a declaration and its definition, and `{ x }` names a variable and
        the key of the same name."""
        at = self.at
        found = tuple(dict.fromkeys(one for place in self.places for one in redeclarations(snapshot, place)))
        if at.definition == NONE or at.occurrence == NONE:
            return found
        facts = snapshot.facts(at.file)
        key = facts.occurrences.role[at.occurrence] == Role.READ
        bound = key and facts.definitions.kind[at.definition] != DefinitionKind.IMPORT
        return tuple(dict.fromkeys((*found, SymbolRef(at.file, at.definition)))) if bound else found

    @property
    def externals(self) -> tuple[str, ...]:
        """Dotted names outside the workspace."""
        return tuple(dict.fromkeys(target.external for target in self.targets if target.external))


def meaning(snapshot: Snapshot, path: FilePath, offset: int) -> NameMeaning | None:
    """What the name at an offset stands for, or None when no name is there."""
    found = name_at(snapshot, path, offset)
    return None if found is None else meaning_of(snapshot, found)


def meaning_of(snapshot: Snapshot, found: NameAtOffset) -> NameMeaning:
    """What a name stands for: imports for what they bring in; `self.x = v` for what declares `x`; other bindings for
    themselves.
    """
    facts = snapshot.facts(found.file)
    row = found.definition
    if row != NONE and facts.definitions.kind[row] != DefinitionKind.IMPORT:
        declared = snapshot.targets(found.file, found.occurrence) if found.occurrence != NONE else ()
        if declared:
            return NameMeaning(found, tuple(_canonical_target(snapshot, target) for target in declared), None)
        own = symbol_place(snapshot, SymbolRef(found.file, row))
        return NameMeaning(found, (), own)
    use = found.occurrence if found.occurrence != NONE else import_occurrence(facts, row)
    if use != NONE:
        named = snapshot.targets(found.file, use)
        targets = tuple(_canonical_target(snapshot, target) for target in named)
        if targets:
            return NameMeaning(found, targets, None, _signatures(snapshot, named, targets))
    if row != NONE:
        return NameMeaning(found, import_targets(snapshot, SymbolRef(found.file, row)), None)
    return NameMeaning(found, (), None)


def _signatures(
    snapshot: Snapshot, named: Sequence[Target], targets: Sequence[Target]
) -> Mapping[SymbolRef, SymbolRef]:
    """What links name more exactly than by the function that it belongs to."""
    found: dict[SymbolRef, SymbolRef] = {}
    for exact, target in zip(named, targets, strict=True):
        if exact.place is None or target.place is None or exact.place.file != target.place.file:
            continue
        row = exact.place.definition
        flags = snapshot.facts(exact.place.file).definitions.flags
        if row != NONE and row != target.place.definition and flags[row] & DefinitionFlag.OVERLOAD:
            found.setdefault(target.place, exact.place)
    return found


def import_targets(snapshot: Snapshot, place: SymbolRef) -> tuple[Target, ...]:
    """What an import binding stands for."""
    facts = snapshot.facts(place.file)
    use = import_occurrence(facts, place.definition)
    if use == NONE:
        use = _exported_use(facts, place.definition)
    if use != NONE:
        return tuple(_canonical_target(snapshot, target) for target in snapshot.targets(place.file, use))
    links = snapshot.links(place.file)
    return tuple(
        snapshot.module_target(place.file, links, target)
        for row in rows_with(facts.imports.definition, place.definition)
        if facts.imports.name[row] == NONE
        for target in rows_with(links.module_targets.occurrence, row)
    )


def _exported_use(facts: FileFacts, row: int) -> int:
    """The use of what `export default name` passes on: it stands behind the binding."""
    uses, table = facts.occurrences, facts.definitions
    if not table.flags[row] & DefinitionFlag.DEFAULT_EXPORT:
        return NONE
    inside = rows_between(uses.start, table.full_start[row], table.full_end[row])
    return next((use for use in inside if uses.role[use] == Role.EXPORT), NONE)


def import_binding(facts: FileFacts, use: int) -> int:
    """The inverse: the binding that an import occurrence feeds, or -1 for the inner parts of a path."""
    definitions = facts.definitions
    start = facts.occurrences.start[use]
    for row in rows_between(definitions.start, start, _next_import(facts, use)):
        if definitions.kind[row] == DefinitionKind.IMPORT:
            return row
    return NONE


def _next_import(facts: FileFacts, use: int) -> int:
    uses = facts.occurrences
    follower = use + 1
    if follower < len(uses.start):
        return min(uses.start[follower], uses.end[use] + 400)
    return uses.end[use] + 400


def canonical(snapshot: Snapshot, place: SymbolRef) -> SymbolRef:
    """The place that stands for the symbol: its first binding; imports are followed when they have one target."""
    if place.definition == NONE:
        return place
    facts = snapshot.facts(place.file)
    if facts.definitions.kind[place.definition] == DefinitionKind.IMPORT:
        targets = [target.place for target in import_targets(snapshot, place) if target.place is not None]
        if targets:
            return targets[0]
    return SymbolRef(place.file, node_row(facts, place.definition))


def symbol_place(snapshot: Snapshot, place: SymbolRef) -> SymbolRef:
    """`canonical`, and of the setter of a property, which the graph has as a node, the property that names it."""
    place = canonical(snapshot, place)
    if place.definition == NONE:
        return place
    return SymbolRef(place.file, symbol_row(snapshot.facts(place.file), place.definition))


def symbol(snapshot: Snapshot, place: SymbolRef) -> Symbol:
    """The symbol of a place, with all its binding sites: of a setter the property."""
    place = symbol_place(snapshot, place)
    if place.definition == NONE:
        return Symbol(place, snapshot.module_name(place.file).dotted.rpartition(".")[2], (), local=False)
    facts = snapshot.facts(place.file)
    name = facts.definitions.name[place.definition]
    rows = tuple(
        row
        for row in rows_with(facts.definitions.name, name)
        if row == place.definition or symbol_row(facts, row) == place.definition
    )
    return Symbol(place, name_of(facts, place.definition), rows, all(is_local(facts, row) for row in rows))


def _canonical_target(snapshot: Snapshot, target: Target) -> Target:
    if target.place is None:
        return target
    return attrs.evolve(target, place=symbol_place(snapshot, target.place))
