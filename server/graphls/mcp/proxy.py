"""Proxy: an agent's standard streams joined to a language server that has its workspace open.

Owns: the connection, what is kept in case it breaks.
Must not know: tools, sessions, the libraries of the protocol.
Invariant: no message of the agent is lost: what the other side left unanswered when it went is handed to who follows.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Sequence
from typing import Any, cast

import attrs

from graphls import __version__
from graphls.mcp.handshake import LONGEST_HELLO, LONGEST_LINE, Hello, hello_line, is_answer
from graphls.mcp.line_reader import CHUNK, LineReader
from graphls.store.announced import ServerAnnouncement, announced

_PATIENCE = 5.0


@attrs.define
class PendingMessages:
    """What a successor must be told: how the agent began, and its requests without an answer."""

    opening_lines: list[str] = attrs.field(factory=list[str])
    initialized: bool = False
    """The agent has seen the answer to its first message."""
    initialize_id: object = None
    """The id of that message."""
    unanswered: dict[str, str] = attrs.field(factory=dict[str, str])

    def from_agent(self, line: str) -> None:
        """Takes in a message on its way to the server."""
        message = _decoded(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            self.opening_lines, self.initialize_id, self.initialized = [line], number, False
        elif method == "notifications/initialized":
            self.opening_lines.append(line)
        elif method is not None and number is not None:
            self.unanswered[json.dumps(number)] = line

    def from_server(self, line: str) -> None:
        """Takes in a message on its way to the agent."""
        message = _decoded(line)
        number = message.get("id")
        if number is None or "method" in message:
            return
        self.unanswered.pop(json.dumps(number), None)
        if self.opening_lines and number == self.initialize_id:
            # A refused beginning was none: the agent goes on in a protocol without it, and so must a successor.
            self.initialized = self.initialized or "error" not in message
            self.opening_lines = self.opening_lines if self.initialized else []

    def replay(self) -> list[str]:
        """The messages to begin with."""
        return [*self.opening_lines, *self.unanswered.values()]

    def is_known(self, line: str) -> bool:
        """Whether the agent has seen this answer already."""
        message = _decoded(line)
        return self.initialized and "method" not in message and message.get("id") == self.initialize_id


class StdinLines:
    """Standard input, line by line, whoever reads it. A thread reads it, as not every platform can wait for it."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._ahead: list[str] = []
        threading.Thread(target=self._read, name="graphls-input", daemon=True).start()

    def ahead(self, lines: Sequence[str]) -> None:
        """These come before what is read next."""
        self._ahead = [*lines]

    def __aiter__(self) -> StdinLines:
        return self

    async def __anext__(self) -> str:
        line = self._ahead.pop(0) if self._ahead else await self._queue.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self) -> None:
        for line in sys.stdin.buffer:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line.decode("utf-8", "replace"))
        self._loop.call_soon_threadsafe(self._queue.put_nowait, None)


class AgentOutput:
    """Standard output, without what the agent has seen before."""

    def __init__(self, pending: PendingMessages) -> None:
        self._pending = pending

    async def write(self, text: str) -> None:
        if not self._pending.is_known(text):
            sys.stdout.buffer.write(text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        sys.stdout.buffer.flush()


Joined = tuple[LineReader, asyncio.StreamWriter]


async def joined(root: str, hello: Hello) -> Joined | None:
    """A connection to the server that has this workspace open; None where there is none."""
    server = announced((root,))
    if server is None or server.version != __version__:
        return None
    try:
        return await asyncio.wait_for(_met(server, hello), _PATIENCE)
    except (OSError, ValueError, TimeoutError):
        return None


async def _met(server: ServerAnnouncement, hello: Hello) -> Joined | None:
    reading, writing = await asyncio.open_connection("127.0.0.1", server.port, limit=CHUNK)
    lines = LineReader(reading)
    line, word = hello_line(hello, server.token)
    writing.write(line)
    await writing.drain()
    if is_answer(await lines.line(LONGEST_HELLO), server.token, word):
        return lines, writing
    writing.close()
    return None


async def relay(connection: Joined, lines: StdinLines, pending: PendingMessages) -> bool:
    """Passes messages on until one side ends; whether it was the agent."""
    reading, writing = connection
    forth = asyncio.create_task(_to_server(lines, writing, pending))
    back = asyncio.create_task(_to_agent(reading, pending))
    done, _ = await asyncio.wait((forth, back), return_when=asyncio.FIRST_COMPLETED)
    ended = forth in done
    if ended and writing.can_write_eof():
        writing.write_eof()
        await asyncio.wait((back,), timeout=_PATIENCE)
    for task in (forth, back):
        task.cancel()
    await asyncio.gather(forth, back, return_exceptions=True)
    writing.close()
    return ended


async def _to_server(lines: StdinLines, writing: asyncio.StreamWriter, pending: PendingMessages) -> None:
    async for line in lines:
        pending.from_agent(line)
        if not writing.is_closing():
            writing.write(line.encode("utf-8", "replace"))
            await writing.drain()


async def _to_agent(reading: LineReader, pending: PendingMessages) -> None:
    answers = AgentOutput(PendingMessages())
    while line := await reading.line(LONGEST_LINE):
        if not line.endswith(b"\n"):
            return  # half a message: the other side broke off, and the request is asked again
        text = line.decode("utf-8", "replace")
        pending.from_server(text)
        await answers.write(text)
        await answers.flush()


def _decoded(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
