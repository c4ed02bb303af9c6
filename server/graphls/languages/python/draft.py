"""Draft: the facts of one Python file while they are being read off its tree.

Owns: tables under construction, interning, where in the file the reader stands.
Must not know: the grammar, what any node means.
Invariant: rows are only appended; an expression refers to expressions before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TypeAlias
from unicodedata import normalize

import attrs
from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, ExpressionKind, OccurrenceFlag, RegionKind, Role, ScopeKind

# Plain integers: arithmetic on enum members costs ten times as much.
READ, WRITE, CALLED, IMPORTED = int(Role.READ), int(Role.WRITE), int(Role.CALL), int(Role.IMPORT)
INHERITED, DECORATES, TYPED, DELETED = int(Role.INHERIT), int(Role.DECORATE), int(Role.TYPE), int(Role.DELETE)
KEYWORD, EXPORT, PATTERN, TEXT = int(Role.KEYWORD), int(Role.EXPORT), int(Role.PATTERN), int(Role.TEXT)
NAME, MEMBER, UNION = int(ExpressionKind.NAME), int(ExpressionKind.MEMBER), int(ExpressionKind.UNION)
LITERAL, MODULE = int(ExpressionKind.LITERAL), int(ExpressionKind.MODULE)
IN_STRING = int(OccurrenceFlag.IN_STRING)
ALIAS = int(OccurrenceFlag.ALIAS)
CONDITIONAL = int(DefinitionFlag.CONDITIONAL)
GLOBAL = int(DefinitionFlag.GLOBAL)
COMPREHENSION, LAMBDA = int(ScopeKind.COMPREHENSION), int(ScopeKind.LAMBDA)
BRANCH = int(RegionKind.BRANCH)

# Columns of a row of `definitions`.
D_NAME, D_KIND, D_FLAGS, D_SCOPE, D_START, D_END, D_FULL_START, D_FULL_END = range(8)
D_BODY, D_TYPE, D_VALUE, D_DOC, D_SIGNATURE, D_SURFACE, D_OWNER = range(8, 15)

USE, U_NAME, U_ROLE, U_OWNER = 8, 2, 3, 7
"""Width of a row of `occurrences`, and columns of it."""
EXPRESSION = 4
"""Width of a row of `expressions`."""

Rule: TypeAlias = "Callable[[Draft, Node, int, int], int]"
"""Reads one node: (draft, node, want, role) to an expression row, -1 when none is wanted or understood."""

Row: TypeAlias = tuple[int, ...]
Fact: TypeAlias = tuple[int, int, int]
"""Subject, test, whether it holds: what a condition says about a name."""


class Level(IntEnum):
    """Where statements stand."""

    MODULE = 0
    CLASS = 1
    FUNCTION = 2


@attrs.define(eq=False)
class Frame:
    """The innermost module, class or function whose statements are being read."""

    level: int
    definition: int
    scope: int
    enum: bool = False
    receiver: int = -1
    """Name of the first parameter of the method around this point, -1 outside methods."""
    members: int = -1
    """Scope of the class that the receiver belongs to."""
    declared: dict[int, bool] = attrs.field(factory=dict[int, bool])
    """Names under `global` (True) and `nonlocal` (False)."""
    parent: Frame | None = None
    statements: int = 0
    branches: int = 0
    nesting: int = 0
    deepest: int = 0


@attrs.define(eq=False)
class Draft:
    """Everything read so far, and where the reader stands."""

    data: bytes
    rules: Sequence[Rule]
    frame: Frame
    scope: int = 0
    owner: int = -1
    use_flags: int = 0
    bind_flags: int = 0
    depth: int = 0
    block_end: int = 0
    full: tuple[int, int] = (0, 0)
    """Range of the statement whose targets are being bound."""

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
    exports: set[int] = attrs.field(factory=set[int])
    augmented: list[list[int]] = attrs.field(factory=list[list[int]])
    """Rows like `definitions` for `x += ...`; kept only where nothing else binds the name."""
    nonlocals: list[tuple[int, int]] = attrs.field(factory=list[tuple[int, int]])
    """Definition and scope of names bound through `nonlocal`."""
    shape: list[int] = attrs.field(factory=list[int])
    modules: dict[tuple[int, int], int] = attrs.field(factory=dict[tuple[int, int], int])
    nothing: int = -1

    # ------------------------------------------------------------ strings

    def name(self, start: int, end: int) -> int:
        """The identifier between two offsets, as Python compares identifiers."""
        raw = self.data[start:end]
        row = self.names.get(raw)
        if row is None:
            spelled = raw.decode("utf-8", "replace")
            row = self.text(spelled if raw.isascii() else normalize("NFKC", spelled))
            self.names[raw] = row
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

    def source(self, start: int, end: int) -> str:
        """The text between two offsets."""
        return self.data[start:end].decode("utf-8", "replace")

    # ------------------------------------------------------------ rows

    def read(self, node: Node, want: int = 0, role: int = READ) -> int:
        """What the rule for this node says."""
        return self.rules[node.kind_id](self, node, want, role)

    def expression(self, kind: int, a: int, b: int = -1, c: int = -1) -> int:
        """A new row of `expressions`."""
        rows = self.expressions
        rows += (kind, a, b, c)
        return len(rows) // EXPRESSION - 1

    def expression_kind(self, row: int) -> int:
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

    def module(self, name: int, level: int) -> int:
        """The expression of a module."""
        row = self.modules.get((name, level))
        if row is None:
            row = self.modules[name, level] = self.expression(MODULE, name, level)
        return row

    def use(self, node: Node, role: int, base: int = -1) -> int:
        """A new occurrence; answers its name."""
        start, end = node.start_byte, node.end_byte
        name = self.name(start, end)
        if end > start:
            self.occurrences += (start, end, name, role, self.use_flags, self.scope, base, self.owner)
        return name

    def use_as(self, node: Node, name: int, role: int, base: int) -> None:
        """An occurrence that spells another name: the alias of an import."""
        start, end = node.start_byte, node.end_byte
        if end > start:
            self.occurrences += (start, end, name, role, self.use_flags | ALIAS, self.scope, base, self.owner)

    def last_name(self, mark: int, role: int) -> int:
        """The name of the last occurrence of a role since a mark (a length of `occurrences`), or -1."""
        rows = self.occurrences
        for at in range(len(rows) - USE, mark - 1, -USE):
            if rows[at + U_ROLE] == role:
                return rows[at + U_NAME]
        return -1

    def open_scope(self, kind: int, start: int, end: int, owner: int = -1) -> int:
        """A new scope inside the current one."""
        self.scopes.append([kind, self.scope, start, end, owner])
        return len(self.scopes) - 1

    def define(self, name: int, kind: int, start: int, end: int, scope: int) -> int:
        """A new definition with the current statement as its full range."""
        full_start, full_end = self.full
        rows = self.definitions
        rows.append(
            [name, kind, self.bind_flags, scope, start, end, full_start, full_end, -1, -1, -1, -1, -1, -1, self.owner]
        )
        return len(rows) - 1

    def region(self, kind: int, node: Node, group: int) -> None:
        """A new region."""
        self.regions.append((kind, node.start_byte, node.end_byte, group))

    def narrow(self, facts: Sequence[Fact], start: int, end: int) -> None:
        """What a condition says, between two offsets."""
        if start < end:
            for subject, test, positive in facts:
                self.narrowings.append((subject, test, start, end, positive))
