"""Holders: which functions a place may hold.

Owns: one step of the flow from what takes a value back to what it is taken from, and the search over these.
Must not know: edges, output.
Invariant: a step back is a step of `Reach` the other way; beyond the bounds nothing is known.

Field-based and without contexts, after Feldthaus et al., "Efficient construction of approximate call graphs for
JavaScript IDE programming services" (ICSE 2013): one set for each variable, parameter and field, whatever the object.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple
from weakref import proxy

from graphls.analysis.flow.class_members import FIELDS, FUNCTIONS, GIVING, TooManyError, is_symbol
from graphls.analysis.flow.decorations import Decorations
from graphls.analysis.flow.inherited_fields import InheritedFields
from graphls.analysis.flow.injections import Injections
from graphls.analysis.flow.parameters import HeldPlace, Parameters
from graphls.analysis.flow.passing import leaves_reader
from graphls.analysis.flow.places import HOLDING, RUNNING, Places, Use
from graphls.analysis.flow.reach import ASKED_OF_PROPERTY, ELEMENTS, GIVING_ITERATORS, RESULTS, RUN_LATER, Reach, Site
from graphls.analysis.flow.values import Leaf, SpreadArguments, Takes
from graphls.facts.kinds import ConstructKind, DefinitionKind, ExpressionKind, Role
from graphls.facts.paths import FilePath
from graphls.graph.nodes import is_test_file, use_at
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import SymbolRef

MOST_HELD: Final = 16
"""Functions that one place may hold; of more none is listed."""
MOST_LISTED: Final = 400
"""The same where they are listed: a decorator is above each, a container is made of them, objects are written out with
them, their names begin alike."""
MOST_OBJECTS: Final = 100
"""Classes and generators whose objects one place may hold; of more none is listed. What is asked of the objects is
listed where it leads to few functions: many classes below one have its members."""
MOST_STEPS: Final = 2000
"""Places that are looked at to say what one place holds."""
LEAST_STEPS: Final = 100
STEPS_OF_A_FILE: Final = 1_000_000
"""Places that are looked at for questions about all names of one file; each has an equal part of them."""
MOST_DEPTH: Final = 2
"""Members of members that are looked up on objects which flow alone knows."""
_NEAR: Final = MOST_DEPTH + 1
"""The depth of questions that follow no calls by other names."""
_INNERMOST: Final = _NEAR + 1
"""That of questions that such a question asks."""
_MOST_READ: Final = 16
_NAMING: Final = frozenset((ExpressionKind.NAME, ExpressionKind.MEMBER))


class HeldValues(NamedTuple):
    """What a place may hold, sorted: functions and classes; and those whose calls made the objects that it may hold."""

    functions: tuple[SymbolRef, ...]
    objects: tuple[SymbolRef, ...]


_NOTHING: Final = HeldValues((), ())


class Holders:
    """The flow of one snapshot."""

    def __init__(self, places: Places, injections: Injections) -> None:
        self._places = places
        self._injections = injections
        self._parameters = Parameters(places)
        self._fields = InheritedFields(places)
        self._decorations = Decorations(places)
        self.reach = Reach(places, self._decorations, self._fields, injections, proxy(self))
        """The same flow, forward."""
        self._known: dict[tuple[tuple[HeldPlace, ...], int], HeldValues] = {}
        self._sources_known: dict[tuple[HeldPlace, int], Sequence[tuple[HeldPlace, bool]] | None] = {}
        """One step back from each; None where there are too many."""
        self._unnamed: dict[SymbolRef, Sequence[Use]] = {}
        self._open: dict[tuple[SymbolRef, int], Sequence[Use]] = {}
        self._callables_known: dict[tuple[tuple[HeldPlace, ...], int], Collection[SymbolRef]] = {}
        self._readers: dict[FilePath, Callable[[int], Iterator[Leaf]]] = {}

    def held(self, held: Iterable[HeldPlace], depth: int = 0) -> HeldValues:
        """What may be held; nothing where too much may. `depth`: how many questions about objects led here."""
        places = tuple(sorted(set(held), key=_order_of))
        key = places, depth
        known = self._known.get(key)
        return self._held(places, depth) if known is None else known

    def _held(self, places: tuple[HeldPlace, ...], depth: int) -> HeldValues:
        """What has all that it holds from one other place holds the same: a line of these is walked once for all."""
        line = {places: None}
        known: HeldValues | None = None
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
        place, takes, _ = held[0]
        kind = self._kind(held[0])
        is_held = takes == Takes.BARE or (takes == Takes.VALUE and kind in RUNNING)
        is_held = is_held or self._stands_for_function(held[0])
        if is_held or (takes == Takes.RESULT and self._makes_object(place, kind)):
            return None
        steps = self._steps_back(held[0], depth)
        return steps[0][0] if len(steps) == 1 and not steps[0][1] else None

    def _most_steps(self, held: Sequence[HeldPlace]) -> int:
        """The more names a file has the fewer, so that all questions about one file cost what is bounded."""
        names = max((len(self._places.facts(one.place.file).definitions) for one in held), default=1)
        return min(MOST_STEPS, max(LEAST_STEPS, STEPS_OF_A_FILE // max(names, 1)))

    def _search(self, held: Sequence[HeldPlace], depth: int) -> HeldValues:
        found: dict[SymbolRef, None] = {}
        objects: dict[SymbolRef, None] = {}
        listed = self._collect(held, depth, found, objects)
        most = MOST_LISTED if listed >= len(found) - MOST_HELD else MOST_HELD
        return HeldValues(few_of(found, most), few_of(objects, MOST_OBJECTS))

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
            kind = self._kind(one)
            if one.takes == Takes.VALUE and kind in RUNNING:
                functions.update(self._decorations.stands_for(one.place))
                continue
            if one.takes == Takes.BARE:
                functions[one.place] = None
                continue
            if self._stands_for_function(one):
                functions[one.place] = None
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

    def _stands_for_function(self, held: HeldPlace) -> bool:
        return held.takes == Takes.VALUE and not held.key and self._places.is_wrapped_function(held.place)

    def _steps_back(self, held: HeldPlace, depth: int) -> Sequence[tuple[HeldPlace, bool]]:
        key = held, depth
        if key not in self._sources_known:
            spend()
            try:
                self._sources_known[key] = tuple(dict.fromkeys(self._sources(held, depth)))
            except TooManyError:
                self._sources_known[key] = None
        known = self._sources_known[key]
        if known is None:
            raise TooManyError
        return known

    def _kind(self, held: HeldPlace) -> int:
        """DefinitionKind of what is held; of a part of it a field's."""
        return DefinitionKind.FIELD if held.key else self._places.kind(held.place)

    def _makes_object(self, place: SymbolRef, kind: int) -> bool:
        """Whether a call makes an object: of a class, or one that runs the function when it is asked for elements."""
        if self._places.makes_objects(place):
            return True
        flags = self._places.facts(place.file).definitions.flags[place.definition] if kind in FUNCTIONS else 0
        return bool(flags & RUN_LATER)

    def _sources(self, held: HeldPlace, depth: int) -> Iterator[tuple[HeldPlace, bool]]:
        """One step back; whether it is one of a list."""
        places, place = self._places, held.place
        kind = self._kind(held)
        if held.takes in RESULTS and kind not in HOLDING:
            own = self._decorations.given_back(place) if kind in FUNCTIONS else ()
            found = self._given_back(held, depth) if kind in GIVING else ()
            # What a call gives for these is known at the call.
            yield from (one for one in found if one[0].place not in own)
            if kind == DefinitionKind.METHOD:
                overriding = (one for one in places.below(place) if one != place)
                yield from ((HeldPlace(one, held.takes), False) for one in overriding)
            return
        if held.key and places.kind(place) == DefinitionKind.CLASS:
            yield from self._given_to_library(held, depth)
        elif held.key:
            yield from self._arguments(held, depth)
        elif kind in HOLDING:
            yield from self._held_before(held, kind, depth)

    def _held_before(self, held: HeldPlace, kind: int, depth: int) -> Iterator[tuple[HeldPlace, bool]]:
        """One step back from what a variable, parameter or field holds."""
        places, place = self._places, held.place
        passing = places.passing(place.file)
        for row in places.rows(place):
            yield from self._plain(place.file, passing.bound.of(row), held.takes, depth)
            if row in passing.unpacked and depth <= _NEAR:
                yield from self._part(place.file, passing.unpacked[row], held.takes)
        if kind == DefinitionKind.PARAMETER:
            owner = places.classes.owner_of_receiver(place)
            if owner is None:
                yield from self._arguments(held, depth)
                yield from ((one, False) for one in self._injections.back(held))
            elif held.takes == Takes.VALUE:
                yield HeldPlace(*owner), False
            return
        if kind in FIELDS:
            yield from ((HeldPlace(one, held.takes), False) for one in places.classes.restated(place, below=True))
            yield from ((HeldPlace(one, held.takes), False) for one in places.given_for(place))
            yield from self._filled(held, depth)
        if held.takes != Takes.ELEMENT and places.is_local(place) and not places.functional.is_known_in(place.file):
            return
        for file, use in (*places.uses(place), *self._open_uses(place, depth)):
            other = places.passing(file)
            by_key = use >= 0 and places.facts(file).occurrences.role[use] == Role.KEYWORD
            found = self._plain(file, other.written.of(use), held.takes, depth)
            yield from ((one, listed or by_key) for one, listed in found)
            if held.takes == Takes.ELEMENT:
                for leaf in other.stored.of(use):
                    # Containers in containers are not told apart.
                    takes = Takes.ELEMENT if leaf.inside else Takes.VALUE
                    yield from self._plain(file, (leaf,), takes, depth)

    def _part(self, file: FilePath, row: int, takes: Takes) -> Iterator[tuple[HeldPlace, bool]]:
        """What unpacking the objects of an expression gives, as far as names lead there: one answer at all depths."""
        objects = self.objects_at(file, row, _INNERMOST)
        found = (one for name in GIVING_ITERATORS for one in self.members_of(objects, name, MOST_HELD))
        elements = tuple(HeldPlace(one, Takes.RESULT_ELEMENT) for one in found)
        if takes == Takes.VALUE:
            yield from ((one, False) for one in elements)
        elif takes in (Takes.RESULT, Takes.AWAITED):
            made = self.held(elements, _INNERMOST).functions if elements else ()
            yield from ((HeldPlace(one, takes), False) for one in made)

    def _given_back(self, held: HeldPlace, depth: int) -> Iterator[tuple[HeldPlace, bool]]:
        """What a function gives back, of one that runs later only where that is waited for, or its elements."""
        places, place = self._places, held.place
        passing, flags = places.passing(place.file), places.facts(place.file).definitions.flags[place.definition]
        found = passing.returned.of(place.definition)
        if held.takes == Takes.RESULT_ELEMENT:
            yield from self._plain(place.file, passing.yielded.of(place.definition), Takes.VALUE, depth)
            yield from self._plain(place.file, () if flags & RUN_LATER else found, Takes.ELEMENT, depth)
        elif held.takes == Takes.RESULT:
            yield from self._plain(place.file, () if flags & RUN_LATER else found, Takes.VALUE, depth)
        else:
            waited = [leaf._replace(takes=Takes.AWAITED) if leaf.takes == Takes.RESULT else leaf for leaf in found]
            yield from self._plain(place.file, found if flags & RUN_LATER else waited, Takes.VALUE, depth)

    def _filled(self, held: HeldPlace, depth: int) -> Iterator[tuple[HeldPlace, bool]]:
        """What calls of a class without a constructor of its own give to a field."""
        places = self._places
        for cls in places.classes.filled_below(held.place):
            fields = places.classes.filled_fields(cls)
            for file, use in places.classes.uses_as_type(cls):
                passing = places.passing(file)
                for one in passing.given.of(use):
                    if self._parameters.fills_field(one.position, one.keyword, fields) == held.place:
                        yield from self._plain(file, one.leaves, held.takes, depth)
                # Objects that are written out are tables, with a function of each implementation.
                for one in passing.filled.of(use):
                    if self._parameters.fills_field(one.position, one.keyword, fields) == held.place:
                        found = self._plain(file, one.leaves, held.takes, depth)
                        yield from ((other, True) for other, _ in found)

    def _given_to_library(self, held: HeldPlace, depth: int) -> Iterator[tuple[HeldPlace, bool]]:
        """What fills a field that a class has from a library's."""
        for file, use in self._fields.fillers(held.place):
            passing = self._places.passing(file)
            below = passing.decorated.get(use)
            if below is not None and not below[1]:
                if self._fields.filled(held.place, 0, "") == held.key:
                    yield from self._decorations.handed(file, below[0], use, held.takes)
                continue
            for one in passing.given.of(use):
                if self._fields.filled(held.place, one.position, one.keyword) == held.key:
                    yield from self._plain(file, one.leaves, held.takes, depth)

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
            yield from self.inherited(file, leaf.use, wanted)
            for place in (*self._places.meant(file, leaf.use), *self.members(file, leaf.use, depth)):
                kind = self._places.kind(place)
                if kind == DefinitionKind.PROPERTY:
                    if wanted in ASKED_OF_PROPERTY:
                        yield HeldPlace(place, ASKED_OF_PROPERTY[wanted])
                    continue
                yield HeldPlace(place, wanted)
                if wanted in RESULTS and kind in FUNCTIONS:
                    yield from self._through(file, leaf.use, place, takes, depth)

    def inherited(self, file: FilePath, use: int, takes: Takes = Takes.VALUE) -> Iterator[HeldPlace]:
        """What a use means that reads a field from a library's class."""
        field = self._fields.meant(file, use)
        if field is not None:
            yield HeldPlace(field.owner, takes, field.name)

    def members(self, file: FilePath, use: int, depth: int) -> Iterator[SymbolRef]:
        """What a use of a member means whose receiver links do not know."""
        places = self._places
        if depth >= MOST_DEPTH or not places.classes.is_open_member(file, use):
            return
        yield from self.members_at(file, use, MOST_HELD, depth + 1)

    def members_at(self, file: FilePath, use: int, most: int, depth: int = 0) -> tuple[SymbolRef, ...]:
        """The members that a use may mean, of the objects that its receiver may be, if they are few."""
        facts = self._places.facts(file)
        name = facts.strings[facts.occurrences.name[use]]
        if is_symbol(name):
            return few_of(dict.fromkeys(self._places.classes.under_symbol(file, name)), most)
        return self.members_of(self.objects_at(file, facts.occurrences.base[use], depth), name, most)

    def members_of(self, objects: Iterable[SymbolRef], name: str, most: int) -> tuple[SymbolRef, ...]:
        """The members of a name that objects of some classes have, if they are few."""
        places = self._places
        classes = [one for one in objects if places.makes_objects(one)]
        found = dict.fromkeys(member for cls in classes for member in places.classes.members(cls, name))
        return few_of(found, most)

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
        for parameter in self._decorations.given_back(function):
            for one in self._places.passing(file).given.of(use):
                if self._parameters.fills(one.position, one.keyword, parameter, function) == Takes.VALUE:
                    yield from self.places_of(file, one.leaves, takes, depth)

    def _arguments(self, held: HeldPlace, depth: int) -> Iterator[tuple[HeldPlace, bool]]:
        places = self._places
        function = places.function_of(held.place)
        if function is None:
            return
        for callee in (*places.above(function), *places.classes.made_by(function)):
            for file, use in places.uses(callee):
                if callee != function and use in places.passing(file).undispatched:
                    continue
                yield from self._argument(held, function, file, use, depth)
            for file, use in self._unnamed_calls(callee) if depth < _NEAR else ():
                yield from self._argument(held, function, file, use, depth)
            for file, use in self._open_uses(callee, depth):
                yield from self._argument(held, function, file, use, depth)
        outer = places.outer(function)
        if outer is not None:
            for file, use in places.uses(outer):
                below = places.passing(file).decorated.get(use)
                if below is not None and below[1] and self._parameters.is_first(held, function):
                    yield from self._decorations.handed(file, below[0], use, held.takes)

    def _unnamed_calls(self, callee: SymbolRef) -> Sequence[Use]:
        """Uses that call what may be a function, a class or an object whose `__call__` it is."""
        known = self._unnamed.get(callee)
        if known is None:
            found: dict[Use, None] = {}
            places = self._places
            if places.is_given_away(callee):
                for site in self.reach.reached((HeldPlace(callee, Takes.VALUE),), operands=False, through=False):
                    found.update((use, None) for use in self._use_of(site) if self._may_call(use, callee))
            for cls in places.classes.classes_called(callee):
                for site in self.reach.reached((HeldPlace(cls, Takes.RESULT),), operands=True, through=False):
                    if len(site) == 2 or places.facts(site[0]).constructs.kind[site[1]] == ConstructKind.CALL:
                        found.update((use, None) for use in self._use_of(site) if self._may_call(use, callee))
            known = self._unnamed[callee] = tuple(found)
        return known

    def _open_uses(self, member: SymbolRef, depth: int) -> Sequence[Use]:
        """Uses of a member of objects that flow alone knows."""
        key = member, depth
        known = self._open.get(key)
        if known is None:
            uses = self._places.classes.open_uses(member) if depth < MOST_DEPTH else ()
            found = [(file, use) for file, use in uses if member in self.members(file, use, depth)]
            known = self._open[key] = found
        return known

    def _may_call(self, use: Use, callee: SymbolRef) -> bool:
        """Whether a search back from a use finds a callee that a search forward led to the use."""
        leaf = Leaf(use[1], Takes.VALUE, False)
        return callee in self.callables(tuple(self.places_of(use[0], (leaf,), depth=_NEAR)), _NEAR)

    def _use_of(self, site: Site) -> Mapping[Use, None]:
        """The use that is called at a site."""
        if len(site) == 2:
            return {site: None}
        facts = self._places.facts(site[0])
        operand, table = facts.constructs.operand[site[1]], facts.expressions
        use = use_at(facts, table.c[operand]) if table.kind[operand] in _NAMING else -1
        if use < 0 or self._names_decorator(site[0], use):
            return {}
        return {(site[0], use): None}

    def _names_decorator(self, file: FilePath, use: int) -> bool:
        """Whether a decorator is a function by name: what it is above goes to the parameters of that function, whatever
        stands in its place."""
        meant = self._places.meant(file, use) if use in self._places.passing(file).decorated else ()
        return bool(meant) and all(self._places.kind(one) in RUNNING for one in meant)

    def _argument(
        self, held: HeldPlace, function: SymbolRef, file: FilePath, use: int, depth: int
    ) -> Iterator[tuple[HeldPlace, bool]]:
        """What one call gives to a parameter."""
        places = self._places
        passing = places.passing(file)
        below = passing.decorated.get(use)
        if below is not None and not below[1]:
            if self._parameters.is_first(held, function):
                yield from self._decorations.handed(file, below[0], use, held.takes)
            return
        for spread in passing.spread.of(use):
            yield from self._from_spread(held, function, file, spread)
        for one in passing.given.of(use):
            takes = self._parameters.fills_held(one.position, one.keyword, held, function)
            if takes is not None:
                wanted = held.takes if takes == Takes.VALUE else Takes.VALUE
                found = self._plain(file, one.leaves, wanted, depth)
                # What decorators are made with is a list, as what they are above.
                yield from ((other, listed or below is not None) for other, listed in found)

    def _from_spread(
        self, held: HeldPlace, function: SymbolRef, file: FilePath, spread: SpreadArguments
    ) -> Iterator[tuple[HeldPlace, bool]]:
        """What a call gives to a parameter out of what its own function was given beyond its parameters."""
        places = self._places
        key = self._parameters.spread_key(held, function, spread)
        is_rest = held.takes == Takes.ELEMENT and not held.key and self._parameters.takes_rest(held.place, spread)
        for place in places.meant(file, spread.use) if key or is_rest else ():
            if self._parameters.takes_rest(place, spread):
                yield HeldPlace(place, held.takes, key), False
            elif is_rest and places.kind(place) in HOLDING:
                yield HeldPlace(place, Takes.ELEMENT), False

    def callables(self, held: tuple[HeldPlace, ...], depth: int = 0) -> Collection[SymbolRef]:
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


def _order_of(held: HeldPlace) -> tuple[str, int, int, str]:
    return held.place.file, held.place.definition, held.takes, held.key


def few_of(found: Mapping[SymbolRef, None], most: int) -> tuple[SymbolRef, ...]:
    """All, if they are few; what tests hand over is left out before all is."""
    left = list(found)
    if len(left) > most:
        left = [one for one in left if not is_test_file(one.file)]
    return tuple(sorted(left, key=lambda place: (place.file, place.definition))) if len(left) <= most else ()


def _wanted(leaf: Takes, inside: bool, wanted: Takes) -> Takes | None:
    """What is wanted of the name where a value made of it is wanted, or its elements."""
    if inside:
        return leaf if wanted == Takes.ELEMENT else None
    if leaf == Takes.VALUE:
        return wanted
    if leaf == Takes.RESULT and wanted == Takes.ELEMENT:
        return Takes.RESULT_ELEMENT
    # Containers in containers are not told apart.
    return leaf if wanted == Takes.VALUE or (wanted == Takes.ELEMENT and leaf in ELEMENTS) else None
