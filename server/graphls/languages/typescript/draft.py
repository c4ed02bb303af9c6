"""Draft: the facts of one TypeScript or JavaScript file while they are being read off its tree.

Owns: what rules of the language need to know of where the reader stands.
Must not know: the grammar, what any node means.
Invariant: rows are only appended; an expression refers to expressions before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs
from tree_sitter import Node

from graphls.facts.kinds import (
    DefinitionFlag,
    DefinitionKind,
    ExpressionKind,
    OccurrenceFlag,
    RegionKind,
    Role,
    ScopeKind,
)
from graphls.languages import draft
from graphls.languages.draft import Row

# Plain integers: arithmetic on enum members costs ten times as much.
READ, WRITE, CALLED, IMPORTED = int(Role.READ), int(Role.WRITE), int(Role.CALL), int(Role.IMPORT)
INHERITED, DECORATES, TYPED, DELETED = int(Role.INHERIT), int(Role.DECORATE), int(Role.TYPE), int(Role.DELETE)
KEYWORD, EXPORT, RENDER, IMPLEMENT = int(Role.KEYWORD), int(Role.EXPORT), int(Role.RENDER), int(Role.IMPLEMENT)

NAME, MEMBER, CALL = int(ExpressionKind.NAME), int(ExpressionKind.MEMBER), int(ExpressionKind.CALL)
SUBSCRIPT, UNION, TUPLE = int(ExpressionKind.SUBSCRIPT), int(ExpressionKind.UNION), int(ExpressionKind.TUPLE)
COLLECTION, LITERAL, AWAIT = int(ExpressionKind.COLLECTION), int(ExpressionKind.LITERAL), int(ExpressionKind.AWAIT)
ELEMENT, ITEM, MODULE = int(ExpressionKind.ELEMENT), int(ExpressionKind.ITEM), int(ExpressionKind.MODULE)
LAMBDA, PARAMETER_VALUE = int(ExpressionKind.LAMBDA), int(ExpressionKind.PARAMETER)
STARRED, OBJECT, FUNCTION_VALUE = int(ExpressionKind.STARRED), int(ExpressionKind.OBJECT), int(ExpressionKind.FUNCTION)
TYPE, OPERATION = int(ExpressionKind.TYPE), int(ExpressionKind.OPERATION)

MODULE_SCOPE, CLASS_SCOPE, FUNCTION_SCOPE = int(ScopeKind.MODULE), int(ScopeKind.CLASS), int(ScopeKind.FUNCTION)
LAMBDA_SCOPE, TYPE_PARAMETERS, BLOCK = int(ScopeKind.LAMBDA), int(ScopeKind.TYPE_PARAMETERS), int(ScopeKind.BLOCK)
NAMESPACE_SCOPE, OBJECT_SCOPE = int(ScopeKind.NAMESPACE), int(ScopeKind.OBJECT)

FUNCTION, METHOD, CLASS = int(DefinitionKind.FUNCTION), int(DefinitionKind.METHOD), int(DefinitionKind.CLASS)
VARIABLE, CONSTANT, FIELD = int(DefinitionKind.VARIABLE), int(DefinitionKind.CONSTANT), int(DefinitionKind.FIELD)
PROPERTY, PARAMETER = int(DefinitionKind.PROPERTY), int(DefinitionKind.PARAMETER)
TYPE_PARAMETER, TYPE_ALIAS = int(DefinitionKind.TYPE_PARAMETER), int(DefinitionKind.TYPE_ALIAS)
ENUM_MEMBER, IMPORT, INTERFACE = (
    int(DefinitionKind.ENUM_MEMBER),
    int(DefinitionKind.IMPORT),
    int(DefinitionKind.INTERFACE),
)
ENUM, NAMESPACE = int(DefinitionKind.ENUM), int(DefinitionKind.NAMESPACE)

ASYNC, STATIC, ABSTRACT = int(DefinitionFlag.ASYNC), int(DefinitionFlag.STATIC), int(DefinitionFlag.ABSTRACT)
OVERLOAD, CONDITIONAL, INSTANCE = (
    int(DefinitionFlag.OVERLOAD),
    int(DefinitionFlag.CONDITIONAL),
    int(DefinitionFlag.INSTANCE),
)
EXPORTED, VARIADIC, DEFAULTED = (
    int(DefinitionFlag.EXPORTED),
    int(DefinitionFlag.VARIADIC),
    int(DefinitionFlag.DEFAULTED),
)
GENERATOR, STAR, SETTER = int(DefinitionFlag.GENERATOR), int(DefinitionFlag.STAR), int(DefinitionFlag.SETTER)
DEFAULT_EXPORT, TYPE_ONLY = int(DefinitionFlag.DEFAULT_EXPORT), int(DefinitionFlag.TYPE_ONLY)
EXCEPTION = int(DefinitionFlag.EXCEPTION)
OUTER_FLAGS = EXPORTED | DEFAULT_EXPORT | CONDITIONAL
"""Flags that say something about a definition and nothing about what is in it."""
ALSO_WRITE = int(OccurrenceFlag.ALSO_WRITE)
BODY, BRANCH, LOOP, TRY = int(RegionKind.BODY), int(RegionKind.BRANCH), int(RegionKind.LOOP), int(RegionKind.TRY)

WANTED, KEPT = 1, 3
"""What the caller wants: the expression; and that an object literal's members be definitions."""

