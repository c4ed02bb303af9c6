"""Fragments: what a stretch of a file said, put again where the stretch stands now.

Owns: which column of a draft's rows refers to what, how rows of one draft become rows of another, and the memory of the
pieces of one file.
Must not know: any particular language, which stretches are worth keeping.
Invariant: putting a piece appends the rows that reading its stretch there would append, in the same order.

A piece is read into a draft of its own, in which rows are numbered from the stretch on. Two scopes and one definition
stand for those around it: the file, the scope that the stretch is in, the definition that owns it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from mypy_extensions import mypyc_attr
from tree_sitter import Node, Tree

from graphls.facts.columns import Column, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind
from graphls.facts.surface import Surface
from graphls.languages.extract.facts_builder import EXPRESSION, USE, FactsBuilder
from graphls.languages.extract.kinds import (
    AWAIT_EXPRESSION,
    CALL_EXPRESSION,
    COLLECTION_EXPRESSION,
    ELEMENT_EXPRESSION,
    ENTER_EXPRESSION,
    EXCEPTION_EXPRESSION,
    FUNCTION_EXPRESSION,
    ITEM_EXPRESSION,
    LAMBDA_EXPRESSION,
    LITERAL_EXPRESSION,
    MEMBER_EXPRESSION,
    MODULE_EXPRESSION,
    NAME_EXPRESSION,
    NARROWED_EXPRESSION,
    OBJECT_EXPRESSION,
    STARRED_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_EXPRESSION,
    UNION_EXPRESSION,
)
from graphls.languages.extract.yielding import release_entries, release_rows, yield_now
from graphls.languages.incremental.text_difference import shape

OUTER_SCOPES: Final = 2
"""Rows of `scopes` that stand for what is around a piece: the file, and the innermost scope."""
OUTER_DEFINITIONS: Final = 1
"""Rows of `definitions` that stand for the definition around a piece."""

PARAMETER_EXPRESSION: Final = int(ExpressionKind.PARAMETER)
OPERATION_EXPRESSION: Final = int(ExpressionKind.OPERATION)

# What a column holds.
PLAIN: Final = 0
OFFSET: Final = 1
STRING: Final = 2
ROW: Final = 3
LIST: Final = 4
DEFINED: Final = 5
SCOPE: Final = 6

# Places in `extents`.
X_SCOPES: Final = 0
X_EXPRESSIONS: Final = 1
X_LISTS: Final = 2
X_ITEMS: Final = 3
X_DECORATORS: Final = 4
X_REGIONS: Final = 8
X_STRINGS: Final = 14

Kinds: TypeAlias = tuple[int, ...]

SCOPES: Final[Kinds] = (PLAIN, SCOPE, OFFSET, OFFSET, DEFINED)
DEFINITIONS: Final[Kinds] = (
    STRING, PLAIN, PLAIN, SCOPE, OFFSET, OFFSET, OFFSET, OFFSET, SCOPE, ROW, ROW, STRING, STRING, PLAIN, DEFINED
)  # fmt: skip
OCCURRENCES: Final[Kinds] = (OFFSET, OFFSET, STRING, PLAIN, PLAIN, SCOPE, ROW, DEFINED)
DECORATORS: Final[Kinds] = (DEFINED, ROW, OFFSET, OFFSET, STRING, STRING)
BASES: Final[Kinds] = (DEFINED, ROW, STRING)
RETURNS: Final[Kinds] = (DEFINED, ROW, PLAIN)
IMPORTS: Final[Kinds] = (STRING, PLAIN, STRING, DEFINED, PLAIN, OFFSET, OFFSET, SCOPE)
REGIONS: Final[Kinds] = (PLAIN, OFFSET, OFFSET, OFFSET)
NARROWINGS: Final[Kinds] = (ROW, ROW, OFFSET, OFFSET, PLAIN)
DISPATCHES: Final[Kinds] = (PLAIN, STRING, OFFSET, OFFSET, LIST, DEFINED)
METRICS: Final[Kinds] = (DEFINED, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN)
LITERALS: Final[Kinds] = (STRING, OFFSET, OFFSET, DEFINED, ROW, PLAIN, STRING)
CONSTRUCTS: Final[Kinds] = (PLAIN, STRING, OFFSET, OFFSET, ROW, ROW, DEFINED)
CASES: Final = 4
"""Column of `dispatches` whose lists hold strings."""

EXPRESSIONS: Final[dict[int, Kinds]] = {
    NAME_EXPRESSION: (STRING, SCOPE, OFFSET),
    MEMBER_EXPRESSION: (ROW, STRING, OFFSET),
    CALL_EXPRESSION: (ROW, LIST, LIST),
    SUBSCRIPT_EXPRESSION: (ROW, LIST, PLAIN),
    UNION_EXPRESSION: (LIST, PLAIN, PLAIN),
    TUPLE_EXPRESSION: (LIST, PLAIN, PLAIN),
    COLLECTION_EXPRESSION: (LIST, STRING, LIST),
    LITERAL_EXPRESSION: (STRING, STRING, PLAIN),
    AWAIT_EXPRESSION: (ROW, PLAIN, PLAIN),
    ELEMENT_EXPRESSION: (ROW, PLAIN, PLAIN),
    ITEM_EXPRESSION: (ROW, PLAIN, PLAIN),
    ENTER_EXPRESSION: (ROW, PLAIN, PLAIN),
    MODULE_EXPRESSION: (STRING, PLAIN, PLAIN),
    EXCEPTION_EXPRESSION: (ROW, PLAIN, PLAIN),
    LAMBDA_EXPRESSION: (ROW, PLAIN, PLAIN),
    PARAMETER_EXPRESSION: (DEFINED, PLAIN, PLAIN),
    STARRED_EXPRESSION: (ROW, PLAIN, PLAIN),
    OBJECT_EXPRESSION: (SCOPE, ROW, PLAIN),
    FUNCTION_EXPRESSION: (DEFINED, PLAIN, PLAIN),
    TYPE_EXPRESSION: (ROW, PLAIN, PLAIN),
    OPERATION_EXPRESSION: (ROW, ROW, STRING),
    NARROWED_EXPRESSION: (ROW, ROW, PLAIN),
}


GIVEN: Final[Kinds] = (ROW, PLAIN, PLAIN)
"""A parameter with a position: what whoever is called gives to a function."""
CREATING: Final = -3
"""Second number of a function that is a constructor by name (`Type::new`): its third is where `new` stands."""
_CREATING: Final[Kinds] = (ROW, PLAIN, OFFSET)


def columns_of(kind: int, second: int) -> Kinds:
    """What the numbers of an expression refer to, by its kind and its second number."""
    if second == CREATING and kind == LAMBDA_EXPRESSION:
        return _CREATING
    return GIVEN if kind == PARAMETER_EXPRESSION and second >= 0 else EXPRESSIONS[kind]


def lists_of_names(kinds: Sequence[int], third: Sequence[int]) -> list[int]:
    """The lists that hold the names of arguments of calls, by two columns of expressions."""
    return [last for kind, last in zip(kinds, third, strict=True) if last >= 0 and kind == CALL_EXPRESSION]


class FragmentColumns:
    """The rows of one table of a piece, column by column: all that is done to them is done to whole columns."""

    def __init__(self, rows: Sequence[Sequence[int]], kinds: Kinds) -> None:
        self.kinds = kinds
        self.values: list[list[int]] = [list(column) for column in zip(*rows, strict=True)] if rows else []


@final
class FragmentSurface:
    """What others see of a piece."""

    def __init__(self, visible: tuple[object, ...], symbols: list[int]) -> None:
        self.visible = visible
        """Equal where they see the same; empty where the piece alone does not decide that."""
        self.symbols = symbols
        """Its rows of definitions among the symbols, from 1 on; -1 for what nobody sees."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Fragment:
    """What one stretch said. Its draft is never changed again."""

    def __init__(self, tables: FactsBuilder, start: int) -> None:
        self.tables = tables
        self.start = start
        self.shared: dict[int, tuple[int, str, int, int]] = {}
        """Rows of expressions that a file has once: (which, word, row of a string, number)."""
        for (word, text), row in tables.literal_rows.items():
            self.shared[row] = (LITERAL_EXPRESSION, word, text, 0)
        for (name, how), row in tables.modules.items():
            self.shared[row] = (MODULE_EXPRESSION, "", name, how)
        if tables.nothing >= 0:
            self.shared[tables.nothing] = (UNION_EXPRESSION, "", -1, 0)
        flat = tables.expressions
        names = lists_of_names(flat[::EXPRESSION], flat[EXPRESSION - 1 :: EXPRESSION])
        self.cases = frozenset([*[row[CASES] for row in tables.dispatches], *names])
        """Lists that hold strings."""
        self.scopes = FragmentColumns(tables.scopes[OUTER_SCOPES:], SCOPES)
        self.definitions = FragmentColumns(tables.definitions[OUTER_DEFINITIONS:], DEFINITIONS)
        self.imports = FragmentColumns(tables.imports, IMPORTS)
        self.decorators = FragmentColumns(tables.decorators, DECORATORS)
        self.bases = FragmentColumns(tables.bases, BASES)
        self.returns = FragmentColumns(tables.returns, RETURNS)
        self.regions = FragmentColumns(tables.regions, REGIONS)
        self.narrowings = FragmentColumns(tables.narrowings, NARROWINGS)
        self.dispatches = FragmentColumns(tables.dispatches, DISPATCHES)
        self.metrics = FragmentColumns(tables.metrics, METRICS)
        self.literals = FragmentColumns(tables.literals, LITERALS)
        self.constructs = FragmentColumns(tables.constructs, CONSTRUCTS)
        self.occurrences: list[list[int]] = [tables.occurrences[at::USE] for at in range(USE)]
        self.last_placement: FragmentPlacement | None = None
        self.shape: bytes = b""
        """Digest of its tree, where it stood in a broken text; empty: its text alone decides."""
        self.file_variant: Fragment | None = None
        """The same with what the file it stands in decides, where a language leaves something to that."""
        self.surface: FragmentSurface | None = None
        """What others see of it, once that was asked for."""

    def insert(self, builder: FactsBuilder, start: int) -> FragmentPlacement:
        """Appends the rows to a draft whose reader stands before the stretch, which begins at `start`."""
        around = _insertion_point(builder, start)
        strings = [builder.text(text) for text in self.tables.strings]
        strings.append(-1)
        builder.implied |= self.tables.implied
        placement = self.last_placement
        if (
            placement is None
            or placement.insertion_point != around
            or placement.strings != strings
            or not placement.can_reuse(self, builder)
        ):
            placement = self.last_placement = FragmentPlacement(self, builder, around, strings)
        placement.append(builder)
        return placement


