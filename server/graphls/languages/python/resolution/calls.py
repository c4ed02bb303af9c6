"""Calls: what calling a value gives.

Owns: returns (annotated or evident), generators, `super()`, one step of generics, known functions of the library.
Must not know: occurrences, edges.
Invariant: bounded work; an annotation always wins over what a body seems to return.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from graphls.facts.kinds import ExpressionKind, ReturnKind
from graphls.languages.python.resolution import flags
from graphls.languages.python.resolution.builtin_names import SAME_AS_FIRST
from graphls.languages.python.resolution.classes import substitute
from graphls.languages.python.resolution.containers import Containers
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
    Receiver,
    Rule,
    Super,
    Tuple,
    Value,
    Values,
    Variable,
    after,
    class_self_of,
    holding,
    join,
    self_of,
    solid,
)

_CONTEXT_DECORATORS = frozenset({"contextmanager", "asynccontextmanager"})

_MAX_VALUES = 12


class Calls(Containers):
    """Results of calls."""

    def call(self, unit: Unit, expression: int) -> Inference:
        """What calling gives."""
        table = unit.expressions
        callee, arguments = table.a[expression], unit.list_at(table.b[expression])
        before = self.infer(unit, callee)
        values = [value for value in before.values if value != NOTHING][:_MAX_VALUES]
        joined = join(tuple(self.called(value, unit, expression, arguments) for value in values))
        return after(joined, before)

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
        bindings = {**self._receiver_bindings(unit, row, inner), **self_bindings(receiver)}
        for name in self._receiver_variables(unit, row):
            bindings[name] = bindings["Self"]
        return holding(inference, substitute(inference.values, bindings))

    def _receiver_variables(self, unit: Unit, row: int) -> Sequence[str]:
        """Type variables that annotate the receiver: `def __enter__(self: T) -> T`."""
        parameters = unit.parameters(row)
        if not parameters or unit.type[parameters[0]] < 0 or not unit.flags[parameters[0]] & flags.RECEIVER:
            return ()
        wanted = self.denote(unit, unit.type[parameters[0]])
        return [value.name for value in wanted if isinstance(value, Variable)]

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
        bits = unit.flags[row]
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
        if bits & flags.ASYNC and not bits & flags.GENERATOR:
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
        if unit.flags[row] & flags.GENERATOR:
            joined = join(tuple(yields))
            context = any(name in _CONTEXT_DECORATORS for _, name in unit.decorators(row))
            name = "contextlib.AbstractContextManager" if context else "typing.Iterator"
            return attrs.evolve(
                joined, values=(ExternalInstance(name, (joined.values,)),), rule=Rule.RETURNED, sure=False
            )
        if unit.flags[row] & flags.ABSTRACT:
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
        if function.receiver is not None and parameters and other.flags[parameters[0]] & flags.RECEIVER:
            parameters = parameters[1:]
        bindings: dict[str, Values] = {}
        for parameter, argument in zip(parameters, arguments, strict=False):
            if other.flags[parameter] & (flags.VARIADIC | flags.KEYWORDS):
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
        return self.members_of(self.infer(unit, arguments[0]), unit.strings[table.b[name]])

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

    def _class_of(self, value: Value) -> Values:
        inner = solid(value)
        if not isinstance(inner, Instance):
            return UNKNOWN
        cls = Class(inner.file, inner.row, inner.arguments)
        return (class_self_of(cls),) if isinstance(value, Variable) else (cls,)


def _open(value: Value) -> bool:
    """A type variable that nothing is known about."""
    return isinstance(value, Variable) and not value.bound


def self_bindings(receiver: Value | None) -> dict[str, Values]:
    """What `Self` stands for where a method is bound to a receiver."""
    inner = solid(receiver) if receiver else None
    if receiver is None or not isinstance(inner, (Instance, Class)):
        return {}
    cls = Class(inner.file, inner.row, inner.arguments)
    if isinstance(receiver, Variable):
        return {"Self": (self_of(cls),), "type[Self]": (class_self_of(cls),)}
    return {"Self": (Instance(inner.file, inner.row, inner.arguments),), "type[Self]": (cls,)}
