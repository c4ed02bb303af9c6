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
from graphls.languages.resolve.structural_value import External, Module, StructuralValue


class TsRule(IntEnum):
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
    CROWD = 21


@final
class TsNamespace(StructuralValue):
    """A namespace or enum as a value."""

    def __init__(self, file: FilePath, row: int) -> None:
        super().__init__(("Holder", file, row))
        self.file = file
        self.row = row


@final
class TsClass(StructuralValue):
    """A class, or a function that is used as one, as a value."""

    def __init__(self, file: FilePath, row: int, arguments: tuple[Values, ...] = ()) -> None:
        super().__init__(("Class", file, row, arguments))
        self.file = file
        self.row = row
        self.arguments = arguments


@final
class TsInstance(StructuralValue):
    """An instance of a class, interface or enum."""

    def __init__(self, file: FilePath, row: int, arguments: tuple[Values, ...] = ()) -> None:
        super().__init__(("Instance", file, row, arguments))
        self.file = file
        self.row = row
        self.arguments = arguments


@final
class TsObject(StructuralValue):
    """An object literal or object type, by its scope."""

    def __init__(self, file: FilePath, scope: int, bindings: Bindings = ()) -> None:
        super().__init__(("Object", file, scope, bindings))
        self.file = file
        self.scope = scope
        self.bindings = bindings


@final
class TsFunction(StructuralValue):
    """A function or method, and what it is a member of."""

    def __init__(self, file: FilePath, row: int, receiver: Value | None = None, bindings: Bindings = ()) -> None:
        super().__init__(("Function", file, row, receiver, bindings))
        self.file = file
        self.row = row
        self.receiver = receiver
        self.bindings = bindings


@final
class TsSignature(StructuralValue):
    """A function or constructor type, or a function without a name, by its expression."""

    def __init__(self, file: FilePath, expression: int, bindings: Bindings = ()) -> None:
        super().__init__(("Signature", file, expression, bindings))
        self.file = file
        self.expression = expression
        self.bindings = bindings


@final
class TsBuiltin(StructuralValue):
    """An instance of something every program has: `string`, `Array`, `Promise`."""

    def __init__(self, name: str, arguments: tuple[Values, ...] = ()) -> None:
        super().__init__(("Builtin", name, arguments))
        self.name = name
        self.arguments = arguments


@final
class TsBuiltinMethod(StructuralValue):
    """A method of a builtin."""

    def __init__(self, owner: TsBuiltin, name: str) -> None:
        super().__init__(("Method", owner, name))
        self.owner = owner
        self.name = name


@final
class TsIntersection(StructuralValue):
    """All of these at once. `hidden`: members that a part is without, by its place: `Omit<A, "x"> & B`."""

    def __init__(self, parts: Values, hidden: frozenset[tuple[int, str]] = frozenset()) -> None:
        super().__init__(("Both", parts, hidden))
        self.parts = parts
        self.hidden = hidden

    def parts_with(self, name: str) -> Values:
        """Those that may have a member."""
        if not self.hidden:
            return self.parts
        return tuple(part for place, part in enumerate(self.parts) if (place, name) not in self.hidden)


@final
class TsTuple(StructuralValue):
    """An array with known elements."""

    def __init__(self, elements: tuple[Values, ...]) -> None:
        super().__init__(("Tuple", elements))
        self.elements = elements


@final
class TsTypeParameter(StructuralValue):
    """A type parameter."""

    def __init__(self, file: FilePath, row: int) -> None:
        super().__init__(("Variable", file, row))
        self.file = file
        self.row = row


@final
class TsThisType(StructuralValue):
    """`this` as a type: whatever the member is read from."""

    def __init__(self) -> None:
        super().__init__(("Self",))


@final
class TsSuper(StructuralValue):
    """`super`: members of the base classes."""

    def __init__(self, of: TsInstance | TsClass) -> None:
        super().__init__(("Super", of))
        self.of = of


Value: TypeAlias = (
    Module
    | TsNamespace
    | TsClass
    | TsInstance
    | TsObject
    | TsFunction
    | TsSignature
    | TsBuiltin
    | TsBuiltinMethod
    | TsIntersection
    | TsTuple
    | TsTypeParameter
    | TsThisType
    | TsSuper
    | External
)
Values: TypeAlias = tuple[Value, ...]
"""Any of these; the empty tuple is "unknown", more than `MAX_CANDIDATES` are not told apart."""
Bindings: TypeAlias = tuple[tuple[tuple[str, int], Values], ...]
"""Type parameters, by file and row, and what they stand for."""

UNKNOWN: Values = ()


