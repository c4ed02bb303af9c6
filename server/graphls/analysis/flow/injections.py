"""Injections: parameters that a framework fills with what other functions give.

Owns: which part of what a function gives a parameter holds, and the inverse.
Must not know: which framework, how it finds the function.
Invariant: a step back is a step forward the other way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from graphls.analysis.flow.parameters import HeldPlace
from graphls.analysis.flow.places import Places
from graphls.analysis.flow.values import Takes
from graphls.facts.kinds import DefinitionFlag
from graphls.graph.snapshot import SymbolRef


class InjectedParameters(Protocol):
    """What a framework fills; one object for each state of its rules and of the code."""

    def fillers(self, parameter: SymbolRef) -> Sequence[SymbolRef]:
        """The functions whose results a parameter takes."""
        ...

    def filled(self, function: SymbolRef) -> Sequence[SymbolRef]:
        """The parameters that take what a function gives."""
        ...


class Injections:
    """Those of one snapshot."""

    def __init__(self, places: Places, injected: InjectedParameters) -> None:
        self._places = places
        self._injected = injected

    def back(self, held: HeldPlace) -> Iterator[HeldPlace]:
        """What of functions a parameter, or its elements, are."""
        if held.key:
            return
        for function in self._injected.fillers(held.place):
            whole, part = self._given(function)
            takes = {Takes.VALUE: whole, Takes.ELEMENT: part}.get(held.takes)
            if takes is not None:
                yield HeldPlace(function, takes)

    def forward(self, held: HeldPlace) -> Iterator[HeldPlace]:
        """The parameters that hold what a function gives."""
        whole, part = self._given(held.place)
        holds = Takes.VALUE if held.takes == whole else Takes.ELEMENT if held.takes == part else None
        if holds is not None:
            yield from (HeldPlace(one, holds) for one in self._injected.filled(held.place))

    def _given(self, function: SymbolRef) -> tuple[Takes, Takes | None]:
        """What of a function a parameter takes, and what the elements of that are: a generator yields the value."""
        flags = self._places.facts(function.file).definitions.flags[function.definition]
        if flags & DefinitionFlag.GENERATOR:
            return Takes.RESULT_ELEMENT, None
        return (Takes.AWAITED, None) if flags & DefinitionFlag.ASYNC else (Takes.RESULT, Takes.RESULT_ELEMENT)
