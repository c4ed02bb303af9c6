"""Pieces: what a stretch of a file said, put again where the stretch stands now.

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
from tree_sitter import Node

from graphls.facts.columns import Column, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind
from graphls.facts.surface import Surface
from graphls.languages.draft import EXPRESSION, USE, Draft
from graphls.languages.kinds import (
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
X_STRINGS: Final = 13

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
CASES: Final = 4
"""Column of `dispatches` whose lists hold strings."""

EXPRESSIONS: Final[dict[int, Kinds]] = {
    NAME_EXPRESSION: (STRING, SCOPE, OFFSET),
    MEMBER_EXPRESSION: (ROW, STRING, OFFSET),
    CALL_EXPRESSION: (ROW, LIST, PLAIN),
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
    OBJECT_EXPRESSION: (SCOPE, PLAIN, PLAIN),
    FUNCTION_EXPRESSION: (DEFINED, PLAIN, PLAIN),
    TYPE_EXPRESSION: (ROW, PLAIN, PLAIN),
    OPERATION_EXPRESSION: (ROW, ROW, STRING),
    NARROWED_EXPRESSION: (ROW, ROW, PLAIN),
}


class Columns:
    """The rows of one table of a piece, column by column: all that is done to them is done to whole columns."""

    def __init__(self, rows: Sequence[Sequence[int]], kinds: Kinds) -> None:
        self.kinds = kinds
        self.values: list[list[int]] = [list(column) for column in zip(*rows, strict=True)] if rows else []


@final
class Glimpse:
    """What others see of a piece."""

    def __init__(self, seen: tuple[object, ...], symbols: list[int]) -> None:
        self.seen = seen
        """Equal where they see the same; empty where the piece alone does not decide that."""
        self.symbols = symbols
        """Its rows of definitions among the symbols, from 1 on; -1 for what nobody sees."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Piece:
    """What one stretch said. Its draft is never changed again."""

    def __init__(self, said: Draft, start: int) -> None:
        self.said = said
        self.start = start
        self.shared: dict[int, tuple[int, str, int, int]] = {}
        """Rows of expressions that a file has once: (which, word, row of a string, number)."""
        for (word, text), row in said.literal_rows.items():
            self.shared[row] = (LITERAL_EXPRESSION, word, text, 0)
        for (name, how), row in said.modules.items():
            self.shared[row] = (MODULE_EXPRESSION, "", name, how)
        if said.nothing >= 0:
            self.shared[said.nothing] = (UNION_EXPRESSION, "", -1, 0)
        self.cases = frozenset(row[CASES] for row in said.dispatches)
        self.scopes = Columns(said.scopes[OUTER_SCOPES:], SCOPES)
        self.definitions = Columns(said.definitions[OUTER_DEFINITIONS:], DEFINITIONS)
        self.imports = Columns(said.imports, IMPORTS)
        self.decorators = Columns(said.decorators, DECORATORS)
        self.bases = Columns(said.bases, BASES)
        self.returns = Columns(said.returns, RETURNS)
        self.regions = Columns(said.regions, REGIONS)
        self.narrowings = Columns(said.narrowings, NARROWINGS)
        self.dispatches = Columns(said.dispatches, DISPATCHES)
        self.metrics = Columns(said.metrics, METRICS)
        self.literals = Columns(said.literals, LITERALS)
        self.occurrences: list[list[int]] = [said.occurrences[at::USE] for at in range(USE)]
        self.last: Placed | None = None
        self.settled: Piece | None = None
        """The same with what the file it stands in decides, where a language leaves something to that."""
        self.glimpse: Glimpse | None = None
        """What others see of it, once that was asked for."""

    def put(self, draft: Draft, start: int) -> Placed:
        """Appends the rows to a draft whose reader stands before the stretch, which begins at `start`."""
        around = _around(draft, start)
        strings = [draft.text(text) for text in self.said.strings]
        strings.append(-1)
        last = self.last
        if last is None or last.around != around or last.strings != strings or not last.shares(self, draft):
            last = self.last = Placed(self, draft, around, strings)
        last.append(draft)
        return last


