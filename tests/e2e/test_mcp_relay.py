"""An agent beside an editor: `graphls mcp` answered by the language server that has the workspace open."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from agent_workspace import MODES
from e2e.cli_runs import SHOP, environment, start
from e2e.floods import crowd, flooded, open_files
from e2e.processes import resident
from e2e.raw_client import RawClient, notification
from graphls.lsp.server_session import ServerSession
from graphls.mcp import editor_bridge
from graphls.store.announced import ServerAnnouncement, announce, announced

PRICES = "shop/prices.py"
LISTENING = "0A"


class Editor:
    """A real `graphls serve` with one document open and changed."""

    def __init__(self, folder: Path, *more: str) -> None:
        SHOP.write(folder)
        self.folder = folder
        cache = str(folder.parent / "cache")
        self.process = start("serve", *more, GRAPHLS_CACHE_DIR=cache)
        self.client = RawClient(self.process)
        root = folder.as_uri()
        self.client.initialize(rootUri=root, workspaceFolders=[{"uri": root, "name": "shop"}])

    def write_unsaved(self, name: str) -> None:
        """Another function, in the buffer alone."""
        text = SHOP.files[PRICES].decode() + f"\n\ndef {name}() -> None:\n    pass\n"
        item = {"uri": (self.folder / PRICES).as_uri(), "languageId": "python", "version": 1, "text": text}
        self.client.send(notification("textDocument/didOpen", {"textDocument": item}))

    def listeners(self) -> int:
        """Sockets of the server on which it waits for connections."""
        held = {os.readlink(entry) for entry in Path(f"/proc/{self.process.pid}/fd").iterdir() if entry.is_symlink()}
        rows = [line.split() for line in Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]]
        return sum(row[3] == LISTENING and f"socket:[{row[9]}]" in held for row in rows)

    def leave(self) -> None:
        """As an editor that is closed."""
        self.client.ask("end", "shutdown")
        self.client.send(notification("exit"))
        assert self.client.wait() == 0

    def close(self) -> None:
        self.client.close()


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    made = Editor(tmp_path / "shop")
    try:
        yield made
    finally:
        made.close()


def _files(folder: Path) -> list[Path]:
    return sorted((folder.parent / "cache").glob("*/serving/*.json"))


async def _until_announced(folder: Path) -> Path:
    end = time.monotonic() + 300
    while time.monotonic() < end:
        if found := _files(folder):
            return found[0]
        await asyncio.sleep(0.05)
    raise AssertionError("no announcement")


def _agent(folder: Path, *more: str) -> StdioServerParameters:
    arguments = ["-m", "graphls", "mcp", "--root", str(folder), "--wait", "300", *more]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment(folder.parent / "cache"))


async def _answered_by(client: Any) -> str:
    status = await client.read_resource("graphls://status")
    return str(json.loads(status.contents[0].text)["answered_by"])


async def _found(client: Any, name: str) -> int:
    answer = await client.call_tool("where", {"text": name, "mode": "exact", "format": "json"})
    return int(answer.structured_content["total"])


async def test_an_agent_sees_unsaved_buffers(editor: Editor) -> None:
    file = await _until_announced(editor.folder)
    assert os.name == "nt" or file.stat().st_mode & 0o077 == 0
    editor.write_unsaved("never_saved")
    for mode in MODES:
        async with Client(_agent(editor.folder), mode=mode) as client:
            assert await _answered_by(client) == "editor"
            assert await _found(client, "never_saved") == 1
            async with Client(_agent(editor.folder, "--no-join"), mode=mode) as alone:
                assert await _answered_by(alone) == "own"
                assert await _found(alone, "never_saved") == 0


async def test_an_agent_outlives_the_editor(editor: Editor) -> None:
    await _until_announced(editor.folder)
    editor.write_unsaved("never_saved")
    async with Client(_agent(editor.folder), mode=MODES[0]) as one, Client(_agent(editor.folder), mode=MODES[1]) as two:
        for client in (one, two):
            assert await _found(client, "never_saved") == 1
        await asyncio.to_thread(editor.leave)
        for client in (one, two):
            assert await _found(client, "never_saved") == 0
            assert await _found(client, "Order") == 1
            assert await _answered_by(client) == "own"
    assert _files(editor.folder) == []


async def test_strangers_cost_little_and_keep_no_agent_out(editor: Editor) -> None:
    file = await _until_announced(editor.folder)
    address = ("127.0.0.1", int(json.loads(file.read_text())["port"]))
    # What it loads to begin with is no stranger's.
    editor.client.ask("first", "graph/status", {"freshness": "require-fresh"})
    before = resident(editor.process.pid)
    held = open_files(editor.process.pid)
    silent = crowd(editor.process.pid, address)
    await asyncio.sleep(1)
    assert open_files(editor.process.pid) - held < 30
    for beginning in (b"", b'{"word": "x", "proof": "y"'):
        assert await asyncio.to_thread(flooded, address, beginning, 30_000_000) < 20_000_000
    assert resident(editor.process.pid) - before < 16_000_000  # they sent 60 MB
    async with Client(_agent(editor.folder)) as client:
        assert await _answered_by(client) == "editor"
    for connection in silent:
        connection.close()


async def test_what_is_left_of_a_killed_server_is_passed_over(editor: Editor) -> None:
    await _until_announced(editor.folder)
    editor.process.kill()
    editor.process.wait(300)
    assert _files(editor.folder)
    async with Client(_agent(editor.folder)) as client:
        assert await _answered_by(client) == "own"


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="no table of sockets")
async def test_one_listener_however_often_the_client_is_ready(editor: Editor) -> None:
    for _ in range(3):
        editor.client.send(notification("initialized", {}))
    await _until_announced(editor.folder)
    editor.client.ask("then", "graph/status", {})
    assert editor.listeners() == 1
    async with Client(_agent(editor.folder)) as client:
        assert await _answered_by(client) == "editor"
    await asyncio.to_thread(editor.leave)
    assert _files(editor.folder) == []


async def test_nobody_listens_without_being_asked(tmp_path: Path) -> None:
    made = Editor(tmp_path / "shop", "--no-agents")
    try:
        async with Client(_agent(made.folder)) as client:
            assert await _answered_by(client) == "own"
        assert _files(made.folder) == []
    finally:
        made.close()


STRANGE = (
    b"\n",
    b"{}\n",
    b'{"word": "x", "proof": "y", "writes": true, "max_bytes": 1, "wait": 1}\n',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n',
    b"x" * 10_000 + b"\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
)


async def test_who_does_not_know_the_token_is_told_nothing(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    await _until_announced(editor.folder)
    monkeypatch.setenv("GRAPHLS_CACHE_DIR", str(editor.folder.parent / "cache"))
    server = announced((os.path.realpath(editor.folder),))
    assert server is not None
    for said in STRANGE:
        with socket.create_connection(("127.0.0.1", server.port), timeout=300) as connection:
            connection.sendall(said)
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(1_000) == b"", said


def test_a_file_that_others_can_read_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHLS_CACHE_DIR", str(tmp_path))
    server = ServerAnnouncement(version="1", port=1, token="t" * 64)
    file = Path(announce(("/a",), server))
    assert announced(("/a",)) == server
    assert announced(("/b",)) is None
    file.write_text("[1")
    assert announced(("/a",)) is None
    file.write_text(json.dumps({"version": "1", "port": 70_000, "token": "t" * 64}))
    assert announced(("/a",)) is None
    file = Path(announce(("/a",), server))
    if os.name != "nt":
        file.chmod(0o644)
        assert announced(("/a",)) is None


def test_a_server_that_is_closed_before_it_listens_announces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHLS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(editor_bridge, "_CLOSING", 0.01)
    SHOP.write(tmp_path / "shop")
    state = ServerSession([(tmp_path / "shop").as_uri()], {"cache": {"enabled": False}})
    goes_on, run = threading.Event(), asyncio.run

    def held(listening: Coroutine[Any, Any, None]) -> None:
        assert goes_on.wait(300)
        run(listening)

    monkeypatch.setattr(editor_bridge.asyncio, "run", held)
    server = editor_bridge.EditorBridge(state)
    try:
        server.start()
        (listening,) = (one for one in threading.enumerate() if one.name == "graphls-agents")
        server.close()
        goes_on.set()
        listening.join(300)
        assert not listening.is_alive()
        assert _files(tmp_path / "shop") == []
    finally:
        state.close()
