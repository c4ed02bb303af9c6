"""What is derived after edits is what a fresh index derives: names, fixtures and targets in other files come and go."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from fixture_text import fixture
from graphls.analysis.frameworks.derivation import FrameworkDerivation
from graphls.analysis.frameworks.derivation_cache import DerivationResult, restore
from graphls.analysis.frameworks.deriving import FileDeriver
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_from, edges_to
from graphls.graph.identity import end_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of
from graphls.session.session import Session
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over, settle, write

FILES = fixture("""
    --- path: app.py ---
    from flask import Flask
    from views import index

    app = Flask("app")
    app.add_url_rule("/", view_func=index)
    BACKEND = "backends.Fast"
    --- path: views.py ---
    def index(): ...
    --- path: backends.py ---
    class Slow: ...
    --- path: tests/conftest.py ---
    import pytest
    --- path: tests/test_app.py ---
    def test_app(client): ...
""").files

EDITS: tuple[Mapping[str, str], ...] = (
    {"backends.py": "class Slow: ...\nclass Fast: ...\n"},
    {"tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef client(): ...\n"},
    {"views.py": "from flask import Blueprint\nbp = Blueprint('b', 'b', url_prefix='/b')\ndef index(): ...\n"},
    {"app.py": "from views import bp\n\n@bp.route('/inner')\ndef inner(): ...\n"},
    {"views.py": "from flask import Blueprint\nbp = Blueprint('b', 'b', url_prefix='/c')\n"},
    {"tests/conftest.py": "import pytest\n\ndef client(): ...\n"},
    {"backends.py": ""},
)

WEB = fixture("""
    --- path: web/app.ts ---
    import express from "express"
    import { router } from "./router"
    const app = express()
    app.use("/first", router)
    --- path: web/router.ts ---
    import { Router } from "express"
    import { shown } from "./shown"
    export const router = Router()
    router.get("/shown", shown)
    --- path: web/shown.ts ---
    export const shown = () => 1
""").files
MOUNTING = "import express from 'express'\nimport { router } from './router'\nconst app = express()\n"
WEB_EDITS: tuple[Mapping[str, str], ...] = (
    {"web/app.ts": MOUNTING + "app.use('/second', router)\n"},
    {"web/app.ts": MOUNTING + "app.use('/second', router)\napp.use('/third', router)\n"},
    {"web/app.ts": MOUNTING},
    {
        "web/shown.ts": MOUNTING.replace("./router", "./router.js")
        + "app.use('/shown', router)\nexport const shown = 1\n"
    },
)

FAR = fixture("""
    --- path: api.py ---
    from fastapi import FastAPI
    from prefixes import PREFIX
    app = FastAPI()
    @app.get(PREFIX + "/one")
    def one(): ...
    --- path: prefixes.py ---
    PREFIX = "/api"
    --- path: web/call.ts ---
    export const call = () => fetch("/api/one")
    export const key = process.env.KEY
    --- path: .env ---
    KEY=1
    --- path: shop.proto ---
    package shop;
    service Cart { rpc Add(Cart) returns (Cart); }
    --- path: serve.py ---
    import shop_pb2_grpc
    class Served(shop_pb2_grpc.CartServicer):
        def Add(self): ...
