"""What stands behind a route or a command: handlers, what they need, tests; and how entries are told apart."""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.graph.errors import AmbiguousSymbol, UnknownSymbol
from graphls.graph.identity import end_id, end_name, symbol_name
from graphls.graph.snapshot import Snapshot
from graphls.queries.entry import EntryAnswer, entry, find_entry, routes_in_words
from graphls.queries.entry_list import declared_entries, entries_in
from graphls.queries.entry_view import entry_view
from graphls.queries.node_views import Presenter
from graphls.session.memory import snapshot_of

APP = """
    --- path: app.py ---
    from fastapi import FastAPI
    from stock import items

    app = FastAPI()

    @app.get("/items")
    def listed():
        return items()

    @app.post("/items")
    def added():
        return None
    --- path: admin.py ---
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/users")
    def users():
        return None
    --- path: public.py ---
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/users")
    def users():
        return None
    --- path: stock.py ---
    def items():
        return shelf()

    def shelf():
        return []
    --- path: tests/test_app.py ---
    from app import listed

    def test_listed():
        assert listed() == []
"""


@pytest.fixture(scope="module")
def app() -> Snapshot:
    return snapshot_of(fixture(APP).files)


def _names(snapshot: Snapshot, found: EntryAnswer) -> list[tuple[int, str]]:
    return [(one.depth, end_name(snapshot, one.node)) for one in found.needs]


@pytest.mark.parametrize("spelled", ["GET /items", "route GET /items", " GET /items "])
def test_a_route_with_its_handler_needs_and_tests(app: Snapshot, spelled: str) -> None:
    found = entry(app, find_entry(app, spelled), depth=2)
    assert [symbol_name(app, place) for place in found.handlers] == ["app:listed"]
    assert [pair for pair in _names(app, found) if pair[1].startswith("stock")] == [
        (1, "stock:items"),
        (2, "stock:shelf"),
    ]
    assert "test_app:test_listed" in {end_name(app, one.node).removeprefix("tests.") for one in found.tests}
    assert not found.coverage.truncated


NESTED = """
    --- path: deps.py ---
    from typing import Annotated
    from fastapi import Depends
    def user(): ...
    def session(): ...
    User = Annotated[str, Depends(user)]
    Plain = Annotated[str, "no"]
    --- path: api.py ---
    from fastapi import APIRouter, Depends
    from deps import Plain, User, session
    def checked(): ...
    router = APIRouter(prefix="/rows", dependencies=[Depends(checked)])
    @router.get("/{no}")
    def row(no: int, who: User, other: Plain, found=Depends(session)): ...
    @router.get("/{no}/more")
    def more(no: int): ...
    --- path: main.py ---
    from fastapi import FastAPI
    import api
    app = FastAPI()
    app.include_router(api.router, prefix="/v1")
    @app.get("/user")
    def user(): ...
"""


def test_a_route_is_met_by_the_path_that_its_router_says() -> None:
    known = snapshot_of(fixture(NESTED).files)
    for text in ("GET /rows/{no}", "get /rows/{no}", "/rows/{no}", "rows/{no}"):
        assert find_entry(known, text).name == "GET /v1/rows/{no}"
    assert find_entry(known, "GET /v1/rows/{no}/more").name == "GET /v1/rows/{no}/more"
    # As a client or a log has it.
    for text in ("/v1/rows/42", "https/v1/rows/42?all=1", "/rows/42", "GET /api/v1/rows/42"):
        assert find_entry(known, text).name == "GET /v1/rows/{no}"
    for text in ("POST /rows/{no}", "ows/{no}", "/"):
        with pytest.raises(UnknownSymbol):
            find_entry(known, text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("why does `GET /rows/42` fail?", ["GET /v1/rows/{no}"]),
        ("rows/{no}/more, /user", ["GET /v1/rows/{no}/more", "GET /user"]),
        ("the session of rows", []),
        ("api.row", []),
    ],
)
def test_routes_among_words(text: str, names: list[str]) -> None:
    known = snapshot_of(fixture(NESTED).files)
    assert [node.name for node in routes_in_words(known, text)] == names


def test_what_an_unnamed_handler_calls_is_not_what_answers() -> None:
    text = 'import express from "express"\nimport { save } from "./save"\nconst app = express()\n'
    text += 'app.post("/rows", async (req, res) => { res.send(await save(req.body)) })\n'
    save = "/** Writes a row. */\nexport function save(row: string) {}\n"
    known = snapshot_of({"app.ts": text, "save.ts": save, "save.test.ts": 'import { save } from "./save"\nsave("")\n'})
    found = entry(known, find_entry(known, "POST /rows"))
    view = entry_view(Presenter(known), found)
    assert (view.inline, [one.symbol for one in view.handlers]) == (True, ["save.ts:save"])
    assert (view.description, view.inputs, view.tests) == ("", (), ())


