"""SQL: one read-only question to a database that an export is in.

Owns: what a statement may do, how long it may take, how much it may hold and give back, the words of refusals.
Must not know: where the database comes from, how answers are laid out.
Invariant: nothing is written or opened but the database, whatever the statement says; what was cut says so.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import attrs

from graphls.tables.columns import Cell
from graphls.tables.sqlite_file import APPLICATION_ID

_STEPS = 20_000
"""Instructions of SQLite between two looks at the clock: about a millisecond."""
_LONGEST = 10_000_000
"""Bytes of one value, so that a statement cannot make a text of gigabytes."""
_HEAP = 1 << 29
"""Bytes of memory that SQLite takes at most."""
_ALLOWED = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE))
_FORBIDDEN_FUNCTIONS = frozenset(("load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"))


class SqlRefused(ValueError):
    """The statement cannot be answered; the sentence says why."""


@attrs.frozen
class SqlLimits:
    """`rows` that an answer has at most, `seconds` that it may take."""

    rows: int = 1_000
    seconds: float = 10.0


@attrs.frozen
class SqlAnswer:
    """Columns and rows; `more`: there are rows behind the last one."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    more: bool


def ask_sql(path: str, statement: str, values: Mapping[str, str], limits: SqlLimits = SqlLimits()) -> SqlAnswer:
    """The answer of a statement with its bound values (`:name`). Raises SqlRefused."""
    deadline = time.monotonic() + limits.seconds
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            (owner,) = connection.execute("PRAGMA application_id").fetchone()
            if owner != APPLICATION_ID:
                raise SqlRefused(f"{path!r} is no database that graphls export --format sqlite wrote.")
            _restrict(connection, deadline)
            cursor = connection.execute(statement, _numbers(values))
            rows = cursor.fetchmany(limits.rows + 1)
            if cursor.description is None:
                raise SqlRefused("The statement gives no rows. Write a SELECT.")
            columns = tuple(str(column[0]) for column in cursor.description)
    except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError, UnicodeError) as error:
        raise SqlRefused(_sentence(error, limits)) from error
    return SqlAnswer(columns, [tuple(map(_cell, row)) for row in rows[: limits.rows]], len(rows) > limits.rows)


def _restrict(connection: sqlite3.Connection, deadline: float) -> None:
    connection.execute(f"PRAGMA hard_heap_limit = {_HEAP}")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)

    def allow(action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None) -> int:
        if action not in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and second in _FORBIDDEN_FUNCTIONS):
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    connection.set_authorizer(allow)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)


def _numbers(values: Mapping[str, str]) -> Mapping[str, str | int]:
    """Whole numbers as such: compared with what a statement counts they would be texts else."""
    return {name: int(value) if _is_number(value) else value for name, value in values.items()}


def _is_number(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdecimal() and len(text) < 19 and str(int(text)) == text


def _cell(value: object) -> Cell:
    match value:
        case bytes():
            return value.hex()
        case float() if not math.isfinite(value):
            return str(value)
        case str() | int() | float() | None:
            return value
        case _:
            return str(value)


def _sentence(error: BaseException, limits: SqlLimits) -> str:
    words = str(error)
    if words == "interrupted":
        return f"The statement took longer than {limits.seconds:g} s. Narrow it, or give more time with --seconds."
    if "not authorized" in words or "prohibited" in words:
        return f"Only reading is allowed: {words}. Write one SELECT (or WITH ... SELECT)."
    if "out of memory" in words or isinstance(error, MemoryError):
        return "The statement needs more memory than it may have. Narrow it."
    return f"SQL: {words}."
