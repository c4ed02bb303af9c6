"""Inference: the values an expression evidently has.

Owns: how names, members, literals and tests give values.
Must not know: occurrences, edges.
Invariant: bounded work for any input; an answer never depends on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, cast, final

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_BINDINGS, MAX_CANDIDATES
from graphls.languages.extract.kinds import (
    AWAIT_EXPRESSION,
    BLOCK_SCOPE,
    CALL_EXPRESSION,
    CLASS_DEFINITION,
    CLASS_SCOPE,
    COLLECTION_EXPRESSION,
    ELEMENT_EXPRESSION,
    ENUM_DEFINITION,
    ENUM_MEMBER_DEFINITION,
    FUNCTION_DEFINITION,
    FUNCTION_EXPRESSION,
    FUNCTION_SCOPE,
    IMPORT_DEFINITION,
    INTERFACE_DEFINITION,
    ITEM_EXPRESSION,
    LAMBDA_EXPRESSION,
    LAMBDA_SCOPE,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    METHOD_DEFINITION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    NAMESPACE_DEFINITION,
    OBJECT_EXPRESSION,
    OBJECT_SCOPE,
    OPERATION_EXPRESSION,
    PARAMETER_DEFINITION,
    PARAMETER_EXPRESSION,
    PROPERTY_DEFINITION,
    STARRED_EXPRESSION,
    STATIC_FLAG,
    SUBSCRIPT_EXPRESSION,
    TYPE_ALIAS_DEFINITION,
    TYPE_EXPRESSION,
    TYPE_PARAMETER_DEFINITION,
    UNION_EXPRESSION,
    VARIABLE_DEFINITION,
)
from graphls.languages.provider import World
from graphls.languages.resolve.cycle_guard import NOT_CACHED
from graphls.languages.resolve.ranges import FirstCover
from graphls.languages.resolve.structural_value import DefinitionRef, DefinitionRefs, External, Module
from graphls.languages.typescript.syntax.patterns import REST
from graphls.languages.typescript.types.calls import TsCallResolution
from graphls.languages.typescript.types.context import TsContext
from graphls.languages.typescript.types.global_names import GLOBALS
from graphls.languages.typescript.types.hierarchy import Hierarchy, TsMember
from graphls.languages.typescript.types.jsx import INTRINSIC
from graphls.languages.typescript.types.names import SymbolMeaning, TsNameLookup
from graphls.languages.typescript.types.overloads import Overloads
from graphls.languages.typescript.types.queries import TsQueries
from graphls.languages.typescript.types.types import Types
from graphls.languages.typescript.types.units import TsUnit
from graphls.languages.typescript.types.values import (
    CROWD,
    NO_INFERENCE,
    UNKNOWN,
    TsBuiltin,
    TsClass,
    TsFunction,
    TsInference,
    TsInstance,
    TsNamespace,
    TsObject,
    TsRule,
    TsSignature,
    TsSuper,
    TsTuple,
    TsTypeParameter,
    Value,
    Values,
    join,
    substitute,
    unknown_after,
)

FUNCTIONS = frozenset((FUNCTION_DEFINITION, METHOD_DEFINITION))
SCRIPTS: Final = (".js", ".cjs", ".jsx")
_NOTHING = frozenset(("null", "undefined"))


class _NameTests(NamedTuple):
    """The tests about one name, the last one first: of its class, and by calls, which may tell nothing."""

    plain: FirstCover
    calls: Sequence[tuple[int, int, int]]
    """Start, end, row."""


@final
class TsTypeInference(TsQueries):
    """Values of names, members and literals, and the parts that find them."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        self.context = context = TsContext(path, facts, world)
        context.queries = self
        self.own = context.own
        self.names = names = TsNameLookup(context)
        self.hierarchy = hierarchy = Hierarchy(context, names)
        self.annotations = annotations = Types(context, names, hierarchy)
        self.overloads = overloads = Overloads(context, names, hierarchy, annotations)
        self.calls = TsCallResolution(
            context=context, names=names, hierarchy=hierarchy, annotations=annotations, overloads=overloads
        )
        # The class below all of this is compiled where it can be: what is worked out once is no cached property.
        self._assigned_values: Mapping[int, Sequence[int]] | None = None
        self._tested_names: Mapping[str, _NameTests] | None = None

    def release(self) -> None:
        """Ends the questions: parts and context no longer lead back here, so all of it is freed at once."""
        del self.context.queries
        self.context.release_memo()

    def denote(self, unit: TsUnit, expression: int) -> Values:
        """Values of what a type denotes."""
        return self.annotations.denote(unit, expression)

    def result_of(self, value: Value) -> Values:
        """What calling a value gives."""
        return self.calls.result_of(value)

    def constructed(self, value: Value) -> Values:
        """What `new` makes of a value that is no class."""
        return self.calls.constructed(value)

    def infer(self, unit: TsUnit, expression: int) -> TsInference:
        """Values an expression may have; empty when code does not decide."""
        if expression < 0:
            return NO_INFERENCE
        rule = RULES.get(unit.expressions.kind[expression])
        if rule is None:
            return NO_INFERENCE
        key = (unit.file, expression)
        known = self.context.cached(key)
        if known is not NOT_CACHED:
            return cast("TsInference", known)
        return self.context.guarded(key, partial(rule, self, unit, expression), NO_INFERENCE)

    # names

    def name(self, unit: TsUnit, expression: int) -> TsInference:
        """A plain name, `this` or `super`."""
        table = unit.expressions
        text, scope, use = unit.strings[table.a[expression]], table.b[expression], table.c[expression]
        if text == "this":
            return self.receiver(unit, scope)
        if text == "super":
            inner = self.receiver(unit, scope)
            made = tuple(TsSuper(value) for value in inner.values if isinstance(value, (TsInstance, TsClass)))
            return TsInference(made, TsRule.SUPER)
        inference = self.answer_value(self.names.name_answer(unit, scope, text, SymbolMeaning.VALUE))
        if unit.own and use >= 0 and text in self._narrowed_names():
            return self._narrowed(inference, text, use)
        if not inference.values and not self.names.lookup(unit, scope, text, SymbolMeaning.ANY):
            if text == "exports" and self._gives(unit):
                return TsInference((Module(unit.file),), TsRule.IMPORT)
            return TsInference((External(text),), TsRule.EXTERNAL) if text in GLOBALS else inference
        return inference

    def _gives(self, unit: TsUnit) -> bool:
        """Whether a script gives names by `exports.name = value`: then reading `exports` reads the module."""
        return unit.export_scope >= 0 and unit.file.endswith(SCRIPTS)

    def answer_value(self, answer: DefinitionRefs) -> TsInference:
        """What definitions hold; of several declarations of one function the first speaks for all."""
        if len(answer) > MAX_BINDINGS:
            return self._crowd_value(answer)
        parts: list[TsInference] = []
        seen: set[tuple[str, int, str]] = set()
        for ref in answer:
            if isinstance(ref, External):
                parts.append(TsInference((ref,), TsRule.EXTERNAL))
            elif ref.row < 0:
                parts.append(TsInference((Module(ref.file),), TsRule.IMPORT))
            else:
                unit = self.context.unit(ref.file)
                key = (ref.file, unit.scope[ref.row], unit.text(ref.row))
                if unit.kind[ref.row] in FUNCTIONS:
                    if key in seen:
                        continue
                    seen.add(key)
                parts.append(self.value_of(unit, ref.row))
        known = [part for part in parts if part.values or part.crowded]
        return join(tuple(known or parts))

    def _crowd_value(self, answer: DefinitionRefs) -> TsInference:
        """Of many declarations of a function the first speaks for all; what many bindings of a variable hold is not
        known."""
        first = answer[0]
        function = (
            isinstance(first, DefinitionRef)
            and first.row >= 0
            and self.context.unit(first.file).kind[first.row] in FUNCTIONS
        )
        return self.answer_value(answer[:1]) if function else CROWD

    def value_of(self, unit: TsUnit, row: int) -> TsInference:
        """What a binding holds."""
        kind = unit.kind[row]
        if kind == CLASS_DEFINITION:
            return TsInference((TsClass(unit.file, row),), TsRule.GLOBAL)
        if kind in (ENUM_DEFINITION, NAMESPACE_DEFINITION):
            return TsInference((TsNamespace(unit.file, row),), TsRule.NAMESPACE)
        if kind in FUNCTIONS and unit.type[row] < 0:
            return TsInference((TsFunction(unit.file, row),), TsRule.GLOBAL)
        key = ("value", unit.file, row)
        known = self.context.cached(key)
        if known is not NOT_CACHED:
            return cast("TsInference", known)
        return self.context.guarded(key, partial(self._value_of, unit, row), NO_INFERENCE)

    def _value_of(self, unit: TsUnit, row: int) -> TsInference:
        kind = unit.kind[row]
        if kind == IMPORT_DEFINITION:
            return self.answer_value(self.names.imported(unit, row, SymbolMeaning.VALUE))
        if kind == ENUM_MEMBER_DEFINITION:
            return TsInference((TsInstance(unit.file, unit.scope_owner[unit.scope[row]]),), TsRule.CLASS_MEMBER)
        if kind in (INTERFACE_DEFINITION, TYPE_ALIAS_DEFINITION, TYPE_PARAMETER_DEFINITION):
            return NO_INFERENCE
        if kind == PROPERTY_DEFINITION:
            return TsInference(self.calls.returned(unit, row), TsRule.ANNOTATED)
        if unit.type[row] >= 0:
            given = self.infer(unit, unit.value[row]) if self._names_nothing(unit, row) else NO_INFERENCE
            if given.values:
                return TsInference(given.values, given.rule, False, given.partial)
            values = self.annotations.denote(unit, unit.type[row])
            return TsInference(values, TsRule.ANNOTATED, partial=not values)
        if kind in FUNCTIONS:
            return TsInference((TsFunction(unit.file, row),), TsRule.GLOBAL)
        inner = self.infer(unit, unit.value[row])
        if not inner.values and not inner.crowded and unit.own and kind == VARIABLE_DEFINITION:
            return self._assigned_value(row)
        if kind == PARAMETER_DEFINITION:
            if not inner.values and unit.own and unit.file.endswith(SCRIPTS):
                inner = self._given_anew(row)
            if unit.body[row] >= 0:  # it has what the function sets on it, and whatever it is given with
                filled = TsInference((TsObject(unit.file, unit.body[row]),), TsRule.OBJECT_MEMBER, False, True)
                return join((inner, filled)) if inner.values else filled
            return TsInference(inner.values, inner.rule, False, inner.partial)
        return inner

    def _given_anew(self, row: int) -> TsInference:
        """What a function gives a parameter that was given nothing: `app = app || new App()`. What it is given is as
        possible as with a default value."""
        found = self._assigned_value(row)
        return TsInference(found.values, found.rule, False, True) if found.values else NO_INFERENCE

    def _names_nothing(self, unit: TsUnit, row: int) -> bool:
        """Whether a comment of a script gives a variable a type that no file declares: its value says more."""
        table, declared = unit.expressions, unit.type[row]
        if unit.value[row] < 0 or not unit.file.endswith(SCRIPTS) or table.kind[declared] != NAME_EXPRESSION:
            return False
        name = unit.strings[table.a[declared]]
        return name not in GLOBALS and not self.names.name_answer(unit, table.b[declared], name, SymbolMeaning.TYPE)

    def _assigned_value(self, row: int) -> TsInference:
        """What later assignments give a variable that begins without a value."""
        parts = self.assigned_values(row)
        known = tuple(part for part in parts if part.values or part.crowded)
        joined = join(known)
        return TsInference(joined.values, joined.rule, joined.sure and len(parts) == 1, joined.partial)

    def assigned_values(self, row: int) -> tuple[TsInference, ...]:
        """What each later assignment gives a variable of the own file."""
        given = self._assignments().get(row, ())
        return (CROWD,) if len(given) > MAX_BINDINGS else tuple(self.infer(self.own, value) for value in given)

    def _assignments(self) -> Mapping[int, Sequence[int]]:
        """Values assigned to each variable of the own file."""
        if self._assigned_values is None:
            self._assigned_values = self._all_assignments()
        return self._assigned_values

    def _all_assignments(self) -> Mapping[int, Sequence[int]]:
        table, found = self.own.expressions, dict[int, list[int]]()
        for row, kind in enumerate(table.kind):
            if kind != OPERATION_EXPRESSION or self.own.strings[table.c[row]] != "=":
                continue
            subject = table.a[row]
            name = self.own.strings[table.a[subject]]
            for bound in self.names.lookup(self.own, table.b[subject], name, SymbolMeaning.VALUE)[:1]:
                found.setdefault(bound, []).append(table.b[row])
        return found

    # this

    def receiver(self, unit: TsUnit, scope: int) -> TsInference:
        """What `this` is in a scope."""
        while scope > 0:
            kind, owner = unit.scope_kind[scope], unit.scope_owner[scope]
            if kind == CLASS_SCOPE and owner >= 0:
                return TsInference((self.this_of(unit, owner),), TsRule.RECEIVER)
            if kind == BLOCK_SCOPE and owner >= 0:
                return TsInference((TsClass(unit.file, owner),), TsRule.RECEIVER)
            if kind == FUNCTION_SCOPE or (kind == LAMBDA_SCOPE and self._is_static(unit, owner)):
                return self._receiver_of(unit, scope, owner)
            if kind == OBJECT_SCOPE and owner < 0:
                pass
            scope = unit.scope_parent[scope]
        return NO_INFERENCE

    def _is_static(self, unit: TsUnit, owner: int) -> bool:
        """Whether an arrow function is what a static field of a class holds."""
        if owner < 0 or not unit.flags[owner] & STATIC_FLAG:
            return False
        return unit.scope_kind[unit.scope[owner]] == CLASS_SCOPE

    def this_of(self, unit: TsUnit, row: int) -> TsInstance:
        """An instance of a class with its own type parameters."""
        return TsInstance(unit.file, row)

    def _receiver_of(self, unit: TsUnit, scope: int, owner: int) -> TsInference:
        declared = self.calls.declared_receiver(unit, scope)
        if declared is not None:
            return TsInference(declared, TsRule.ANNOTATED)
        for row in unit.members(scope).get("", ()):
            if unit.operator(unit.value[row]) == "parameter:this":
                given = self.infer(unit, unit.value[row])
                if given.values:
                    return given
        if owner < 0:
            return NO_INFERENCE
        home = unit.scope[owner]
        kind = unit.scope_kind[home]
        holder = unit.scope_owner[home]
        if kind == CLASS_SCOPE and holder >= 0:
            if unit.flags[owner] & STATIC_FLAG:
                return TsInference((TsClass(unit.file, holder),), TsRule.RECEIVER)
            return TsInference((self.this_of(unit, holder),), TsRule.RECEIVER)
        if kind == OBJECT_SCOPE:
            whole = unit.value[holder] if holder >= 0 else -1
            if unit.operator(whole) == "&":  # with what is spread into it, or the call that makes it
                return TsInference(self.infer(unit, whole).values, TsRule.RECEIVER, sure=False)
            return TsInference((TsObject(unit.file, home),), TsRule.RECEIVER, sure=False)
        if unit.scopes_of(owner, CLASS_SCOPE):
            return TsInference((TsInstance(unit.file, owner),), TsRule.RECEIVER)
        return NO_INFERENCE

    # tests

    def _narrowed_names(self) -> Mapping[str, _NameTests]:
        """Tests by the names that they are about."""
        if self._tested_names is None:
            table, kinds = self.context.facts.narrowings, self.own.expressions.kind
            found: dict[str, list[tuple[int, int, int]]] = {}
            for row in range(len(table) - 1, -1, -1):
                if table.positive[row] and table.test[row] >= 0:
                    for name in dict.fromkeys(self._tested(table.subject[row])):
                        found.setdefault(name, []).append((table.start[row], table.end[row], row))
            calls = {
                row for row, subject in enumerate(table.subject) if subject >= 0 and kinds[subject] == CALL_EXPRESSION
            }
            self._tested_names = {
                name: _NameTests(
                    FirstCover([one for one in ranges if one[2] not in calls]),
                    [one for one in ranges if one[2] in calls],
                )
                for name, ranges in found.items()
            }
        return self._tested_names

    def _tested(self, subject: int) -> Sequence[str]:
        """The plain names that a test is about; of a call those of its arguments."""
        if subject < 0:
            return ()
        table = self.own.expressions
        rows = self.own.list_at(table.b[subject]) if table.kind[subject] == CALL_EXPRESSION else (subject,)
        return [
            self.own.strings[table.a[row]] if row >= 0 and table.kind[row] == NAME_EXPRESSION else "" for row in rows
        ]

    def _narrowed(self, inference: TsInference, name: str, use: int) -> TsInference:
        """What a name holds behind the last test about it that tells."""
        table, tests = self.context.facts.narrowings, self._narrowed_names()[name]
        last = tests.plain.at(use)
        for start, end, row in tests.calls:
            if row < last:
                break
            if start <= use < end:
                subject = table.subject[row]
                proved = self.calls.proved(subject, list(self._tested(subject)).index(name))
                if proved:
                    return self._proved(inference, proved)
        if last < 0:
            return inference
        tested = self.infer(self.own, table.test[last]).values
        made = tuple(TsInstance(v.file, v.row) for v in tested if isinstance(v, (TsClass, TsFunction)))
        return TsInference(made, TsRule.NARROWED) if made else NO_INFERENCE

    def _proved(self, inference: TsInference, proved: Values) -> TsInference:
        """What a name holds that was proved to be something: what it was, where that is the same or more."""
        narrower = tuple(value for value in inference.values if any(self.hierarchy.derives(value, of) for of in proved))
        if narrower:
            return TsInference(narrower, TsRule.NARROWED, inference.sure)
        known = tuple(value for value in proved if not isinstance(value, (TsBuiltin, External, TsTypeParameter)))
        return TsInference(known, TsRule.NARROWED, False) if known else inference

    # members

    def member(self, unit: TsUnit, expression: int) -> TsInference:
        """`base.name`."""
        table = unit.expressions
        base, name = table.a[expression], unit.strings[table.b[expression]]
        if table.kind[base] == MODULE_EXPRESSION and not table.b[base]:
            return self.answer_value(self.names.module_expression_member(unit, base, name, SymbolMeaning.VALUE))
        before = self.infer(unit, base)
        if not before.values:
            return unknown_after(before)
        if self.is_own_exports(unit, before, name):
            assigned = self.answer_value(self.names.assigned(unit.file, SymbolMeaning.VALUE))
            return assigned if assigned.values else TsInference((Module(unit.file),), TsRule.IMPORT)
        parts = tuple(self.member_inference(value, name) for value in before.values)
        joined = join(parts)
        return joined.after(before)

    def is_own_exports(self, unit: TsUnit, before: TsInference, name: str) -> bool:
        """Whether a member is `module.exports` of a script that gives something."""
        return name == "exports" and before.values == (External("module"),) and self._gives(unit)

    def member_inference(self, value: Value, name: str) -> TsInference:
        """What reading a member of a value gives."""
        key = ("member value", value, name)
        known = self.context.cached(key)
        if known is not NOT_CACHED:
            return cast("TsInference", known)
        return self.context.guarded(key, partial(self._member_inference, value, name), NO_INFERENCE)

    def member_values(self, value: Value, name: str) -> Values:
        """What reading a member of a value gives."""
        return self.member_inference(value, name).values

    def _member_inference(self, value: Value, name: str) -> TsInference:
        if name == "prototype" and isinstance(value, (TsClass, TsFunction)):
            return TsInference((TsInstance(value.file, value.row),), TsRule.CLASS_MEMBER)
        if isinstance(value, TsBuiltin) and value.name == INTRINSIC:
            return join(tuple(self.member_inference(table, name) for table in self.hierarchy.intrinsic_elements()))
        if isinstance(value, (TsBuiltin, TsTuple)):
            return self.calls.builtin_member(value, name)
        parts = [self._bound_member(value, name, found) for found in self.hierarchy.find(value, name)]
        known = tuple(part for part in parts if part.values or part.crowded)
        return join(known or tuple(parts))

    def _bound_member(self, value: Value, name: str, found: TsMember) -> TsInference:
        """A member read through a value: functions are bound, type parameters and `this` replaced."""
        if isinstance(found.holder, TsBuiltin) and not isinstance(value, TsBuiltin):
            return self.calls.builtin_member(found.holder, name)
        inference = self.answer_value(found.answer)
        if isinstance(value, (Module, TsNamespace)):
            return inference
        bindings = self.hierarchy.bindings(found.holder)
        receiver = value.of if isinstance(value, TsSuper) else value
        made: list[Value] = []
        for item in inference.values:
            if isinstance(item, TsFunction):
                made.append(TsFunction(item.file, item.row, receiver, (*bindings, *item.bindings)[:24]))
            else:
                made.extend(substitute((item,), bindings, receiver))
        sure = inference.sure and not found.outside
        return TsInference(tuple(dict.fromkeys(made)), inference.rule, sure, inference.partial)

    # literals

    def literal(self, unit: TsUnit, expression: int) -> TsInference:
        """`"text"`, `1`."""
        name = unit.strings[unit.expressions.a[expression]]
        return TsInference(UNKNOWN if name in _NOTHING else (TsBuiltin(name),), TsRule.LOCAL)

    def object(self, unit: TsUnit, expression: int) -> TsInference:
        """An object literal."""
        return TsInference((TsObject(unit.file, unit.expressions.a[expression]),), TsRule.OBJECT_MEMBER)

    def function(self, unit: TsUnit, expression: int) -> TsInference:
        """A function or class of this file."""
        row = unit.expressions.a[expression]
        return self.value_of(unit, row) if row >= 0 else NO_INFERENCE

    def lambda_value(self, unit: TsUnit, expression: int) -> TsInference:
        """A function without a name."""
        return TsInference((TsSignature(unit.file, expression),), TsRule.LOCAL)

    def module(self, unit: TsUnit, expression: int) -> TsInference:
        """A module."""
        return self.answer_value(self.names.module_answer(unit, expression))

    def union(self, unit: TsUnit, expression: int) -> TsInference:
        """Any of several."""
        items = unit.list_at(unit.expressions.a[expression])
        joined = join(tuple(self.infer(unit, item) for item in items))
        return (
            TsInference(joined.values, TsRule.UNION, joined.sure, joined.partial) if len(joined.values) > 1 else joined
        )

    def collection(self, unit: TsUnit, expression: int) -> TsInference:
        """`[a, b]`; behind what is spread into it nobody knows the places of elements."""
        items: Sequence[int] = unit.list_at(unit.expressions.a[expression])
        spread = any(unit.expressions.kind[item] == STARRED_EXPRESSION for item in items if item >= 0)
        if spread or len(items) > MAX_CANDIDATES:
            return TsInference((TsBuiltin("Array", (self._any_of(unit, items),)),), TsRule.LOCAL)
        elements = tuple(self.infer(unit, item).values for item in items)
        return TsInference((TsTuple(elements),), TsRule.LOCAL)

    def _any_of(self, unit: TsUnit, items: Sequence[int]) -> Values:
        """What is in a long array, or is spread into one, looked at until it is too much to tell apart."""
        made: dict[Value, None] = {}
        for item in items:
            spread = item >= 0 and unit.expressions.kind[item] == STARRED_EXPRESSION
            held = self.iterated(unit, item) if spread else self.infer(unit, item)
            made.update(dict.fromkeys(held.values))
            if len(made) > MAX_CANDIDATES:
                break
        return tuple(made)[: MAX_CANDIDATES + 1]

    def typed(self, unit: TsUnit, expression: int) -> TsInference:
        """`x as T`: an instance of what the type denotes."""
        return TsInference(self.annotations.denote(unit, unit.expressions.a[expression]), TsRule.ANNOTATED)

    def parameter(self, unit: TsUnit, expression: int) -> TsInference:
        """A parameter that is taken apart."""
        return self.value_of(unit, unit.expressions.a[expression])

    def waited(self, unit: TsUnit, expression: int) -> TsInference:
        """`await x`."""
        inner = self.infer(unit, unit.expressions.a[expression])
        return inner.holding(self.annotations.awaited(inner.values))

    def iterated(self, unit: TsUnit, expression: int) -> TsInference:
        """An element of what is iterated."""
        inner = self.infer(unit, unit.expressions.a[expression])
        if inner.crowded:
            return inner
        values = self.element(inner.values)
        return TsInference(self.annotations.awaited(values), TsRule.ELEMENT, inner.sure, inner.partial)

    def item(self, unit: TsUnit, expression: int) -> TsInference:
        """One of the elements."""
        inner = self.infer(unit, unit.expressions.a[expression])
        if inner.crowded:
            return inner
        position = unit.expressions.b[expression]
        parts: list[Values] = []
        for value in inner.values:
            if position >= REST and isinstance(value, (TsTuple, TsBuiltin)):
                parts.append((TsBuiltin("Array", (self.element((value,)),)),))
            elif isinstance(value, TsTuple):
                parts.append(value.elements[position] if 0 <= position < len(value.elements) else UNKNOWN)
            elif position < REST:
                parts.append(self.element((value,)))
            elif isinstance(value, (TsObject, TsInstance)):
                parts.append((value,))
        made = tuple(dict.fromkeys(item for part in parts for item in part))
        return TsInference(made, TsRule.ELEMENT, inner.sure, inner.partial)

    def element(self, values: Values) -> Values:
        """What is in arrays and the like."""
        made: list[Value] = []
        for value in values:
            if isinstance(value, TsBuiltin) and len(value.arguments) == 1:
                made.extend(value.arguments[0])
            elif isinstance(value, TsBuiltin) and value.name == "Map" and len(value.arguments) == 2:
                made.append(TsTuple(value.arguments))
            elif isinstance(value, TsTuple):
                made.extend(item for element in value.elements for item in element)
        return tuple(dict.fromkeys(made))

    def other_import(self, unit: TsUnit, value: int) -> DefinitionRefs:
        """A name taken out of a required module's value."""
        table = unit.expressions
        named = self.annotations.entity(unit, value, SymbolMeaning.ANY)
        if named:
            return named
        if table.kind[value] != MEMBER_EXPRESSION:
            values = self.infer(unit, value).values
            return tuple(DefinitionRef(module.file, -1) for module in values if isinstance(module, Module))
        name = unit.strings[table.b[value]]
        found: dict[DefinitionRef | External, None] = {}
        for inner in self.infer(unit, table.a[value]).values:
            for entry in self.hierarchy.find(inner, name):
                found.update(dict.fromkeys(entry.answer))
        return tuple(found)

    def object_member(self, unit: TsUnit, row: int, name: str) -> DefinitionRefs:
        """A member of what a definition holds."""
        found: dict[DefinitionRef | External, None] = {}
        for value in self.value_of(unit, row).values:
            for entry in self.hierarchy.find(value, name):
                found.update(dict.fromkeys(entry.answer))
        return tuple(found)


