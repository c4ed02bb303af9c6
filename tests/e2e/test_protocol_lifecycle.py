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
from urllib.parse import quote

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from e2e.floods import crowd, flooded, open_files
from e2e.probe_server import TOKEN
from e2e.processes import resident
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
            "experimental": {"graphls": {"notifications": ["graph/didChange"]}},
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
    assert "configuration ({'a': 1},)\n" in client.stderr


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


def hello(token: str = TOKEN, message_id: object = 1) -> dict[str, object]:
    options = {"token": token} if token else {}
    params = {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": options}
    return request(message_id, "initialize", params)


INITIALIZE = hello()


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


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[str, int]]:
    """A server on a port to which nobody shows the token."""
    process = start_probe("tcp")
    yield listening(process)
    assert process.poll() is None
    process.kill()
    process.communicate()


INSIDE = framed(hello(""))
REQUEST_LINES = [
    b"POST / HTTP/1.1\r\n",
    b"POST /" + b"a" * 17_000 + b" HTTP/1.1\r\n",
    b"POST /" + b"a" * 300_000 + b" HTTP/1.1\r\n",
    b"CONNECT a:1 HTTP/1.1\r\n",
    b"Content-Length /: HTTP/1.1\r\n",
    b"Content-Type /: HTTP/1.1\r\n",
    b"\r\n",
    b" Content-Length: 2\r\n\r\n{}\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n",
]


@pytest.mark.parametrize("line", REQUEST_LINES, ids=range(len(REQUEST_LINES)))
def test_what_begins_as_no_message_is_refused_whatever_follows(listener: tuple[str, int], line: bytes) -> None:
    with socket.create_connection(listener, TIMEOUT) as connection:
        headers = b"Host: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(INSIDE)
        with contextlib.suppress(ConnectionError):
            connection.sendall(line + headers + INSIDE * 3)
        answer = b""
        with contextlib.suppress(ConnectionError):
            answer = connection.makefile("rb").read()
        assert b"result" not in answer
        assert answer.count(b"\r\n\r\n") <= 1


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (framed(hello("")), "graphls.badToken"),
        (framed(hello(TOKEN + "x")), "graphls.badToken"),
        (framed(hello("\ud800")), "graphls.badToken"),
        (framed(request(1, "textDocument/hover", HOVER)), "graphls.invalidRequest"),
        (framed(notification("exit")), "graphls.invalidRequest"),
        (framed([INITIALIZE]), "graphls.invalidRequest"),
        (framed(b"[" * 200_000), "graphls.parseError"),
        (framed(b"{"), "graphls.parseError"),
        (b"Content-Length: 1000000\r\n\r\n", "graphls.invalidRequest"),
        (b"Content-Length: -1\r\n\r\n", "graphls.parseError"),
        (b"Content-Length:" + b" " * 600, "graphls.parseError"),
    ],
    ids=range(11),
)
def test_without_the_token_nothing_is_done(listener: tuple[str, int], sent: bytes, code: str) -> None:
    with socket.create_connection(listener, TIMEOUT) as connection:
        connection.sendall(sent)
        stream = connection.makefile("rb")
        answer: Any = read_one(stream)
        assert answer["error"]["data"]["code"] == code
        assert stream.read() == b""


def test_strangers_keep_nobody_out_and_cost_little() -> None:
    process = start_probe("tcp")
    address = listening(process)
    before = resident(process.pid)
    for beginning in (b"", b"Content-Length: 99999\r\n\r\n", b"Content-Length: 30000000\r\n\r\n"):
        assert flooded(address, beginning, 30_000_000) < 20_000_000
    assert resident(process.pid) - before < 8_000_000
    held = open_files(process.pid)
    strangers = crowd(process.pid, address)
    time.sleep(1)
    assert open_files(process.pid) - held < 30
    with socket.create_connection(address, TIMEOUT) as connection, connection.makefile("rb") as stream:
        connection.sendall(framed(INITIALIZE))
        assert read_one(stream)["id"] == 1
        connection.sendall(framed(request(2, "shutdown")) + framed(notification("exit")))
        stream.read()
    assert process.wait(TIMEOUT) == 0
    for stranger in strangers:
        stranger.close()
    process.communicate()


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ("", {}, 401),
        ("?token=wrong", {}, 401),
        ("", {"Authorization": "Bearer wrong"}, 401),
        (f"?token={quote(TOKEN)}", {"Origin": "https://example.org"}, 403),
        (f"?token={quote(TOKEN)}", {"Origin": "http://localhost"}, 403),
        (f"?token={quote(TOKEN)}", {"Origin": "null"}, 403),
        (f"?token={quote(TOKEN)}", {"Host": "rebound.example"}, 403),
    ],
)
def test_a_handshake_without_the_token_or_of_a_web_page_is_refused(
    websocket_listener: str, query: str, headers: dict[str, str], status: int
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(f"{websocket_listener}/{query}", additional_headers=headers)
    assert refused.value.response.status_code == status


@pytest.fixture(scope="module")
def websocket_listener() -> Iterator[str]:
    process = start_probe("ws")
    yield "ws://{}:{}".format(*listening(process))
    assert process.poll() is None
    process.kill()
    process.communicate()


@pytest.mark.parametrize("shown", ["query", "header"])
def test_websocket_serves_messages_and_ends_with_its_client(shown: str) -> None:
    process = start_probe("ws")
    url = "ws://{}:{}".format(*listening(process))
    headers = {"Authorization": f"Bearer {TOKEN}"} if shown == "header" else {}
    address = url if shown == "header" else f"{url}/?token={quote(TOKEN)}"
    with connect(address, additional_headers=headers) as connection:
        for message in (hello(""), [], request(2, "shutdown")):
            connection.send(json.dumps(message))
        connection.send(b"\xff")
        answers = [json.loads(connection.recv(TIMEOUT)) for _ in range(4)]
        assert [answer.get("id") for answer in answers] == [1, None, 2, None]
        assert answers[3]["error"]["code"] == -32700
        connection.send(json.dumps(notification("exit")))
    assert process.wait(TIMEOUT) == 0
    process.communicate()


def test_only_loopback_is_listened_on() -> None:
    from graphls.lsp.protocol import ErrorWithCode, Listening, serve_tcp

    with pytest.raises(ErrorWithCode):
        serve_tcp(None, Listening(token=TOKEN, announce=print, host="0.0.0.0"))  # type: ignore[arg-type]
    with pytest.raises(ErrorWithCode):
        serve_tcp(None, Listening(token="", announce=print))  # type: ignore[arg-type]
