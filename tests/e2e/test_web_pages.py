"""A page in a real browser on this machine, and every port that graphls opens.

Owns: what a page can make a browser send to a port, and what became of the workspace afterwards.
Must not know: how a port tells its clients from pages.
Invariant: a page makes no server act, write or end, and each still serves who knows its token.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from e2e.cli_runs import SHOP, TIMEOUT, environment, start
from e2e.raw_client import framed, request
from e2e.test_network_clients import TOKEN, answer_to
from e2e.test_survival import serving
from fuzz.wire import say_goodbye, snapshot_id

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCRIPT = r"""
const said = [];
const frame = (message) => {
  const body = JSON.stringify(message);
  return `Content-Length: ${body.length}\r\n\r\n${body}`;
};
const call = (id, method, params) => frame({ jsonrpc: "2.0", id, method, params });
const evil = targets.messages.map(([id, method, params]) => call(id, method, params)).join("");
const lines = targets.lines.map((one) => JSON.stringify(one) + "\n").join("");
const soon = (work) => Promise.race([work, new Promise((done) => setTimeout(done, 4000, "silence"))]);
const sent = (url, options) =>
  soon(fetch(url, { mode: "no-cors", ...options }).then((answer) => answer.type, () => "failed"));
const socket = (url, protocols) =>
  soon(new Promise((done) => {
    const made = new WebSocket(url, protocols);
    made.onopen = () => { made.send(targets.bodies[0]); setTimeout(done, 500, "open"); };
    made.onerror = () => done("failed");
  }));
const form = (url, name, value) =>
  soon(new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.name = `f${said.length}`;
    document.body.append(frame);
    const made = document.createElement("form");
    Object.assign(made, { action: url, method: "post", enctype: "text/plain", target: frame.name });
    const field = document.createElement("textarea");
    Object.assign(field, { name, value });
    made.append(field);
    document.body.append(made);
    frame.onload = () => done("loaded");
    made.submit();
  }));
const note = async (what, work) => said.push([what, await work().catch((error) => `refused: ${error.name}`)]);

(async () => {
  const long = "x".repeat(40000);
  await Promise.all(targets.ports.map(async ([name, port, path]) => {
    const url = `http://127.0.0.1:${port}`;
    for (const [what, body] of [["frames", evil], ["lines", lines]]) {
      await note(`${name} post ${what}`, () => sent(`${url}${path}`, { method: "POST", body }));
      await note(`${name} long line ${what}`, () => sent(`${url}/${long}`, { method: "POST", body }));
      await note(`${name} raw ${what}`, () => sent(url, { method: "POST", body: new Blob(["\r\n\r\n" + body]) }));
      await note(`${name} form ${what}`, () => form(`${url}${path}`, "\r\n\r\n" + body, "x"));
    }
    const odd = { method: "content-length", mode: "cors", headers: { "x-any": evil.slice(0, 20) } };
    await note(`${name} method`, () => sent(url, odd));
    await note(`${name} json`, () => sent(`${url}${path}`, { method: "POST", body: targets.bodies[0] }));
    await note(`${name} get`, () => sent(`${url}${path}?token=guess`, {}));
    await note(`${name} tls`, () => sent(`https://127.0.0.1:${port}/`, {}));
    await note(`${name} socket`, () => socket(`ws://127.0.0.1:${port}/?token=guess`));
    await note(`${name} protocols`, () => socket(`ws://localhost:${port}/`, ["content-length", "a".repeat(30000)]));
  }));
  await fetch("/said", { method: "POST", body: JSON.stringify(said) });
})();
"""


@contextmanager
def _page(targets: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """A page at an address of this machine, as any development server has; what its script says at its end."""
    text = f"<!DOCTYPE html><body><script>const targets = {json.dumps(targets)};{SCRIPT}</script>"
    said: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(text.encode())

        def do_POST(self) -> None:
            said.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._send(b"")

        def _send(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            if self.command == "POST":
                over.set()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    over = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with ExitStack() as stack:
            stack.callback(server.shutdown)
            yield f"http://127.0.0.1:{server.server_address[1]}/", said
            assert over.wait(TIMEOUT), "the page did not come to its end"


def _listening(stack: ExitStack, *words: str, **more: str) -> tuple[subprocess.Popen[bytes], int]:
    process = start(*words, **more)
    assert process.stdout is not None
    stack.callback(process.communicate)
    stack.callback(process.kill)
    address = process.stdout.readline().decode().strip()
    return process, int(address.split("?")[0].removesuffix("/mcp").rstrip("/").rpartition(":")[2])


def _tree(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.skipif(CHROMIUM is None, reason="no browser")
def test_a_page_in_a_browser_makes_no_port_act(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    root, program, ran = tmp_path / "shop", tmp_path / "program", tmp_path / "ran"
    SHOP.write(root)
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    before = _tree(root)
    token, own = tmp_path / "token", {"GRAPHLS_CACHE_DIR": str(tmp_path / "cache")}
    token.write_text(TOKEN)
    options = {"checker": {"path": str(program), "typescriptPath": str(program), "fromWorkspace": True}}
    opening = {"processId": None, "rootUri": root.as_uri(), "capabilities": {}, "initializationOptions": options}
    export = {"mode": "allow-errors", "destination": "stolen.jsonl"}
    call = {"name": "graph", "arguments": {"request": "export", "destination": "stolen.jsonl"}}
    messages = [[1, "initialize", opening], [2, "graph/export", export], [3, "graph/status", {}]]
    with ExitStack() as stack:
        served = ("--token-file", str(token), "--allow-programs")
        tcp, tcp_port = _listening(stack, "serve", "--tcp", "0", *served, **own)
        ws, ws_port = _listening(stack, "serve", "--ws", "0", *served, **own)
        mcp, mcp_port = _listening(stack, "mcp", "--http", "0", "--root", str(root), GRAPHLS_MCP_TOKEN=TOKEN, **own)
        view, view_port = _listening(stack, "view", "shop.prices:total", "--serve", "--root", str(root), **own)
        editor = stack.enter_context(serving(root, tmp_path / "cache"))
        snapshot_id(editor)
        (announced,) = (tmp_path / "cache").glob("*/serving/*.json")
        agents_port = json.loads(announced.read_text())["port"]
        targets = {
            "ports": [
                *(["tcp", tcp_port, "/"], ["ws", ws_port, "/"], ["mcp", mcp_port, "/mcp"]),
                *(["view", view_port, "/ask"], ["agents", agents_port, "/"]),
            ],
            "messages": messages,
            "lines": [{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}],
            "bodies": [json.dumps(request(1, "initialize", opening))],
        }
        with _page(targets) as (address, said):
            profile = f"--user-data-dir={tmp_path / 'profile'}"
            words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", profile, address]
            browser = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
            stack.callback(browser.wait)
            stack.callback(browser.kill)
        found = dict(said)
        # The page reached the ports: of an answer in HTTP it learns that there is one, and no more.
        assert found["mcp post frames"] == found["ws get"] == "opaque"
        assert len(found) == 5 * 14
        assert "open" not in found.values()
        assert [one.poll() for one in (tcp, ws, mcp, view)] == [None] * 4
        say_goodbye(editor)
        admitted = {**opening, "initializationOptions": {"token": TOKEN}}
        with (
            socket.create_connection(("127.0.0.1", tcp_port), TIMEOUT) as connection,
            connection.makefile("rb") as stream,
        ):
            connection.sendall(framed(request(1, "initialize", admitted)))
            assert answer_to(stream, 1)["capabilities"]
    assert not ran.exists()
    assert _tree(root) == before