EXPORTS = "exports"
"""Text that names the table of exports; see `Draft.export_scope`."""

Rule: TypeAlias = "Callable[[Draft, Node, int, int], int]"
"""Reads one node: (draft, node, want, role) to an expression row, -1 when none is wanted or understood."""


class Frame:
    """The innermost function or module whose statements are being read."""

    def __init__(self, definition: int, function: bool) -> None:
        self.definition = definition
        """-1 for the module and for functions without a name."""
        self.function = function
        self.returns: list[int] = []
        """Returned expressions of a function without a definition."""
        self.statements: int = 0
        self.branches: int = 0
        self.nesting: int = 0
        self.deepest: int = 0


@attrs.frozen
class Expando:
    """`base.name = value` or `base.prototype.name = value`, perhaps a declaration: the whole file decides."""

    base: int
    """Name left of the dot; -1 for `this`."""
    scope: int
    prototype: bool
    definition: int
    """Row that waits for its scope."""
    use: Row
    """The row of occurrences it is when it declares nothing."""
    called: bool
    """A function is assigned: its definition stays, whatever it belongs to."""


@attrs.frozen
class Kinds:
    """Numbers of the node kinds that are asked for most, in one grammar."""

    comment: int
    string: int
    arguments: int
    identifier: int
    member: int
    contextual: frozenset[int]
    """What takes a type from its place: literals of objects and arrays, functions."""


class Draft(draft.Draft):
    """Everything read so far, and where the reader stands."""

    def __init__(
        self, data: bytes, *, rules: Sequence[Rule], kinds: Kinds, script: bool, ambient: bool, frame: Frame
    ) -> None:
        """`script`: JavaScript, where assignments declare members; `ambient`: a declaration file, which exports all."""
        super().__init__(data)
        self.rules = rules
        self.kinds = kinds
        self.script = script
        self.ambient = ambient
        self.frame = frame
        self.expected: int = -1
        """What the place of the next object literal or function says about its type; taken by the first to look."""
        self.object_owner: int = -1
        """Definition that the next object literal is the value of."""
        self.decorators_before: tuple[Node, ...] = ()
        """Decorators that stand before the `export` of the next class."""
        self.doc: int = -1
        """Documentation comment before the statement being read."""
        self.expandos: list[Expando] = []
        self.heirs: list[tuple[int, int, int]] = []
        """Name, scope and base of functions whose prototype comes from another; the whole file decides which."""
        self._exports: int = -1

    def read(self, node: Node, want: int = 0, role: int = READ) -> int:
        """What the rule for this node says."""
        return self.rules[node.kind_id](self, node, want, role)

    def operator(self, name: str, *operands: int) -> int:
        """A rule of the language that makes a type or value from others: `SUBSCRIPT` of a literal."""
        return self.expression(SUBSCRIPT, self.builtin(name), self.sequence(operands))

    def export_scope(self) -> int:
        """The scope of names that only importers see: a namespace without owner in the module."""
        if self._exports < 0:
            self.scopes.append([NAMESPACE_SCOPE, 0, len(self.data), len(self.data), -1])
            self._exports = len(self.scopes) - 1
        return self._exports

    def row_of(self, name: int, kind: int, start: int, end: int, scope: int) -> list[int]:
        """What `define` appends."""
        full_start, full_end = self.full
        return [
            *(name, kind, self.bind_flags, scope, start, end, full_start, full_end),
            *(-1, -1, -1, self.doc, -1, -1, self.owner),
        ]

    def define(self, name: int, kind: int, start: int, end: int, scope: int) -> int:
        """A new definition with the current statement as its full range."""
        self.definitions.append(self.row_of(name, kind, start, end, scope))
        return len(self.definitions) - 1

    def go_inside(self) -> None:
        """What follows is inside of the definition just made: not exported with it, not documented by its comment."""
        self.bind_flags &= ~OUTER_FLAGS
        self.doc = -1

    def take_expected(self) -> int:
        """What is expected here; nobody below sees it."""
        expected, self.expected = self.expected, -1
        return expected

    def take_owner(self) -> int:
        """The definition that an object literal is the value of."""
        owner, self.object_owner = self.object_owner, -1
        return owner
