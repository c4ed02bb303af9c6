"""What the protocol answers to messages that are odd, broken, too early, too late or not wanted any more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from e2e.raw_client import RawClient, framed, notification, request, start_probe

POSITION = {"line": 0, "character": 0}


@pytest.fixture(scope="module")
def process_of_module() -> Iterator[RawClient]:
    client = RawClient(start_probe())
    client.initialize()
    yield client
    client.close()


@pytest.fixture
def client(process_of_module: RawClient) -> Iterator[RawClient]:
    """One process for all tests here: each leaves it alive, with nothing unanswered."""
    yield process_of_module
    assert process_of_module.alive()
    assert not list(process_of_module.left_over())


def at(line: object, character: object = 0) -> dict[str, object]:
    return {"textDocument": {"uri": "file:///a.py"}, "position": {"line": line, "character": character}}


@pytest.mark.parametrize("method", ["nothing/there", "$/nothing", "probe/off", "workspaceSymbol/resolve", ""])
def test_unknown_and_disabled_methods_are_refused(client: RawClient, method: str) -> None:
    client.send(request(1, method, {}))
    assert client.code(1) == -32601


def test_unknown_notifications_are_ignored(client: RawClient) -> None:
    client.send(notification("$/nothing", {"a": 1}), notification("nothing/there"), notification("$/setTrace", 5))


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", at(-1)),
        ("textDocument/hover", at(1e20)),
        ("textDocument/hover", at(10**40)),
        ("textDocument/hover", at(0, "0")),
        ("textDocument/hover", at(0, 0.5)),
        ("textDocument/hover", at(None)),
        ("textDocument/hover", at(True)),
        ("textDocument/hover", {"textDocument": {"uri": 5}, "position": POSITION}),
        ("textDocument/hover", {"position": POSITION}),
        ("textDocument/hover", None),
        ("textDocument/hover", []),
        ("textDocument/hover", 5),
        ("textDocument/hover", "x"),
        ("probe/echo", {}),
        ("probe/echo", {"textToEcho": 5}),
        ("probe/echo", {"text_to_echo": "x"}),
        ("probe/echo", {"textToEcho": "x", "repeatCount": "2"}),
        ("probe/echo", {"textToEcho": "x", "atPosition": at(-1)["position"]}),
        ("probe/echo", {"textToEcho": "x", "extraWords": "abc"}),
        ("probe/echo", {"textToEcho": "x", "extraWords": {"a": 1}}),
        ("workspace/executeCommand", {"command": "nothing"}),
        ("workspace/executeCommand", {"command": None}),
        ("initialize", {}),
    ],
)
def test_wrong_params_are_refused_with_the_id(client: RawClient, method: str, params: object) -> None:
    error = client.ask("p", method, params)["error"]
    if method == "initialize":
        assert error["code"] == -32600
        return
    assert (error["code"], error["data"]["code"]) == (-32602, "graphls.badParams")
    assert "Traceback" not in json.dumps(error)


def test_wrong_params_are_named_as_they_are_sent(client: RawClient) -> None:
    assert "params.textToEcho" in client.ask(1, "probe/echo", {})["error"]["message"]


def test_whole_floats_are_integers(client: RawClient) -> None:
    assert "result" in client.ask(1, "textDocument/hover", at(0.0, 3.0))


def test_a_character_past_the_end_is_clamped(client: RawClient) -> None:
    document = {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": "ab\ncd"}
    client.send(notification("textDocument/didOpen", {"textDocument": document}))
    assert client.ask(1, "textDocument/hover", at(0, 99))["result"]["contents"].endswith(" utf-16 2")


@pytest.mark.parametrize(
    ("body", "code", "message_id"),
    [
        (b'{"jsonrpc": "2.0", "id": 1, "method": "probe/ec', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe"}', -32700, None),
        ('{"jsonrpc": "2.0", "id": 1, "method": "a"}'.encode("utf-16"), -32700, None),
        (b"", -32700, None),
        (b'{"a": NaN}', -32700, None),
        (b'{"a": ' + b"1" * 5000 + b"}", -32700, None),
        (b"[]", -32600, None),
        (json.dumps([request(1, "probe/echo"), request(2, "probe/echo")]).encode(), -32600, None),
        (b"5", -32600, None),
        (b"null", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc": "1.0", "id": 7, "method": "probe/echo"}', -32600, 7),
        (b'{"id": 7, "method": "probe/echo"}', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": 7, "method": 5}', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": "x"}', -32600, "x"),
        (b'{"jsonrpc": "2.0", "id": null, "method": "probe/echo"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "probe/echo"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "probe/echo"}', -32600, None),
        (
            b'{"jsonrpc": "2.0", "id": 8, "method": "m", "params": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            -32600,
            8,
        ),
        (b'{"params": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b', "jsonrpc": "2.0", "id": 9}', -32600, 9),
        (b"[" * 100_000, -32600, None),
    ],
    ids=range(21),
)
def test_bodies_that_are_no_message(client: RawClient, body: bytes, code: int, message_id: object) -> None:
    client.raw(framed(body))
    assert client.code(message_id) == code


@pytest.mark.parametrize("depth", [100, 400, 900])
def test_deep_params_are_answered(client: RawClient, depth: int) -> None:
    payload: Any = 1
    for _ in range(depth):
        payload = {"a": payload}
    assert client.ask(1, "probe/echo", {"textToEcho": "x", "payload": payload})["id"] == 1


def test_a_nested_jsonrpc_key_is_data(client: RawClient) -> None:
    payload = {"jsonrpc": "2.0", "id": 99, "method": "exit", "deeper": [{"jsonrpc": "1", "error": {}}]}
    assert client.ask(1, "probe/echo", {"textToEcho": "x", "payload": payload})["result"]["payload"] == payload


def test_lone_surrogates_come_back(client: RawClient) -> None:
    assert client.ask(1, "probe/echo", {"textToEcho": "\ud800é😀"})["result"]["echoedText"] == "\ud800é😀"


E = framed(request(1, "probe/echo", {"textToEcho": "x"}))
BODY = E.partition(b"\r\n\r\n")[2]
SIZE = str(len(BODY)).encode()


@pytest.mark.parametrize(
    "stream",
    [
        b"content-length: " + SIZE + b"\r\n\r\n" + BODY,
        b"CONTENT-LENGTH:" + SIZE + b"  \r\n\r\n" + BODY,
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: " + SIZE + b"\r\n\r\n" + BODY,
        b"Content-Length: " + SIZE + b"\r\nX-Odd: 1\r\n\r\n" + BODY,
        b"Content-Length: " + SIZE + b"\n\n" + BODY,
        b"\r\n\r\n" + E,
    ],
    ids=range(6),
)
def test_headers_in_any_dress(client: RawClient, stream: bytes) -> None:
    client.raw(stream)
    assert "result" in client.answer(1)


@pytest.mark.parametrize(
    "junk",
    [
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: " + b"9" * 12 + b"\r\n\r\n{}",
        b"Content-Length: " + b"9" * 400 + b"\r\n\r\n{}",
        b"X-Header: 1\r\n\r\n",
        b"Content-Length: 500\r\n\r\n{",
        b'Content-Length: 5\r\n\r\n{"jsonrpc": "2.0"}',
        b"x" * 100_000 + b"\r\n",
        b"junk\r\n",
        b'{"jsonrpc": "2.0", "id": 5, "method": "probe/echo"}\n',
    ],
    ids=range(12),
)
def test_broken_framing_is_answered_and_left_behind(client: RawClient, junk: bytes) -> None:
    client.raw(junk + E)
    assert client.code(None) == -32700
    while "result" not in client.answer(1):
        pass
    while client.left_over():
        assert client.code(None) == -32700


def test_a_message_that_stops_midway_is_given_up_after_a_while() -> None:
    client = RawClient(start_probe("impatient"))
    client.initialize()
    client.raw(b'Content-Length: 500\r\n\r\n{"jsonrpc": "2.0", ')
    assert client.code(None) == -32700  # nothing more was sent
    client.raw(b'"id": 7, "method": "probe/echo"}')
    assert client.alive()
    client.raw(E[:30])
    assert client.code(None) == -32700
    client.raw(E[30:] + E)
    assert "result" in client.answer(1)
    assert not list(client.left_over())
    client.close()


def test_a_message_that_is_too_large_is_skipped(client: RawClient) -> None:
    size = 70 * 1024 * 1024
    client.raw(b"Content-Length: %d\r\n\r\n" % size)
    for _ in range(70):
        client.raw(b" " * (1 << 20))
    client.raw(E)
    assert client.code(None) == -32700
    assert "result" in client.answer(1)


def test_bytes_may_come_one_at_a_time(client: RawClient) -> None:
    for byte in E:
        client.raw(bytes([byte]))
    assert "result" in client.answer(1)


def test_ids_in_flight_are_answered_once_each(client: RawClient) -> None:
    client.send(
        request("a", "probe/slow", {"seconds": 1}),
        request("a", "probe/echo", {"textToEcho": "x"}),
        request(1, "probe/echo", {"textToEcho": "int"}),
        request("1", "probe/echo", {"textToEcho": "str"}),
    )
    assert client.code("a") == -32600
    assert client.answer("a")["result"] == "done"
    assert client.answer(1)["result"]["echoedText"] == "int"
    assert client.answer("1")["result"]["echoedText"] == "str"


@pytest.mark.parametrize("method", ["probe/slow", "probe/long"])
@pytest.mark.parametrize("polls", [True, False])
def test_running_and_queued_requests_are_cancelled(client: RawClient, method: str, polls: bool) -> None:
    slow = {"seconds": 300 if polls else 1, "polls": polls}
    cancels = [notification("$/cancelRequest", {"id": number}) for number in (2, 1)]
    client.send(request(1, method, slow), request(2, method, slow), *cancels)
    assert client.code(2) == -32800
    assert client.code(1) == -32800


@pytest.mark.parametrize("method", ["probe/slow", "probe/long"])
def test_requests_whose_progress_is_cancelled_are_answered(client: RawClient, method: str) -> None:
    client.send(*(request(number, method, {"seconds": 300, "workDoneToken": f"t{number}"}) for number in (1, 2)))
    client.send(*(notification("window/workDoneProgress/cancel", {"token": f"t{number}"}) for number in (2, 1)))
    assert client.code(2) == -32800
    assert client.code(1) == -32800


@pytest.mark.parametrize("method", ["probe/slow", "probe/long"])
def test_a_queued_request_whose_progress_is_cancelled_is_not_begun(client: RawClient, method: str) -> None:
    queued = {"seconds": 0, "polls": False, "workDoneToken": "t"}
    cancel = notification("window/workDoneProgress/cancel", {"token": "t"})
    client.send(request(1, method, {"seconds": 1, "polls": False}), request(2, method, queued), cancel)
    assert client.code(2) == -32800
    assert client.answer(1)["result"] == "done"


def test_cancelling_what_is_over_or_never_was(client: RawClient) -> None:
    client.ask(1, "probe/echo", {"textToEcho": "x"})
    ids = ({"id": 1}, {"id": "no"}, {}, None, {"id": [1]})
    client.send(*(notification("$/cancelRequest", params) for params in ids))


def test_a_long_request_does_not_delay_an_editor(client: RawClient) -> None:
    client.send(request(1, "probe/long", {"seconds": 300}))
    assert "result" in client.ask(2, "textDocument/hover", at(0))
    client.send(notification("$/cancelRequest", {"id": 1}))
    assert client.code(1) == -32800


def test_quick_requests_overtake_lists(client: RawClient) -> None:
    client.send(
        request(1, "probe/slow", {"seconds": 1}),
        request(2, "probe/list", {}),
        request(3, "textDocument/hover", at(0)),
    )
    order: list[object] = []
    while len(order) < 3:
        message = client.receive()
        assert message is not None
        order.extend([message["id"]] if "id" in message else [])
    assert order.index(3) < order.index(2)


def test_a_request_sees_the_changes_sent_before_it(client: RawClient) -> None:
    before = int(client.ask(0, "textDocument/hover", at(0))["result"]["contents"].split()[0])
    change = {"textDocument": {"uri": "file:///a.py", "version": 2}, "contentChanges": [{"text": "x"}]}
    for number in range(1, 20):
        client.send(notification("textDocument/didChange", change), request(number, "textDocument/hover", at(0)))
    seen = [int(client.answer(number)["result"]["contents"].split()[0]) for number in range(1, 20)]
    assert seen == sorted(seen)
    assert all(count >= before + number for number, count in enumerate(seen, 1))


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        ({"text": "x"}, 1),
        ({"text": "x", "range": None}, 1),
        ({"text": "x", "range": {"start": POSITION, "end": POSITION}}, 1),
        ({"text": "x", "range": {"start": POSITION, "end": {"line": -1, "character": 0}}}, 1000),
        ({"text": 5}, 1000),
    ],
)
def test_a_change_that_cannot_be_read_is_not_forgotten(client: RawClient, content: object, seen: int) -> None:
    before = int(client.ask(0, "textDocument/hover", at(0))["result"]["contents"].split()[0])
    change = {"textDocument": {"uri": "file:///a.py", "version": 2}, "contentChanges": [content]}
    client.send(notification("textDocument/didChange", change))
    assert int(client.ask(1, "textDocument/hover", at(0))["result"]["contents"].split()[0]) == before + seen


@pytest.mark.parametrize("method", ["textDocument/definition", "probe/leave", "probe/unencodable"])
def test_an_exception_leaks_nothing(client: RawClient, method: str) -> None:
    error = client.ask(1, method, at(0))["error"]
    assert (error["code"], error["data"]) == (-32603, {"code": "graphls.internal"})
    assert "secret" not in json.dumps(error)
    assert "secret" not in json.dumps(client.notifications)


def test_a_listener_that_raises_leaves_the_rest_standing(client: RawClient) -> None:
    change = {"textDocument": {"uri": "file:///a.py", "version": 666}, "contentChanges": []}
    client.send(notification("textDocument/didChange", change), notification("textDocument/didChange", {"no": 1}))
    assert client.alive()
    assert "/secret" not in json.dumps(client.notifications)


def test_a_refusal_of_the_core_has_its_own_code(client: RawClient) -> None:
    error = client.ask(1, "probe/refuse")["error"]
    assert error["code"] == -32803
    assert error["data"] == {"code": "graphls.unknownSymbol", "candidates": ["a", "b"]}


def test_own_messages_are_camel_case(client: RawClient) -> None:
    result = client.ask(1, "probe/echo", {"textToEcho": "ab", "repeatCount": 2, "unknownField": 1})["result"]
    assert result == {
        "echoedText": "abab",
        "payload": None,
        "allItems": [{"longName": "one"}, {"longName": "two", "notThere": "there"}],
    } or result == {"echoedText": "abab", "allItems": [{"longName": "one"}, {"longName": "two", "notThere": "there"}]}


def test_a_command_gets_its_arguments(client: RawClient) -> None:
    assert client.ask(1, "workspace/executeCommand", {"command": "probe.add", "arguments": [1, 2]})["result"] == 3


def test_long_lists_come_in_parts(client: RawClient) -> None:
    client.notifications.clear()
    assert client.ask(1, "probe/list", {"partialResultToken": "t"})["result"] == []
    parts = [n["params"]["value"] for n in client.notifications if n["method"] == "$/progress"]
    assert [len(part) for part in parts] == [500, 500, 200]
    assert len(client.ask(2, "probe/list", {})["result"]) == 1200
