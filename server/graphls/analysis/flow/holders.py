"""Holders: which functions a place may hold, and which places may hold a function.

Owns: one step of the flow from what takes a value back to what it is taken from, and forward; the search over these.
Must not know: edges, output.
Invariant: a step forward is a step back the other way; beyond the bounds nothing is known.

Field-based and without contexts, after Feldthaus et al., "Efficient construction of approximate call graphs for
JavaScript IDE programming services" (ICSE 2013): one set for each variable, parameter and field, whatever the object.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, TypeAlias

from graphls.analysis.flow.class_members import FUNCTIONS, GIVING, TooManyError
from graphls.analysis.flow.passing import (
    Destination,
    Leaf,
    Takes,
    ValueTarget,
    leaves_reader,
    operands_of,
)
from graphls.analysis.flow.places import HOLDING, RUNNING, Places, Use
from graphls.analysis.frameworks.marks import use_at
from graphls.facts.kinds import ConstructKind, DefinitionFlag, DefinitionKind, ExpressionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import is_test_file
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import SymbolRef

MOST_HELD: Final = 8
"""Functions that one place may hold; of more none is listed."""
MOST_LISTED: Final = 100
"""The same where they are listed: a decorator is above each, a container is made of them, their names begin alike."""
MOST_OBJECTS: Final = 8
"""Classes and generators whose objects one place may hold; of more none is listed."""
MOST_STEPS: Final = 2000
"""Places that are looked at to say what one place holds."""
MOST_FORWARD: Final = 20_000
"""Places that are looked at to say where some may get to. An answer needs one search forward, while a search back runs
for each call of a file; and many short ways back are one long way forward."""
LEAST_STEPS: Final = 100
STEPS_OF_A_FILE: Final = 1_000_000
"""Places that are looked at for questions about all names of one file; each has an equal part of them."""
MOST_DEPTH: Final = 2
"""Members of members that are looked up on objects which flow alone knows."""
_NEAR: Final = MOST_DEPTH + 1
"""The depth of questions that follow no calls by other names."""
_MOST_NEAR: Final = 100
"""The same as MOST_FORWARD where the arguments of calls by other names are sought."""
_MOST_READ: Final = 16
_NAMING: Final = frozenset((ExpressionKind.NAME, ExpressionKind.MEMBER))
_RESULTS: Final = frozenset((Takes.RESULT, Takes.AWAITED))
_RUN_LATER: Final = DefinitionFlag.GENERATOR | DefinitionFlag.ASYNC


class HeldPlace(NamedTuple):
    """A place and what of it: its value, its elements, or what calling it gives."""

    place: SymbolRef
    takes: Takes


class Held(NamedTuple):
    """What a place may hold, sorted: functions and classes; and those whose calls made the objects that it may hold."""

    functions: tuple[SymbolRef, ...]
    objects: tuple[SymbolRef, ...]


_NOTHING: Final = Held((), ())
_Site: TypeAlias = "Use | tuple[FilePath, int, int]"
"""A use, or a construct as (file, row, 1)."""
_Step: TypeAlias = "HeldPlace | _Site"


class Holders:
    """The flow of one snapshot."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._known: dict[tuple[tuple[HeldPlace, ...], int], Held] = {}
        self._sources_known: dict[tuple[HeldPlace, int], Sequence[tuple[HeldPlace, bool]] | None] = {}
        """One step back from each; None where there are too many."""
        self._given_back: dict[SymbolRef, Sequence[SymbolRef]] = {}
        self._standing: dict[SymbolRef, Mapping[SymbolRef, None]] = {}
        """What decorators make of functions."""
        self._unnamed: dict[SymbolRef, Sequence[Use]] = {}
        self._callables_known: dict[tuple[tuple[HeldPlace, ...], int], Collection[SymbolRef]] = {}
        self._readers: dict[FilePath, Callable[[int], Iterator[Leaf]]] = {}

    # ---- back

    def held(self, held: Iterable[HeldPlace], depth: int = 0) -> Held:
        """What may be held; nothing where too much may. `depth`: how many questions about objects led here."""
        places = tuple(sorted(set(held), key=_order_of))
        key = places, depth
        known = self._known.get(key)
        return self._held(places, depth) if known is None else known

    def _held(self, places: tuple[HeldPlace, ...], depth: int) -> Held:
        """What has all that it holds from one other place holds the same: a line of these is walked once for all."""
        line = {places: None}
        known: Held | None = None
        try:
            while known is None and (one := self._only_source(places, depth)) is not None and (one,) not in line:
                places = (one,)
                line[places] = None
                known = self._known.get((places, depth))
            if known is None:
                known = self._search(places, depth)
        except TooManyError:
            known = _NOTHING
        self._known.update(((each, depth), known) for each in line)
        return known

    def _only_source(self, held: Sequence[HeldPlace], depth: int) -> HeldPlace | None:
        if len(held) != 1:
            return None
        place, takes = held[0]
        kind = self._places.kind(place)
        is_held = takes == Takes.BARE or (takes == Takes.VALUE and kind in RUNNING)
        if is_held or (takes == Takes.RESULT and self._makes_object(place, kind)):
            return None
        steps = self._steps_back(held[0], depth)
        return steps[0][0] if len(steps) == 1 and not steps[0][1] else None

    def _most_steps(self, held: Sequence[HeldPlace]) -> int:
        """The more names a file has the fewer, so that all questions about one file cost what is bounded."""
        names = max((len(self._places.facts(one.place.file).definitions) for one in held), default=1)
        return min(MOST_STEPS, max(LEAST_STEPS, STEPS_OF_A_FILE // max(names, 1)))

    def _search(self, held: Sequence[HeldPlace], depth: int) -> Held:
        found: dict[SymbolRef, None] = {}
        objects: dict[SymbolRef, None] = {}
        listed = self._collect(held, depth, found, objects)
        most = MOST_LISTED if listed >= len(found) - MOST_HELD else MOST_HELD
        return Held(_few(found, most), _few(objects, MOST_OBJECTS))

    def _collect(
        self,
        held: Sequence[HeldPlace],
        depth: int,
        functions: dict[SymbolRef, None],
        objects: dict[SymbolRef, None],
    ) -> int:
        """Adds all that may be held; how many places on the way are of lists. Raises TooManyError."""
        most_steps = self._most_steps(held)
        seen = dict.fromkeys(held)
        queue = list(seen)
        listed = 0
        for one in queue:
            kind = self._places.kind(one.place)
            if one.takes == Takes.VALUE and kind in RUNNING:
                functions.update(self._decorated(one.place))
                continue
            if one.takes == Takes.BARE:
                functions[one.place] = None
                continue
            if one.takes == Takes.RESULT and self._makes_object(one.place, kind):
                objects[one.place] = None
            for other, by_list in self._steps_back(one, depth):
                if other not in seen:
                    seen[other] = None
                    queue.append(other)
                    listed += by_list
            if len(queue) > most_steps:
                raise TooManyError
        return listed

    def _steps_back(self, held: HeldPlace, depth: int) -> Sequence[tuple[HeldPlace, bool]]:
        key = held, depth
        if key not in self._sources_known:
            try:
                self._sources_known[key] = tuple(dict.fromkeys(self._sources(held, depth)))
            except TooManyError:
                self._sources_known[key] = None
        known = self._sources_known[key]
        if known is None:
            raise TooManyError
        return known

    def _makes_object(self, place: SymbolRef, kind: int) -> bool:
        """Whether a call makes an object: of a class, or one that runs the function when it is asked for elements."""
        if kind == DefinitionKind.CLASS:
            return True
        flags = self._places.facts(place.file).definitions.flags[place.definition] if kind in FUNCTIONS else 0
        return bool(flags & _RUN_LATER)

    def _decorated(self, place: SymbolRef) -> Mapping[SymbolRef, None]:
        """What a name of a function or class stands for: what decorators put in its place, else itself."""
        known = self._standing.get(place)
        if known is None:
            known = self._standing[place] = self._around(place)
        return known

    def _around(self, place: SymbolRef, below: int = -1) -> Mapping[SymbolRef, None]:
        """`below`: a use that names one of the decorators; what that is given."""
        places = self._places
        found: dict[SymbolRef, None] = {}
        for row in places.rows(place):
            around: dict[SymbolRef, None] = {place: None}
            for use, by_call in reversed(places.passing(place.file).decorators.get(row, ())):
                if use == below:
                    return around
                made: dict[SymbolRef, None] = {}
                for decorator in places.meant(place.file, use):
                    if places.kind(decorator) not in FUNCTIONS:
                        continue
                    for maker in self._made(decorator) if by_call else (decorator,):
                        made.update((one, None) for one in self._made(maker))
                        if self.given_back(maker):
                            made.update(around)
                around = made or around
            found.update(around)
        return found or {place: None}

    def _made(self, function: SymbolRef) -> Iterator[SymbolRef]:
        """The functions declared in one that it gives back."""
        places = self._places
        for leaf in places.passing(function.file).returned.get(function.definition, ()):
            if leaf.takes == Takes.VALUE and not leaf.inside:
                for one in places.meant(function.file, leaf.use):
                    if places.kind(one) in FUNCTIONS and places.outer(one) == function:
                        yield one

    def _sources(self, held: HeldPlace, depth: int) -> Iterator[tuple[HeldPlace, bool]]:
        """One step back; whether it is one of a list."""
        places, place = self._places, held.place
        passing = places.passing(place.file)
        kind = places.kind(place)
        if held.takes in _RESULTS and kind not in HOLDING:
            own = self.given_back(place) if kind in FUNCTIONS else ()
            leaves = self._results(held) if kind in GIVING else ()
            found = self._plain(place.file, leaves, Takes.VALUE, depth)
            # What a call gives for these is known at the call.
            yield from (one for one in found if one[0].place not in own)
            return
        if kind not in HOLDING:
            return
        for row in places.rows(place):
            yield from self._plain(place.file, passing.bound.get(row, ()), held.takes, depth)
        if kind == DefinitionKind.PARAMETER:
            owner = places.classes.owner_of_receiver(place)
            if owner is None:
                yield from self._arguments(held, depth)
            elif held.takes == Takes.VALUE:
                yield HeldPlace(*owner), False
            return
        if kind == DefinitionKind.FIELD:
            yield from ((HeldPlace(one, held.takes), False) for one in places.classes.restated(place, below=True))
            yield from self._filled(held, depth)
        if held.takes != Takes.ELEMENT and places.is_local(place):
            return
        for file, use in places.uses(place):
            other = places.passing(file)
            yield from self._plain(file, other.written.get(use, ()), held.takes, depth)
            if held.takes == Takes.ELEMENT:
                for leaf in other.stored.get(use, ()):
                    # Containers in containers are not told apart.
                    takes = Takes.ELEMENT if leaf.inside else Takes.VALUE
                    yield from self._plain(file, (leaf,), takes, depth)

    def _results(self, held: HeldPlace) -> Sequence[Leaf]:
        """What a function gives back, of one that runs later only where that is waited for."""
        places, place = self._places, held.place
        found = places.passing(place.file).returned.get(place.definition, ())
        later = bool(places.facts(place.file).definitions.flags[place.definition] & _RUN_LATER)
        if held.takes == Takes.RESULT:
            return () if later else found
        waited = [leaf._replace(takes=Takes.AWAITED) if leaf.takes == Takes.RESULT else leaf for leaf in found]
        return found if later else waited

    def _filled(self, held: HeldPlace, depth: int) -> Iterator[tuple[HeldPlace, bool]]:
        """What calls of a class without a constructor of its own give to a field."""
        places = self._places
        for cls in places.classes.filled_below(held.place):
            fields = places.classes.filled_fields(cls)
            for file, use in places.uses(cls):
                for one in places.passing(file).given.get(use, ()):
                    if self._fills_field(one.position, one.keyword, fields) == held.place:
                        yield from self._plain(file, one.leaves, held.takes, depth)

    def _fills_field(self, position: int, keyword: str, fields: Sequence[SymbolRef]) -> SymbolRef | None:
        if keyword:
            return next((field for field in fields if self._places.name(field) == keyword), None)
        return fields[position] if 0 <= position < len(fields) else None

    def _plain(
        self, file: FilePath, leaves: Iterable[Leaf], takes: Takes, depth: int
    ) -> Iterator[tuple[HeldPlace, bool]]:
        for leaf in leaves:
            listed = leaf.inside or leaf.takes == Takes.COMPUTED
            yield from ((held, listed) for held in self.places_of(file, (leaf,), takes, depth))

    def places_of(
        self, file: FilePath, leaves: Iterable[Leaf], takes: Takes = Takes.VALUE, depth: int = 0
    ) -> Iterator[HeldPlace]:
        """What leaves stand for where the value, or the elements, of what is made of them are wanted."""
        for leaf in leaves:
            wanted = _wanted(leaf.takes, leaf.inside, takes)
            if wanted is None:
                continue
            if wanted == Takes.COMPUTED:
                yield from (HeldPlace(method, Takes.VALUE) for method in self._places.classes.computed(file, leaf.use))
                continue
            for place in self._places.meant(file, leaf.use) or self._members(file, leaf.use, depth):
                kind = self._places.kind(place)
                if kind == DefinitionKind.PROPERTY:
                    if wanted == Takes.VALUE:
                        yield HeldPlace(place, Takes.RESULT)
                    continue
                yield HeldPlace(place, wanted)
                if wanted in _RESULTS and kind in FUNCTIONS:
                    yield from self._through(file, leaf.use, place, takes, depth)

    def _members(self, file: FilePath, use: int, depth: int) -> Iterator[SymbolRef]:
        """What a use of a member means whose receiver links do not know."""
        places = self._places
        if depth >= MOST_DEPTH or not places.classes.is_open_member(file, use):
            return
        facts = places.facts(file)
        name = facts.strings[facts.occurrences.name[use]]
        for cls in self.objects_at(file, facts.occurrences.base[use], depth + 1):
            if places.kind(cls) == DefinitionKind.CLASS:
                yield from places.classes.members(cls, name)

    def objects_at(self, file: FilePath, expression: int, depth: int = 0) -> tuple[SymbolRef, ...]:
        """The classes and generators whose objects an expression may give."""
        reader = self._readers.get(file)
        if reader is None:
            if len(self._readers) >= _MOST_READ:
                self._readers.clear()
            reader = self._readers[file] = leaves_reader(self._places.snapshot, file)
        leaves = tuple(reader(expression))
        return self.held(self.places_of(file, leaves, depth=depth), depth).objects if leaves else ()

    def _through(self, file: FilePath, use: int, function: SymbolRef, takes: Takes, depth: int) -> Iterator[HeldPlace]:
        """What a call is given for parameters that the function gives back as they are."""
        for parameter in self.given_back(function):
            for one in self._places.passing(file).given.get(use, ()):
                if self._fills(one.position, one.keyword, parameter, function) == Takes.VALUE:
                    yield from self.places_of(file, one.leaves, takes, depth)

    def given_back(self, function: SymbolRef) -> Sequence[SymbolRef]:
        """The parameters of a function that it gives back as they are."""
        known = self._given_back.get(function)
        if known is None:
            places, found = self._places, dict[SymbolRef, None]()
            for leaf in places.passing(function.file).returned.get(function.definition, ()):
                if leaf.takes == Takes.VALUE and not leaf.inside:
                    meant = places.meant(function.file, leaf.use)
                    found.update((one, None) for one in meant if places.kind(one) == DefinitionKind.PARAMETER)
            known = [one for one in found if places.function_of(one) == function]
            self._given_back[function] = known
        return known

    def _arguments(self, held: HeldPlace, depth: int) -> Iterator[tuple[HeldPlace, bool]]:
        places = self._places
        function = places.function_of(held.place)
        if function is None:
            return
        for callee in (*places.above(function), *places.classes.made_by(function)):
            for file, use in places.uses(callee):
                yield from self._argument(held, function, file, use, depth)
            for file, use in self._unnamed_calls(callee) if depth < _NEAR else ():
                yield from self._argument(held, function, file, use, depth)
        outer = places.outer(function)
        if outer is not None:
            for file, use in places.uses(outer):
                below = places.passing(file).decorated.get(use)
                if below is not None and below[1] and self._position(held.place, function) == 0:
                    yield from self._handed(file, below[0], use, held.takes)

    def _unnamed_calls(self, callee: SymbolRef) -> Sequence[Use]:
        """Uses that call what may be a function, a class or an object whose `__call__` it is."""
        known = self._unnamed.get(callee)
        if known is None:
            found: dict[Use, None] = {}
            places = self._places
            if places.is_given_away(callee):
                for site in self._reached((HeldPlace(callee, Takes.VALUE),), operands=False, through=False):
                    found.update((use, None) for use in self._use_of(site) if self._may_call(use, callee))
            for cls in places.classes.classes_called(callee):
                for site in self._reached((HeldPlace(cls, Takes.RESULT),), operands=True, through=False):
                    if len(site) == 2 or places.facts(site[0]).constructs.kind[site[1]] == ConstructKind.CALL:
                        found.update((use, None) for use in self._use_of(site) if self._may_call(use, callee))
            known = self._unnamed[callee] = tuple(found)
        return known

    def _may_call(self, use: Use, callee: SymbolRef) -> bool:
        """Whether a search back from a use finds a callee that a search forward led to the use."""
        return callee in self._callables(tuple(self.places_of(use[0], (Leaf(use[1], Takes.VALUE, False),))), _NEAR)

    def _use_of(self, site: _Site) -> Mapping[Use, None]:
        """The use that is called at a site."""
        if len(site) == 2:
            return {site: None}
        facts = self._places.facts(site[0])
        operand, table = facts.constructs.operand[site[1]], facts.expressions
        use = use_at(facts, table.c[operand]) if table.kind[operand] in _NAMING else -1
        return {(site[0], use): None} if use >= 0 else {}

    def _argument(
        self, held: HeldPlace, function: SymbolRef, file: FilePath, use: int, depth: int
    ) -> Iterator[tuple[HeldPlace, bool]]:
        """What one call gives to a parameter."""
        places = self._places
        passing = places.passing(file)
        below = passing.decorated.get(use)
        if below is not None and not below[1]:
            if self._position(held.place, function) == 0:
                yield from self._handed(file, below[0], use, held.takes)
            return
        for one in passing.given.get(use, ()):
            takes = self._fills(one.position, one.keyword, held.place, function)
            if takes is not None and (takes == Takes.VALUE or held.takes == Takes.ELEMENT):
                wanted = held.takes if takes == Takes.VALUE else Takes.VALUE
                found = self._plain(file, one.leaves, wanted, depth)
                # What decorators are made with is a list, as what they are above.
                yield from ((other, listed or below is not None) for other, listed in found)

    def _handed(self, file: FilePath, row: int, use: int, takes: Takes) -> Iterator[tuple[HeldPlace, bool]]:
        """What a decorator is given: the definition, or what those below it put in its place."""
        below = self._places.standing(SymbolRef(file, row))
        if takes == Takes.VALUE:
            yield from ((HeldPlace(one, Takes.BARE), True) for one in self._around(below, use))
        else:
            yield HeldPlace(below, takes), True

    def _position(self, parameter: SymbolRef, function: SymbolRef) -> int:
        rows = list(self._places.parameters(function))
        return rows.index(parameter.definition) if parameter.definition in rows else -1

    def _fills(self, position: int, keyword: str, parameter: SymbolRef, function: SymbolRef) -> Takes | None:
        """Whether an argument fills a parameter: as its value, or as one of its elements."""
        facts = self._places.facts(parameter.file)
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
        return self._reached((HeldPlace(function, Takes.VALUE),), operands=False, through=True)

    def decorator_calls(self, place: SymbolRef) -> tuple[_Site, ...]:
        """Where what decorates a definition may call what it was given. More than really are."""
        starts = [HeldPlace(start, Takes.VALUE) for start in self._below_decorators(place, through=True)]
        return self._reached(starts, operands=False, through=True)

    def constructs_on(self, makers: Iterable[SymbolRef]) -> tuple[_Site, ...]:
        """Constructs, as (file, row, 1), and calls that may run a method of what calling classes or functions gives."""
        return self._reached([HeldPlace(one, Takes.RESULT) for one in makers], operands=True, through=True)

    def _reached(self, starts: Iterable[HeldPlace], *, operands: bool, through: bool) -> tuple[_Site, ...]:
        """`through`: also through calls of what holds a function, and members whose receivers links do not know."""
        seen = dict.fromkeys(starts)
        queue = list(seen)
        found: dict[_Site, None] = {}
        for one in queue:
            spend()
            try:
                for step in self._on_operands(one, through) if operands else ():
                    found[step] = None
                for step in self._steps(one, through):
                    if isinstance(step, HeldPlace):
                        if step not in seen:
                            seen[step] = None
                            queue.append(step)
                    else:
                        found[step] = None
            except TooManyError:
                continue
            if len(queue) > (MOST_FORWARD if through else _MOST_NEAR):
                break
        return tuple(found)

    def _on_operands(self, held: HeldPlace, through: bool) -> Iterator[_Site]:
        """Constructs whose operand the value of a place is, and calls of it."""
        places = self._places
        kind = places.kind(held.place)
        taken = _taken(held, kind)
        for file, use in self._all_uses(held.place, through):
            if held.takes == Takes.VALUE and kind in HOLDING and places.is_called((file, use)):
                yield file, use
            for row, takes, inside in operands_of(places.snapshot, file).get(use, ()):
                if Takes.VALUE in _given(takes, inside, taken):
                    yield file, row, 1

    def _all_uses(self, place: SymbolRef, through: bool) -> Iterator[Use]:
        places = self._places
        # What a variable holds is not known where it has too many uses; of a function it is known, however many it has.
        yield from places.uses(place) if places.kind(place) in HOLDING else places.every_use(place)
        if through:
            yield from places.classes.open_uses(place)

    def _steps(self, held: HeldPlace, through: bool) -> Iterator[_Step]:
        places, place = self._places, held.place
        kind = places.kind(place)
        if kind == DefinitionKind.CLASS:
            yield from (HeldPlace(one, Takes.VALUE) for one in places.classes.receivers(place, held.takes))
        if kind in RUNNING:
            given = self._below_decorators(place, through)
            yield from (HeldPlace(parameter, held.takes) for parameter in given)
        if held.takes == Takes.VALUE and kind in (DefinitionKind.METHOD, DefinitionKind.FIELD):
            for file, use in places.classes.computing(place):
                for way in places.passing(file).ways.get(use, ()):
                    if way.takes == Takes.COMPUTED:
                        yield from self._along(file, way._replace(takes=Takes.VALUE), held.takes, through)
        if held.takes == Takes.RESULT and kind in FUNCTIONS:
            yield from self._put_in_place(place)
        yield from (HeldPlace(one, held.takes) for one in places.classes.restated(place, below=False))
        taken = _taken(held, kind)
        for file, use in self._all_uses(place, through):
            if held.takes == Takes.VALUE and kind in HOLDING and places.is_called((file, use)):
                yield file, use
            for way in places.passing(file).ways.get(use, ()):
                yield from self._along(file, way, taken, through)

    def _put_in_place(self, maker: SymbolRef) -> Iterator[HeldPlace]:
        """The definitions that what a function gives back stands for: those that it decorates."""
        places = self._places
        outer = places.outer(maker)
        for decorator, wanted in ((maker, False), (outer, True)):
            for file, use in places.every_use(decorator) if decorator is not None else ():
                below = places.passing(file).decorated.get(use)
                if below is not None and below[1] == wanted:
                    yield HeldPlace(places.standing(SymbolRef(file, below[0])), Takes.VALUE)

    def _below_decorators(self, place: SymbolRef, through: bool) -> Iterator[SymbolRef]:
        """The first parameters of what decorates a definition."""
        places = self._places
        for row in places.rows(place):
            for use, by_call in places.passing(place.file).decorators.get(row, ()):
                for decorator in self._callees(place.file, use, through):
                    for function in places.runs(decorator):
                        taking = places.inner(function) if by_call else places.below(function)
                        for one in taking:
                            yield from (SymbolRef(one.file, row) for row in places.parameters(one)[:1])

    def _along(self, file: FilePath, way: ValueTarget, takes: Takes, through: bool) -> Iterator[_Step]:
        """Where a way leads from the value, the elements or the results of a place."""
        for gives in _given(way.takes, way.inside, takes):
            yield from self._to(file, way, gives, through)

    def _to(self, file: FilePath, way: ValueTarget, gives: Takes, through: bool) -> Iterator[_Step]:
        places = self._places
        if way.destination == Destination.BOUND:
            yield HeldPlace(places.standing(SymbolRef(file, way.row)), gives)
        elif way.destination == Destination.RETURNED:
            if gives == Takes.VALUE:
                yield HeldPlace(places.standing(SymbolRef(file, way.row)), Takes.RESULT)
        elif way.destination == Destination.CALLED:
            if gives == Takes.VALUE:
                yield file, way.row, 1
        elif way.destination == Destination.CALLED_BACK:
            if gives == Takes.VALUE:
                yield file, way.row
        elif way.destination == Destination.GIVEN:
            yield from self._into(file, way, gives, through)
        elif way.destination == Destination.STORED:
            if gives in (Takes.VALUE, Takes.ELEMENT):
                yield from (HeldPlace(place, Takes.ELEMENT) for place in places.meant(file, way.row))
        else:
            yield from (HeldPlace(place, gives) for place in places.meant(file, way.row))

    def _out_of(
        self, file: FilePath, way: ValueTarget, callee: SymbolRef, gives: Takes, through: bool
    ) -> Iterator[_Step]:
        """Where the value of a call goes that gives back what it is given."""
        if self._places.kind(callee) not in FUNCTIONS:
            return
        for parameter in self.given_back(callee):
            if self._fills(way.position, way.keyword, parameter, callee) == Takes.VALUE:
                for further in self._places.passing(file).ways.get(way.row, ()):
                    if further.takes in _RESULTS:
                        yield from self._along(file, further._replace(takes=Takes.VALUE), gives, through)

    def _into(self, file: FilePath, way: ValueTarget, gives: Takes, through: bool) -> Iterator[_Step]:
        """The parameters that an argument fills."""
        places = self._places
        for callee in self._callees(file, way.row, through):
            yield from self._out_of(file, way, callee, gives, through)
            is_class = places.kind(callee) == DefinitionKind.CLASS
            if is_class:
                field = self._fills_field(way.position, way.keyword, places.classes.filled_fields(callee))
                if field is not None:
                    yield HeldPlace(field, gives)
            # A class runs one constructor, a method may be any that overrides it.
            runs = places.runs(callee)
            for function in runs if is_class else (one for run in runs for one in places.below(run)):
                for row in places.parameters(function):
                    parameter = SymbolRef(function.file, row)
                    filled = self._fills(way.position, way.keyword, parameter, function)
                    if filled == Takes.VALUE:
                        yield HeldPlace(parameter, gives)
                    elif filled == Takes.ELEMENT and gives == Takes.VALUE:
                        yield HeldPlace(parameter, Takes.ELEMENT)

    def _callees(self, file: FilePath, use: int, through: bool) -> Iterator[SymbolRef]:
        places = self._places
        for callee in places.meant(file, use):
            yield callee
            if through and places.kind(callee) in HOLDING:
                yield from self._callables((HeldPlace(callee, Takes.VALUE),))

    def _callables(self, held: tuple[HeldPlace, ...], depth: int = 0) -> Collection[SymbolRef]:
        """The functions and classes that a call of places may run, however many: whoever asks may find too much."""
        known = self._callables_known.get((held, depth))
        if known is None:
            functions: dict[SymbolRef, None] = {}
            objects: dict[SymbolRef, None] = {}
            with suppress(TooManyError):
                self._collect(held, depth, functions, objects)
            classes = self._places.classes
            functions.update((one, None) for made in objects for one in classes.called_of(made))
            known = self._callables_known[held, depth] = functions.keys()
        return known


def _order_of(held: HeldPlace) -> tuple[str, int, int]:
    return held.place.file, held.place.definition, held.takes


def _few(found: Mapping[SymbolRef, None], most: int) -> tuple[SymbolRef, ...]:
    """All, if they are few; what tests hand over is left out before all is."""
    left = list(found)
    if len(left) > most:
        left = [one for one in left if not is_test_file(one.file)]
    return tuple(sorted(left, key=lambda place: (place.file, place.definition))) if len(left) <= most else ()


def _taken(held: HeldPlace, kind: int) -> Takes:
    """What of a name is held: that of a property is what it gives."""
    return Takes.VALUE if kind == DefinitionKind.PROPERTY and held.takes == Takes.RESULT else held.takes


def _wanted(leaf: Takes, inside: bool, wanted: Takes) -> Takes | None:
    """What is wanted of the name where a value made of it is wanted, or its elements."""
    if inside:
        return Takes.VALUE if wanted == Takes.ELEMENT and leaf == Takes.VALUE else None
    if leaf == Takes.VALUE:
        return wanted
    # Containers in containers are not told apart.
    return leaf if wanted in (Takes.VALUE, leaf) and (wanted == Takes.VALUE or leaf == Takes.ELEMENT) else None


def _given(leaf: Takes, inside: bool, held: Takes) -> Sequence[Takes]:
    """The inverse: what of the made value the value, the elements or the results of the name are."""
    if inside:
        return (Takes.ELEMENT,) if held == Takes.VALUE and leaf == Takes.VALUE else ()
    if leaf == Takes.VALUE:
        return (held,)
    if leaf == Takes.AWAITED:
        leaf = Takes.RESULT
    if leaf != held:
        return ()
    return (Takes.VALUE, Takes.ELEMENT) if leaf == Takes.ELEMENT else (Takes.VALUE,)
