"""Draft: the facts of one file while they are being read off its tree.

Owns: tables under construction, interning, where in the file the reader stands.
Must not know: any particular language, what any node means.
Invariant: rows are only appended; an expression refers to expressions before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs
from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind

# Plain integers: arithmetic on enum members costs ten times as much.
_UNION, _LITERAL, _MODULE = int(ExpressionKind.UNION), int(ExpressionKind.LITERAL), int(ExpressionKind.MODULE)

# Columns of a row of `definitions`.
D_NAME, D_KIND, D_FLAGS, D_SCOPE, D_START, D_END, D_FULL_START, D_FULL_END = range(8)
D_BODY, D_TYPE, D_VALUE, D_DOC, D_SIGNATURE, D_SURFACE, D_OWNER = range(8, 15)

USE, U_START, U_NAME, U_ROLE, U_OWNER = 8, 0, 2, 3, 7
"""Width of a row of `occurrences`, and columns of it."""
EXPRESSION = 4
"""Width of a row of `expressions`."""

Row: TypeAlias = tuple[int, ...]


@attrs.define(eq=False)
class Draft:
    """Everything read so far, and where the reader stands. A language adds what its rules need to know."""

    data: bytes
    scope: int = 0
    owner: int = -1
    use_flags: int = 0
    bind_flags: int = 0
    depth: int = 0
    full: tuple[int, int] = (0, 0)
    """Range of the statement whose names are being bound."""

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
    shape: list[int] = attrs.field(factory=list[int])
    nothing: int = -1

    # ------------------------------------------------------------ strings

    def name(self, start: int, end: int) -> int:
        """The identifier between two offsets."""
        raw = self.data[start:end]
        row = self.names.get(raw)
        if row is None:
            row = self.names[raw] = self.text(self.spelled(raw))
        return row

    def spelled(self, raw: bytes) -> str:
        """An identifier as the language compares identifiers."""
        return raw.decode("utf-8", "replace")

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
            self.nothing = self.expression(_UNION, -1)
        return self.nothing

    def builtin(self, name: str, text: int = -1) -> int:
        """A literal of a built-in type."""
        row = self.literal_rows.get((name, text))
        if row is None:
            row = self.literal_rows[name, text] = self.expression(_LITERAL, self.text(name), text)
        return row

    def module(self, name: int, how: int) -> int:
        """The expression of a module; `how` it is named is the language's own number."""
        row = self.modules.get((name, how))
        if row is None:
            row = self.modules[name, how] = self.expression(_MODULE, name, how)
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

    def region(self, kind: int, node: Node, group: int) -> None:
        """A new region."""
        self.regions.append((kind, node.start_byte, node.end_byte, group))
