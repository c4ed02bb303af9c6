"""Calls: what calling a value gives.

Owns: returns (annotated or evident), generators, `super()`, one step of generics, known functions of the library.
Must not know: occurrences, edges.
Invariant: bounded work; an annotation always wins over what a body seems to return.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from graphls.languages.bounds import MAX_CANDIDATES
from graphls.languages.kinds import (
    CLASS_DEFINITION,
    FUNCTION_DEFINITION,
    LITERAL_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    RETURN_RETURN,
    SUBSCRIPT_EXPRESSION,
    TYPE_EXPRESSION,
    YIELD_RETURN,
)
from graphls.languages.known import External
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

_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_CONTEXT_DECORATORS: Final = frozenset({"contextmanager", "asynccontextmanager"})

_ITERABLE: Final = frozenset({"Iterable", "Iterator", "Collection", "AsyncIterable", "AsyncIterator"})

_MAX_MATCH: Final = 4
"""Nesting of type arguments that are matched."""


class Calls(Containers):
    """Results of calls."""

    def call(self, unit: Unit, expression: int) -> Inference:
        """What calling gives."""
        table = unit.expressions
        callee, arguments = table.a[expression], unit.list_at(table.b[expression])
        before = self.infer(unit, callee)
        values = [value for value in before.values if value != NOTHING]
        values = [signature for value in values for signature in self._signatures(value)]
        overloads = [value for value in values if isinstance(value, Function) and self._overloaded(value)]
        if overloads:
            names = {(value.file, self.unit(value.file).text(value.row)) for value in overloads}
            values = [value for value in values if not self._named(value, names)]
        parts = [self.called(value, unit, expression, arguments) for value in values]
        if overloads:
            parts.append(self.any_overload(overloads, unit, arguments))
        return after(join(tuple(parts)), before)

    def _signatures(self, value: Value) -> tuple[Value, ...]:
        """What implements overloads is called through them: its own annotations promise less."""
        if not isinstance(value, Function) or self._overloaded(value):
            return (value,)
        unit = self.unit(value.file)
        told = unit.overloads(value.row)
        if len(told) > MAX_CANDIDATES:
            return ()
        before = tuple(Function(value.file, row, value.receiver) for row in told if row < value.row)
        return before or (value,)

    def _overloaded(self, function: Function) -> bool:
        return bool(self.unit(function.file).flags[function.row] & flags.OVERLOAD)

    def _named(self, value: Value, names: Collection[tuple[str, str]]) -> bool:
        """Whether a function has the name of an overload: then it is one, or what implements them."""
        return isinstance(value, Function) and (value.file, self.unit(value.file).text(value.row)) in names

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
            return self.any_overload((value,), unit, arguments)
        if isinstance(value, Callable):
            return Inference(value.returns, Rule.RETURNED, False)
        if isinstance(value, External):
            return self._external_call(value.dotted, unit, expression, arguments)
        return self._object_called(self.seen(value))

    def _object_called(self, value: Value) -> Inference:
        """What `__call__` gives."""
        if isinstance(value, Instance):
            found = self.class_member(value, "__call__")
            if found:
                other = self.unit(found.holder.file)
                return join(tuple(self.returned(other, row, value) for row in found.rows))
        return NO_INFERENCE

    def returned(self, unit: Unit, row: int, receiver: Receiver | None) -> Inference:
        """What a function gives back, bound to a receiver."""
        key = ("returned", unit.file, row)
        inference = self.guard(unit.file).guarded(key, lambda: self._returned(unit, row), NO_INFERENCE)
        if receiver is None:
            owner = self.class_of_method(unit, row)
            receiver = Instance(owner.file, owner.row) if owner else None
        inner = solid(receiver) if receiver else None
        if receiver is None or not isinstance(inner, (Instance, Class)):
            return inference
        bindings = {**self.receiver_bindings(unit, row, inner), **self_bindings(receiver)}
        for name in self._receiver_variables(unit, row):
            bindings[name] = bindings["Self"]
        values = substitute(inference.values, bindings)
        return holding(inference, self.outward_values(values) if unit.library else values)

    def _receiver_variables(self, unit: Unit, row: int) -> Sequence[str]:
        """Type variables that annotate the receiver: `def __enter__(self: T) -> T`."""
        parameters = unit.parameters(row)
        if not parameters or unit.type[parameters[0]] < 0 or not unit.flags[parameters[0]] & flags.RECEIVER:
            return ()
        wanted = self.denote(unit, unit.type[parameters[0]])
        return [value.name for value in wanted if isinstance(value, Variable)]

    def receiver_bindings(self, unit: Unit, row: int, receiver: Instance | Class) -> dict[str, Values]:
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
        if first >= 0 and unit.expressions.kind[first] == TYPE_EXPRESSION and rows[0][1] == RETURN_RETURN:
            result = Inference(self.denote(unit, unit.expressions.a[first]), Rule.ANNOTATED)
            if context:
                return Inference(self._managed(result.values), Rule.ANNOTATED)
        else:
            result = self._evident(unit, row, rows)
            if context:
                return result
        if bits & flags.ASYNC and not bits & flags.GENERATOR:
            return holding(result, (Awaitable(result.values),)) if result.values else result
        return result

    def _evident(self, unit: Unit, row: int, rows: Sequence[tuple[int, int]]) -> Inference:
        parts: list[Inference] = []
        yields: list[Inference] = []
        for expression, kind in rows:
            if kind == RETURN_RETURN:
                parts.append(self.infer(unit, expression))
            elif kind == YIELD_RETURN:
                yields.append(self.infer(unit, expression))
        if unit.flags[row] & flags.GENERATOR:
            joined = join(tuple(yields))
            context = any(name in _CONTEXT_DECORATORS for _, name in unit.decorators(row))
            name = "contextlib.AbstractContextManager" if context else "typing.Iterator"
            return Inference((ExternalInstance(name, (joined.values,)),), Rule.RETURNED, False, joined.partial)
        if unit.flags[row] & flags.ABSTRACT:
            return NO_INFERENCE
        joined = join(tuple(parts))
        return Inference(joined.values, Rule.RETURNED, False, joined.partial)

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
        if not any(unsettled(value) for value in result.values):
            return result
        bindings = self._arguments_bound(other, function, unit, arguments)
        values = substitute(result.values, bindings)
        return Inference(tuple(v for v in values if not _open(v)), result.rule, False, result.partial)

    def _arguments_bound(
        self, other: Unit, function: Function, unit: Unit, arguments: Sequence[int]
    ) -> dict[str, Values]:
        """Type variables of a function's parameters, bound by these arguments."""
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
                if unsettled(wanted):
                    given = self.infer(unit, argument).values
                    as_class = all(isinstance(v, (Class, External)) for v in given) and self._wants_class(
                        other, parameter
                    )
                    self._match(wanted, _instances(given) if as_class else given, bindings)
        return bindings

    def _match(self, wanted: Value, given: Values, bindings: dict[str, Values], depth: int = 0) -> None:
        """Binds the type variables of a wanted value so that the given values fit."""
        if isinstance(wanted, Variable):
            known = tuple(value for value in given if not _open(value))
            if known:
                bindings.setdefault(wanted.name, known)
        elif isinstance(wanted, Callable):
            results = tuple(dict.fromkeys(v for value in given for v in self._result_of(value)))
            for inner in wanted.returns:
                self._match(inner, results, bindings, depth + 1)
        elif isinstance(wanted, ExternalInstance) and depth < _MAX_MATCH:
            for value in given:
                for inside, found in zip(wanted.arguments, self._seen_as(value, wanted), strict=False):
                    for item in inside:
                        self._match(item, found, bindings, depth + 1)

    def _result_of(self, value: Value) -> Values:
        if isinstance(value, Function):
            return self.returned(self.unit(value.file), value.row, value.receiver).values
        if isinstance(value, Class):
            return (Instance(value.file, value.row, value.arguments),)
        return value.returns if isinstance(value, Callable) else UNKNOWN

    def _seen_as(self, value: Value, wanted: ExternalInstance) -> tuple[Values, ...]:
        """Type arguments of a value, seen as an instance of one of its bases."""
        if isinstance(value, ExternalInstance) and value.dotted == wanted.dotted:
            return value.arguments
        base, inner = self.library_class(wanted.dotted), self.seen(value)
        if base is None or not isinstance(inner, Instance):
            return ()
        bindings = self.bindings(inner)
        for entry in self.order(Class(inner.file, inner.row)):
            if isinstance(entry, Class) and (entry.file, entry.row) == (base.file, base.row):
                if (entry.file, entry.row) == (inner.file, inner.row):
                    return inner.arguments
                return tuple(substitute(item, bindings) for item in entry.arguments)
        if base.row >= 0 and wanted.dotted.rpartition(".")[2] in _ITERABLE and len(wanted.arguments) == 1:
            return (self.element_of(value),)
        return ()

    def _wants_class(self, unit: Unit, parameter: int) -> bool:
        table, annotation = unit.expressions, unit.type[parameter]
        return table.kind[annotation] == SUBSCRIPT_EXPRESSION

    def _external_call(self, dotted: str, unit: Unit, expression: int, arguments: Sequence[int]) -> Inference:
        first = arguments[0] if arguments else -1
        if dotted == "builtins.super":
            return self._super(unit, expression, arguments)
        if dotted == "builtins.type" and len(arguments) == 1:
            values = self.infer(unit, first)
            return holding(values, tuple(cls for v in values.values for cls in self._class_of(v)))
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
            results = tuple(self.called(value, unit, expression, ()) for value in self.infer(unit, first).values)
            return Inference((Callable(join(results).values),), Rule.RETURNED, False)
        if dotted == "builtins.getattr" and len(arguments) > 1:
            return self._getattr(unit, arguments)
        found = self._library_call(dotted, unit, arguments)
        if found is not None:
            return found
        name = dotted.rpartition(".")[2]
        if name[:1].isupper() or dotted in ("builtins.dict", "builtins.list", "builtins.set", "builtins.str"):
            return Inference((ExternalInstance(dotted),), Rule.CONSTRUCTED)
        return NO_INFERENCE

    def _library_call(self, dotted: str, unit: Unit, arguments: Sequence[int]) -> Inference | None:
        """What a library's annotations say that calling one of its definitions gives; None where no file shows it."""
        spot = self.located(dotted)
        if spot is None or spot.row < 0:
            return None
        other = self.unit(spot.file)
        if other.kind[spot.row] == CLASS_DEFINITION:
            made = self._constructed(Class(spot.file, spot.row), unit, arguments)
            return Inference((ExternalInstance(dotted, made),), Rule.CONSTRUCTED)
        if other.kind[spot.row] not in _FUNCTIONS:
            return None
        rows = other.members(other.scope[spot.row]).get(other.text(spot.row), (spot.row,))
        functions = [Function(spot.file, row) for row in rows if other.kind[row] in _FUNCTIONS]
        return self.any_overload(functions, unit, arguments)

    def any_overload(self, functions: Sequence[Function], unit: Unit, arguments: Sequence[int]) -> Inference:
        """Any of several signatures that the arguments fit."""
        fitting = [function for function in functions if len(functions) < 2 or self._fits(function, unit, arguments)]
        parts: list[Inference] = []
        for function in fitting or functions:
            other = self.unit(function.file)
            result = self.returned(other, function.row, function.receiver)
            parts.append(self._solved(result, other, function, unit, arguments))
        return join(tuple(parts))

    def _fits(self, function: Function, unit: Unit, arguments: Sequence[int]) -> bool:
        """Whether a signature can take these arguments, as far as their number and evident classes tell."""
        other = self.unit(function.file)
        rows = other.parameters(function.row)
        bound = function.receiver is not None and rows and other.flags[rows[0]] & flags.RECEIVER
        rows = rows[1:] if bound else rows
        open_ended = any(other.flags[row] & (flags.VARIADIC | flags.KEYWORDS) for row in rows)
        if not open_ended and len(arguments) > len(rows):
            return False
        for row, argument in zip(rows, arguments, strict=False):
            if other.flags[row] & (flags.VARIADIC | flags.KEYWORDS):
                break
            if not self._accepts(self.denote(other, other.type[row]), self.infer(unit, argument).values):
                return False
        return True

    def _accepts(self, wanted: Values, given: Values) -> bool:
        """Whether some given value may be one of the wanted; what is not known to be another class may."""
        if not wanted or not given:
            return True
        seen = [(value, self.seen(value)) for value in wanted]
        if any(not isinstance(cls, Instance) and value != NOTHING for value, cls in seen):
            return True
        classes = [Class(cls.file, cls.row) for _, cls in seen if isinstance(cls, Instance)]
        return any(self._may_be(self.seen(value), classes, NOTHING in wanted) for value in given)

    def _may_be(self, value: Value, classes: Sequence[Class], nothing: bool) -> bool:
        if value == NOTHING:
            return nothing
        if not isinstance(value, Instance) or self.opaque(value):
            return True
        entries = self.order(Class(value.file, value.row))
        order = {(entry.file, entry.row) for entry in entries if isinstance(entry, Class)}
        return any(
            (cls.file, cls.row) in order or self.entry_name(cls) == "builtins.object" or self._provides(value, cls)
            for cls in classes
        )

    def _provides(self, value: Instance, cls: Class) -> bool:
        """Whether a class has all members of a protocol."""
        unit = self.unit(cls.file)
        names = (self.entry_name(entry).rpartition(".")[2] for entry in self.order(cls))
        if not any(name in ("Protocol", "_Protocol") for name in names):
            return False
        return all(self.class_member(value, name) for name in unit.members(unit.body[cls.row]))

    def _constructed(self, cls: Class, unit: Unit, arguments: Sequence[int]) -> tuple[Values, ...]:
        """Type arguments of a new instance, as far as the constructor's parameters show them."""
        names = self.parameters_of(cls)
        if not names or not arguments:
            return ()
        for constructor in ("__init__", "__new__"):
            found = self.class_member(cls, constructor)
            for row in found.rows if found else ():
                assert found is not None
                function = Function(found.holder.file, row, Instance(cls.file, cls.row))
                bindings = self._arguments_bound(self.unit(found.holder.file), function, unit, arguments)
                if any(name in bindings for name in names):
                    return tuple(bindings.get(name, ()) for name in names)
        return ()

    def _same(self, dotted: str, unit: Unit, arguments: Sequence[int]) -> Inference:
        if dotted.startswith(("copy.", "dataclasses.")):
            return self.infer(unit, arguments[0])
        source = arguments[-1] if dotted == "builtins.filter" else arguments[0]
        elements = self._elements(self.infer(unit, source))
        if not elements.values:
            return NO_INFERENCE
        return holding(elements, (ExternalInstance(dotted, (elements.values,)),))

    def _getattr(self, unit: Unit, arguments: Sequence[int]) -> Inference:
        table = unit.expressions
        name = arguments[1]
        if table.kind[name] != LITERAL_EXPRESSION or table.b[name] < 0:
            return NO_INFERENCE
        return self.members_of(self.infer(unit, arguments[0]), unit.strings[table.b[name]])

    def _super(self, unit: Unit, expression: int, arguments: Sequence[int]) -> Inference:
        """`super()` in a method; `super(C, self)` likewise."""
        callee = unit.expressions.a[expression]
        if unit.expressions.kind[callee] != NAME_EXPRESSION:
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


def _instances(values: Values) -> Values:
    """Classes to their instances."""
    made: list[Value] = []
    for value in values:
        if isinstance(value, Class):
            made.append(Instance(value.file, value.row, value.arguments))
        elif isinstance(value, External):
            made.append(ExternalInstance(value.dotted))
    return tuple(made)


def unsettled(value: Value, depth: int = 0) -> bool:
    """Whether a type variable is in a value."""
    if isinstance(value, (Class, Instance, ExternalInstance)):
        inner = value.arguments
    elif isinstance(value, Tuple):
        inner = value.elements
    elif isinstance(value, Callable):
        inner = (value.returns,)
    elif isinstance(value, Awaitable):
        inner = (value.result,)
    else:
        return _open(value)
    return depth < _MAX_MATCH and any(unsettled(item, depth + 1) for values in inner for item in values)


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
