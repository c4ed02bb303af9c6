"""Given objects: methods that libraries run on the objects which they are given.

Owns: which calls of libraries are given objects of classes of the workspace, and what of these they may run.
Must not know: how objects get there, edges, how bodies of libraries were read.
Invariant: a method has an answer only where the library calls it, or what runs it, on that argument by name.

    runner.invoke(group)    # `CliRunner.invoke(self, cli)` calls `cli.main()`, which runs `make_context` of its object
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Final

from graphls.analysis.flow.holders import MOST_HELD, Holders, few_of
from graphls.analysis.flow.places import Places, Use
from graphls.analysis.flow.receivers import RunMember
from graphls.analysis.flow.values import Destination, Takes
from graphls.facts.kinds import ConstructKind, DefinitionKind, EdgeKind, Role
from graphls.facts.links import EXTERNAL
from graphls.facts.paths import FilePath
from graphls.graph.inherited_runs import names_running
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import SymbolRef

_CALLS: Final = EdgeKind.CALLS.name.lower()
_ACCESSES: Final = EdgeKind.ACCESSES.name.lower()
_CALL: Final = ConstructKind.CALL.name.lower()
_RUNNING: Final = frozenset((DefinitionKind.METHOD, DefinitionKind.PROPERTY))
_FUNCTIONS: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD))
_NOTHING: Final[Mapping[str, Set[str]]] = {}


class GivenObjects:
    """Those of one snapshot."""

    def __init__(self, places: Places, holders: Holders) -> None:
        self._places = places
        self._holders = holders
        self._run: dict[tuple[SymbolRef, frozenset[str]], Sequence[SymbolRef]] = {}
        self._given: dict[tuple[SymbolRef, ...], Sequence[Use]] = {}
        self._calling = _CallsOfMembers(places)
        self._wrapped = _WrappedFunctions(places)

    def uses(self, path: FilePath, uses: Iterable[int]) -> Iterator[tuple[int, tuple[RunMember, ...]]]:
        """Those of some calls that may run methods of what they are given, with the methods."""
        given = self._places.passing(path).given
        for use in uses:
            if use not in given:
                continue
            found = tuple(self._member(method) for method in self._run_at(path, use))
            if found:
                yield use, found

    def _member(self, member: SymbolRef) -> RunMember:
        is_property = self._places.kind(member) == DefinitionKind.PROPERTY
        return RunMember(_ACCESSES if is_property else _CALLS, member, "" if is_property else _CALL)

    def _run_at(self, path: FilePath, use: int) -> Sequence[SymbolRef]:
        places = self._places
        called = _NOTHING if places.meant(path, use) else places.members_called_outside(path, use)
        run: dict[SymbolRef, None] = {}
        for one in places.passing(path).given.of(use) if called else ():
            names = called.get(one.keyword or str(one.position))
            if names:
                held = self._holders.held(self._holders.places_of(path, one.leaves))
                run.update((method, None) for cls in held.objects for method in self._run_on(cls, frozenset(names)))
                run.update((one, None) for function in held.functions for one in self._wrapped.run_by(function))
        return few_of(run, MOST_HELD)

    def _run_on(self, cls: SymbolRef, names: frozenset[str]) -> Sequence[SymbolRef]:
        """The methods of a class that calls of members of these names run."""
        key = cls, names
        known = self._run.get(key)
        if known is None:
            known = self._run[key] = tuple(self._running(cls, names))
        return known

    def _running(self, cls: SymbolRef, names: Set[str]) -> Iterator[SymbolRef]:
        places = self._places
        if places.kind(cls) != DefinitionKind.CLASS:
            return
        seen: set[str] = set()
        for one in (cls, *places.classes.above(cls)):
            for method in places.classes.own_members(one, _RUNNING):
                name = places.name(method)
                if name not in seen:
                    seen.add(name)
                    if name in names or not names_running(places.snapshot, method)[0].isdisjoint(names):
                        yield method

    # ---- the way back

    def uses_of(self, method: SymbolRef) -> Iterator[Use]:
        """Calls that may run a method of what they are given."""
        places = self._places
        if places.libraries(method.file) is None:
            return
        for function in self._wrapped.running(method):
            for site in self._holders.reach.callers(function):
                if len(site) == 2 and not places.meant(*site):
                    yield site
        if places.kind(method) not in _RUNNING:
            return
        running = {places.name(method)} | names_running(places.snapshot, method)[0]
        sites = self._calling.of(running)
        if sites is None:
            sites = self._given_to_libraries(tuple(places.classes.families(method)))
        for file, use in sites:
            called = places.members_called_outside(file, use).values()
            if any(not running.isdisjoint(names) for names in called) and method in self._run_at(file, use):
                yield file, use

    def _given_to_libraries(self, classes: tuple[SymbolRef, ...]) -> Sequence[Use]:
        """Calls of libraries that may be given objects of some classes."""
        known = self._given.get(classes)
        if known is None:
            sites = self._holders.reach.given_outside(classes)
            known = self._given[classes] = tuple(dict.fromkeys(sites))
        return known


class _WrappedFunctions:
    """Functions below decorators of libraries, which stand for objects that run them: `runner.invoke(main)` calls a
    member of what `@click.command` made of `main`."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def run_by(self, function: SymbolRef) -> Iterator[SymbolRef]:
        """What such an object runs: the function, and functions that its decorators are given."""
        decorators = tuple(self._decorators(function))
        if decorators:
            yield function
        passing = self._places.passing(function.file)
        for use in decorators:
            for leaf in (leaf for argument in passing.given.of(use) for leaf in argument.leaves):
                if leaf.takes == Takes.VALUE and leaf.use >= 0 and not leaf.inside:
                    yield from filter(self._is_function, self._places.meant(function.file, leaf.use))

    def running(self, function: SymbolRef) -> Iterator[SymbolRef]:
        """The inverse."""
        places = self._places
        if not self._is_function(function) or not places.is_handed_on(function):
            return
        if next(self._decorators(function), None) is not None:
            yield function
        for file, use in places.every_use(function):
            passing = places.passing(file)
            for way in passing.ways.of(use):
                below = passing.decorated.get(way.row) if way.destination == Destination.GIVEN else None
                if below is not None:
                    yield places.canonical(SymbolRef(file, below[0]))

    def _decorators(self, function: SymbolRef) -> Iterator[int]:
        """The uses that name its decorators which are a library's."""
        places = self._places
        passing = places.passing(function.file)
        uses = (use for row in places.rows(function) for use, _ in passing.decorators.get(row, ()))
        for use in uses:
            if not places.meant(function.file, use) and next(places.externals(function.file, use), None) is not None:
                yield use

    def _is_function(self, place: SymbolRef) -> bool:
        return self._places.kind(place) in _FUNCTIONS


