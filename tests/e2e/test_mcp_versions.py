"""The server for agents in every revision of the protocol from 2025-06-18 on, over standard streams and over HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from e2e.cli_runs import SHOP, environment, start

TOKEN = "a token that is long enough"
BEGUN = tuple(version for version in HANDSHAKE_PROTOCOL_VERSIONS if version >= "2025-06-18")
ASKED = {"name": "where", "arguments": {"text": "Order", "mode": "exact"}}


def messages(version: str) -> list[dict[str, Any]]:
    client = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    told = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": ASKED},
    ]
    return [{"jsonrpc": "2.0", **message} for message in told]


def check(answers: dict[int, Any], version: str) -> None:
    assert answers[1]["result"]["protocolVersion"] == version
    assert "change_plan" in {tool["name"] for tool in answers[2]["result"]["tools"]}
    (content,) = answers[3]["result"]["content"]
    assert "shop/orders.py:4  class Order" in content["text"]
    assert not answers[3]["result"].get("structuredContent")


@pytest.mark.parametrize("version", BEGUN)
def test_over_standard_streams(tmp_path: Path, version: str) -> None:
    SHOP.write(tmp_path / "shop")
    process = start("mcp", "--root", str(tmp_path / "shop"), "--wait", "60")
    assert process.stdin is not None
    assert process.stdout is not None
    answers: dict[int, Any] = {}
    try:
        for message in messages(version):
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        while 3 not in answers:
            answer = json.loads(process.stdout.readline())
            answers[answer.get("id", 0)] = answer
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()
    check(answers, version)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    server: subprocess.Popen[bytes] = start(
        "mcp", "--http", "0", "--root", str(folder), "--wait", "60", GRAPHLS_MCP_TOKEN=TOKEN
    )
    assert server.stdout is not None
    try:
        yield server.stdout.readline().decode().strip()
    finally:
        server.terminate()
        server.communicate(timeout=300)


@pytest.mark.parametrize("version", BEGUN)
def test_over_http(tmp_path: Path, version: str) -> None:
    SHOP.write(tmp_path / "shop")
    answers: dict[int, Any] = {}
    with serving(tmp_path / "shop") as url:
        headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        for message in messages(version):
            request = urllib.request.Request(url, data=json.dumps(message).encode(), headers=headers, method="POST")
            with urllib.request.urlopen(request, timeout=300) as answer:
                session = answer.headers.get("mcp-session-id")
                for line in answer.read().decode().split("\n"):
                    data = line.removeprefix("data:").strip()
                    if data.startswith("{"):
                        found = json.loads(data)
                        answers[found.get("id", 0)] = found
            headers = {**headers, "MCP-Protocol-Version": version, **({"Mcp-Session-Id": session} if session else {})}
    check(answers, version)


@pytest.mark.parametrize("version", MODERN_PROTOCOL_VERSIONS)
async def test_without_a_handshake(tmp_path: Path, version: str) -> None:
    SHOP.write(tmp_path / "shop")
    arguments = ["-m", "graphls", "mcp", "--root", str(tmp_path / "shop"), "--wait", "60"]
    stdio = StdioServerParameters(command=sys.executable, args=arguments, env=environment(tmp_path / "cache"))
    with serving(tmp_path / "shop") as url:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
            Client(stdio, mode=version) as local,
            Client(streamable_http_client(url, http_client=http), mode=version) as remote,
        ):
            texts = [
                (await client.call_tool("where", {"text": "Order", "mode": "exact"})).content[0].text  # pyright: ignore
                for client in (local, remote)
            ]
            # A client without a session is sent its source each time.
            source = {"symbol": "shop.prices:total", "source": True}
            again = [(await remote.call_tool("understand", source)).content[0].text for _ in range(2)]  # pyright: ignore
    assert texts[0] == texts[1]
    assert again[0] == again[1]


@pytest.mark.parametrize("version", BEGUN)
async def test_by_the_client_of_the_sdk(tmp_path: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins with its newest handshake, and takes no other by an argument."""
    monkeypatch.setattr("mcp.client.session.LATEST_HANDSHAKE_VERSION", version)
    SHOP.write(tmp_path / "shop")
    arguments = ["-m", "graphls", "mcp", "--root", str(tmp_path / "shop"), "--wait", "60"]
    stdio = StdioServerParameters(command=sys.executable, args=arguments, env=environment(tmp_path / "cache"))
    with serving(tmp_path / "shop") as url:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
            Client(stdio, mode="legacy") as local,
            Client(streamable_http_client(url, http_client=http), mode="legacy") as remote,
        ):
            for client in (local, remote):
                assert client.session.protocol_version == version
                (content,) = (await client.call_tool("where", ASKED["arguments"])).content  # pyright: ignore
                assert "shop/orders.py:4  class Order" in content.text  # pyright: ignore