""").files
FAR_EDITS: tuple[Mapping[str, str], ...] = (
    {"prefixes.py": "PREFIX = '/other'\n"},
    {
        "web/call.ts": "const one = 'one'\nexport const call = () => fetch(`/other/${one}`)\n"
        "export const more = () => fetch('/other/one')\n"
    },
    {".env": "OTHER=1\n"},
    {"prefixes.py": "PREFIX = '/other'\nPREFIX = '/third'\n"},
    {"shop.proto": "package shop;\nservice Cart { rpc Take(Cart) returns (Cart); }\n"},
    {"serve.py": "import shop_pb2_grpc\nclass Served(shop_pb2_grpc.CartServicer):\n    def Take(self): ...\n"},
    {".env": "KEY=1\n", "web/call.ts": "export const key = process.env.KEY\n"},
)

DOCUMENTS = fixture("""
    --- path: db/1.sql ---
    create table users (id int);
    --- path: db/2.sql ---
    select id from users;
    --- path: a.graphql ---
    type Query { user: User }
    type User { id: ID }
    --- path: q.graphql ---
    { user { id name } }
    --- path: schema.prisma ---
    model User {
      id Int @id
      @@map("users")
    }
    --- path: store.py ---
    class User(Base):
        __tablename__ = "users"
        id: Mapped[int] = mapped_column()

    def find(db):
        return db.execute("select id from users")
    --- path: store.ts ---
    export const all = (prisma) => prisma.user.findMany()
    --- path: a.rst ---
    .. _one:

    One
    ===

    See :ref:`two`.
    --- path: b.rst ---
    .. _two:

    Two
    ===

    See :ref:`one`.