InsertionPoint: TypeAlias = tuple[int, int, int, int, int, int, int, int]
"""What the numbers of a piece depend on, apart from strings and shared expressions: where it starts, the scope and the
definition around it, and how many scopes, definitions, numbers of expressions, lists and items are before it."""


def _insertion_point(builder: FactsBuilder, start: int) -> InsertionPoint:
    rows = len(builder.expressions), len(builder.lists), len(builder.items)
    return (start, builder.scope, builder.owner, len(builder.scopes), len(builder.definitions), *rows)


Key: TypeAlias = tuple[object, ...]
"""Text of a stretch, and whatever about its reader tells what it says: each language has its own."""


def table_sizes(builder: FactsBuilder) -> list[int]:
    """How many rows the tables have whose order is that of reading, in the order of `EXTENTS`."""
    return [
        len(builder.scopes), len(builder.expressions) // EXPRESSION, len(builder.lists), len(builder.items),
        len(builder.decorators), len(builder.bases), len(builder.returns), len(builder.imports), len(builder.regions),
        len(builder.narrowings), len(builder.dispatches), len(builder.metrics), len(builder.literals),
        len(builder.constructs), len(builder.strings),
    ]  # fmt: skip


@final
class FragmentSpan:
    """Where one piece stands in the facts of a text."""

    def __init__(self, key: Key, fragment: Fragment, context: object) -> None:
        self.key = key
        self.fragment = fragment
        self.context = context
        """Whatever the language needs to read the stretch again."""
        self.start: int = 0
        self.end: int = 0
        self.scope: int = 0
        """The scope that the stretch is in."""
        self.kind: int = 0
        self.nodes: int = 0
        """Kind of the root of its tree, and how many nodes it has."""
        self.broken = False
        """Whether it has errors of syntax."""
        self.first: list[int] = []
        self.after: list[int] = []
        """Its rows, see `extents`."""