Around: TypeAlias = tuple[int, int, int, int, int, int, int, int]
"""What the numbers of a piece depend on, apart from strings and shared expressions: where it starts, the scope and the
definition around it, and how many scopes, definitions, numbers of expressions, lists and items are before it."""


def _around(draft: Draft, start: int) -> Around:
    rows = len(draft.expressions), len(draft.lists), len(draft.items)
    return (start, draft.scope, draft.owner, len(draft.scopes), len(draft.definitions), *rows)


Key: TypeAlias = tuple[object, ...]
"""Text of a stretch, and whatever about its reader tells what it says: each language has its own."""


def extents(draft: Draft) -> list[int]:
    """How many rows the tables have whose order is that of reading, in the order of `EXTENTS`."""
    return [
        len(draft.scopes), len(draft.expressions) // EXPRESSION, len(draft.lists), len(draft.items),
        len(draft.decorators), len(draft.bases), len(draft.returns), len(draft.imports), len(draft.regions),
        len(draft.narrowings), len(draft.dispatches), len(draft.metrics), len(draft.literals), len(draft.strings),
    ]  # fmt: skip


@final
class Spot:
    """Where one piece stands in the facts of a text."""

    def __init__(self, key: Key, piece: Piece, stand: object) -> None:
        self.key = key
        self.piece = piece
        self.stand = stand
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
class Laid:
    """The facts of one text, and where the pieces stand in them."""

    def __init__(self, draft: Draft, spots: list[Spot], facts: FileFacts) -> None:
        self.spots = spots
        self.data: bytes = draft.data
        self.facts = facts
        """Without problems of syntax."""
        self.said: FileFacts = facts
        """The same with them, as they were handed out."""
        self.nodes: int = 0
        """Number of nodes of the whole tree."""
        self.texts: dict[str, int] = draft.texts
        self.literal_rows: dict[tuple[str, int], int] = draft.literal_rows
        self.modules: dict[tuple[int, int], int] = draft.modules
        self.nothing: int = draft.nothing
        self.exported: frozenset[str] = frozenset()
        """Names that the text itself says it offers."""
        self.outer_bindings: bool = False
        """Whether some row rests on what else is bound in a scope around pieces."""
        self.positions: bytes = b""
        """For each expression whether its last number is an offset, as numbers; made when needed."""
        self.change: Change | None = None
        """What became of the facts before, where only one piece differs."""
        self.shown: Surface | None = None
        self.symbols: Column = column()
        self.shown_of: FileFacts | None = None
        """Of which facts the surface is, and the row in it of each definition."""


@final
class Change:
    """One piece instead of another. Rows of definitions: where both begin, and where each ends."""

    def __init__(self, facts: FileFacts, before: Piece, now: Piece, first: int, ends: tuple[int, int]) -> None:
        self.facts = facts
        """Those with the earlier piece."""
        self.before = before
        self.now = now
        self.first = first
        self.ends = ends


