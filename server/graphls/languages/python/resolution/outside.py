"""Outside: what dotted names beyond the workspace stand for, read in the files of libraries.

Owns: the way from a dotted name to a definition and back.
Must not know: search paths, versions, how members or values are found.
Invariant: questions about library files are answered from library files alone, so all linked files share the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from graphls.facts.paths import FilePath
from graphls.languages.kinds import (
    CLASS_DEFINITION,
    CONSTANT_DEFINITION,
    IMPORT_DEFINITION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    VARIABLE_DEFINITION,
)
from graphls.languages.known import External, Spot
from graphls.languages.python.resolution.names import Names
from graphls.languages.python.resolution.units import Unit
from graphls.languages.python.resolution.values import (
    Class,
    ExternalInstance,
    Inference,
    Instance,
    Tuple,
    Value,
    Values,
    Variable,
)
from graphls.languages.units import is_library

_ALIASES: Final = frozenset({VARIABLE_DEFINITION, CONSTANT_DEFINITION, TYPE_ALIAS_DEFINITION})
_NAMED: Final = frozenset({NAME_EXPRESSION, MEMBER_EXPRESSION})
_MAX_UNION: Final = 8


class Outside(Names):
    """Definitions of libraries by their dotted names."""

    def infer(self, unit: Unit, expression: int) -> Inference:
        """Values of an expression."""
        raise NotImplementedError

    def member_spot(self, cls: Class, name: str) -> Spot | None:
        """Where a class or one of its bases defines a member."""
        raise NotImplementedError

    def located(self, dotted: str) -> Spot | None:
        """The definition in a library that a dotted name leads to; re-exports and plain aliases are followed."""
        return self.beyond.guarded(("located", dotted), lambda: self._located(dotted), None)

    def _located(self, dotted: str) -> Spot | None:
        head, _, name = dotted.rpartition(".")
        holder = self.located(head) if head else None
        found = self._inside(holder, head, name) if holder is not None else None
        if found is not None and found.row >= 0 and self.unit(found.file).kind[found.row] not in _ALIASES:
            return found
        file = self.world.library(dotted)
        return found if file is None else Spot(file, -1)

    def _inside(self, holder: Spot, head: str, name: str) -> Spot | None:
        unit = self.unit(holder.file)
        if holder.row < 0:
            return self._in_module(unit, name)
        if unit.kind[holder.row] == CLASS_DEFINITION:
            return self.member_spot(Class(holder.file, holder.row), name)
        return None

    def _in_module(self, unit: Unit, name: str) -> Spot | None:
        for shown in self._showing(unit, name):
            found = self._bound(shown, shown.members(0)[name])
            if found is not None:
                return found
        return None

    def _showing(self, unit: Unit, name: str) -> Iterator[Unit]:
        """The module itself if it binds the name, else modules that it has the name from by star imports."""
        seen: set[FilePath] = set()
        waiting = [unit]
        while waiting:
            unit = waiting.pop()
            if unit.file in seen:
                continue
            seen.add(unit.file)
            if name != "*" and name in unit.members(0):
                yield unit
            else:
                waiting += [other for other in self._starred_units(unit) if self.shows(other, name)]

    def _starred_units(self, unit: Unit) -> Iterator[Unit]:
        for row in unit.members(0).get("*", ()):
            value = unit.value[row]
            if value >= 0 and unit.expressions.kind[value] == MODULE_EXPRESSION:
                module = self.absolute(unit, unit.strings[unit.expressions.a[value]], unit.expressions.b[value])
                file = self.world.library(module) if module else None
                if file is not None:
                    yield self.unit(file)

    def _bound(self, unit: Unit, rows: Sequence[int]) -> Spot | None:
        for row in rows:
            if unit.kind[row] != IMPORT_DEFINITION:
                return self._unaliased(unit, row)
            for answer in self.imported(unit, row):
                found = self.located(answer.dotted) if isinstance(answer, External) else None
                if found is not None:
                    return found
        return None

    def _unaliased(self, unit: Unit, row: int) -> Spot:
        """`List = list` stands for `list`."""
        value = unit.value[row]
        if unit.kind[row] in _ALIASES and value >= 0 and unit.expressions.kind[value] in _NAMED:
            for held in self.infer(unit, value).values:
                found = self.located(held.dotted) if isinstance(held, External) else None
                if found is not None and self.unit(found.file).kind[found.row] == CLASS_DEFINITION:
                    return found
        return Spot(unit.file, row)

    def dotted_of(self, file: FilePath, row: int) -> str:
        """The dotted name of a definition in a library."""
        unit, module = self.unit(file), self.world.name_of(file).dotted
        parts: list[str] = []
        while row >= 0:
            parts.append(unit.text(row))
            scope = unit.scope[row]
            row = unit.scope_owner[scope] if scope >= 0 else -1
        return ".".join([module, *reversed(parts)])

    def outward(self, spot: Spot | External) -> Spot | External:
        """How a definition in a library is named in answers."""
        if isinstance(spot, Spot) and is_library(spot.file):
            return External(self.dotted_of(spot.file, spot.row))
        return spot

    def outward_values(self, values: Values) -> Values:
        """Values with classes of libraries by name."""
        if not any(isinstance(value, (Class, Instance)) and is_library(value.file) for value in values):
            return values
        return tuple(dict.fromkeys(self._outward_value(value) for value in values))

    def _outward_value(self, value: Value) -> Value:
        if isinstance(value, Class) and is_library(value.file):
            return External(self.dotted_of(value.file, value.row))
        if isinstance(value, Instance) and is_library(value.file):
            return ExternalInstance(self.dotted_of(value.file, value.row), value.arguments)
        return value

    def unseen(self, value: Value) -> bool:
        """Whether no file shows all members that a value may have."""
        inner = self.seen(value)
        return not isinstance(inner, (Class, Instance)) or self.opaque(inner)

    def opaque(self, cls: Class | Instance) -> bool:
        """Whether some base is unknown."""
        raise NotImplementedError

    def library_class(self, dotted: str, arguments: tuple[Values, ...] = ()) -> Class | None:
        """The class in a library that a dotted name stands for."""
        spot = self.located(dotted)
        if spot is None or spot.row < 0 or self.unit(spot.file).kind[spot.row] != CLASS_DEFINITION:
            return None
        return Class(spot.file, spot.row, arguments)

    def seen(self, value: Value) -> Value:
        """A value of a library's class as one of a class whose file can be read; any other as it is."""
        if isinstance(value, Variable):
            return self.seen(value.bound[0]) if value.bound else value
        if isinstance(value, ExternalInstance):
            cls = self.library_class(value.dotted, value.arguments)
            return value if cls is None else Instance(cls.file, cls.row, cls.arguments)
        if isinstance(value, External):
            return self.library_class(value.dotted) or value
        if isinstance(value, Tuple):
            cls = self.library_class("builtins.tuple", (_any_of(value.elements),))
            return value if cls is None else Instance(cls.file, cls.row, cls.arguments)
        return value


def _any_of(elements: tuple[Values, ...]) -> Values:
    found = dict.fromkeys(value for element in elements for value in element)
    return tuple(found)[:_MAX_UNION]
