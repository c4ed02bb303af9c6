"""Sites: calls, closures and what says which type an expression has, in one file.

Owns: which call a name is the callee of, the place of each expression whose type its place demands.
Must not know: what a call means, what a place demands.
Invariant: a function of the facts of the file.
"""

from __future__ import annotations

from typing import Final, final

from graphls.languages.declared.inference import DeclaredUnit
from graphls.languages.extract.kinds import (
    AWAIT_EXPRESSION,
    CALL_EXPRESSION,
    COLLECTION_EXPRESSION,
    ITEM_EXPRESSION,
    LAMBDA_EXPRESSION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    NARROWED_EXPRESSION,
    OPERATION_EXPRESSION,
    STARRED_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TUPLE_EXPRESSION,
    TYPE_EXPRESSION,
    UNION_EXPRESSION,
)

ARGUMENT: Final = 0
"""The call, and the position of the argument."""
WRITTEN: Final = 1
"""The row of a type."""
VALUE: Final = 2
"""The row of a value that has the same type."""
SAME: Final = 3
"""The expression around, whose type it is."""
HELD: Final = 4
"""The collection around."""
RESULT: Final = 5
"""The closure whose result it is."""
PART: Final = 6
"""The tuple around, and the position in it."""
Place = tuple[int, int, int]
_CHAIN: Final = frozenset({
    CALL_EXPRESSION, MEMBER_EXPRESSION, SUBSCRIPT_EXPRESSION, AWAIT_EXPRESSION, STARRED_EXPRESSION, ITEM_EXPRESSION,
})  # fmt: skip
_PLACED: Final = frozenset({
    LAMBDA_EXPRESSION, UNION_EXPRESSION, COLLECTION_EXPRESSION, TUPLE_EXPRESSION, STARRED_EXPRESSION,
    AWAIT_EXPRESSION,
})  # fmt: skip


@final
class SwiftSites:
    """Where calls, closures and implicit types of one file stand."""

    def __init__(self, unit: DeclaredUnit) -> None:
        self.calls: dict[int, int] = {}
        """Where the name of a callee stands -> the call."""
        self.lambdas: dict[int, int] = {}
        """Scope of a closure -> its expression."""
        self.places: dict[int, Place] = {}
        self.roots: dict[int, tuple[int, str]] = {}
        """Expressions that begin with `.name` -> the row of what stands before it, and that name."""
        self._unit = unit
        table = unit.expressions
        for row, kind in enumerate(table.kind):
            if kind == CALL_EXPRESSION:
                self.calls[_last_name(unit, table.a[row])] = row
                for at, argument in enumerate(unit.list_at(table.b[row])):
                    self._place(argument, (ARGUMENT, row, at))
            elif kind == NARROWED_EXPRESSION:
                self._place(table.a[row], (WRITTEN if table.c[row] else VALUE, table.b[row], 0))
            elif kind in _PLACED:
                self._place_parts(row, kind)

    def _place_parts(self, row: int, kind: int) -> None:
        unit, table = self._unit, self._unit.expressions
        a = table.a[row]
        if kind == LAMBDA_EXPRESSION:
            self.lambdas[table.b[row]] = row
            self._place(a, (RESULT, row, 0))
        elif kind in (STARRED_EXPRESSION, AWAIT_EXPRESSION):
            self._place(a, (SAME, row, 0))
        else:
            how = SAME if kind == UNION_EXPRESSION else HELD if kind == COLLECTION_EXPRESSION else PART
            for at, part in enumerate(unit.list_at(a) if a >= 0 else ()):
                self._place(part, (how, row, at))

    def _place(self, row: int, place: Place) -> None:
        table = self._unit.expressions
        if row < 0:
            return
        if table.kind[row] in _PLACED:
            self.places.setdefault(row, place)
        outer, name = row, ""
        while row >= 0 and table.kind[row] in _CHAIN:
            if table.kind[row] == MEMBER_EXPRESSION:
                name = self._unit.strings[table.b[row]]
            row = table.a[row]
        if row >= 0 and table.kind[row] == OPERATION_EXPRESSION and table.a[row] < 0:
            self.places.setdefault(row, place)
            self.roots[outer] = self.roots[row] = (row, name)


def _last_name(unit: DeclaredUnit, row: int) -> int:
    """Where the last name of an expression stands, -1 where it has none."""
    table = unit.expressions
    while row >= 0 and table.kind[row] in (SUBSCRIPT_EXPRESSION, TYPE_EXPRESSION, AWAIT_EXPRESSION):
        row = table.a[row]
    return table.c[row] if row >= 0 and table.kind[row] in (NAME_EXPRESSION, MEMBER_EXPRESSION) else -1
