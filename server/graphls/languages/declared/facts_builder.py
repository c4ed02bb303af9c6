"""Facts builder: the facts of one file of a language with declared types, while they are being read off its tree.

Owns: the dispatch from node to rule, the bound on depth, frames of functions, how a draft becomes facts.
Must not know: any particular language, what any node means.
Invariant: rows are only appended; reading uses a bounded number of frames; below the bound names are still recorded.

How expressions are written, so that one inference reads those of every language:

    a type        NAME, MEMBER (`pkg.Type`), SUBSCRIPT of these (type arguments), OBJECT (a type without a name), or
                  SUBSCRIPT of a LITERAL that names a built-in constructor: `[]`, `map`, `func`; TUPLE (several results)
    its instance  TYPE of a type
    a value       NAME, MEMBER, CALL, SUBSCRIPT, ELEMENT (one of what it holds), OPERATION `key`, ITEM (one of several)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, final
from zlib import crc32

from mypy_extensions import mypyc_attr
from tree_sitter import Node

from graphls.facts.columns import pack_column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind, ProblemKind, RegionKind, ReturnKind, Role, ScopeKind
from graphls.languages.extract import facts_builder
from graphls.languages.extract.facts_builder import D_DOC, D_NAME, D_OWNER, D_SIGNATURE, STEPS, shortened
from graphls.languages.extract.grammars import language
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.extract.syntax_errors import syntax_problems
from graphls.languages.extract.tables import file_facts, release_tables, sort_definitions
from graphls.languages.extract.yielding import release_rows, yield_now
from graphls.languages.incremental.fragments import X_SCOPES, StatementSpan, table_sizes

SIGNATURE_CAP: Final = 500
DOC_CAP: Final = 400
DOC_LINES: Final = 100
"""Lines of a comment that are looked at."""
REACH: Final = 100_000
"""Bytes of the longest block: none that is longer is searched through at each declaration."""
ERROR_KIND: Final = 65535
"""Number of the node that holds what could not be parsed."""

READ: Final = int(Role.READ)
WRITE: Final = int(Role.WRITE)
CALLED: Final = int(Role.CALL)
TYPED: Final = int(Role.TYPE)
NAME: Final = int(ExpressionKind.NAME)
MEMBER: Final = int(ExpressionKind.MEMBER)
CALL: Final = int(ExpressionKind.CALL)
SUBSCRIPT: Final = int(ExpressionKind.SUBSCRIPT)
ELEMENT: Final = int(ExpressionKind.ELEMENT)
ITEM: Final = int(ExpressionKind.ITEM)
OPERATION: Final = int(ExpressionKind.OPERATION)
TUPLE: Final = int(ExpressionKind.TUPLE)
TYPE: Final = int(ExpressionKind.TYPE)
MODULE_SCOPE: Final = int(ScopeKind.MODULE)
CLASS_SCOPE: Final = int(ScopeKind.CLASS)
NAMESPACE_SCOPE: Final = int(ScopeKind.NAMESPACE)
TYPE_PARAMETERS_SCOPE: Final = int(ScopeKind.TYPE_PARAMETERS)
FUNCTION_SCOPE: Final = int(ScopeKind.FUNCTION)
BLOCK_SCOPE: Final = int(ScopeKind.BLOCK)
BODY: Final = int(RegionKind.BODY)
RETURN: Final = int(ReturnKind.RETURN)

Rule: TypeAlias = "Callable[[DeclaredFactsBuilder, Node, int, int], int]"
"""Reads one node: (builder, node, want, role) to an expression row, -1 when none is wanted or understood."""


StatementRule: TypeAlias = "Callable[[DeclaredFactsBuilder, Node], None]"
"""Reads one statement of several in a row, each of which says what it says whatever the others do."""

_OPEN: Final = frozenset((MODULE_SCOPE, CLASS_SCOPE, NAMESPACE_SCOPE, TYPE_PARAMETERS_SCOPE))
"""Scopes outside of functions."""


class Frame:
    """The function whose statements are being read."""

    def __init__(self, definition: int) -> None:
        self.definition = definition
        self.statements = 0
        self.branches = 0
        self.nesting = 0
        self.deepest = 0
        self.result = -1
        """The written type of what the function gives back, where a language needs it inside."""
        self.values: list[int] = []
        """What its statements give back, where a language collects it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class DeclaredFactsBuilder(facts_builder.FactsBuilder):
    """Everything read so far, and where the reader stands. A language may add what its rules need to know."""

    def __init__(self, data: bytes, rules: Sequence[Rule]) -> None:
        super().__init__(data)
        self.rules = rules
        self.frame = Frame(-1)
        self.bound: dict[tuple[int, int], int] = {}
        """The first row that binds a name in a scope."""
        self.rows: StatementRow | None = None
        """The statements of the file, where they are noted for a later text."""
        self.chained: dict[int, int] = {}
        """Expressions of operators in a long chain that were read, for the operators around them."""
        self.asks_around = False
        """What is bound outside of functions had a part in what was read."""
        self.mended: frozenset[int] = frozenset()
        """Where the text differs by whose tree it is read."""
        self._notes = False
        self._statement: RowStatement | None = None
        self.scopes.append([MODULE_SCOPE, -1, 0, len(data), -1])
        self.regions.append((BODY, 0, len(data), 0))

    def note_statements(self) -> None:
        """From now on `read_row` writes down where statements stand."""
        self._notes = True

    def read_row(self, holder: Node, nodes: Sequence[Node], read: StatementRule) -> None:
        """Reads statements in a row, which their holder has between its first and its last byte."""
        if not self._notes or not self._is_outside_functions():
            for node in nodes:
                read(self, node)
            return
        row, outer = StatementRow(holder, read), self._statement
        if outer is None:
            self.rows = row
        else:
            outer.rows.append(row)
        reader: DeclaredFactsBuilder | None = None
        for node in nodes:
            if reader is None or row.statements[-1].scope != self.scope:
                reader = self.reader()
            statement = self._statement = RowStatement(StatementSpan(node, table_sizes(self), []), self.scope, reader)
            read(self, node)
            statement.span.after = table_sizes(self)
            row.statements.append(statement)
        self._statement = outer

    def forget_rows(self) -> None:
        """Statements of the one that is being read do not stand alone."""
        if self._statement is not None:
            self._statement.rows.clear()

    def bind_around(self, scope: int) -> None:
        """The statement that is being read says something of what a scope holds, which may be around it."""
        statement = self._statement
        if statement is not None and scope < statement.span.first[X_SCOPES]:
            statement.alone = False

    def _is_outside_functions(self) -> bool:
        """Bodies of functions are measured as a whole, with whatever is declared in them."""
        scope = self.scope
        while scope >= 0:
            if self.scopes[scope][0] not in _OPEN:
                return False
            scope = self.scopes[scope][1]
        return True

    def rests_on_more(self) -> bool:
        """Whether what was read alone may say something else where it stands."""
        return False

    def typed_around(self) -> tuple[list[int], int]:
        """Definitions of what was read alone whose type is written around it, and the row of that type."""
        return [], -1

    def empty(self) -> DeclaredFactsBuilder:
        """A builder of the same language."""
        return DeclaredFactsBuilder(b"", self.rules)

    def reader(self) -> DeclaredFactsBuilder:
        """A builder that stands where this one does, with nothing read: see `Fragment`."""
        made, inside, owned = self.empty(), 0 if self.scope == 0 else 1, self.owner >= 0
        around = list(self.scopes[self.scope])
        around[1], around[4] = (0, 0) if inside else (-1, -1)
        made.scopes[:] = [list(self.scopes[0]), around]
        made.regions.clear()
        holder = list(self.definitions[self.owner]) if owned else [0] * (D_OWNER + 1)
        holder[D_OWNER] = -1
        holder[D_NAME] = made.text(self.strings[holder[D_NAME]]) if owned else 0
        made.definitions.append(holder)
        made.scope, made.owner, made.depth = inside, 0 if owned else -1, self.depth
        made.bind_flags, made.use_flags = self.bind_flags, self.use_flags
        made.frame = Frame(0 if self.frame.definition >= 0 else -1)
        return made

    def read(self, node: Node, want: int = 0, role: int = READ) -> int:
        """What the rule for this node says."""
        return self.rules[node.kind_id](self, node, want, role)

    def read_all(self, node: Node) -> None:
        """Reads the children of a node for what they use."""
        rules = self.rules
        for child in node.named_children:
            rules[child.kind_id](self, child, 0, READ)

    def define(self, node: Node, kind: int, flags: int = 0) -> int:
        """A new definition of the name at a node, in the current scope, with the current statement as its range."""
        start, end = node.start_byte, node.end_byte
        full_start, full_end = self.full
        name, scope = self.name(start, end), self.scope
        rows = self.definitions
        flags |= self.bind_flags
        rows.append([name, kind, flags, scope, start, end, full_start, full_end, -1, -1, -1, -1, -1, -1, self.owner])
        self.bound.setdefault((scope, name), len(rows) - 1)
        return len(rows) - 1

    def is_bound(self, node: Node) -> bool:
        """Whether the current scope binds the name at a node already."""
        self.asks_around = self.asks_around or self.scopes[self.scope][0] in _OPEN
        return (self.scope, self.name(node.start_byte, node.end_byte)) in self.bound

    def name_expression(self, node: Node, want: int, role: int) -> int:
        """A plain name as a use, and as an expression where one is wanted."""
        start = node.start_byte
        name = self.use(start, node.end_byte, role)
        return self.expression(NAME, name, self.scope, start) if want else -1

    def member_expression(self, base: int, node: Node, want: int, role: int) -> int:
        """The name behind a dot."""
        start = node.start_byte
        name = self.use(start, node.end_byte, role, base if base >= 0 else self.unknown())
        return self.expression(MEMBER, base, name, start) if want and base >= 0 else -1

    def instance(self, type_: int) -> int:
        """A value of a written type."""
        return self.expression(TYPE, type_) if type_ >= 0 else -1

    def constructed(self, constructor: str, parts: Sequence[int]) -> int:
        """A type that a built-in constructor makes of others."""
        return self.expression(SUBSCRIPT, self.builtin(constructor), self.sequence(parts))

    def describe(self, row: int, start: int, end: int, doc: str) -> None:
        """The signature of a definition, which stands between two offsets, and its documentation."""
        definition = self.definitions[row]
        definition[D_SIGNATURE] = self.text(shortened(" ".join(self.source(start, end).split()), SIGNATURE_CAP))
        if doc:
            definition[D_DOC] = self.text(doc)

    def read_body(self, row: int, body: Node, read: Callable[[DeclaredFactsBuilder, Node], None]) -> None:
        """Reads the body of a function in a frame of its own, and measures it."""
        outer, mark = self.frame, len(self.shape)
        frame = self.frame = Frame(row)
        self.region(BODY, body, body.start_byte)
        read(self, body)
        shape = crc32(pack_column(self.shape[mark:])) & 0x7FFFFFFF
        self.metrics.append((row, frame.branches, frame.deepest, frame.statements, 0, shape))
        self.frame = outer

    def enter_branch(self) -> None:
        """Statements that follow may not run."""
        frame = self.frame
        frame.branches += 1
        frame.nesting += 1
        frame.deepest = max(frame.deepest, frame.nesting)

    def leave_branch(self) -> None:
        """What `enter_branch` began ends."""
        self.frame.nesting -= 1

    def facts(self, root: Node, doc: str) -> FileFacts:
        """The facts of the draft, once all is read."""
        sort_definitions(self)
        for start, end, text in syntax_problems(self.data, root):
            self.problems.append((int(ProblemKind.SYNTAX), start, end, self.text(text)))
        made = file_facts(self, doc)
        release_tables(self)
        return made


