"""Facts builder: the facts of one TypeScript or JavaScript file while they are being read off its tree.

Owns: what rules of the language need to know of where the reader stands.
Must not know: the grammar, what any node means.
Invariant: rows are only appended; an expression refers to expressions before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, final

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
from graphls.languages.extract import facts_builder
from graphls.languages.extract.facts_builder import D_SCOPE, Row
from graphls.languages.extract.grammars import kind
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.forms import FORMS
from graphls.languages.typescript.syntax.jsdoc import JsDocBlock, JsDocNotes

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
RENDER: Final = int(Role.RENDER)
IMPLEMENT: Final = int(Role.IMPLEMENT)

NAME: Final = int(ExpressionKind.NAME)
MEMBER: Final = int(ExpressionKind.MEMBER)
CALL: Final = int(ExpressionKind.CALL)
SUBSCRIPT: Final = int(ExpressionKind.SUBSCRIPT)
UNION: Final = int(ExpressionKind.UNION)
TUPLE: Final = int(ExpressionKind.TUPLE)
COLLECTION: Final = int(ExpressionKind.COLLECTION)
LITERAL: Final = int(ExpressionKind.LITERAL)
AWAIT: Final = int(ExpressionKind.AWAIT)
ELEMENT: Final = int(ExpressionKind.ELEMENT)
ITEM: Final = int(ExpressionKind.ITEM)
MODULE: Final = int(ExpressionKind.MODULE)
LAMBDA: Final = int(ExpressionKind.LAMBDA)
PARAMETER_VALUE: Final = int(ExpressionKind.PARAMETER)
STARRED: Final = int(ExpressionKind.STARRED)
OBJECT: Final = int(ExpressionKind.OBJECT)
FUNCTION_VALUE: Final = int(ExpressionKind.FUNCTION)
TYPE: Final = int(ExpressionKind.TYPE)
OPERATION: Final = int(ExpressionKind.OPERATION)

MODULE_SCOPE: Final = int(ScopeKind.MODULE)
CLASS_SCOPE: Final = int(ScopeKind.CLASS)
FUNCTION_SCOPE: Final = int(ScopeKind.FUNCTION)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)
BLOCK: Final = int(ScopeKind.BLOCK)
NAMESPACE_SCOPE: Final = int(ScopeKind.NAMESPACE)
OBJECT_SCOPE: Final = int(ScopeKind.OBJECT)

FUNCTION: Final = int(DefinitionKind.FUNCTION)
METHOD: Final = int(DefinitionKind.METHOD)
CLASS: Final = int(DefinitionKind.CLASS)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
FIELD: Final = int(DefinitionKind.FIELD)
PROPERTY: Final = int(DefinitionKind.PROPERTY)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
IMPORT: Final = int(DefinitionKind.IMPORT)
INTERFACE: Final = int(DefinitionKind.INTERFACE)
ENUM: Final = int(DefinitionKind.ENUM)
NAMESPACE: Final = int(DefinitionKind.NAMESPACE)

ASYNC: Final = int(DefinitionFlag.ASYNC)
STATIC: Final = int(DefinitionFlag.STATIC)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
OVERLOAD: Final = int(DefinitionFlag.OVERLOAD)
CONDITIONAL: Final = int(DefinitionFlag.CONDITIONAL)
INSTANCE: Final = int(DefinitionFlag.INSTANCE)
EXPORTED: Final = int(DefinitionFlag.EXPORTED)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)
GENERATOR: Final = int(DefinitionFlag.GENERATOR)
STAR: Final = int(DefinitionFlag.STAR)
SETTER: Final = int(DefinitionFlag.SETTER)
DEFAULT_EXPORT: Final = int(DefinitionFlag.DEFAULT_EXPORT)
TYPE_ONLY: Final = int(DefinitionFlag.TYPE_ONLY)
SHARED: Final = int(DefinitionFlag.SHARED)
EXCEPTION: Final = int(DefinitionFlag.EXCEPTION)
OUTER_FLAGS: Final = EXPORTED | DEFAULT_EXPORT | CONDITIONAL
"""Flags that say something about a definition and nothing about what is in it."""
ALSO_WRITE: Final = int(OccurrenceFlag.ALSO_WRITE)
TYPE_TEST: Final = int(OccurrenceFlag.TYPE_TEST)
BODY: Final = int(RegionKind.BODY)
BRANCH: Final = int(RegionKind.BRANCH)
LOOP: Final = int(RegionKind.LOOP)
TRY: Final = int(RegionKind.TRY)

_LASTING: Final = (MODULE_SCOPE, CLASS_SCOPE, NAMESPACE_SCOPE, OBJECT_SCOPE)

WANTED: Final = 1
KEPT: Final = 3
"""What the caller wants: the expression; and that an object literal's members be definitions."""

WAITING: Final = -2
"""Scope of a definition whose holder only the whole file decides."""
EXPORTS: Final = "exports"
"""Text that names the table of exports; see `Draft.export_scope`."""

