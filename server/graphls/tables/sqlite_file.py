"""SQLite file: the tables as a database of one file.

Owns: writing it, the numbers that say whose file it is.
Must not know: where the file goes in the end, who asks it.
Invariant: equal records give equal tables; a file under its final name is whole (the caller puts it there).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from itertools import islice

from graphls.graph.records import Record
from graphls.tables.columns import Row, ddl, indexes, rows_of, tables

APPLICATION_ID = 0x67726C73
"""`grls`: `file` and SQLite tell by it what program a database belongs to."""
_BATCH = 20_000


def write_sqlite(path: str, records: Iterable[Record]) -> None:
    """Makes a database of a file that is empty or not there. Raises OSError."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            # Nobody else sees the file yet, and one that is not whole is thrown away.
            connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("BEGIN")
            for statement in ddl().split(";\n"):
                connection.execute(statement)
            _insert(connection, records)
            for statement in indexes().split(";\n"):
                connection.execute(statement)
            connection.execute("COMMIT")
            connection.execute("PRAGMA optimize")
    except sqlite3.Error as error:
        raise OSError(f"SQLite: {error}") from error


def _insert(connection: sqlite3.Connection, records: Iterable[Record]) -> None:
    statements = {
        name: f"INSERT INTO {name} VALUES ({', '.join('?' * len(table.columns))})" for name, table in tables().items()
    }
    rows = rows_of(records)
    while batch := list(islice(rows, _BATCH)):
        waiting: dict[str, list[Row]] = {}
        for name, row in batch:
            waiting.setdefault(name, []).append(row)
        for name, several in waiting.items():
            connection.executemany(statements[name], several)
