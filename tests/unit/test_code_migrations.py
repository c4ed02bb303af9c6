"""Code migrations: tables that migrations in code make and change, and who uses them.

Owns: one case for each library, what takes back, what looks alike.
Must not know: how the text is read.
Invariant: an edge is there from both ends or from none.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of


def _title(snapshot: Snapshot, place: SymbolRef | DerivedNode | str) -> str:
    if isinstance(place, str):
        return place
    if isinstance(place, DerivedNode):
        return f"{place.file}#{place.name}"
    facts, row = snapshot.facts(place.file), place.definition
    return f"{place.file}:{qualified_name(facts, row) if row >= 0 else ''}"


def _declared(path: str, code: str) -> list[str]:
    snapshot = snapshot_of({path: code})
    assert snapshot.derivation is not None
    nodes = snapshot.derivation.nodes(snapshot, FilePath(path))
    return [f"{node.subkind} {node.name}" for node in nodes if node.kind == "artifact"]


def _links(files: Mapping[str, str]) -> list[str]:
    snapshot = snapshot_of(files)
    assert snapshot.derivation is not None
    found: list[str] = []
    for edge in (edge for path in snapshot.shards for edge in snapshot.derivation.edges_from(snapshot, path)):
        if edge.attributes.get("via") in ("sql", "table", "query", "document"):
            assert not isinstance(edge.target, str)
            fresh = snapshot_of(files)
            assert fresh.derivation is not None
            assert edge in fresh.derivation.edges_to(fresh, edge.target)
            found.append(f"{_title(snapshot, edge.source)} -> {_title(snapshot, edge.target)}")
    return sorted(found)


ALEMBIC = """from alembic import op
import sqlalchemy as sa


def upgrade():
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),  # and more
        sa.Column("mail", sa.String(length=20), server_default=sa.text("')'")),
        sa.PrimaryKeyConstraint("id"),
    )
    # op.add_column("users", sa.Column("nothing", sa.String()))
    op.add_column("users", sa.Column("name", sa.String()))
    with op.batch_alter_table("users") as batch_op:
        batch_op.add_column(sa.Column("age", sa.Integer()))
    op.alter_column("users", "name", new_column_name="full_name")


def downgrade():
    op.create_table("old", sa.Column("id", sa.Integer()))
    op.drop_table("users")
"""
RAILS = """class Make < ActiveRecord::Migration[7.0]
  def up
    create_table :users, id: :uuid do |t|
      t.string :mail, :name, null: false
      t.references :owner
      t.index [:mail]
      t.timestamps
    end
    add_column :users, :age, :integer
    add_reference :users, :team
  end

  def down
    create_table :old do |t|
      t.string :x
    end
  end
end
"""
KNEX = """exports.up = async (knex) => {
  await knex.schema.createTable("users", (t) => {
    t.increments("id");
    t.string("mail").notNullable();
    t.unique(["mail"]);
    t.dropColumn("x");
  });
  await knex.schema.alterTable("users", (t) => {
    t.integer("age");
  });
};
exports.down = async (knex) => {
  await knex.schema.createTable("old", (t) => {
    t.integer("id");
  });
};
"""
LARAVEL = """<?php
return new class extends Migration {
    public function up(): void
    {
        Schema::create('users', function (Blueprint $table) {
            $table->increments('id');
            $table->string('mail', 10)->unique('ix');
            $table->index('mail');
        });
        Schema::table('users', function (Blueprint $table) {
            $table->unsignedInteger('age');
        });
    }

    public function down(): void
    {
        Schema::create('old', function (Blueprint $table) {
            $table->string('x');
        });
    }
};
"""
SEQUELIZE = """module.exports = {
  up: async (queryInterface, S) => {
    await queryInterface.createTable("users", {
      id: { type: S.INTEGER, primaryKey: true },
      mail: S.STRING,
    });
    await queryInterface.addColumn("users", "age", { type: S.INTEGER });
  },
  down: async (queryInterface) => {
    await queryInterface.addColumn("users", "old", {});
  },
};
"""
DJANGO = """from django.db import migrations, models


class Migration(migrations.Migration):
    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.AutoField(primary_key=True)),
                ("mail", models.CharField(max_length=3)),
                ("owner", models.ForeignKey(on_delete=models.CASCADE, to="x.Y")),
                ("tags", models.ManyToManyField(to="x.Z")),
            ],
        ),
        migrations.CreateModel(
            name="Other",
            fields=[("id", models.AutoField())],
            options={"db_table": "others"},
        ),
        migrations.AddField(model_name="user", name="age", field=models.IntegerField()),
        migrations.RenameField(model_name="user", old_name="mail", new_name="address"),
    ]
