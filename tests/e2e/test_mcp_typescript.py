"""The server for agents asked by the client of the TypeScript SDK, over standard streams and over HTTP.

GRAPHLS_TEST_MCP_SDK names the folder into which npm installed `@modelcontextprotocol/sdk`; without it, or without node,
these tests are left out. `.ci/run` installs it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.cli_runs import SHOP, environment, start
from graphls.mcp.profiles import ToolSet
from graphls.mcp.prompts import NAMES

SDK = os.environ.get("GRAPHLS_TEST_MCP_SDK", "")
CLIENT = Path(__file__).parents[2] / "bench" / "typescript_client.mjs"
TOKEN = "a token that is long enough"
pytestmark = pytest.mark.skipif(
    not SDK or not shutil.which("node"), reason="GRAPHLS_TEST_MCP_SDK names no TypeScript SDK, or there is no node"
)


def asked(folder: Path, *arguments: str) -> dict[str, Any]:
    """What the client prints. Its imports are looked for beside it."""
    client = folder / "client"
    client.mkdir()
    shutil.copy(CLIENT, client / "client.mjs")
    (client / "node_modules").symlink_to(Path(SDK).resolve() / "node_modules", target_is_directory=True)
    run = subprocess.run(
        ["node", str(client / "client.mjs"), *arguments],
        capture_output=True,
        check=False,
        timeout=300,
        env=environment(folder / "cache"),
    )
    assert run.returncode == 0, run.stderr.decode()
    return dict(json.loads(run.stdout))


def check(found: dict[str, Any]) -> None:
    assert found["tools"] == list(ToolSet().names)
    assert "shop/orders.py:4  class Order" in found["text"]
    assert (found["total"], found["content"], found["refused"]) == (1, [], True)
    assert found["resource"] > 0
    assert found["prompts"] == list(NAMES)
    assert found["server"]["name"] == "graphls"


def test_over_standard_streams(tmp_path: Path) -> None:
    SHOP.write(tmp_path / "shop")
    command = (sys.executable, "-m", "graphls", "mcp", "--root", str(tmp_path / "shop"), "--wait", "60")
    check(asked(tmp_path, "stdio", *command))


def test_over_http(tmp_path: Path) -> None:
    SHOP.write(tmp_path / "shop")
    server = start("mcp", "--http", "0", "--root", str(tmp_path / "shop"), "--wait", "60", GRAPHLS_MCP_TOKEN=TOKEN)
    try:
        assert server.stdout is not None
        check(asked(tmp_path, "http", server.stdout.readline().decode().strip(), TOKEN))
    finally:
        server.terminate()
        server.communicate(timeout=300)
