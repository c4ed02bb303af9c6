"""Listed tools: what low-level MCP servers list, in TypeScript and in Python."""

from __future__ import annotations

import pytest

from fixture_text import fixture
from graphls.queries.entry import entry, find_entry
from graphls.queries.entry_list import entry_list
from graphls.queries.entry_view import EntryView, entry_view
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.node_views import Presenter
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

FILES = """
    --- path: package.json ---
    {"name": "toy", "dependencies": {"@modelcontextprotocol/sdk": "1"}}
    --- path: src/index.ts ---
    import { Server } from "@modelcontextprotocol/sdk/server/index.js";
    import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
    import { add, search } from "./work.js";
    enum Names { ECHO = "echo" }
    const ADD: Tool = {
        name: "add",
        description: "Adds two " + "numbers",
        inputSchema: {
            type: "object",
            properties: { a: { type: "number" }, b: { type: "number", description: "the other" } },
            required: ["a"],
        },
    };
    const server = new Server({ name: "toy", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
        tools: [
            ADD,
            { name: "search", description: "Looks for words", inputSchema: zodToJsonSchema(SearchSchema) },
            { name: Names.ECHO, description: "Says it again", inputSchema: { type: "object", properties: {} } },
            makeTool("computed"),
        ],
    }));
    server.setRequestHandler(CallToolRequestSchema, async (request) => {
        switch (request.params.name) {
            case "add": return add(request.params.arguments);
            case "search": return search(request.params.arguments);
            default: throw new Error("unknown");
        }
    });
    other.setRequestHandler(Unknown, async () => ({ tools: [{ name: "no", inputSchema: {} }] }));
    --- path: src/work.ts ---
    export function add(given: object) { return 1; }
    export function search(given: object) { return 2; }
    --- path: pyproject.toml ---
    [project]
    name = "toy"
    dependencies = ["mcp"]
    --- path: served.py ---
    from enum import Enum
    from mcp import types
    from mcp.server import Server
    from mcp.types import Tool
    from models import Fetch
    from work import fetch

    class Names(str, Enum):
        FETCH = "fetch"

    app = Server("toy")

    @app.list_tools()
    async def listed() -> list[Tool]:
        return [
            Tool(name=Names.FETCH, description="Gets a page", inputSchema=Fetch.model_json_schema()),
            types.Tool(
                name="store",
                description='''Keeps a page, or
                    two''',
                inputSchema={"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
            ),
            Tool(name=Names.FETCH.value + "x", inputSchema={}),
        ]

    @app.call_tool()
    async def called(name: str, arguments: dict):
        return fetch(arguments)
    --- path: work.py ---
    def fetch(arguments): return 1
    --- path: models.py ---
    class Fetch: ...
"""


def shown(name: str) -> EntryView:
    known = snapshot_of(fixture(FILES).files)
    return entry_view(Presenter(known), entry(known, find_entry(known, name)))


def test_every_tool_with_a_name_is_listed() -> None:
    found = entry_list(snapshot_of(fixture(FILES).files), limit=100).entries
    tools = [(one.entry.name, one.entry.file) for one in found if one.entry.subkind == "mcp_tool"]
    assert sorted(tools) == [
        ("add", "src/index.ts"),
        ("echo", "src/index.ts"),
        ("fetch", "served.py"),
        ("search", "src/index.ts"),
        ("store", "served.py"),
    ]


@pytest.mark.parametrize(
    ("name", "description", "inputs", "handlers"),
    [
        ("add", "Adds two numbers", [("a: number", True), ("b: number", False)], ["src/work.ts:add"]),
        ("search", "Looks for words", [("input: SearchSchema", True)], ["src/work.ts:search"]),
        ("echo", "Says it again", [], ["src/work.ts:add", "src/work.ts:search"]),
        ("fetch", "Gets a page", [("input: Fetch", True)], ["served:called"]),
        ("store", "Keeps a page, or two", [("url: string", True)], ["served:called"]),
    ],
)
def test_what_is_said_of_a_tool(
    name: str, description: str, inputs: list[tuple[str, bool]], handlers: list[str]
) -> None:
    view = shown(name)
    assert view.description == description
    assert [(one.declared, one.required) for one in view.inputs] == inputs
    assert sorted(one.symbol for one in view.handlers) == handlers
    assert view.middleware == ()  # what registers the handler runs once, when the server starts


@pytest.mark.parametrize(("symbol", "tool"), [("src/work.ts:add", "add"), ("work:fetch", "store")])
def test_impact_reaches_the_tools(symbol: str, tool: str) -> None:
    known = snapshot_of(fixture(FILES).files)
    reached = impact(known, ImpactQuery(one_symbol(known, symbol), "upstream", 4)).affected
    assert tool in {getattr(one.node, "name", "") for one in reached}