@final
class Memory:
    """What the stretches of one file said when it was read last."""

    def __init__(self) -> None:
        self.known: dict[Key, Piece] = {}
        self.seen: dict[Key, Piece] = {}
        self.spots: list[Spot] = []
        """Of this reading so far."""
        self.laid: Laid | None = None
        """What the last reading of a text made whose errors, if it had any, lay in pieces."""
        self.tried: bytes = b""
        """The last text that was compared with the one before."""

    def recall(self, key: Key) -> Piece | None:
        """What this reading or the last one met under a key."""
        return self.seen.get(key) or self.known.get(key)

    def keep(self, key: Key, piece: Piece) -> None:
        """This reading met a piece."""
        self.seen[key] = piece

    def note(self, draft: Draft, spot: Spot, node: Node, first: list[int]) -> None:
        """A piece was put: writes down where it stands; without that the text is read as a whole next time. `first`:
        the extents before."""
        if draft.owner != draft.scopes[draft.scope][4]:
            return
        spot.start, spot.end = node.start_byte, node.end_byte
        spot.kind, spot.nodes = node.kind_id, node.descendant_count
        spot.scope, spot.first, spot.after = draft.scope, first, extents(draft)
        self.spots.append(spot)

    def last_stand(self) -> object:
        """What the last piece of this reading had for its stand."""
        return self.spots[len(self.spots) - 1].stand if self.spots else None

    def first_try(self, data: bytes) -> bool:
        """Whether this text is compared with the one before for the first time: another tree of it would fail too."""
        first = self.tried is not data
        self.tried = data
        return first

    def replace(self, spot: Spot, key: Key, piece: Piece) -> None:
        """One stretch of the text that was read last says something else now."""
        old, spot.piece = spot.piece, piece
        if self.laid is None or all(other.piece is not old for other in self.laid.spots):
            self.known.pop(spot.key, None)
        spot.key = key
        self.known[key] = piece

    def turn(self, laid: Laid | None = None) -> None:
        """A reading is over: what it did not meet is forgotten. `laid`: what it made, None for a text
        that is broken: the next one is compared with the last that was not."""
        self.known, self.seen = self.seen, {}
        self.spots = []
        if laid is not None:
            self.laid = laid
        elif self.laid is not None:
            self.laid.change = None


