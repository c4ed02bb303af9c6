"""Values: what an expression can denote.

Owns: the kinds of values inference works with.
Must not know: how they were found.
Invariant: immutable and comparable; (file, row) names a definition as `Unit` rows do.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

import attrs

from graphls.facts.paths import FilePath


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


@attrs.frozen(cache_hash=True)
class Module:
    """A module with a file."""

    file: FilePath


@attrs.frozen(cache_hash=True)
class Namespace:
    """A folder of modules without a file of its own."""

    dotted: str


@attrs.frozen(cache_hash=True)
class External:
    """Something outside all known files, by dotted name: module, class, function or constant."""

    dotted: str


@attrs.frozen(cache_hash=True)
class Class:
    """A class object. `arguments`: what its type parameters stand for, by position."""

    file: FilePath
    row: int
    arguments: tuple[Values, ...] = ()


@attrs.frozen(cache_hash=True)
class Instance:
    """An instance of a class."""

    file: FilePath
    row: int
    arguments: tuple[Values, ...] = ()


@attrs.frozen(cache_hash=True)
class ExternalInstance:
    """An instance of a class outside all known files; `arguments` as in `list[int]`."""

    dotted: str
    arguments: tuple[Values, ...] = ()


@attrs.frozen(cache_hash=True)
class Function:
    """A function or method. `receiver`: what it is bound to, if anything."""

    file: FilePath
    row: int
    receiver: Receiver | None = None


@attrs.frozen(cache_hash=True)
class Super:
    """`super()`: members are looked up behind `start` in the order of `of`."""

    of: Instance | Class | Variable
    start: Class


@attrs.frozen(cache_hash=True)
class Tuple:
    """A tuple with known elements."""

    elements: tuple[Values, ...]


@attrs.frozen(cache_hash=True)
class Callable:
    """A value that can be called, known by what it returns."""

    returns: Values


@attrs.frozen(cache_hash=True)
class Awaitable:
    """What calling an async function gives."""

    result: Values


@attrs.frozen(cache_hash=True)
class Variable:
    """A type variable, by its name. `Self` and `type[Self]` stand for the receiver of a method."""

    name: str
    bound: Values = ()


@attrs.frozen(cache_hash=True)
class Nothing:
    """None."""


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


@attrs.frozen(cache_hash=True)
class Inference:
    """Possible values, the rule that found them, and whether code decides them (no guess involved)."""

    values: Values
    rule: Rule = Rule.LOCAL
    sure: bool = True
    partial: bool = False
    """Some binding or arm is unknown, so other values are possible."""


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


NO_INFERENCE = Inference(UNKNOWN, Rule.LOCAL, False, True)


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
    known = [inference for inference in inferences if inference.values]
    rule = known[0].rule if known else Rule.LOCAL
    return Inference(
        tuple(values),
        rule,
        all(inference.sure for inference in known),
        len(known) < len(inferences) or any(inference.partial for inference in known),
    )