""").files
DOCUMENT_EDITS: tuple[Mapping[str, str], ...] = (
    {"a.graphql": "type Query { user: User }\ntype User { name: ID }\n"},
    {"b.graphql": "extend type User { id: ID }\n"},
    {"b.graphql": "type User { id: ID }\n"},
    {"db/1.sql": "-- here\ncreate table users (id int);\n"},
    {"db/0.sql": "create table users (mail text);\n"},
    {"b.rst": "Nothing\n"},
    {"store.py": "def find(db):\n    return db.execute('select mail, id from users')\n"},
    {"schema.prisma": 'model User {\n  key Int @id @map("id")\n  @@map("users")\n}\nmodel Post {\n}\n'},
    {"store.ts": "export const all = (prisma) => prisma.post.findMany()\n"},
    {"db/1.sql": "create table people (id int);\n", "db/0.sql": ""},
)

DJANGO: Mapping[str, str] = {
    "site/urls.py": "from django.urls import include, path\nurlpatterns = [path('shop/', include('shop.urls'))]\n",
    "shop/urls.py": "from django.urls import path\nurlpatterns = [path('all/', view)]\n",
}
_SITE = "from django.urls import include, path\nurlpatterns = ["
DJANGO_EDITS: tuple[Mapping[str, str], ...] = (
    {"site/urls.py": f"{_SITE}path('store/', include('shop.urls'))]\n"},
    {"shop/urls.py": "from django.urls import path\nurlpatterns = [path('', view)]\n"},
    {"other/urls.py": f"{_SITE}path('again/', include('shop.urls'))]\n"},
    {"site/urls.py": f"{_SITE}]\n"},
)

NO_EDIT: Mapping[str, str] = {}


def derived(snapshot: Snapshot) -> list[str]:
    assert snapshot.derivation is not None
    found = [repr(node) for path in snapshot.shards for node in snapshot.derivation.nodes(snapshot, path)]
    return found + [repr(edge) for path in snapshot.shards for edge in snapshot.derivation.edges_from(snapshot, path)]


def agreeing(snapshot: Snapshot) -> bool:
    """Asked for a place, the snapshot gives what it gives for the files."""
    assert snapshot.derivation is not None
    derivation = snapshot.derivation
    edges = [edge for path in snapshot.shards for edge in derivation.edges_from(snapshot, path)]
    places = {SymbolRef(path, row) for path, shard in snapshot.shards.items() if shard.language
              for row in range(-1, len(snapshot.facts(path).definitions))}  # fmt: skip
    return all(
        list(derivation.edges_to(snapshot, place)) == [edge for edge in edges if edge.target == place]
        for place in places
    )


def fresh(snapshot: Snapshot) -> list[str]:
    files = {str(path): snapshot.text(path) or b"" for path in snapshot.shards}
    return derived(snapshot_of(files, name=snapshot.name))


def test_incremental_equals_from_scratch(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    seen: set[tuple[str, ...]] = set()
    with session_over(tmp_path) as session:
        for edit in (NO_EDIT, *EDITS):
            snapshot = _edited(session, edit)
            found = derived(snapshot)
            assert found == fresh(snapshot), edit
            assert agreeing(snapshot), edit
            seen.add(tuple(found))
    assert len(seen) > len(EDITS) - 1


def _names_after(
    root: Path, files: Mapping[str, str], edits: tuple[Mapping[str, str], ...], path: FilePath | None = None
) -> list[list[str]]:
    """What is derived is called after no edit and each of some, in one file or all; each time as from scratch."""
    write(root, files)
    names: list[list[str]] = []
    with session_over(root) as session:
        for edit in (NO_EDIT, *edits):
            snapshot = _edited(session, edit)
            assert derived(snapshot) == fresh(snapshot), edit
            assert agreeing(snapshot), edit
            derivation = snapshot.derivation
            assert derivation is not None
            nodes = derivation.all_nodes(snapshot) if path is None else derivation.nodes(snapshot, path)
            names.append([node.name for node in nodes])
    return names


def test_routes_follow_what_mounts_them(tmp_path: Path) -> None:
    paths = _names_after(tmp_path, WEB, WEB_EDITS)
    assert paths == [
        ["GET /first/shown"],
        ["GET /second/shown"],
        ["GET /second/shown", "GET /third/shown"],
        ["GET /shown"],
        ["GET /shown/shown"],
    ]


def test_routes_of_django_follow_the_strings_that_include_them(tmp_path: Path) -> None:
    paths = _names_after(tmp_path, DJANGO, DJANGO_EDITS, FilePath("shop/urls.py"))
    assert paths == [["shop/all/"], ["store/all/"], ["store/"], ["again/", "store/"], ["again/"]]


GO = {
    "go.mod": "module shop\n",
    "main.go": 'package main\n\nimport (\n\t"github.com/gin-gonic/gin"\n\t"shop/users"\n)\n\n'
    'func main() {\n\tr := gin.Default()\n\tusers.Register(r.Group("/users"))\n}\n',
    "users/users.go": 'package users\n\nimport "github.com/gin-gonic/gin"\n\n'
    'func Register(g *gin.RouterGroup) {\n\tg.GET("/all", list)\n}\n\nfunc list(c *gin.Context) {}\n',
}
GO_EDITS = (
    {"main.go": GO["main.go"].replace("/users", "/people", 2).replace("shop/people", "shop/users")},
    {"users/users.go": GO["users/users.go"].replace("/all", "/each").replace("list", "each")},
    {"main.go": 'package main\n\nimport "github.com/gin-gonic/gin"\n\nfunc main() {\n\tgin.Default()\n}\n'},
)
RAILS = {
    "config/routes.rb": "Rails.application.routes.draw do\n  resources :users, only: :show\nend\n",
    "app/controllers/application_controller.rb": "class ApplicationController\nend\n",
}
RAILS_EDITS = (
    {"app/controllers/users_controller.rb": "class UsersController < ApplicationController\n  def show; end\nend\n"},
    {"app/controllers/users_controller.rb": "class UsersController < ApplicationController\n  def index; end\nend\n"},
    {"config/routes.rb": "Rails.application.routes.draw do\n  resources :users, only: :index\nend\n"},
)


HANDED = {
    "routes.js": "const all = require('./all')\nmodule.exports = (app) => { app.get('/all', all) }\n",
    "all.js": "module.exports = function all() {}\n",
    "main.js": "const express = require('express')\nconst app = express()\nfunction start() {}\n",
}
HANDED_EDITS = (
    {"main.js": HANDED["main.js"].replace("{}", "{ require('./routes')(app) }")},
    {"routes.js": HANDED["routes.js"].replace("/all", "/each", 2).replace("./each", "./all")},
    {"main.js": HANDED["main.js"].replace("{}", "{ require('./routes')(new Map()) }")},
)


def test_routes_follow_who_hands_the_application_on(tmp_path: Path) -> None:
    paths = _names_after(tmp_path, HANDED, HANDED_EDITS)
    assert paths == [[], ["GET /all"], ["GET /each"], []]


def test_routes_of_go_follow_who_gives_their_router(tmp_path: Path) -> None:
    paths = _names_after(tmp_path, GO, GO_EDITS)
    assert paths == [["GET /users/all"], ["GET /people/all"], ["GET /people/each"], ["GET /each"]]


def test_routes_of_resources_follow_their_controllers(tmp_path: Path) -> None:
    paths = _names_after(tmp_path, RAILS, RAILS_EDITS)
    assert paths == [*[["GET /users/:id"]] * 3, ["GET /users"]]


def test_code_follows_what_other_files_offer(tmp_path: Path) -> None:
    write(tmp_path, FAR)
    counts: list[int] = []
    with session_over(tmp_path) as session:
        for edit in (NO_EDIT, *FAR_EDITS):
            snapshot = _edited(session, edit)
            assert derived(snapshot) == fresh(snapshot), edit
            assert agreeing(snapshot), edit
            assert snapshot.derivation is not None
            edges = (edge for path in snapshot.shards for edge in snapshot.derivation.edges_from(snapshot, path))
            counts.append(sum(edge.attributes.get("via") in ("http", "rpc", "key") for edge in edges))
    assert counts == [3, 2, 3, 3, 1, 0, 1, 2]


def test_documents_follow_what_others_of_their_format_declare(tmp_path: Path) -> None:
    write(tmp_path, DOCUMENTS)
    counts: list[int] = []
    with session_over(tmp_path) as session:
        for edit in (NO_EDIT, *DOCUMENT_EDITS):
            snapshot = _edited(session, edit)
            assert derived(snapshot) == fresh(snapshot), edit
            assert agreeing(snapshot), edit
            assert snapshot.derivation is not None
            edges = [edge for path in snapshot.shards for edge in snapshot.derivation.edges_from(snapshot, path)]
            for node in snapshot.derivation.all_nodes(snapshot):
                found = list(snapshot.derivation.edges_to(snapshot, node))
                assert found == [edge for edge in edges if edge.target == node], (edit, node.name)
            counts.append(sum(edge.kind == "references" or edge.kind == "documents" for edge in edges))
    assert counts == [16, 16, 18, 17, 17, 17, 15, 12, 12, 12, 5]


def test_a_place_is_asked_for_between_edits(tmp_path: Path) -> None:
    """Nothing but places is asked for, so what is known is taken over from snapshots that derived little."""
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        for edit in (NO_EDIT, *EDITS):
            assert agreeing(_edited(session, edit)), edit


@pytest.mark.parametrize(
    ("edited", "text", "anew"),
    [
        ("views.py", "def index():\n    return 1\n", {"app.py", "views.py"}),
        ("app.py", "app = 1\n", {"app.py"}),
        ("tests/test_app.py", "def test_app(client):\n    return 1\n", {"tests/test_app.py"}),
        ("tests/conftest.py", "import pytest  # here\n", {"tests/conftest.py", "tests/test_app.py"}),
    ],
)
def test_an_edit_derives_anew_what_rests_on_it(tmp_path: Path, edited: str, text: str, anew: set[str]) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        before = settle(session)
        known = taken(before)
        after = _edited(session, {edited: text})
        found = taken(after)
        assert {path for path in FILES if found[path] is not known[path]} == anew


def taken(snapshot: Snapshot) -> dict[str, object]:
    """What is derived from each file; the empty derivation too is one of its own."""
    assert isinstance(snapshot.derivation, FrameworkDerivation)
    return {path: snapshot.derivation.result(snapshot, FilePath(path)) for path in FILES}


def test_one_place_is_answered_before_anything_else(tmp_path: Path) -> None:
    """Asked for one place first, a snapshot answers as it does after everything was asked."""
    write(tmp_path, {**FILES, **EDITS[0], **EDITS[1]})
    with session_over(tmp_path) as session:
        warm = settle(session)
        known = (edge for path in warm.shards for edge in edges_from(warm, path))
        edges = [edge for edge in known if edge.provenance == "derived_advisory"]
        targets = {edge.target for edge in edges if isinstance(edge.target, SymbolRef)}
        assert len(targets) == 3
    for target in sorted(targets, key=lambda place: place.file):
        with session_over(tmp_path) as session:
            found = [edge for edge in edges_to(settle(session), target) if edge.provenance == "derived_advisory"]
            assert found == [edge for edge in edges if edge.target == target]


def _edited(session: Session, edit: Mapping[str, str]) -> Snapshot:
    for path, text in edit.items():
        session.open(FilePath(path), text.encode())
    return settle(session)


LATE = fixture("""
    --- path: web/late.ts ---
    import { made } from "./made"
    made().app.get("/late", () => 1)
    --- path: web/made.ts ---
    import express from "express"
    export class Made { app = express() }
    export function made() { return new Made() }
    --- path: other.py ---
    def other(): ...
