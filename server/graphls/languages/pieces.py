"""Pieces: what a stretch of a file said, put again where the stretch stands now.

Owns: which column of a draft's rows refers to what, and how rows of one draft become rows of another.
Must not know: any particular language, which stretches are worth keeping.
Invariant: putting a piece appends the rows that reading its stretch there would append, in the same order.

A piece is read into a draft of its own, in which rows are numbered from the stretch on. Two scopes and one definition
stand for those around it: the file, the scope that the stretch is in, the definition that owns it.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from mypy_extensions import mypyc_attr

from graphls.facts.kinds import ExpressionKind
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

Columns: TypeAlias = tuple[int, ...]

SCOPES: Final[Columns] = (PLAIN, SCOPE, OFFSET, OFFSET, DEFINED)
DEFINITIONS: Final[Columns] = (
    STRING, PLAIN, PLAIN, SCOPE, OFFSET, OFFSET, OFFSET, OFFSET, SCOPE, ROW, ROW, STRING, STRING, PLAIN, DEFINED
)  # fmt: skip
OCCURRENCES: Final[Columns] = (OFFSET, OFFSET, STRING, PLAIN, PLAIN, SCOPE, ROW, DEFINED)
DECORATORS: Final[Columns] = (DEFINED, ROW, OFFSET, OFFSET, STRING, STRING)
BASES: Final[Columns] = (DEFINED, ROW, STRING)
RETURNS: Final[Columns] = (DEFINED, ROW, PLAIN)
IMPORTS: Final[Columns] = (STRING, PLAIN, STRING, DEFINED, PLAIN, OFFSET, OFFSET, SCOPE)
REGIONS: Final[Columns] = (PLAIN, OFFSET, OFFSET, OFFSET)
NARROWINGS: Final[Columns] = (ROW, ROW, OFFSET, OFFSET, PLAIN)
DISPATCHES: Final[Columns] = (PLAIN, STRING, OFFSET, OFFSET, LIST, DEFINED)
METRICS: Final[Columns] = (DEFINED, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN)
LITERALS: Final[Columns] = (STRING, OFFSET, OFFSET, DEFINED, ROW, PLAIN, STRING)
CASES: Final = 4
"""Column of `dispatches` whose lists hold strings."""

EXPRESSIONS: Final[dict[int, Columns]] = {
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

    def put(self, draft: Draft, start: int) -> Placed:
        """Appends the rows to a draft whose reader stands before the stretch, which begins at `start`."""
        return Placed(self, draft, start)


class Placed:
    """Where the rows of a piece went: a list for each kind of reference, with what -1 stands for at its end."""

    def __init__(self, piece: Piece, draft: Draft, start: int) -> None:
        said = piece.said
        self.draft = draft
        self.shift = start - piece.start
        self.strings: list[int] = [draft.text(text) for text in said.strings]
        self.strings.append(-1)
        first = len(draft.scopes) - OUTER_SCOPES
        self.scopes: list[int] = [0, draft.scope, *range(first + OUTER_SCOPES, first + len(said.scopes)), -1]
        first = len(draft.definitions) - OUTER_DEFINITIONS
        self.definitions: list[int] = [
            draft.owner, *range(first + OUTER_DEFINITIONS, first + len(said.definitions)), -1
        ]  # fmt: skip
        self.lists: list[int] = [*range(len(draft.lists), len(draft.lists) + len(said.lists)), -1]
        self.rows: list[int] = []
        self._expressions(piece)
        self._lists(piece)
        draft.scopes += self.listed(said.scopes[OUTER_SCOPES:], SCOPES)
        draft.definitions += self.listed(said.definitions[OUTER_DEFINITIONS:], DEFINITIONS)
        self._occurrences(said.occurrences)
        draft.imports += self.listed(said.imports, IMPORTS)
        draft.decorators += self.fixed(said.decorators, DECORATORS)
        draft.bases += self.fixed(said.bases, BASES)
        draft.returns += self.fixed(said.returns, RETURNS)
        draft.regions += self.fixed(said.regions, REGIONS)
        draft.narrowings += self.fixed(said.narrowings, NARROWINGS)
        draft.dispatches += self.fixed(said.dispatches, DISPATCHES)
        draft.metrics += self.fixed(said.metrics, METRICS)
        draft.literals += self.fixed(said.literals, LITERALS)

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

    def listed(self, rows: list[list[int]], columns: Columns) -> list[list[int]]:
        """Rows that may be changed later."""
        if not rows:
            return []
        return [list(row) for row in zip(*self._columns(list(zip(*rows, strict=True)), columns), strict=True)]

    def fixed(self, rows: list[tuple[int, ...]], columns: Columns) -> list[tuple[int, ...]]:
        """Rows that stay as they are."""
        if not rows:
            return []
        return list(zip(*self._columns(list(zip(*rows, strict=True)), columns), strict=True))

    def _columns(self, values: list[tuple[int, ...]], columns: Columns) -> list[list[int]]:
        return [self.column(what, list(column)) for what, column in zip(columns, values, strict=True)]

    def _occurrences(self, flat: list[int]) -> None:
        made = list(flat)
        for at, what in enumerate(OCCURRENCES):
            if what != PLAIN:
                made[at::USE] = self.column(what, flat[at::USE])
        self.draft.occurrences += made

    def _expressions(self, piece: Piece) -> None:
        """One by one: a row may refer to rows before it."""
        draft, flat, shared = self.draft, piece.said.expressions, piece.shared
        made, rows, strings = draft.expressions, self.rows, self.strings
        scopes, shift = self.scopes, self.shift
        # Until all rows are there, -1 is where nothing refers to.
        for local in range(len(flat) // EXPRESSION):
            known = shared.get(local) if shared else None
            if known is not None:
                rows.append(self._shared(known))
                continue
            at = local * EXPRESSION
            kind, a, b, c = flat[at], flat[at + 1], flat[at + 2], flat[at + 3]
            rows.append(len(made) // EXPRESSION)
            if kind == MEMBER_EXPRESSION:
                made += (kind, rows[a] if a >= 0 else -1, strings[b], c + shift)
            elif kind == NAME_EXPRESSION:
                made += (kind, strings[a], scopes[b], c + shift)
            else:
                columns = EXPRESSIONS[kind]
                made += (kind, self._one(columns[0], a), self._one(columns[1], b), self._one(columns[2], c))
        rows.append(-1)

    def _one(self, what: int, value: int) -> int:
        return -1 if value == -1 else self.value(what, value)

    def _shared(self, known: tuple[int, str, int, int]) -> int:
        kind, word, text, how = known
        if kind == LITERAL_EXPRESSION:
            return self.draft.builtin(word, self.strings[text])
        return self.draft.module(self.strings[text], how) if kind == MODULE_EXPRESSION else self.draft.unknown()

    def _lists(self, piece: Piece) -> None:
        draft, said = self.draft, piece.said
        first = len(draft.items)
        if not piece.cases:
            draft.items += self.column(ROW, said.items)
        else:
            for row, (start, end) in enumerate(said.lists):
                what = STRING if row in piece.cases else ROW
                draft.items += self.column(what, said.items[start:end])
        draft.lists += [(first + start, first + end) for start, end in said.lists]
