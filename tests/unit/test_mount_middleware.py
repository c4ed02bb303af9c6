"""What runs before a route because of other files: where its router is taken in, settings, what starts it."""

from __future__ import annotations

from graphls.graph.identity import symbol_name
from graphls.queries.entry_list import entry_list
from graphls.queries.entry_middleware import entry_middleware
from graphls.session.memory import snapshot_of

FILES = {
    "app/__init__.py": "",
    "app/auth.py": "def user(): ...\ndef admin(): ...\n",
    "app/main.py": (
        "from fastapi import Depends, FastAPI\nfrom app.auth import admin, user\nfrom app.items import items, plain\n"
        "app = FastAPI()\napp.include_router(\n    items, prefix='/v1', dependencies=[Depends(user)]\n)\n"
        "app.include_router(plain)\n"
    ),
    "app/items.py": (
        "from fastapi import APIRouter\nitems = APIRouter()\nplain = APIRouter()\n"
        "@items.get('/items')\ndef listed(): ...\n@plain.get('/open')\ndef opened(): ...\n"
    ),
    "auth.ts": "export function auth(req, res, next) { next() }\nexport function late(req, res, next) { next() }\n",
    "users.ts": (
        "import { Router } from 'express'\nexport const users = Router()\n"
        "users.get('/:id', (req, res) => { res.json({ a: 1 }) })\n"
    ),
    "srv.ts": (
        "import express from 'express'\nimport { users } from './users'\nimport { auth, late } from './auth'\n"
        "const app = express()\napp.use('/users', auth, users, late)\n"
    ),
}


def ways(files: dict[str, str]) -> dict[str, list[tuple[str, str, str]]]:
    """What runs before each entry: how, what it means or is called, for which paths."""
    snapshot = snapshot_of(files)
    return {
        one.entry.name: [
            (each.how, symbol_name(snapshot, each.place) if each.place is not None else each.name, each.path)
            for each in entry_middleware(snapshot, one.entry, one.handlers)
        ]
        for one in entry_list(snapshot).entries
    }


def test_what_the_call_that_takes_a_router_in_puts_before_its_routes() -> None:
    snapshot = snapshot_of(FILES)
    found = {
        one.entry.name: [
            (each.how, each.file, each.place and symbol_name(snapshot, each.place))
            for each in entry_middleware(snapshot, one.entry, one.handlers)
        ]
        for one in entry_list(snapshot).entries
    }
    assert found == {
        "GET /v1/items": [("dependency", "app/main.py", "app.auth:user")],
        "GET /open": [],
        "GET /users/:id": [("use", "srv.ts", "auth.ts:auth")],
    }


def test_what_an_application_of_another_file_adds_runs_before_what_its_routers_do() -> None:
    found = ways(
        {
            "api/__init__.py": "",
            "api/deps.py": "def user(): ...\ndef key(): ...\nclass Timed: ...\nclass Seen: ...\n",
            "api/routers.py": (
                "from fastapi import APIRouter, Depends\nfrom api.deps import key\nclass Guarded(APIRouter):\n"
                "    def __init__(self, **rest):\n        super().__init__(dependencies=[Depends(key)], **rest)\n"
            ),
            "api/rows.py": (
                "from api.routers import Guarded\nrows = Guarded()\n@rows.get('/rows')\ndef listed(): ...\n"
            ),
            "api/all.py": (
                "from fastapi import APIRouter\nfrom api import rows\nall = APIRouter()\n"
                "all.include_router(rows.rows)\n"
            ),
            "api/main.py": (
                "from fastapi import Depends, FastAPI\nfrom starlette.middleware import Middleware\n"
                "from api.all import all\nfrom api.deps import Seen, Timed, user\n"
                "def create():\n    app = FastAPI(dependencies=[Depends(user)], middleware=[Middleware(Seen)])\n"
                "    app.add_middleware(Timed, most=3)\n    app.include_router(all, prefix='/v1')\n"
                "    @app.middleware('http')\n    async def traced(request, call_next): ...\n    return app\n"
                "def other():\n    app = FastAPI()\n    app.add_middleware(Seen)\n    return app\n"
            ),
        }
    )
    assert found["GET /v1/rows"] == [
        ("middleware", "api.main:create.traced", ""), ("add_middleware", "api.deps:Timed", ""),
        ("middleware", "api.deps:Seen", ""), ("dependency", "api.deps:user", ""), ("dependency", "api.deps:key", ""),
    ]  # fmt: skip


def test_what_an_application_of_express_uses_before_a_router_that_another_file_makes() -> None:
    auth = "export function auth(a, b, c) { c() }\nexport function late(a, b, c) { c() }\n"
    found = ways(
        {
            "auth.ts": auth,
            "users.ts": (
                "import { Router } from 'express'\nimport { late } from './auth'\nconst router = Router()\n"
                "router.use('/own', late)\nrouter.get('/own/:id', (req, res) => { res.json({ a: 1 }) })\n"
                "router.get('/all', (req, res) => { res.json({ a: 1 }) })\nexport default router\n"
            ),
            "rows.ts": (
                "import { Router } from 'express'\nexport const rows = Router()\n"
                "rows.get('/', (req, res) => { res.json({ a: 1 }) })\n"
            ),
            "srv.ts": (
                "import express from 'express'\nimport users from './users'\nimport { rows } from './rows'\n"
                "import { auth, late } from './auth'\nconst app = express()\napp.use(express.json(), auth)\n"
                "app.use('/rows', rows)\napp.use('/users', users)\napp.use(late)\n"
            ),
        }
    )
    first = [("use", "express.json", ""), ("use", "auth.ts:auth", "")]
    assert found["GET /users/own/:id"] == [*first, ("use", "auth.ts:late", "/own")]
    assert found["GET /users/all"] == first
    assert found["GET /rows"] == first


