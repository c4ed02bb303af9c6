"""Descriptors: members of classes whose reading, writing or deleting runs a method.

Owns: which members are made by a class with such methods, and which uses of them run which.
Must not know: how objects get anywhere, edges.
Invariant: a member is a descriptor only where its class is called, or decorates it, in the body of the class around, or
    where a library makes a property there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

from graphls.analysis.flow.class_members import FIELDS
from graphls.analysis.flow.made_properties import MadeProperties
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
_RUN: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.FUNCTION))


class Descriptors:
    """Those of one snapshot."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._makers: dict[SymbolRef, tuple[SymbolRef, ...]] = {}
        self._properties = MadeProperties(places)

    def uses(self, path: FilePath, uses: Iterable[int]) -> Iterator[tuple[int, tuple[RunMember, ...]]]:
        """Those of some uses that run something, with what."""
        places, known = self._places, self._places.snapshot.capabilities(path)
        if known is None:
            return
        methods = {role: name for role, name in known.run_by_access.items() if places.classes.is_defined(path, name)}
        facts, made = places.facts(path), self._properties.names(path)
        numbers = {number for number, text in enumerate(facts.strings) if text in made} if made else frozenset[int]()
        if not methods and not numbers:
            return
        table = facts.occurrences
        wanted = [
            use for use in uses
            if table.base[use] >= 0 and (table.role[use] in methods or table.name[use] in numbers)
        ]  # fmt: skip
        places.prepare(path, wanted)
        for use in wanted:
            role = table.role[use]
            members = tuple(places.meant(path, use) or self._bound(path, use))
            run = [method for member in members for method in self._properties.run_by(member, role)]
            if role in methods:
                run += self._methods(members, methods[role])
            if run:
                yield use, tuple(dict.fromkeys(RunMember(_CALLS, method, _DESCRIPTOR) for method in run))

    def _methods(self, members: Iterable[SymbolRef], name: str) -> Iterator[SymbolRef]:
        """Those of a name that the objects have which some members are."""
        classes = self._places.classes
        for cls in (one for member in members for one in self.classes(member)):
            yield from (one for one in classes.members(cls, name) if self._places.kind(one) == DefinitionKind.METHOD)

    def uses_of(self, method: SymbolRef) -> Iterator[Use]:
        """Uses of members that may run a method, more than really do."""
        places, known = self._places, self._places.snapshot.capabilities(method.file)
        if known is None or places.kind(method) not in _RUN:
            return
        members = [*self._properties.made_of(method)]
        if places.name(method) in known.run_by_access.values():
            members += [member for cls in places.classes.families(method) for member in self.made_by(cls)]
        for member in members:
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
