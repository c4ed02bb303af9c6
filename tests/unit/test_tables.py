"""Tables: databases hold what records say, and SQL asks them without harm.

Owns: comparing each database with the records it was made from, statements that must be refused or cut.
Must not know: how records are derived.
Invariant: a database is read by its own reader, not by the code that wrote it.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path

import attrs
import duckdb
import pytest

from graphls.graph.export import ExportOptions, export
from graphls.graph.formats import WHOLE_GRAPH
from graphls.graph.records import Decorator, Edge, Node, Opaque, Record, Site
from graphls.graph.wire import to_wire
from graphls.session.memory import snapshot_of
from graphls.tables.columns import Row, rows_of, tables
from graphls.tables.csv_files import write_csv
from graphls.tables.duckdb_file import write_duckdb, write_parquet
from graphls.tables.sql import SqlLimits, SqlRefused, ask_sql
from graphls.tables.sqlite_file import write_sqlite

ROOT = Path(__file__).parents[2]
PARQUET, NETWORKX = import_module("pyarrow.parquet"), import_module("networkx")
"""Readers without types."""
FILES = {
    "pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n",
    "shop/__init__.py": "from shop.b import helper\n",
    "shop/a.py": "from shop import b\n\nclass Base: ...\nclass Middle(Base): ...\nclass Last(Middle): ...\n\n"
    "def one(): return b.two()\n",
    "shop/b.py": "from shop import a\n\n\ndef two(): return three()\n"
    "def three(): return helper()\ndef helper(): return unknown()\n",
    "web.ts": "export const total = (prices: number[]) => prices.length\n",
}
HOSTILE = [
    'say "hi"',
    "a\\N",
    "line\nbreak\r\n",
    "",
    "NULL",
    "a,b;c",
    "\x00\x1b[31m",
    "𝒳",
    "\ud800",
    "'); DROP TABLE nodes; --",
]


def _records(files: Mapping[str, str] = FILES) -> list[Record]:
    return list(export(snapshot_of(dict(files)), ExportOptions(mode="allow-errors", locals=True)).records())


def _hostile() -> list[Record]:
    nodes: list[Record] = [
        Node(f"n:{at}", "callable", name=name, qualified_name=name, doc=name, attributes={"it": name},
             decorators=(Decorator(name, (name, name)), Decorator("x")), extra={"later": [name]})
        for at, name in enumerate(HOSTILE)
    ]  # fmt: skip
    site = Site("a.py", (1, 2, 3, 4), "syntax_inferred", None, 0.5)
    edges: list[Record] = [
        Edge("e:1", "calls", "n:1", "n:2", confidence=0.5, sites=(site, attrs.evolve(site, file="b\n")))
    ]
    return [*nodes, *edges, Opaque({"record": "later", "name": "x\ud800"})]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("tables") / "graph.sqlite")
    write_sqlite(path, _records())
    return path


def _expected(records: Iterable[Record]) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {name: [] for name in tables()}
    for name, row in rows_of(records):
        rows[name].append(row)
    return rows


# ---------------------------------------------------------------- what tables hold


@pytest.mark.parametrize("records", [_records(), _hostile()], ids=["graph", "hostile"])
def test_nothing_of_a_record_is_lost(records: Sequence[Record]) -> None:
    """Each record comes back from its rows alone."""
    rows = _expected(records)
    for record in records:
        if isinstance(record, Node):
            named = _named("nodes", next(row for row in rows["nodes"] if row[0] == record.id))
            decorators = [_named("decorators", row) for row in rows["decorators"] if row[0] == record.id]
            wire = to_wire(record)
            assert named["qualified_name"] == _whole(record.qualified_name)
            assert json.loads(str(named["attributes"])) == wire["attributes"]
            assert [one["name"] for one in decorators] == [_whole(one.name) for one in record.decorators]
            assert [tuple(json.loads(str(one["arguments"]))) for one in decorators] == [
                one.arguments for one in record.decorators
            ]
            assert (named["extra"] and json.loads(str(named["extra"]))) == (dict(record.extra) or None)
            ends = [named[name] for name in ("start_line", "start_column", "end_line", "end_column")]
            assert tuple(ends) == (record.range or (None,) * 4)
        elif isinstance(record, Edge):
            sites = [_named("sites", row) for row in rows["sites"] if row[0] == record.id]
            assert [(one["place"], one["file"], one["end_column"]) for one in sites] == [
                (place, site.file, site.range[3]) for place, site in enumerate(record.sites)
            ]


def test_every_field_of_a_record_is_a_column_or_a_table() -> None:
    for name, kind in (("nodes", Node), ("edges", Edge)):
        columns = {column.name for column in tables()[name].columns}
        for field in attrs.fields(kind):
            ranged = field.name.removesuffix("range") + "start_line"
            assert (
                field.name in columns or field.name in tables() or (field.name.endswith("range") and ranged in columns)
            )


def _named(table: str, row: Row) -> dict[str, object]:
    return dict(zip((column.name for column in tables()[table].columns), row, strict=True))


def _whole(text: str) -> str:
    return text.replace("\ud800", "\\ud800")


# ---------------------------------------------------------------- their own readers


@pytest.mark.parametrize("records", [_records(), _hostile()], ids=["graph", "hostile"])
def test_sqlite(records: Sequence[Record], tmp_path: Path) -> None:
    write_sqlite(str(tmp_path / "g"), records)
    with closing(sqlite3.connect(tmp_path / "g")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for name, rows in _expected(records).items():
            assert connection.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall() == rows
        kinds = {row[0] for row in connection.execute("SELECT DISTINCT typeof(attributes) FROM nodes")}
        assert kinds == {"text"}


@pytest.mark.parametrize("records", [_records(), _hostile()], ids=["graph", "hostile"])
def test_duckdb_and_parquet(records: Sequence[Record], tmp_path: Path) -> None:
    write_duckdb(str(tmp_path / "g.duckdb"), records)
    (tmp_path / "parquet").mkdir()
    write_parquet(str(tmp_path / "parquet"), records)
    with closing(duckdb.connect(str(tmp_path / "g.duckdb"), read_only=True)) as connection:
        for name, rows in _expected(records).items():
            assert connection.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall() == rows, name
            read = PARQUET.read_table(tmp_path / "parquet" / f"{name}.parquet").to_pylist()
            assert [tuple(row.values()) for row in read] == rows, name


@pytest.mark.parametrize("records", [_records(), _hostile()], ids=["graph", "hostile"])
def test_csv(records: Sequence[Record], tmp_path: Path) -> None:
    write_csv(str(tmp_path), records)
    for name, rows in _expected(records).items():
        text = (tmp_path / f"{name}.csv").read_bytes().decode()
        heads, *read = csv.reader(io.StringIO(text, newline=""), strict=True)
        assert heads == [column.name for column in tables()[name].columns]
        assert [
            ["" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in row]
            for row in rows
        ] == read


def test_neo4j_finds_ids_labels_and_ends(tmp_path: Path) -> None:
    write_csv(str(tmp_path), _records(), neo4j=True)
    nodes, edges = (
        list(csv.DictReader(io.StringIO((tmp_path / name).read_bytes().decode(), newline="")))
        for name in ("nodes.csv", "edges.csv")
    )
    ids = {node["id:ID"] for node in nodes}
    assert len(ids) == len(nodes) > 5
    assert all(edge[":START_ID"] in ids and edge[":END_ID"] in ids and edge["kind:TYPE"] for edge in edges)
    assert {node["kind:LABEL"] for node in nodes} >= {"callable", "module", "file"}


def test_graphml_is_read_by_networkx(tmp_path: Path) -> None:
    records = _records()
    (tmp_path / "g.graphml").write_text("".join(WHOLE_GRAPH["graphml"](records)), encoding="utf-8")
    graph = NETWORKX.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    assert set(graph.nodes) == {one.id for one in records if isinstance(one, Node)}
    assert graph.number_of_edges() == sum(isinstance(one, Edge) for one in records)


# ---------------------------------------------------------------- SQL


def _examples() -> list[str]:
    return re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "sql.md").read_text(encoding="utf-8"), re.DOTALL)


def test_examples_of_the_page_answer(database: str) -> None:
    callers, circles, users, below = _examples()
    assert [row[:3] for row in ask_sql(database, callers, {"name": "helper"}).rows] == [
        (1, "shop.b", "three"), (2, "shop.b", "two"), (3, "shop.a", "one"),
    ]  # fmt: skip
    assert ("shop.a", "shop.b") in ask_sql(database, circles, {}).rows
    assert ask_sql(database, users, {"package": "shop"}).columns[:3] == ("qualified_name", "file", "line")
    assert ask_sql(database, below, {"name": "Base"}).rows == [("shop.a", "Last"), ("shop.a", "Middle")]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM nodes", "DROP TABLE nodes", "INSERT INTO nodes SELECT * FROM nodes", "ATTACH 'x' AS other",
        "PRAGMA query_only = 0", "VACUUM INTO 'x'", "CREATE TEMP TABLE t (a)", "BEGIN",
        "SELECT load_extension('x')",
        "SELECT readfile('secret')", "SELECT 1; SELECT 2", "", "-- nothing", "SELECT nothing FROM nodes", "\x00",
        "SELECT :missing", "SELECT zeroblob(1000000000)", "SELECT '\ud800'",
    ],
)  # fmt: skip
def test_statements_that_are_refused(database: str, statement: str) -> None:
    before = Path(database).read_bytes()
    with pytest.raises(SqlRefused, match=r"\w{3}"):
        ask_sql(database, statement, {})
    assert Path(database).read_bytes() == before


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT "


def test_time_rows_and_memory_are_bounded(database: str) -> None:
    with pytest.raises(SqlRefused, match=r"longer than 0\.2 s"):
        ask_sql(database, f"{ENDLESS} count(*) FROM n", {}, SqlLimits(seconds=0.2))
    found = ask_sql(database, f"{ENDLESS} x FROM n", {}, SqlLimits(rows=3))
    assert (found.rows, found.more) == ([(1,), (2,), (3,)], True)
    with pytest.raises(SqlRefused):
        ask_sql(database, f"{ENDLESS} group_concat(x || hex(zeroblob(100000))) FROM n", {}, SqlLimits(seconds=0.5))


def test_values_are_bound_never_part_of_the_statement(database: str) -> None:
    name = "helper'; DELETE FROM nodes; --"
    assert ask_sql(database, "SELECT id FROM nodes WHERE name = :name", {"name": name}).rows == []
    assert ask_sql(database, "SELECT :n + 1", {"n": "41"}).rows == [(42,)]
    assert ask_sql(database, "SELECT typeof(:n)", {"n": "007"}).rows == [("text",)]


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to be looked at" * 40])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.sqlite").write_bytes(content)
    with pytest.raises(SqlRefused):
        ask_sql(str(tmp_path / "x.sqlite"), "SELECT 1", {})


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as connection:
        connection.execute("CREATE TABLE nodes (id)")
    with pytest.raises(SqlRefused, match="export --format sqlite"):
        ask_sql(str(tmp_path / "x.sqlite"), "SELECT 1", {})
