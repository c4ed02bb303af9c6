"""Receivers: the methods that run on objects which places may hold.

Owns: which uses of members and which constructs are on something whose class links do not know, and what they may run.
Must not know: how objects get there, edges.
Invariant: nothing is said of a use or a construct that links say something about; a name that too many files spell is
    not looked at from either end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from graphls.analysis.flow.class_members import FUNCTIONS
from graphls.analysis.flow.holders import MOST_HELD, MOST_OBJECTS, Holders, few_of
from graphls.analysis.flow.parameters import HeldPlace
from graphls.analysis.flow.places import Places, Use
from graphls.analysis.flow.reach import GIVING_ITERATORS, RUN_LATER
from graphls.analysis.flow.values import Takes
from graphls.facts.columns import rows_with
from graphls.facts.kinds import ConstructKind, DefinitionFlag, DefinitionKind, EdgeKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import SymbolRef
from graphls.languages.capabilities import Capabilities

_USING: Final = frozenset((Role.CALL, Role.READ, Role.WRITE, Role.DELETE, Role.TEXT))
_ELEMENTS: Final = frozenset(("__iter__", "__next__"))
_ELEMENTS_WAITED: Final = frozenset(("__aiter__", "__anext__"))
_WAITED: Final = frozenset(("__await__",))
_LATER: Final = _ELEMENTS | _ELEMENTS_WAITED | _WAITED
_CALLS, _ACCESSES = EdgeKind.CALLS.name.lower(), EdgeKind.ACCESSES.name.lower()


class RunMember(NamedTuple):
    """What a use or a construct may run; `implicit` is the kind of construct."""

    kind: str
    target: SymbolRef
    implicit: str


class Receivers:
    """Those of one snapshot."""

    def __init__(self, places: Places, holders: Holders) -> None:
        self._places = places
        self._holders = holders
        self._running: dict[tuple[str, int, str], bool] = {}

    def uses(self, path: FilePath, uses: Iterable[int]) -> Iterator[tuple[int, tuple[RunMember, ...]]]:
        """Those of some uses of members that may run something, with what."""
        places = self._places
        facts = places.facts(path)
        table = facts.occurrences
        wanted = [
            use
            for use in uses
            if table.base[use] >= 0 and table.role[use] in _USING
            if places.classes.is_rare(path, facts.strings[table.name[use]]) and use not in places.classes.given_up(path)
        ]
        places.prepare(path, wanted)
        for use in wanted:
            meant = places.meant(path, use)
            if not places.classes.is_open(meant):
                continue
            found = tuple(run for run in self._named((path, use)) if run.target not in meant)
            if found:
                yield use, found

    def _named(self, use: Use) -> tuple[RunMember, ...]:
        """What an open use of a member may run."""
        places, (path, row) = self._places, use
        facts = places.facts(path)
        table = facts.occurrences
        called = table.role[row] == Role.CALL
        # A declared type leaves open which object it is, not what that has.
        most = MOST_OBJECTS if places.meant(path, row) else MOST_HELD
        found: dict[RunMember, None] = {}
        for member in self._holders.members_at(path, row, most):
            if places.kind(member) == DefinitionKind.PROPERTY:
                found[RunMember(_ACCESSES, member, "")] = None
            elif called and places.kind(member) == DefinitionKind.METHOD:
                found[RunMember(_CALLS, member, "")] = None
        return tuple(found)

    def constructs(self, path: FilePath, rows: Iterable[int]) -> Iterator[tuple[int, tuple[RunMember, ...]]]:
        """The same of constructs."""
        places, known = self._places, self._places.snapshot.capabilities(path)
        if known is None or known.run_by_construct is None:
            return
        facts = places.facts(path)
        table = facts.constructs
        kinds, names = table.kind, table.name
        wanted = [row for row in rows if table.operand[row] >= 0 and self._may_run(path, kinds[row], names[row])]
        linked = places.linked_constructs(path, wanted)
        for row in wanted:
            kind, name = table.kind[row], facts.strings[table.name[row]] if table.name[row] >= 0 else ""
            choices = known.run_by_construct(kind, name)
            run = dict.fromkeys(linked.get(row, ()))
            for one in () if run else self._holders.objects_at(path, table.operand[row]):
                run.update((member, None) for choice in choices for member in self._chosen(one, choice))
            run.update(dict.fromkeys(self._run_of_iterators(tuple(run), choices)))
            word = ConstructKind(kind).name.lower()
            found = tuple(RunMember(_CALLS, member, word) for member in few_of(run, MOST_HELD))
            if found:
                yield row, found

    def _run_of_iterators(self, methods: Iterable[SymbolRef], choices: Sequence[Sequence[str]]) -> Iterator[SymbolRef]:
        """What runs for the elements where methods give back what has them."""
        giving = [HeldPlace(one, Takes.RESULT) for one in methods if self._places.name(one) in GIVING_ITERATORS]
        for made in self._holders.held(giving).objects if giving else ():
            for choice in choices:
                if GIVING_ITERATORS.isdisjoint(choice) or self._places.kind(made) in FUNCTIONS:
                    yield from self._chosen(made, choice)

    def _may_run(self, path: FilePath, kind: int, name: int) -> bool:
        """Whether a file of the language declares a method that such a construct runs."""
        spelled = self._places.facts(path).strings[name] if name >= 0 else ""
        key = self._places.snapshot.shards[path].language, kind, spelled
        if key not in self._running:
            known = self._places.snapshot.capabilities(path)
            choices = known.run_by_construct(kind, spelled) if known is not None and known.run_by_construct else ()
            names = {one for choice in choices for one in choice}
            entering = () if known is None else known.context_makers.values()
            later = not _LATER.isdisjoint(names) or any(not names.isdisjoint(one) for one in entering)
            declared = later or any(self._places.classes.is_defined(path, one) for one in names)
            self._running[key] = declared and kind not in _LEFT_OUT
        return self._running[key]

    def _chosen(self, made: SymbolRef, choice: Iterable[str]) -> Iterator[SymbolRef]:
        places = self._places
        if places.kind(made) in FUNCTIONS:
            # A generator or a coroutine: who asks for an element, or waits, runs the function.
            if not self._asking(made).isdisjoint(choice):
                yield made
            return
        for name in choice:
            members = [one for one in places.classes.members(made, name) if places.kind(one) == DefinitionKind.METHOD]
            if members:
                yield from members
                return

    def _asking(self, made: SymbolRef) -> frozenset[str]:
        """Names of the methods by which constructs run a function whose call has only made an object."""
        flags = self._places.facts(made.file).definitions.flags[made.definition]
        if not flags & DefinitionFlag.GENERATOR:
            return _WAITED
        entering = self._entering(made)
        if entering:
            return entering
        return _ELEMENTS_WAITED if flags & DefinitionFlag.ASYNC else _ELEMENTS

    def _entering(self, made: SymbolRef) -> frozenset[str]:
        """The same of a function below a decorator that makes a context of each generator."""
        known, facts = self._places.snapshot.capabilities(made.file), self._places.facts(made.file)
        for row in rows_with(facts.decorators.definition, made.definition) if known and known.context_makers else ():
            name = facts.decorators.name[row]
            found = known.context_makers.get(facts.strings[name]) if known is not None and name >= 0 else None
            if found is not None:
                return found
        return frozenset()

    # ---- the way back

    def uses_of(self, member: SymbolRef) -> Iterator[Use]:
        """Uses that may run a member whose receiver links do not know."""
        if self._places.kind(member) in (DefinitionKind.METHOD, DefinitionKind.PROPERTY):
            for use in self._places.classes.open_uses(member):
                if any(run.target == member for run in self._named(use)):
                    yield use

    def constructs_of(self, member: SymbolRef) -> Iterator[tuple[FilePath, int, bool]]:
        """Constructs and calls that may run a method or a generator, more than really do; whether it is a construct."""
        places = self._places
        facts = places.facts(member.file)
        name = facts.strings[facts.definitions.name[member.definition]]
        known = self._places.snapshot.capabilities(member.file)
        made: dict[SymbolRef, None] = {}
        if places.kind(member) in FUNCTIONS and facts.definitions.flags[member.definition] & RUN_LATER:
            made[member] = None
        if known is not None and _is_run_by_constructs(known, name):
            made.update((cls, None) for cls in places.classes.families(member))
        wanted = frozenset((name,)) | (self._asking(member) if member in made else frozenset[str]())
        for site in self._holders.reach.constructs_on(made):
            if len(site) < 3 or self._runs_named(site[0], site[1], wanted):
                yield site[0], site[1], len(site) > 2

    def _runs_named(self, path: FilePath, row: int, names: frozenset[str]) -> bool:
        """Whether a construct may run a method of one of these names."""
        known, facts = self._places.snapshot.capabilities(path), self._places.facts(path)
        kind, spelled = facts.constructs.kind[row], facts.constructs.name[row]
        key = facts.strings[spelled] if spelled >= 0 else ""
        if row in self._places.passing(path).called:
            return True  # it calls what an expression gives
        if known is None or known.run_by_construct is None or not self._may_run(path, kind, spelled):
            return False
        return not all(names.isdisjoint(choice) for choice in known.run_by_construct(kind, key))


def _is_run_by_constructs(known: Capabilities, name: str) -> bool:
    """Whether some construct runs methods of a name: `__post_init__` runs where classes are called alone."""
    if known.run_by_constructs is not None:
        return name in known.run_by_constructs
    return known.is_run_unnamed is not None and known.is_run_unnamed(name)


_LEFT_OUT: Final = frozenset(
    (
        ConstructKind.CALL,
        ConstructKind.DECORATOR,
        ConstructKind.RAISE,
        ConstructKind.INHERITED,
        ConstructKind.TRUTH,
    )
)
"""Constructs that are calls of values, that run nothing of an object or name what they run, and those that stand
everywhere."""
