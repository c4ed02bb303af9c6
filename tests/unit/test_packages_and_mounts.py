"""Routes under the paths of what takes them in, files that are routes, and where to begin in packages of npm."""

from __future__ import annotations

import pytest

from graphls.graph.identity import end_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.summary import summary
from graphls.queries.tour import entry_points, tour
from graphls.session.memory import snapshot_of


def _routes(snapshot: Snapshot) -> set[str]:
    assert snapshot.derivation is not None
    return {node.name for node in snapshot.derivation.all_nodes(snapshot) if node.kind == "route"}


def test_routers_of_fastapi_are_met_under_every_prefix() -> None:
    routes = _routes(
        snapshot_of(
            {
                "app/__init__.py": "",
                "app/main.py": "from fastapi import FastAPI\nfrom app.api import router as api\nfrom app import items\n"
                "app = FastAPI()\napp.include_router(api, prefix='/api/v1')\napp.include_router(router=items.router)\n",
                "app/api.py": "from fastapi import APIRouter\nfrom app import items\nrouter = APIRouter()\n"
                "router.include_router(items.router, prefix='/shop')\n@router.get('/ping')\ndef ping(): ...\n",
                "app/items.py": "from fastapi import APIRouter\nrouter = APIRouter(prefix='/items')\n"
                "@router.get('/')\ndef items(): ...\n",
            }
        )
    )
    assert routes == {"GET /api/v1/ping", "GET /api/v1/shop/items/", "GET /items/"}


def test_routes_of_django_stand_behind_every_path_that_includes_them() -> None:
    """One in a file is included though what includes it stands at the same offset of another file."""
    begin = "from django.urls import include, path\nurlpatterns = [\n"
    routes = _routes(
        snapshot_of(
            {
                "site/urls.py": f"{begin}    path('shop/', include('shop.urls')),\n"
                "    path(LATE, include('late.urls')),\n]\n",
                "shop/__init__.py": "",
                "shop/urls.py": f"{begin}    path('', view),\n    path('<int:pk>/', include(worked_out())),\n]\n",
                "late/__init__.py": "",
                "late/urls.py": f"{begin}    path('late/', view),\n]\n",
                "tests/urls.py": f"{begin}    path('tested/', include('shop.urls')),\n]\n",
            }
        )
    )
    assert routes == {"shop/", "shop/<int:pk>/", "late/", "()", "tested/"}


def test_a_prefix_at_registration_replaces_that_of_a_blueprint() -> None:
    routes = _routes(
        snapshot_of(
            {
                "main.py": "from flask import Flask\nfrom auth import bp\nimport blog, late\ndef create():\n"
                "    app = Flask(__name__)\n    app.register_blueprint(bp, url_prefix='/v2/auth')\n"
                "    app.register_blueprint(blog.bp)\n    app.register_blueprint(late.bp, url_prefix=PREFIX)\n",
                "auth.py": "from flask import Blueprint\nbp = Blueprint('auth', __name__, url_prefix='/auth')\n"
                "@bp.route('/login')\ndef login(): ...\n",
                "blog.py": "from flask import Blueprint\nbp = Blueprint('blog', __name__, url_prefix='/blog')\n"
                "@bp.route('/')\ndef index(): ...\nchild = Blueprint('child', __name__)\n"
                "bp.register_blueprint(child, url_prefix='/child')\n@child.get('/x')\ndef x(): ...\n",
                "late.py": "from flask import Blueprint\nbp = Blueprint('late', __name__)\n@bp.route('/now')\n"
                "def now(): ...\n",
            }
        )
    )
    # A path that is not written out mounts nothing.
    assert routes == {"GET /v2/auth/login", "GET /blog/", "GET /blog/child/x", "GET /now"}


def test_routes_of_next_keep_what_stands_behind_a_dot() -> None:
    page = "export default function Page() {}"
    routes = _routes(
        snapshot_of(
            {
                "package.json": '{"name": "web", "dependencies": {"next": "15"}}',
                "pages/blog/[...slug].tsx": page,
                "pages/api/file.json.ts": page,
                "pages/index.test.tsx": page,
                "app/shop/[[...rest]]/page.tsx": page,
                "app/shop/page.test.tsx": page,
                "app/feed.xml/route.ts": "export function GET() {}",
            }
        )
    )
    assert routes == {"GET /blog/[...slug]", "/api/file.json", "GET /shop/[[...rest]]", "GET /feed.xml"}


@pytest.mark.parametrize(
    ("files", "first"),
    [
        (
            {
                "go.mod": "module ex.com/m\n", "lib/a.go": "package lib\nfunc A() {}\n",
                "main.go": 'package main\nimport "ex.com/m/lib"\nfunc main() { lib.A() }\n',
                "x/x.go": 'package x\nimport "ex.com/m/lib"\nfunc X() { lib.A() }\n',
            },
            ("lib/a.go", 2),
        ),
        (
            {
                "a/Lib.java": "package a;\npublic class Lib { public static void a() {} }\n",
                "b/Use.java": "package b;\nimport a.Lib;\nclass Use { void u() { Lib.a(); } }\n",
            },
            ("a/Lib.java", 1),
        ),
        ({"a.h": "int a(void);\n", "a.c": '#include "a.h"\n', "b.c": '#include "a.h"\n'}, ("a.h", 2)),
    ],
)  # fmt: skip
def test_a_tour_names_what_many_import_in_any_language(files: dict[str, str], first: tuple[str, int]) -> None:
    snapshot = snapshot_of(files)
    many = [stop for stop in tour(snapshot).stops if stop.why == "imported by many"]
    assert [(end_name(snapshot, stop.place), stop.count) for stop in many] == [first]
    assert not [stop for stop in entry_points(snapshot) if stop.why == "imported by many"]


def test_packages_of_npm_say_where_to_begin() -> None:
    snapshot = snapshot_of(
        {
            "package.json": '{"name": "web", "main": "dist/index.js", "bin": {"web": "./bin/web.js"}}',
            "bin/web.js": "require('../src/index')",
            "src/index.ts": "import { a } from './lib'; export function b() { a() }; export * from './lib'",
            "src/lib.ts": "export function a() {}; export const k = 1; function own() {}",
            "src/main.ts": "import { a } from './lib'; a()",
            "src/deep/main.ts": "",
            "tool/package.json": '{"name": "tool", "bin": "./dist/index.js"}',
            "tool/index.ts": "",
            "packages/p/package.json": '{"name": "@x/p", "main": "./src/index.ts"}',
            "packages/p/src/index.ts": "import { b } from 'web'; export const z = b",
        }
    )
    found = summary(snapshot)
    assert found.entry_points == ("bin/web.js", "tool/index.ts", "src/main.ts")
    assert found.public_api == ("src/index.ts:b", "src/lib.ts:a", "src/lib.ts:k", "packages/p/src/index.ts:z")
    assert [(one.name, one.count) for one in found.most_imported] == [("src/lib.ts", 2), ("src/index.ts", 1)]
    stops = {(stop.why, end_name(snapshot, stop.place)) for stop in tour(snapshot).stops}
    assert {
        ("entry point", "src/main.ts"),
        ("imported by many", "src/lib.ts"),
        ("public name", "src/lib.ts:k"),
    } <= stops
    part = summary(snapshot, "packages/p")
    assert part.public_api == ("packages/p/src/index.ts:z",)
    assert part.entry_points == ()