DJANGO = {
    "shop/__init__.py": "",
    "shop/middleware.py": "class Team:\n    def __call__(self, request): ...\n",
    "shop/settings.py": (
        "ROOT_URLCONF = 'shop.urls'\nMIDDLEWARE = [\n    'django.middleware.common.CommonMiddleware',\n"
        "    'shop.middleware.Team',\n]\nif DEBUG:\n    MIDDLEWARE += ['debug.Bar']\n"
    ),
    "shop/views.py": "def home(request): ...\n",
    "shop/urls.py": "from django.urls import path\nfrom shop import views\nurlpatterns = [path('home', views.home)]\n",
}


def test_settings_name_what_runs_before_each_view() -> None:
    assert ways(DJANGO)["home"] == [
        ("middleware", "django.middleware.common.CommonMiddleware", ""), ("middleware", "shop.middleware:Team", ""),
        ("appended", "debug.Bar", ""),
    ]  # fmt: skip
    # Another site beside it has settings of its own; what both use belongs to neither.
    second = {path.replace("shop", "mill"): text.replace("shop", "mill") for path, text in DJANGO.items()}
    both = {**DJANGO, **second, "common/urls.py": DJANGO["shop/urls.py"].replace("'home'", "'both'")}
    found = ways(both)
    assert ("middleware", "shop.middleware:Team", "") in found["home"] or (
        ("middleware", "mill.middleware:Team", "") in found["home"]
    )
    assert found["both"] == []


def test_what_an_application_of_nest_provides_for_all_of_its_controllers() -> None:
    start = (
        "import { NestFactory } from '@nestjs/core'\nimport { ValidationPipe } from '@nestjs/common'\n"
        "import { AppModule } from './app.module'\nimport { limit } from './limit'\nasync function main() {\n"
        "  const app = await NestFactory.create(AppModule)\n  app.use(limit())\n"
        "  app.useGlobalPipes(new ValidationPipe({ transform: true }))\n  await app.listen(3000)\n}\nmain()\n"
    )
    module = (
        "import { MiddlewareConsumer, Module } from '@nestjs/common'\nimport { APP_GUARD } from '@nestjs/core'\n"
        "import { Guard } from './guard'\nimport { limit } from './limit'\n"
        "import { RowsController } from './rows.controller'\n"
        "@Module({ controllers: [RowsController], providers: [{ provide: APP_GUARD, useClass: Guard }] })\n"
        "export class AppModule {\n  configure(consumer: MiddlewareConsumer) {\n"
        "    consumer.apply(limit).forRoutes('cats')\n    consumer.apply(limit).forRoutes(RowsController)\n  }\n}\n"
    )
    rows = (
        "import { Controller, Get } from '@nestjs/common'\n@Controller('rows')\nexport class RowsController {\n"
        "  @Get() all() { return { id: 1 } }\n}\n"
    )
    files = {
        "package.json": '{"name": "toy", "dependencies": {"@nestjs/common": "10"}}',
        "apps/a/src/main.ts": start, "apps/a/src/app.module.ts": module, "apps/a/src/rows.controller.ts": rows,
        "apps/a/src/guard.ts": "export class Guard {}\n", "apps/a/src/limit.ts": "export function limit() {}\n",
        "apps/b/src/main.ts": "import { NestFactory } from '@nestjs/core'\nconst app = await NestFactory.create({})\n",
        "apps/b/src/cows.controller.ts": rows.replace("'rows'", "'cows'"),
    }  # fmt: skip
    found = ways(files)
    assert found["GET /rows"] == [
        ("use", "apps/a/src/limit.ts:limit", ""), ("apply", "apps/a/src/limit.ts:limit", ""),
        ("guard", "apps/a/src/guard.ts:Guard", ""), ("pipe", "ValidationPipe", ""),
    ]  # fmt: skip
    assert found["GET /cows"] == []


def test_hooks_of_flask_and_fastify_and_uses_of_go() -> None:
    found = ways(
        {
            "web/__init__.py": "",
            "web/hooks.py": "def start(): ...\nclass Proxy: ...\n",
            "web/bp.py": (
                "from flask import Blueprint\nbp = Blueprint('bp', __name__)\n@bp.get('/rows')\ndef rows(): ...\n"
            ),
            "web/app.py": (
                "from flask import Flask\nfrom web.bp import bp\nfrom web.hooks import Proxy, start\n"
                "app = Flask('web')\napp.wsgi_app = Proxy(app.wsgi_app)\napp.before_request(start)\n"
                "app.register_blueprint(bp, url_prefix='/in')\n"
            ),
            "go.mod": "module shop\n",
            "main.go": (
                'package main\n\nimport "github.com/go-chi/chi/v5"\n\nfunc log() {}\n\nfunc own() {}\n\n'
                "func home() {}\n\n"
                "func main() {\n\tr := chi.NewRouter()\n\tr.Use(log)\n\tif true {\n\t\tr.Use(own)\n\t}\n"
                '\tr.Get("/home", home)\n}\n'
            ),
        }
    )
    assert found["GET /in/rows"] == [("wsgi", "web.hooks:Proxy", ""), ("before_request", "web.hooks:start", "")]
    assert found["GET /home"] == [("use", "main.go:log", "")]
