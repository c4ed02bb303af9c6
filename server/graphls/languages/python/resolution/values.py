"""Values: what an expression can denote.

Owns: the kinds of values inference works with.
Must not know: how they were found.
Invariant: immutable and comparable; (file, row) names a definition as `Unit` rows do.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias, final

from graphls.facts.paths import FilePath
from graphls.languages.bounds import MAX_CANDIDATES
from graphls.languages.known import External, Known, Module


class Rule(IntEnum):
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


@final
class Namespace(Known):
    """A folder of modules without a file of its own."""

    def __init__(self, dotted: str) -> None:
        super().__init__(("Namespace", dotted))
        self.dotted = dotted


@final
class Class(Known):
    """A class object. `arguments`: what its type parameters stand for, by position."""

    def __init__(self, file: FilePath, row: int, arguments: tuple[Values, ...] = ()) -> None:
        super().__init__(("Class", file, row, arguments))
        self.file = file
        self.row = row
        self.arguments = arguments


@final
class Instance(Known):
    """An instance of a class."""

    def __init__(self, file: FilePath, row: int, arguments: tuple[Values, ...] = ()) -> None:
        super().__init__(("Instance", file, row, arguments))
        self.file = file
        self.row = row
        self.arguments = arguments


@final
class ExternalInstance(Known):
    """An instance of a class outside all known files; `arguments` as in `list[int]`."""

    def __init__(self, dotted: str, arguments: tuple[Values, ...] = ()) -> None:
        super().__init__(("ExternalInstance", dotted, arguments))
        self.dotted = dotted
        self.arguments = arguments


@final
class Function(Known):
    """A function or method. `receiver`: what it is bound to, if anything."""

    def __init__(self, file: FilePath, row: int, receiver: Receiver | None = None) -> None:
        super().__init__(("Function", file, row, receiver))
        self.file = file
        self.row = row
        self.receiver = receiver


@final
class Super(Known):
    """`super()`: members are looked up behind `start` in the order of `of`."""

    def __init__(self, of: Instance | Class | Variable, start: Class) -> None:
        super().__init__(("Super", of, start))
        self.of = of
        self.start = start


@final
class Tuple(Known):
    """A tuple with known elements."""

    def __init__(self, elements: tuple[Values, ...]) -> None:
        super().__init__(("Tuple", elements))
        self.elements = elements


@final
class Callable(Known):
    """A value that can be called, known by what it returns."""

    def __init__(self, returns: Values) -> None:
        super().__init__(("Callable", returns))
        self.returns = returns


@final
class Awaitable(Known):
    """What calling an async function gives."""

    def __init__(self, result: Values) -> None:
        super().__init__(("Awaitable", result))
        self.result = result


@final
class Variable(Known):
    """A type variable, by its name. `Self` and `type[Self]` stand for the receiver of a method."""

    def __init__(self, name: str, bound: Values = ()) -> None:
        super().__init__(("Variable", name, bound))
        self.name = name
        self.bound = bound


@final
class Nothing(Known):
    """None."""

    def __init__(self) -> None:
        super().__init__(("Nothing",))


Value: TypeAlias = (
    Module
    | Namespace
    | External
    | Class
    | Instance
    | ExternalInstance
    | Function
    | Super
    | Tuple
    | Callable
    | Awaitable
    | Variable
    | Nothing
)

Values: TypeAlias = tuple[Value, ...]
"""Any of these; the empty tuple is "unknown"."""

Receiver: TypeAlias = Instance | Class | Variable
"""What a method is bound to; inside the method itself a `Self` with its class as bound."""

UNKNOWN: Values = ()
NOTHING = Nothing()


@final
class Inference(Known):
    """Possible values, the rule that found them, and whether code decides them (no guess involved).

    `partial`: some binding or arm is unknown, so other values are possible.
    """

    def __init__(self, values: Values, rule: Rule = Rule.LOCAL, sure: bool = True, partial: bool = False) -> None:
        super().__init__(("Inference", values, rule, sure, partial))
        self.values = values
        self.rule = rule
        self.sure = sure
        self.partial = partial


def after(inference: Inference, before: Inference) -> Inference:
    """What follows from `before` is no surer and no more complete than it."""
    if before.sure and not before.partial:
        return inference
    sure, partial = inference.sure and before.sure, inference.partial or before.partial
    return Inference(inference.values, inference.rule, sure, partial)


def holding(inference: Inference, values: Values) -> Inference:
    """The same finding with other values."""
    if values == inference.values:
        return inference
    return Inference(values, inference.rule, inference.sure, inference.partial)


def taken(
    value: Class | Instance | ExternalInstance, arguments: tuple[Values, ...]
) -> Class | Instance | ExternalInstance:
    """A generic class or an instance of one, with other arguments."""
    if isinstance(value, Class):
        return Class(value.file, value.row, arguments)
    if isinstance(value, Instance):
        return Instance(value.file, value.row, arguments)
    return ExternalInstance(value.dotted, arguments)


NO_INFERENCE = Inference(UNKNOWN, Rule.LOCAL, False, True)
CROWD = Inference(UNKNOWN, Rule.CROWD, False, True)
"""More values are possible than are told apart."""


def solid(value: Value) -> Value:
    """A type variable with a bound stands for the bound."""
    return value.bound[0] if isinstance(value, Variable) and value.bound else value


def self_of(cls: Class) -> Variable:
    """The receiver inside a method of a class."""
    return Variable("Self", (Instance(cls.file, cls.row, cls.arguments),))


def class_self_of(cls: Class) -> Variable:
    """The receiver inside a class method."""
    return Variable("type[Self]", (cls,))


def join(inferences: tuple[Inference, ...]) -> Inference:
    """Any of several inferences."""
    if not inferences:
        return NO_INFERENCE
    if len(inferences) == 1:
        return inferences[0]
    values: dict[Value, None] = {}
    for inference in inferences:
        values.update(dict.fromkeys(inference.values))
        if len(values) > MAX_CANDIDATES or inference.rule == Rule.CROWD:
            return CROWD
    known = [inference for inference in inferences if inference.values]
    rule = known[0].rule if known else Rule.LOCAL
    return Inference(
        tuple(values),
        rule,
        all(inference.sure for inference in known),
        len(known) < len(inferences) or any(inference.partial for inference in known),
    )
