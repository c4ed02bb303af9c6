"""Inference: the values an expression evidently has.

Owns: how names, members, literals and tests give values.
Must not know: occurrences, edges.
Invariant: bounded work for any input; an answer never depends on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, cast

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_BINDINGS
from graphls.languages.guard import NEVER_ASKED
from graphls.languages.kinds import (
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
from graphls.languages.known import Answer, External, Module, Spot
from graphls.languages.provider import World
from graphls.languages.typescript.resolution.global_names import GLOBALS
from graphls.languages.typescript.resolution.hierarchy import Found
from graphls.languages.typescript.resolution.names import Meaning
from graphls.languages.typescript.resolution.types import Types
from graphls.languages.typescript.resolution.units import Unit
from graphls.languages.typescript.resolution.values import (
    NO_INFERENCE,
    UNKNOWN,
    Builtin,
    Class,
    Function,
    Holder,
    Inference,
    Instance,
    Object,
    Rule,
    Signature,
    Super,
    Tuple,
    Value,
    Values,
    Variable,
    join,
    substitute,
)

FUNCTIONS = frozenset((FUNCTION_DEFINITION, METHOD_DEFINITION))
MAX_VALUES: Final = 12
SCRIPTS: Final = (".js", ".cjs", ".jsx")
_NOTHING = frozenset(("null", "undefined"))


class Inferring(Types):
    """Values of names, members and literals."""

    def __init__(self, path: FilePath, facts: FileFacts, world: World) -> None:
        super().__init__(path, facts, world)
        # The class below all of this is compiled where it can be: what is worked out once is no cached property.
        self._assigned_values: Mapping[int, Sequence[int]] | None = None
        self._tested_names: Mapping[str, Sequence[int]] | None = None

    def infer(self, unit: Unit, expression: int) -> Inference:
        """Values an expression may have; empty when code does not decide."""
        if expression < 0:
            return NO_INFERENCE
        rule = RULES.get(unit.expressions.kind[expression])
        if rule is None:
            return NO_INFERENCE
        key = (unit.file, expression)
        known = self.known(key)
        if known is not NEVER_ASKED:
            return cast("Inference", known)
        return self.guarded(key, partial(rule, self, unit, expression), NO_INFERENCE)

    # names

    def name(self, unit: Unit, expression: int) -> Inference:
        """A plain name, `this` or `super`."""
        table = unit.expressions
        text, scope, use = unit.strings[table.a[expression]], table.b[expression], table.c[expression]
        if text == "this":
            return self.receiver(unit, scope)
        if text == "super":
            inner = self.receiver(unit, scope)
            made = tuple(Super(value) for value in inner.values if isinstance(value, (Instance, Class)))
            return Inference(made, Rule.SUPER)
        inference = self.answer_value(self.name_answer(unit, scope, text, Meaning.VALUE))
        if unit.own and use >= 0 and text in self._narrowed_names():
            return self._narrowed(inference, text, use)
        if not inference.values and not self.lookup(unit, scope, text, Meaning.ANY):
            if text == "exports" and self._gives(unit):
                return Inference((Module(unit.file),), Rule.IMPORT)
            return Inference((External(text),), Rule.EXTERNAL) if text in GLOBALS else inference
        return inference

    def _gives(self, unit: Unit) -> bool:
        """Whether a script gives names by `exports.name = value`: then reading `exports` reads the module."""
        return unit.export_scope >= 0 and unit.file.endswith(SCRIPTS)

    def answer_value(self, answer: Answer) -> Inference:
        """What definitions hold; of several declarations of one function the first speaks for all."""
        if len(answer) > MAX_BINDINGS:
            return self._crowd_value(answer)
        parts: list[Inference] = []
        seen: set[tuple[str, int, str]] = set()
        for spot in answer:
            if isinstance(spot, External):
                parts.append(Inference((spot,), Rule.EXTERNAL))
            elif spot.row < 0:
                parts.append(Inference((Module(spot.file),), Rule.IMPORT))
            else:
                unit = self.unit(spot.file)
                key = (spot.file, unit.scope[spot.row], unit.text(spot.row))
                if unit.kind[spot.row] in FUNCTIONS:
                    if key in seen:
                        continue
                    seen.add(key)
                parts.append(self.value_of(unit, spot.row))
        known = [part for part in parts if part.values]
        return join(tuple(known or parts))

    def _crowd_value(self, answer: Answer) -> Inference:
        """Of many declarations of a function the first speaks for all; what many bindings of a variable hold is not
        known."""
        first = answer[0]
        function = isinstance(first, Spot) and first.row >= 0 and self.unit(first.file).kind[first.row] in FUNCTIONS
        return self.answer_value(answer[:1]) if function else NO_INFERENCE

    def value_of(self, unit: Unit, row: int) -> Inference:
        """What a binding holds."""
        kind = unit.kind[row]
        if kind == CLASS_DEFINITION:
            return Inference((Class(unit.file, row),), Rule.GLOBAL)
        if kind in (ENUM_DEFINITION, NAMESPACE_DEFINITION):
            return Inference((Holder(unit.file, row),), Rule.NAMESPACE)
        if kind in FUNCTIONS and unit.type[row] < 0:
            return Inference((Function(unit.file, row),), Rule.GLOBAL)
        key = ("value", unit.file, row)
        known = self.known(key)
        if known is not NEVER_ASKED:
            return cast("Inference", known)
        return self.guarded(key, partial(self._value_of, unit, row), NO_INFERENCE)

    def _value_of(self, unit: Unit, row: int) -> Inference:
        kind = unit.kind[row]
        if kind == IMPORT_DEFINITION:
            return self.answer_value(self.imported(unit, row, Meaning.VALUE))
        if kind == ENUM_MEMBER_DEFINITION:
            return Inference((Instance(unit.file, unit.scope_owner[unit.scope[row]]),), Rule.CLASS_MEMBER)
        if kind in (INTERFACE_DEFINITION, TYPE_ALIAS_DEFINITION, TYPE_PARAMETER_DEFINITION):
            return NO_INFERENCE
        if kind == PROPERTY_DEFINITION:
            return Inference(self.returned(unit, row), Rule.ANNOTATED)
        if unit.type[row] >= 0:
            values = self.denote(unit, unit.type[row])
            return Inference(values, Rule.ANNOTATED, partial=not values)
        if kind in FUNCTIONS:
            return Inference((Function(unit.file, row),), Rule.GLOBAL)
        inner = self.infer(unit, unit.value[row])
        if not inner.values and unit.own and kind == VARIABLE_DEFINITION:
            return self._assigned_value(row)
        if kind == PARAMETER_DEFINITION:
            return Inference(inner.values, inner.rule, False, inner.partial)
        return inner

    def _assigned_value(self, row: int) -> Inference:
        """What later assignments give a variable that begins without a value."""
        parts = tuple(self.infer(self.own, value) for value in self._assignments().get(row, ())[:MAX_VALUES])
        known = tuple(part for part in parts if part.values)
        joined = join(known)
        return Inference(joined.values, joined.rule, joined.sure and len(parts) == 1, joined.partial)

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
            for bound in self.lookup(self.own, table.b[subject], name, Meaning.VALUE)[:1]:
                found.setdefault(bound, []).append(table.b[row])
        return found

    # this

    def receiver(self, unit: Unit, scope: int) -> Inference:
        """What `this` is in a scope."""
        while scope > 0:
            kind, owner = unit.scope_kind[scope], unit.scope_owner[scope]
            if kind == CLASS_SCOPE and owner >= 0:
                return Inference((self.this_of(unit, owner),), Rule.RECEIVER)
            if kind == BLOCK_SCOPE and owner >= 0:
                return Inference((Class(unit.file, owner),), Rule.RECEIVER)
            if kind == FUNCTION_SCOPE or (kind == LAMBDA_SCOPE and self._is_static(unit, owner)):
                return self._receiver_of(unit, scope, owner)
            if kind == OBJECT_SCOPE and owner < 0:
                pass
            scope = unit.scope_parent[scope]
        return NO_INFERENCE

    def _is_static(self, unit: Unit, owner: int) -> bool:
        """Whether an arrow function is what a static field of a class holds."""
        if owner < 0 or not unit.flags[owner] & STATIC_FLAG:
            return False
        return unit.scope_kind[unit.scope[owner]] == CLASS_SCOPE

    def this_of(self, unit: Unit, row: int) -> Instance:
        """An instance of a class with its own type parameters."""
        return Instance(unit.file, row)

    def _receiver_of(self, unit: Unit, scope: int, owner: int) -> Inference:
        declared = unit.members(scope).get("this", ())
        for row in declared:
            if unit.type[row] >= 0:
                return Inference(self.denote(unit, unit.type[row]), Rule.ANNOTATED)
        if owner < 0:
            return NO_INFERENCE
        home = unit.scope[owner]
        kind = unit.scope_kind[home]
        holder = unit.scope_owner[home]
        if kind == CLASS_SCOPE and holder >= 0:
            if unit.flags[owner] & STATIC_FLAG:
                return Inference((Class(unit.file, holder),), Rule.RECEIVER)
            return Inference((self.this_of(unit, holder),), Rule.RECEIVER)
        if kind == OBJECT_SCOPE:
            return Inference((Object(unit.file, home),), Rule.RECEIVER, sure=False)
        if unit.scopes_of(owner, CLASS_SCOPE):
            return Inference((Instance(unit.file, owner),), Rule.RECEIVER)
        return NO_INFERENCE

    # tests

    def _narrowed_names(self) -> Mapping[str, Sequence[int]]:
        """Rows of tests by the names that they are about, the last one first."""
        if self._tested_names is None:
            table, found = self.facts.narrowings, dict[str, list[int]]()
            for row in range(len(table) - 1, -1, -1):
                if table.positive[row] and table.test[row] >= 0:
                    for name in dict.fromkeys(self._tested(table.subject[row])):
                        found.setdefault(name, []).append(row)
            self._tested_names = found
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

    def _narrowed(self, inference: Inference, name: str, use: int) -> Inference:
        table, kinds = self.facts.narrowings, self.own.expressions.kind
        for row in self._narrowed_names()[name]:
            if not table.start[row] <= use < table.end[row]:
                continue
            subject = table.subject[row]
            if kinds[subject] == CALL_EXPRESSION:
                proved = self.proved(subject, list(self._tested(subject)).index(name))
                if proved:
                    return self._proved(inference, proved)
                continue
            tested = self.infer(self.own, table.test[row]).values
            made = tuple(Instance(v.file, v.row) for v in tested if isinstance(v, (Class, Function)))
            if made:
                return Inference(made, Rule.NARROWED)
            return NO_INFERENCE
        return inference

    def proved(self, call: int, place: int) -> Values:
        """What a call that is true says of its argument at a place; nothing where it says nothing."""
        raise NotImplementedError

    def _proved(self, inference: Inference, proved: Values) -> Inference:
        """What a name holds that was proved to be something: what it was, where that is the same or more."""
        narrower = tuple(value for value in inference.values if any(self.derives(value, of) for of in proved))
        if narrower:
            return Inference(narrower, Rule.NARROWED, inference.sure)
        known = tuple(value for value in proved if not isinstance(value, (Builtin, External, Variable)))
        return Inference(known, Rule.NARROWED, False) if known else inference

    # members

    def member(self, unit: Unit, expression: int) -> Inference:
        """`base.name`."""
        table = unit.expressions
        base, name = table.a[expression], unit.strings[table.b[expression]]
        if table.kind[base] == MODULE_EXPRESSION and not table.b[base]:
            return self.answer_value(self.module_expression_member(unit, base, name, Meaning.VALUE))
        before = self.infer(unit, base)
        if not before.values:
            return NO_INFERENCE
        if name == "exports" and before.values == (External("module"),) and self._gives(unit):
            return Inference((Module(unit.file),), Rule.IMPORT)
        parts = tuple(self.member_inference(value, name) for value in before.values[:MAX_VALUES])
        joined = join(parts)
        return joined.after(before)

    def member_inference(self, value: Value, name: str) -> Inference:
        """What reading a member of a value gives."""
        key = ("member value", value, name)
        known = self.known(key)
        if known is not NEVER_ASKED:
            return cast("Inference", known)
        return self.guarded(key, partial(self._member_inference, value, name), NO_INFERENCE)

    def member_values(self, value: Value, name: str) -> Values:
        """What reading a member of a value gives."""
        return self.member_inference(value, name).values

    def _member_inference(self, value: Value, name: str) -> Inference:
        if name == "prototype" and isinstance(value, (Class, Function)):
            return Inference((Instance(value.file, value.row),), Rule.CLASS_MEMBER)
        if isinstance(value, (Builtin, Tuple)):
            return self.builtin_member(value, name)
        parts = [self._held(value, name, found) for found in self.find(value, name)[:4]]
        known = tuple(part for part in parts if part.values)
        return join(known or tuple(parts))

    def _held(self, value: Value, name: str, found: Found) -> Inference:
        """A member read through a value: functions are bound, type parameters and `this` replaced."""
        if isinstance(found.holder, Builtin) and not isinstance(value, Builtin):
            return self.builtin_member(found.holder, name)
        held = self.answer_value(found.answer)
        if isinstance(value, (Module, Holder)):
            return held
        bindings = self.bindings(found.holder)
        receiver = value.of if isinstance(value, Super) else value
        made: list[Value] = []
        for item in held.values:
            if isinstance(item, Function):
                made.append(Function(item.file, item.row, receiver, (*bindings, *item.bindings)[:24]))
            else:
                made.extend(substitute((item,), bindings, receiver))
        sure = held.sure and not found.outside
        return Inference(tuple(dict.fromkeys(made)), held.rule, sure, held.partial)

    def builtin_member(self, value: Builtin | Tuple, name: str) -> Inference:
        """A member of something every program has."""
        raise NotImplementedError

    def returned(self, unit: Unit, row: int) -> Values:
        """What a function gives back."""
        raise NotImplementedError

    # literals

    def literal(self, unit: Unit, expression: int) -> Inference:
        """`"text"`, `1`."""
        name = unit.strings[unit.expressions.a[expression]]
        return Inference(UNKNOWN if name in _NOTHING else (Builtin(name),), Rule.LOCAL)

    def object(self, unit: Unit, expression: int) -> Inference:
        """An object literal."""
        return Inference((Object(unit.file, unit.expressions.a[expression]),), Rule.OBJECT_MEMBER)

    def function(self, unit: Unit, expression: int) -> Inference:
        """A function or class of this file."""
        row = unit.expressions.a[expression]
        return self.value_of(unit, row) if row >= 0 else NO_INFERENCE

    def lambda_value(self, unit: Unit, expression: int) -> Inference:
        """A function without a name."""
        return Inference((Signature(unit.file, expression),), Rule.LOCAL)

    def module(self, unit: Unit, expression: int) -> Inference:
        """A module."""
        return self.answer_value(self.module_answer(unit, expression))

    def union(self, unit: Unit, expression: int) -> Inference:
        """Any of several."""
        items = unit.list_at(unit.expressions.a[expression])
        joined = join(tuple(self.infer(unit, item) for item in items[:MAX_VALUES]))
        return Inference(joined.values, Rule.UNION, joined.sure, joined.partial) if len(joined.values) > 1 else joined

    def collection(self, unit: Unit, expression: int) -> Inference:
        """`[a, b]`."""
        items: Sequence[int] = unit.list_at(unit.expressions.a[expression])
        elements = tuple(self.infer(unit, item).values for item in items[:MAX_VALUES])
        return Inference((Tuple(elements),), Rule.LOCAL)

    def typed(self, unit: Unit, expression: int) -> Inference:
        """`x as T`: an instance of what the type denotes."""
        return Inference(self.denote(unit, unit.expressions.a[expression]), Rule.ANNOTATED)

    def parameter(self, unit: Unit, expression: int) -> Inference:
        """A parameter that is taken apart."""
        return self.value_of(unit, unit.expressions.a[expression])

    def waited(self, unit: Unit, expression: int) -> Inference:
        """`await x`."""
        inner = self.infer(unit, unit.expressions.a[expression])
        return inner.holding(self.awaited(inner.values))

    def iterated(self, unit: Unit, expression: int) -> Inference:
        """An element of what is iterated."""
        inner = self.infer(unit, unit.expressions.a[expression])
        values = self.element(inner.values)
        return Inference(self.awaited(values), Rule.ELEMENT, inner.sure, inner.partial)

    def item(self, unit: Unit, expression: int) -> Inference:
        """One of the elements."""
        inner = self.infer(unit, unit.expressions.a[expression])
        position = unit.expressions.b[expression]
        parts: list[Values] = []
        for value in inner.values:
            if isinstance(value, Tuple):
                parts.append(value.elements[position] if 0 <= position < len(value.elements) else UNKNOWN)
            elif position < 1000:
                parts.append(self.element((value,)))
            elif isinstance(value, (Object, Instance)):
                parts.append((value,))
        made = tuple(dict.fromkeys(item for part in parts for item in part))
        return Inference(made, Rule.ELEMENT, inner.sure, inner.partial)

    def element(self, values: Values) -> Values:
        """What is in arrays and the like."""
        made: list[Value] = []
        for value in values:
            if isinstance(value, Builtin) and len(value.arguments) == 1:
                made.extend(value.arguments[0])
            elif isinstance(value, Builtin) and value.name == "Map" and len(value.arguments) == 2:
                made.append(Tuple(value.arguments))
            elif isinstance(value, Tuple):
                made.extend(item for element in value.elements for item in element)
        return tuple(dict.fromkeys(made))

    def other_import(self, unit: Unit, value: int) -> Answer:
        """A name taken out of a required module's value."""
        table = unit.expressions
        named = self.entity(unit, value, Meaning.ANY)
        if named:
            return named
        if table.kind[value] != MEMBER_EXPRESSION:
            held = self.infer(unit, value).values
            return tuple(Spot(module.file, -1) for module in held if isinstance(module, Module))
        name = unit.strings[table.b[value]]
        found: dict[Spot | External, None] = {}
        for inner in self.infer(unit, table.a[value]).values[:MAX_VALUES]:
            for entry in self.find(inner, name):
                found.update(dict.fromkeys(entry.answer))
        return tuple(found)

    def object_member(self, unit: Unit, row: int, name: str) -> Answer:
        """A member of what a definition holds."""
        found: dict[Spot | External, None] = {}
        for held in self.value_of(unit, row).values[:MAX_VALUES]:
            for entry in self.find(held, name):
                found.update(dict.fromkeys(entry.answer))
        return tuple(found)

    def applied(self, unit: Unit, expression: int) -> Inference:
        """An operator or an index."""
        raise NotImplementedError

    def call(self, unit: Unit, expression: int) -> Inference:
        """What calling gives."""
        raise NotImplementedError