@final
class StatementSpan:
    """Where one statement of the file itself stands, and its rows."""

    def __init__(self, node: Node, first: list[int], after: list[int]) -> None:
        self.start: int = node.start_byte
        self.end: int = node.end_byte
        self.kind: int = node.kind_id
        self.nodes: int = node.descendant_count
        self.broken: bool = node.has_error
        self.first = first
        self.after = after

    def is_now(self, node: Node, growth: int) -> bool:
        """Whether a node is this statement, moved: of the same text, which is for the caller to know."""
        return (
            node.start_byte == self.start + growth
            and node.end_byte == self.end + growth
            and node.kind_id == self.kind
            and node.descendant_count == self.nodes
            and node.has_error == self.broken
        )


@final
class FileLayout:
    """The facts of one text, and where the pieces stand in them."""

    def __init__(self, builder: FactsBuilder, spans: list[FragmentSpan], facts: FileFacts, root: Node) -> None:
        """`root`: of the tree that was read."""
        self.spans = spans
        self.root = root
        self.shapes: dict[int, bytes] = {}
        """Digests of nodes of that tree, by id: it is there, so that no other node has one of these."""
        self.data: bytes = builder.data
        self.facts = facts
        """Without problems of syntax."""
        self.reported_facts: FileFacts = facts
        """The same with them, as they were handed out."""
        self.nodes: int = 0
        """Number of nodes of the whole tree."""
        self.texts: dict[str, int] = builder.texts
        self.implied: set[str] = builder.implied
        """Strings that no row holds, perhaps of earlier texts too."""
        self.literal_rows: dict[tuple[str, int], int] = builder.literal_rows
        self.modules: dict[tuple[int, int], int] = builder.modules
        self.nothing: int = builder.nothing
        self.exported: frozenset[str] = frozenset()
        """Names that the text itself says it offers."""
        self.outer_bindings: bool = False
        """Whether some row rests on what else is bound in a scope around pieces."""
        self.positions: bytes = b""
        """For each expression whether its last number is an offset, as numbers; made when needed."""
        self.change: FragmentChange | None = None
        """What became of the facts before, where only one piece differs."""
        self.surface: Surface | None = None
        self.symbols: Column = column()
        self.surface_facts: FileFacts | None = None
        """Of which facts the surface is, and the row in it of each definition."""
        self.statements: list[StatementSpan] = []
        """The statements of the file itself; none where one of them decides what others say."""
        self.statement_reader: object = None
        """Whatever the language needs to read some of them again."""
        self.rows: object = None
        """The statements of the file and of what is in it, where a language notes them as rows."""
        self.run: PatchedRun | None = None
        """A later text that is broken, as it was read last."""

    def release(self) -> None:
        """Another text counts from now on: the pieces go, in portions."""
        release_rows(self.spans, self.statements)

    def note_shapes(self) -> None:
        """Pieces whose text alone decided what they say are looked up by their trees from now on."""
        for span in self.spans:
            if not span.fragment.shape:
                node = self.root.descendant_for_byte_range(span.start, span.end)
                if node is not None and (node.kind_id, node.start_byte, node.end_byte) == (
                    span.kind,
                    span.start,
                    span.end,
                ):
                    span.fragment.shape = shape(node)