def test_dependencies_of_routers_and_of_types_run_before() -> None:
    known = snapshot_of(fixture(NESTED).files)
    view = entry_view(Presenter(known), entry(known, find_entry(known, "GET /rows/{no}")))
    assert [(one.symbol, one.how, one.at.split(":")[0]) for one in view.middleware] == [
        ("api:checked", "dependency", "api.py"),
        ("deps:session", "dependency", "api.py"),
        ("deps:user", "dependency", "deps.py"),
    ]
    plain = entry_view(Presenter(known), entry(known, find_entry(known, "GET /user")))
    assert plain.middleware == ()


def test_an_id_names_it_too(app: Snapshot) -> None:
    found = find_entry(app, "GET /items")
    assert find_entry(app, end_id(app, found)) == found


def test_one_step_and_the_cap(app: Snapshot) -> None:
    node = find_entry(app, "GET /items")
    assert "stock:shelf" not in {name for _, name in _names(app, entry(app, node, depth=1))}
    cut = entry(app, node, limit=1)
    assert len(cut.needs) == 1
    assert cut.coverage.truncated


def test_a_name_of_several_is_refused_with_its_candidates(app: Snapshot) -> None:
    with pytest.raises(AmbiguousSymbol) as by_path:
        find_entry(app, "/items")
    assert set(by_path.value.candidates) == {"route GET /items", "route POST /items"}
    with pytest.raises(AmbiguousSymbol) as same:
        find_entry(app, "GET /users")
    assert {find_entry(app, one).file for one in same.value.candidates} == {"admin.py", "public.py"}


@pytest.mark.parametrize(
    ("text", "candidates"), [("/item", ["route GET /items", "route POST /items"]), ("", list[str]())]
)
def test_an_unknown_name(app: Snapshot, text: str, candidates: list[str]) -> None:
    with pytest.raises(UnknownSymbol) as error:
        find_entry(app, text)
    assert sorted(error.value.candidates) == candidates
    assert str(error.value).startswith(f"No route, tool, command or job is called {text!r}. ")


SERVED = """
    --- path: app.py ---
    from fastapi import FastAPI

    app = FastAPI()

    class Base:
        model_config = ConfigDict(from_attributes=True)
        every: ClassVar[int] = 1
        _seen: int = 0
        id: int

    class Item(Base):
        name: str

    class Other:
        no: int

    @app.get("/items", response_model=list[Item], tags=[Other])
    def listed(limit: int = 10, *, q: str):
        '''Lists them.'''
        return Other()

    @app.get("/one")
    def one() -> Item:
        return Other()
    --- path: tests/test_app.py ---
    from fastapi.testclient import TestClient
    from app import app
    client = TestClient(app)
    def test_items():
        client.get("/items")
    --- path: package.json ---
    {"name": "toy"}
    --- path: src/server.ts ---
    import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
    import { z } from "zod";
    const server = new McpServer({ name: "demo", version: "1" });
    server.registerTool("add", {
        description: "Adds two", inputSchema: { a: z.number(), b: z.number().min(1).optional() }
    }, add);
    server.tool("echo", "Says it again", { text: z.string() }, echo);
    const config = {
        // description: "old",
        description: "Sums " + "all",
        inputSchema: SumS.shape,
        outputSchema: { sum: z.number() },
    };
    const SumS = z.object({ all: z.array(z.object({ n: z.number().optional() })), by: z.enum(["a"]).default("a") });
    server.registerTool("sum", config, add);
    function add({ a, b }: Numbers) { return a; }
    function echo({ text }: { text: string }) { return text; }
"""


def contract(name: str) -> dict[str, object]:
    snapshot = snapshot_of(fixture(SERVED).files)
    view = entry_view(Presenter(snapshot), entry(snapshot, find_entry(snapshot, name)))
    return {
        "description": view.description,
        "inputs": [(one.declared, one.required) for one in view.inputs],
        "fields": view.response_fields,
        "consumers": [(one.symbol, one.test) for one in view.consumers],
    }


def test_what_an_entry_declares() -> None:
    assert contract("GET /items") == {
        "description": "Lists them.",
        "inputs": [("limit: int = 10", False), ("q: str", True)],
        "fields": ("name", "id"),
        "consumers": [("test_app:test_items", True)],
    }
    assert contract("GET /one")["fields"] == ("name", "id")


def test_tools_of_servers_in_typescript() -> None:
    assert contract("add") == {
        "description": "Adds two",
        "inputs": [("a: z.number()", True), ("b: z.number().min(1).optional()", False)],
        "fields": (),
        "consumers": [],
    }
    assert contract("echo")["description"] == "Says it again"
    assert contract("sum") == {
        "description": "Sums all",
        "inputs": [
            ("all: z.array(z.object({ n: z.number().optional() }))", True),
            ('by: z.enum(["a"]).default("a")', False),
        ],
        "fields": (),
        "consumers": [],
    }
    snapshot = snapshot_of(fixture(SERVED).files)
    assert not entry_view(Presenter(snapshot), entry(snapshot, find_entry(snapshot, "sum"))).middleware