"""


@pytest.mark.parametrize(
    ("path", "code", "declared"),
    [
        ("a/1.py", ALEMBIC, ["users", "users.id", "users.mail", "users.name", "users.age", "users.full_name"]),
        ("db/1.rb", RAILS, ["users", "users.mail", "users.name", "users.owner_id", "users.age", "users.team_id"]),
        ("m/1.js", KNEX, ["users", "users.id", "users.mail", "users.age"]),
        ("m/1.php", LARAVEL, ["users", "users.id", "users.mail", "users.age"]),
        ("m/1.js", SEQUELIZE, ["users", "users.id", "users.mail", "users.age"]),
        (
            "shop/migrations/1.py",
            DJANGO,
            ["shop_user", "shop_user.id", "shop_user.mail", "shop_user.owner_id", "others", "others.id",
             "shop_user.age", "shop_user.address"],
        ),
        ("a/1.py", 'op.create_table("users", Column("id"))\n', []),
        ("m/1.js", 'export const t = view.createTable("users", (t) => { t.string("x"); });\n', []),
    ],
)  # fmt: skip
def test_migrations_declare_tables_and_columns(path: str, code: str, declared: list[str]) -> None:
    assert _declared(path, code) == [f"{'column' if '.' in name else 'table'} {name}" for name in declared]


@pytest.mark.parametrize(
    ("path", "code"),
    [("db/1.py", ALEMBIC), ("db/1.rb", RAILS), ("db/1.js", KNEX), ("db/1.php", LARAVEL), ("db/1.js", SEQUELIZE)],
)
def test_statements_in_code_and_files_use_what_migrations_declare(path: str, code: str) -> None:
    files = {
        path: code,
        "q.py": 'def f(db):\n    db.run("select mail from users")\n',
        "db/2.sql": "create index ix on users (mail);\n",
    }
    links = _links(files)
    assert f"q.py:f -> {path}#users.mail" in links
    assert f"q.py:f -> {path}#users" in links
    assert any(link.endswith(f"-> {path}#users.mail") and link.startswith("db/2.sql") for link in links)


def test_a_change_leads_to_what_was_declared_before_and_to_the_model() -> None:
    files = {
        "a/1.py": ALEMBIC,
        "a/2.py": 'from alembic import op\n\n\ndef upgrade():\n    op.drop_column("users", "mail")\n',
        "models.py": 'class User(Base):\n    __tablename__ = "users"\n    mail = Column(String)\n',
    }
    links = _links(files)
    assert {"a/2.py:upgrade -> a/1.py#users.mail", "a/2.py:upgrade -> models.py:User.mail",
            "models.py:User.mail -> a/1.py#users.mail", "models.py:User -> a/1.py#users"} <= set(links)  # fmt: skip


def test_django_models_lead_to_the_tables_of_their_migrations() -> None:
    files = {
        "shop/migrations/0001.py": DJANGO,
        "shop/models.py": (
            "from django.db import models\n\n\nclass User(models.Model):\n    mail = models.CharField()\n"
            "    owner = models.ForeignKey('x.Y')\n"
        ),
    }
    links = _links(files)
    for name in ("User -> shop/migrations/0001.py#shop_user", "User.mail -> shop/migrations/0001.py#shop_user.mail",
                 "User.owner -> shop/migrations/0001.py#shop_user.owner_id"):  # fmt: skip
        assert f"shop/models.py:{name}" in links


@pytest.mark.parametrize(
    ("path", "code", "names"),
    [
        ("q.ts", 'export function f(knex, x) { return knex("users").where({ mail: x }).orderBy("age", "desc"); }\n',
         ["users", "users.age", "users.mail"]),
        ("q.ts", 'export const f = (db) => db.from("users").select("mail as m", "users.age").where("nothing", 1);\n',
         ["users", "users.age", "users.mail"]),
        ("q.ts", 'export const f = (list) => list.from.where("mail"); // knex("users").where("mail")\n', []),
        ("q.ts", 'export const f = (db) => db("users").where(db.raw("mail")).map("age");\n', ["users"]),
        ("q.php", "<?php\nfunction f() { DB::table('users')->where(['mail' => 1])->pluck('age'); }\n",
         ["users", "users.age", "users.mail"]),
        ("q.rb", "def f(x)\n  User.where(team: 1, mail: x).order(:age)\n  User.find_by(\"nothing\" => 1)\nend\n",
         ["users.age", "users.mail", "users.team_id"]),
    ],
)  # fmt: skip
def test_columns_that_queries_are_given(path: str, code: str, names: list[str]) -> None:
    links = _links({"db/1.sql": "create table users (mail text, age int, team_id int);\n", path: code})
    assert sorted({link.partition("#")[2] for link in links if link.startswith(path)}) == names


def test_conditions_lead_to_members_of_models() -> None:
    models = (
        "from django.db import models\n\n\nclass Base(models.Model):\n    mail = models.CharField()\n\n\n"
        "class User(Base):\n    age = models.IntegerField()\n    owner = models.ForeignKey('x.Y')\n"
    )
    code = (
        "from shop.models import User\n\n\ndef f(x):\n"
        "    found = User.objects.filter(Q(mail__iexact=x) | Q(age=1), owner_id=2)\n"
        "    return User.objects.exclude(nothing=1).order_by('-age') or found\n\n\n"
        "def g(users):\n    # User.objects.filter(mail=1)\n    return users.filter(mail=1)\n"
    )
    links = [link for link in _links({"shop/models.py": models, "q.py": code}) if link.startswith("q.py")]
    assert links == [
        "q.py:f -> shop/models.py:Base.mail",
        "q.py:f -> shop/models.py:User.age",
        "q.py:f -> shop/models.py:User.owner",
    ]
    alchemy = "class User(Base):\n    __tablename__ = 'users'\n    mail = Column(String)\n"
    code = "from m import User\n\n\ndef f(s):\n    return s.query(User).filter_by(mail=1).first()\n"
    assert "q.py:f -> m.py:User.mail" in _links({"m.py": alchemy, "q.py": code})