@final
class PatchedRun:
    """The facts of a broken text, in which one run of statements differs from those of a layout."""

    def __init__(self, span: FragmentSpan, facts: FileFacts, definitions: tuple[int, int]) -> None:
        self.span = span
        self.facts = facts
        self.reported_facts: FileFacts = facts
        self.definitions = definitions
        """Rows of the run's definitions."""
        self.change: FragmentChange | None = None
        """What became of the facts of the broken text before, where the same run differed."""
        self.surface: Surface | None = None
        self.symbols: Column = column()
        self.surface_facts: FileFacts | None = None


@final
class FragmentChange:
    """One piece instead of another. Rows of definitions: where both begin, and where each ends."""

    def __init__(self, facts: FileFacts, before: Fragment, after: Fragment, first: int, ends: tuple[int, int]) -> None:
        self.facts = facts
        """Those with the earlier piece."""
        self.before = before
        self.after = after
        self.first = first
        self.ends = ends


@final
class FragmentCache:
    """What the stretches of one file said when it was read last."""

    def __init__(self) -> None:
        self.previous: dict[Key, Fragment] = {}
        self.current: dict[Key, Fragment] = {}
        self.spans: list[FragmentSpan] = []
        """Of this reading so far."""
        self.layout: FileLayout | None = None
        """What the last reading of a text made whose errors, if it had any, lay in pieces."""
        self.broken_layout: FileLayout | None = None
        """The same of a later text whose errors lay anywhere; nothing but its statements is known."""
        self.last_text: bytes = b""
        """The last text that was compared with the one before."""
        self.mended: tuple[Tree, Tree] | None = None
        """The last tree that was looked at for what the grammar does not know, and the tree that stands in for it."""
        self.broken = False
        """Whether the text that is read has an error. That has a say in how ambiguous code far from it is parsed."""

    def __del__(self) -> None:
        # A piece for each function of a long text: in one go they would keep the interpreter's lock.
        release_entries(self.previous, self.current)
        if self.layout is not None:
            self.layout.release()

    def begin_reading(self, root: Node) -> None:
        """A whole text is read next, by this tree."""
        self.broken = root.has_error
        if self.broken and self.layout is not None:
            self.layout.note_shapes()

    def lookup(self, key: Key, node: Node) -> Fragment | None:
        """What this reading or the last one met under a key, where it was parsed as this node is."""
        found = self.current.get(key) or self.previous.get(key)
        if found is None or (not self.broken and not found.shape):
            return found
        return found if found.shape == shape(node) else None

    def fragment(self, tables: FactsBuilder, node: Node) -> Fragment:
        """What a node of the text says."""
        made = Fragment(tables, node.start_byte)
        if self.broken:
            made.shape = shape(node)
        return made

    def add(self, key: Key, fragment: Fragment) -> None:
        """This reading met a piece."""
        self.current[key] = fragment

    def record(self, builder: FactsBuilder, span: FragmentSpan, node: Node, first: list[int]) -> None:
        """A piece was put: writes down where it stands; without that the text is read as a whole next time. `first`:
        the extents before."""
        if builder.owner != builder.scopes[builder.scope][4]:
            return
        span.start, span.end = node.start_byte, node.end_byte
        span.kind, span.nodes = node.kind_id, node.descendant_count
        span.scope, span.first, span.after = builder.scope, first, table_sizes(builder)
        self.spans.append(span)

    def last_context(self) -> object:
        """What the last piece of this reading had for its stand."""
        return self.spans[len(self.spans) - 1].context if self.spans else None

    def first_try(self, data: bytes) -> bool:
        """Whether this text is compared with the one before for the first time: another tree of it would fail too."""
        first = self.last_text is not data
        self.last_text = data
        return first

    def replace(self, span: FragmentSpan, key: Key, fragment: Fragment) -> None:
        """One stretch of the text that was read last says something else now."""
        old, span.fragment = span.fragment, fragment
        if self.layout is None or all(other.fragment is not old for other in self.layout.spans):
            self.previous.pop(span.key, None)
        span.key = key
        self.previous[key] = fragment

    def end_reading(self, layout: FileLayout | None = None) -> None:
        """A reading is over: what it did not meet is forgotten. `laid`: what it made, None for a text
        that is broken: the next one is compared with the last that was not."""
        earlier, self.previous, self.current = self.previous, self.current, {}
        self.spans = []
        self.broken_layout = None
        if layout is not None:
            if self.layout is not None and self.layout is not layout:
                self.layout.release()
            self.layout = layout
        elif self.layout is not None:
            self.layout.change = None
        release_entries(earlier)


