"""Reading from the client while the server ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading

import pytest

from graphls.lsp.protocol import transports
from graphls.lsp.protocol.transports import PipeWriter, read_all


def test_reading_ends_without_a_word_when_the_server_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    problems: list[str] = []

    def noted(hook: threading.ExceptHookArgs) -> None:
        problems.append(repr(hook.exc_value))

    monkeypatch.setattr(threading, "excepthook", noted)
    source, sink = os.pipe()
    os.write(sink, b"a message")

    async def served() -> threading.Thread:
        taken = asyncio.Event()

        async def take(_: bytes) -> None:
            taken.set()
            await asyncio.Event().wait()

        thread = threading.Thread(target=read_all, args=(source, asyncio.get_running_loop(), take), daemon=True)
        thread.start()
        await taken.wait()
        return thread

    thread = asyncio.run(served())
    thread.join(120)
    os.close(sink)
    os.close(source)
    assert not thread.is_alive()
    assert problems == []


_SERVED = """
from graphls.lsp.protocol import transports
transports.MAX_UNSENT = 200_000
from graphls.lsp.main import serve
raise SystemExit(serve())
"""


def test_a_client_that_never_reads_is_left_at_a_bound() -> None:
    """Answers that nobody reads wait in memory, up to a bound: then the server ends, whatever else was asked."""
    server = subprocess.Popen([sys.executable, "-c", _SERVED], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    try:
        with contextlib.suppress(BrokenPipeError):
            server.stdin.write(_message(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}))
            for number in range(2, 20_002):
                server.stdin.write(_message(number, "workspace/none", {}))
            server.stdin.flush()
        assert server.wait(120) == 1, "an end that nobody asked for"
        assert server.stdout is not None
        assert b"capabilities" in server.stdout.read(), "it had answered"
    finally:
        server.kill()
        with contextlib.suppress(BrokenPipeError):
            server.communicate()


def test_what_waits_for_a_client_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transports, "MAX_UNSENT", 1_000_000)
    source, sink = os.pipe()
    left: list[int] = []
    writer = PipeWriter(sink, lambda: left.append(1))
    for _ in range(20_000):  # far more than a pipe holds
        writer.write(b"x" * 1_000)
    assert left, "nobody was told that the client is to be left"
    closing = threading.Thread(target=writer.close)
    closing.start()
    read = 0
    while closing.is_alive() and read < 20_000_000 - len(left) * 1_000:
        read += len(os.read(source, 65_536))
    closing.join(120)
    os.close(source)
    assert read == 20_000_000 - len(left) * 1_000, "what was taken is sent, and nothing else"
    assert read <= 1_000_000 + 1_048_576, "the bound, and what the pipe held meanwhile"


def _message(number: int, method: str, params: dict[str, object]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body
