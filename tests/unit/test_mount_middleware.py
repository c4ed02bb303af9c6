"""What runs before a route where another file takes in its router."""

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