ANSWERING = """
    --- path: api.py ---
    from fastapi import Depends, FastAPI, HTTPException
    from fastapi.responses import JSONResponse
    from flask import Flask, jsonify

    app = FastAPI()
    web = Flask("web")

    def user(): ...
    def checked(function): return function

    @app.middleware("http")
    async def timed(request, call_next): ...

    @web.before_request
    def session(): ...

    @web.before_app_request
    @checked
    def seen(): ...

    @app.get("/one/{no}", dependencies=[Depends(checked)])
    @app.get("/uno/{no}")
    @checked
    def one(no: int, who=Depends(user)):
        name = "x"
        if no < 0:
            raise HTTPException(status_code=404, detail="none, {here}: 1")
        if no > 9:
            return JSONResponse({"error": f"{no}, more"}, status_code=409)
        return {"id": no, 'owner': {"name": who}, name: 1, **extra()}

    @web.get("/two")
    def two():
        if not web:
            return {"error": "no"}, 503
        return jsonify(id=1, rows=[{"inner": 2}])
    --- path: package.json ---
    {"name": "toy", "dependencies": {"express": "1", "hono": "4"}}
    --- path: src/server.ts ---
    import express from "express";
    const app = express();
    function auth(req, res, next) { next(); }
    function late(req, res, next) { next(); }
    app.use(auth);
    app.use("/admin", audit);
    app.use("/api/*", limit);
    app.get("/api/rows", listed);
    app.use(late);
    function load() { return { secret: 1 }; }
    app.get("/inline", auth, async (req, res) => { const found = load(); res.status(201).json({ found }); });
    function audit(req, res, next) {}
    function limit(req, res, next) {}
    function listed(req, res) {
        const total = [1].map((inner) => { return { inner, made: 2 }; });
        if (!req.query.q) { res.status(400).json({ error: "q", fields: ["q"] }); return; }
        res.json({ rows: [], total, "page": 1, [req.x]: 2 });
    }
"""


def answering(name: str) -> tuple[object, ...]:
    snapshot = snapshot_of(fixture(ANSWERING).files)
    view = entry_view(Presenter(snapshot), entry(snapshot, find_entry(snapshot, name)))
    return (
        (view.response_keys, view.more_keys),
        [(one.status, one.keys) for one in view.errors],
        [(one.symbol or one.name, one.how, one.path) for one in view.middleware],
    )


def test_keys_of_answers_and_errors_and_what_runs_before() -> None:
    assert answering("GET /one/{no}") == (
        (("id", "owner"), True),
        [(404, ("detail",)), (409, ("error",))],
        [
            ("api:timed", "middleware", ""),
            ("api:checked", "dependency", ""),
            ("api:user", "dependency", ""),
            ("api:checked", "decorator", ""),
        ],
    )
    assert answering("GET /two") == (
        (("id", "rows"), False), [(503, ("error",))],
        [("api:session", "before_request", ""), ("api:seen", "before_app_request", "")],
    )  # fmt: skip
    keys, errors, before = answering("GET /api/rows")
    assert (keys, errors) == ((("rows", "total", "page"), True), [(400, ("error", "fields"))])
    assert before == [("src/server.ts:auth", "use", ""), ("src/server.ts:limit", "use", "/api/*")]
    keys, errors, before = answering("GET /inline")
    assert (keys, errors) == ((("found",), False), [])
    assert before == [
        ("src/server.ts:auth", "use", ""), ("src/server.ts:late", "use", ""), ("src/server.ts:auth", "argument", ""),
    ]  # fmt: skip


GUARDED = """
    --- path: package.json ---
    {"name": "toy", "dependencies": {"@nestjs/common": "10", "@nestjs/swagger": "7"}}
    --- path: src/guard.ts ---
    export class AuthGuard {}
    export class RolesGuard {}
    export function Audited() { return (target: object) => target; }
    --- path: src/rows.controller.ts ---
    import { Body, Controller, Get, UseGuards, UsePipes, ValidationPipe } from "@nestjs/common";
    import { ApiOperation, ApiResponse } from "@nestjs/swagger";
    import { Audited, AuthGuard, RolesGuard } from "./guard";
    @UseGuards(AuthGuard)
    @Controller("rows")
    export class RowsController {
        @ApiOperation({ summary: "all" })
        @ApiResponse({ status: 200 })
        @UseGuards(RolesGuard)
        @UsePipes(new ValidationPipe())
        @Audited()
        @Get(":id")
        one() { return { id: 1 }; }
    }
"""


def test_decorators_that_only_say_something_run_nothing() -> None:
    known = snapshot_of(fixture(GUARDED).files)
    view = entry_view(Presenter(known), entry(known, find_entry(known, "GET /rows/:id")))
    assert [(one.symbol or one.name, one.how) for one in view.middleware] == [
        ("src/guard.ts:AuthGuard", "guard"),
        ("src/guard.ts:RolesGuard", "guard"),
        ("ValidationPipe", "pipe"),
        ("src/guard.ts:Audited", "decorator"),
    ]


def test_a_report_counts_entries_that_nothing_known_handles() -> None:
    files = {
        "a.ts": 'import express from "express";\nconst app = express();\napp.get("/a", (req, res) => res.end());\n'
    }
    known = snapshot_of(files)
    assert [node.name for node in entries_in(known)] == ["GET /a"]
    assert list(declared_entries(known)) == []
