"""What code and documents say of one another across languages is after edits what a fresh index says.

Owns: resolvers, schemas in code, what configuration says of them, migrations, conditions, folders, while each changes.
Must not know: how any of it is found.
Invariant: incremental equals from scratch, and each edge is there from both ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fixture_text import fixture
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.session.memory import snapshot_of
from increment.session_folder import session_over, settle, write

FILES = fixture("""
    --- path: api/schema.ts ---
    export const typeDefs = gql`type Query { me: User } type User { name: String }`;
    --- path: api/index.ts ---
    import { users } from "./users";
    export const resolvers = { Query: { ...users }, User: { name: () => 1 } };
    --- path: api/users.ts ---
    export const users = { me: () => 1 };
    --- path: web/one.graphql ---
    type Query { me: User }
    type User { name: String }
    --- path: web/two.graphql ---
    type Query { me: User }
    type User { name: String }
    --- path: web/page.ts ---
    export const ME = gql`query { me { ...Fields } }`;
    --- path: web/parts.ts ---
    export const fields = gql`fragment Fields on User { name }`;
    --- path: web/asked.graphql ---
    query Asked { me { name } }
    --- path: web/.graphqlrc.yml ---
    schema: one.graphql
    documents: "*.ts"
    --- path: shop/migrations/0001.py ---
    from django.db import migrations, models
    class Migration(migrations.Migration):
        operations = [migrations.CreateModel(name="User", fields=[("mail", models.CharField())])]
    --- path: shop/models.py ---
    from django.db import models
    class User(models.Model):
        mail = models.CharField()
    --- path: shop/views.py ---
    from shop.models import User
    def find(db, x):
        db.run("select mail from shop_user")
        return User.objects.filter(mail=x)
    --- path: db/more.sql ---
    select mail from shop_user;
    --- path: Dockerfile ---
    FROM x AS build
    COPY shop /shop
    --- path: native/a.cc ---
    #include <napi.h>
    Napi::Value Area(const I& i) { return i; }
    void Init(Napi::Env env, Napi::Object exports) { exports.Set("area", Napi::Function::New(env, Area)); }
    --- path: native/a.js ---
    const addon = require("./a.node");
    function run() { return addon.area(1); }
""").files
EDITS: tuple[Mapping[str, str], ...] = (
    {"api/users.ts": "export const users = { other: 1, me: () => 1 };\n"},
    {"api/schema.ts": "export const typeDefs = gql`type Query { you: User } type User { name: String }`;\n"},
    {"api/index.ts": "export const resolvers = { Query: { you: () => 1 } };\n"},
    {"web/.graphqlrc.yml": "schema: two.graphql\ndocuments: '*.ts'\n"},
    {"web/parts.ts": "// more\nexport const fields = gql`fragment Fields on User { name }`;\n"},
    {"web/two.graphql": "type Query { you: User }\ntype User { name: String }\n"},
    {"web/parts.ts": "export const parts = 1;\n"},
    {"shop/migrations/0001.py": "from django.db import migrations, models\n"},
    {"shop/models.py": "from django.db import models\nclass User(models.Model):\n    name = models.CharField()\n"},
    {"shop/views.py": "from shop.models import User\ndef find(x):\n    return User.objects.filter(name=x)\n"},
    {".dockerignore": "shop/models.py\n"},
    {"Dockerfile": "FROM x AS build\nCOPY api /api\n"},
    {"native/a.cc": "int area(int a) { return a; }\n"},
)
NO_EDIT: Mapping[str, str] = {}
VIAS = ("graphql", "table", "sql", "query", "folder", "ffi", "document")


def _derived(snapshot: Snapshot) -> list[str]:
    assert snapshot.derivation is not None
    derivation = snapshot.derivation
    nodes = [repr(node) for path in snapshot.shards for node in derivation.nodes(snapshot, path)]
    return nodes + [repr(edge) for path in snapshot.shards for edge in derivation.edges_from(snapshot, path)]


def _count(snapshot: Snapshot) -> int:
    """How many edges there are, each of which is there from its end too."""
    assert snapshot.derivation is not None
    derivation = snapshot.derivation
    edges = [edge for path in snapshot.shards for edge in derivation.edges_from(snapshot, path)]
    places = [SymbolRef(path, row) for path, shard in snapshot.shards.items()
              for row in range(-1, len(snapshot.facts(path).definitions) if shard.language else 0)]  # fmt: skip
    for place in (*places, *derivation.all_nodes(snapshot)):
        found = sorted(map(repr, derivation.edges_to(snapshot, place)))
        assert found == sorted(repr(edge) for edge in edges if edge.target == place), place
    return sum(edge.attributes.get("via") in VIAS for edge in edges)


def test_what_languages_say_of_one_another_follows_edits(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    counts: list[int] = []
    with session_over(tmp_path) as session:
        for edit in (NO_EDIT, *EDITS):
            for path, text in edit.items():
                session.open(FilePath(path), text.encode())
            snapshot = settle(session)
            files = {str(path): snapshot.text(path) or b"" for path in snapshot.shards}
            assert _derived(snapshot) == _derived(snapshot_of(files, name=snapshot.name)), edit
            counts.append(_count(snapshot))
    assert counts == [21, 21, 20, 20, 20, 20, 20, 17, 11, 10, 10, 9, 10, 9]
