"""Calls: what calling a value gives.

Owns: returns (annotated or evident), generators, `super()`, one step of generics, known functions of the library.
Must not know: occurrences, edges.
Invariant: bounded work; an annotation always wins over what a body seems to return.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, final

from graphls.languages.bounds import MAX_CANDIDATES
from graphls.languages.extract.kinds import (
    CLASS_DEFINITION,
    FUNCTION_DEFINITION,
    LITERAL_EXPRESSION,
    METHOD_DEFINITION,
    NAME_EXPRESSION,
    RETURN_RETURN,
    STARRED_EXPRESSION,
    TYPE_EXPRESSION,
    YIELD_RETURN,
)
from graphls.languages.python.types import flags
from graphls.languages.python.types.annotations import Annotations
from graphls.languages.python.types.builtin_names import SAME_AS_FIRST, SCHEDULERS
from graphls.languages.python.types.classes import Classes, substitute
from graphls.languages.python.types.containers import Containers
from graphls.languages.python.types.context import PyContext
from graphls.languages.python.types.outside import LibraryLookup
from graphls.languages.python.types.units import GivenArguments, PyUnit
from graphls.languages.python.types.values import (
    NO_INFERENCE,
    NOTHING,
    UNKNOWN,
    PyAwaitable,
    PyCallable,
    PyClass,
    PyExternalInstance,
    PyFunction,
    PyInference,
    PyInstance,
    PyRule,
    PySuper,
    PyTuple,
    PyTypeVariable,
    Receiver,
    Value,
    Values,
    after,
    class_self_of,
    holding,
    instances_of,
    join,
    self_of,
    solid,
    variables_in,
)
from graphls.languages.resolve.structural_value import External
from graphls.languages.resolve.units import is_library

_FUNCTIONS: Final = frozenset({FUNCTION_DEFINITION, METHOD_DEFINITION})
_BEHIND_POSITIONS: Final = flags.VARIADIC | flags.KEYWORDS | flags.KEYWORD_ONLY
"""Of parameters that no argument by position fills alone, and of all behind them."""
_COLLECTING: Final = flags.VARIADIC | flags.KEYWORDS
_NOT_REQUIRED: Final = _COLLECTING | flags.DEFAULTED
_SPREAD: Final = "**"
_CONTEXT_DECORATORS: Final = frozenset({"contextmanager", "asynccontextmanager"})

_ITERABLE: Final = frozenset({"Iterable", "Iterator", "Collection", "AsyncIterable", "AsyncIterator"})

_LEAST_OR_MOST: Final = frozenset(("builtins.max", "builtins.min"))
_OF_ELEMENTS: Final = _LEAST_OR_MOST | {
    *("builtins.next", "builtins.anext", "builtins.enumerate", "builtins.zip"),
    *("itertools.zip_longest", "itertools.chain"),
}
_WAITING_CALLS: Final = SCHEDULERS | {"asyncio.run", "asyncio.gather"}

_MAX_MATCH: Final = 4
"""Nesting of type arguments that are matched."""


@final
class PyCallResolution:
    """Results of calls."""

    def __init__(
        self,
        *,
        context: PyContext,
        library: LibraryLookup,
        classes: Classes,
        annotations: Annotations,
        containers: Containers,
    ) -> None:
        self._context = context
        self._library = library
        self._classes = classes
        self._annotations = annotations
        self._containers = containers

    def call(self, unit: PyUnit, expression: int) -> PyInference:
        """What calling gives."""
        table = unit.expressions
        callee, given = table.a[expression], unit.given(expression)
        before = self._context.queries.infer(unit, callee)
        values = [value for value in before.values if value != NOTHING]
        values = [signature for value in values for signature in self._signatures(value)]
        overloads = [value for value in values if isinstance(value, PyFunction) and self._overloaded(value)]
        if overloads:
            names = {(value.file, self._context.unit(value.file).text(value.row)) for value in overloads}
            values = [value for value in values if not self._named(value, names)]
        parts = [self.called(value, unit, expression, given) for value in values]
        if overloads:
            parts.append(self.any_overload(overloads, unit, given))
        return after(join(tuple(parts)), before)

    def _signatures(self, value: Value) -> tuple[Value, ...]:
        """What implements overloads is called through them: its own annotations promise less."""
        if not isinstance(value, PyFunction) or self._overloaded(value):
            return (value,)
        unit = self._context.unit(value.file)
        overload_rows = unit.overloads(value.row)
        if len(overload_rows) > MAX_CANDIDATES:
            return ()
        before = tuple(PyFunction(value.file, row, value.receiver) for row in overload_rows if row < value.row)
        return before or (value,)

    def _overloaded(self, function: PyFunction) -> bool:
        return bool(self._context.unit(function.file).flags[function.row] & flags.OVERLOAD)

    def _named(self, value: Value, names: Collection[tuple[str, str]]) -> bool:
        """Whether a function has the name of an overload: then it is one, or what implements them."""
        return isinstance(value, PyFunction) and (value.file, self._context.unit(value.file).text(value.row)) in names

    def called(self, value: Value, unit: PyUnit, expression: int, given: GivenArguments) -> PyInference:
        """What calling one value with these arguments gives."""
        if isinstance(value, PyTypeVariable):
            inner = solid(value)
            if isinstance(inner, PyClass) and value.name == "type[Self]":
                return PyInference((self_of(inner),), PyRule.CONSTRUCTED)
            return self.called(inner, unit, expression, given) if inner is not value else NO_INFERENCE
        if isinstance(value, PyClass):
            made = PyInstance(value.file, value.row, value.arguments or self._constructed(value, unit, given))
            others = () if is_library(value.file) else self._made_instead(value)
            return PyInference((made, *others), PyRule.CONSTRUCTED, not others)
        if isinstance(value, PyFunction):
            return self.any_overload((value,), unit, given)
        if isinstance(value, PyCallable):
            return PyInference(value.returns, PyRule.RETURNED, False)
        if isinstance(value, External):
            return self._external_call(value.dotted, unit, expression, given)
        return self._object_called(self._library.with_readable_class(value))

    def _made_instead(self, cls: PyClass) -> Values:
        """Objects of other classes that `__new__` gives."""
        found = self._classes.class_member(cls, "__new__")
        if found is None or is_library(found.holder.file):
            return ()
        unit = self._context.unit(found.holder.file)
        given = (value for row in found.rows for value in self.returned(unit, row, cls).values)
        objects = dict.fromkeys(one for value in given if isinstance(one := solid(value), PyInstance))
        return tuple(one for one in objects if not self._are_kin(one, cls))

    def _are_kin(self, made: PyInstance, cls: PyClass) -> bool:
        other = PyClass(made.file, made.row)
        lines = (self._classes.order(cls), other), (self._classes.order(other), cls)
        return any(
            isinstance(entry, PyClass) and (entry.file, entry.row) == (wanted.file, wanted.row)
            for line, wanted in lines
            for entry in line
        )

    def _object_called(self, value: Value) -> PyInference:
        """What `__call__` gives."""
        if isinstance(value, PyInstance):
            found = self._classes.class_member(value, "__call__")
            if found:
                other = self._context.unit(found.holder.file)
                return join(tuple(self.returned(other, row, value) for row in found.rows))
        return NO_INFERENCE

    def returned(self, unit: PyUnit, row: int, receiver: Receiver | None) -> PyInference:
        """What a function gives back, bound to a receiver."""
        key = ("returned", unit.file, row)
        inference = self._context.guard(unit.file).guarded(key, lambda: self._returned(unit, row), NO_INFERENCE)
        if receiver is None:
            owner = self._classes.class_of_method(unit, row)
            receiver = PyInstance(owner.file, owner.row) if owner else None
        inner = solid(receiver) if receiver else None
        if receiver is None or not isinstance(inner, (PyInstance, PyClass)):
            return inference
        bindings = {**self.receiver_bindings(unit, row, inner), **self_bindings(receiver)}
        for name in self._receiver_variables(unit, row):
            bindings[name] = bindings["Self"]
        values = substitute(inference.values, bindings)
        return holding(inference, self._library.outward_values(values) if unit.library else values)

    def _receiver_variables(self, unit: PyUnit, row: int) -> Sequence[str]:
        """Type variables that annotate the receiver: `def __enter__(self: T) -> T`."""
        parameters = unit.parameters(row)
        if not parameters or unit.type[parameters[0]] < 0 or not unit.flags[parameters[0]] & flags.RECEIVER:
            return ()
        wanted = self._annotations.denote(unit, unit.type[parameters[0]])
        return [value.of_objects or value.name for value in wanted if isinstance(value, PyTypeVariable)]

    def receiver_bindings(self, unit: PyUnit, row: int, receiver: PyInstance | PyClass) -> dict[str, Values]:
        """Type variables of the class that defines a method, as the receiver's class fills them."""
        owner = self._classes.class_of_method(unit, row)
        if owner is None:
            return {}
        for entry in self._classes.order(PyClass(receiver.file, receiver.row)):
            if isinstance(entry, PyClass) and (entry.file, entry.row) == (owner.file, owner.row):
                outer = self._classes.bindings(receiver)
                filled = tuple(substitute(item, outer) for item in entry.arguments) or receiver.arguments
                if entry.arguments or (entry.file, entry.row) == (receiver.file, receiver.row):
                    return dict(zip(self._classes.parameters_of(owner), filled, strict=False))
        return {}

    def _returned(self, unit: PyUnit, row: int) -> PyInference:
        bits = unit.flags[row]
        rows = unit.returns(row)
        context = any(name in _CONTEXT_DECORATORS for _, name in unit.decorators(row))
        first = rows[0][0] if rows else -1
        if first >= 0 and unit.expressions.kind[first] == TYPE_EXPRESSION and rows[0][1] == RETURN_RETURN:
            result = PyInference(self._annotations.denote(unit, unit.expressions.a[first]), PyRule.ANNOTATED)
            if context:
                return PyInference(self._managed(result.values), PyRule.ANNOTATED)
        else:
            result = self._evident(unit, row, rows)
            if context:
                return result
        if bits & flags.ASYNC and not bits & flags.GENERATOR:
            return holding(result, (PyAwaitable(result.values),)) if result.values else result
        return result

    def _evident(self, unit: PyUnit, row: int, rows: Sequence[tuple[int, int]]) -> PyInference:
        parts: list[PyInference] = []
        yields: list[PyInference] = []
        for expression, kind in rows:
            if kind == RETURN_RETURN:
                parts.append(self._context.queries.infer(unit, expression))
            elif kind == YIELD_RETURN:
                yields.append(self._context.queries.infer(unit, expression))
        if unit.flags[row] & flags.GENERATOR:
            joined = join(tuple(yields))
            context = any(name in _CONTEXT_DECORATORS for _, name in unit.decorators(row))
            name = "contextlib.AbstractContextManager" if context else "typing.Iterator"
            return PyInference((PyExternalInstance(name, (joined.values,)),), PyRule.RETURNED, False, joined.partial)
        if unit.flags[row] & flags.ABSTRACT:
            return NO_INFERENCE
        joined = join(tuple(parts))
        if joined.rule == PyRule.CROWD:
            return joined
        return PyInference(joined.values, PyRule.RETURNED, False, joined.partial)

    def _managed(self, values: Values) -> Values:
        """The annotation of a `@contextmanager` function names an iterator; the call gives its manager."""
        elements: dict[Value, None] = {}
        for value in values:
            elements.update(dict.fromkeys(self._containers.element_of(value)))
        return (PyExternalInstance("contextlib.AbstractContextManager", (tuple(elements),)),) if elements else UNKNOWN

    def _solved(
        self, result: PyInference, other: PyUnit, function: PyFunction, unit: PyUnit, given: GivenArguments
    ) -> PyInference:
        """One step of generics: a returned type variable takes the value of the argument annotated with it."""
        if not any(map(_has_variables, result.values)):
            return result
        bindings = self._arguments_bound(other, function, unit, given)
        values = substitute(result.values, bindings)
        return PyInference(tuple(v for v in values if not _open(v)), result.rule, False, result.partial)

    def _arguments_bound(
        self, other: PyUnit, function: PyFunction, unit: PyUnit, given: GivenArguments
    ) -> dict[str, Values]:
        """Type variables of a function's parameters, bound by these arguments."""
        bindings: dict[str, Values] = {}
        for parameter, argument in self._filled(other, function, unit, given):
            if other.type[parameter] < 0:
                continue
            for wanted in self._annotations.denote(other, other.type[parameter]):
                if _has_variables(wanted):
                    self._match(wanted, self._context.queries.infer(unit, argument).values, bindings)
        return bindings

    def _filled(
        self, other: PyUnit, function: PyFunction, unit: PyUnit, given: GivenArguments
    ) -> Iterator[tuple[int, int]]:
        """Parameters of a function, each with the argument that surely fills it."""
        parameters, kinds = self._open_parameters(other, function), unit.expressions.kind
        for parameter, argument in zip(parameters, given.positional, strict=False):
            # How many parameters `*rest` fills nobody knows.
            if other.flags[parameter] & _BEHIND_POSITIONS or (argument >= 0 and kinds[argument] == STARRED_EXPRESSION):
                break
            yield parameter, argument
        if given.named:
            by_name = {other.text(row): row for row in parameters if not other.flags[row] & _COLLECTING}
            yield from ((by_name[name], argument) for name, argument in given.named if name in by_name)

    def _open_parameters(self, other: PyUnit, function: PyFunction) -> Sequence[int]:
        """Those that arguments fill."""
        rows = other.parameters(function.row)
        bound = function.receiver is not None and rows and other.flags[rows[0]] & flags.RECEIVER
        return rows[1:] if bound else rows

    def _match(self, wanted: Value, given: Values, bindings: dict[str, Values], depth: int = 0) -> None:
        """Binds the type variables of a wanted value so that the given values fit."""
        if isinstance(wanted, PyTypeVariable):
            name = wanted.of_objects or wanted.name
            known = instances_of(given) if wanted.of_objects else tuple(value for value in given if not _open(value))
            if known:
                bindings.setdefault(name, known)
        elif isinstance(wanted, PyCallable):
            results = tuple(dict.fromkeys(v for value in given for v in self._result_of(value)))
            for inner in wanted.returns:
                self._match(inner, results, bindings, depth + 1)
        elif isinstance(wanted, PyExternalInstance) and depth < _MAX_MATCH:
            for value in given:
                for inside, found in zip(wanted.arguments, self._seen_as(value, wanted), strict=False):
                    for item in inside:
                        self._match(item, found, bindings, depth + 1)

    def _result_of(self, value: Value) -> Values:
        if isinstance(value, PyFunction):
            return self.returned(self._context.unit(value.file), value.row, value.receiver).values
        if isinstance(value, PyClass):
            return (PyInstance(value.file, value.row, value.arguments),)
        return value.returns if isinstance(value, PyCallable) else UNKNOWN

    def _seen_as(self, value: Value, wanted: PyExternalInstance) -> tuple[Values, ...]:
        """Type arguments of a value, seen as an instance of one of its bases."""
        if isinstance(value, PyExternalInstance) and value.dotted == wanted.dotted:
            return value.arguments
        base, inner = self._library.library_class(wanted.dotted), self._library.with_readable_class(value)
        if base is None or not isinstance(inner, PyInstance):
            return ()
        bindings = self._classes.bindings(inner)
        for entry in self._classes.order(PyClass(inner.file, inner.row)):
            if isinstance(entry, PyClass) and (entry.file, entry.row) == (base.file, base.row):
                if (entry.file, entry.row) == (inner.file, inner.row):
                    return inner.arguments
                return tuple(substitute(item, bindings) for item in entry.arguments)
        if base.row >= 0 and wanted.dotted.rpartition(".")[2] in _ITERABLE and len(wanted.arguments) == 1:
            return (self._containers.element_of(value),)
        return ()

    def _external_call(self, dotted: str, unit: PyUnit, expression: int, given: GivenArguments) -> PyInference:
        arguments = given.positional
        first = arguments[0] if arguments else -1
        if dotted == "builtins.super":
            return self._super(unit, expression, arguments)
        if dotted == "builtins.type" and len(arguments) == 1:
            values = self._context.queries.infer(unit, first)
            return holding(values, tuple(cls for v in values.values for cls in self.class_of(v)))
        if dotted == "builtins.type" and len(arguments) == 3:
            return self._class_made(unit, arguments[1])
        if dotted in ("typing.cast", "typing_extensions.cast"):
            return PyInference(self._annotations.denote(unit, first), PyRule.ANNOTATED)
        if dotted in _OF_ELEMENTS and first >= 0:
            return self._of_elements(dotted, unit, arguments)
        if dotted in _WAITING_CALLS and first >= 0:
            return self._asyncio_call(dotted, unit, arguments)
        if dotted in SAME_AS_FIRST and first >= 0:
            return self._same(dotted, unit, arguments)
        if dotted == "functools.partial" and first >= 0:
            results = tuple(
                self.called(value, unit, expression, GivenArguments(named=given.named))
                for value in self._context.queries.infer(unit, first).values
            )
            return PyInference((PyCallable(join(results).values),), PyRule.RETURNED, False)
        if dotted == "builtins.getattr" and len(arguments) > 1:
            return self._getattr(unit, arguments)
        found = self._library_call(dotted, unit, given)
        if found is not None:
            return found
        name = dotted.rpartition(".")[2]
        if name[:1].isupper() or dotted in ("builtins.dict", "builtins.list", "builtins.set", "builtins.str"):
            return PyInference((PyExternalInstance(dotted),), PyRule.CONSTRUCTED)
        return NO_INFERENCE

    def _class_made(self, unit: PyUnit, bases: int) -> PyInference:
        """`type(name, bases, members)`: a class below the bases, of which those of the workspace stand for it."""
        given = self._context.queries.infer(unit, bases)
        values = [value for one in given.values if isinstance(one, PyTuple) for base in one.elements for value in base]
        classes = tuple(dict.fromkeys(value for value in values if isinstance(value, PyClass)))
        return PyInference(classes, PyRule.CONSTRUCTED, False, True) if classes else NO_INFERENCE

    def _of_elements(self, dotted: str, unit: PyUnit, arguments: Sequence[int]) -> PyInference:
        """Calls that give elements of their arguments, alone or side by side."""
        given = [self._context.queries.infer(unit, item) for item in arguments]
        if dotted in _LEAST_OR_MOST and len(given) > 1:
            return join(tuple(given))
        elements = [self._containers.elements(one) for one in given]
        if dotted == "builtins.enumerate":
            pair = PyTuple(((PyExternalInstance("builtins.int"),), elements[0].values))
            return PyInference((PyExternalInstance(dotted, ((pair,),)),), PyRule.ELEMENT, False)
        if dotted in ("builtins.zip", "itertools.zip_longest"):
            part = PyTuple(tuple(one.values for one in elements))
            return PyInference((PyExternalInstance("builtins.zip", ((part,),)),), PyRule.ELEMENT, False)
        if dotted == "itertools.chain":
            together = join(tuple(elements))
            return holding(together, (PyExternalInstance("typing.Iterator", (together.values,)),))
        return elements[0]

    def _asyncio_call(self, dotted: str, unit: PyUnit, arguments: Sequence[int]) -> PyInference:
        """What runs coroutines: at once, as tasks, or several together."""
        before = [self._containers.waited(self._context.queries.infer(unit, item)) for item in arguments]
        if dotted == "asyncio.run":
            return before[0]
        if dotted in SCHEDULERS:
            return holding(before[0], (PyAwaitable(before[0].values),)) if before[0].values else NO_INFERENCE
        together = PyTuple(tuple(one.values for one in before))
        return PyInference((PyAwaitable((together,)),), PyRule.RETURNED, False)

    def _library_call(self, dotted: str, unit: PyUnit, given: GivenArguments) -> PyInference | None:
        """What a library's annotations say that calling one of its definitions gives; None where no file shows it."""
        ref = self._library.located(dotted)
        if ref is None or ref.row < 0:
            return None
        other = self._context.unit(ref.file)
        if other.kind[ref.row] == CLASS_DEFINITION:
            made = self._constructed(PyClass(ref.file, ref.row), unit, given)
            return PyInference((PyExternalInstance(dotted, made),), PyRule.CONSTRUCTED)
        if other.kind[ref.row] not in _FUNCTIONS:
            return None
        rows = other.members(other.scope[ref.row]).get(other.text(ref.row), (ref.row,))
        functions = [PyFunction(ref.file, row) for row in rows if other.kind[row] in _FUNCTIONS]
        overloads = [function for function in functions if self._overloaded(function)]
        return self.any_overload(overloads or functions, unit, given)

    def any_overload(self, functions: Sequence[PyFunction], unit: PyUnit, given: GivenArguments) -> PyInference:
        """Any of several signatures that the arguments fit."""
        fitting: list[PyFunction] = []
        for function in functions:
            if len(functions) < 2 or self._fits(function, unit, given):
                fitting.append(function)
                if self._is_spelled_out(function, unit, given):
                    break
        parts: list[PyInference] = []
        for function in fitting or functions:
            other = self._context.unit(function.file)
            result = self.returned(other, function.row, function.receiver)
            parts.append(self._solved(result, other, function, unit, given))
        return join(tuple(parts))

    def _fits(self, function: PyFunction, unit: PyUnit, given: GivenArguments) -> bool:
        """Whether a signature can take these arguments, as far as their number, names and evident classes tell."""
        other = self._context.unit(function.file)
        rows = self._open_parameters(other, function)
        open_ended = any(other.flags[row] & _COLLECTING for row in rows)
        if not open_ended and len(given.positional) > sum(not other.flags[row] & flags.KEYWORD_ONLY for row in rows):
            return False
        if given.named and not any(other.flags[row] & flags.KEYWORDS for row in rows):
            names = {other.text(row) for row in rows}
            if any(name not in names and name != _SPREAD for name, _ in given.named):
                return False
        filled = dict(self._filled(other, function, unit, given))
        if not self._is_spread(unit, given) and any(
            row not in filled and not other.flags[row] & _NOT_REQUIRED for row in rows
        ):
            return False
        return all(self._takes(other, row, unit, argument) for row, argument in filled.items())

    def _takes(self, other: PyUnit, row: int, unit: PyUnit, argument: int) -> bool:
        """Whether a parameter may be given an argument."""
        text = unit.literal_text(argument)
        allowed = self._annotations.literals(other, other.type[row]) if text is not None else None
        if allowed is not None:
            return text in allowed
        wanted = self._annotations.denote(other, other.type[row])
        return self._accepts(wanted, self._context.queries.infer(unit, argument).values)

    def _is_spelled_out(self, function: PyFunction, unit: PyUnit, given: GivenArguments) -> bool:
        """Whether a signature names a text that it is given (`Literal["rb"]`): those behind it are for others."""
        other = self._context.unit(function.file)
        return any(
            unit.literal_text(argument) is not None and self._annotations.literals(other, other.type[row]) is not None
            for row, argument in self._filled(other, function, unit, given)
        )

    def _is_spread(self, unit: PyUnit, given: GivenArguments) -> bool:
        """Whether a call is given more than is written out: `f(*rest)`, `f(**options)`."""
        kinds = unit.expressions.kind
        return any(name == _SPREAD for name, _ in given.named) or any(
            row >= 0 and kinds[row] == STARRED_EXPRESSION for row in given.positional
        )

    def _accepts(self, wanted: Values, given: Values) -> bool:
        """Whether some given value may be one of the wanted; what is not known to be another class may."""
        if not wanted or not given:
            return True
        seen = [(value, self._library.with_readable_class(value)) for value in wanted]
        if any(not isinstance(cls, PyInstance) and value != NOTHING for value, cls in seen):
            return True
        classes = [PyClass(cls.file, cls.row) for _, cls in seen if isinstance(cls, PyInstance)]
        return any(
            self._may_be(self._library.with_readable_class(value), classes, NOTHING in wanted) for value in given
        )

    def _may_be(self, value: Value, classes: Sequence[PyClass], nothing: bool) -> bool:
        if value == NOTHING:
            return nothing
        if isinstance(value, (PyClass, PyFunction)) and nothing and not classes:
            return False
        if not isinstance(value, PyInstance) or self._classes.opaque(value):
            return True
        entries = self._classes.order(PyClass(value.file, value.row))
        order = {(entry.file, entry.row) for entry in entries if isinstance(entry, PyClass)}
        return any(
            (cls.file, cls.row) in order
            or self._classes.entry_name(cls) == "builtins.object"
            or self._provides(value, cls)
            for cls in classes
        )

    def _provides(self, value: PyInstance, cls: PyClass) -> bool:
        """Whether a class has all members of a protocol."""
        unit = self._context.unit(cls.file)
        names = (self._classes.entry_name(entry).rpartition(".")[2] for entry in self._classes.order(cls))
        if not any(name in ("Protocol", "_Protocol") for name in names):
            return False
        return all(self._classes.class_member(value, name) for name in unit.members(unit.body[cls.row]))

    def _constructed(self, cls: PyClass, unit: PyUnit, given: GivenArguments) -> tuple[Values, ...]:
        """Type arguments of a new instance, as far as the constructor's parameters show them."""
        names = self._classes.parameters_of(cls)
        if not names or not (given.positional or given.named):
            return ()
        for constructor in ("__init__", "__new__"):
            found = self._classes.class_member(cls, constructor)
            for row in found.rows if found else ():
                assert found is not None
                function = PyFunction(found.holder.file, row, PyInstance(cls.file, cls.row))
                bindings = self._arguments_bound(self._context.unit(found.holder.file), function, unit, given)
                if any(name in bindings for name in names):
                    return tuple(bindings.get(name, ()) for name in names)
        return ()

    def _same(self, dotted: str, unit: PyUnit, arguments: Sequence[int]) -> PyInference:
        if dotted.startswith(("copy.", "dataclasses.")):
            return self._context.queries.infer(unit, arguments[0])
        source = arguments[-1] if dotted == "builtins.filter" else arguments[0]
        elements = self._containers.elements(self._context.queries.infer(unit, source))
        if not elements.values:
            return NO_INFERENCE
        return holding(elements, (PyExternalInstance(dotted, (elements.values,)),))

    def _getattr(self, unit: PyUnit, arguments: Sequence[int]) -> PyInference:
        table = unit.expressions
        name = arguments[1]
        if table.kind[name] != LITERAL_EXPRESSION or table.b[name] < 0:
            return NO_INFERENCE
        return self._context.queries.members_of(
            self._context.queries.infer(unit, arguments[0]), unit.strings[table.b[name]]
        )

    def _super(self, unit: PyUnit, expression: int, arguments: Sequence[int]) -> PyInference:
        """`super()` in a method; `super(C, self)` likewise."""
        callee = unit.expressions.a[expression]
        if unit.expressions.kind[callee] != NAME_EXPRESSION:
            return NO_INFERENCE
        cls = self._classes.enclosing_class(unit, unit.expressions.b[callee])
        if arguments:
            named = [solid(value) for value in self._context.queries.infer(unit, arguments[0]).values]
            cls = next((value for value in named if isinstance(value, PyClass)), None)
        if cls is None:
            return NO_INFERENCE
        return PyInference((PySuper(self_of(cls), PyClass(cls.file, cls.row)),), PyRule.SUPER)

    def class_of(self, value: Value) -> Values:
        inner = solid(value)
        if not isinstance(inner, PyInstance):
            return UNKNOWN
        cls = PyClass(inner.file, inner.row, inner.arguments)
        return (class_self_of(cls),) if isinstance(value, PyTypeVariable) else (cls,)


def _has_variables(value: Value) -> bool:
    """Whether a type variable is in a value that nothing is known about."""
    return any(map(_open, variables_in(value)))


def _open(value: Value) -> bool:
    """A type variable that nothing is known about."""
    return isinstance(value, PyTypeVariable) and not value.bound


def self_bindings(receiver: Value | None) -> dict[str, Values]:
    """What `TsThisType` stands for where a method is bound to a receiver."""
    inner = solid(receiver) if receiver else None
    if receiver is None or not isinstance(inner, (PyInstance, PyClass)):
        return {}
    cls = PyClass(inner.file, inner.row, inner.arguments)
    if isinstance(receiver, PyTypeVariable) and receiver.bound:
        return {"Self": (self_of(cls),), "type[Self]": (class_self_of(cls),)}
    return {"Self": (PyInstance(inner.file, inner.row, inner.arguments),), "type[Self]": (cls,)}
