"""DuckDB file: the tables as a database of DuckDB, or as one Parquet file each.

Owns: the passage through CSV, how the optional library is found.
Must not know: where the files go in the end.
Invariant: what DuckDB reads back equals what SQLite does; without the library a sentence says what to install.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from typing import Protocol, cast

from graphls.graph.records import Record
from graphls.tables.columns import Cell, SqlTable, ddl, tables
from graphls.tables.csv_files import write_csv


class DuckConnection(Protocol):
    """What is asked of a connection. Answers stand in it until they are fetched."""

    @property
    def description(self) -> Sequence[Sequence[object]]:
        """Of each column of the answer, the name first."""
        ...

    def execute(self, statement: str, values: Sequence[object] = ...) -> object:
        """Runs a statement with values for its `?`."""
        ...

    def fetchall(self) -> list[tuple[Cell, ...]]:
        """All rows of the answer."""
        ...

    def fetchmany(self, size: int) -> list[tuple[Cell, ...]]:
        """The next rows of the answer."""
        ...

    def interrupt(self) -> None:
        """Ends the statement that runs in another thread."""
        ...

    def close(self) -> None: ...


class _DuckDB(Protocol):
    """What is asked of the library, which may not be there."""

    Error: type[Exception]

    def connect(self, database: str) -> DuckConnection: ...


class LibraryMissing(RuntimeError):
    """DuckDB is not installed."""

    def __init__(self) -> None:
        super().__init__("DuckDB is not installed here: pip install 'graphls[duckdb]'")


def write_duckdb(path: str, records: Iterable[Record]) -> None:
    """Makes a database of a file that is not there. Raises OSError, LibraryMissing."""
    library = _library()
    with tempfile.TemporaryDirectory() as folder:
        write_csv(folder, records)
        try:
            with closing(library.connect(path)) as connection:
                _load(connection, folder)
        except library.Error as error:
            raise OSError(f"DuckDB: {error}") from error


def write_parquet(folder: str, records: Iterable[Record], *, threads: int = 0) -> None:
    """Writes `TABLE.parquet` of every table into a folder. With one thread equal records give equal bytes; 0: as many
    as there are cores. Raises OSError, LibraryMissing."""
    library = _library()
    with tempfile.TemporaryDirectory() as texts:
        write_csv(texts, records)
        try:
            with closing(library.connect(os.path.join(texts, "tables.duckdb"))) as connection:
                if threads:
                    connection.execute(f"SET threads = {threads}")
                _load(connection, texts)
                for name in tables():
                    connection.execute(f"COPY {name} TO ? (FORMAT parquet)", [os.path.join(folder, f"{name}.parquet")])
        except library.Error as error:
            raise OSError(f"DuckDB: {error}") from error


@contextmanager
def duckdb_in(folder: str, *, threads: int = 1, memory_mb: int = 1_000) -> Generator[DuckConnection]:
    """A database in memory that puts what is too large into a folder. Errors of it come as ValueError; raises
    LibraryMissing."""
    library = _library()
    try:
        with closing(library.connect(":memory:")) as connection:
            connection.execute(f"SET threads = {threads}")
            connection.execute(f"SET memory_limit = '{memory_mb}MB'")
            connection.execute("SET temp_directory = '" + folder.replace("'", "''") + "'")
            yield connection
    except library.Error as error:
        raise ValueError(f"DuckDB: {error}") from error


def _load(connection: DuckConnection, folder: str) -> None:
    connection.execute(ddl())
    for table in tables().values():
        connection.execute(f"INSERT INTO {table.name} {_from_csv(table)}", [_csv(folder, table)])


def _library() -> _DuckDB:
    try:
        return cast("_DuckDB", importlib.import_module("duckdb"))
    except ImportError:
        raise LibraryMissing from None


def _csv(folder: str, table: SqlTable) -> str:
    return os.path.join(folder, f"{table.name}.csv")


def _from_csv(table: SqlTable) -> str:
    """Reads the file that the first parameter names, column by column as the table has them: nothing is guessed."""
    columns = ", ".join(f"'{column.name}': '{column.type}'" for column in table.columns)
    return (
        "SELECT * FROM read_csv(?, header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', "
        f"nullstr = '', allow_quoted_nulls = false, max_line_size = 100000000, columns = {{{columns}}})"
    )