@final
class StatementRow:
    """Statements in a row, and what holds them."""

    def __init__(self, holder: Node, read: StatementRule) -> None:
        self.start: int = holder.start_byte
        self.end: int = holder.end_byte
        self.kind: int = holder.kind_id
        self.nodes: int = holder.descendant_count
        self.read = read
        self.statements: list[RowStatement] = []

    def __del__(self) -> None:
        release_rows(self.statements)


@final
class RowStatement:
    """One of them: where it stands, the scope it is in, a reader in front of it, and the rows inside of it."""

    def __init__(self, span: StatementSpan, scope: int, reader: DeclaredFactsBuilder) -> None:
        self.span = span
        self.scope = scope
        self.reader = reader
        self.rows: list[StatementRow] = []
        self.alone = True
        """It says nothing of what is around it."""


def nothing(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A node with nothing in it."""
    return -1


def generic(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A node without meaning of its own: its children are read."""
    builder.read_all(node)
    return -1


def rule_table(grammar: str, named: Mapping[str, Rule], names: frozenset[str]) -> Sequence[Rule]:
    """The rule of each node kind of a grammar, by its number. `names`: kinds of nodes that are names."""
    kinds = language(grammar)
    count = kinds.node_kind_count
    other = _guarded(generic, names)
    guarded = {kind: rule if rule is nothing else _guarded(rule, names) for kind, rule in named.items()}
    table = [guarded.get(kinds.node_kind_for_id(number) or "", other) for number in range(count)]
    return table + [other] * (ERROR_KIND + 1 - count)


def _guarded(rule: Rule, names: frozenset[str]) -> Rule:
    """The rule, held to the depth bound."""

    def step(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        if builder.depth >= DEPTH:
            return _too_deep(builder, node, names)
        builder.depth += 1
        builder.steps += 1
        if builder.steps & STEPS == 0:
            yield_now()
        row = rule(builder, node, want, role)
        builder.depth -= 1
        return row

    return step


def _too_deep(builder: DeclaredFactsBuilder, node: Node, names: frozenset[str]) -> int:
    """Records the names below a node whose nesting is beyond the bound."""
    builder.note_depth(node.start_byte, node.end_byte)
    pending = [node]
    while pending:
        node = pending.pop()
        if node.type in names:
            builder.use(node.start_byte, node.end_byte, READ, builder.unknown())
        elif node.child_count:
            pending.extend(reversed(node.children))
    return -1


def block_comment_before(data: bytes, end: int) -> int:
    """Where the `/* ... */` begins that ends at an offset; -1 where what ends there is not one comment.

    In broken text a lone `*/` may be left, and what stands before it is no part of what it says."""
    if not data.endswith(b"*/", 0, end):
        return -1
    begin = data.rfind(b"/*", max(0, end - REACH), end - 2)
    return begin if begin >= 0 and data.find(b"*/", begin + 2, end) == end - 2 else -1


def comments_above(data: bytes, start: int, mark: bytes) -> str:
    """The first paragraph of the comment lines directly above an offset, which begin with a mark, on one line."""
    lines: list[str] = []
    at = data.rfind(b"\n", 0, start)
    if data[at + 1 : start].strip():
        return ""
    while at > 0 and len(lines) < DOC_LINES:
        begin = data.rfind(b"\n", 0, at) + 1
        line = data[begin:at].strip()
        if not line.startswith(mark):
            break
        lines.append(line[len(mark) :].decode("utf-8", "replace").strip())
        at = begin - 1
    lines.reverse()
    paragraph = lines[: lines.index("")] if "" in lines[1:] else lines
    return " ".join(" ".join(paragraph).split())[:DOC_CAP]


def documentation_above(data: bytes, start: int) -> str:
    """The first paragraph of the comment directly above an offset, a block or lines with `//`, on one line."""
    at = data.rfind(b"\n", 0, start)
    if at < 2 or data[at + 1 : start].strip():
        return ""
    end = at
    while end > 0 and data[end - 1] in b" \t\r":
        end -= 1
    if data[end - 2 : end] != b"*/":
        return comments_above(data, start, b"//")
    begin = block_comment_before(data, end)
    if begin < 0 or data[data.rfind(b"\n", 0, begin) + 1 : begin].strip():
        return ""  # it ends a line of code
    text = data[begin + 2 : min(end - 2, begin + 10 * DOC_CAP)].decode("utf-8", "replace")
    lines = [line.strip().lstrip("*!").strip("-=* \t") for line in text.splitlines()]
    while lines and not lines[0]:
        del lines[0]
    paragraph = lines[: lines.index("")] if "" in lines else lines
    return " ".join(" ".join(paragraph).split())[:DOC_CAP]
