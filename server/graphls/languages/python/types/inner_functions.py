"""Inner functions: the functions that a function declares and gives back, and that decorators put around others.

Owns: which functions calling a value gives, where an annotation says no more than that it is callable; wrappers.
Must not know: occurrences, edges.
Invariant: only functions of the workspace; bounded depth, and what leads back to itself gives nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    FUNCTION_DEFINITION,
    FUNCTION_RETURN,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    RETURN_RETURN,
)
from graphls.languages.python.types.inference import PyTypeInference
from graphls.languages.python.types.units import PyUnit
from graphls.languages.python.types.values import PyClass, PyFunction, PyInference, PyInstance, PyRule, solid
from graphls.languages.resolve.structural_value import DefinitionRef
from graphls.languages.resolve.units import is_library

_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_DEEPEST: Final = 4
"""Functions that give back functions, and names that hold them."""
_NONE: Final[tuple[PyFunction, ...]] = ()


class InnerFunctions:
    """What functions give back, as one file sees it."""

    def __init__(self, types: PyTypeInference) -> None:
        self._types = types
        self._known: dict[tuple[str, int], tuple[PyFunction, ...]] = {}
        self._asked: set[tuple[str, int]] = set()
        """Functions about which answers are being made."""
        self._is_cut: bool = False
        """The answer that is being made lacks what is too deep, or asked for already."""

    def given_back(self, function: PyFunction, depth: int = 0) -> Sequence[PyFunction]:
        """The functions declared inside a function that it gives back. `depth`: how many others ask for it."""
        if is_library(function.file):
            return _NONE
        key = (function.file, function.row)
        known = self._known.get(key)
        if known is not None:
            return known
        if key in self._asked or depth > _DEEPEST:
            self._is_cut = True
            return _NONE
        outer, self._is_cut = self._is_cut, False
        self._asked.add(key)
        unit = self._types.context.unit(function.file)
        found: dict[PyFunction, None] = {}
        for expression, kind in unit.returns(function.row):
            called = expression >= 0 and unit.expressions.kind[expression] == CALL_EXPRESSION
            if kind == FUNCTION_RETURN or (kind == RETURN_RETURN and called):
                found.update(dict.fromkeys(self.functions_of(unit, expression, depth)))
        self._asked.discard(key)
        # What an answer lacks because others wait for it, it has when it is asked for first.
        if not self._is_cut or not self._asked:
            self._known[key] = tuple(found)
        self._is_cut = self._is_cut or outer
        return tuple(found)

    def functions_of(self, unit: PyUnit, expression: int, depth: int = 0) -> Sequence[PyFunction]:
        """The functions that an expression may have as its value: of a call what the called functions give back."""
        if expression < 0 or depth > _DEEPEST or unit.library:
            self._is_cut = self._is_cut or depth > _DEEPEST
            return _NONE
        table = unit.expressions
        kind = table.kind[expression]
        found: dict[PyFunction, None] = {}
        if kind == CALL_EXPRESSION:
            for function in self.functions_of(unit, table.a[expression], depth):
                found.update(dict.fromkeys(self.given_back(function, depth + 1)))
        elif kind in (NAME_EXPRESSION, MEMBER_EXPRESSION):
            for value in map(solid, self._types.infer(unit, expression).values):
                found.update(dict.fromkeys(self._called(value)))
            if not found:
                for ref in self._types.annotations.answer_of(unit, expression):
                    if isinstance(ref, DefinitionRef) and ref.row >= 0 and not is_library(ref.file):
                        other = self._types.context.unit(ref.file)
                        found.update(dict.fromkeys(self.functions_of(other, other.value[ref.row], depth + 1)))
        return tuple(found)

    def is_given_back(self, function: PyFunction) -> bool:
        """Whether the function around a function gives it back."""
        unit = self._types.context.unit(function.file)
        scope = unit.scope[function.row]
        around = unit.scope_owner[scope] if scope > 0 else -1
        return around >= 0 and function in self.given_back(PyFunction(function.file, around))

    def _called(self, value: object) -> Sequence[PyFunction]:
        """The functions that calling a value runs."""
        if isinstance(value, PyFunction):
            return _NONE if is_library(value.file) else (value,)
        if isinstance(value, PyInstance):
            member = self._types.classes.class_member(value, "__call__")
            if member is not None and not is_library(member.holder.file):
                return tuple(PyFunction(member.holder.file, row, value) for row in member.rows)
        return _NONE

    def _instances(self, unit: PyUnit, expression: int) -> Iterator[PyFunction]:
        """A class as a decorator leaves an instance of itself."""
        for value in self._types.infer(unit, expression).values:
            if isinstance(value, PyClass):
                yield from self._called(PyInstance(value.file, value.row))

    def wrappers(self, function: PyFunction) -> Iterator[Sequence[PyFunction]]:
        """For each decorator of a function those of which it leaves one in its place; the outermost first."""
        unit = self._types.context.unit(function.file)
        if unit.library or unit.kind[function.row] not in _FUNCTIONS:
            return
        for expression, _ in unit.decorators(function.row):
            found: dict[PyFunction, None] = {}
            if unit.expressions.kind[expression] != CALL_EXPRESSION:
                found.update(dict.fromkeys(self._instances(unit, expression)))
            for decorator in self.functions_of(unit, expression):
                found.update(dict.fromkeys(self.given_back(decorator)))
            if found:
                yield tuple(found)


def as_inference(functions: Sequence[PyFunction]) -> PyInference:
    """Functions as what a value may be: sure where there is one."""
    return PyInference(tuple(functions), PyRule.DECORATED, len(functions) == 1, len(functions) != 1)
