"""Facts builder: the facts of one Python file while they are being read off its tree.

Owns: what rules of the language need to know of where the reader stands.
Must not know: the grammar, what any node means.
Invariant: rows are only appended; an expression refers to expressions before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias
from unicodedata import normalize

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, ExpressionKind, OccurrenceFlag, RegionKind, Role, ScopeKind
from graphls.languages.extract import facts_builder
from graphls.languages.extract.facts_builder import U_NAME, U_ROLE, USE
from graphls.languages.extract.grammars import PartParser
from graphls.languages.incremental.fragments import FragmentCache

# Plain integers: arithmetic on enum members costs ten times as much.
READ: Final = int(Role.READ)
WRITE: Final = int(Role.WRITE)
CALLED: Final = int(Role.CALL)
IMPORTED: Final = int(Role.IMPORT)
INHERITED: Final = int(Role.INHERIT)
DECORATES: Final = int(Role.DECORATE)
TYPED: Final = int(Role.TYPE)
DELETED: Final = int(Role.DELETE)
KEYWORD: Final = int(Role.KEYWORD)
EXPORT: Final = int(Role.EXPORT)
PATTERN: Final = int(Role.PATTERN)
TEXT: Final = int(Role.TEXT)
NAME: Final = int(ExpressionKind.NAME)
MEMBER: Final = int(ExpressionKind.MEMBER)
UNION: Final = int(ExpressionKind.UNION)
LITERAL: Final = int(ExpressionKind.LITERAL)
MODULE: Final = int(ExpressionKind.MODULE)
IN_STRING: Final = int(OccurrenceFlag.IN_STRING)
ALIAS: Final = int(OccurrenceFlag.ALIAS)
TYPE_TEST: Final = int(OccurrenceFlag.TYPE_TEST)
CONDITIONAL: Final = int(DefinitionFlag.CONDITIONAL)
GLOBAL: Final = int(DefinitionFlag.GLOBAL)
COMPREHENSION: Final = int(ScopeKind.COMPREHENSION)
LAMBDA: Final = int(ScopeKind.LAMBDA)
BRANCH: Final = int(RegionKind.BRANCH)

Rule: TypeAlias = "Callable[[PyFactsBuilder, Node, int, int], int]"
"""Reads one node: (draft, node, want, role) to an expression row, -1 when none is wanted or understood."""

Fact: TypeAlias = tuple[int, int, int]
"""Subject, test, whether it holds: what a condition says about a name."""


class StatementLevel:
    """Where statements stand."""

    MODULE: Final = 0
    CLASS: Final = 1
    FUNCTION: Final = 2


class PyFrame:
    """The innermost module, class or function whose statements are being read."""

    def __init__(
        self, level: int, definition: int, scope: int, *, enum: bool = False, parent: PyFrame | None = None
    ) -> None:
        self.level = level
        self.definition = definition
        self.scope = scope
        self.enum = enum
        self.parent = parent
        self.receiver: int = -1
        """Name of the first parameter of the method around this point, -1 outside methods."""
        self.members: int = -1
        """Scope of the class that the receiver belongs to."""
        self.declared: dict[int, bool] = {}
        """Names under `global` (True) and `nonlocal` (False)."""
        self.functions: list[int] = []
        """Names of the functions that are declared in it, where it is a function."""
        self.promises_function: bool = False
        """Its annotation says that it gives back a function, so that it does not say which."""
        self.statements: int = 0
        self.branches: int = 0
        self.nesting: int = 0
        self.deepest: int = 0


class PyFactsBuilder(facts_builder.FactsBuilder):
    """Everything read so far, and where the reader stands."""

    def __init__(self, data: bytes, rules: Sequence[Rule], frame: PyFrame) -> None:
        super().__init__(data)
        self.rules = rules
        self.frame = frame
        self.block_end: int = 0
        self.exports: set[int] = set()
        self.augmented: list[list[int]] = []
        """Rows like `definitions` for `x += ...`; kept only where nothing else binds the name."""
        self.nonlocals: list[tuple[int, int]] = []
        """Definition and scope of names bound through `nonlocal`."""
        self.broken: bool = False
        """The file has syntax errors: no node is what its text says."""
        self.parts: PartParser | None = None
        """What parses texts inside of this one, once there is any."""
        self.cache: FragmentCache | None = None
        """What an earlier reading of the file found, where it is kept (see `recall`)."""

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