class _CallsOfMembers:
    """Calls of libraries that call members of what they are given, by the names of these members.

    Few functions of libraries do, and few names are called so: for most methods it is known at once that no library
    runs them, where a search for all places that their objects get to would look at thousands.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._uses: dict[str, dict[Use, None]] = {}
        self._unread: list[FilePath] | None = None

    def of(self, names: Iterable[str]) -> Sequence[Use] | None:
        """Those that call one of some names; None while files are not linked."""
        if self._unread is None:
            snapshot = self._places.snapshot
            self._unread = [path for path in reversed(tuple(snapshot.files())) if snapshot.shards[path].language]
        while self._unread:
            spend()
            if not self._read(self._unread[-1]):
                return None
            self._unread.pop()
        return tuple(dict.fromkeys(use for name in sorted(names) for use in self._uses.get(name, ())))

    def _read(self, path: FilePath) -> bool:
        """Whether a file is linked, or has no libraries."""
        places = self._places
        libraries = places.libraries(path)
        if libraries is None:
            return True
        links = places.snapshot.known_links(path)
        if links is None:
            return False
        called = {
            row: members for row, dotted in enumerate(links.externals) if (members := libraries.called_members(dotted))
        }
        table = links.targets
        roles = places.facts(path).occurrences.role if called else ()
        for use, symbol, row in zip(table.occurrence, table.symbol, table.file, strict=True) if called else ():
            if symbol == EXTERNAL and row in called and roles[use] == Role.CALL:
                for name in frozenset(name for members in called[row].values() for name in members):
                    self._uses.setdefault(name, {})[path, use] = None
        return True
