"""SQL: what statements declare, and which table or column a name in one means."""

from __future__ import annotations

import pytest

from graphls.analysis.frameworks.document_entries import document_of, entry_nodes
from graphls.analysis.frameworks.documents import document_edges
from graphls.analysis.frameworks.sql_strings import sql_names
from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.languages.config.reading import read_document
from graphls.languages.config.sql import MAX_SQL, read_sql
from graphls.session.memory import snapshot_of

SHOP = b"""CREATE TABLE shop.users (
    id serial PRIMARY KEY,
    mail text NOT NULL,
    team_id int REFERENCES teams (id)
);
CREATE TABLE teams (id int, title text, owner int);
"""


def uses(files: dict[str, bytes], path: str) -> list[str]:
    """`word@line -> kind name (file:line)` of what a file uses, in order; "?" for what leads to nothing."""
    snapshot = snapshot_of(files)
    found: dict[tuple[int, int], str] = {}
    for edge in document_edges(snapshot, snapshot, FilePath(path)):
        target = edge.target
        assert isinstance(target, DerivedNode)
        line = files[target.file][: target.start].count(b"\n") + 1
        for _, start, end in edge.sites:
            found[start, end] = f"{target.subkind} {target.name} ({target.file}:{line})"
    text = files[path]
    references = document_of(snapshot, FilePath(path)).references
    return [
        f"{text[one.start : one.end].decode()} -> {found.get((one.start, one.end), '?')}"
        for one in references
        if (one.start, one.end) in found or one.base != "type"
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT mail FROM users;", [
            "mail -> column shop.users.mail (a.sql:3)",
            "users -> table shop.users (a.sql:1)",
        ]),
        (
            "SELECT u.mail, t.title FROM users u JOIN teams t ON t.id = u.team_id;",
            [
                "mail -> column shop.users.mail (a.sql:3)",
                "title -> column teams.title (a.sql:6)",
                "users -> table shop.users (a.sql:1)",
                "teams -> table teams (a.sql:6)",
                "id -> column teams.id (a.sql:6)",
                "team_id -> column shop.users.team_id (a.sql:4)",
            ],
        ),
        # The one table that has the column.
        (
            "SELECT title FROM users, teams;",
            [
                "title -> column teams.title (a.sql:6)",
                "users -> table shop.users (a.sql:1)",
                "teams -> table teams (a.sql:6)",
            ],
        ),
        # A common table expression hides the table of its name; its columns are its own.
        (
            "WITH teams AS (SELECT id FROM users) SELECT title FROM teams;",
            ["id -> column shop.users.id (a.sql:2)", "users -> table shop.users (a.sql:1)"],
        ),
        ("SELECT x.title FROM (SELECT title FROM teams) x;", [
            "title -> column teams.title (a.sql:6)", "teams -> table teams (a.sql:6)",
        ]),
        (
            "INSERT INTO teams (id, title) VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET title = excluded.title;",
            [
                "teams -> table teams (a.sql:6)",
                "id -> column teams.id (a.sql:6)",
                "title -> column teams.title (a.sql:6)",
                "id -> column teams.id (a.sql:6)",
                "title -> column teams.title (a.sql:6)",
                "title -> column teams.title (a.sql:6)",
            ],
        ),
        ("UPDATE teams SET owner = 1 WHERE teams.id = 2;", [
            "teams -> table teams (a.sql:6)",
            "owner -> column teams.owner (a.sql:6)",
            "teams -> table teams (a.sql:6)",
            "id -> column teams.id (a.sql:6)",
        ]),
        # The inner query sees what is around it.
        (
            "SELECT id FROM teams WHERE EXISTS (SELECT 1 FROM users WHERE mail = title);",
            [
                "id -> column teams.id (a.sql:6)",
                "teams -> table teams (a.sql:6)",
                "users -> table shop.users (a.sql:1)",
                "mail -> column shop.users.mail (a.sql:3)",
                "title -> column teams.title (a.sql:6)",
            ],
        ),
        # What the query computes goes before a column, where it sorts.
        ("SELECT count(*) AS title FROM teams ORDER BY title;", ["teams -> table teams (a.sql:6)"]),
        ("DELETE FROM nowhere;", ["nowhere -> ?"]),
        ("DROP TRIGGER teams;", []),
        # Bodies that are left as text.
        (
            "CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN IF a THEN UPDATE teams SET owner = 1; END IF; END $$;",
            ["teams -> table teams (a.sql:6)", "owner -> column teams.owner (a.sql:6)"],
        ),
        (
            "CREATE TRIGGER t AFTER DELETE ON teams BEGIN DELETE FROM users WHERE team_id = OLD.id; END;",
            [
                "teams -> table teams (a.sql:6)",
                "users -> table shop.users (a.sql:1)",
                "team_id -> column shop.users.team_id (a.sql:4)",
                "id -> column teams.id (a.sql:6)",
            ],
        ),
        # Backticks of a comment are no sign of MySQL, and one bad statement takes no other with it.
        ("-- the `old` one\nSELEC FROM;\nSELECT \"title\" FROM \"teams\";", [
            "title -> column teams.title (a.sql:6)", "teams -> table teams (a.sql:6)",
        ]),
        (".timeout 3\nSELECT `title` FROM `teams`;", [
            "title -> column teams.title (a.sql:6)", "teams -> table teams (a.sql:6)",
        ]),
    ],
)  # fmt: skip
def test_a_name_means_what_a_database_would_take_it_for(query: str, expected: list[str]) -> None:
    assert uses({"a.sql": SHOP, "b.sql": query.encode()}, "b.sql") == expected


