"""From the first byte to the last: phases, exit codes, and what ends the server."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, BinaryIO

import pytest

from e2e.raw_client import TIMEOUT, RawClient, framed, notification, request, start_probe

HOVER = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}


@pytest.fixture
def client() -> Iterator[RawClient]:
    client = RawClient(start_probe())
    yield client
    client.close()


def test_requests_wait_for_initialize(client: RawClient) -> None:
    document = {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": "ab"}
    client.send(notification("textDocument/didOpen", {"textDocument": document}), notification("initialized", {}))
    for number, method in enumerate(("textDocument/hover", "nothing", "shutdown", "$/x")):
        client.send(request(number, method, HOVER))
        assert client.code(number) == -32002
    client.raw(b"Content-Length: 0\r\n\r\n")
    assert client.code(None) == -32700
    assert client.initialize()["result"]["serverInfo"]["name"] == "probe"
    assert client.ask(1, "textDocument/hover", {**HOVER, "position": {"line": 0, "character": 1}})["result"] == {
        "contents": "0 utf-16 0"
    }


def test_initialize_that_fails_may_be_sent_again(client: RawClient) -> None:
    assert client.ask(1, "initialize", {"processId": "x"})["error"]["code"] == -32602
    failing = {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": "fail"}
    failed = client.ask(2, "initialize", failing)
    assert failed["error"]["code"] == -32603
    assert "secret" not in json.dumps(failed)
    assert client.ask(3, "textDocument/hover", HOVER)["error"]["code"] == -32002
    assert "result" in client.initialize()
    assert client.initialize({"general": {"positionEncodings": ["utf-8"]}})["error"]["code"] == -32600
    assert client.ask(4, "textDocument/hover", HOVER)["result"]["contents"].split()[1] == "utf-16"


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-16", "utf-8"], "utf-8"),
        (["utf-16", "utf-32"], "utf-32"),
        (["utf-7"], "utf-16"),
    ],
)
def test_the_encoding_is_negotiated(client: RawClient, offered: list[str] | None, chosen: str) -> None:
    answer = client.initialize({"general": {"positionEncodings": offered}} if offered else {})
    assert answer["result"]["capabilities"]["positionEncoding"] == chosen


def test_capabilities_announce_what_is_answered(client: RawClient) -> None:
    capabilities = client.initialize()["result"]["capabilities"]
    methods = capabilities["experimental"]["graphls"]["methods"]
    assert "probe/echo" in methods
    assert "probe/off" not in methods
    assert capabilities["textDocumentSync"]["change"] == 2
    assert "completionProvider" not in capabilities
    assert "notebookDocumentSync" not in capabilities


def test_after_shutdown_only_exit_counts(client: RawClient) -> None:
    client.initialize()
    client.send(request(1, "probe/slow", {}), request(2, "probe/echo", {"textToEcho": "x"}), request(3, "shutdown"))
    assert client.answer(3)["result"] is None
    assert client.code(1) == -32800
    client.send(request(4, "textDocument/hover", HOVER), request(5, "initialize", {}), request(6, "shutdown"))
    assert [client.code(number) for number in (4, 5, 6)] == [-32600] * 3
    client.send(notification("textDocument/didChange", {}), notification("exit"))
    assert client.wait() == 0
    assert "session closed\n" in client.stderr


@pytest.mark.parametrize("initialized", [True, False])
def test_exit_without_shutdown_is_one(client: RawClient, initialized: bool) -> None:
    if initialized:
        client.initialize()
        client.send(request(1, "probe/slow", {"polls": False}))
    client.send(notification("exit"))
    assert client.wait() == 1


@pytest.mark.parametrize("shutdown", [True, False])
def test_the_end_of_input_ends_the_server(client: RawClient, shutdown: bool) -> None:
    client.initialize()
    if shutdown:
        client.ask(1, "shutdown")
    client.stdin.close()
    assert client.wait() == (0 if shutdown else 1)
    assert "session closed\n" in client.stderr


def test_input_that_ends_inside_a_message(client: RawClient) -> None:
    client.initialize()
    client.raw(framed(request(1, "probe/echo", {}))[:-10])
    client.stdin.close()
    assert client.wait() == 1
    assert not any("Traceback" in line for line in client.stderr)


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_ends_the_server(client: RawClient, name: str) -> None:
    client.initialize()
    client.process.send_signal(signal.Signals[name])
    assert client.wait() == 1
    assert "session closed\n" in client.stderr


def test_the_death_of_the_client_ends_the_server(client: RawClient) -> None:
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client.ask("init", "initialize", {"processId": other.pid, "rootUri": None, "capabilities": {}})
    assert client.alive()
    other.kill()  # not waited for: a zombie is dead too
    assert client.wait() == 1
    other.communicate()
    assert "session closed\n" in client.stderr


def test_a_client_process_that_cannot_be_seen_is_not_watched(client: RawClient) -> None:
    client.ask("init", "initialize", {"processId": 2**30, "rootUri": None, "capabilities": {}})
    time.sleep(0.2)
    assert client.alive()


def test_closed_output_ends_the_server_cleanly() -> None:
    process = start_probe()
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(framed(request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})))
    process.stdin.flush()
    process.stdout.read(20)
    process.stdout.close()
    echo = framed(request(2, "probe/echo", {"textToEcho": "x" * 1000, "repeatCount": 1000}))
    end = time.monotonic() + TIMEOUT
    with contextlib.suppress(BrokenPipeError):
        while process.poll() is None and time.monotonic() < end:
            process.stdin.write(echo)
            process.stdin.flush()
            time.sleep(0.05)
    assert process.wait(TIMEOUT) == 1
    said = process.stderr.read()
    assert b"session closed" in said
    assert b"Traceback" not in said
    process.stderr.close()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


def test_a_stray_print_does_not_reach_the_client(client: RawClient) -> None:
    client.initialize()
    client.ask(1, "shutdown")
    client.send(notification("exit"))
    assert client.wait() == 0
    assert "stray output of a library\n" in client.stderr


def test_the_server_asks_only_what_the_client_can_do(client: RawClient) -> None:
    client.initialize(
        {
            "workspace": {"configuration": True, "didChangeWatchedFiles": {"dynamicRegistration": True}},
            "window": {"workDoneProgress": True},
        }
    )
    assert client.ask(1, "probe/tell")["result"] == [True, True]
    asked = {message["method"]: message for message in client.notifications if "id" in message}
    assert set(asked) == {"workspace/configuration", "client/registerCapability"}
    watchers = asked["client/registerCapability"]["params"]["registrations"][0]["registerOptions"]["watchers"]
    # That folders were created or deleted too: of the files in them clients tell nothing then.
    assert watchers == [{"globPattern": "**/*.py"}, {"globPattern": "**", "kind": 1 | 4}]
    client.send(
        {"jsonrpc": "2.0", "id": asked["workspace/configuration"]["id"], "result": [{"a": 1}]},
        {"jsonrpc": "2.0", "id": asked["client/registerCapability"]["id"], "error": {"code": 1, "message": "no"}},
        {"jsonrpc": "2.0", "id": "unknown", "result": None},
        {"jsonrpc": "2.0", "id": asked["workspace/configuration"]["id"], "result": "again"},
    )
    assert client.alive()
    end, changes = time.monotonic() + TIMEOUT, list[dict[str, Any]]()
    while (not changes or changes[-1]["revision"] != 19) and time.monotonic() < end:
        time.sleep(0.05)
        assert client.alive()
        changes = [message["params"] for message in client.notifications if message["method"] == "graph/didChange"]
    assert len(changes) < 19
    assert changes[-1]["revision"] == 19
    assert sorted({file for change in changes for file in change["files"]}) == sorted(f"{n}.py" for n in range(1, 20))
    assert any("refused to watch" in m["params"]["message"] for m in client.notifications if "Message" in m["method"])
    client.ask(2, "shutdown")
    client.send(notification("exit"))
    client.wait()
    assert "configuration {'a': 1}\n" in client.stderr


def test_progress_is_created_reported_and_cancelled(client: RawClient) -> None:
    client.initialize({"window": {"workDoneProgress": True}})
    client.send(request(1, "probe/long", {"seconds": 300}))
    message = client.receive()
    while message is not None and message["method"] != "window/workDoneProgress/create":
        message = client.receive()
    assert message is not None
    token = message["params"]["token"]
    client.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
    begun = client.receive()
    assert begun is not None
    assert begun["params"] == {"token": token, "value": {"kind": "begin", "title": "slow", "cancellable": True}}
    client.send(notification("window/workDoneProgress/cancel", {"token": token}))
    assert client.code(1) == -32800
    assert client.notifications[-1]["params"] == {"token": token, "value": {"kind": "end"}}


def test_progress_goes_to_the_token_of_the_request(client: RawClient) -> None:
    client.initialize()
    client.ask(1, "probe/slow", {"seconds": 0.05, "workDoneToken": 7})
    kinds = [m["params"]["value"]["kind"] for m in client.notifications if m["method"] == "$/progress"]
    assert kinds == ["begin", "end"]
    client.notifications.clear()
    client.ask(2, "probe/long", {"seconds": 0.05})
    assert not [m for m in client.notifications if "rogress" in m["method"]]


def listening(process: subprocess.Popen[bytes]) -> tuple[str, int]:
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(b"listening"):
            host, _, port = line.decode().strip().rpartition("//")[2].rpartition(":")
            return host, int(port)
    raise AssertionError("not listening")


def read_one(stream: BinaryIO) -> dict[str, object]:
    length = int(stream.readline().split(b":")[1])
    stream.readline()
    return json.loads(stream.read(length))


INITIALIZE = request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})


def test_tcp_serves_one_client_and_ends_with_it() -> None:
    process = start_probe("tcp")
    address = listening(process)
    with socket.create_connection(address, TIMEOUT) as connection, connection.makefile("rb") as stream:
        connection.sendall(framed(INITIALIZE)[:30])
        connection.sendall(framed(INITIALIZE)[30:] + framed([]) + framed(request(2, "shutdown")))
        assert [read_one(stream).get("id") for _ in range(3)] == [1, None, 2]
        with socket.create_connection(address, TIMEOUT) as second:
            assert second.recv(1) == b""
        connection.sendall(framed(notification("exit")))
        assert stream.read() == b""
    assert process.wait(TIMEOUT) == 0
    process.communicate()


@pytest.mark.parametrize("hello", [b"", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"])
def test_tcp_leaves_a_client_that_is_gone_or_a_browser(hello: bytes) -> None:
    process = start_probe("tcp")
    with socket.create_connection(listening(process), TIMEOUT) as connection:
        connection.sendall(hello)
        if hello:
            assert b"-32700" in connection.makefile("rb").read()
    assert process.wait(TIMEOUT) == 1
    process.communicate()


def test_websocket_serves_messages_and_refuses_web_pages() -> None:
    websockets = pytest.importorskip("websockets.sync.client")
    from websockets.exceptions import InvalidStatus

    process = start_probe("ws")
    url = "ws://{}:{}".format(*listening(process))
    with pytest.raises(InvalidStatus):
        websockets.connect(url, origin="https://example.org")
    with websockets.connect(url) as connection:
        for message in (INITIALIZE, [], request(2, "shutdown")):
            connection.send(json.dumps(message))
        connection.send(b"\xff")
        answers = [json.loads(connection.recv(TIMEOUT)) for _ in range(4)]
        assert [answer.get("id") for answer in answers] == [1, None, 2, None]
        assert answers[3]["error"]["code"] == -32700
        connection.send(json.dumps(notification("exit")))
    assert process.wait(TIMEOUT) == 0
    process.communicate()


def test_only_loopback_is_listened_on() -> None:
    from graphls.lsp.protocol import GraphError
    from graphls.lsp.protocol.transports import serve_tcp

    with pytest.raises(GraphError):
        serve_tcp(None, "0.0.0.0", 0, print)  # type: ignore[arg-type]
