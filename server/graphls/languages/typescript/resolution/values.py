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
    STAR_EXPORT = 4
    MODULE_MEMBER = 5
    RECEIVER = 6
    SUPER = 7
    CLASS_MEMBER = 8
    ANNOTATED = 9
    CONSTRUCTED = 10
    OBJECT_MEMBER = 11
    RETURNED = 12
    ELEMENT = 13
    NARROWED = 14
    EXPECTED = 15
    UNION = 16
    EXTERNAL = 17
    NAMESPACE = 18
    DEFAULT = 19
    CONTEXT = 20


@attrs.frozen
class Spot:
    """A definition of a file by its unit's row; -1 is the module itself."""

    file: FilePath
    row: int


@attrs.frozen
class External:
    """Something outside all known files, by dotted name."""

    dotted: str


Answer: TypeAlias = "tuple[Spot | External, ...]"


@attrs.frozen
class Module:
    """A module as a namespace."""

    file: FilePath


@attrs.frozen
class Holder:
    """A namespace or enum as a value."""

    file: FilePath
    row: int


@attrs.frozen(cache_hash=True)
class Class:
    """A class, or a function that is used as one, as a value."""

    file: FilePath
    row: int
    arguments: tuple[Values, ...] = ()


@attrs.frozen(cache_hash=True)
class Instance:
    """An instance of a class, interface or enum."""

    file: FilePath
    row: int
    arguments: tuple[Values, ...] = ()


@attrs.frozen(cache_hash=True)
class Object:
    """An object literal or object type, by its scope."""

    file: FilePath
    scope: int
    bindings: Bindings = ()


@attrs.frozen(cache_hash=True)
class Function:
    """A function or method, and what it is a member of."""

    file: FilePath
    row: int
    receiver: Value | None = None
    bindings: Bindings = ()


@attrs.frozen(cache_hash=True)
class Signature:
    """A function or constructor type, or a function without a name, by its expression."""

    file: FilePath
    expression: int
    bindings: Bindings = ()


@attrs.frozen(cache_hash=True)
class Builtin:
    """An instance of something every program has: `string`, `Array`, `Promise`."""

    name: str
    arguments: tuple[Values, ...] = ()


@attrs.frozen(cache_hash=True)
class Method:
    """A method of a builtin."""

    owner: Builtin
    name: str


@attrs.frozen(cache_hash=True)
class Both:
    """All of these at once."""

    parts: Values


@attrs.frozen(cache_hash=True)
class Tuple:
    """An array with known elements."""

    elements: tuple[Values, ...]


@attrs.frozen
class Variable:
    """A type parameter."""

    file: FilePath
    row: int


@attrs.frozen
class Self:
    """`this` as a type: whatever the member is read from."""


@attrs.frozen(cache_hash=True)
class Super:
    """`super`: members of the base classes."""

    of: Instance | Class


Value: TypeAlias = (
    Module
    | Holder
    | Class
    | Instance
    | Object
    | Function
    | Signature
    | Builtin
    | Method
    | Both
    | Tuple
    | Variable
    | Self
    | Super
    | External
)
Values: TypeAlias = tuple[Value, ...]
"""Any of these; the empty tuple is "unknown"."""
Bindings: TypeAlias = tuple[tuple[tuple[str, int], Values], ...]
"""Type parameters, by file and row, and what they stand for."""

UNKNOWN: Values = ()


@attrs.frozen
class Inference:
    """Possible values, the rule that found them, and whether code decides them (no guess involved)."""

    values: Values
    rule: Rule = Rule.LOCAL
    sure: bool = True
    partial: bool = False
    """Some alternative is unknown, so other values are possible."""


NO_INFERENCE = Inference(UNKNOWN, Rule.LOCAL, False, True)


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
    partial = len(known) < len(inferences) or any(inference.partial for inference in known)
    return Inference(tuple(values), rule, all(inference.sure for inference in known), partial)


def merged(*groups: Values) -> Values:
    """Values of several groups, each once."""
    return tuple(dict.fromkeys(value for group in groups for value in group))


def substitute(values: Values, bindings: Bindings, receiver: Value | None = None, depth: int = 0) -> Values:
    """Values with type parameters and `this` replaced; what is not bound stays."""
    if depth > 6 or (not bindings and receiver is None):
        return values
    known = dict(bindings)
    made: dict[Value, None] = {}
    for value in values:
        if isinstance(value, Variable):
            made.update(dict.fromkeys(known.get((value.file, value.row), (value,))))
        elif isinstance(value, Self):
            made[receiver or value] = None
        elif isinstance(value, (Class, Instance, Builtin)) and value.arguments:
            arguments = tuple(substitute(item, bindings, receiver, depth + 1) for item in value.arguments)
            made[attrs.evolve(value, arguments=arguments)] = None
        elif isinstance(value, (Object, Signature, Function)):
            inner = tuple((key, substitute(item, bindings, receiver, depth + 1)) for key, item in value.bindings)
            taken = {key for key, _ in inner}
            extra = tuple((key, item) for key, item in bindings if key not in taken)
            bound = attrs.evolve(value, bindings=(*inner, *extra)[:24])
            made[bound] = None
        elif isinstance(value, Both):
            made[Both(substitute(value.parts, bindings, receiver, depth + 1))] = None
        elif isinstance(value, Tuple):
            made[Tuple(tuple(substitute(item, bindings, receiver, depth + 1) for item in value.elements))] = None
        else:
            made[value] = None
    return tuple(made)
