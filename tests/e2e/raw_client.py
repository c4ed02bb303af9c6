"""A client that sends any bytes and believes nothing, for tests of a server process over its standard streams."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from e2e.command_server import ForkedCommand

TIMEOUT = 300.0
"""Seconds until silence counts as hanging. A busy machine is no fault."""
SERVER = Path(__file__).parents[2] / "server"
PROBE = Path(__file__).with_name("probe_server.py")


def start_probe(*arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, str(PROBE), *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=environment
    )


def framed(message: object) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def request(message_id: object, method: str, params: object = None) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}


def notification(method: str, params: object = None) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


class RawClient:
    """Over the two streams of a server process."""

    def __init__(self, process: subprocess.Popen[bytes] | ForkedCommand) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process = process
        self.stdin = process.stdin
        self.stderr: list[str] = []
        self.notifications: list[dict[str, Any]] = []
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._stash: list[dict[str, Any]] = []
        threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()
        self._log = threading.Thread(target=self._read_log, args=(process.stderr,), daemon=True)
        self._log.start()

    def _read(self, stream: BinaryIO) -> None:
        while header := stream.readline():
            assert header.lower().startswith(b"content-length:"), header
            length = int(header.split(b":")[1])
            assert stream.readline() == b"\r\n"
            self._messages.put(json.loads(stream.read(length)))
        self._messages.put(None)

    def _read_log(self, stream: BinaryIO) -> None:
        self.stderr.extend(line.decode() for line in stream)

    def send(self, *messages: object) -> None:
        self.raw(b"".join(framed(message) for message in messages))

    def raw(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def receive(self, timeout: float = TIMEOUT) -> dict[str, Any] | None:
        return self._messages.get(timeout=timeout)

    def answer(self, message_id: object) -> dict[str, Any]:
        """The response with this id; others are kept for later calls."""
        for kept in self._stash:
            if kept.get("id") == message_id and type(kept.get("id")) is type(message_id):
                self._stash.remove(kept)
                return kept
        while (message := self.receive()) is not None:
            if "method" in message:
                self.notifications.append(message)
            elif message.get("id") == message_id and type(message.get("id")) is type(message_id):
                return message
            else:
                self._stash.append(message)
        raise AssertionError(f"no answer to {message_id!r}: {self.stderr}")

    def code(self, message_id: object) -> int | None:
        return self.answer(message_id).get("error", {}).get("code")

    def ask(self, message_id: object, method: str, params: object = None) -> dict[str, Any]:
        self.send(request(message_id, method, params))
        return self.answer(message_id)

    def initialize(self, capabilities: object = None, **more: object) -> dict[str, Any]:
        params = {"processId": None, "rootUri": None, "capabilities": capabilities or {}, **more}
        answer = self.ask("init", "initialize", params)
        self.send(notification("initialized", {}))
        return answer

    def alive(self) -> bool:
        """A fresh request is answered, and nothing unexpected was answered before it."""
        return self.ask("alive?", "probe/echo", {"textToEcho": "x"})["result"]["echoedText"] == "x"

    def left_over(self) -> Iterable[dict[str, Any]]:
        """Responses nobody asked for so far."""
        return tuple(self._stash)

    def wait(self) -> int:
        code = self.process.wait(TIMEOUT)
        self._log.join(TIMEOUT)
        return code

    def close(self) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
