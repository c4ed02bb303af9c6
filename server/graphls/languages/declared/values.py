"""Values: what an expression can denote where declarations say types.

Owns: the kinds of types and values that inference works with, and type arguments in them.
Must not know: how they were found, any particular language.
Invariant: immutable and comparable; (file, row) names a definition as in `Unit`; a type is its instances too.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, TypeAlias, final

from graphls.facts.paths import FilePath
from graphls.languages.resolve.structural_value import DefinitionRefs, StructuralValue

MAX_NESTING: Final = 8
"""Type arguments inside of type arguments that are followed."""


class DeclaredRule(IntEnum):
    """Which rule answered; stored with every link, so that its precision can be measured."""

    LOCAL = 0
    PACKAGE = 1
    """Another file of the package declares it."""
    IMPORT = 2
    MEMBER = 3
    """A member that the declared type has itself."""
    INHERITED = 4
    """A member that comes from a type above, or from an embedded one."""
    KEYWORD = 5
    BUILTIN = 6
    EXTERNAL = 7
    OVERLOADED = 8
    """Several of one name fit."""


@final
class NamedType(StructuralValue):
    """A type with a name. `arguments`: what its type parameters stand for, by position."""

    def __init__(self, file: FilePath, row: int, arguments: tuple[Value | None, ...] = ()) -> None:
        super().__init__(("NamedType", file, row, arguments))
        self.file = file
        self.row = row
        self.arguments = arguments


@final
class Anonymous(StructuralValue):
    """A type without a name, by the scope of its members."""

    def __init__(self, file: FilePath, scope: int) -> None:
        super().__init__(("Anonymous", file, scope))
        self.file = file
        self.scope = scope


@final
class Composite(StructuralValue):
    """A type that a built-in constructor makes: `[]`, `map`, `func` and the like."""

    def __init__(self, constructor: str, parts: tuple[Value | None, ...]) -> None:
        super().__init__(("Composite", constructor, parts))
        self.constructor = constructor
        self.parts = parts


@final
class Variable(StructuralValue):
    """A type parameter, by its definition."""

    def __init__(self, file: FilePath, row: int) -> None:
        super().__init__(("Variable", file, row))
        self.file = file
        self.row = row


@final
class Outside(StructuralValue):
    """Something outside all known files, by dotted name, or an instance of it.

    The last part is `?` where only the package is known that it comes from.
    """

    def __init__(self, dotted: str, arguments: tuple[Value | None, ...] = ()) -> None:
        super().__init__(("Outside", dotted, arguments))
        self.dotted = dotted
        self.arguments = arguments


@final
class TypeName(StructuralValue):
    """An expression that names a type, as opposed to an instance of it."""

    def __init__(self, type: Value) -> None:
        super().__init__(("TypeName", type))
        self.type = type


@final
class Functions(StructuralValue):
    """A function, or several of one name. `given`: type parameters that are decided, as (file, row, type)."""

    def __init__(self, file: FilePath, rows: tuple[int, ...], given: Given = ()) -> None:
        super().__init__(("Functions", file, rows, given))
        self.file = file
        self.rows = rows
        self.given = given


@final
class Package(StructuralValue):
    """A package. `name`: as `World.package` knows it, None for one outside; `dotted`: as imports spell it."""

    def __init__(self, name: str | None, dotted: str) -> None:
        super().__init__(("Package", name, dotted))
        self.name = name
        self.dotted = dotted


@final
class ModuleBody(StructuralValue):
    """The contents of a module that is a file, or a part of one: by the scope of its names."""

    def __init__(self, file: FilePath, scope: int) -> None:
        super().__init__(("ModuleBody", file, scope))
        self.file = file
        self.scope = scope


@final
class Several(StructuralValue):
    """Several results of one call."""

    def __init__(self, parts: tuple[Value | None, ...]) -> None:
        super().__init__(("Several", parts))
        self.parts = parts


Value: TypeAlias = (
    NamedType | Anonymous | Composite | Variable | Outside | TypeName | Functions | Package | ModuleBody | Several
)
Given: TypeAlias = "tuple[tuple[FilePath, int, Value | None], ...]"
Bindings: TypeAlias = "dict[tuple[FilePath, int], Value | None]"
"""What type parameters stand for."""


@final
class Denotation:
    """What a name means: the definitions, the value that it has (None: not known), the rule that said it."""

    def __init__(self, refs: DefinitionRefs, value: Value | None, rule: int) -> None:
        self.refs = refs
        self.value = value
        self.rule = rule


def substituted(value: Value | None, given: Bindings, depth: int = 0) -> Value | None:
    """A type with others for its type parameters."""
    if value is None or not given or depth > MAX_NESTING:
        return value
    if isinstance(value, Variable):
        return given.get((value.file, value.row), value)
    if isinstance(value, NamedType) and value.arguments:
        return NamedType(value.file, value.row, _each(value.arguments, given, depth))
    if isinstance(value, Composite):
        return Composite(value.constructor, _each(value.parts, given, depth))
    if isinstance(value, Outside) and value.arguments:
        return Outside(value.dotted, _each(value.arguments, given, depth))
    if isinstance(value, Several):
        return Several(_each(value.parts, given, depth))
    if isinstance(value, TypeName):
        inner = substituted(value.type, given, depth + 1)
        return None if inner is None else TypeName(inner)
    if isinstance(value, Functions):
        return Functions(value.file, value.rows, (*value.given, *_listed(given)))
    return value


def _listed(given: Bindings) -> Given:
    return tuple([(file, row, one) for (file, row), one in given.items()])


def _each(values: tuple[Value | None, ...], given: Bindings, depth: int) -> tuple[Value | None, ...]:
    return tuple([substituted(value, given, depth + 1) for value in values])


def unify(pattern: Value | None, value: Value | None, found: Bindings, depth: int = 0) -> None:
    """Notes what type parameters in the type of a parameter stand for, by the type of an argument."""
    if pattern is None or value is None or depth > MAX_NESTING:
        return
    if isinstance(pattern, Variable):
        found.setdefault((pattern.file, pattern.row), value)
        return
    if _head(pattern) != _head(value):
        return
    ours, theirs = _parts(pattern), _parts(value)
    for one, other in zip(ours, theirs, strict=False):
        unify(one, other, found, depth + 1)


def mentions_workspace(value: Value | None) -> bool:
    """Whether a type, or a part of it, is declared in a known file, or not known."""
    if value is None or isinstance(value, (NamedType, Anonymous, Variable, Functions)):
        return True
    if isinstance(value, TypeName):
        return mentions_workspace(value.type)
    if isinstance(value, (Composite, Several)):
        return any(map(mentions_workspace, value.parts))
    return isinstance(value, Outside) and any(map(mentions_workspace, value.arguments))


def _parts(value: Value) -> tuple[Value | None, ...]:
    if isinstance(value, (Composite, Several)):
        return value.parts
    return value.arguments if isinstance(value, (NamedType, Outside)) else ()


def _head(value: Value) -> object:
    """What two types have in common whose parts are compared."""
    if isinstance(value, Composite):
        return value.constructor
    if isinstance(value, NamedType):
        return value.file, value.row
    return value.dotted if isinstance(value, Outside) else isinstance(value, Several)