Rule: TypeAlias = "Callable[[TsFactsBuilder, Node, int, int], int]"
"""Reads one node: (draft, node, want, role) to an expression row, -1 when none is wanted or understood."""


@final
class TsFrame:
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
        self.context: int = -1
        """What the place of the function says about its type."""
        self.start: int = 0
        """Where the function begins."""
        self.note: JsDocBlock | None = None
        """The comment that says what types its parameters and results have."""


@final
class Expando:
    """`base.name = value` or `base.prototype.name = value`, perhaps a declaration: the whole file decides."""

    def __init__(self, base: int, scope: int, prototype: bool, *, definition: int, use: Row, called: bool) -> None:
        self.base = base
        """Name left of the dot; -1 for `this`."""
        self.scope = scope
        self.prototype = prototype
        self.definition = definition
        """Row that waits for its scope."""
        self.use = use
        """The row of occurrences it is when it declares nothing."""
        self.called = called
        """A function is assigned: its definition stays, whatever it belongs to."""


KEPT_STATEMENTS: Final = ("expression_statement", "function_declaration", "lexical_declaration")
CONTEXTUAL: Final = ("object", "array", "arrow_function", "function_expression")


@final
class TsNodeKinds:
    """Numbers of the node kinds that are asked for most, in one grammar."""

    def __init__(self, grammar: str) -> None:
        self.codes: list[int] = nodes.by_kind(grammar, nodes.CODES, nodes.OTHER)
        """What `nodes` calls a kind, by its number."""
        self.marked: list[int] = nodes.by_kind(grammar, nodes.MARKS, 0)
        self.forms: list[int] = nodes.by_kind(grammar, FORMS, 0)
        self.fields: list[int] = nodes.fields(grammar)
        self.comment: int = kind(grammar, "comment")
        self.string: int = kind(grammar, "string")
        self.arguments: int = kind(grammar, "arguments")
        self.identifier: int = kind(grammar, "identifier")
        self.member: int = kind(grammar, "member_expression")
        self.export: int = kind(grammar, "export_statement")
        self.cacheable = frozenset([kind(grammar, name) for name in KEPT_STATEMENTS])
        """Statements that a memory may hold."""
        self.contextual = frozenset([kind(grammar, name) for name in CONTEXTUAL])
        """What takes a type from its place: literals of objects and arrays, functions."""

    def of(self, node: Node) -> int:
        """What `nodes` calls the kind of a node, which is the same in all grammars."""
        return self.codes[node.kind_id]

    def marks(self, node: Node) -> int:
        """The sets of `nodes` that hold the kind of a node."""
        return self.marked[node.kind_id]


@final
class TsFactsBuilder(facts_builder.FactsBuilder):
    """Everything read so far, and where the reader stands."""

    def __init__(
        self, data: bytes, *, rules: Sequence[Rule], kinds: TsNodeKinds, script: bool, ambient: bool, frame: TsFrame
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
        self.copies: list[tuple[int, int, list[int]]] = []
        """Name and scope of what gets members of others, and the expressions of these."""
        self.copiers: frozenset[bytes] | None = None
        """Names of functions that copy members, once they were sought."""
        self.export_aliases: frozenset[bytes] | None = None
        """Variables of a script that stand for its exports, once they were sought."""
        self.is_object_set = False
        """Whether assignments declare members of what is a literal somewhere else."""
        self.heirs: list[tuple[int, int, int]] = []
        """Name, scope and base of functions whose prototype comes from another; the whole file decides which."""
        self.cache: FragmentCache | None = None
        """What an earlier reading of the file found, where it is kept (see `recall`)."""
        self.mended = False
        """Whether what is read was mended first."""
        self.dotted = False
        """Whether names with dots may be read off the text: the tree is the text's own, and without errors."""
        self.heads: dict[bytes, int] = {}
        """Names that the file has shown as plain ones."""
        self.tails: dict[bytes, int] = {}
        """Names that the file has shown behind dots."""
        self.notes: JsDocNotes | None = None
        """What comments say about types, in JavaScript."""
        self.noted: dict[int, int] = {}
        """Types of comments that have been read, by where they begin."""
        self.note_rules = rules
        self.note_kinds = kinds
        self.long_lines = False
        """The text may be minified: bodies of functions that are so are not read."""
        self.component = False
        """The statements of the module are those of the component that the file exports."""
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

    def rests_on_file(self) -> bool:
        """Whether what was read has a part in what only the whole file decides, apart from members that are set."""
        return bool(self.heirs or self.copies) or self.exports_given()

    def exports_given(self) -> bool:
        """Whether there is such a scope."""
        return self._exports >= 0

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

    def owns(self, row: int) -> bool:
        """Whether a variable or member owns what its initialiser uses: no function runs around it."""
        if self.frame.function or self.component:
            return False
        scope = self.definitions[row][D_SCOPE]
        return scope < 0 or self.scopes[scope][0] in _LASTING

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
