"""Holders: which functions a place may hold, and which places may hold a function.

Owns: one step of the flow from what takes a value back to what it is taken from, and forward; the search over these.
Must not know: edges, output.
Invariant: a step forward is a step back the other way; beyond the bounds nothing is known.

Field-based and without contexts, after Feldthaus et al., "Efficient construction of approximate call graphs for
JavaScript IDE programming services" (ICSE 2013): one set for each variable, parameter and field, whatever the object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from graphls.analysis.flow.passing import Destination, Leaf, Takes, ValueTarget, passing_of
from graphls.analysis.flow.places import FUNCTIONS, HOLDING, RUNNING, Places, TooManyError, Use
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import is_test_file
from graphls.graph.snapshot import SymbolRef

MOST_HELD: Final = 8
"""Functions that one place may hold; of more none is listed."""
MOST_LISTED: Final = 100
"""The same where they are listed: a decorator is above each, a container is made of them, their names begin alike."""
MOST_STEPS: Final = 600
"""Places that are looked at for one question."""


class HeldPlace(NamedTuple):
    """A place and what of it: its value, its elements, or what calling it gives."""

    place: SymbolRef
    takes: Takes


_Site: TypeAlias = "Use | tuple[FilePath, int, int]"
"""A use, or a construct as (file, row, 1)."""
_Step: TypeAlias = "HeldPlace | _Site"


class Holders:
    """The flow of one snapshot."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._known: dict[tuple[HeldPlace, ...], tuple[SymbolRef, ...]] = {}
        self._given_back: dict[SymbolRef, Sequence[SymbolRef]] = {}

    # ---- back

    def functions(self, held: Iterable[HeldPlace]) -> tuple[SymbolRef, ...]:
        """What may be held, sorted; nothing where too much may."""
        key = tuple(sorted(set(held), key=_order_of))
        known = self._known.get(key)
        if known is None:
            try:
                known = self._search(key)
            except TooManyError:
                known = ()
            self._known[key] = known
        return known

    def _search(self, held: Sequence[HeldPlace]) -> tuple[SymbolRef, ...]:
        seen = dict.fromkeys(held)
        queue = list(seen)
        found: dict[SymbolRef, None] = {}
        listed = 0
        for one in queue:
            if one.takes == Takes.VALUE and self._places.kind(one.place) in RUNNING:
                found[one.place] = None
                continue
            for other, by_list in self._sources(one):
                if other not in seen:
                    seen[other] = None
                    queue.append(other)
                    listed += by_list
            if len(queue) > MOST_STEPS:
                raise TooManyError
        most = MOST_LISTED if listed >= len(found) - MOST_HELD else MOST_HELD
        if len(found) > most:
            # What tests hand over is left out before all is.
            found = {one: None for one in found if not is_test_file(one.file)}
        if len(found) > most:
            raise TooManyError
        return tuple(sorted(found, key=lambda place: (place.file, place.definition)))

    def _sources(self, held: HeldPlace) -> Iterator[tuple[HeldPlace, bool]]:
        """One step back; whether it is one of a list."""
        places, place = self._places, held.place
        passing = passing_of(places.snapshot, place.file)
        kind = places.kind(place)
        if held.takes == Takes.RESULT:
            own = self.given_back(place) if kind in FUNCTIONS else ()
            leaves = passing.returned.get(place.definition, ()) if kind in FUNCTIONS else ()
            found = self._plain(place.file, leaves, Takes.VALUE)
            # What a call gives for these is known at the call.
            yield from (one for one in found if one[0].place not in own)
            return
        if kind not in HOLDING:
            return
        for row in places.rows(place):
            yield from self._plain(place.file, passing.bound.get(row, ()), held.takes)
        if kind == DefinitionKind.PARAMETER:
            yield from self._arguments(held)
            return
        for file, use in places.uses(place):
            other = passing_of(places.snapshot, file)
            yield from self._plain(file, other.written.get(use, ()), held.takes)
            if held.takes == Takes.ELEMENT:
                yield from self._plain(file, other.stored.get(use, ()), Takes.VALUE)

    def _plain(self, file: FilePath, leaves: Iterable[Leaf], takes: Takes) -> Iterator[tuple[HeldPlace, bool]]:
        for leaf in leaves:
            listed = leaf.inside or leaf.takes == Takes.COMPUTED
            yield from ((held, listed) for held in self.held(file, (leaf,), takes))

    def held(self, file: FilePath, leaves: Iterable[Leaf], takes: Takes = Takes.VALUE) -> Iterator[HeldPlace]:
        """What leaves stand for where the value, or the elements, of what is made of them are wanted."""
        for leaf in leaves:
            wanted = _wanted(leaf.takes, leaf.inside, takes)
            if wanted is None:
                continue
            if wanted == Takes.COMPUTED:
                yield from (HeldPlace(method, Takes.VALUE) for method in self._places.computed(file, leaf.use))
                continue
            for place in self._places.meant(file, leaf.use):
                if wanted != Takes.RESULT:
                    yield HeldPlace(place, wanted)
                elif self._places.kind(place) in FUNCTIONS:
                    yield HeldPlace(place, wanted)
                    yield from self._through(file, leaf.use, place, takes)

    def _through(self, file: FilePath, use: int, function: SymbolRef, takes: Takes) -> Iterator[HeldPlace]:
        """What a call is given for parameters that the function gives back as they are."""
        for parameter in self.given_back(function):
            for one in passing_of(self._places.snapshot, file).given.get(use, ()):
                if self._fills(one.position, one.keyword, parameter, function) == Takes.VALUE:
                    yield from self.held(file, one.leaves, takes)

    def given_back(self, function: SymbolRef) -> Sequence[SymbolRef]:
        """The parameters of a function that it gives back as they are."""
        known = self._given_back.get(function)
        if known is None:
            places, found = self._places, dict[SymbolRef, None]()
            for leaf in passing_of(places.snapshot, function.file).returned.get(function.definition, ()):
                if leaf.takes == Takes.VALUE and not leaf.inside:
                    meant = places.meant(function.file, leaf.use)
                    found.update((one, None) for one in meant if places.kind(one) == DefinitionKind.PARAMETER)
            known = [one for one in found if places.function_of(one) == function]
            self._given_back[function] = known
        return known

    def _arguments(self, held: HeldPlace) -> Iterator[tuple[HeldPlace, bool]]:
        places = self._places
        function = places.function_of(held.place)
        if function is None:
            return
        for above in places.above(function):
            called = [above]
            maker = places.maker(above)
            if maker is not None:
                called.append(maker)
            for callee in called:
                for file, use in places.uses(callee):
                    yield from self._argument(held, function, file, use)
        outer = places.outer(function)
        if outer is not None:
            for file, use in places.uses(outer):
                below = passing_of(places.snapshot, file).decorated.get(use)
                if below is not None and below[1] and self._position(held.place, function) == 0:
                    yield HeldPlace(places.standing(SymbolRef(file, below[0])), held.takes), True

    def _argument(
        self, held: HeldPlace, function: SymbolRef, file: FilePath, use: int
    ) -> Iterator[tuple[HeldPlace, bool]]:
        """What one call gives to a parameter."""
        places = self._places
        passing = passing_of(places.snapshot, file)
        below = passing.decorated.get(use)
        if below is not None and not below[1]:
            if self._position(held.place, function) == 0:
                yield HeldPlace(places.standing(SymbolRef(file, below[0])), held.takes), True
            return
        if not places.is_called((file, use)):
            return
        for one in passing.given.get(use, ()):
            takes = self._fills(one.position, one.keyword, held.place, function)
            if takes is not None and (takes == Takes.VALUE or held.takes == Takes.ELEMENT):
                wanted = held.takes if takes == Takes.VALUE else Takes.VALUE
                yield from self._plain(file, one.leaves, wanted)

    def _position(self, parameter: SymbolRef, function: SymbolRef) -> int:
        rows = list(self._places.parameters(function))
        return rows.index(parameter.definition) if parameter.definition in rows else -1

    def _fills(self, position: int, keyword: str, parameter: SymbolRef, function: SymbolRef) -> Takes | None:
        """Whether an argument fills a parameter: as its value, or as one of its elements."""
        facts = self._places.snapshot.facts(parameter.file)
        bits, name = facts.definitions.flags[parameter.definition], facts.definitions.name[parameter.definition]
        if keyword:
            if bits & DefinitionFlag.KEYWORDS:
                rows = self._places.parameters(function)
                named = any(facts.strings[facts.definitions.name[row]] == keyword for row in rows)
                return None if named else Takes.ELEMENT
            return Takes.VALUE if facts.strings[name] == keyword else None
        place = self._position(parameter, function)
        if bits & DefinitionFlag.VARIADIC:
            return Takes.ELEMENT if position >= place else None
        return Takes.VALUE if position == place and not bits & DefinitionFlag.KEYWORDS else None

    # ---- forward

    def callers(self, function: SymbolRef) -> tuple[_Site, ...]:
        """Where what may be the function is called: uses, and constructs as (file, row, 1). More than really are."""
        seen = {HeldPlace(function, Takes.VALUE): None}
        queue = list(seen)
        found: dict[_Site, None] = {}
        for one in queue:
            try:
                for step in self._steps(one):
                    if isinstance(step, HeldPlace):
                        if step not in seen:
                            seen[step] = None
                            queue.append(step)
                    else:
                        found[step] = None
            except TooManyError:
                continue
            if len(queue) > MOST_STEPS:
                break
        return tuple(found)

    def _steps(self, held: HeldPlace) -> Iterator[_Step]:
        places, place = self._places, held.place
        kind = places.kind(place)
        if held.takes == Takes.VALUE and kind in RUNNING:
            yield from self._below_decorators(place)
        if held.takes == Takes.VALUE and kind == DefinitionKind.METHOD:
            for file, use in places.computing(place):
                for way in passing_of(places.snapshot, file).ways.get(use, ()):
                    if way.takes == Takes.COMPUTED:
                        yield from self._along(file, way._replace(takes=Takes.VALUE), held.takes)
        for file, use in places.uses(place):
            if held.takes == Takes.VALUE and kind in HOLDING and places.is_called((file, use)):
                yield file, use
            for way in passing_of(places.snapshot, file).ways.get(use, ()):
                yield from self._along(file, way, held.takes)

    def _below_decorators(self, place: SymbolRef) -> Iterator[HeldPlace]:
        """The first parameters of what decorates a definition."""
        places = self._places
        for row in places.rows(place):
            for use, by_call in passing_of(places.snapshot, place.file).decorators.get(row, ()):
                for decorator in places.meant(place.file, use):
                    for function in places.runs(decorator):
                        taking = places.inner(function) if by_call else places.below(function)
                        for one in taking:
                            yield from (
                                HeldPlace(SymbolRef(one.file, row), Takes.VALUE) for row in places.parameters(one)[:1]
                            )

    def _along(self, file: FilePath, way: ValueTarget, takes: Takes) -> Iterator[_Step]:
        """Where a way leads from the value, the elements or the results of a place."""
        places = self._places
        gives = _given(way.takes, way.inside, takes)
        if gives is None:
            return
        if way.destination == Destination.BOUND:
            yield HeldPlace(places.standing(SymbolRef(file, way.row)), gives)
        elif way.destination == Destination.RETURNED:
            if gives == Takes.VALUE:
                yield HeldPlace(places.standing(SymbolRef(file, way.row)), Takes.RESULT)
        elif way.destination == Destination.CALLED:
            if gives == Takes.VALUE:
                yield file, way.row, 1
        elif way.destination == Destination.GIVEN:
            yield from self._into(file, way, gives)
        elif way.destination == Destination.STORED:
            if gives == Takes.VALUE:
                yield from (HeldPlace(place, Takes.ELEMENT) for place in places.meant(file, way.row))
        else:
            yield from (HeldPlace(place, gives) for place in places.meant(file, way.row))

    def _out_of(self, file: FilePath, way: ValueTarget, callee: SymbolRef, gives: Takes) -> Iterator[_Step]:
        """Where the value of a call goes that gives back what it is given."""
        if self._places.kind(callee) not in FUNCTIONS:
            return
        for parameter in self.given_back(callee):
            if self._fills(way.position, way.keyword, parameter, callee) == Takes.VALUE:
                for further in passing_of(self._places.snapshot, file).ways.get(way.row, ()):
                    if further.takes == Takes.RESULT:
                        yield from self._along(file, further._replace(takes=Takes.VALUE), gives)

    def _into(self, file: FilePath, way: ValueTarget, gives: Takes) -> Iterator[_Step]:
        """The parameters that an argument fills."""
        places = self._places
        for callee in places.meant(file, way.row):
            yield from self._out_of(file, way, callee, gives)
            for function in (one for run in places.runs(callee) for one in places.below(run)):
                for row in places.parameters(function):
                    parameter = SymbolRef(function.file, row)
                    filled = self._fills(way.position, way.keyword, parameter, function)
                    if filled == Takes.VALUE:
                        yield HeldPlace(parameter, gives)
                    elif filled == Takes.ELEMENT and gives == Takes.VALUE:
                        yield HeldPlace(parameter, Takes.ELEMENT)


def _order_of(held: HeldPlace) -> tuple[str, int, int]:
    return held.place.file, held.place.definition, held.takes


def _wanted(leaf: Takes, inside: bool, wanted: Takes) -> Takes | None:
    """What is wanted of the name where a value made of it is wanted, or its elements."""
    if inside:
        return Takes.VALUE if wanted == Takes.ELEMENT and leaf == Takes.VALUE else None
    if leaf == Takes.VALUE:
        return wanted
    return leaf if wanted == Takes.VALUE else None


def _given(leaf: Takes, inside: bool, held: Takes) -> Takes | None:
    """The inverse: what of the made value the value, the elements or the results of the name are."""
    if inside:
        return Takes.ELEMENT if held == Takes.VALUE and leaf == Takes.VALUE else None
    if leaf == Takes.VALUE:
        return held if held != Takes.RESULT else None
    return Takes.VALUE if leaf == held else None
