"""Facts builder: what the rules of Rust need to know besides the tables.

Owns: the type whose implementation is being read, calls of macros, attributes, what is settled at the end.
Must not know: what any node means.
Invariant: as that of every language with declared types.

How paths are written: `a::b` is MEMBER of ENTER of `a`; `a.b` is MEMBER of `a` itself. `x?` is EXCEPTION, `x.await` is
AWAIT; STARRED of a path names a macro; PARAMETER is what a closure is given: callee, position of the closure, position
in it; NARROWED is a part of what a pattern matched: value, path of the pattern, position (-1: all of it).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, cast, final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import DOC_CAP, MODULE_SCOPE, NAME, READ, DeclaredFactsBuilder, Rule
from graphls.languages.extract.facts_builder import D_TYPE, U_OWNER
from graphls.languages.incremental.fragments import OUTER_DEFINITIONS

ENTER: Final = int(ExpressionKind.ENTER)
STARRED: Final = int(ExpressionKind.STARRED)
AWAIT: Final = int(ExpressionKind.AWAIT)
TRIED: Final = int(ExpressionKind.EXCEPTION)
COLLECTION: Final = int(ExpressionKind.COLLECTION)
UNION: Final = int(ExpressionKind.UNION)
LAMBDA: Final = int(ExpressionKind.LAMBDA)
GIVEN: Final = int(ExpressionKind.PARAMETER)
NARROWED: Final = int(ExpressionKind.NARROWED)
LITERAL: Final = int(ExpressionKind.LITERAL)

CLASS: Final = int(DefinitionKind.CLASS)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
ENUM: Final = int(DefinitionKind.ENUM)
VARIANT: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD: Final = int(DefinitionKind.FIELD)
FUNCTION: Final = int(DefinitionKind.FUNCTION)
IMPORT: Final = int(DefinitionKind.IMPORT)
INTERFACE: Final = int(DefinitionKind.INTERFACE)
METHOD: Final = int(DefinitionKind.METHOD)
NAMESPACE: Final = int(DefinitionKind.NAMESPACE)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
VARIABLE: Final = int(DefinitionKind.VARIABLE)

CLASS_SCOPE: Final = int(ScopeKind.CLASS)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
NAMESPACE_SCOPE: Final = int(ScopeKind.NAMESPACE)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)

DECORATED: Final = int(Role.DECORATE)
IMPLEMENTED: Final = int(Role.IMPLEMENT)
IMPORTED: Final = int(Role.IMPORT)
INHERITED: Final = int(Role.INHERIT)
KEYWORD: Final = int(Role.KEYWORD)

MACRO: Final = int(DefinitionFlag.POSITIONAL_ONLY)
"""Of a function: it is a macro."""
AROUND: Final = -2
"""In place of an expression: one that stands before what is read."""
IMPL: Final = "impl "
"""Begins the name of the row that stands for an implementation: no identifier has a space."""

RustRule: TypeAlias = "Callable[[RustFactsBuilder, Node, int, int], int]"


@final
class RustFactsBuilder(DeclaredFactsBuilder):
    """Everything read so far, and where the reader stands."""

    def __init__(self, data: bytes, rules: Sequence[Rule], macros: frozenset[int]) -> None:
        """`macros`: where the arguments of macros begin that are read as those of a call."""
        super().__init__(data, rules)
        self.mended = macros
        self.holder = -1
        """The type whose methods are being read: an expression; -1 in a trait, AROUND where it was read before."""
        self.members = False
        """The functions being read are members of a type or trait."""
        self.lead = 0
        """Where the attributes and comments of the item being read end above it."""
        self.closure: tuple[int, int] = (-1, 0)
        """The callee that a closure is given to, and as which argument."""
        self.matching = False
        """Names are those of a pattern in the arguments of a macro."""
        self.either: set[int] | None = None
        """Names that an alternative of a pattern has bound."""
        self.in_arm = False
        """The pattern is that of an arm of `match`: nothing behind it names what was before."""
        self.above: list[Node] = []
        """Attributes above the next item."""
        self.bounds_around = False
        """A bound was written of what may be a type parameter around."""
        self._late: list[tuple[int, int, int]] = []
        self._holder_around = -1

    def owned_later(self, first: int, name: int, scope: int) -> None:
        """Uses from one on belong to the type of a name, which may come later in the file."""
        width = U_OWNER + 1
        for at in range(first, len(self.occurrences) // width):
            self._late.append((at, name, scope))

    def empty(self) -> DeclaredFactsBuilder:
        """A builder of the same language."""
        return RustFactsBuilder(b"", self.rules, frozenset())

    def reader(self) -> DeclaredFactsBuilder:
        """A builder that stands where this one does, with nothing read."""
        made = super().reader()
        if isinstance(made, RustFactsBuilder):
            made.members = self.members
            if self.holder != -1:
                made.holder = AROUND
                made._holder_around = self.holder if self.holder >= 0 else self._holder_around
        return made

    def rests_on_more(self) -> bool:
        """The type that implements a trait may stand elsewhere, and so may a type parameter."""
        return bool(self._late) or (self.bounds_around and self.scopes[1][0] != MODULE_SCOPE)

    def typed_around(self) -> tuple[list[int], int]:
        """Methods have the type that is written above all of them."""
        found: list[int] = []
        for at, row in enumerate(self.definitions):
            if row[D_TYPE] == AROUND:
                row[D_TYPE] = -1
                found.append(at - OUTER_DEFINITIONS)
        return found, self._holder_around

    def uses(self) -> int:
        """How many uses were read."""
        return len(self.occurrences) // (U_OWNER + 1)

    def settle(self) -> None:
        """Gives uses to types that are known by now."""
        self.asks_around = bool(self._late)
        for at, name, scope in self._late:
            row = self.bound.get((scope, name), -1)
            if row >= 0:
                self.occurrences[at * (U_OWNER + 1) + U_OWNER] = row

    def named(self, node: Node) -> int:
        """A plain name as an expression, without a use."""
        name = self.name(node.start_byte, node.end_byte)
        return self.expression(NAME, name, self.scope, node.start_byte)

    def entered(self, row: int) -> int:
        """What stands before `::`."""
        return self.expression(ENTER, row) if row >= 0 else -1

    def use_of(self, node: Node, role: int, base: int) -> None:
        """A use of a name below something."""
        self.use(node.start_byte, node.end_byte, role, base if base >= 0 else self.unknown())


def rust(builder: DeclaredFactsBuilder) -> RustFactsBuilder:
    """The builder that the rules of Rust are run with."""
    return cast("RustFactsBuilder", builder)


def value(builder: RustFactsBuilder, node: Node | None, role: int = READ) -> int:
    """The expression of a node that may be missing."""
    return builder.read(node, 1, role) if node is not None else -1


def documentation(builder: RustFactsBuilder, start: int) -> str:
    """The first paragraph of `///` lines, or of a `/** */` block, directly above an offset."""
    data = builder.data
    at = data.rfind(b"\n", 0, start)
    if data[at + 1 : start].strip():
        return ""
    lines: list[str] = []
    while at > 0 and len(lines) < 100:
        begin = data.rfind(b"\n", 0, at) + 1
        line = data[begin:at].strip()
        if not line.startswith(b"///"):
            break
        lines.append(line[3:].decode("utf-8", "replace").strip())
        at = begin - 1
    lines.reverse()
    paragraph = lines[: lines.index("")] if "" in lines[1:] else lines
    return " ".join(" ".join(paragraph).split())[:DOC_CAP]