@final
class TsInference:
    """Possible values, the rule that found them, and whether code decides them (no guess involved)."""

    def __init__(self, values: Values, rule: TsRule = TsRule.LOCAL, sure: bool = True, partial: bool = False) -> None:
        # No more are told apart. Whoever reads values from types meets that here.
        crowded = len(values) > MAX_CANDIDATES
        self.values = UNKNOWN if crowded else values
        self.rule = TsRule.CROWD if crowded else rule
        self.sure = sure and not crowded
        self.partial = partial or crowded
        """Some alternative is unknown, so other values are possible."""
        self.crowded = not self.values and self.rule == TsRule.CROWD
        """More values are possible than are told apart."""

    def holding(self, values: Values) -> TsInference:
        """The same finding with other values."""
        return TsInference(values, self.rule, self.sure, self.partial)

    def after(self, before: TsInference) -> TsInference:
        """What follows from another finding is no surer and no more complete than it."""
        if before.sure and not before.partial:
            return self
        return TsInference(self.values, self.rule, self.sure and before.sure, self.partial or before.partial)


NO_INFERENCE = TsInference(UNKNOWN, TsRule.LOCAL, False, True)
CROWD = TsInference(UNKNOWN, TsRule.CROWD, False, True)


def join(inferences: tuple[TsInference, ...]) -> TsInference:
    """Any of several inferences."""
    if not inferences:
        return NO_INFERENCE
    if len(inferences) == 1:
        return inferences[0]
    values: dict[Value, None] = {}
    for inference in inferences:
        values.update(dict.fromkeys(inference.values))
        if len(values) > MAX_CANDIDATES or inference.crowded:
            return CROWD
    known = [inference for inference in inferences if inference.values]
    rule = known[0].rule if known else TsRule.LOCAL
    partial = len(known) < len(inferences) or any(inference.partial for inference in known)
    return TsInference(tuple(values), rule, all(inference.sure for inference in known), partial)


def merged(*groups: Values) -> Values:
    """Values of several groups, each once; of too many to tell apart one more than the bound."""
    made: dict[Value, None] = {}
    for group in groups:
        made.update(dict.fromkeys(group))
        if len(made) > MAX_CANDIDATES:
            return tuple(made)[: MAX_CANDIDATES + 1]
    return tuple(made)


def unknown_after(before: TsInference) -> TsInference:
    """What follows from a finding without values."""
    return CROWD if before.crowded else NO_INFERENCE


def all_of(parts: Values, hidden: frozenset[tuple[int, str]] = frozenset()) -> Values:
    """What is all of these at once; of too many to tell apart nothing is known."""
    return (TsIntersection(parts, hidden),) if 1 < len(parts) <= MAX_CANDIDATES else parts


def given(value: TsClass | TsInstance | TsBuiltin, arguments: tuple[Values, ...]) -> TsClass | TsInstance | TsBuiltin:
    """The same with other type arguments."""
    if isinstance(value, TsClass):
        return TsClass(value.file, value.row, arguments)
    if isinstance(value, TsInstance):
        return TsInstance(value.file, value.row, arguments)
    return TsBuiltin(value.name, arguments)


def _bound(value: TsObject | TsSignature | TsFunction, bindings: Bindings) -> TsObject | TsSignature | TsFunction:
    if isinstance(value, TsObject):
        return TsObject(value.file, value.scope, bindings)
    if isinstance(value, TsSignature):
        return TsSignature(value.file, value.expression, bindings)
    return TsFunction(value.file, value.row, value.receiver, bindings)


def substitute(values: Values, bindings: Bindings, receiver: Value | None = None, depth: int = 0) -> Values:
    """Values with type parameters and `this` replaced; what is not bound stays."""
    if depth > 6 or (not bindings and receiver is None):
        return values
    known = dict(bindings)
    made: dict[Value, None] = {}
    for value in values:
        if isinstance(value, TsTypeParameter):
            made.update(dict.fromkeys(known.get((value.file, value.row), (value,))))
        elif isinstance(value, TsThisType):
            made[receiver or value] = None
        elif isinstance(value, (TsClass, TsInstance, TsBuiltin)) and value.arguments:
            arguments = tuple(substitute(item, bindings, receiver, depth + 1) for item in value.arguments)
            made[given(value, arguments)] = None
        elif isinstance(value, (TsObject, TsSignature, TsFunction)):
            inner = tuple((key, substitute(item, bindings, receiver, depth + 1)) for key, item in value.bindings)
            taken = {key for key, _ in inner}
            extra = tuple((key, item) for key, item in bindings if key not in taken)
            made[_bound(value, (*inner, *extra)[:24])] = None
        elif isinstance(value, TsIntersection):
            parts = substitute(value.parts, bindings, receiver, depth + 1)
            made[TsIntersection(parts, value.hidden if len(parts) == len(value.parts) else frozenset())] = None
        elif isinstance(value, TsTuple):
            made[TsTuple(tuple(substitute(item, bindings, receiver, depth + 1) for item in value.elements))] = None
        else:
            made[value] = None
    return tuple(made)