""").files


@pytest.mark.parametrize(
    ("edited", "text", "anew"),
    [
        ("other.py", "def another(): ...\n", False),
        ("web/made.ts", "export class Made { app = 1 }\nexport function made() { return new Made() }\n", True),
    ],
)
def test_inferred_types_rest_on_what_was_looked_at(tmp_path: Path, edited: str, text: str, anew: bool) -> None:
    late = FilePath("web/late.ts")
    write(tmp_path, LATE)
    with session_over(tmp_path) as session:
        before = settle(session)
        assert isinstance(before.derivation, FrameworkDerivation)
        known = before.derivation.result(before, late)
        assert FilePath("web/made.ts") in known.dependencies.surfaces
        after = _edited(session, {edited: text})
        assert isinstance(after.derivation, FrameworkDerivation)
        assert (after.derivation.result(after, late) is not known) == anew
        assert derived(after) == fresh(after)


TESTED = fixture("""
    --- path: web/counted.ts ---
    export function counted(n: number): number {
      return n
    }
    export function other() {}
    --- path: web/counted.test.ts ---
    import { counted } from "./counted"
    describe("all", () => {
      it("counts", () => { counted(1) })
    })
""").files
COUNTED = TESTED["web/counted.ts"].decode()


@pytest.mark.parametrize(
    ("text", "anew"),
    [
        (COUNTED.replace("return n", "return n + 1"), False),
        (COUNTED.replace("return n", "return n; let more = 1"), True),
        ("export function other() {}\n" + COUNTED.replace("export function other() {}", ""), True),
        (COUNTED.replace("function counted(n: number): number {", "const counted = 1; {"), True),
    ],
)
def test_tests_rest_on_which_things_there_are(tmp_path: Path, text: str, anew: bool) -> None:
    """What happens inside of what a test calls is nothing to the test."""
    tests = FilePath("web/counted.test.ts")
    write(tmp_path, TESTED)
    with session_over(tmp_path) as session:
        before = settle(session)
        assert isinstance(before.derivation, FrameworkDerivation)
        known = before.derivation.result(before, tests)
        assert any(edge.kind == "tests" for edge in known.found.edges)
        after = _edited(session, {"web/counted.ts": text})
        assert isinstance(after.derivation, FrameworkDerivation)
        assert (after.derivation.result(after, tests) is not known) == anew
        assert derived(after) == fresh(after)
        assert agreeing(after)


@pytest.mark.parametrize("edits", [EDITS, WEB_EDITS])
def test_another_run_takes_over_what_holds(
    tmp_path: Path, edits: tuple[Mapping[str, str], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was edited between two runs, what is derived is what a fresh index derives."""
    root, made = tmp_path / "root", list[str]()
    write(root, {**FILES, **WEB})
    derive = FileDeriver.derive

    def counted(self: FileDeriver, path: FilePath) -> DerivationResult:
        made.append(path)
        return derive(self, path)

    monkeypatch.setattr(FileDeriver, "derive", counted)
    with closing(BlobStore(StoreOptions(folder=str(tmp_path / "cache")))) as store:
        for number, edit in enumerate((NO_EDIT, NO_EDIT, *edits, NO_EDIT)):
            write(root, edit)
            made.clear()
            with session_over(root, store) as session:
                snapshot = settle(session)
                found = derived(snapshot)
                again = sorted(made)
                assert agreeing(snapshot), edit
            assert found == fresh(snapshot), edit
            if number and edit is NO_EDIT:
                assert again == []
            elif number:
                assert set(edit) <= set(again) < {*FILES, *WEB}, edit


