"""Parameters: which argument of a call fills which parameter of a function, or which element of one.

Owns: positions of parameters, arguments by position and by name, those beyond, containers that calls spread.
Must not know: what is passed, where functions are called.
Invariant: an argument fills at most one parameter, as its value or as one of its elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from graphls.analysis.flow.places import Places
from graphls.analysis.flow.values import SpreadArguments, Takes
from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.graph.snapshot import SymbolRef

_KEYWORDS: Final = int(DefinitionFlag.KEYWORDS)
_VARIADIC: Final = int(DefinitionFlag.VARIADIC)
_KEYWORD_ONLY: Final = int(DefinitionFlag.KEYWORD_ONLY)
_POSITIONAL_ONLY: Final = int(DefinitionFlag.POSITIONAL_ONLY)


class _Parameter(NamedTuple):
    """What facts say of one."""

    position: int
    flags: int
    name: str


class HeldPlace(NamedTuple):
    """A place and what of it: its value, its elements, or what calling it gives.

    `key`: that of one element instead, of a parameter that takes all further arguments: its name, or its position
    among them; of a class, a field that it has from a library's.
    """

    place: SymbolRef
    takes: Takes
    key: str = ""


class Parameters:
    """Of the functions of one snapshot."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._known: dict[SymbolRef, Mapping[int, _Parameter]] = {}

    def _of(self, function: SymbolRef) -> Mapping[int, _Parameter]:
        """By row, in order."""
        known = self._known.get(function)
        if known is None:
            facts = self._places.facts(function.file)
            table = facts.definitions
            known = self._known[function] = {
                row: _Parameter(position, table.flags[row], facts.strings[table.name[row]])
                for position, row in enumerate(self._places.parameters(function))
            }
        return known

    def position(self, parameter: SymbolRef, function: SymbolRef) -> int:
        """That among the parameters which calls fill; -1 where it is none of them."""
        known = self._of(function).get(parameter.definition)
        return -1 if known is None else known.position

    def is_first(self, held: HeldPlace, function: SymbolRef) -> bool:
        """Whether it is what a call gives first."""
        return held.key in ("", "0") and self.position(held.place, function) == 0

    def first(self, function: SymbolRef, takes: Takes) -> Iterator[HeldPlace]:
        """The inverse: what of the first parameter a call gives first."""
        for row, known in self._of(function).items():
            if known.position == 0:
                yield HeldPlace(SymbolRef(function.file, row), takes, "0" if known.flags & _VARIADIC else "")

    def fills(self, position: int, keyword: str, parameter: SymbolRef, function: SymbolRef) -> Takes | None:
        """Whether an argument fills a parameter: as its value, or as one of its elements."""
        bits, name = self._flags(parameter), self._places.name(parameter)
        if keyword:
            if bits & _KEYWORDS:
                return None if self._is_named(keyword, function) else Takes.ELEMENT
            return Takes.VALUE if name == keyword else None
        place = self.position(parameter, function)
        if bits & _VARIADIC:
            return Takes.ELEMENT if position >= place else None
        return Takes.VALUE if position == place and not bits & _KEYWORDS else None

    def fills_held(self, position: int, keyword: str, held: HeldPlace, function: SymbolRef) -> Takes | None:
        """The same for what is held of a parameter: as the value of that, or as one of its elements."""
        found = self.fills(position, keyword, held.place, function)
        if held.key:
            is_same = found == Takes.ELEMENT and self.key(position, keyword, held.place, function) == held.key
            return Takes.VALUE if is_same else None
        return found if found == Takes.VALUE or held.takes == Takes.ELEMENT else None

    def key(self, position: int, keyword: str, parameter: SymbolRef, function: SymbolRef) -> str:
        """Which element an argument is of a parameter that takes all further ones."""
        return keyword or str(position - self.position(parameter, function))

    def fills_field(self, position: int, keyword: str, fields: Sequence[SymbolRef]) -> SymbolRef | None:
        """The field that an argument of a call of a class without a constructor fills."""
        if keyword:
            named = {self._places.name(field): field for field in reversed(fields)}
            return named.get(keyword) or named.get(f"_{keyword}")  # attrs leaves out what marks a field as private
        return fields[position] if 0 <= position < len(fields) else None

    # ---- containers of arguments

    def takes_rest(self, parameter: SymbolRef, spread: SpreadArguments) -> bool:
        """Whether it takes all further arguments, of the kind that is spread: by name or by position."""
        is_parameter = self._places.kind(parameter) == DefinitionKind.PARAMETER
        return is_parameter and bool(self._flags(parameter) & _rest_of(spread))

    def spread_key(self, held: HeldPlace, function: SymbolRef, spread: SpreadArguments) -> str:
        """Which element of what is spread fills what is held of a parameter; "" where none does."""
        bits, position = self._flags(held.place), self.position(held.place, function)
        is_rest = bool(bits & (_KEYWORDS | _VARIADIC))
        if is_rest != bool(held.key):
            return ""
        if spread.position < 0:
            name = held.key or self._places.name(held.place)
            is_written = name in spread.keywords or (not held.key and position < spread.positions)
            is_never = name.isdigit() or bits & _POSITIONAL_ONLY
            return "" if is_written or is_never or (held.key and self._is_named(name, function)) else name
        if bits & (_KEYWORDS | _KEYWORD_ONLY):
            return ""
        key = position + int(held.key or 0) - spread.position
        return str(key) if key >= 0 and position >= 0 else ""

    def filled_by_spread(self, held: HeldPlace, function: SymbolRef, spread: SpreadArguments) -> Iterator[HeldPlace]:
        """The inverse: what of the parameters an element, or the elements, of what is spread fills."""
        for row, known in self._of(function).items():
            parameter = SymbolRef(function.file, row)
            if not held.key:
                if known.flags & _rest_of(spread) and held.takes == Takes.ELEMENT:
                    yield HeldPlace(parameter, Takes.ELEMENT)
                continue
            key = ""
            if known.flags & _KEYWORDS:
                key = held.key
            elif known.flags & _VARIADIC and spread.position >= 0:
                key = str(spread.position + int(held.key) - known.position)
            elif spread.position < 0 and known.name != held.key:
                continue
            one = HeldPlace(parameter, held.takes, key)
            if self.spread_key(one, function, spread) == held.key:
                yield one

    def _is_named(self, keyword: str, function: SymbolRef) -> bool:
        """Whether a parameter has the name, so that none which takes further arguments gets it."""
        return any(one.name == keyword for one in self._of(function).values())

    def _flags(self, place: SymbolRef) -> int:
        return self._places.facts(place.file).definitions.flags[place.definition]


def _rest_of(spread: SpreadArguments) -> int:
    return _KEYWORDS if spread.position < 0 else _VARIADIC
