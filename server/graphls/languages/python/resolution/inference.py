"""Inference: the values an expression evidently has.

Owns: how assignments, calls, members, iteration and tests give values.
Must not know: occurrences, edges.
Invariant: bounded work for any input; an answer never depends on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable as Rule_
from collections.abc import Sequence
from functools import cached_property

import attrs

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, ReturnKind
from graphls.languages.python.resolution.annotations import Annotations
from graphls.languages.python.resolution.builtin_names import CONTEXT_MANAGERS, MAPPINGS, SAME_AS_FIRST
from graphls.languages.python.resolution.classes import Found, declared, substitute
from graphls.languages.python.resolution.names import Answer
from graphls.languages.python.resolution.units import Unit
from graphls.languages.python.resolution.values import (
    NO_INFERENCE,
    NOTHING,
    UNKNOWN,
    Awaitable,
    Callable,
    Class,
    External,
    ExternalInstance,
    Function,
    Inference,
    Instance,
    Module,
    Receiver,
    Rule,
    Super,
    Tuple,
    Value,
    Values,
    Variable,
    class_self_of,
    join,
    self_of,
    solid,
)

_FUNCTIONS = frozenset({DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY})
_CLASS_RECEIVERS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_CONTEXT_DECORATORS = frozenset({"contextmanager", "asynccontextmanager"})
_TRANSPARENT = frozenset(
    {"contextmanager", "asynccontextmanager", "staticmethod", "classmethod", "abstractmethod", "overload", "wraps"}
    | {"override", "final", "cache", "lru_cache", "setter", "getter", "deleter", "no_type_check", "deprecated"}
)
"""Decorators that give back the same callable, as far as its calls are concerned."""
_MAX_VALUES = 12


class Inferring(Annotations):
    """Values of expressions."""

    def infer(self, unit: Unit, expression: int) -> Inference:
        """Values an expression may have; empty when code does not decide."""
        if expression < 0:
            return NO_INFERENCE
        rule = _RULES.get(unit.expressions.kind[expression])
        if rule is None:
            return NO_INFERENCE
        return self.guarded((unit.file, expression), lambda: rule(self, unit, expression), NO_INFERENCE)

    # names

    def name(self, unit: Unit, expression: int) -> Inference:
        """A plain name: what its reaching bindings hold, tests on the way considered."""
        table = unit.expressions
        text, scope, use = unit.strings[table.a[expression]], table.b[expression], table.c[expression]
        rows = self.lookup(unit, scope, text, use)
        if not rows:
            return self._answer_values(self.name_answer(unit, scope, text, use))
        if unit.own and use >= 0 and len(rows) > 1 and unit.scope[rows[0]] == scope:
            rows = self.flow.reaching(rows, use) or rows
        inference = self.value_of(unit, rows[0]) if len(rows) == 1 else self.rows_value(unit, rows)
        if unit.own and use >= 0 and text in self._narrowed_names:
            return self._narrowed(inference, text, use, rows)
        return inference

    def rows_value(self, unit: Unit, rows: Sequence[int]) -> Inference:
        """Any of several bindings."""
        return join(tuple(self.value_of(unit, row) for row in declared(unit, rows)))

    def _answer_values(self, answer: Answer) -> Inference:
        parts: list[Inference] = []
        for spot in answer:
            if isinstance(spot, External):
                parts.append(Inference((spot,), Rule.EXTERNAL))
            elif spot.row < 0:
                parts.append(Inference((Module(spot.file),), Rule.IMPORT))
            else:
                parts.append(self.value_of(self.unit(spot.file), spot.row))
        return join(tuple(parts))

    def value_of(self, unit: Unit, row: int) -> Inference:
        """What a binding holds."""
        kind = unit.kind[row]
        if kind == DefinitionKind.CLASS:
            return Inference((Class(unit.file, row),), Rule.GLOBAL)
        if kind in _FUNCTIONS and not unit.decorators(row):
            return Inference((Function(unit.file, row),), Rule.GLOBAL)
        return self.guarded(("value", unit.file, row), lambda: self._value_of(unit, row), NO_INFERENCE)

    def _value_of(self, unit: Unit, row: int) -> Inference:
        kind = unit.kind[row]
        if kind in _FUNCTIONS:
            return self._decorated(unit, row)
        if kind == DefinitionKind.IMPORT:
            return self._answer_values(self.imported(unit, row))
        if kind == DefinitionKind.PARAMETER:
            return self._parameter(unit, row)
        if kind == DefinitionKind.TYPE_PARAMETER:
            return Inference((Variable(unit.text(row)),), Rule.ANNOTATED)
        if kind == DefinitionKind.ENUM_MEMBER:
            owner = self.class_of_method(unit, row)
            return Inference((Instance(owner.file, owner.row),), Rule.CLASS_MEMBER) if owner else NO_INFERENCE
        if unit.type[row] >= 0:
            declared_values = self.denote(unit, unit.type[row])
            if declared_values:
                return self._assigned(unit, row, Inference(declared_values, Rule.ANNOTATED))
        if unit.value[row] < 0:
            return NO_INFERENCE
        return self.infer(unit, unit.value[row])

    def _decorated(self, unit: Unit, row: int) -> Inference:
        """A function behind its decorators: itself, unless one evidently gives back an object of another kind."""
        plain: Value = Function(unit.file, row)
        held = Inference((plain,), Rule.GLOBAL)
        if unit.kind[row] == DefinitionKind.PROPERTY:
            return held
        for expression, name in reversed(unit.decorators(row)):
            if name in _TRANSPARENT:
                continue
            made: dict[Value, None] = {}
            for decorator in self.infer(unit, expression).values:
                made.update(dict.fromkeys(self._applied(decorator, held.values)))
            objects = tuple(value for value in made if isinstance(value, (Instance, Class)))
            if objects:
                held = Inference(objects, Rule.DECORATED, False)
        return held

    def _applied(self, decorator: Value, given: Values) -> Values:
        """What calling a decorator with a function gives, as far as annotations say."""
        if isinstance(decorator, Class):
            return (Instance(decorator.file, decorator.row),)
        if isinstance(decorator, Callable):
            return decorator.returns
        if isinstance(decorator, Function):
            unit = self.unit(decorator.file)
            rows = unit.returns(decorator.row)
            annotated = rows and rows[0][0] >= 0 and unit.expressions.kind[rows[0][0]] == ExpressionKind.TYPE
            return self.returned(unit, decorator.row, decorator.receiver).values if annotated else given
        return given

    def _assigned(self, unit: Unit, row: int, declaration: Inference) -> Inference:
        """A local `x: Base = Derived()` holds a Derived."""
        owner_scope = unit.scope[row]
        if unit.value[row] < 0 or not unit.own or owner_scope == 0 or unit.kind[row] != DefinitionKind.VARIABLE:
            return declaration
        value = self.infer(unit, unit.value[row])
        if value.sure and value.values and all(isinstance(item, Instance) for item in value.values):
            return value
        return declaration

    def _parameter(self, unit: Unit, row: int) -> Inference:
        flags = unit.flags[row]
        function = unit.scope_owner[unit.scope[row]]
        if unit.type[row] >= 0:
            values = self.denote(unit, unit.type[row])
            if flags & DefinitionFlag.VARIADIC:
                values = (ExternalInstance("builtins.tuple", (values,)),)
            elif flags & DefinitionFlag.KEYWORDS:
                values = (ExternalInstance("builtins.dict", ((ExternalInstance("builtins.str"),), values)),)
            return Inference(values, Rule.ANNOTATED, partial=not values)
        if flags & DefinitionFlag.RECEIVER and function >= 0:
            return self._receiver(unit, function)
        if flags & (DefinitionFlag.VARIADIC | DefinitionFlag.KEYWORDS):
            return NO_INFERENCE
        inherited = self._inherited_parameter(unit, row, function)
        if inherited.values:
            return inherited
        if unit.value[row] >= 0:
            default = self.infer(unit, unit.value[row])
            values = tuple(value for value in default.values if value != NOTHING)
            return Inference(values, Rule.DEFAULT, False, True)
        return NO_INFERENCE

    def _receiver(self, unit: Unit, function: int) -> Inference:
        owner = self.class_of_method(unit, function)
        if owner is None:
            return NO_INFERENCE
        if unit.flags[function] & DefinitionFlag.CLASSMETHOD or unit.text(function) in _CLASS_RECEIVERS:
            return Inference((class_self_of(owner),), Rule.RECEIVER)
        meta = any(isinstance(entry, External) and entry.dotted == "builtins.type" for entry in self.order(owner))
        return Inference((self_of(owner),), Rule.RECEIVER, sure=not meta)

    def _inherited_parameter(self, unit: Unit, row: int, function: int) -> Inference:
        """An override's bare parameter takes the annotation that the overridden method gives it."""
        owner = self.class_of_method(unit, function) if function >= 0 else None
        if owner is None:
            return NO_INFERENCE
        found = self.class_member(owner, unit.text(function), after=owner)
        if found is None:
            return NO_INFERENCE
        other = self.unit(found.holder.file)
        for method in found.rows:
            for parameter in other.parameters(method):
                if other.text(parameter) == unit.text(row) and other.type[parameter] >= 0:
                    return Inference(self.denote(other, other.type[parameter]), Rule.ANNOTATED)
        return NO_INFERENCE

    # members

    def member(self, unit: Unit, expression: int) -> Inference:
        """`base.name`."""
        table = unit.expressions
        base, name = table.a[expression], unit.strings[table.b[expression]]
        if table.kind[base] == ExpressionKind.MODULE:
            module = self.module_at(unit, unit.strings[table.a[base]], table.b[base])
            return self._answer_values(self.module_member(module, name)) if module else NO_INFERENCE
        before = self.infer(unit, base)
        inference = self._members(before, name)
        if unit.own and table.c[expression] >= 0 and name in self._narrowed_names:
            key = self.dotted(unit, expression)
            if key:
                return self._narrowed(inference, key, table.c[expression], ())
        return inference

    def _members(self, before: Inference, name: str) -> Inference:
        values = [value for value in before.values if value != NOTHING][:_MAX_VALUES]
        if not values:
            return NO_INFERENCE
        joined = join(tuple(self.member_value(value, name) for value in values))
        return attrs.evolve(joined, sure=joined.sure and before.sure, partial=joined.partial or before.partial)

    def member_value(self, value: Value, name: str) -> Inference:
        """What reading a member of a value gives."""
        if name == "__class__":
            return Inference(self._class_of(value), Rule.CLASS_MEMBER)
        found = self.find(value, name)
        if found is None:
            return self._external_member(solid(value), name)
        if isinstance(found, tuple):
            return attrs.evolve(self._answer_values(found), rule=Rule.MODULE_MEMBER)
        return self._held(value, found)

    def _class_of(self, value: Value) -> Values:
        inner = solid(value)
        if not isinstance(inner, Instance):
            return UNKNOWN
        cls = Class(inner.file, inner.row, inner.arguments)
        return (class_self_of(cls),) if isinstance(value, Variable) else (cls,)

    def _held(self, value: Value, found: Found) -> Inference:
        """A class member read through a value: methods are bound, properties computed, variables replaced."""
        unit = self.unit(found.holder.file)
        receiver = value.of if isinstance(value, Super) else value
        bound = receiver if isinstance(receiver, (Instance, Class, Variable)) else None
        bindings = {**self.bindings(found.holder), **_self_bindings(bound)}
        parts: list[Inference] = []
        for row in found.rows:
            if unit.kind[row] == DefinitionKind.PROPERTY and bound and isinstance(solid(bound), Instance):
                parts.append(self.returned(unit, row, bound))
            elif unit.kind[row] in _FUNCTIONS:
                parts.append(Inference((Function(unit.file, row, bound),), Rule.CLASS_MEMBER))
            else:
                held = self.value_of(unit, row)
                parts.append(self._attribute(unit, row, found, held))
        joined = join(tuple(parts))
        values = substitute(joined.values, bindings)
        return attrs.evolve(joined, values=values, sure=joined.sure and not found.outside)

    def _attribute(self, unit: Unit, row: int, found: Found, held: Inference) -> Inference:
        """An attribute without annotation: evident from its assignments; a base may declare its type."""
        if unit.type[row] >= 0 or unit.kind[row] not in (DefinitionKind.FIELD, DefinitionKind.VARIABLE):
            return held
        base = self.class_member(found.holder, unit.text(row), after=Class(found.holder.file, found.holder.row))
        if base:
            other = self.unit(base.holder.file)
            for declared_row in base.rows:
                if other.type[declared_row] >= 0:
                    return self.value_of(other, declared_row)
        return attrs.evolve(held, rule=Rule.ATTRIBUTE if held.rule != Rule.CONSTRUCTED else held.rule)

    def _external_member(self, value: Value, name: str) -> Inference:
        if isinstance(value, ExternalInstance) and value.dotted in MAPPINGS and len(value.arguments) == 2:
            key, item = value.arguments
            made: dict[str, Values] = {
                "values": (ExternalInstance("builtins.list", (item,)),),
                "keys": (ExternalInstance("builtins.list", (key,)),),
                "items": (ExternalInstance("builtins.list", ((Tuple((key, item)),),)),),
                "get": item,
                "pop": item,
                "setdefault": item,
                "copy": (value,),
            }
            if name in made:
                return Inference((Callable(made[name]),), Rule.ELEMENT, sure=False)
        if isinstance(value, ExternalInstance) and len(value.arguments) == 1:
            if name in ("pop", "popleft"):
                return Inference((Callable(value.arguments[0]),), Rule.ELEMENT, sure=False)
            if name == "copy":
                return Inference((Callable((value,)),), Rule.ELEMENT, sure=False)
        return NO_INFERENCE

    # calls

    def call(self, unit: Unit, expression: int) -> Inference:
        """What calling gives."""
        table = unit.expressions
        callee, arguments = table.a[expression], unit.list_at(table.b[expression])
        before = self.infer(unit, callee)
        values = [value for value in before.values if value != NOTHING][:_MAX_VALUES]
        joined = join(tuple(self.called(value, unit, expression, arguments) for value in values))
        return attrs.evolve(joined, sure=joined.sure and before.sure, partial=joined.partial or before.partial)

    def called(self, value: Value, unit: Unit, expression: int, arguments: Sequence[int]) -> Inference:
        """What calling one value with these arguments gives."""
        if isinstance(value, Variable):
            inner = solid(value)
            if isinstance(inner, Class) and value.name == "type[Self]":
                return Inference((self_of(inner),), Rule.CONSTRUCTED)
            return self.called(inner, unit, expression, arguments) if inner is not value else NO_INFERENCE
        if isinstance(value, Class):
            return Inference((Instance(value.file, value.row, value.arguments),), Rule.CONSTRUCTED)
        if isinstance(value, Function):
            other = self.unit(value.file)
            result = self.returned(other, value.row, value.receiver)
            return self._solved(result, other, value, unit, arguments)
        if isinstance(value, Callable):
            return Inference(value.returns, Rule.RETURNED, False)
        if isinstance(value, External):
            return self._external_call(value.dotted, unit, expression, arguments)
        if isinstance(value, Instance):
            found = self.class_member(value, "__call__")
            if found:
                other = self.unit(found.holder.file)
                return join(tuple(self.returned(other, row, value) for row in found.rows))
        return NO_INFERENCE

    def returned(self, unit: Unit, row: int, receiver: Receiver | None) -> Inference:
        """What a function gives back, bound to a receiver."""
        key = ("returned", unit.file, row)
        inference = self.guarded(key, lambda: self._returned(unit, row), NO_INFERENCE)
        if receiver is None:
            owner = self.class_of_method(unit, row)
            receiver = Instance(owner.file, owner.row) if owner else None
        inner = solid(receiver) if receiver else None
        if receiver is None or not isinstance(inner, (Instance, Class)):
            return inference
        bindings = {**self._receiver_bindings(unit, row, inner), **_self_bindings(receiver)}
        return attrs.evolve(inference, values=substitute(inference.values, bindings))

    def _receiver_bindings(self, unit: Unit, row: int, receiver: Instance | Class) -> dict[str, Values]:
        """Type variables of the class that defines a method, as the receiver's class fills them."""
        owner = self.class_of_method(unit, row)
        if owner is None:
            return {}
        for entry in self.order(Class(receiver.file, receiver.row)):
            if isinstance(entry, Class) and (entry.file, entry.row) == (owner.file, owner.row):
                outer = self.bindings(receiver)
                filled = tuple(substitute(item, outer) for item in entry.arguments) or receiver.arguments
                if entry.arguments or (entry.file, entry.row) == (receiver.file, receiver.row):
                    return dict(zip(self.parameters_of(owner), filled, strict=False))
        return {}

    def _returned(self, unit: Unit, row: int) -> Inference:
        flags = unit.flags[row]
        rows = unit.returns(row)
        context = any(name in _CONTEXT_DECORATORS for _, name in unit.decorators(row))
        first = rows[0][0] if rows else -1
        if first >= 0 and unit.expressions.kind[first] == ExpressionKind.TYPE and rows[0][1] == ReturnKind.RETURN:
            result = Inference(self.denote(unit, unit.expressions.a[first]), Rule.ANNOTATED)
            if context:
                return Inference(self._managed(result.values), Rule.ANNOTATED)
        else:
            result = self._evident(unit, row, rows)
            if context:
                return result
        if flags & DefinitionFlag.ASYNC and not flags & DefinitionFlag.GENERATOR:
            return attrs.evolve(result, values=(Awaitable(result.values),) if result.values else UNKNOWN)
        return result

    def _evident(self, unit: Unit, row: int, rows: Sequence[tuple[int, int]]) -> Inference:
        parts: list[Inference] = []
        yields: list[Inference] = []
        for expression, kind in rows:
            if kind == ReturnKind.RETURN:
                parts.append(self.infer(unit, expression))
            elif kind == ReturnKind.YIELD:
                yields.append(self.infer(unit, expression))
        if unit.flags[row] & DefinitionFlag.GENERATOR:
            joined = join(tuple(yields))
            context = any(name in _CONTEXT_DECORATORS for _, name in unit.decorators(row))
            name = "contextlib.AbstractContextManager" if context else "typing.Iterator"
            return attrs.evolve(
                joined, values=(ExternalInstance(name, (joined.values,)),), rule=Rule.RETURNED, sure=False
            )
        if unit.flags[row] & DefinitionFlag.ABSTRACT:
            return NO_INFERENCE
        joined = join(tuple(parts))
        return attrs.evolve(joined, rule=Rule.RETURNED, sure=False)

    def _managed(self, values: Values) -> Values:
        """The annotation of a `@contextmanager` function names an iterator; the call gives its manager."""
        elements: dict[Value, None] = {}
        for value in values:
            elements.update(dict.fromkeys(self.element_of(value)))
        return (ExternalInstance("contextlib.AbstractContextManager", (tuple(elements),)),) if elements else UNKNOWN

    def _solved(
        self, result: Inference, other: Unit, function: Function, unit: Unit, arguments: Sequence[int]
    ) -> Inference:
        """One step of generics: a returned type variable takes the value of the argument annotated with it."""
        if not any(_open(value) for value in result.values):
            return result
        parameters = list(other.parameters(function.row))
        if function.receiver is not None and parameters and other.flags[parameters[0]] & DefinitionFlag.RECEIVER:
            parameters = parameters[1:]
        bindings: dict[str, Values] = {}
        for parameter, argument in zip(parameters, arguments, strict=False):
            if other.flags[parameter] & (DefinitionFlag.VARIADIC | DefinitionFlag.KEYWORDS):
                break
            if other.type[parameter] < 0:
                continue
            for wanted in self.denote(other, other.type[parameter]):
                if isinstance(wanted, Variable):
                    given = self.infer(unit, argument).values
                    as_class = all(isinstance(value, Class) for value in given) and self._wants_class(other, parameter)
                    bindings[wanted.name] = (
                        tuple(Instance(v.file, v.row, v.arguments) for v in given if isinstance(v, Class))
                        if as_class
                        else given
                    )
        values = substitute(result.values, bindings)
        return attrs.evolve(result, values=tuple(v for v in values if not _open(v)), sure=False)

    def _wants_class(self, unit: Unit, parameter: int) -> bool:
        table, annotation = unit.expressions, unit.type[parameter]
        return table.kind[annotation] == ExpressionKind.SUBSCRIPT

    def _external_call(self, dotted: str, unit: Unit, expression: int, arguments: Sequence[int]) -> Inference:
        first = arguments[0] if arguments else -1
        if dotted == "builtins.super":
            return self._super(unit, expression, arguments)
        if dotted == "builtins.type" and len(arguments) == 1:
            values = self.infer(unit, first)
            return attrs.evolve(values, values=tuple(cls for v in values.values for cls in self._class_of(v)))
        if dotted in ("typing.cast", "typing_extensions.cast"):
            return Inference(self.denote(unit, first), Rule.ANNOTATED)
        if dotted in ("builtins.next", "builtins.max", "builtins.min", "builtins.anext") and first >= 0:
            return self._elements(self.infer(unit, first))
        if dotted == "builtins.enumerate" and first >= 0:
            element = self._elements(self.infer(unit, first)).values
            pair = Tuple(((ExternalInstance("builtins.int"),), element))
            return Inference((ExternalInstance("builtins.enumerate", ((pair,),)),), Rule.ELEMENT, False)
        if dotted == "builtins.zip":
            parts = tuple(self._elements(self.infer(unit, item)).values for item in arguments)
            return Inference((ExternalInstance("builtins.zip", ((Tuple(parts),),)),), Rule.ELEMENT, False)
        if dotted in SAME_AS_FIRST and first >= 0:
            return self._same(dotted, unit, arguments)
        if dotted == "functools.partial" and first >= 0:
            parts = tuple(self.called(value, unit, expression, ()) for value in self.infer(unit, first).values)
            return Inference((Callable(join(parts).values),), Rule.RETURNED, False)
        if dotted == "builtins.getattr" and len(arguments) > 1:
            return self._getattr(unit, arguments)
        name = dotted.rpartition(".")[2]
        if name[:1].isupper() or dotted in ("builtins.dict", "builtins.list", "builtins.set", "builtins.str"):
            return Inference((ExternalInstance(dotted),), Rule.CONSTRUCTED)
        return NO_INFERENCE

    def _same(self, dotted: str, unit: Unit, arguments: Sequence[int]) -> Inference:
        if dotted.startswith(("copy.", "dataclasses.")):
            return self.infer(unit, arguments[0])
        source = arguments[-1] if dotted == "builtins.filter" else arguments[0]
        elements = self._elements(self.infer(unit, source))
        if not elements.values:
            return NO_INFERENCE
        return attrs.evolve(elements, values=(ExternalInstance(dotted, (elements.values,)),))

    def _getattr(self, unit: Unit, arguments: Sequence[int]) -> Inference:
        table = unit.expressions
        name = arguments[1]
        if table.kind[name] != ExpressionKind.LITERAL or table.b[name] < 0:
            return NO_INFERENCE
        return self._members(self.infer(unit, arguments[0]), unit.strings[table.b[name]])

    def _super(self, unit: Unit, expression: int, arguments: Sequence[int]) -> Inference:
        """`super()` in a method; `super(C, self)` likewise."""
        callee = unit.expressions.a[expression]
        if unit.expressions.kind[callee] != ExpressionKind.NAME:
            return NO_INFERENCE
        cls = self.enclosing_class(unit, unit.expressions.b[callee])
        if arguments:
            named = [solid(value) for value in self.infer(unit, arguments[0]).values]
            cls = next((value for value in named if isinstance(value, Class)), None)
        if cls is None:
            return NO_INFERENCE
        return Inference((Super(self_of(cls), Class(cls.file, cls.row)),), Rule.SUPER)

    # containers

    def subscript(self, unit: Unit, expression: int) -> Inference:
        """`base[index]`."""
        table = unit.expressions
        before = self.infer(unit, table.a[expression])
        items = unit.list_at(table.b[expression])
        parts: list[Inference] = []
        for value in map(solid, before.values):
            if isinstance(value, Class):
                arguments = tuple(self.denote(unit, item) for item in items)
                parts.append(Inference((attrs.evolve(value, arguments=arguments),), Rule.GLOBAL))
            elif isinstance(value, External):
                parts.append(Inference((value,), Rule.EXTERNAL))
            elif isinstance(value, Instance):
                found = self.class_member(value, "__getitem__")
                other = self.unit(found.holder.file) if found else None
                rows = found.rows if found else ()
                parts.append(join(tuple(self.returned(other, row, value) for row in rows if other)))
            elif isinstance(value, ExternalInstance) and value.arguments:
                chosen = value.arguments[-1] if value.dotted in MAPPINGS else value.arguments[0]
                parts.append(Inference(chosen, Rule.ELEMENT))
            elif isinstance(value, Tuple):
                parts.append(Inference(self.element_of(value), Rule.ELEMENT, False))
        joined = join(tuple(parts))
        return attrs.evolve(joined, sure=joined.sure and before.sure)

    def _elements(self, before: Inference) -> Inference:
        made: dict[Value, None] = {}
        for value in before.values[:_MAX_VALUES]:
            made.update(dict.fromkeys(self.element_of(value)))
        return Inference(tuple(made), Rule.ELEMENT, before.sure, before.partial or not made)

    def element_of(self, value: Value, depth: int = 0) -> Values:
        """What iterating a value gives."""
        value = solid(value)
        if isinstance(value, ExternalInstance):
            return value.arguments[0] if value.arguments else UNKNOWN
        if isinstance(value, Tuple):
            made: dict[Value, None] = {}
            for element in value.elements:
                made.update(dict.fromkeys(element))
            return tuple(made)
        if isinstance(value, Class):
            rows = (entry for entry in self.order(value) if isinstance(entry, External))
            enum = any(entry.dotted.startswith("enum.") for entry in rows)
            return (Instance(value.file, value.row),) if enum else UNKNOWN
        if isinstance(value, Instance) and depth < 3:
            return self._iterated(value, depth)
        return UNKNOWN

    def _iterated(self, value: Instance, depth: int) -> Values:
        for name in ("__iter__", "__aiter__"):
            found = self.class_member(value, name)
            if not found:
                continue
            unit = self.unit(found.holder.file)
            result = join(tuple(self.returned(unit, row, value) for row in found.rows))
            for item in result.values:
                if isinstance(item, Instance):
                    step = self.class_member(item, "__next__") or self.class_member(item, "__anext__")
                    if step:
                        other = self.unit(step.holder.file)
                        return join(tuple(self.returned(other, row, item) for row in step.rows)).values
                element = self.element_of(item, depth + 1)
                if element:
                    return element
        return UNKNOWN

    def element(self, unit: Unit, expression: int) -> Inference:
        """`for x in value`."""
        return self._elements(self.infer(unit, unit.expressions.a[expression]))

    def item(self, unit: Unit, expression: int) -> Inference:
        """One target of an unpacking."""
        before = self.infer(unit, unit.expressions.a[expression])
        position = unit.expressions.b[expression]
        parts: list[Inference] = []
        for value in before.values:
            if isinstance(value, Tuple) and -len(value.elements) <= position < len(value.elements):
                parts.append(Inference(value.elements[position], Rule.ELEMENT, before.sure))
            else:
                parts.append(Inference(self.element_of(value), Rule.ELEMENT, before.sure))
        return join(tuple(parts))

    def entered(self, unit: Unit, expression: int) -> Inference:
        """`with value as x`."""
        before = self.infer(unit, unit.expressions.a[expression])
        name = "__aenter__" if unit.expressions.b[expression] == 1 else "__enter__"
        parts: list[Inference] = []
        for value in before.values:
            inner = solid(value)
            if isinstance(inner, ExternalInstance) and inner.arguments and inner.dotted in CONTEXT_MANAGERS:
                parts.append(Inference(inner.arguments[0], before.rule, before.sure))
            elif isinstance(inner, Instance) and isinstance(value, (Instance, Variable)):
                found = self.class_member(inner, name)
                other = self.unit(found.holder.file) if found else None
                rows = found.rows if found else ()
                parts.append(self._awaited(join(tuple(self.returned(other, row, value) for row in rows if other))))
        return join(tuple(parts))

    def _awaited(self, before: Inference) -> Inference:
        made: dict[Value, None] = {}
        for value in before.values:
            made.update(dict.fromkeys(value.result if isinstance(value, Awaitable) else (value,)))
        return attrs.evolve(before, values=tuple(made))

    def awaited(self, unit: Unit, expression: int) -> Inference:
        """`await value`."""
        return self._awaited(self.infer(unit, unit.expressions.a[expression]))

    def caught(self, unit: Unit, expression: int) -> Inference:
        """`except C as x`: an instance of the class, or of any class of the tuple."""
        made: dict[Value, None] = {}
        for value in self.infer(unit, unit.expressions.a[expression]).values:
            items = [item for element in value.elements for item in element] if isinstance(value, Tuple) else [value]
            for item in items:
                if isinstance(item, Class):
                    made[Instance(item.file, item.row)] = None
                elif isinstance(item, External):
                    made[ExternalInstance(item.dotted)] = None
        return Inference(tuple(made), Rule.CONSTRUCTED)

    # shapes

    def union(self, unit: Unit, expression: int) -> Inference:
        """Any of several expressions."""
        parts = tuple(self.infer(unit, item) for item in unit.list_at(unit.expressions.a[expression]))
        return join(parts)

    def displayed_tuple(self, unit: Unit, expression: int) -> Inference:
        """`(a, b)`."""
        items = unit.list_at(unit.expressions.a[expression])
        return Inference((Tuple(tuple(self.infer(unit, item).values for item in items)),), Rule.CONSTRUCTED)

    def collection(self, unit: Unit, expression: int) -> Inference:
        """`[a, b]`, `{k: v}`, comprehensions."""
        table = unit.expressions
        name = f"builtins.{unit.strings[table.b[expression]]}"
        values = join(tuple(self.infer(unit, item) for item in unit.list_at(table.a[expression]))).values
        if table.c[expression] >= 0:
            keys = join(tuple(self.infer(unit, item) for item in unit.list_at(table.c[expression]))).values
            return Inference((ExternalInstance(name, (keys, values)),), Rule.CONSTRUCTED, False)
        return Inference((ExternalInstance(name, (values,)),), Rule.CONSTRUCTED, False)

    def literal(self, unit: Unit, expression: int) -> Inference:
        """A constant."""
        name = unit.strings[unit.expressions.a[expression]]
        value: Value = NOTHING if name == "None" else ExternalInstance(f"builtins.{name}")
        return Inference((value,), Rule.CONSTRUCTED)

    def function_of(self, unit: Unit, expression: int) -> Inference:
        """A definition used as a value."""
        return self.value_of(unit, unit.expressions.a[expression])

    def lambda_of(self, unit: Unit, expression: int) -> Inference:
        """A lambda: known by its body."""
        return Inference((Callable(self.infer(unit, unit.expressions.a[expression]).values),), Rule.CONSTRUCTED)

    def module(self, unit: Unit, expression: int) -> Inference:
        """A module by name."""
        found = self.module_at(unit, unit.strings[unit.expressions.a[expression]], unit.expressions.b[expression])
        return Inference((found,), Rule.IMPORT) if found else NO_INFERENCE

    def typed(self, unit: Unit, expression: int) -> Inference:
        """An instance of what an annotation denotes."""
        return Inference(self.denote(unit, unit.expressions.a[expression]), Rule.ANNOTATED)

    def operand(self, unit: Unit, expression: int) -> Inference:
        """Kinds whose value is their operand's."""
        return self.infer(unit, unit.expressions.a[expression])

    def narrowed_value(self, unit: Unit, expression: int) -> Inference:
        """A value that a test proved to be of a class."""
        table = unit.expressions
        if table.c[expression] == 1 and table.b[expression] >= 0:
            proved = self._tested(unit, table.b[expression])
            if proved:
                return Inference(proved, Rule.NARROWED)
        return self.infer(unit, table.a[expression])

    # tests

    @cached_property
    def _narrowed_names(self) -> frozenset[str]:
        """Last names of everything some test of the own file is about."""
        facts, names = self.facts, set[str]()
        for subject in facts.narrowings.subject:
            key = self.dotted(self.own, subject)
            if key:
                names.add(key.rpartition(".")[2])
        return frozenset(names)

    @cached_property
    def _tests(self) -> dict[str, list[tuple[int, int, int, int]]]:
        """Subject -> (start, end, class expression or -1, positive)."""
        table = self.facts.narrowings
        found: dict[str, list[tuple[int, int, int, int]]] = {}
        for row, subject in enumerate(table.subject):
            key = self.dotted(self.own, subject)
            if key:
                found.setdefault(key, []).append(
                    (table.start[row], table.end[row], table.test[row], table.positive[row])
                )
        return found

    def dotted(self, unit: Unit, expression: int) -> str:
        """`self.x.y` for a chain of names; "" for anything else."""
        table, parts = unit.expressions, list[str]()
        while expression >= 0 and table.kind[expression] == ExpressionKind.MEMBER:
            parts.append(unit.strings[table.b[expression]])
            expression = table.a[expression]
        if expression < 0 or table.kind[expression] != ExpressionKind.NAME:
            return ""
        return ".".join([unit.strings[table.a[expression]], *reversed(parts)])

    def _narrowed(self, inference: Inference, key: str, use: int, rows: Sequence[int]) -> Inference:
        starts = self.facts.definitions.start
        for start, end, test, positive in self._tests.get(key, ()):
            if not start <= use < end or any(start < starts[row] < use for row in rows):
                continue
            if test < 0:
                if not positive:
                    kept = tuple(value for value in inference.values if value != NOTHING)
                    inference = attrs.evolve(inference, values=kept)
                continue
            proved = self._tested(self.own, test)
            if positive and proved:
                inference = self._meet(inference, proved)
            elif proved:
                kept = tuple(value for value in inference.values if value not in proved)
                inference = attrs.evolve(inference, values=kept)
        return inference

    def _meet(self, inference: Inference, proved: Values) -> Inference:
        """Known values that already are subclasses of the proved class stay as they are."""
        kept: list[Value] = []
        for value in inference.values:
            inner = solid(value)
            if isinstance(inner, Instance):
                entries = self.order(Class(inner.file, inner.row))
                order = {(entry.file, entry.row) for entry in entries if isinstance(entry, Class)}
                if any(isinstance(p, Instance) and (p.file, p.row) in order for p in proved):
                    kept.append(value)
        return Inference(tuple(kept) or proved, Rule.NARROWED)

    def _tested(self, unit: Unit, expression: int) -> Values:
        """Instances of the class, or classes, named by the second argument of `isinstance`."""
        made: dict[Value, None] = {}
        for value in self.infer(unit, expression).values:
            items = [item for element in value.elements for item in element] if isinstance(value, Tuple) else [value]
            for item in items:
                if isinstance(item, Class):
                    made[Instance(item.file, item.row)] = None
                elif isinstance(item, External):
                    made[ExternalInstance(item.dotted)] = None
        return tuple(made)