def test_bytes_of_another_kind_are_not_taken_over(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        found = derived(snapshot)
        assert isinstance(snapshot.derivation, FrameworkDerivation)
        raw = snapshot.derivation.stored(snapshot, 1) or b""
        assert snapshot.derivation.stored(snapshot, 1) is None
        digest = snapshot.derivation.digest
    whole = restore(snapshot, digest, raw)
    assert set(whole) == set(snapshot.shards)
    assert restore(snapshot, "other", raw) == {}
    for cut in range(0, len(raw), 7):
        assert restore(snapshot, digest, raw[:cut]) == {}
        assert restore(snapshot, digest, raw[:cut] + b"\1" + raw[cut + 1 :]).keys() <= whole.keys()
    assert [repr(edge) for path in snapshot.shards for edge in whole[path].found.edges] == found[-sum(
        len(held.found.edges) for held in whole.values()) :]  # fmt: skip


def test_what_leads_to_a_place_under_another_name_is_asked_for_too() -> None:
    """Derived edges of files that do not spell the name were missing until something else derived from these files."""
    files = {
        "lib/app.js": "function build (options) { return options }\nmodule.exports = build\n",
        "test/app.test.js": "const { test } = require('node:test')\nconst make = require('../lib/app')\n"
        "test('it is made', () => { make({}) })\n",
    }
    asked_first, derived_first = snapshot_of(files), snapshot_of(files)
    assert derived_first.derivation is not None
    derived_first.derivation.all_nodes(derived_first)
    first, second = (
        sorted((edge.kind, end_name(snapshot, edge.source)) for edge in edges_to(snapshot, place))
        for snapshot in (asked_first, derived_first)
        for place in (one_symbol(snapshot, "lib/app.js:build"),)
    )
    assert ("tests", "test it is made") in second
    assert first == second


@pytest.mark.parametrize("member", ["Base.get", "Shown.post", "Orders.paid", "Orders.list"])
def test_a_method_knows_the_route_that_its_class_handles(member: str) -> None:
    """Neither the file that registers a class nor one that extends it spells the method's name."""
    files = {
        "shop/base.py": "class Base:\n    def get(self, request): ...\n",
        "shop/views.py": "from django.views import View\nfrom rest_framework.decorators import action\n"
        "from rest_framework.viewsets import ViewSet\nfrom shop.base import Base\n\n"
        "class Shown(Base, View):\n    def post(self, request): ...\n\n"
        "class Orders(ViewSet):\n    def list(self, request): ...\n\n"
        "    @action(detail=True)\n    def paid(self, request): ...\n",
        "shop/urls.py": "from django.urls import path\nfrom rest_framework.routers import SimpleRouter\n"
        "from shop import views\n\nrouter = SimpleRouter()\nrouter.register('orders', views.Orders)\n"
        "urlpatterns = [path('shown/', views.Shown.as_view()), *router.urls]\n",
        **{f"other/more_{number}.py": "def free(): ...\n" for number in range(30)},
    }
    module = "shop.base" if member == "Base.get" else "shop.views"
    found: list[list[str]] = []
    for first in (False, True):
        snapshot = snapshot_of(files)
        assert snapshot.derivation is not None
        if first:
            snapshot.derivation.all_nodes(snapshot)
        place = one_symbol(snapshot, f"{module}:{member}")
        found.append(
            sorted(end_name(snapshot, edge.source) for edge in edges_to(snapshot, place) if edge.kind == "handles")
        )
    assert found[0] == found[1]
    assert len(found[0]) == 1
