"""Call sites: the calls and lambdas of one file.

Owns: which call a name is the callee of, who takes a lambda.
Must not know: any particular language, what a call means.
Invariant: a function of the facts of the file.
"""

from __future__ import annotations

from collections.abc import (
    Sequence,
)
from typing import Final, final

from graphls.languages.declared.inference import (
    DeclaredInference,
    DeclaredUnit,
)
from graphls.languages.declared.values import Value
from graphls.languages.extract.kinds import (
    CALL_EXPRESSION,
    LAMBDA_EXPRESSION,
    MEMBER_EXPRESSION,
    NAME_EXPRESSION,
    NARROWED_EXPRESSION,
    SUBSCRIPT_EXPRESSION,
    TYPE_EXPRESSION,
)

WRITTEN: Final = -1
OF_VALUE: Final = -2
"""In place of the position of an argument: a type says what a lambda is, or the type of what it is assigned to."""


@final
class Arguments:
    """What a call passes: a row for each argument, the names of those that have one, its type arguments."""

    def __init__(self, rows: Sequence[int], names: Sequence[str] = (), types: Sequence[Value | None] = ()) -> None:
        self.rows = rows
        self.names = names
        self.types = types
        self.generic = len(types)


@final
class CallSites:
    """Where calls of one file stand."""

    def __init__(self, unit: DeclaredUnit) -> None:
        self.calls: dict[int, int] = {}
        """Where the name of a callee stands -> the call."""
        self.takers: dict[int, tuple[int, int]] = {}
        """Lambda -> the call and the position of the argument, or the row of a type."""
        table = unit.expressions
        for row, kind in enumerate(table.kind):
            if kind == CALL_EXPRESSION:
                self.calls[last_name_at(unit, table.a[row])] = row
                for at, argument in enumerate(unit.list_at(table.b[row])):
                    if argument >= 0 and table.kind[argument] == LAMBDA_EXPRESSION:
                        self.takers[argument] = (row, at)
            elif kind == NARROWED_EXPRESSION:
                self.takers[table.a[row]] = (table.b[row], WRITTEN if table.c[row] else OF_VALUE)
        for row, value in enumerate(unit.value):
            if value >= 0 and table.kind[value] == LAMBDA_EXPRESSION and unit.type[row] >= 0:
                self.takers[value] = (unit.type[row], WRITTEN)


def last_name_at(unit: DeclaredUnit, row: int) -> int:
    """Where the last name of an expression stands, -1 where it has none."""
    table = unit.expressions
    while row >= 0 and table.kind[row] in (SUBSCRIPT_EXPRESSION, TYPE_EXPRESSION):
        row = table.a[row]
    return table.c[row] if row >= 0 and table.kind[row] in (NAME_EXPRESSION, MEMBER_EXPRESSION) else -1


def callee_of(unit: DeclaredUnit, call: int) -> int:
    """What a call calls, without the type arguments behind it."""
    table, callee = unit.expressions, unit.expressions.a[call]
    return table.a[callee] if table.kind[callee] == SUBSCRIPT_EXPRESSION else callee


def arguments_of_call(types: DeclaredInference, unit: DeclaredUnit, row: int) -> Arguments:
    """What a call passes, by the row of the call; names are known in the own file alone."""
    table = unit.expressions
    rows, names = unit.list_at(table.b[row]), tuple[str, ...]()
    if unit.own and table.c[row] >= 0:
        names = tuple([unit.strings[one] if one >= 0 else "" for one in unit.list_at(table.c[row])])
    callee = table.a[row]
    if table.kind[callee] != SUBSCRIPT_EXPRESSION:
        return Arguments(rows, names)
    return Arguments(rows, names, [types.denote(unit, part) for part in unit.list_at(table.b[callee])])
