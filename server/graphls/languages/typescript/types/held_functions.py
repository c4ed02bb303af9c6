"""Held functions: what runs where a variable, a parameter or a member is called that holds a function or a class.

Owns: which values of such a call count, and from which files that can be known.
Must not know: rows of links, edges.
Invariant: an answer needs no file but those that spell a name which the function is given under, one after the other:
    a question about the function looks at no others.
"""

from __future__ import annotations

from typing import Final

from graphls.facts.kinds import Resolution
from graphls.languages.extract.kinds import (
    CALL_ROLE,
    CLASS_DEFINITION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    RENDER_ROLE,
)
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External, ResolvedOccurrence
from graphls.languages.resolve.units import is_library
from graphls.languages.typescript.types.inference import FUNCTIONS, TsTypeInference
from graphls.languages.typescript.types.names import SymbolMeaning
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import TsClass, TsFunction, TsInference, join

_MAX_PASSED: Final = 4
_CALLING: Final = frozenset((CALL_ROLE, RENDER_ROLE))
_RUN: Final = frozenset((*FUNCTIONS, CLASS_DEFINITION))


class HeldFunctions:
    """Functions and classes that calls in one file run under the name of something that holds them."""

    def __init__(self, types: TsTypeInference) -> None:
        self._types = types
        self._spelled = frozenset(types.own.strings)

    def of(self, role: int, named: DefinitionRefs, before: TsInference) -> ResolvedOccurrence | None:
        """What a use runs that names something else. `before`: the value that it names."""
        holders = [ref for ref in named if isinstance(ref, DefinitionRef) and ref.row >= 0 and self._holds(ref)]
        if role not in _CALLING or not holders:
            return None
        whole = join((before, *(later for ref in holders for later in self._assigned(ref))))
        found: dict[DefinitionRef, None] = {}
        for value in whole.values:
            if isinstance(value, (TsFunction, TsClass)) and not is_library(value.file):
                ref = DefinitionRef(value.file, value.row)
                if ref not in named and any(self._is_known_by(ref, holder) for holder in holders):
                    found[ref] = None
        if not found:
            return None
        decided = whole.sure and not whole.partial and len(whole.values) == 1
        how = Resolution.MEMBER if decided else Resolution.INFERRED
        return ResolvedOccurrence(tuple(found), how, 95 if decided else 80, whole.rule)

    def through(self, before: TsInference) -> ResolvedOccurrence | None:
        """What `f.call(x)` runs. `before`: the value of `f`, which has no member of that name."""
        found: dict[DefinitionRef, None] = {}
        for value in before.values:
            if not isinstance(value, TsFunction):
                return None
            ref = DefinitionRef(value.file, value.row)
            if not is_library(value.file) and self._types.context.unit(ref.file).text(ref.row) in self._spelled:
                found[ref] = None
        if not found:
            return None
        decided = before.sure and not before.partial and len(before.values) == 1
        how = Resolution.MEMBER if decided else Resolution.INFERRED
        return ResolvedOccurrence(tuple(found), how, 95 if decided else 80, before.rule)

    def _holds(self, ref: DefinitionRef) -> bool:
        return self._types.context.unit(ref.file).kind[ref.row] not in _RUN and not is_library(ref.file)

    def _assigned(self, ref: DefinitionRef) -> tuple[TsInference, ...]:
        """What later assignments give a variable of the own file."""
        return self._types.assigned_values(ref.row) if ref.file == self._types.own.file else ()

    def _is_known_by(self, ref: DefinitionRef, holder: DefinitionRef) -> bool:
        """Whether who looks for uses of a function comes by this file: it spells the name of the function, or that of
        something which was given it under that name."""
        own = self._types.own.file
        name = self._types.context.unit(ref.file).text(ref.row)
        if holder.file == own and (ref.file == own or name in self._spelled):
            return True
        return self._passes_on(holder, name, _MAX_PASSED)

    def _passes_on(self, holder: DefinitionRef, name: str, depth: int) -> bool:
        unit = self._types.context.unit(holder.file)
        value = unit.value[holder.row]
        bound = unit.bound(value)
        value = bound if bound >= 0 else value
        passed = _last_name(unit, value)
        if not passed or passed == name or depth <= 0:
            return bool(passed) and passed == name
        return any(
            isinstance(ref, DefinitionRef)
            and ref.row >= 0
            and self._types.context.unit(ref.file).text(ref.row) == passed
            and self._passes_on(ref, name, depth - 1)
            for ref in self._named_by(unit, value)
        )

    def _named_by(self, unit: TsUnit, value: int) -> DefinitionRefs:
        types, table = self._types, unit.expressions
        if table.kind[value] == NAME_EXPRESSION:
            return types.names.name_answer(unit, table.b[value], unit.strings[table.a[value]], SymbolMeaning.VALUE)
        found: dict[DefinitionRef | External, None] = {}
        for before in types.infer(unit, table.a[value]).values:
            for entry in types.hierarchy.find(before, unit.strings[table.b[value]]):
                found.update(dict.fromkeys(entry.answer))
        return tuple(found)


def _last_name(unit: TsUnit, value: int) -> str:
    """The name that a value is, or that it takes a member by."""
    table = unit.expressions
    if value < 0:
        return ""
    if table.kind[value] == NAME_EXPRESSION:
        return unit.strings[table.a[value]]
    return unit.strings[table.b[value]] if table.kind[value] == MEMBER_EXPRESSION else ""
