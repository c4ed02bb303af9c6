"""The server for agents as it is started: over standard streams, over HTTP, beside the other faces."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from agent_workspace import MODES, agent_over
from e2e.cli_runs import SHOP, environment, graphls, interrupted_at, start
from e2e.floods import flooded
from e2e.lsp_workspace import Workspace
from e2e.processes import resident, resident_at_rest
from git_folders import committed
from graphls.mcp.profiles import ToolSet

TOKEN = "a token that is long enough"
TASK = "the price of an order is wrong"
TOTAL = "shop.prices:total"


def _stdio(folder: Path, *more: str) -> StdioServerParameters:
    arguments = ["-m", "graphls", "mcp", "--root", str(folder), *more]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment(folder.parent / "cache"))


@pytest.mark.parametrize("mode", MODES)
async def test_over_standard_streams(tmp_path: Path, mode: str) -> None:
    SHOP.write(tmp_path / "shop")
    async with Client(_stdio(tmp_path / "shop", "--wait", "60"), mode=mode) as client:  # pyright: ignore
        listed = await client.list_tools()
        assert {tool.name for tool in listed.tools} == set(ToolSet().names)
        found = await client.call_tool("where", {"text": "Order", "mode": "exact", "format": "json"})
        assert found.structured_content["matches"][0]["symbol"] == "shop.orders:Order"


async def test_answers_at_once_and_says_what_is_pending(tmp_path: Path) -> None:
    for number in range(400):
        file = tmp_path / "many" / f"m{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"def f{number}_{inner}(): return {inner}\n" for inner in range(60)))
    named = {"text": "f399_59", "mode": "exact", "format": "json"}
    async with Client(_stdio(tmp_path / "many", "--wait", "0")) as client:
        first = (await client.call_tool("where", named)).structured_content
        assert first["fresh"] is False
        assert first["pending_count"] > 0
        assert first["complete"] is False
        end = time.monotonic() + 300
        while time.monotonic() < end:
            status = json.loads((await client.read_resource("graphls://status")).contents[0].text)  # pyright: ignore
            if status["fresh"]:
                break
            await asyncio.sleep(0.1)
        found = (await client.call_tool("where", named)).structured_content
        assert found["total"] == 1


def _status(url: str, headers: dict[str, str]) -> int:
    request = urllib.request.Request(
        url, data=b"{}", headers={"Content-Type": "application/json", **headers}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


async def test_a_stranger_costs_little_over_http(tmp_path: Path) -> None:
    SHOP.write(tmp_path / "shop")
    server = start("mcp", "--http", "0", "--root", str(tmp_path / "shop"), GRAPHLS_MCP_TOKEN=TOKEN)
    assert server.stdout is not None
    url = (await asyncio.to_thread(server.stdout.readline)).decode().strip()
    address = ("127.0.0.1", int(url.rpartition(":")[2].removesuffix("/mcp")))
    before = await asyncio.to_thread(resident_at_rest, server.pid)
    silent = [socket.create_connection(address, 300) for _ in range(30)]
    for beginning in (b"", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 30000000\r\n\r\n"):
        assert await asyncio.to_thread(flooded, address, beginning, 30_000_000) < 30_000_000
    assert resident(server.pid) - before < 8_000_000
    assert await asyncio.to_thread(_status, url, {}) == 401  # and it is still there
    for connection in silent:
        connection.close()
    server.terminate()
    server.communicate(timeout=300)


async def test_over_http_with_a_token(tmp_path: Path) -> None:
    SHOP.write(tmp_path / "shop")
    server = start("mcp", "--http", "0", "--root", str(tmp_path / "shop"), GRAPHLS_MCP_TOKEN=TOKEN)
    try:
        assert server.stdout is not None
        url = (await asyncio.to_thread(server.stdout.readline)).decode().strip()
        assert url.startswith("http://127.0.0.1:")
        known = {"Authorization": f"Bearer {TOKEN}"}
        for headers, expected in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({**known, "Origin": "https://elsewhere.example"}, 403),
            ({**known, "Origin": "null"}, 403),
            ({**known, "Origin": "http://127.0.0.1.elsewhere.example"}, 403),
            ({**known, "Host": "elsewhere.example"}, 421),
        ):
            assert await asyncio.to_thread(_status, url, headers) == expected, headers
        async with (
            httpx2.AsyncClient(headers=known) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            found = await client.call_tool("where", {"text": "Order", "mode": "exact", "format": "json"})
            assert found.structured_content["total"] == 1
    finally:
        server.terminate()
        server.communicate(timeout=300)


def test_a_short_token_is_refused(tmp_path: Path) -> None:
    run = graphls("mcp", "--http", "0", "--root", str(tmp_path), GRAPHLS_MCP_TOKEN="short")
    assert run.code == 2
    assert "too short" in run.err


def test_install_prints_and_writes_nothing(tmp_path: Path) -> None:
    run = graphls("mcp", "install", "--root", str(tmp_path))
    assert run.code == 0
    for agent in ("claude-code", "codex", "cursor", "vscode", "gemini", "zed", "windsurf", "opencode"):
        assert f"# {agent}:" in run.out
    assert list(tmp_path.iterdir()) == []
    one = graphls("mcp", "install", "--agent", "cursor", "--root", str(tmp_path))
    told = json.loads(one.out.split("\n", 1)[1])["mcpServers"]["graphls"]
    assert told["args"][-2:] == ["--root", os.path.realpath(tmp_path)]
    assert graphls("mcp", "install", "--agent", "nobody", "--root", str(tmp_path)).code == 2
    assert graphls("mcp", "--root", str(tmp_path / "nowhere")).code == 2


async def test_faces_give_the_same_records(tmp_path: Path) -> None:
    """One question, three faces: packs, paths and impact are the same records."""
    folder = tmp_path / "shop"
    SHOP.write(folder)
    committed(folder)
    prices = folder / "shop" / "prices.py"
    prices.write_bytes(SHOP.files["shop/prices.py"].replace(b"sum(prices)", b"sum(prices) + 1"))
    async with agent_over(folder) as agent:
        assert await asyncio.to_thread(agent.state.session.wait, "complete", 60)
        by_agent = {
            "pack": await agent.ask("context", task=TASK, budget=2_000),
            "impact": await agent.ask("graph", query="impact", symbol="shop.prices:total", edges=200),
            "trace": await agent.ask(
                "graph", query="trace", symbol="test_orders:test_price", target="shop.prices:total"
            ),
            "changed": await agent.ask("changes"),
            "diff": await agent.ask("graph", query="diff"),
        }
    where = ("--root", str(folder), "--format", "json")
    by_line: dict[str, Any] = {
        "pack": graphls("pack", "--task", TASK, "--budget", "2000", *where).json,
        "impact": graphls("impact", "shop.prices:total", *where).json,
        "trace": graphls("trace", "test_orders:test_price", "shop.prices:total", *where).json,
        "changed": graphls("changed", *where).json,
        "diff": graphls("diff", *where).json,
    }
    _same_records(by_agent, by_line)
    server = Workspace(folder, SHOP)
    try:
        prices.write_bytes(SHOP.files["shop/prices.py"].replace(b"sum(prices)", b"sum(prices) + 1"))
        server.ready()
        server.tell("workspace/didChangeWatchedFiles", changes=[{"uri": server.uri("shop/prices.py"), "type": 2}])
        server.ready()
        _same_as_editor(server, by_agent)
    finally:
        server.close()


PACKED = ("id", "task", "budget", "used", "tokenizer", "items", "links", "tests", "left_out", "more")


def _same_records(by_agent: dict[str, Any], by_line: dict[str, Any]) -> None:
    for question, names in (
        ("pack", (*(name for name in PACKED if name not in ("items", "links", "tests", "left_out")), "omitted")),
        ("impact", ("changed", "affected", "packages", "routes", "edges", "edges_omitted", "unresolved_sites")),
        ("trace", ("paths", "exhausted", "visited")),
        ("changed", ("files", "symbols", "removed", "affected", "packages", "tests")),
        ("diff", ("before", "after", "files_changed", "counts", "moved")),
    ):
        for name in ("snapshot", *names):
            assert by_agent[question][name] == by_line[question][name], (question, name)
    assert _differing(by_agent["diff"]) == _listed(by_line["diff"])
    assert by_agent["diff"]["counts"][2] > 0
    _same_items(by_agent["pack"], by_line["pack"])


def _same_items(by_agent: dict[str, Any], by_line: dict[str, Any]) -> None:
    """The line leaves out what follows from the rest of an item, and writes links as rows."""
    assert [[link["source"], link["kind"], link["target"]] for link in by_agent["links"]] == by_line["links"]
    for name in ("tests", "left_out"):
        rows = [{**row, "name": row["symbol"].partition(":")[2]} for row in by_agent[name]]
        assert [{key: row[key] for key in row.keys() - {"tokens", "symbol"}} for row in rows] == by_line[name], name
    assert len(by_agent["items"]) == len(by_line["items"]) > 0
    for whole, short in zip(by_agent["items"], by_line["items"], strict=True):
        assert whole["symbol"].partition(":")[2] == short["name"]
        assert whole["reason"].startswith(short["reason"])
        lines = {"whole_start": short["start_line"], "whole_end": short["end_line"], "also": [], "detail": "body"}
        lines["tokens"] = -(-len(short["text"]) // 4)
        same = {**lines, **short, "symbol": whole["symbol"], "reason": whole["reason"], "score": whole["score"]}
        assert {name: same[name] for name in whole} == whole


def _differing(answer: dict[str, Any]) -> list[Any]:
    """Records of a difference as an agent gets them: in one list, so that it pages."""
    return [(one["change"], one["before"], one["after"]) for one in answer["records"]]


def _listed(answer: dict[str, Any]) -> list[Any]:
    """The same out of the lists that other faces give."""
    return [
        *(("added", None, record) for record in answer["added"]),
        *(("removed", record, None) for record in answer["removed"]),
        *(("changed", pair["before"], pair["after"]) for pair in answer["changed"]),
    ]


def _same_as_editor(server: Workspace, by_agent: dict[str, Any]) -> None:
    pack = server.ask("graph/contextPack", task=TASK, budget=2_000)
    assert pack["snapshot"] == by_agent["pack"]["snapshot"]
    packed = _spelled(pack["pack"])
    # For editors an empty list is left out.
    packed["items"] = [{**item, "also": item.get("also", [])} for item in packed["items"]]
    assert by_agent["pack"]["tests"]
    for name in (*PACKED, "omitted"):
        assert packed[name] == by_agent["pack"][name], name
    impact, ours = (
        server.ask("graph/impact", symbol="shop.prices:total", edges=200, includeSites=True),
        by_agent["impact"],
    )
    assert [_node(seed) for seed in impact["seeds"]] == [_node(seed) for seed in ours["changed"]]
    assert [_affected(one) for one in impact["affected"]] == [_affected(one) for one in ours["affected"]]
    assert [_edge(edge) for edge in impact["edges"]] == [_edge(edge) for edge in ours["edges"]]
    assert ours["edges"]
    assert impact["routes"] == [route["id"] for route in ours["routes"]]
    for name in ("packages", "snapshot", "complete", "truncated", "omitted"):
        assert impact[name] == ours[name], name
    assert (impact["edgesOmitted"], impact["unresolvedSites"]) == (ours["edges_omitted"], ours["unresolved_sites"])
    trace = server.ask(
        "graph/trace",
        source={"symbol": "test_orders:test_price"},
        target={"symbol": "shop.prices:total"},
        includeSites=True,
    )
    nodes = {node["id"]: _node(node) for node in trace["nodes"]}
    theirs = [
        (p["confidence"], [nodes[node] for node in p["nodes"]], list(map(_edge, p["edges"]))) for p in trace["paths"]
    ]
    paths = by_agent["trace"]["paths"]
    assert theirs == [(p["confidence"], list(map(_node, p["nodes"])), list(map(_edge, p["edges"]))) for p in paths]
    assert paths
    for name in ("snapshot", "complete", "truncated", "omitted", "exhausted", "visited"):
        assert trace[name] == by_agent["trace"][name], name
    why = server.ask("graph/explain", pack={"task": TASK, "budget": 2_000})["explanation"]
    assert why["pack"] == by_agent["pack"]["id"]
    assert len(why["account"]["merits"]) == len(why["items"]) == len(by_agent["pack"]["items"])
    assert _listed(server.ask("graph/diff")) == _differing(by_agent["diff"])
    changed = server.ask("graph/changedImpact")
    assert _reached(changed) == _reached(by_agent["changed"])
    assert [one["node"]["id"] for one in changed["nodes"]] == [
        one["node"]["id"] for one in by_agent["changed"]["symbols"]
    ]


def _node(record: dict[str, Any]) -> dict[str, Any]:
    """A node as every face tells it; positions count from 1."""
    told = {name: record.get(name) for name in ("id", "kind", "subkind", "name", "symbol", "file", "signature", "doc")}
    begin = record["range"]["start"] if "range" in record else None
    place = (begin["line"] + 1, begin["character"] + 1) if begin else (record.get("line"), record.get("column"))
    return {**told, "place": place}


def _affected(record: dict[str, Any]) -> dict[str, Any]:
    told = {name: record[name] for name in ("depth", "confidence", "via", "test", "possible")}
    return {**told, "node": _node(record["node"])}


def _edge(record: dict[str, Any]) -> dict[str, Any]:
    """An edge as every face tells it."""
    names = ("kind", "provenance", "resolution", "confidence", "ambiguous", "attributes")
    sites = [
        (site["range"]["start"]["line"] + 1, site["range"]["start"]["character"] + 1)
        if "range" in site
        else (site["line"], site["column"])
        for site in record["sites"]
    ]
    return {
        **{name: record.get(name) for name in names},
        "source": record.get("source_id") or record["source"],
        "target": record.get("target_id") or record["target"],
        "sites": sites,
        "count": record["siteCount"] if "siteCount" in record else record["site_count"],
    }


def _spelled(value: Any) -> Any:
    """A result for editors with its fields named as elsewhere."""
    text = json.dumps(value)
    return json.loads(re.sub(r'"[a-z]+[A-Z][A-Za-z]*":', lambda key: _snake(key[0]), text))


def _snake(key: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", key)


def _reached(answer: dict[str, Any]) -> list[tuple[str, int, float, str]]:
    return [(one["node"]["id"], one["depth"], one["confidence"], one["via"]) for one in answer["affected"]]


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("loaded", ["graphls.mcp.transports", "graphls.mcp.listener", "uvicorn.lifespan.on"])
def test_ctrl_c_while_a_server_for_http_starts_is_one_word(tmp_path: Path, loaded: str) -> None:
    SHOP.write(tmp_path / "shop")
    path = interrupted_at(tmp_path, loaded)
    run = graphls("mcp", "--http", "0", "--root", str(tmp_path / "shop"), PYTHONPATH=path, GRAPHLS_MCP_TOKEN=TOKEN)
    assert (run.code, run.out, run.err) == (130, "", "interrupted\n")


OLD = 1_600_000_000
"""Files that are just written may change again without another time stamp, and are read again."""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize(("number", "code", "said"), [("SIGINT", 130, b"interrupted\n"), ("SIGTERM", -15, b"")])
async def test_a_signal_ends_a_server_for_http_and_keeps_what_it_knows(
    tmp_path: Path, number: str, code: int, said: bytes
) -> None:
    SHOP.write(tmp_path / "shop")
    for path in (tmp_path / "shop").rglob("*.*"):
        os.utime(path, (OLD, OLD))
    cache = str(tmp_path / "cache")
    more = ("--http", "0", "--wait", "300", "--root", str(tmp_path / "shop"))
    server = start("mcp", *more, GRAPHLS_CACHE_DIR=cache, GRAPHLS_MCP_TOKEN=TOKEN)
    assert server.stdout is not None
    url = (await asyncio.to_thread(server.stdout.readline)).decode().strip()
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=300) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        await client.call_tool("where", {"text": "Order", "mode": "exact", "format": "json"})
    server.send_signal(signal.Signals[number])
    assert (await asyncio.to_thread(server.communicate, timeout=300))[1] == said
    assert server.returncode == code
    again = graphls("index", str(tmp_path / "shop"), "--format", "json", GRAPHLS_CACHE_DIR=cache)
    assert again.json["extracted"] == 0
