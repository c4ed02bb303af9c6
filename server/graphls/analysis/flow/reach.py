"""Reach: where what a place holds may get to, and be called there.

Owns: one step of the flow forward, the search over these.
Must not know: how a search back ends, edges.
Invariant: a step forward is a step back the other way; more is found than really is, so whoever asks looks back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final, Protocol, TypeAlias

from graphls.analysis.flow.class_members import FIELDS, FUNCTIONS, TooManyError
from graphls.analysis.flow.decorations import Decorations
from graphls.analysis.flow.inherited_fields import InheritedField, InheritedFields
from graphls.analysis.flow.injections import Injections
from graphls.analysis.flow.parameters import HeldPlace, Parameters
from graphls.analysis.flow.passing import operands_of
from graphls.analysis.flow.places import HOLDING, RUNNING, Places, Use
from graphls.analysis.flow.values import Destination, Takes, ValueTarget, written_use
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import SymbolRef

MOST_FORWARD: Final = 20_000
"""Places that are looked at to say where some may get to. An answer needs one search forward, while a search back runs
for each call of a file; and many short ways back are one long way forward."""
_MOST_NEAR: Final = 100
"""The same where the arguments of calls by other names are sought."""
MOST_REMEMBERED: Final = 400_000
"""Steps forward that are remembered; further ones are worked out again."""
RUN_LATER: Final = DefinitionFlag.GENERATOR | DefinitionFlag.ASYNC
"""Functions whose calls make an object that runs them."""
RESULTS: Final = frozenset((Takes.RESULT, Takes.AWAITED, Takes.RESULT_ELEMENT))
ELEMENTS: Final = frozenset((Takes.ELEMENT, Takes.RESULT_ELEMENT))
ASKED_OF_PROPERTY: Final = {Takes.VALUE: Takes.RESULT, Takes.ELEMENT: Takes.RESULT_ELEMENT}
"""What of a property its value, and the elements of that, are."""
_GIVEN_BY_PROPERTY: Final = {result: value for value, result in ASKED_OF_PROPERTY.items()}
GIVING_ITERATORS: Final = frozenset(("__iter__", "__aiter__"))
"""Methods whose result is asked for the elements of an object."""

Site: TypeAlias = "Use | tuple[FilePath, int, int]"
"""A use, or a construct as (file, row, 1)."""
_Step: TypeAlias = "HeldPlace | Site"
_Onward: TypeAlias = "tuple[tuple[HeldPlace, ...], tuple[Site, ...]]"
"""One step forward: to other places, and where something may run."""


class _Meanings(Protocol):
    """What a search back tells of uses."""

    def members(self, file: FilePath, use: int, depth: int) -> Iterator[SymbolRef]: ...

    def callables(self, held: tuple[HeldPlace, ...], depth: int = 0) -> Collection[SymbolRef]: ...


class Reach:
    """The flow of one snapshot, forward."""

    def __init__(
        self,
        places: Places,
        decorations: Decorations,
        fields: InheritedFields,
        injections: Injections,
        meanings: _Meanings,
    ) -> None:
        self._places = places
        self._parameters = Parameters(places)
        self._decorations = decorations
        self._fields = fields
        self._injections = injections
        self._meanings = meanings
        self._known: dict[tuple[HeldPlace, bool], _Onward] = {}
        self._remembered = 0
        self._same: dict[HeldPlace, HeldPlace] = {}

    def callers(self, function: SymbolRef) -> tuple[Site, ...]:
        """Where what may be the function is called: uses, and constructs as (file, row, 1). More than really are."""
        return self.reached((HeldPlace(function, Takes.VALUE),), operands=False, through=True)

    def decorator_calls(self, place: SymbolRef) -> tuple[Site, ...]:
        """Where what decorates a definition may call what it was given. More than really are."""
        starts = tuple(self._below_decorators(HeldPlace(place, Takes.VALUE), through=True))
        return self.reached(starts, operands=False, through=True)

    def constructs_on(self, makers: Iterable[SymbolRef]) -> tuple[Site, ...]:
        """Constructs, as (file, row, 1), and calls that may run a method of what calling classes or functions gives."""
        return self.reached([HeldPlace(one, Takes.RESULT) for one in makers], operands=True, through=True)

    def given_outside(self, makers: Iterable[SymbolRef]) -> Iterator[Use]:
        """Calls of libraries that are given what calling classes gives, and call it or members of it. More than are."""
        for site in self.reached([HeldPlace(one, Takes.RESULT) for one in makers], operands=False, through=True):
            if len(site) == 2 and not self._places.meant(*site):
                yield site

    def reached(self, starts: Iterable[HeldPlace], *, operands: bool, through: bool) -> tuple[Site, ...]:
        """`through`: also through calls of what holds a function, and members whose receivers links do not know."""
        seen = dict.fromkeys(one for start in starts for one in self._begin(start))
        queue = list(seen)
        found: dict[Site, None] = {}
        for one in queue:
            spend()
            try:
                for step in self._on_operands(one, through) if operands else ():
                    found[step] = None
            except TooManyError:
                continue
            places, sites = self._onward(one, through)
            found.update(dict.fromkeys(sites))
            for place in places:
                if place not in seen:
                    seen[place] = None
                    queue.append(place)
            if len(queue) > (MOST_FORWARD if through else _MOST_NEAR):
                break
        return tuple(found)

    def _begin(self, start: HeldPlace) -> Iterator[HeldPlace]:
        """Where objects of a class get that is a part of other objects, it gets itself: `for cls, args in layers`."""
        yield start
        places, place = self._places, start.place
        if start.takes == Takes.RESULT and places.kind(place) == DefinitionKind.CLASS and places.is_handed_on(place):
            yield HeldPlace(place, Takes.VALUE)

    def _onward(self, held: HeldPlace, through: bool) -> _Onward:
        """One step forward; as far as it goes where there are too many. Searches from many places come by the same
        ones: what a workspace hands on most is behind nearly each of them."""
        key = held, through
        known = self._known.get(key)
        if known is None:
            places: dict[HeldPlace, None] = {}
            sites: dict[Site, None] = {}
            with suppress(TooManyError):
                for step in self._steps(held, through):
                    if isinstance(step, HeldPlace):
                        places[self._same.setdefault(step, step)] = None
                    else:
                        sites[step] = None
            known = tuple(places), tuple(sites)
            if self._remembered < MOST_REMEMBERED:
                self._remembered += len(places) + len(sites) + 1
                self._known[key] = known
        return known

    def _on_operands(self, held: HeldPlace, through: bool) -> Iterator[Site]:
        """Constructs whose operand the value of a place is, and calls of it."""
        places = self._places
        kind = places.kind(held.place)
        taken, awaits = _taken(held, kind), not self._makes_later(held)
        for file, use in self._all_uses(held.place, through) if not held.key else ():
            if held.takes == Takes.VALUE and kind in HOLDING and places.is_called((file, use)):
                yield file, use
            for row, takes, inside in operands_of(places.snapshot, file).get(use, ()):
                if Takes.VALUE in _given(takes, inside, taken, awaits=awaits):
                    yield file, row, 1

    def _all_uses(self, place: SymbolRef, through: bool) -> Iterator[Use]:
        places = self._places
        # What a variable holds is not known where it has too many uses; of a function it is known, however many it has.
        yield from places.uses(place) if places.kind(place) in HOLDING else places.every_use(place)
        if places.is_written_value(place):
            yield place.file, written_use(place.definition)
        if through:
            yield from places.classes.open_uses(place)

    def _steps(self, held: HeldPlace, through: bool) -> Iterator[_Step]:
        if held.key and self._places.kind(held.place) == DefinitionKind.CLASS:
            yield from self._library_steps(held, through)
        elif held.key or held.takes == Takes.ELEMENT:
            yield from self._spread_steps(held, through)
        if not held.key:
            yield from self._plain_steps(held, through)

    def _plain_steps(self, held: HeldPlace, through: bool) -> Iterator[_Step]:
        places, place = self._places, held.place
        kind = places.kind(place)
        if kind == DefinitionKind.CLASS:
            yield from (HeldPlace(one, Takes.VALUE) for one in places.classes.receivers(place, held.takes))
        if kind in RUNNING:
            yield from self._below_decorators(held, through)
            yield from self._decorator_fields(held)
        if held.takes == Takes.VALUE and (kind == DefinitionKind.METHOD or kind in FIELDS):
            for file, use in places.classes.computing(place):
                for way in places.passing(file).ways.of(use):
                    if way.takes == Takes.COMPUTED:
                        yield from self._along(file, way._replace(takes=Takes.VALUE), held.takes, through)
        if held.takes in RESULTS and kind in FUNCTIONS:
            yield from self._result_steps(held, kind)
        if held.takes == Takes.VALUE and any(row in places.passing(place.file).unpacked for row in places.rows(place)):
            yield HeldPlace(place, Takes.RESULT)
        yield from (HeldPlace(one, held.takes) for one in places.classes.restated(place, below=False))
        yield from self._declared_steps(held)
        yield from self._steps_of_uses(held, kind, through)

    def _declared_steps(self, held: HeldPlace) -> Iterator[_Step]:
        """Where what a member of a literal holds is meant by the member that it stands for: a method only in calls."""
        places = self._places
        for declared in places.declared_for(held.place):
            if places.kind(declared) in HOLDING:
                yield HeldPlace(declared, held.takes)
            elif held.takes == Takes.VALUE:
                yield from (use for use in places.every_use(declared) if places.is_called(use))

    def _steps_of_uses(self, held: HeldPlace, kind: int, through: bool) -> Iterator[_Step]:
        places, place = self._places, held.place
        taken, awaits = _taken(held, kind), not self._makes_later(held)
        for file, use in self._all_uses(place, through):
            if held.takes == Takes.VALUE and kind in HOLDING and places.is_called((file, use)):
                yield file, use
            for row, takes, inside in places.functional.on(file, use):
                if Takes.VALUE in _given(takes, inside, taken, awaits=awaits):
                    yield file, row
            for way in places.passing(file).ways.of(use):
                yield from self._along(file, way, taken, through, awaits=awaits)

    def _result_steps(self, held: HeldPlace, kind: int) -> Iterator[_Step]:
        """Where what a function gives back gets to without a call of it by its name."""
        places, place = self._places, held.place
        yield from self._injections.forward(held)
        if held.takes == Takes.RESULT:
            yield from self._put_in_place(place)
        if kind == DefinitionKind.METHOD:
            yield from (HeldPlace(one, held.takes) for one in places.above(place) if one != place)
            if held.takes == Takes.RESULT_ELEMENT and places.name(place) in GIVING_ITERATORS:
                # What takes its objects apart has these parts.
                yield from (HeldPlace(one, Takes.RESULT) for one in places.classes.families(place))
            elif places.name(place) in GIVING_ITERATORS:  # what asks the object for elements asks its iterator
                yield from (HeldPlace(one, Takes.RESULT) for one in places.classes.families(place))
                yield from (
                    (*construct, 1) for one in places.above(place) for construct in places.constructs_running(one)
                )

    def _makes_later(self, held: HeldPlace) -> bool:
        """Whether it is the object that a call of a generator or coroutine makes: to wait for it gives another one."""
        return held.takes == Takes.RESULT and self._is_later(held.place)

    def _is_later(self, place: SymbolRef) -> bool:
        """Whether a function runs only when somebody waits, or asks for elements."""
        kind = self._places.kind(place)
        flags = self._places.facts(place.file).definitions.flags[place.definition] if kind in FUNCTIONS else 0
        return bool(flags & RUN_LATER)

    def _put_in_place(self, maker: SymbolRef) -> Iterator[HeldPlace]:
        """The definitions that what a function gives back stands for: those that it decorates."""
        places = self._places
        outer = places.outer(maker)
        for decorator, wanted in ((maker, False), (outer, True)):
            for file, use in places.every_use(decorator) if decorator is not None else ():
                below = places.passing(file).decorated.get(use)
                if below is not None and below[1] == wanted:
                    yield HeldPlace(places.canonical(SymbolRef(file, below[0])), Takes.VALUE)

    def _below_decorators(self, held: HeldPlace, through: bool) -> Iterator[HeldPlace]:
        """The first parameters of what decorates a definition."""
        places, place = self._places, held.place
        for row in places.rows(place):
            for use, by_call in places.passing(place.file).decorators.get(row, ()):
                for decorator in self._callees(place.file, use, through):
                    for function in places.runs(decorator):
                        taking = places.inner(function) if by_call else places.below(function)
                        for one in taking:
                            yield from self._parameters.first(one, held.takes)

    def _decorator_fields(self, held: HeldPlace) -> Iterator[HeldPlace]:
        """The fields from a library's class that hold a definition below a decorator."""
        places = self._places
        for row in places.rows(held.place):
            for use, by_call in places.passing(held.place.file).decorators.get(row, ()):
                for decorator in places.meant(held.place.file, use) if not by_call else ():
                    yield from self._library_fields(self._fields.filled_by(decorator), 0, "", held.takes)

    def _along(
        self, file: FilePath, way: ValueTarget, takes: Takes, through: bool, *, awaits: bool = True
    ) -> Iterator[_Step]:
        """Where a way leads from the value, the elements or the results of a place."""
        for gives in _given(way.takes, way.inside, takes, awaits=awaits):
            yield from self._to(file, way, gives, through)
        if way.takes == Takes.RESULT and takes == Takes.AWAITED and way.destination == Destination.RETURNED:
            function = self._places.canonical(SymbolRef(file, way.row))
            if not self._is_later(function):  # who waits for its result waits for what it gives back
                yield HeldPlace(function, Takes.AWAITED)

    def _to(self, file: FilePath, way: ValueTarget, gives: Takes, through: bool) -> Iterator[_Step]:
        places = self._places
        if way.destination == Destination.BOUND:
            yield HeldPlace(places.canonical(SymbolRef(file, way.row)), gives)
        elif way.destination in (Destination.RETURNED, Destination.YIELDED):
            yield from self._given_back(places.canonical(SymbolRef(file, way.row)), way, gives)
        elif way.destination == Destination.CALLED:
            yield from ((file, way.row, 1),) if gives == Takes.VALUE else ()
        elif way.destination == Destination.CALLED_BACK:
            yield from ((file, way.row),) if gives == Takes.VALUE else ()
        elif way.destination == Destination.GIVEN:
            yield from self._into(file, way, gives, through)
            if gives == Takes.VALUE and not places.meant(file, way.row):
                argument, use = way.keyword or str(way.position), (file, way.row)
                if argument in places.called_outside(*use) or argument in places.members_called_outside(*use):
                    yield use
        elif way.destination == Destination.STORED:
            if gives in (Takes.VALUE, Takes.ELEMENT):
                yield from (HeldPlace(place, Takes.ELEMENT) for place in self._named(file, way.row, through))
        else:
            yield from (HeldPlace(place, gives) for place in self._written_to(file, way, through))

    def _written_to(self, file: FilePath, way: ValueTarget, through: bool) -> Iterator[SymbolRef]:
        """The members that a use names, or that an object has which is written out there."""
        if way.destination == Destination.WRITTEN:
            yield from self._named(file, way.row, through)
        elif way.destination == Destination.FILLED:
            for cls in self._places.classes.types_meant(file, way.row):
                field = self._parameters.fills_field(way.position, "", self._places.classes.filled_fields(cls))
                yield from () if field is None else (field,)

    def _given_back(self, function: SymbolRef, way: ValueTarget, gives: Takes) -> Iterator[HeldPlace]:
        later = self._is_later(function)
        if way.destination == Destination.YIELDED:
            yield from (HeldPlace(function, Takes.RESULT_ELEMENT),) if gives == Takes.VALUE else ()
        elif gives == Takes.VALUE:
            yield HeldPlace(function, Takes.AWAITED if later else Takes.RESULT)
        elif gives == Takes.ELEMENT and not later:
            yield HeldPlace(function, Takes.RESULT_ELEMENT)

    def _out_of(
        self, file: FilePath, way: ValueTarget, callee: SymbolRef, gives: Takes, through: bool
    ) -> Iterator[_Step]:
        """Where the value of a call goes that gives back what it is given."""
        if self._places.kind(callee) not in FUNCTIONS:
            return
        for parameter in self._decorations.given_back(callee):
            if self._parameters.fills(way.position, way.keyword, parameter, callee) == Takes.VALUE:
                for further in self._places.passing(file).ways.of(way.row):
                    if further.takes in RESULTS:
                        yield from self._along(file, further._replace(takes=Takes.VALUE), gives, through)

    def _into(self, file: FilePath, way: ValueTarget, gives: Takes, through: bool) -> Iterator[_Step]:
        """The parameters that an argument fills."""
        places = self._places
        if way.row in places.passing(file).undispatched:
            owner = self._fields.filled_above(file, way.row)
            yield from self._library_fields(owner, way.position, way.keyword, gives)
        for callee in self._callees(file, way.row, through):
            yield from self._library_fields(self._fields.filled_by(callee), way.position, way.keyword, gives)
            yield from self._out_of(file, way, callee, gives, through)
            is_class = places.kind(callee) == DefinitionKind.CLASS
            if is_class:
                field = self._parameters.fills_field(way.position, way.keyword, places.classes.filled_fields(callee))
                if field is not None:
                    yield HeldPlace(field, gives)
            for function in self._run_by(callee, file, way.row):
                for row in places.parameters(function):
                    parameter = SymbolRef(function.file, row)
                    filled = self._parameters.fills(way.position, way.keyword, parameter, function)
                    if filled == Takes.VALUE:
                        yield HeldPlace(parameter, gives)
                    elif filled == Takes.ELEMENT:
                        yield HeldPlace(
                            parameter, gives, self._parameters.key(way.position, way.keyword, parameter, function)
                        )
                        if gives == Takes.VALUE:
                            yield HeldPlace(parameter, Takes.ELEMENT)

    def _run_by(self, callee: SymbolRef, file: FilePath, use: int) -> Iterator[SymbolRef]:
        """What a call runs: a class one constructor, a method itself or any that overrides it."""
        runs = self._places.runs(callee)
        is_exact = self._places.kind(callee) == DefinitionKind.CLASS or use in self._places.passing(file).undispatched
        if is_exact:
            yield from runs
        else:
            yield from (one for run in runs for one in self._places.below(run))

    def _library_steps(self, held: HeldPlace, through: bool) -> Iterator[_Step]:
        """Where a field that a class has from a library's is read."""
        for file, use in self._fields.uses(InheritedField(held.place, held.key)):
            if held.takes == Takes.VALUE and self._places.is_called((file, use)):
                yield file, use
            for way in self._places.passing(file).ways.of(use):
                yield from self._along(file, way, held.takes, through)

    def _library_fields(
        self, owner: SymbolRef | None, position: int, keyword: str, takes: Takes
    ) -> Iterator[HeldPlace]:
        """The field from a library's class that an argument fills."""
        name = self._fields.filled(owner, position, keyword) if owner is not None else ""
        if owner is not None and name:
            yield HeldPlace(owner, takes, name)

    def _spread_steps(self, held: HeldPlace, through: bool) -> Iterator[HeldPlace]:
        """What of functions' parameters the elements of a container are that calls spread out."""
        if self._places.kind(held.place) not in HOLDING:
            return
        for file, use in self._places.uses(held.place):
            for way in self._places.passing(file).ways.of(use):
                if way.destination == Destination.SPREAD:
                    yield from self._spread_into(held, file, way.row, use, through)

    def _spread_into(self, held: HeldPlace, file: FilePath, call: int, use: int, through: bool) -> Iterator[HeldPlace]:
        """The parameters that an element of what is spread fills in a call."""
        places = self._places
        for spread in places.passing(file).spread.of(call):
            if spread.use == use and (not held.key or self._parameters.takes_rest(held.place, spread)):
                for callee in self._callees(file, call, through):
                    for function in self._run_by(callee, file, call):
                        yield from self._parameters.filled_by_spread(held, function, spread)

    def _named(self, file: FilePath, use: int, through: bool) -> Iterator[SymbolRef]:
        """What a use means, as far as links or the objects that flow finds tell."""
        yield from self._places.meant(file, use)
        yield from self._meanings.members(file, use, 0) if through else ()

    def _callees(self, file: FilePath, use: int, through: bool) -> Iterator[SymbolRef]:
        places = self._places
        for callee in self._named(file, use, through):
            yield callee
            if through and places.kind(callee) in HOLDING:
                yield from self._meanings.callables((HeldPlace(callee, Takes.VALUE),))


def _taken(held: HeldPlace, kind: int) -> Takes:
    """What of a name is held: that of a property is what it gives."""
    return _GIVEN_BY_PROPERTY.get(held.takes, held.takes) if kind == DefinitionKind.PROPERTY else held.takes


def _given(leaf: Takes, inside: bool, held: Takes, *, awaits: bool = True) -> Sequence[Takes]:
    """The inverse: what of the made value the value, the elements or the results of the name are. `awaits`: to wait for
    the result gives it."""
    if inside:
        is_put_in = held == leaf or (leaf == Takes.AWAITED and held == Takes.RESULT and awaits)
        return (Takes.ELEMENT,) if is_put_in else ()
    if leaf == Takes.VALUE:
        return (held,)
    if leaf == Takes.AWAITED:
        return (Takes.VALUE,) if held == Takes.AWAITED or (held == Takes.RESULT and awaits) else ()
    if leaf == Takes.RESULT and held == Takes.RESULT_ELEMENT:
        return (Takes.ELEMENT,)
    if leaf != held:
        return ()
    return (Takes.VALUE, Takes.ELEMENT) if leaf in ELEMENTS else (Takes.VALUE,)