def _call(asked: Inferring, unit: Unit, expression: int) -> Inference:
    return asked.call(unit, expression)


def _applied(asked: Inferring, unit: Unit, expression: int) -> Inference:
    return asked.applied(unit, expression)


def _starred(asked: Inferring, unit: Unit, expression: int) -> Inference:
    return asked.infer(unit, unit.expressions.a[expression])


RULES: Mapping[int, Callable[[Inferring, Unit, int], Inference]] = {
    NAME_EXPRESSION: Inferring.name,
    MEMBER_EXPRESSION: Inferring.member,
    CALL_EXPRESSION: _call,
    SUBSCRIPT_EXPRESSION: _applied,
    UNION_EXPRESSION: Inferring.union,
    COLLECTION_EXPRESSION: Inferring.collection,
    LITERAL_EXPRESSION: Inferring.literal,
    AWAIT_EXPRESSION: Inferring.waited,
    ELEMENT_EXPRESSION: Inferring.iterated,
    ITEM_EXPRESSION: Inferring.item,
    MODULE_EXPRESSION: Inferring.module,
    LAMBDA_EXPRESSION: Inferring.lambda_value,
    PARAMETER_EXPRESSION: Inferring.parameter,
    OBJECT_EXPRESSION: Inferring.object,
    FUNCTION_EXPRESSION: Inferring.function,
    TYPE_EXPRESSION: Inferring.typed,
    STARRED_EXPRESSION: _starred,
}