def _open(value: Value) -> bool:
    """A type variable that nothing is known about."""
    return isinstance(value, Variable) and not value.bound


def _self_bindings(receiver: Value | None) -> dict[str, Values]:
    """What `Self` stands for where a method is bound to a receiver."""
    inner = solid(receiver) if receiver else None
    if receiver is None or not isinstance(inner, (Instance, Class)):
        return {}
    cls = Class(inner.file, inner.row, inner.arguments)
    if isinstance(receiver, Variable):
        return {"Self": (self_of(cls),), "type[Self]": (class_self_of(cls),)}
    return {"Self": (Instance(inner.file, inner.row, inner.arguments),), "type[Self]": (cls,)}


_RULES: dict[int, Rule_[[Inferring, Unit, int], Inference]] = {
    ExpressionKind.NAME: Inferring.name,
    ExpressionKind.MEMBER: Inferring.member,
    ExpressionKind.CALL: Inferring.call,
    ExpressionKind.SUBSCRIPT: Inferring.subscript,
    ExpressionKind.UNION: Inferring.union,
    ExpressionKind.TUPLE: Inferring.displayed_tuple,
    ExpressionKind.COLLECTION: Inferring.collection,
    ExpressionKind.LITERAL: Inferring.literal,
    ExpressionKind.AWAIT: Inferring.awaited,
    ExpressionKind.ELEMENT: Inferring.element,
    ExpressionKind.ITEM: Inferring.item,
    ExpressionKind.ENTER: Inferring.entered,
    ExpressionKind.MODULE: Inferring.module,
    ExpressionKind.EXCEPTION: Inferring.caught,
    ExpressionKind.LAMBDA: Inferring.lambda_of,
    ExpressionKind.STARRED: Inferring.operand,
    ExpressionKind.FUNCTION: Inferring.function_of,
    ExpressionKind.TYPE: Inferring.typed,
    ExpressionKind.NARROWED: Inferring.narrowed_value,
}
