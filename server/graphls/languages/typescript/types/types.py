"""Types: what annotations denote.

Owns: references to types, aliases, operators on types, type arguments.
Must not know: occurrences, edges.
Invariant: what takes a type system (conditions, mappings, inference) is answered only in its plain forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, cast, final

from graphls.languages.bounds import MAX_CANDIDATES
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    ENUM_DEFINITION,
    ENUM_MEMBER_DEFINITION,
    FUNCTION_DEFINITION,
    INTERFACE_DEFINITION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    OBJECT_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    TYPE_PARAMETER_DEFINITION,
    UNION_EXPRESSION,
)
from graphls.languages.resolve.cycle_guard import NOT_CACHED
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External, Module
from graphls.languages.typescript.types import react
from graphls.languages.typescript.types.context import TsContext
from graphls.languages.typescript.types.hierarchy import MAPPED, Hierarchy
from graphls.languages.typescript.types.names import SymbolMeaning, TsNameLookup, suited
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import (
    UNKNOWN,
    Bindings,
    TsBuiltin,
    TsClass,
    TsFunction,
    TsInstance,
    TsIntersection,
    TsNamespace,
    TsObject,
    TsSignature,
    TsThisType,
    TsTuple,
    TsTypeParameter,
    Value,
    Values,
    all_of,
    merged,
    substitute,
)

_NOTHING = frozenset(("null", "undefined", "void", "never"))
_SAME = frozenset(("Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit", "Extract", "Exclude", "NoInfer"))
"""Utility types whose members are those of their first argument."""
_ARRAYS = frozenset(("Array", "ReadonlyArray"))
SCRIPTS: Final = (".js", ".cjs", ".mjs", ".jsx")


@final
class Types:
    """Values of types."""

    def __init__(self, context: TsContext, names: TsNameLookup, hierarchy: Hierarchy) -> None:
        self._context = context
        self._names = names
        self._hierarchy = hierarchy

    def denote(self, unit: TsUnit, expression: int) -> Values:
        """What a type denotes; type parameters stay as they are."""
        if expression < 0:
            return UNKNOWN
        rule = _RULES.get(unit.expressions.kind[expression])
        if rule is None:
            return UNKNOWN
        key = ("type", unit.file, expression)
        known = self._context.cached(key)
        if known is not NOT_CACHED:
            return cast("Values", known)
        return self._context.guarded(key, partial(rule, self, unit, expression), UNKNOWN)

    # references

    def entity(self, unit: TsUnit, expression: int, meaning: SymbolMeaning) -> DefinitionRefs:
        """Definitions behind `A` or `A.B.C`."""
        table = unit.expressions
        kind = table.kind[expression]
        if kind == NAME_EXPRESSION:
            name = unit.strings[table.a[expression]]
            return self._names.name_answer(unit, table.b[expression], name, meaning)
        if kind == MODULE_EXPRESSION:
            return self._names.module_answer(unit, expression)
        if kind == MEMBER_EXPRESSION:
            return self.entity_member(unit, table.a[expression], unit.strings[table.b[expression]], meaning)
        if unit.operator(expression) == "Promise":
            return self.entity(unit, unit.operands(expression)[0], meaning)
        return ()

    def entity_member(self, unit: TsUnit, base: int, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        """`base.name` where the base is a module or namespace."""
        found: dict[DefinitionRef | External, None] = {}
        for ref in self.entity(unit, base, SymbolMeaning.ANY):
            found.update(dict.fromkeys(self._member_of(ref, name, meaning)))
        return tuple(found)

    def _member_of(self, ref: DefinitionRef | External, name: str, meaning: SymbolMeaning) -> DefinitionRefs:
        if isinstance(ref, External):
            return (External(f"{ref.dotted}.{name}"),)
        if ref.row < 0:
            return self._names.module_member(ref.file, name, meaning)
        unit = self._context.unit(ref.file)
        rows = self._names.merged_member(unit, ref.row, name)
        if rows:
            return self._names.followed(unit, suited(unit, rows, meaning), meaning)
        return ()

    def _name(self, unit: TsUnit, expression: int) -> Values:
        table = unit.expressions
        name = unit.strings[table.a[expression]]
        answer = self._names.name_answer(unit, table.b[expression], name, SymbolMeaning.TYPE)
        answer = answer or self._made_by(unit, table.b[expression], name)
        if answer:
            return self.referred(answer, ())
        if name in _ARRAYS:
            return (TsBuiltin("Array"),)
        return (TsBuiltin(name),)

    def _made_by(self, unit: TsUnit, scope: int, name: str) -> DefinitionRefs:
        """A function that makes objects is a type in comments of JavaScript."""
        if not unit.file.endswith(SCRIPTS):
            return ()
        rows = self._names.lookup(unit, scope, name, SymbolMeaning.VALUE)
        return tuple(DefinitionRef(unit.file, row) for row in rows if unit.kind[row] == FUNCTION_DEFINITION)

    def _member(self, unit: TsUnit, expression: int) -> Values:
        return self.referred(self.entity(unit, expression, SymbolMeaning.TYPE), ())

    def referred(self, answer: DefinitionRefs, arguments: tuple[Values, ...]) -> Values:
        """The types that a reference with these arguments stands for."""
        made: list[Value] = []
        seen: set[tuple[str, str]] = set()
        for ref in answer:
            if isinstance(ref, External):
                made.append(react.applied(ref.dotted, arguments) or ref)
                continue
            if ref.row < 0:
                continue
            unit = self._context.unit(ref.file)
            key = (ref.file, unit.text(ref.row))
            if key in seen:
                continue
            seen.add(key)
            made.extend(self._type_of(unit, ref.row, arguments))
        return tuple(made)

    def _type_of(self, unit: TsUnit, row: int, arguments: tuple[Values, ...]) -> Values:
        kind = unit.kind[row]
        if kind in (CLASS_DEFINITION, INTERFACE_DEFINITION, ENUM_DEFINITION, FUNCTION_DEFINITION):
            return (TsInstance(unit.file, row, arguments),)
        if kind == TYPE_PARAMETER_DEFINITION:
            return (TsTypeParameter(unit.file, row),)
        if kind == ENUM_MEMBER_DEFINITION:
            owner = unit.scope_owner[unit.scope[row]]
            return (TsInstance(unit.file, owner),) if owner >= 0 else UNKNOWN
        if kind == TYPE_ALIAS_DEFINITION:
            values = self.denote(unit, unit.value[row])
            return substitute(values, self.bound(unit, row, arguments))
        return UNKNOWN

    def bound(self, unit: TsUnit, row: int, arguments: tuple[Values, ...]) -> Bindings:
        """Type parameters of a definition with what they are given, else with their defaults."""
        made: list[tuple[tuple[str, int], Values]] = []
        for position, parameter in enumerate(self._hierarchy.parameters_of(unit, row)):
            given = arguments[position] if position < len(arguments) else UNKNOWN
            if position >= len(arguments) and unit.value[parameter] >= 0:
                given = substitute(self.denote(unit, unit.value[parameter]), tuple(made))
            if given:
                made.append(((unit.file, parameter), given))
        return tuple(made)

    # operators

    def _applied(self, unit: TsUnit, expression: int) -> Values:
        operator = unit.operator(expression)
        operands = unit.operands(expression)
        if operator:
            rule = _OPERATORS.get(operator.partition(":")[0])
            return rule(self, unit, expression, operands) if rule else UNKNOWN
        base = unit.expressions.a[expression]
        arguments = tuple(self.denote(unit, item) for item in operands)
        answer = self.entity(unit, base, SymbolMeaning.TYPE)
        if answer:
            return self.referred(answer, arguments)
        if unit.expressions.kind[base] != NAME_EXPRESSION:
            return UNKNOWN
        name = unit.strings[unit.expressions.a[base]]
        if name in _SAME or name == "Awaited":
            first = arguments[0] if arguments else UNKNOWN
            return self.awaited(first) if name == "Awaited" else first
        if name == "ReturnType" and arguments:
            return merged(*(self._context.queries.result_of(value) for value in arguments[0]))
        if name == "InstanceType" and arguments:
            return merged(*(self._context.queries.constructed(value) for value in arguments[0]))
        return (TsBuiltin("Array" if name in _ARRAYS else name, arguments),)

    def awaited(self, values: Values) -> Values:
        """What waiting for values gives."""
        made: list[Value] = []
        for value in values:
            if isinstance(value, TsBuiltin) and value.name in ("Promise", "PromiseLike") and value.arguments:
                made.extend(value.arguments[0])
            elif isinstance(value, TsIntersection) and any(_promise_of(part) for part in value.parts):
                made.extend(self.awaited(tuple(part for part in value.parts if _promise_of(part))))
            elif not isinstance(value, TsBuiltin) or value.name != "Promise":
                made.append(value)
        return tuple(dict.fromkeys(made))

    def _array(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        return (TsBuiltin("Array", (self.denote(unit, operands[0]),)),)

    def _promise(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        return (TsBuiltin("Promise", (self.denote(unit, operands[0]),)),)

    def _both(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        each = [self.denote(unit, item) for item in operands]
        parts = merged(*each)
        omitted = [(name, values) for item, values in zip(operands, each, strict=True) for name in _omitted(unit, item)]
        return all_of(parts, frozenset((parts.index(value), name) for name, values in omitted for value in values))

    def _signature(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        return (TsSignature(unit.file, expression),)

    def _typeof(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        return self._context.queries.infer(unit, operands[0]).values

    def _indexed(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        """`T["key"]`."""
        if len(operands) != 2 or operands[1] < 0:
            return UNKNOWN
        table = unit.expressions
        index = operands[1]
        values = self.denote(unit, operands[0])
        if table.kind[index] != LITERAL_EXPRESSION:
            return UNKNOWN
        if table.b[index] >= 0:
            name = unit.strings[table.b[index]]
            if len(values) > MAX_CANDIDATES:
                return values
            return merged(*(self._context.queries.member_values(value, name) for value in values))
        return self._context.queries.element(values) if unit.strings[table.a[index]] == "number" else UNKNOWN

    def _conditional(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        """Either branch, where both are plain."""
        branches: list[Values] = []
        while len(operands) == 4:
            branches.append(self.denote(unit, operands[2]))
            otherwise = operands[3]
            if otherwise < 0 or unit.operator(otherwise) != "?":
                branches.append(self.denote(unit, otherwise))
                break
            # A chain of conditions is as long as people like: no question leads to the next.
            operands = unit.operands(otherwise)
        return merged(*branches)

    def _mapped(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        """`{ [K in keyof T]: T[K] }` has the members of T; with other types these still lead to those of T.

        Of other keys no more is known than that all members have one type.
        """
        if len(operands) == 1:
            return self.denote(unit, operands[0])
        if len(operands) != 2:
            return UNKNOWN
        if unit.operator(operands[0]) != "keyof":
            values = self.denote(unit, operands[1])
            return (TsBuiltin("Record", ((TsBuiltin("string"),), values)),) if values else UNKNOWN
        whole = self.denote(unit, unit.operands(operands[0])[0])
        return (TsBuiltin(MAPPED, (whole, self.denote(unit, operands[1]))),) if whole else UNKNOWN

    def _keys(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        return (TsBuiltin("string"),)

    def _proof(self, unit: TsUnit, expression: int, operands: Sequence[int]) -> Values:
        return (TsBuiltin("boolean"),)

    # other kinds

    def _union(self, unit: TsUnit, expression: int) -> Values:
        return merged(*(self.denote(unit, item) for item in unit.list_at(unit.expressions.a[expression])))

    def _tuple(self, unit: TsUnit, expression: int) -> Values:
        return (TsTuple(tuple(self.denote(unit, item) for item in unit.list_at(unit.expressions.a[expression]))),)

    def _literal(self, unit: TsUnit, expression: int) -> Values:
        name = unit.strings[unit.expressions.a[expression]]
        if name in _NOTHING:
            return UNKNOWN
        return (TsThisType(),) if name == "this" else (TsBuiltin(name),)

    def _object(self, unit: TsUnit, expression: int) -> Values:
        return (TsObject(unit.file, unit.expressions.a[expression]),)

    def _of_value(self, unit: TsUnit, expression: int) -> Values:
        """An expression where a type should be."""
        return self._context.queries.infer(unit, expression).values

    def objects_of(self, values: Values) -> Values:
        """Values that have members of their own."""
        kinds = (Module, TsNamespace, TsClass, TsInstance, TsObject, TsFunction, TsIntersection, TsTypeParameter)
        return tuple(value for value in values if isinstance(value, kinds))


_RULES: Mapping[int, Callable[[Types, TsUnit, int], Values]] = {
    NAME_EXPRESSION: Types._name,  # pyright: ignore[reportPrivateUsage]
    MEMBER_EXPRESSION: Types._member,  # pyright: ignore[reportPrivateUsage]
    SUBSCRIPT_EXPRESSION: Types._applied,  # pyright: ignore[reportPrivateUsage]
    UNION_EXPRESSION: Types._union,  # pyright: ignore[reportPrivateUsage]
    TUPLE_EXPRESSION: Types._tuple,  # pyright: ignore[reportPrivateUsage]
    LITERAL_EXPRESSION: Types._literal,  # pyright: ignore[reportPrivateUsage]
    OBJECT_EXPRESSION: Types._object,  # pyright: ignore[reportPrivateUsage]
}

_OPERATORS: Mapping[str, Callable[[Types, TsUnit, int, Sequence[int]], Values]] = {
    "Array": Types._array,  # pyright: ignore[reportPrivateUsage]
    "Promise": Types._promise,  # pyright: ignore[reportPrivateUsage]
    "&": Types._both,  # pyright: ignore[reportPrivateUsage]
    "=>": Types._signature,  # pyright: ignore[reportPrivateUsage]
    "new": Types._signature,  # pyright: ignore[reportPrivateUsage]
    "typeof": Types._typeof,  # pyright: ignore[reportPrivateUsage]
    "[]": Types._indexed,  # pyright: ignore[reportPrivateUsage]
    "?": Types._conditional,  # pyright: ignore[reportPrivateUsage]
    "mapped": Types._mapped,  # pyright: ignore[reportPrivateUsage]
    "keyof": Types._keys,  # pyright: ignore[reportPrivateUsage]
    "is": Types._proof,  # pyright: ignore[reportPrivateUsage]
}


def _omitted(unit: TsUnit, expression: int) -> Iterator[str]:
    """The names in `Omit<T, "a" | "b">`."""
    table = unit.expressions
    if expression < 0 or table.kind[expression] != SUBSCRIPT_EXPRESSION:
        return
    operands, base = unit.operands(expression), table.a[expression]
    is_named = base >= 0 and table.kind[base] == NAME_EXPRESSION and unit.strings[table.a[base]] == "Omit"
    if len(operands) != 2 or operands[1] < 0 or not is_named:
        return
    keys = operands[1]
    for key in unit.list_at(table.a[keys]) if table.kind[keys] == UNION_EXPRESSION else (keys,):
        if table.kind[key] == LITERAL_EXPRESSION and table.b[key] >= 0:
            yield unit.strings[table.b[key]]


def _promise_of(value: Value) -> bool:
    return isinstance(value, TsBuiltin) and value.name in ("Promise", "PromiseLike")
