"""Draft: the facts of one Python file while they are being read off its tree.

Owns: what rules of the language need to know of where the reader stands.
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
from graphls.languages import draft
from graphls.languages.draft import U_NAME, U_ROLE, USE

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

Rule: TypeAlias = "Callable[[Draft, Node, int, int], int]"
"""Reads one node: (draft, node, want, role) to an expression row, -1 when none is wanted or understood."""

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


@attrs.define(eq=False, kw_only=True)
class Draft(draft.Draft):
    """Everything read so far, and where the reader stands."""

    rules: Sequence[Rule]
    frame: Frame
    block_end: int = 0

    exports: set[int] = attrs.field(factory=set[int])
    augmented: list[list[int]] = attrs.field(factory=list[list[int]])
    """Rows like `definitions` for `x += ...`; kept only where nothing else binds the name."""
    nonlocals: list[tuple[int, int]] = attrs.field(factory=list[tuple[int, int]])
    """Definition and scope of names bound through `nonlocal`."""

    def read(self, node: Node, want: int = 0, role: int = READ) -> int:
        """What the rule for this node says."""
        return self.rules[node.kind_id](self, node, want, role)

    def spelled(self, raw: bytes) -> str:
        """Identifiers are compared in their compatible form."""
        spelled = raw.decode("utf-8", "replace")
        return spelled if raw.isascii() else normalize("NFKC", spelled)

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

    def define(self, name: int, kind: int, start: int, end: int, scope: int) -> int:
        """A new definition with the current statement as its full range."""
        full_start, full_end = self.full
        rows = self.definitions
        rows.append(
            [name, kind, self.bind_flags, scope, start, end, full_start, full_end, -1, -1, -1, -1, -1, -1, self.owner]
        )
        return len(rows) - 1

    def narrow(self, facts: Sequence[Fact], start: int, end: int) -> None:
        """What a condition says, between two offsets."""
        if start < end:
            for subject, test, positive in facts:
                self.narrowings.append((subject, test, start, end, positive))
