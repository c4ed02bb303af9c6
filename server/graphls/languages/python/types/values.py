"""Values: what an expression can denote.

Owns: the kinds of values inference works with.
Must not know: how they were found.
Invariant: immutable and comparable; (file, row) names a definition as `Unit` rows do.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Final, TypeAlias, final

from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_CANDIDATES
from graphls.languages.resolve.structural_value import External, Module, StructuralValue, bounded

_TYPE: Final = "type["
_MOST_NESTED: Final = 4


class PyRule(IntEnum):
    """Which rule answered; stored with every link, so that its precision can be measured."""

    LOCAL = 0
    GLOBAL = 1
    BUILTIN = 2
    IMPORT = 3
    STAR_IMPORT = 4
    MODULE_MEMBER = 5
    RECEIVER = 6
    SUPER = 7
    CLASS_MEMBER = 8
    ANNOTATED = 9
    CONSTRUCTED = 10
    ATTRIBUTE = 11
    RETURNED = 12
    ELEMENT = 13
    NARROWED = 14
    KEYWORD = 15
    UNION = 16
    EXTERNAL = 17
    ENCLOSING = 18
    DEFAULT = 19
    DECORATED = 20
    CROWD = 21
    """No answer: too many values are possible."""
    FIXTURE = 22


@final
class PyNamespace(StructuralValue):
    """A folder of modules without a file of its own."""

    def __init__(self, dotted: str) -> None:
        super().__init__(("Namespace", dotted))
        self.dotted = dotted


@final
class PyClass(StructuralValue):
    """A class object. `arguments`: what its type parameters stand for, by position."""

    def __init__(self, file: FilePath, row: int, arguments: tuple[Values, ...] = ()) -> None:
        arguments = bounded(arguments)
        super().__init__(("Class", file, row, arguments), arguments)
        self.file = file
        self.row = row
        self.arguments = arguments


@final
class PyInstance(StructuralValue):
    """An instance of a class."""

    def __init__(self, file: FilePath, row: int, arguments: tuple[Values, ...] = ()) -> None:
        arguments = bounded(arguments)
        super().__init__(("Instance", file, row, arguments), arguments)
        self.file = file
        self.row = row
        self.arguments = arguments


@final
class PyExternalInstance(StructuralValue):
    """An instance of a class outside all known files; `arguments` as in `list[int]`."""

    def __init__(self, dotted: str, arguments: tuple[Values, ...] = ()) -> None:
        arguments = bounded(arguments)
        super().__init__(("ExternalInstance", dotted, arguments), arguments)
        self.dotted = dotted
        self.arguments = arguments


@final
class PyFunction(StructuralValue):
    """A function or method. `receiver`: what it is bound to, if anything."""

    def __init__(self, file: FilePath, row: int, receiver: Receiver | None = None) -> None:
        super().__init__(("Function", file, row, receiver), () if receiver is None else ((receiver,),))
        self.file = file
        self.row = row
        self.receiver = receiver


@final
class PySuper(StructuralValue):
    """`super()`: members are looked up behind `start` in the order of `of`."""

    def __init__(self, of: PyInstance | PyClass | PyTypeVariable, start: PyClass) -> None:
        super().__init__(("Super", of, start), ((of, start),))
        self.of = of
        self.start = start


@final
class PyTuple(StructuralValue):
    """A tuple with known elements."""

    def __init__(self, elements: tuple[Values, ...]) -> None:
        elements = bounded(elements)
        super().__init__(("Tuple", elements), elements)
        self.elements = elements


@final
class PyCallable(StructuralValue):
    """A value that can be called, known by what it returns."""

    def __init__(self, returns: Values) -> None:
        (returns,) = bounded((returns,))
        super().__init__(("Callable", returns), (returns,))
        self.returns = returns


@final
class PyAwaitable(StructuralValue):
    """What calling an async function gives."""

    def __init__(self, result: Values) -> None:
        (result,) = bounded((result,))
        super().__init__(("Awaitable", result), (result,))
        self.result = result


@final
class PyTypeVariable(StructuralValue):
    """A type variable, by its name; `type[T]` is the class that `T` is of. `Self` is the receiver of a method, which is
    its `bound`. `upper`: what any other one has at least, until a call says what it stands for."""

    def __init__(self, name: str, bound: Values = (), upper: Values = ()) -> None:
        super().__init__(("Variable", name, bound, upper), (bound,))
        self.generic = True
        self.name = name
        self.bound = bound
        self.upper = upper

    @property
    def of_objects(self) -> str:
        """The name of the variable that stands for the objects: `T` of `type[T]`; "" where it stands for objects."""
        return self.name[len(_TYPE) : -1] if self.name.startswith(_TYPE) else ""

    def of_classes(self) -> PyTypeVariable:
        """The variable that stands for the classes of what this one stands for."""
        return self if self.of_objects else PyTypeVariable(f"{_TYPE}{self.name}]", self.bound, classes_of(self.upper))


@final
class PyNone(StructuralValue):
    """None."""

    def __init__(self) -> None:
        super().__init__(("Nothing",))


Value: TypeAlias = (
    Module
    | PyNamespace
    | External
    | PyClass
    | PyInstance
    | PyExternalInstance
    | PyFunction
    | PySuper
    | PyTuple
    | PyCallable
    | PyAwaitable
    | PyTypeVariable
    | PyNone
)

Values: TypeAlias = tuple[Value, ...]
"""Any of these; the empty tuple is "unknown"."""

Receiver: TypeAlias = PyInstance | PyClass | PyTypeVariable
"""What a method is bound to; inside the method itself a `TsThisType` with its class as bound."""

UNKNOWN: Values = ()
NOTHING = PyNone()


@final
class PyInference(StructuralValue):
    """Possible values, the rule that found them, and whether code decides them (no guess involved).

    `partial`: some binding or arm is unknown, so other values are possible.
    """

    def __init__(self, values: Values, rule: PyRule = PyRule.LOCAL, sure: bool = True, partial: bool = False) -> None:
        super().__init__(("Inference", values, rule, sure, partial))
        self.values = values
        self.rule = rule
        self.sure = sure
        self.partial = partial


def after(inference: PyInference, before: PyInference) -> PyInference:
    """What follows from `before` is no surer and no more complete than it."""
    if before.sure and not before.partial:
        return inference
    sure, partial = inference.sure and before.sure, inference.partial or before.partial
    return PyInference(inference.values, inference.rule, sure, partial)


def holding(inference: PyInference, values: Values) -> PyInference:
    """The same finding with other values."""
    if values == inference.values:
        return inference
    return PyInference(values, inference.rule, inference.sure, inference.partial)


def taken(
    value: PyClass | PyInstance | PyExternalInstance, arguments: tuple[Values, ...]
) -> PyClass | PyInstance | PyExternalInstance:
    """A generic class or an instance of one, with other arguments."""
    if isinstance(value, PyClass):
        return PyClass(value.file, value.row, arguments)
    if isinstance(value, PyInstance):
        return PyInstance(value.file, value.row, arguments)
    return PyExternalInstance(value.dotted, arguments)


NO_INFERENCE = PyInference(UNKNOWN, PyRule.LOCAL, False, True)
CROWD = PyInference(UNKNOWN, PyRule.CROWD, False, True)
"""More values are possible than are told apart."""


def solid(value: Value) -> Value:
    """A type variable with a bound stands for the bound."""
    known = (value.bound or value.upper) if isinstance(value, PyTypeVariable) else ()
    return known[0] if known else value


def self_of(cls: PyClass) -> PyTypeVariable:
    """The receiver inside a method of a class."""
    return PyTypeVariable("Self", (PyInstance(cls.file, cls.row, cls.arguments),))


def class_self_of(cls: PyClass) -> PyTypeVariable:
    """The receiver inside a class method."""
    return PyTypeVariable("type[Self]", (cls,))


def variables_in(value: Value, depth: int = 0) -> Iterator[PyTypeVariable]:
    """The type variables in a value, in order."""
    inner: tuple[Values, ...] = ()
    if isinstance(value, PyTypeVariable):
        yield value
    elif isinstance(value, (PyClass, PyInstance, PyExternalInstance)):
        inner = value.arguments
    elif isinstance(value, PyTuple):
        inner = value.elements
    elif isinstance(value, PyCallable):
        inner = (value.returns,)
    elif isinstance(value, PyAwaitable):
        inner = (value.result,)
    for values in inner if depth < _MOST_NESTED else ():
        for item in values:
            yield from variables_in(item, depth + 1)


def classes_of(values: Values) -> Values:
    """Instances to their classes, for `type[X]`."""
    made: list[Value] = []
    for value in values:
        if isinstance(value, PyInstance):
            made.append(PyClass(value.file, value.row, value.arguments))
        elif isinstance(value, PyExternalInstance):
            made.append(External(value.dotted))
        elif isinstance(value, PyTypeVariable):
            made.append(value.of_classes())
    return tuple(made)


def instances_of(values: Values) -> Values:
    """Classes to their instances."""
    made: list[Value] = []
    for value in values:
        if isinstance(value, PyClass):
            made.append(PyInstance(value.file, value.row, value.arguments))
        elif isinstance(value, External):
            made.append(PyExternalInstance(value.dotted))
    return tuple(made)


def join(inferences: tuple[PyInference, ...]) -> PyInference:
    """Any of several inferences."""
    if not inferences:
        return NO_INFERENCE
    if len(inferences) == 1:
        return inferences[0]
    values: dict[Value, None] = {}
    for inference in inferences:
        values.update(dict.fromkeys(inference.values))
        if len(values) > MAX_CANDIDATES or inference.rule == PyRule.CROWD:
            return CROWD
    known = [inference for inference in inferences if inference.values]
    rule = known[0].rule if known else PyRule.LOCAL
    return PyInference(
        tuple(values),
        rule,
        all(inference.sure for inference in known),
        len(known) < len(inferences) or any(inference.partial for inference in known),
    )