class Placed:
    """Where the rows of a piece went: a list for each kind of reference, with what -1 stands for at its end."""

    def __init__(self, piece: Piece, draft: Draft, around: Around, strings: list[int]) -> None:
        """`draft`: knows the expressions that a file has once. `around`: numbers of the rows before, see `_around`."""
        said = piece.said
        self.around = around
        start, scope, owner, scopes, definitions, expressions, lists, items = around
        self.shift = start - piece.start
        self.strings = strings
        first = scopes - OUTER_SCOPES
        self.scopes: list[int] = [0, scope, *range(first + OUTER_SCOPES, first + len(said.scopes)), -1]
        first = definitions - OUTER_DEFINITIONS
        self.definitions: list[int] = [owner, *range(first + OUTER_DEFINITIONS, first + len(said.definitions)), -1]
        self.lists: list[int] = [*range(lists, lists + len(said.lists)), -1]
        self.rows: list[int] = []
        self.first_row = expressions // EXPRESSION
        self.made_expressions = self._expressions(piece, draft)
        self.made_lists: list[tuple[int, ...]] = [(items + start, items + end) for start, end in said.lists]
        self.made_items = self._items(piece)
        self.made_scopes = self.fixed(piece.scopes)
        self.made_definitions = self.fixed(piece.definitions)
        self.made_occurrences = self._occurrences(piece)
        self.made_imports = self.fixed(piece.imports)
        self.made_decorators = self.fixed(piece.decorators)
        self.made_bases = self.fixed(piece.bases)
        self.made_returns = self.fixed(piece.returns)
        self.made_regions = self.fixed(piece.regions)
        self.made_narrowings = self.fixed(piece.narrowings)
        self.made_dispatches = self.fixed(piece.dispatches)
        self.made_metrics = self.fixed(piece.metrics)
        self.made_literals = self.fixed(piece.literals)

    def append(self, draft: Draft) -> None:
        """Appends what was made; rows that may be changed later as lists of their own."""
        draft.expressions += self.made_expressions
        draft.lists += self.made_lists
        draft.items += self.made_items
        draft.scopes += [list(row) for row in self.made_scopes]
        draft.definitions += [list(row) for row in self.made_definitions]
        draft.occurrences += self.made_occurrences
        draft.imports += [list(row) for row in self.made_imports]
        draft.decorators += self.made_decorators
        draft.bases += self.made_bases
        draft.returns += self.made_returns
        draft.regions += self.made_regions
        draft.narrowings += self.made_narrowings
        draft.dispatches += self.made_dispatches
        draft.metrics += self.made_metrics
        draft.literals += self.made_literals

    def shares(self, piece: Piece, draft: Draft) -> bool:
        """Whether the expressions that a file has once are where they were; then those that begin here do so again."""
        for local, said in piece.shared.items():
            known, row = self._known(said, draft), self.rows[local]
            if known != (row if row < self.first_row else -1):
                return False
        for local, said in piece.shared.items():
            if self.rows[local] >= self.first_row:
                self._begin(said, draft, self.rows[local])
        return True

    def _known(self, said: tuple[int, str, int, int], draft: Draft) -> int:
        """The row of an expression that a file has once, -1 while it has none."""
        kind, word, text, how = said
        if kind == LITERAL_EXPRESSION:
            return draft.literal_rows.get((word, self.strings[text]), -1)
        return draft.modules.get((self.strings[text], how), -1) if kind == MODULE_EXPRESSION else draft.nothing

    def _begin(self, said: tuple[int, str, int, int], draft: Draft, row: int) -> None:
        kind, word, text, how = said
        if kind == LITERAL_EXPRESSION:
            draft.literal_rows[word, self.strings[text]] = row
        elif kind == MODULE_EXPRESSION:
            draft.modules[self.strings[text], how] = row
        else:
            draft.nothing = row

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

    def listed(self, table: Columns) -> list[list[int]]:
        """Rows that may be changed later."""
        return [list(row) for row in self.fixed(table)]

    def fixed(self, table: Columns) -> list[tuple[int, ...]]:
        """Rows that stay as they are."""
        if not table.values:
            return []
        made = [self.column(what, column) for what, column in zip(table.kinds, table.values, strict=True)]
        return list(zip(*made, strict=True))

    def _occurrences(self, piece: Piece) -> list[int]:
        made = list(piece.said.occurrences)
        for at, what in enumerate(OCCURRENCES):
            if what != PLAIN:
                made[at::USE] = self.column(what, piece.occurrences[at])
        return made

    def _expressions(self, piece: Piece, draft: Draft) -> list[int]:
        """One by one: a row may refer to rows before it."""
        flat, shared, made = piece.said.expressions, piece.shared, list[int]()
        rows, strings, scopes, shift = self.rows, self.strings, self.scopes, self.shift
        # Until all rows are there, -1 is where nothing refers to.
        for local in range(len(flat) // EXPRESSION):
            said = shared.get(local)
            known = -1 if said is None else self._known(said, draft)
            if known >= 0:
                rows.append(known)
                continue
            row = self.first_row + len(made) // EXPRESSION
            rows.append(row)
            if said is not None:
                self._begin(said, draft, row)
            at = local * EXPRESSION
            kind, a, b, c = flat[at], flat[at + 1], flat[at + 2], flat[at + 3]
            if kind == MEMBER_EXPRESSION:
                made += (kind, rows[a] if a >= 0 else -1, strings[b], c + shift if c >= 0 else -1)
            elif kind == NAME_EXPRESSION:
                made += (kind, strings[a], scopes[b], c + shift if c >= 0 else -1)
            else:
                kinds = EXPRESSIONS[kind]
                made += (kind, self._one(kinds[0], a), self._one(kinds[1], b), self._one(kinds[2], c))
        rows.append(-1)
        return made

    def _one(self, what: int, value: int) -> int:
        return -1 if value == -1 else self.value(what, value)

    def _items(self, piece: Piece) -> list[int]:
        said = piece.said
        if not piece.cases:
            return self.column(ROW, said.items)
        made: list[int] = []
        for row, (start, end) in enumerate(said.lists):
            made += self.column(STRING if row in piece.cases else ROW, said.items[start:end])
        return made
