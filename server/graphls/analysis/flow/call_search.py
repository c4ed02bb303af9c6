"""Call search: the calls that follow from what places may hold, searched for from either end.

Owns: which calls of a file are of what a place holds, the edges to the functions that may be called there.
Must not know: how functions get there, queries.
Invariant: an edge to a place is among the edges from its source, and the reverse; each is marked possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import Final, NamedTuple, cast

import attrs

from graphls.analysis.flow.call_table import flow_edge
from graphls.analysis.flow.class_members import FIELDS
from graphls.analysis.flow.class_statements import ClassStatements
from graphls.analysis.flow.descriptors import Descriptors
from graphls.analysis.flow.given_objects import GivenObjects
from graphls.analysis.flow.holders import MOST_HELD, Holders, few_of
from graphls.analysis.flow.injections import InjectedParameters, Injections
from graphls.analysis.flow.parameters import HeldPlace
from graphls.analysis.flow.places import HOLDING, RUNNING, Places
from graphls.analysis.flow.proxies import Proxies
from graphls.analysis.flow.receivers import Receivers, RunMember
from graphls.analysis.flow.values import Takes
from graphls.analysis.frameworks.arguments import CodeText
from graphls.analysis.frameworks.texts import code_of
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ConstructKind, DefinitionFlag, DefinitionKind, EdgeKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.addresses import addresses
from graphls.graph.derivation import SUREST_CALL
from graphls.graph.edges import RawEdge, edges_of
from graphls.graph.nodes import lasting_row, node_row, own_uses
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.unnamed_runs import declared_classes


class _Site(NamedTuple):
    """Where something may run, and what."""

    start: int
    end: int
    runs: Sequence[RunMember]
    together: bool = False
    """All of it runs, not one of them."""


@attrs.frozen
class _CallArguments:
    """The arguments of a call."""

    positions: int
    keywords: Set[str]
    open: bool
    """How many there are is not known: `f(*args)`."""

    @classmethod
    def of(cls, code: CodeText, callee_end: int) -> _CallArguments:
        """Those behind a callee."""
        arguments = code.arguments(callee_end)
        keywords = {one.keyword for one in arguments if one.keyword}
        is_open = any(code.data[one.start : one.start + 1] == b"*" for one in arguments)
        return cls(len(arguments) - len(keywords), keywords, is_open)


_NOT_NEEDED: Final = DefinitionFlag.DEFAULTED | DefinitionFlag.VARIADIC | DefinitionFlag.KEYWORDS
_CALLS: Final = EdgeKind.CALLS.name.lower()
_RENDERS: Final = EdgeKind.RENDERS.name.lower()
_RUNNING_ROLES: Final = frozenset((Role.CALL, Role.RENDER))
_CALL: Final = ConstructKind.CALL.name.lower()
_CLASS: Final = ConstructKind.CLASS.name.lower()
_SURE: Final = SUREST_CALL
"""Of a call that can be of one function only; several share it."""
_LEAST: Final = 0.05
_TARGETS: Final = RUNNING | FIELDS | {DefinitionKind.PROPERTY}
"""What an edge may lead to. A field may be a method (`__call__ = fail`)."""


class CallSearch:
    """The search in one snapshot; nothing is looked at before somebody asks. Remembers what it came by."""

    def __init__(self, snapshot: Snapshot, injected: InjectedParameters) -> None:
        self._places = Places(snapshot)
        self._holders = Holders(self._places, Injections(self._places, injected))
        self._receivers = Receivers(self._places, self._holders)
        self._descriptors = Descriptors(self._places)
        self._proxies = Proxies(self._places)
        self._given_objects = GivenObjects(self._places, self._holders)
        self._class_statements = ClassStatements(self._places, self._descriptors)
        self._from: dict[SymbolRef, tuple[RawEdge, ...]] = {}
        self._declaring: dict[FilePath, Mapping[int, Sequence[int]]] = {}

    @property
    def rows(self) -> int:
        """How many rows all tables have that were filled by questions."""
        places, holders = self._places, self._holders
        parts = places, places.classes, holders, holders.reach, self._receivers, self._descriptors, self._given_objects
        return len(self._from) + sum(map(_rows, parts))

    @property
    def found(self) -> Mapping[SymbolRef, Sequence[RawEdge]]:
        """What was found so far, by source."""
        return self._from

    def from_file(self, path: FilePath) -> Iterator[RawEdge]:
        """Calls whose source is in a file."""
        facts = self._places.facts(path)
        rows = range(len(facts.occurrences)), range(len(facts.constructs))
        sites = self._sites(path, *rows, self._class_statements.classes(path))
        for source, found in sorted(sites.items()):
            place = SymbolRef(path, source)
            if place not in self._from:
                self._from[place] = tuple(self._edges(place, found))
            yield from self._from[place]

    def from_place(self, place: SymbolRef) -> Sequence[RawEdge]:
        """Calls whose source is one place."""
        known = self._from.get(place)
        if known is None:
            facts = self._places.facts(place.file)
            owners = facts.constructs.owner
            mine = {row: self._source(place.file, row) == place for row in set(owners)}
            constructs = [row for row, owner in enumerate(owners) if mine[owner]]
            declared = self._classes_by_source(place.file).get(place.definition, ())
            sites = self._sites(place.file, self._uses(place), constructs, declared)
            known = self._from[place] = tuple(self._edges(place, sites.get(place.definition, ())))
        return known

    def to_place(self, place: SymbolRef) -> Iterator[RawEdge]:
        """Calls that may run one place."""
        places = self._places
        kind = places.kind(place)
        if kind not in _TARGETS and not places.is_wrapped_function(place):
            return
        sources: dict[SymbolRef, None] = {}
        for file, row, construct in self._callers(place):
            facts = places.facts(file)
            owner = facts.constructs.owner[row] if construct else facts.occurrences.owner[row]
            of_owner = (self._source(file, owner),)
            # All that the source calls is looked at only where this site is none of the many that only may run it.
            for source in of_owner if construct else (*of_owner, *self._body_around(file, row)):
                if source not in sources and (source in self._from or self._may_run(file, row, construct, place)):
                    sources[source] = None
        sources.update((self._source_of_class(cls), None) for cls in self._class_statements.run_by(place))
        for source in sorted(sources, key=lambda one: (one.file, one.definition)):
            yield from (edge for edge in self.from_place(source) if edge.target == place)

    def _may_run(self, path: FilePath, row: int, construct: bool, place: SymbolRef) -> bool:
        """Whether one site runs a place."""
        sites = self._sites(path, () if construct else (row,), (row,) if construct else ())
        return any(run.target == place for found in sites.values() for site in found for run in site.runs)

    def _callers(self, place: SymbolRef) -> Iterator[tuple[FilePath, int, bool]]:
        """Uses and constructs that may run a place, more than really do; whether it is a construct."""
        places = self._places
        maker = places.maker(place)
        wrapped = places.is_wrapped_function(place)
        for one in (place, maker) if wrapped or places.kind(place) in RUNNING else ():
            # What wraps a function is a variable: calls by its name are calls of what it holds.
            if one is not None and (wrapped or places.is_handed_on(one)):
                yield from ((caller[0], caller[1], len(caller) > 2) for caller in self._holders.reach.callers(one))
        if places.kind(place) == DefinitionKind.PROPERTY:  # a decorator of the code's own may call what it is above
            yield from (
                (caller[0], caller[1], len(caller) > 2) for caller in self._holders.reach.decorator_calls(place)
            )
        yield from ((file, use, False) for file, use in self._receivers.uses_of(place))
        yield from ((file, use, False) for file, use in self._descriptors.uses_of(place))
        yield from ((file, use, False) for file, use in self._proxies.uses_of(place))
        yield from ((file, use, False) for file, use in self._given_objects.uses_of(place))
        yield from self._receivers.constructs_of(place)

    # ---- sites

    def _source(self, path: FilePath, owner: int) -> SymbolRef:
        facts = self._places.facts(path)
        return SymbolRef(path, lasting_row(facts, node_row(facts, owner)) if owner >= 0 else -1)

    def _uses(self, place: SymbolRef) -> Sequence[int]:
        """The uses that calls from a place come from: of a class, those that fill its fields too."""
        facts = self._places.facts(place.file)
        filling = declared_classes(self._places.snapshot, place.file).filling(facts, self._places.rows(place))
        own = own_uses(facts, place.definition)
        return sorted({*own, *filling}) if filling else own

    def _body_around(self, path: FilePath, use: int) -> Sequence[SymbolRef]:
        """The class whose body runs a use, if it fills a field."""
        body = declared_classes(self._places.snapshot, path).body_around(self._places.facts(path), use)
        return () if body < 0 else (self._source(path, body),)

    def _classes_by_source(self, path: FilePath) -> Mapping[int, Sequence[int]]:
        """The classes of a file whose declaration may run something, by whose code that is."""
        known = self._declaring.get(path)
        if known is None:
            found: dict[int, list[int]] = {}
            for row in self._class_statements.classes(path):
                found.setdefault(self._source_of_class(SymbolRef(path, row)).definition, []).append(row)
            known = self._declaring[path] = found
        return known

    def _source_of_class(self, cls: SymbolRef) -> SymbolRef:
        return self._source(cls.file, self._class_statements.source(cls))

    def _sites(
        self, path: FilePath, uses: Sequence[int], constructs: Sequence[int], classes: Sequence[int] = ()
    ) -> Mapping[int, Sequence[_Site]]:
        """Sites among some uses, constructs and classes of a file, by source."""
        places = self._places
        facts, declared = places.facts(path), declared_classes(places.snapshot, path)
        table, others = facts.occurrences, facts.constructs
        sites: dict[int, list[_Site]] = {}

        def add(owner: int, site: _Site) -> None:
            if site.runs:
                sites.setdefault(self._source(path, owner).definition, []).append(site)

        def add_use(use: int, runs: Sequence[RunMember]) -> None:
            runs = _run_by(table.role[use], runs)
            add(table.owner[use], _Site(table.start[use], table.end[use], runs))
            if runs and declared.filled:
                for cls in self._body_around(path, use):
                    of_body = [RunMember(run.kind, run.target, _CLASS) for run in runs]
                    sites.setdefault(cls.definition, []).append(_Site(table.start[use], table.end[use], of_body))

        called = [use for use in uses if table.role[use] in _RUNNING_ROLES and places.is_called((path, use))]
        for use, held in self._of_objects(path, called):
            runs = self._runs(path, table.end[use], held)
            add_use(use, [run for run in runs if places.functional.runs(path, use, run.target)])
        for use, held in (*self._of_names(path, called), *self._of_callbacks(path, called)):
            add_use(use, self._runs(path, table.end[use], held))
        for row, held in self._of_values(path, constructs):
            add(others.owner[row], _Site(others.start[row], others.end[row], self._runs(path, others.end[row], held)))
        members = self._receivers.uses(path, uses), self._descriptors.uses(path, uses), self._proxies.uses(path, uses)
        for use, runs in (*chain.from_iterable(members), *self._given_objects.uses(path, called)):
            add_use(use, runs)
        for row, runs in self._receivers.constructs(path, constructs):
            add(others.owner[row], _Site(others.start[row], others.end[row], runs))
        for row, runs in self._class_statements.run(path, classes):
            owner, spans = self._class_statements.source(SymbolRef(path, row)), facts.definitions
            add(owner, _Site(spans.start[row], spans.end[row], runs, together=True))
        return sites

    def _of_names(self, path: FilePath, uses: Sequence[int]) -> Iterator[tuple[int, Iterable[HeldPlace]]]:
        """Calls by the name of what holds a function."""
        places = self._places
        facts = places.facts(path)
        table = facts.occurrences
        holders = _holders(facts)
        wanted = [use for use in uses if table.base[use] >= 0 or table.name[use] in holders]
        places.prepare(path, wanted)
        for use in wanted:
            meant = places.meant(path, use)
            held = (places.given_for(one) if places.kind(one) == DefinitionKind.METHOD else (one,) for one in meant)
            holding = [HeldPlace(one, Takes.VALUE) for ones in held for one in ones if places.kind(one) in HOLDING]
            if holding:  # of `if x: f = make()` and `else: def f()` links know the second
                yield use, holding
            elif not meant and (held := tuple(self._holders.inherited(path, use))):
                yield use, held

    def _of_callbacks(self, path: FilePath, uses: Sequence[int]) -> Iterator[tuple[int, Iterable[HeldPlace]]]:
        """Calls of libraries that call what they are given."""
        passing, places = self._places.passing(path), self._places
        for use in uses:
            if not (use in passing.given or use in passing.called_back) or places.meant(path, use):
                continue
            leaves = dict.fromkeys(passing.called_back.of(use))
            given = passing.given.of(use)
            called = places.called_outside(path, use) if given else ()
            leaves.update(
                (leaf, None) for one in given if (one.keyword or str(one.position)) in called for leaf in one.leaves
            )
            if leaves:
                yield use, self._holders.places_of(path, tuple(leaves))

    def _of_objects(self, path: FilePath, uses: Sequence[int]) -> Iterator[tuple[int, Iterable[HeldPlace]]]:
        """Calls of members of objects for which functions stand."""
        functional = self._places.functional
        for use in uses if functional.is_known_in(path) else ():
            leaves = functional.called(path, use)
            if leaves:
                yield use, self._holders.places_of(path, leaves)

    def _of_values(self, path: FilePath, constructs: Sequence[int]) -> Iterator[tuple[int, Iterable[HeldPlace]]]:
        """Calls of what an expression gives."""
        called, table = self._places.passing(path).called, self._places.facts(path).constructs
        for row in constructs:
            leaves = called.of(row)
            if not leaves:
                continue
            if table.kind[row] == ConstructKind.DECORATOR and table.owner[row] < 0:
                # The definition below a decorator speaks for the function that this names.
                leaves = tuple(leaf for leaf in leaves if leaf.takes != Takes.VALUE or self._holds(path, leaf.use))
            yield row, self._holders.places_of(path, leaves)

    def _holds(self, path: FilePath, use: int) -> bool:
        """Whether a use names what holds a value, nothing that is declared."""
        meant = self._places.meant(path, use)
        return bool(meant) and all(self._places.kind(one) in HOLDING for one in meant)

    def _runs(self, path: FilePath, callee_end: int, held: Iterable[HeldPlace]) -> Sequence[RunMember]:
        functions, objects = self._holders.held(held)
        if len(functions) > MOST_HELD:
            given = code_of(self._places.snapshot, path)
            if given.lexis.keywords:
                counted = _CallArguments.of(given, callee_end)
                functions = tuple(one for one in functions if self._takes(one, counted))
        runs = [RunMember(kind, target, _CALL) for function in functions for kind, target in self._run(function)]
        called = dict.fromkeys(method for made in objects for method in self._places.classes.called_of(made))
        return [*runs, *(RunMember(_CALLS, method, _CALL) for method in few_of(called, MOST_HELD))]

    def _takes(self, function: SymbolRef, given: _CallArguments) -> bool:
        """Whether a function can be called with some arguments, as far as their number and names tell."""
        facts = self._places.facts(function.file)
        table = facts.definitions
        rows = self._places.parameters(function)
        if given.open or self._places.kind(function) == DefinitionKind.CLASS:
            return True
        needed = [row for row in rows if not table.flags[row] & _NOT_NEEDED]
        filled = {facts.strings[table.name[row]] for row in needed[given.positions :]}
        return filled <= given.keywords

    def _edges(self, source: SymbolRef, sites: Sequence[_Site]) -> Iterator[RawEdge]:
        found: dict[tuple[str, SymbolRef], list[tuple[int, int, float, str]]] = {}
        for start, end, runs, together in sorted(sites, key=lambda site: site[:2]):
            sure = _SURE if together else max(_LEAST, round(_SURE / self._choices(runs), 2))
            for kind, target, implicit in runs:
                found.setdefault((kind, target), []).append((start, end, sure, implicit))
        named = self._named(source) if found else frozenset[tuple[str, object]]()
        for (kind, target), spans in found.items():
            if (kind, target) not in named:
                words = sorted({word for _, _, _, word in spans})
                yield flow_edge(
                    source,
                    target,
                    kind,
                    confidence=min(sure for _, _, sure, _ in spans),
                    implicit=",".join(words) if all(words) else "",
                    sites=tuple(dict.fromkeys((source.file, start, end) for start, end, _, _ in spans)),
                )

    def _choices(self, runs: Sequence[RunMember]) -> int:
        """Among how many things a site chooses: a class and its constructor are one."""
        # A variable around a function stands for what that is, where it has a name too.
        named = {run.target for run in runs if self._places.kind(run.target) in RUNNING}
        targets = named or {run.target for run in runs}
        makers = (place for one in targets if (place := self._constructor(one)) is not None)
        return len(targets.difference(makers))

    def _constructor(self, cls: SymbolRef) -> SymbolRef | None:
        maker = addresses(self._places.snapshot, cls.file).constructors.get(cls.definition)
        return None if maker is None else SymbolRef(cls.file, maker)

    def _run(self, function: SymbolRef) -> Iterator[tuple[str, SymbolRef]]:
        if self._places.kind(function) != DefinitionKind.CLASS:
            yield _CALLS, function
            return
        yield EdgeKind.INSTANTIATES.name.lower(), function
        maker = self._constructor(function)
        if maker is not None:
            yield _CALLS, maker

    def _named(self, source: SymbolRef) -> Set[tuple[str, object]]:
        """What links say already."""
        return {(edge.kind, edge.target) for edge in edges_of(self._places.snapshot, source)}


def _run_by(role: int, runs: Sequence[RunMember]) -> Sequence[RunMember]:
    """What a use runs, as the edges are called."""
    return [RunMember(_RENDERS, run.target, run.implicit) for run in runs] if role == Role.RENDER else runs


def _rows(part: object) -> int:
    tables: Iterable[object] = vars(part).values()
    return sum(len(cast("Mapping[object, object]", table)) for table in tables if isinstance(table, dict))


def _holders(facts: FileFacts) -> Set[int]:
    """Names that a file binds to what may hold a function."""
    table = facts.definitions
    holding = HOLDING | {DefinitionKind.IMPORT}
    return {name for name, kind in zip(table.name, table.kind, strict=True) if kind in holding}
