"""Descriptors: members of classes whose reading, writing or deleting runs a method.

Owns: which members are made by a class with such methods, and which uses of them run which.
Must not know: how objects get anywhere, edges.
Invariant: a member is a descriptor only where its class is called, or decorates it, in the body of the class around.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

from graphls.analysis.flow.class_members import FIELDS
from graphls.analysis.flow.places import Places, Use
from graphls.analysis.flow.receivers import RunMember
from graphls.analysis.flow.values import Destination, Takes
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, EdgeKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.nodes import use_at
from graphls.graph.snapshot import SymbolRef

_CALLS: Final = EdgeKind.CALLS.name.lower()
_DESCRIPTOR: Final = "descriptor"
_FUNCTIONS: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.PROPERTY))


class Descriptors:
    """Those of one snapshot."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._makers: dict[SymbolRef, tuple[SymbolRef, ...]] = {}

    def uses(self, path: FilePath, uses: Iterable[int]) -> Iterator[tuple[int, tuple[RunMember, ...]]]:
        """Those of some uses that run something, with what."""
        places, known = self._places, self._places.snapshot.capabilities(path)
        if known is None:
            return
        methods = {role: name for role, name in known.run_by_access.items() if places.classes.is_defined(path, name)}
        if not methods:
            return
        table = places.facts(path).occurrences
        wanted = [use for use in uses if table.base[use] >= 0 and table.role[use] in methods]
        places.prepare(path, wanted)
        for use in wanted:
            name = methods[table.role[use]]
            found = dict.fromkeys(
                RunMember(_CALLS, method, _DESCRIPTOR)
                for member in places.meant(path, use) or self._bound(path, use)
                for cls in self.classes(member)
                for method in places.classes.members(cls, name)
                if places.kind(method) == DefinitionKind.METHOD
            )
            if found:
                yield use, tuple(found)

    def uses_of(self, method: SymbolRef) -> Iterator[Use]:
        """Uses of members that may run a method, more than really do."""
        places, known = self._places, self._places.snapshot.capabilities(method.file)
        if known is None or places.kind(method) != DefinitionKind.METHOD:
            return
        if places.name(method) in known.run_by_access.values():
            for cls in places.classes.families(method):
                for member in self.made_by(cls):
                    yield from places.every_use(member)
                    facts = places.facts(member.file)
                    written = (use_at(facts, facts.definitions.start[row]) for row in places.rows(member))
                    yield from ((member.file, use) for use in written if use >= 0)

    def _bound(self, path: FilePath, use: int) -> Iterator[SymbolRef]:
        """What a write binds that is a binding itself: links lead nowhere from it."""
        facts = self._places.facts(path)
        if facts.occurrences.role[use] == Role.WRITE:
            start, starts = facts.occurrences.start[use], facts.definitions.start
            row = bisect_left(starts, start)
            if row < len(starts) and starts[row] == start:
                yield self._places.canonical(SymbolRef(path, row))

    def classes(self, member: SymbolRef) -> tuple[SymbolRef, ...]:
        """The classes of the object that a member of a class is."""
        known = self._makers.get(member)
        if known is None:
            known = self._makers[member] = tuple(dict.fromkeys(self._find_classes(member)))
        return known

    def _find_classes(self, member: SymbolRef) -> Iterator[SymbolRef]:
        places = self._places
        if not self._is_declared(member):
            return
        passing = places.passing(member.file)
        for row in places.rows(member):
            uses = [leaf.use for leaf in passing.bound.of(row) if leaf.takes == Takes.RESULT and not leaf.inside]
            uses += [use for use, _ in passing.decorators.get(row, ())]
            for use in uses:
                yield from (one for one in places.meant(member.file, use) if places.kind(one) == DefinitionKind.CLASS)

    def _is_declared(self, member: SymbolRef) -> bool:
        """Whether the body of a class declares it, with a value or a decorator."""
        places = self._places
        table = places.facts(member.file).definitions
        kind = places.kind(member)
        # A constructor above the member in the text may write to it first.
        values = (row for row in places.rows(member) if not table.flags[row] & DefinitionFlag.INSTANCE)
        own = kind in FIELDS and any(table.value[row] >= 0 for row in values)
        return (own or kind in _FUNCTIONS) and places.classes.class_of(member) is not None

    def made_by(self, cls: SymbolRef) -> Iterator[SymbolRef]:
        """The members that may be objects of a class."""
        places = self._places
        for file, use in places.every_use(cls):
            passing = places.passing(file)
            rows = [way.row for way in passing.ways.of(use) if way.destination == Destination.BOUND and not way.inside]
            below = passing.decorated.get(use)
            for row in (*rows, *(() if below is None else (below[0],))):
                member = places.canonical(SymbolRef(file, row))
                if self._is_declared(member):
                    yield member