def _call(types: TsTypeInference, unit: TsUnit, expression: int) -> TsInference:
    return types.calls.call(unit, expression)


def _applied(types: TsTypeInference, unit: TsUnit, expression: int) -> TsInference:
    return types.calls.applied(unit, expression)


def _starred(types: TsTypeInference, unit: TsUnit, expression: int) -> TsInference:
    """`...values`: in an object all that these have."""
    return types.infer(unit, unit.expressions.a[expression])


RULES: Mapping[int, Callable[[TsTypeInference, TsUnit, int], TsInference]] = {
    NAME_EXPRESSION: TsTypeInference.name,
    MEMBER_EXPRESSION: TsTypeInference.member,
    CALL_EXPRESSION: _call,
    SUBSCRIPT_EXPRESSION: _applied,
    UNION_EXPRESSION: TsTypeInference.union,
    COLLECTION_EXPRESSION: TsTypeInference.collection,
    LITERAL_EXPRESSION: TsTypeInference.literal,
    AWAIT_EXPRESSION: TsTypeInference.waited,
    ELEMENT_EXPRESSION: TsTypeInference.iterated,
    ITEM_EXPRESSION: TsTypeInference.item,
    MODULE_EXPRESSION: TsTypeInference.module,
    LAMBDA_EXPRESSION: TsTypeInference.lambda_value,
    PARAMETER_EXPRESSION: TsTypeInference.parameter,
    OBJECT_EXPRESSION: TsTypeInference.object,
    FUNCTION_EXPRESSION: TsTypeInference.function,
    TYPE_EXPRESSION: TsTypeInference.typed,
    STARRED_EXPRESSION: _starred,
}
