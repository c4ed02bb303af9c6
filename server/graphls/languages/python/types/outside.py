"""Outside: what dotted names beyond the workspace stand for, read in the files of libraries.

Owns: the way from a dotted name to a definition and back.
Must not know: search paths, versions, how members or values are found.
Invariant: questions about library files are answered from library files alone, so all linked files share the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from graphls.facts.paths import FilePath
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    CONSTANT_DEFINITION,
    IMPORT_DEFINITION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    VARIABLE_DEFINITION,
)
from graphls.languages.python.types.context import PyContext
from graphls.languages.python.types.names import PyNameLookup
from graphls.languages.python.types.units import PyUnit
from graphls.languages.python.types.values import (
    PyClass,
    PyExternalInstance,
    PyInstance,
    PyTuple,
    PyTypeVariable,
    Value,
    Values,
)
from graphls.languages.resolve.structural_value import DefinitionRef, External
from graphls.languages.resolve.units import is_library

_ALIASES: Final = frozenset({VARIABLE_DEFINITION, CONSTANT_DEFINITION, TYPE_ALIAS_DEFINITION})
_NAMED: Final = frozenset({NAME_EXPRESSION, MEMBER_EXPRESSION})
_MAX_UNION: Final = 8


@final
class LibraryLookup:
    """Definitions of libraries by their dotted names."""

    def __init__(self, context: PyContext, names: PyNameLookup) -> None:
        self._context = context
        self._names = names

    def located(self, dotted: str) -> DefinitionRef | None:
        """The definition in a library that a dotted name leads to; re-exports and plain aliases are followed."""
        return self._context.beyond.guarded(("located", dotted), lambda: self._located(dotted), None)

    def _located(self, dotted: str) -> DefinitionRef | None:
        head, _, name = dotted.rpartition(".")
        holder = self.located(head) if head else None
        found = self._inside(holder, head, name) if holder is not None else None
        if found is not None and found.row >= 0 and self._context.unit(found.file).kind[found.row] not in _ALIASES:
            return found
        file = self._context.world.library(dotted)
        return found if file is None else DefinitionRef(file, -1)

    def _inside(self, holder: DefinitionRef, head: str, name: str) -> DefinitionRef | None:
        unit = self._context.unit(holder.file)
        if holder.row < 0:
            return self._in_module(unit, name)
        if unit.kind[holder.row] == CLASS_DEFINITION:
            return self._context.queries.member_spot(PyClass(holder.file, holder.row), name)
        return None

    def _in_module(self, unit: PyUnit, name: str) -> DefinitionRef | None:
        for other in self._exporting_units(unit, name):
            found = self._bound(other, other.members(0)[name])
            if found is not None:
                return found
        return None

    def _exporting_units(self, unit: PyUnit, name: str) -> Iterator[PyUnit]:
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
                waiting += [other for other in self._starred_units(unit) if self._names.shows(other, name)]

    def _starred_units(self, unit: PyUnit) -> Iterator[PyUnit]:
        for row in unit.members(0).get("*", ()):
            value = unit.value[row]
            if value >= 0 and unit.expressions.kind[value] == MODULE_EXPRESSION:
                module = self._names.absolute(unit, unit.strings[unit.expressions.a[value]], unit.expressions.b[value])
                file = self._context.world.library(module) if module else None
                if file is not None:
                    yield self._context.unit(file)

    def _bound(self, unit: PyUnit, rows: Sequence[int]) -> DefinitionRef | None:
        for row in rows:
            if unit.kind[row] != IMPORT_DEFINITION:
                return self._unaliased(unit, row)
            for answer in self._names.imported(unit, row):
                found = self.located(answer.dotted) if isinstance(answer, External) else None
                if found is not None:
                    return found
        return None

    def _unaliased(self, unit: PyUnit, row: int) -> DefinitionRef:
        """`List = list` stands for `list`."""
        value = unit.value[row]
        if unit.kind[row] in _ALIASES and value >= 0 and unit.expressions.kind[value] in _NAMED:
            for target in self._context.queries.infer(unit, value).values:
                found = self.located(target.dotted) if isinstance(target, External) else None
                if found is not None and self._context.unit(found.file).kind[found.row] == CLASS_DEFINITION:
                    return found
        return DefinitionRef(unit.file, row)

    def dotted_of(self, file: FilePath, row: int) -> str:
        """The dotted name of a definition in a library."""
        unit, module = self._context.unit(file), self._context.world.name_of(file).dotted
        parts: list[str] = []
        while row >= 0:
            parts.append(unit.text(row))
            scope = unit.scope[row]
            row = unit.scope_owner[scope] if scope >= 0 else -1
        return ".".join([module, *reversed(parts)])

    def outward(self, ref: DefinitionRef | External) -> DefinitionRef | External:
        """How a definition in a library is named in answers."""
        if isinstance(ref, DefinitionRef) and is_library(ref.file):
            return External(self.dotted_of(ref.file, ref.row))
        return ref

    def outward_values(self, values: Values) -> Values:
        """Values with classes of libraries by name."""
        if not any(isinstance(value, (PyClass, PyInstance)) and is_library(value.file) for value in values):
            return values
        return tuple(dict.fromkeys(self._outward_value(value) for value in values))

    def _outward_value(self, value: Value) -> Value:
        if isinstance(value, PyClass) and is_library(value.file):
            return External(self.dotted_of(value.file, value.row))
        if isinstance(value, PyInstance) and is_library(value.file):
            return PyExternalInstance(self.dotted_of(value.file, value.row), value.arguments)
        return value

    def is_partly_unknown(self, value: Value) -> bool:
        """Whether no file shows all members that a value may have."""
        inner = self.with_readable_class(value)
        return not isinstance(inner, (PyClass, PyInstance)) or self._context.queries.opaque(inner)

    def library_class(self, dotted: str, arguments: tuple[Values, ...] = ()) -> PyClass | None:
        """The class in a library that a dotted name stands for."""
        ref = self.located(dotted)
        if ref is None or ref.row < 0 or self._context.unit(ref.file).kind[ref.row] != CLASS_DEFINITION:
            return None
        return PyClass(ref.file, ref.row, arguments)

    def with_readable_class(self, value: Value) -> Value:
        """A value of a library's class as one of a class whose file can be read; any other as it is."""
        if isinstance(value, PyTypeVariable):
            known = value.bound or value.upper
            return self.with_readable_class(known[0]) if known else value
        if isinstance(value, PyExternalInstance):
            cls = self.library_class(value.dotted, value.arguments)
            return value if cls is None else PyInstance(cls.file, cls.row, cls.arguments)
        if isinstance(value, External):
            return self.library_class(value.dotted) or value
        if isinstance(value, PyTuple):
            cls = self.library_class("builtins.tuple", (_any_of(value.elements),))
            return value if cls is None else PyInstance(cls.file, cls.row, cls.arguments)
        return value


def _any_of(elements: tuple[Values, ...]) -> Values:
    found = dict.fromkeys(value for element in elements for value in element)
    return tuple(found)[:_MAX_UNION]
