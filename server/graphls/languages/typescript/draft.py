"""Draft: the facts of one TypeScript or JavaScript file while they are being read off its tree.

Owns: tables under construction, interning, where in the file the reader stands.
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

# Columns of a row of `definitions`.
D_NAME, D_KIND, D_FLAGS, D_SCOPE, D_START, D_END, D_FULL_START, D_FULL_END = range(8)
D_BODY, D_TYPE, D_VALUE, D_DOC, D_SIGNATURE, D_SURFACE, D_OWNER = range(8, 15)

USE, U_START, U_NAME, U_ROLE, U_OWNER = 8, 0, 2, 3, 7
"""Width of a row of `occurrences`, and columns of it."""
EXPRESSION = 4
"""Width of a row of `expressions`."""

WANTED, KEPT = 1, 3
"""What the caller wants: the expression; and that an object literal's members be definitions."""

EXPORTS = "exports"
"""Text that names the table of exports; see `Draft.export_scope`."""

Rule: TypeAlias = "Callable[[Draft, Node, int, int], int]"
"""Reads one node: (draft, node, want, role) to an expression row, -1 when none is wanted or understood."""

Row: TypeAlias = tuple[int, ...]


@attrs.define(eq=False)
class Frame:
    """The innermost function or module whose statements are being read."""

    definition: int
    """-1 for the module and for functions without a name."""
    function: bool
    returns: list[int] = attrs.field(factory=list[int])
    """Returned expressions of a function without a definition."""
    statements: int = 0
    branches: int = 0
    nesting: int = 0
    deepest: int = 0


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


@attrs.define(eq=False)
class Draft:
    """Everything read so far, and where the reader stands."""

    data: bytes
    rules: Sequence[Rule]
    kinds: Kinds
    script: bool
    """JavaScript: assignments declare members."""
    ambient: bool
    """A declaration file: everything at its top is as good as exported."""
    frame: Frame
    scope: int = 0
    owner: int = -1
    use_flags: int = 0
    bind_flags: int = 0
    depth: int = 0
    full: tuple[int, int] = (0, 0)
    """Range of the statement whose names are being bound."""
    expected: int = -1
    """What the place of the next object literal or function says about its type; taken by the first to look."""
    object_owner: int = -1
    """Definition that the next object literal is the value of."""
    decorators_before: tuple[Node, ...] = ()
    """Decorators that stand before the `export` of the next class."""
    doc: int = -1
    """Documentation comment before the statement being read."""
    _exports: int = -1
    nothing: int = -1

    strings: list[str] = attrs.field(factory=lambda: [""])
    texts: dict[str, int] = attrs.field(factory=lambda: {"": 0})
    names: dict[bytes, int] = attrs.field(factory=dict[bytes, int])
    scopes: list[list[int]] = attrs.field(factory=list[list[int]])
    definitions: list[list[int]] = attrs.field(factory=list[list[int]])
    occurrences: list[int] = attrs.field(factory=list[int])
    """Rows of `USE` numbers one after the other: cheaper than a tuple for each of so many."""
    expressions: list[int] = attrs.field(factory=list[int])
    """Rows of `EXPRESSION` numbers one after the other."""
    literal_rows: dict[tuple[str, int], int] = attrs.field(factory=dict[tuple[str, int], int])
    modules: dict[tuple[int, int], int] = attrs.field(factory=dict[tuple[int, int], int])
    lists: list[Row] = attrs.field(factory=list[Row])
    items: list[int] = attrs.field(factory=list[int])
    decorators: list[Row] = attrs.field(factory=list[Row])
    bases: list[Row] = attrs.field(factory=list[Row])
    returns: list[Row] = attrs.field(factory=list[Row])
    imports: list[list[int]] = attrs.field(factory=list[list[int]])
    regions: list[Row] = attrs.field(factory=list[Row])
    narrowings: list[Row] = attrs.field(factory=list[Row])
    dispatches: list[Row] = attrs.field(factory=list[Row])
    metrics: list[Row] = attrs.field(factory=list[Row])
    literals: list[Row] = attrs.field(factory=list[Row])
    problems: list[Row] = attrs.field(factory=list[Row])
    expandos: list[Expando] = attrs.field(factory=list[Expando])
    shape: list[int] = attrs.field(factory=list[int])

    # ------------------------------------------------------------ strings

    def name(self, start: int, end: int) -> int:
        """The identifier between two offsets."""
        raw = self.data[start:end]
        row = self.names.get(raw)
        if row is None:
            row = self.names[raw] = self.text(raw.decode("utf-8", "replace"))
        return row

    def text(self, text: str) -> int:
        """The row of a string."""
        if "\0" in text:
            text = text.replace("\0", "\ufffd")
        row = self.texts.get(text)
        if row is None:
            row = self.texts[text] = len(self.strings)
            self.strings.append(text)
        return row

    def source(self, node: Node) -> str:
        """The text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    # ------------------------------------------------------------ rows

    def read(self, node: Node, want: int = 0, role: int = READ) -> int:
        """What the rule for this node says."""
        return self.rules[node.kind_id](self, node, want, role)

    def expression(self, kind: int, a: int, b: int = -1, c: int = -1) -> int:
        """A new row of `expressions`."""
        rows = self.expressions
        rows += (kind, a, b, c)
        return len(rows) // EXPRESSION - 1

    def kind_of(self, row: int) -> int:
        """The kind of an expression, -1 for none."""
        return self.expressions[row * EXPRESSION] if row >= 0 else -1

    def sequence(self, values: Sequence[int]) -> int:
        """A new row of `lists`."""
        start = len(self.items)
        self.items.extend(values)
        self.lists.append((start, len(self.items)))
        return len(self.lists) - 1

    def unknown(self) -> int:
        """The expression of something not understood, where a base must be given: a choice among nothing."""
        if self.nothing < 0:
            self.nothing = self.expression(UNION, -1)
        return self.nothing

    def builtin(self, name: str, text: int = -1) -> int:
        """A literal of a built-in type."""
        row = self.literal_rows.get((name, text))
        if row is None:
            row = self.literal_rows[name, text] = self.expression(LITERAL, self.text(name), text)
        return row

    def operator(self, name: str, *operands: int) -> int:
        """A rule of the language that makes a type or value from others: `SUBSCRIPT` of a literal."""
        return self.expression(SUBSCRIPT, self.builtin(name), self.sequence(operands))

    def module(self, name: int, mode: int) -> int:
        """The expression of a module; mode 1: what `require` gives."""
        row = self.modules.get((name, mode))
        if row is None:
            row = self.modules[name, mode] = self.expression(MODULE, name, mode)
        return row

    def use(self, start: int, end: int, role: int, base: int = -1) -> int:
        """A new occurrence; answers its name."""
        name = self.name(start, end)
        if end > start:
            self.occurrences += (start, end, name, role, self.use_flags, self.scope, base, self.owner)
        return name

    def open_scope(self, kind: int, start: int, end: int, owner: int = -1) -> int:
        """A new scope inside the current one."""
        self.scopes.append([kind, self.scope, start, end, owner])
        return len(self.scopes) - 1

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

    def region(self, kind: int, node: Node, group: int) -> None:
        """A new region."""
        self.regions.append((kind, node.start_byte, node.end_byte, group))

    def take_expected(self) -> int:
        """What is expected here; nobody below sees it."""
        expected, self.expected = self.expected, -1
        return expected

    def take_owner(self) -> int:
        """The definition that an object literal is the value of."""
        owner, self.object_owner = self.object_owner, -1
        return owner
