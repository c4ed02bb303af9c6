"""Table contracts: statements and models in code lead to tables, and tables back to the code.

Owns: strings of several languages, models of several libraries, schemas of Prisma with their clients, what stays open.
Must not know: how SQL is read.
Invariant: an edge is there from both ends or from none.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.edges import RawEdge
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.definition import definition
from graphls.queries.document_uses import document_spans, entries_named
from graphls.queries.impact import ImpactQuery, impact
from graphls.session.memory import snapshot_of

SCHEMA = """create table users (id int, first_name text, mail text);
create table shop.orders (id int, total_cents int, owner_id int);
"""
VIAS = ("sql", "table")


def _title(snapshot: Snapshot, place: SymbolRef | DerivedNode | str) -> str:
    if isinstance(place, str):
        return place
    if isinstance(place, DerivedNode):
        return f"{place.file}#{place.name}"
    return (
        f"{place.file}:{qualified_name(snapshot.facts(place.file), place.definition) if place.definition >= 0 else ''}"
    )


def _edges(snapshot: Snapshot) -> list[RawEdge]:
    assert snapshot.derivation is not None
    edges = [edge for path in snapshot.shards for edge in snapshot.derivation.edges_from(snapshot, path)]
    found = [edge for edge in edges if edge.attributes.get("via") in VIAS]
    for edge in found:
        assert not isinstance(edge.target, str)
        assert edge in snapshot.derivation.edges_to(snapshot, edge.target)
    return found


def _links(files: Mapping[str, str]) -> list[str]:
    snapshot = snapshot_of(files)
    return sorted(
        f"{_title(snapshot, edge.source)} -> {_title(snapshot, edge.target)}{' ?' if edge.ambiguous else ''}"
        for edge in _edges(snapshot)
    )


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.py", 'def f(db, x):\n    db.run(f"select mail from users where {x}")\n'),
        ("a.py", 'def f(db):\n    db.run("select mail " "from users " "where id = %s" % 1)\n'),
        ("a.py", 'def f(db):\n    db.run("""\n      -- who\n      SELECT u.mail FROM users u""")\n'),
        ("a.ts", "export function f(db) { db.query(`update users set mail = ${1}`) }\n"),
        ("a.ts", 'export function f(db, c) { db.query("select mail from users where " + c + " and 1=1") }\n'),
        ("a.go", 'package a\n\nfunc f(db DB) { db.Query(`\n  select mail from "users" where id = $1`) }\n'),
        ("A.java", 'class f {\n  String q = "select mail "\n    + "from users";\n}\n'),
        ("a.cs", 'class f { string Q = @"select mail from users where ""id"" = @id"; }\n'),
        ("a.rs", 'fn f(db: Db) { query!(r#"select mail from "users""#) }\n'),
        ("a.rb", "def f\n  db.execute(<<~SQL)\n    select mail from users\n  SQL\nend\n"),
        ("a.php", "<?php\nfunction f($db) { $db->query(\"select mail from users where id = {$db->id}\"); }\n"),
        ("a.kt", 'fun f(db: Db) = db.query("""select mail from users""")\n'),
    ],
)  # fmt: skip
def test_statements_in_strings_name_tables_and_columns(path: str, code: str) -> None:
    links = _links({"db/1.sql": SCHEMA, path: code})
    assert f"{path}:f -> db/1.sql#users" in links
    assert f"{path}:f -> db/1.sql#users.mail" in links


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.py", 'def f(db):\n    # db.run("select mail from users")\n    return "selected from users"\n'),
        ("a.py", 'def f(db):\n    """Runs "select mail from users" and more."""\n'),
        ("a.ts", '// "select mail from users"\nexport const f = 1\n'),
        ("a.py", 'def f(db, table):\n    db.run(f"select mail from {table}")\n'),
        ("a.py", 'def f(db, table):\n    db.run(f"select mail from {table}, users")  # whose?\n'),
        ("a.ts", 'export const f = Array.from("users")\n'),
    ],
)
def test_what_is_no_statement_or_leaves_it_open_names_nothing(path: str, code: str) -> None:
    links = _links({"db/1.sql": SCHEMA, path: code})
    assert f"{path}:f -> db/1.sql#users.mail" not in links


@pytest.mark.parametrize(
    ("path", "code", "links"),
    [
        (
            "m.py",
            ('class U(Base):\n    __tablename__ = "users"\n    id: Mapped[int] = mapped_column()\n'
            '    name = Column("first_name", Text)\n    note = 1\n'),
            ["m.py:U -> db/1.sql#users", "m.py:U.id -> db/1.sql#users.id", "m.py:U.name -> db/1.sql#users.first_name"],
        ),
        (
            "shop/models.py",
            "from django.db import models\nclass Orders(models.Model):\n    owner = models.ForeignKey(Owner)\n",
            [
                "shop/models.py:Orders -> db/2.sql#shop_orders",
                "shop/models.py:Orders.owner -> db/2.sql#shop_orders.owner_id",
            ],
        ),
        (
            "shop/models.py",
            ('from django.db import models\nclass A(models.Model):\n    mail = models.TextField()\n'
            '    class Meta:\n        db_table = "users"\n'),
            ["shop/models.py:A -> db/1.sql#users", "shop/models.py:A.mail -> db/1.sql#users.mail"],
        ),
        (
            "m.ts",
            ('@Entity({ name: "users" })\nexport class U {\n  @Column({ name: "first_name" }) first: string\n'
            '  other = 1\n}\n'),
            ["m.ts:U -> db/1.sql#users", "m.ts:U.first -> db/1.sql#users.first_name"],
        ),
        ("m.ts", 'export const users = pgTable("users", { id: serial("id") })\n', ["m.ts:users -> db/1.sql#users"]),
        (
            "O.java",
            ('@Entity @Table(name = "orders", schema = "shop")\nclass O {\n  @Column(name = "total_cents") int total;\n'
            '  int ownerId;\n}\n'),
            [
                "O.java:O -> db/1.sql#shop.orders",
                "O.java:O.ownerId -> db/1.sql#shop.orders.owner_id",
                "O.java:O.total -> db/1.sql#shop.orders.total_cents",
            ],
        ),
        (
            "o.cs",
            ('[Table("orders", Schema = "shop")]\nclass O {\n'
            '  [Column("total_cents")] public int Total { get; set; }\n}\n'),
            ["o.cs:O -> db/1.sql#shop.orders", "o.cs:O.Total -> db/1.sql#shop.orders.total_cents"],
        ),
        (
            "u.go",
            ('package a\n\ntype U struct { Name string `gorm:"column:first_name"` }\n'
            '\nfunc (U) TableName() string { return "users" }\n'),
            ["u.go:U -> db/1.sql#users", "u.go:U.Name -> db/1.sql#users.first_name"],
        ),
        (
            "u.rs",
            "#[diesel(table_name = users)]\npub struct U { mail: String }\n",
            ["u.rs:U -> db/1.sql#users", "u.rs:U.mail -> db/1.sql#users.mail"],
        ),
        ("u.rb", 'class U < ApplicationRecord\n  self.table_name = "users"\nend\n', ["u.rb:U -> db/1.sql#users"]),
        ("u.rb", "class User < ApplicationRecord\nend\n", ["u.rb:User -> db/1.sql#users"]),
        ("u.php", "<?php\nclass U extends Model { protected $table = 'users'; }\n", ["u.php:U -> db/1.sql#users"]),
        (
            "u.kt",
            'object U : Table("users") { val mail = text("mail") }\n',
            ["u.kt:U -> db/1.sql#users", "u.kt:U.mail -> db/1.sql#users.mail"],
        ),
        ("u.rb", "class Mouse < ApplicationRecord\nend\n", []),
    ],
)  # fmt: skip
def test_models_stand_for_tables(path: str, code: str, links: list[str]) -> None:
    more = "create table shop_orders (id int, owner_id int);\n"
    assert _links({"db/1.sql": SCHEMA, "db/2.sql": more, path: code}) == links


MODEL = 'class User(Base):\n    __tablename__ = "users"\n    mail = Column("mail_address", Text)\n'
QUERY = 'def find(db):\n    return db.run("select mail_address from users")\n'


def test_without_sql_files_statements_name_models_and_what_depends_on_these_is_reached() -> None:
    files = {"m.py": MODEL, "q.py": QUERY}
    assert _links(files) == ["q.py:find -> m.py:User", "q.py:find -> m.py:User.mail"]
    snapshot = snapshot_of(files)
    model = next(edge.target for edge in _edges(snapshot) if edge.sites[0][1] == QUERY.index("users"))
    assert isinstance(model, SymbolRef)
    reached = impact(snapshot, ImpactQuery(model)).affected
    assert [_title(snapshot, one.node) for one in reached if isinstance(one.node, SymbolRef)] == ["q.py:find"]


def test_a_name_in_a_statement_answers_in_an_editor() -> None:
    snapshot = snapshot_of({"db/1.sql": SCHEMA, "a.py": 'X = "select mail from users"\n'})
    found = definition(snapshot, FilePath("a.py"), 12)
    assert found is not None
    assert [(place.file, place.start) for place in found.places] == [("db/1.sql", SCHEMA.index("mail"))]
    entry = entries_named(snapshot, FilePath("db/1.sql"), "users.mail")[0]
    assert document_spans(snapshot, entry) == [("a.py", 12, 16)]


def test_of_several_databases_the_nearest_counts_and_far_ones_are_possible() -> None:
    one, two = "create table users (id int);\n", 'Q = "select id from users"\n'
    files = {"a/db/1.sql": one, "b/db/1.sql": one, "b/web/q.py": two, "c/q.py": two}
    assert _links(files) == [
        "b/web/q.py: -> b/db/1.sql#users",
        "b/web/q.py: -> b/db/1.sql#users.id",
        "c/q.py: -> b/db/1.sql#users ?",
        "c/q.py: -> b/db/1.sql#users.id ?",
    ]


def test_a_table_that_code_creates_leads_there() -> None:
    files = {
        "make.py": 'def make(db):\n    db.run("create table if not exists notes (id int)")\n',
        "read.py": 'def read(db):\n    db.run("select id from notes")\n    db.insert(table="notes")\n',
    }
    assert _links(files) == ["read.py:read -> make.py:make"]


PRISMA = """// the shop
model User {
  id    Int    @id @map("user_id")
  role  Role   @default(ADMIN)
  posts Post[] // all
  @@map("users")
}
model Post {
  id      Int
  ownerId Int
  owner   User @relation(fields: [ownerId], references: [id])
  @@index([ownerId, id(ops: raw("x"))])
}
enum Role {
  ADMIN
}
"""
TABLES = 'create table users (user_id int, role text);\ncreate table "Post" (id int, "ownerId" int);\n'
CLIENT = """import { User as U, type Role } from "@prisma/client";
export const one = (tx) => tx.user.create({});
export const two = (anything) => anything.post.findMany({});
export const three = (map) => map.user.delete(1);
"""


def test_schemas_of_prisma_stand_between_tables_and_clients() -> None:
    files = {"schema.prisma": PRISMA, "migrations/1.sql": TABLES, "web/c.ts": CLIENT}
    assert _links(files) == [
        "web/c.ts: -> schema.prisma#Role",
        "web/c.ts: -> schema.prisma#User",
        "web/c.ts:one -> schema.prisma#User",
        "web/c.ts:two -> schema.prisma#Post",
    ]
    snapshot = snapshot_of(files)
    assert snapshot.derivation is not None
    edges = snapshot.derivation.edges_from(snapshot, FilePath("schema.prisma"))
    links = [f"{_title(snapshot, edge.source)} -> {_title(snapshot, edge.target)}" for edge in edges if edge.sites]
    assert sorted(link.replace("schema.prisma#", "").replace("migrations/1.sql#", "db.") for link in links) == [
        "Post -> Post.id",
        "Post -> Post.ownerId",
        "Post -> db.Post",
        "Post.id -> db.Post.id",
        "Post.owner -> Post.ownerId",
        "Post.owner -> User",
        "Post.owner -> User.id",
        "Post.ownerId -> db.Post.ownerId",
        "User -> db.users",
        "User.id -> db.users.user_id",
        "User.posts -> Post",
        "User.role -> Role",
        "User.role -> Role.ADMIN",
        "User.role -> db.users.role",
    ]
