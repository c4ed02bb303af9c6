"""Query: a question in SQL.

Owns: arguments of `graphls query`, the database of a workspace between runs, the layout of rows.
Must not know: tables, what a statement may do.
Invariant: the answer is of the graph as it is now, and says what the graph itself could not resolve.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from hashlib import blake2b
from typing import Annotated

import attrs
import typer

from graphls.cli.command_catalog import CommandEntry
from graphls.cli.guard import NegativeAnswer, UsageError
from graphls.cli.open_workspace import OpenWorkspace, opened
from graphls.cli.options import At, Root
from graphls.cli.output_files import made_file
from graphls.cli.rendering.page import TextPage
from graphls.cli.rendering.wire import write_json
from graphls.cli.rendering.words import counted, visible
from graphls.graph.export import ExportOptions, export
from graphls.graph.merkle import snapshot_id
from graphls.tables.columns import ddl, indexes
from graphls.tables.sql import SqlAnswer, SqlLimits, SqlRefused, ask_sql
from graphls.tables.sqlite_file import write_sqlite

DATABASES = "tables"
"""Folder of the cache for databases of workspaces."""
_MOST_DATABASES = 3
"""Those that stay: one has about twice the size of the export."""
_GRAPH = "SELECT snapshot, degraded, json_extract(counts, '$.unresolved_sites') FROM header"


class RowFormat(StrEnum):
    """How rows are written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@attrs.frozen
class StoredGraph:
    """What the header of a database says of its graph."""

    snapshot: str
    degraded: bool
    unresolved_sites: int


COMMAND = CommandEntry(help="Ask the graph in SQL, read-only.", rank=60, read_only=True)


def run(
    ctx: typer.Context,
    *,
    sql: Annotated[
        str, typer.Option("--sql", "-s", metavar="SELECT", help="The statement; - for standard input.")
    ] = "",
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="A value for :NAME; repeat.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000_000, help="Rows of the answer.")] = 1_000,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, max=600, help="How long it may take.")] = 10.0,
    database: Annotated[
        str, typer.Option("--database", "-d", metavar="FILE", help="Ask this export --format sqlite, no workspace.")
    ] = "",
    root: Root = ".",
    at: At = "",
    format: Annotated[RowFormat, typer.Option("--format", "-f", help="How rows are written.")] = RowFormat.TEXT,
) -> None:
    statement = sys.stdin.read() if sql == "-" else sql
    if not statement.strip():
        raise UsageError(
            "Give a statement with --sql, for example --sql 'SELECT kind, count(*) FROM nodes GROUP BY kind'."
        )
    values = _values(param or ())
    limits = SqlLimits(limit, seconds)
    with _file(database) if database else _of_workspace(ctx, root, at) as path:
        try:
            found = ask_sql(path, statement, values, limits)
            (about,) = (
                StoredGraph(str(one[0]), bool(one[1]), int(one[2] or 0)) for one in ask_sql(path, _GRAPH, {}).rows
            )
        except SqlRefused as error:
            raise UsageError(str(error)) from error
    _write(found, about, limits, format)
    if not found.rows:
        raise NegativeAnswer


def _values(pairs: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name.isidentifier():
            raise UsageError(f"{pair!r} is no NAME=VALUE, such as --param name=Flask.route for :name.")
        values[name] = value
    return values


# ---------------------------------------------------------------- databases


@contextmanager
def _file(path: str) -> Generator[str]:
    if not os.path.isfile(path):
        raise UsageError(f"{path!r} is no file. Make one with graphls export --format sqlite --output FILE.")
    yield path


@contextmanager
def _of_workspace(ctx: typer.Context, root: str, at: str) -> Generator[str]:
    """The database of a workspace, from the cache where the graph is the same."""
    with opened(ctx, root, "complete", at=at) as workspace:
        if workspace.store is None:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "graph.sqlite")
                _make(workspace, path)
                yield path
            return
        folder = os.path.join(workspace.store.folder, DATABASES)
        made_by = blake2b((ddl() + indexes()).encode(), digest_size=8).hexdigest()
        path = os.path.join(folder, f"{snapshot_id(workspace.snapshot).removeprefix('s:')}-{made_by}.sqlite")
        if not _is_sound(path):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _make(workspace, path)
            _forget(folder, path)
        yield path


def _is_sound(path: str) -> bool:
    """Whether the cache holds the database and it can be read."""
    try:
        return os.path.isfile(path) and len(ask_sql(path, _GRAPH, {}).rows) == 1
    except SqlRefused:
        return False


def _make(workspace: OpenWorkspace, path: str) -> None:
    made = export(workspace.snapshot, ExportOptions(mode="allow-errors", locals=True))
    made_file(path, lambda temporary: write_sqlite(temporary, made.records()))


def _forget(folder: str, newest: str) -> None:
    """The oldest databases, of this workspace or of others."""
    found = [entry for entry in os.scandir(folder) if entry.name.endswith(".sqlite") and entry.path != newest]
    for entry in sorted(found, key=lambda entry: entry.stat().st_mtime, reverse=True)[_MOST_DATABASES - 1 :]:
        with contextlib.suppress(OSError):
            os.unlink(entry.path)


# ---------------------------------------------------------------- rows


def _write(found: SqlAnswer, about: StoredGraph, limits: SqlLimits, format: RowFormat) -> None:
    if format is RowFormat.JSON:
        rows = [list(row) for row in found.rows]
        write_json({"columns": list(found.columns), "rows": rows, "more": found.more, "graph": attrs.asdict(about)})
        return
    if format is RowFormat.CSV:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([found.columns, *(["" if cell is None else cell for cell in row] for row in found.rows)])
        sys.stdout.write(text.getvalue())
    else:
        page = TextPage()
        page.rows(
            [found.columns, *(["" if cell is None else visible(str(cell)) for cell in row] for row in found.rows)]
        )
        page.write()
    notes = [f"more than {limits.rows:,} rows: the rest is left out, see --limit"] if found.more else []
    if not found.rows:
        notes.append("no rows")
    if about.unresolved_sites or about.degraded:
        notes.append(
            f"the graph is not complete: {counted(about.unresolved_sites, 'use')} of names could not be resolved"
        )
    sys.stderr.write("".join(f"{note}\n" for note in notes))
