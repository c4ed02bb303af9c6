"""Library: functions of the language's library that keep what they are given.

Owns: `Array.from`, `Object.values`, `Promise.all` and the like, as far as types of the workspace go through them.
Must not know: how a callee is found, declared types of the library.
Invariant: what is not listed gives nothing that is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, final

from graphls.languages.typescript.types.context import TsContext
from graphls.languages.typescript.types.types import Types
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import UNKNOWN, TsBuiltin, TsTuple, Value, Values, merged

_HANDED_BACK = frozenset(("Object.create", "Object.freeze", "Object.seal", "structuredClone"))


class CallResults(Protocol):
    """What calls give."""

    def result_of(self, value: Value) -> Values:
        """What a call of something gives."""
        ...

    def indexed_values(self, values: Values) -> Values:
        """What `values[key]` gives."""
        ...


@final
class TsLibrary:
    """Calls of the library."""

    def __init__(self, context: TsContext, annotations: Types, calls: CallResults) -> None:
        self._context = context
        self._annotations = annotations
        self._calls = calls

    def kept(self, dotted: str, unit: TsUnit, arguments: Sequence[int], given: Values) -> Values | None:
        """What functions of the library make of what they are given; None for others."""
        if dotted in ("Object.values", "Object.entries"):
            held = self._calls.indexed_values(given)
            held = held if dotted == "Object.values" else (TsTuple(((TsBuiltin("string"),), held)),)
            return (TsBuiltin("Array", (held,)),)
        if dotted in _HANDED_BACK:
            return given
        if dotted == "Promise.resolve":
            return (TsBuiltin("Promise", (given,)),)
        if dotted == "Promise.all":
            return (TsBuiltin("Promise", (tuple([self._all_of(value) for value in given]),)),)
        if dotted == "Array.from":
            mapping = self._context.queries.infer(unit, arguments[1]).values if len(arguments) > 1 else UNKNOWN
            results = merged(*(self._calls.result_of(item) for item in mapping))
            return (TsBuiltin("Array", (results if mapping else self._context.queries.element(given),)),)
        return None

    def _all_of(self, value: Value) -> Value:
        """Promises in an array as what they give."""
        if isinstance(value, TsTuple):
            return TsTuple(tuple([self._annotations.awaited(part) for part in value.elements]))
        return TsBuiltin("Array", (self._annotations.awaited(self._context.queries.element((value,))),))
