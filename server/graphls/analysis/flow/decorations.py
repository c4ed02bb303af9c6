"""Decorations: what decorators put in the place of functions and classes, and what they are given.

Owns: functions declared in others that give them back, parameters that functions give back as they are.
Must not know: where functions are called.
Invariant: what a definition stands for is worked out from the decorators above it alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from graphls.analysis.flow.class_members import FUNCTIONS
from graphls.analysis.flow.parameters import HeldPlace
from graphls.analysis.flow.places import Places
from graphls.analysis.flow.values import Takes
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import SymbolRef


class Decorations:
    """Those of one snapshot; remembers what it worked out."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._given_back: dict[SymbolRef, Sequence[SymbolRef]] = {}
        self._stands_for: dict[SymbolRef, Mapping[SymbolRef, None]] = {}

    def stands_for(self, place: SymbolRef) -> Mapping[SymbolRef, None]:
        """What a name of a function or class stands for: what decorators put in its place, else itself."""
        known = self._stands_for.get(place)
        if known is None:
            known = self._stands_for[place] = self.around(place)
        return known

    def around(self, place: SymbolRef, below: int = -1) -> Mapping[SymbolRef, None]:
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
        for leaf in places.passing(function.file).returned.of(function.definition):
            if leaf.takes == Takes.VALUE and not leaf.inside:
                for one in places.meant(function.file, leaf.use):
                    if places.kind(one) in FUNCTIONS and places.outer(one) == function:
                        yield one

    def given_back(self, function: SymbolRef) -> Sequence[SymbolRef]:
        """The parameters of a function that it gives back as they are: no receiver, which is not an argument."""
        known = self._given_back.get(function)
        if known is None:
            places, found = self._places, dict[SymbolRef, None]()
            for leaf in places.passing(function.file).returned.of(function.definition):
                if leaf.takes == Takes.VALUE and not leaf.inside:
                    meant = places.meant(function.file, leaf.use)
                    found.update((one, None) for one in meant if places.kind(one) == DefinitionKind.PARAMETER)
            own = [one for one in found if places.function_of(one) == function]
            known = [one for one in own if places.classes.owner_of_receiver(one) is None]
            self._given_back[function] = known
        return known

    def handed(self, file: FilePath, row: int, use: int, takes: Takes) -> Iterator[tuple[HeldPlace, bool]]:
        """What a decorator is given: the definition, or what those below it put in its place."""
        below = self._places.canonical(SymbolRef(file, row))
        if takes == Takes.VALUE:
            yield from ((HeldPlace(one, Takes.BARE), True) for one in self.around(below, use))
        else:
            yield HeldPlace(below, takes), True