class FragmentPlacement:
    """Where the rows of a piece went: a list for each kind of reference, with what -1 stands for at its end."""

    def __init__(
        self, fragment: Fragment, builder: FactsBuilder, insertion_point: InsertionPoint, strings: list[int]
    ) -> None:
        """`draft`: knows the expressions that a file has once. `around`: numbers of the rows before, see `_around`."""
        tables = fragment.tables
        self.insertion_point = insertion_point
        start, scope, owner, scopes, definitions, expressions, lists, items = insertion_point
        self.shift = start - fragment.start
        self.strings = strings
        first = scopes - OUTER_SCOPES
        self.scopes: list[int] = [0, scope, *range(first + OUTER_SCOPES, first + len(tables.scopes)), -1]
        first = definitions - OUTER_DEFINITIONS
        self.definitions: list[int] = [owner, *range(first + OUTER_DEFINITIONS, first + len(tables.definitions)), -1]
        self.lists: list[int] = [*range(lists, lists + len(tables.lists)), -1]
        self.rows: list[int] = []
        self.first_row = expressions // EXPRESSION
        self.made_expressions = self._expressions(fragment, builder)
        self.made_lists: list[tuple[int, ...]] = [(items + start, items + end) for start, end in tables.lists]
        self.made_items = self._items(fragment)
        self.made_scopes = self.immutable_rows(fragment.scopes)
        self.made_definitions = self.immutable_rows(fragment.definitions)
        self.made_occurrences = self._occurrences(fragment)
        self.made_imports = self.immutable_rows(fragment.imports)
        self.made_decorators = self.immutable_rows(fragment.decorators)
        self.made_bases = self.immutable_rows(fragment.bases)
        self.made_returns = self.immutable_rows(fragment.returns)
        self.made_regions = self.immutable_rows(fragment.regions)
        self.made_narrowings = self.immutable_rows(fragment.narrowings)
        self.made_dispatches = self.immutable_rows(fragment.dispatches)
        self.made_metrics = self.immutable_rows(fragment.metrics)
        self.made_literals = self.immutable_rows(fragment.literals)
        self.made_constructs = self.immutable_rows(fragment.constructs)

    def append(self, builder: FactsBuilder) -> None:
        """Appends what was made; rows that may be changed later as lists of their own."""
        builder.expressions += self.made_expressions
        builder.lists += self.made_lists
        builder.items += self.made_items
        yield_now()
        builder.scopes += [list(row) for row in self.made_scopes]
        yield_now()
        builder.definitions += [list(row) for row in self.made_definitions]
        yield_now()
        builder.occurrences += self.made_occurrences
        builder.imports += [list(row) for row in self.made_imports]
        builder.decorators += self.made_decorators
        builder.bases += self.made_bases
        builder.returns += self.made_returns
        builder.regions += self.made_regions
        builder.narrowings += self.made_narrowings
        builder.dispatches += self.made_dispatches
        builder.metrics += self.made_metrics
        builder.literals += self.made_literals
        builder.constructs += self.made_constructs

    def can_reuse(self, fragment: Fragment, builder: FactsBuilder) -> bool:
        """Whether the expressions that a file has once are where they were; then those that begin here do so again."""
        for local, expression in fragment.shared.items():
            known, row = self._shared_row(expression, builder), self.rows[local]
            if known != (row if row < self.first_row else -1):
                return False
        for local, expression in fragment.shared.items():
            if self.rows[local] >= self.first_row:
                self._register_shared(expression, builder, self.rows[local])
        return True

    def _shared_row(self, expression: tuple[int, str, int, int], builder: FactsBuilder) -> int:
        """The row of an expression that a file has once, -1 while it has none."""
        kind, word, text, how = expression
        if kind == LITERAL_EXPRESSION:
            return builder.literal_rows.get((word, self.strings[text]), -1)
        return builder.modules.get((self.strings[text], how), -1) if kind == MODULE_EXPRESSION else builder.nothing

    def _register_shared(self, expression: tuple[int, str, int, int], builder: FactsBuilder, row: int) -> None:
        kind, word, text, how = expression
        if kind == LITERAL_EXPRESSION:
            builder.literal_rows[word, self.strings[text]] = row
        elif kind == MODULE_EXPRESSION:
            builder.modules[self.strings[text], how] = row
        else:
            builder.nothing = row

    def value(self, what: int, value: int) -> int:
        """What a value of a column is now."""
        if what == PLAIN:
            return value
        if what == OFFSET:
            return value + self.shift
        if what == STRING:
            return self.strings[value]
        if what == ROW:
            return self.rows[value]
        if what == LIST:
            return self.lists[value]
        return self.definitions[value] if what == DEFINED else self.scopes[value]

    def column(self, what: int, values: list[int]) -> list[int]:
        """What the values of a column are now."""
        yield_now()
        shift = self.shift
        if what == PLAIN or (what == OFFSET and not shift):
            return values
        if what == OFFSET:
            return [value + shift for value in values]
        now = self.strings
        if what == ROW:
            now = self.rows
        elif what == LIST:
            now = self.lists
        elif what == DEFINED:
            now = self.definitions
        elif what == SCOPE:
            now = self.scopes
        return [now[value] for value in values]

    def mutable_rows(self, table: FragmentColumns) -> list[list[int]]:
        """Rows that may be changed later."""
        return [list(row) for row in self.immutable_rows(table)]

    def immutable_rows(self, table: FragmentColumns) -> list[tuple[int, ...]]:
        """Rows that stay as they are."""
        if not table.values:
            return []
        made = [self.column(what, column) for what, column in zip(table.kinds, table.values, strict=True)]
        return list(zip(*made, strict=True))

    def _occurrences(self, fragment: Fragment) -> list[int]:
        made = list(fragment.tables.occurrences)
        for at, what in enumerate(OCCURRENCES):
            if what != PLAIN:
                made[at::USE] = self.column(what, fragment.occurrences[at])
        return made

    def _expressions(self, fragment: Fragment, builder: FactsBuilder) -> list[int]:
        """First where each goes, then what it is: a row may refer to one behind it."""
        flat, shared, made = fragment.tables.expressions, fragment.shared, list[int]()
        rows, strings, scopes, shift = self.rows, self.strings, self.scopes, self.shift
        count, own = len(flat) // EXPRESSION, list[int]()
        for local in range(count):
            expression = shared.get(local)
            known = -1 if expression is None else self._shared_row(expression, builder)
            if known >= 0:
                rows.append(known)
                continue
            row = self.first_row + len(own)
            rows.append(row)
            own.append(local)
            if expression is not None:
                self._register_shared(expression, builder, row)
        rows.append(-1)  # where nothing is referred to
        for local in own:
            at = local * EXPRESSION
            kind, a, b, c = flat[at], flat[at + 1], flat[at + 2], flat[at + 3]
            if kind == MEMBER_EXPRESSION:
                made += (kind, rows[a] if a >= 0 else -1, strings[b], c + shift if c >= 0 else -1)
            elif kind == NAME_EXPRESSION:
                made += (kind, strings[a], scopes[b], c + shift if c >= 0 else -1)
            else:
                kinds = columns_of(kind, b)
                made += (
                    kind,
                    self._optional_value(kinds[0], a),
                    self._optional_value(kinds[1], b),
                    self._optional_value(kinds[2], c),
                )
        return made

    def _optional_value(self, what: int, value: int) -> int:
        return -1 if value == -1 else self.value(what, value)

    def _items(self, fragment: Fragment) -> list[int]:
        tables = fragment.tables
        if not fragment.cases:
            return self.column(ROW, tables.items)
        made: list[int] = []
        for row, (start, end) in enumerate(tables.lists):
            made += self.column(STRING if row in fragment.cases else ROW, tables.items[start:end])
        return made