def test_migrations_count_in_their_order() -> None:
    files = {
        "m/2_more.sql": b"ALTER TABLE teams ADD COLUMN motto text;\nALTER TABLE teams RENAME COLUMN title TO name;",
        "m/10_again.sql": b"DROP TABLE teams;\nCREATE TABLE teams (id int, motto text);",
        "m/1_first.sql": SHOP,
        "m/3_use.sql": b"SELECT id, motto, name FROM teams;",
        "m/11_use.sql": b"SELECT motto FROM teams;",
        "other/1_first.sql": b"CREATE TABLE teams (id int);",
    }
    assert uses(files, "m/3_use.sql") == [
        "id -> column teams.id (m/1_first.sql:6)",
        "motto -> column teams.motto (m/2_more.sql:1)",
        "name -> column teams.name (m/2_more.sql:2)",
        "teams -> table teams (m/1_first.sql:6)",
    ]
    assert uses(files, "m/11_use.sql") == [
        "motto -> column teams.motto (m/10_again.sql:2)",
        "teams -> table teams (m/10_again.sql:2)",
    ]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # A day with and without dashes, a folder for each migration; what another one takes back never counts here.
        (
            {
                "m/2018-04-24-1451_a/up.sql": b"CREATE TABLE users (id int);",
                "m/20190101000000_b/up.sql": b"ALTER TABLE users ADD COLUMN mail text;",
                "m/20190101000000_b/down.sql": b"ALTER TABLE users ADD COLUMN mail int;",
                "m/20200101000000_c/up.sql": b"SELECT id, mail FROM users;",
            },
            [
                "id -> column users.id (m/2018-04-24-1451_a/up.sql:1)",
                "mail -> column users.mail (m/20190101000000_b/up.sql:1)",
                "users -> table users (m/2018-04-24-1451_a/up.sql:1)",
            ],
        ),
        # What takes a migration back is run behind it, and by itself: there its own declarations count.
        (
            {
                "m/1_a.up.sql": b"CREATE TABLE users (id int);",
                "m/2_b.down.sql": b"ALTER TABLE users ADD id text; SELECT id FROM users;",
                "m/2_b.up.sql": b"ALTER TABLE users DROP COLUMN id;",
                "m/3_c.down.sql": b"SELECT id FROM users;",
            },
            [
                "id -> column users.id (m/1_a.up.sql:1)",
                "users -> table users (m/1_a.up.sql:1)",
            ],
        ),
        (
            {
                "m/1_a.up.sql": b"CREATE TABLE users (id int);",
                "m/2_b.down.sql": b"ALTER TABLE users ADD id text; SELECT id FROM users;",
            },
            [
                "users -> table users (m/1_a.up.sql:1)",
                "id -> column users.id (m/2_b.down.sql:1)",
                "users -> table users (m/1_a.up.sql:1)",
            ],
        ),
        # A part of a file that undoes the other part makes nothing that later files have.
        (
            {
                "m/1_a.sql": b"-- +goose Up\nCREATE TABLE users (id int);\n-- +goose Down\nDROP TABLE users;\n",
                "m/2_b.sql": b"-- migrate:up\nDROP TABLE users;\n-- migrate:down\nCREATE TABLE users (id text);\n",
                "m/3_c.sql": b"SELECT id FROM users;",
            },
            ["id -> column users.id (m/1_a.sql:2)", "users -> table users (m/1_a.sql:2)"],
        ),
        # A table keeps its columns under a new name; one that is made anew under the old name has its own.
        (
            {
                "m/1.sql": b"CREATE TABLE members (id int, mail text);",
                "m/2.sql": b"ALTER TABLE members RENAME TO users; ALTER TABLE users RENAME mail TO address;",
                "m/3.sql": b"CREATE TABLE members (mail text); ALTER INDEX members RENAME TO users;",
                "m/4.sql": b"SELECT address, users.id FROM users; SELECT mail FROM members;",
            },
            [
                "address -> column users.address (m/2.sql:1)",
                "users -> table users (m/2.sql:1)",
                "id -> column members.id (m/1.sql:1)",
                "users -> table users (m/2.sql:1)",
                "mail -> column members.mail (m/3.sql:1)",
                "members -> table members (m/3.sql:1)",
            ],
        ),
    ],
)
def test_what_a_name_means_is_what_ran_before(files: dict[str, bytes], expected: list[str]) -> None:
    assert uses(files, list(files)[-1]) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        # Of what the parser cannot read, one part is lost and no more.
        (
            "CREATE TABLE a (team_id int, CONSTRAINT b NOT NULL team_id, owner int REFERENCES teams (id));",
            [
                "team_id -> column a.team_id (b.sql:1)",
                "teams -> table teams (a.sql:6)",
                "id -> column teams.id (a.sql:6)",
            ],
        ),
        (
            "ALTER TABLE teams RENAME CONSTRAINT x TO y, ADD CHECK (owner > 1), DISABLE TRIGGER USER;",
            ["teams -> table teams (a.sql:6)", "owner -> column teams.owner (a.sql:6)"],
        ),
        ("ALTER TABLE teams DISABLE TRIGGER USER;", ["teams -> table teams (a.sql:6)"]),
        ("REINDEX TABLE teams;", ["teams -> table teams (a.sql:6)"]),
        ("CREATE STATISTICS s ON (owner IS NULL) FROM teams;", ["teams -> table teams (a.sql:6)"]),
        ("CREATE POLICY p ON teams USING (true);", ["teams -> table teams (a.sql:6)"]),
        ("ALTER INDEX teams RENAME TO users;", []),
        (
            "UPDATE teams SET (title, owner) = (x.a, 2) FROM (SELECT 1 AS a) x WHERE id = x.a;",
            [
                "teams -> table teams (a.sql:6)",
                "title -> column teams.title (a.sql:6)",
                "owner -> column teams.owner (a.sql:6)",
                "id -> column teams.id (a.sql:6)",
            ],
        ),
        # The rows that go to a table do not see it.
        (
            "INSERT INTO teams (owner) SELECT owner FROM users;",
            [
                "teams -> table teams (a.sql:6)",
                "owner -> column teams.owner (a.sql:6)",
                "owner -> ?",
                "users -> table shop.users (a.sql:1)",
            ],
        ),
    ],
)
def test_statements_that_the_parser_reads_in_part(statement: str, expected: list[str]) -> None:
    assert uses({"a.sql": SHOP, "b.sql": statement.encode()}, "b.sql") == expected


