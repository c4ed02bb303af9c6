"""Overloads: which of several signatures a call means.

Owns: the fit of arguments and parameters, by number and by form.
Must not know: occurrences, edges.
Invariant: a signature is passed over only where an argument's own text rules it out; else the first stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_BINDINGS
from graphls.languages.typescript.syntax.forms import ARRAY, FUNCTION, NUMBER, OBJECT, PLAIN, TEXT, TRUTH
from graphls.languages.typescript.types.context import TsContext
from graphls.languages.typescript.types.hierarchy import Hierarchy
from graphls.languages.typescript.types.names import TsNameLookup
from graphls.languages.typescript.types.types import Types
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import (
    TsBuiltin,
    TsFunction,
    TsInstance,
    TsIntersection,
    TsObject,
    TsSignature,
    TsTuple,
    TsTypeParameter,
    Value,
    Values,
)

CALL, CONSTRUCT = "()", "new()"
_OVERLOAD, _VARIADIC = int(DefinitionFlag.OVERLOAD), int(DefinitionFlag.VARIADIC)
_OPTIONAL = int(DefinitionFlag.DEFAULTED) | _VARIADIC
_PRIMITIVES = {"string": TEXT, "number": NUMBER, "boolean": TRUTH, "bigint": NUMBER}
_ANYTHING = frozenset(("any", "unknown", "this", "never"))
_DEEPEST = 4


@final
class Overloads:
    """Signatures of functions."""

    def __init__(self, context: TsContext, names: TsNameLookup, hierarchy: Hierarchy, annotations: Types) -> None:
        self._context = context
        self._names = names
        self._hierarchy = hierarchy
        self._annotations = annotations
        self._known: dict[tuple[FilePath, int, int, int], tuple[int, tuple[int, ...]]] = {}

    def overload(self, unit: TsUnit, row: int, count: int, forms: Sequence[int]) -> int:
        """The first declaration that takes such arguments; implementations of overloads are never called."""
        every = self._names.merged(unit, row)
        if len(every) < 2:
            return row
        # Thousands of calls may mean the same dozens of signatures.
        key = (unit.file, every[0], unit.kind[row], count)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._signatures(unit, every[: MAX_BINDINGS + 1], unit.kind[row], count)
        first, taking = known
        if first < 0:
            return row
        for other in taking:
            if self._fits(unit, other, forms):
                return other
        return taking[0] if taking else first

    def _signatures(self, unit: TsUnit, every: Sequence[int], kind: int, count: int) -> tuple[int, tuple[int, ...]]:
        """The first signature, -1 where there is one alone, and those that take so many arguments."""
        rows = [other for other in every if unit.kind[other] == kind]
        if len(rows) < 2:
            return -1, ()
        declared = [other for other in rows if unit.flags[other] & _OVERLOAD] or rows
        return declared[0], tuple([other for other in declared if self._takes(unit, other, count)])

    def _takes(self, unit: TsUnit, row: int, count: int) -> bool:
        flags = [unit.flags[parameter] for parameter in unit.parameters(row)]
        least = len([flag for flag in flags if not flag & _OPTIONAL])
        return least <= count and (count <= len(flags) or any(flag & _VARIADIC for flag in flags))

    def _fits(self, unit: TsUnit, row: int, forms: Sequence[int]) -> bool:
        parameters = unit.parameters(row)
        for place, form in enumerate(forms):
            parameter = parameters[min(place, len(parameters) - 1)] if parameters else -1
            if not form or parameter < 0 or unit.type[parameter] < 0:
                continue
            values = self._annotations.denote(unit, unit.type[parameter])
            if unit.flags[parameter] & _VARIADIC:
                values = self._context.queries.element(values)
            if values and not any(self._holds(value, form, 0) for value in values):
                return False
        return True

    def _holds(self, value: Value, form: int, depth: int) -> bool:
        """Whether something of this form may be such a value."""
        if depth > _DEEPEST:
            return True
        if isinstance(value, TsBuiltin):
            return self._holds_builtin(value.name, form)
        if isinstance(value, TsTuple):
            return form == ARRAY
        if isinstance(value, (TsSignature, TsFunction)):
            return form == FUNCTION
        if isinstance(value, (TsInstance, TsObject)):
            return self._holds_members(value, form)
        if isinstance(value, TsTypeParameter):
            bound = self._hierarchy.constraint(value)
            return not bound or any(self._holds(item, form, depth + 1) for item in bound)
        if isinstance(value, TsIntersection):
            return all(self._holds(item, form, depth + 1) for item in value.parts)
        return True

    def _holds_builtin(self, name: str, form: int) -> bool:
        if name in _ANYTHING:
            return True
        primitive = _PRIMITIVES.get(name)
        if primitive is not None:
            return form == primitive
        if name == "Array":
            return form == ARRAY
        return form == FUNCTION if name == "Function" else form not in PLAIN

    def _holds_members(self, value: TsInstance | TsObject, form: int) -> bool:
        unit = self._context.unit(value.file)
        if isinstance(value, TsObject):
            members = unit.members(value.scope)
            return not members or form == OBJECT or (form == FUNCTION and (CALL in members or CONSTRUCT in members))
        if unit.kind[value.row] == DefinitionKind.ENUM:
            return form in (TEXT, NUMBER)
        if form == OBJECT:
            return True
        if form in PLAIN:
            return not self._has_members(unit, value.row)
        return self._hierarchy.opaque(value) or (
            form == FUNCTION and bool(self._hierarchy.find(value, CALL) or self._hierarchy.find(value, CONSTRUCT))
        )

    def _has_members(self, unit: TsUnit, row: int) -> bool:
        scope = unit.body[row]
        return bool(unit.bases(row)) or (scope >= 0 and bool(unit.members(scope)))

    def form_of(self, values: Values) -> int:
        """The form of an argument of these values, 0 where it is not evident."""
        if len(values) != 1:
            return 0
        value = values[0]
        if isinstance(value, TsBuiltin):
            return ARRAY if value.name == "Array" else _PRIMITIVES.get(value.name, 0)
        if isinstance(value, TsTuple):
            return ARRAY
        if isinstance(value, TsObject):
            return OBJECT
        return FUNCTION if isinstance(value, (TsSignature, TsFunction)) else 0