def test_views_types_and_indexes_are_entries() -> None:
    more = """CREATE TYPE mood AS ENUM ('a');
CREATE VIEW happy AS SELECT mail AS m, id FROM users;
CREATE INDEX i ON teams (id);
ALTER TABLE teams ADD COLUMN gemüt mood;
"""
    text = SHOP + more.encode()
    entries = read_document("a.sql", text).entries
    assert [f"{one.kind} {one.name}" for one in entries[8:]] == [
        "type mood", "view happy", "column happy.m", "column happy.id", "index i", "column teams.gemüt",
    ]  # fmt: skip
    assert [text[one.start : one.end].decode() for one in entries[-3:]] == ["id", "i", "gemüt"]
    assert text[entries[1].full_start : entries[1].full_end] == b"id serial PRIMARY KEY"
    assert "mood -> type mood (a.sql:7)" in uses({"a.sql": text}, "a.sql")


def test_what_is_too_large_or_broken_is_a_file_without_entries() -> None:
    assert read_document("a.sql", b"SELECT 1;\n" * (MAX_SQL // 5)).cut
    assert not read_document("a.sql", b"SELECT " + b"(" * 5_000).entries
    assert not entry_nodes(snapshot_of({"a.sql": b"'\xff"}), FilePath("a.sql"))


def test_statements_that_documents_leave_open_are_no_fault() -> None:
    text = b'/// `INSERT INTO downloads ...`\nlet q = "INSERT INTO downloads ...";\n'
    assert {one.text for one in sql_names("log.rs", text)} == set()
    assert read_sql("x.sql", b"INSERT INTO a.b.c.d VALUES (1)")
