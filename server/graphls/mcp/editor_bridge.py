"""Editor bridge: agents answered by the language server of an editor, from the session that it has.

Owns: the socket on this machine, its announcement, a server for each agent that connects.
Must not know: the editor's protocol, tools.
Invariant: who does not know the token learns nothing; the editor waits for nothing that happens here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from graphls import __version__
from graphls.mcp.handshake import LONGEST_HELLO, LONGEST_LINE, Hello, read_hello
from graphls.mcp.line_reader import CHUNK, LineReader
from graphls.store.announced import ServerAnnouncement, announce, withdraw

if TYPE_CHECKING:
    from graphls.session.session import Session

_log = logging.getLogger(__name__)
_PATIENCE = 5.0
_CLOSING = 2.0
_STRANGERS = 8
"""Connections that have not proved yet that they know the token; one more ends the oldest of them."""


class EditorSession(Protocol):
    """What an editor's connection has. Its session is another one when other folders were opened."""

    @property
    def session(self) -> Session: ...
    @property
    def problems(self) -> tuple[str, ...]: ...
    def on_change(self, watcher: Callable[[], None]) -> None: ...
    def recovery(self) -> Callable[[], bool]: ...


class EditorBridge:
    """Listens from `start` to `close`, in a thread of its own."""

    def __init__(self, live: EditorSession) -> None:
        self._live = live
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._closed = False
        self._server = ServerAnnouncement(version=__version__, port=0, token="")
        self._unauthenticated: dict[asyncio.StreamWriter, None] = {}
        self._announced_roots: tuple[str, ...] | None = None
        self._thread = threading.Thread(target=self._run, name="graphls-agents", daemon=True)

    def start(self) -> None:
        """Begins to listen; the answer to the editor does not wait for it."""
        self._thread.start()
        self._live.on_change(self._moved)

    def close(self) -> None:
        """Ends every connection and takes the announcement back."""
        self._closed = True
        loop, stop = self._loop, self._stop
        if loop is not None and stop is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(stop.set)
        self._thread.join(_CLOSING)

    def _run(self) -> None:
        try:
            asyncio.run(self._listen())
        except OSError as error:
            _log.warning("agents cannot join this server: %s", error)

    async def _listen(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        if self._closed:  # said before there was anything to stop
            return
        listener = await asyncio.start_server(self._met, "127.0.0.1", 0, limit=CHUNK)
        port = listener.sockets[0].getsockname()[1]
        self._server = ServerAnnouncement(version=__version__, port=port, token=secrets.token_hex(32))
        self._announce()
        try:
            await self._stop.wait()
        finally:
            self._withdraw()
            listener.close()

    # ---------------------------------------------------------------- the announcement

    def _moved(self) -> None:
        """Called from any thread, often: looks at two values."""
        if self._announced_roots is not None and self._announced_roots != self._where() and self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._announce)

    def _where(self) -> tuple[str, ...]:
        return tuple(folder.root for folder in self._live.session.workspace.folders)

    def _announce(self) -> None:
        self._withdraw()
        self._announced_roots = roots = self._where()
        # With several folders paths begin with the folder's name, which an agent in one of them would not expect.
        if len(roots) == 1:
            announce(roots, self._server)

    def _withdraw(self) -> None:
        if self._announced_roots is not None:
            withdraw(self._announced_roots, self._server)

    # ---------------------------------------------------------------- connections

    async def _met(self, reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
        lines = LineReader(reading)
        try:
            found = await self._hello(lines, writing)
            if found is not None:
                hello, welcome = found
                writing.write(welcome)
                await writing.drain()
                await self._serve(hello, lines, writing)
        except (OSError, ValueError, TimeoutError):
            pass  # whoever it was has gone, or is no process of ours
        except Exception:  # noqa: BLE001 (one agent's trouble is not the editor's)
            _log.exception("the connection of an agent failed")
        finally:
            writing.close()

    async def _hello(self, lines: LineReader, writing: asyncio.StreamWriter) -> tuple[Hello, bytes] | None:
        """What the other side asks for, and the answer; None for one that proves nothing."""
        self._unauthenticated[writing] = None
        if len(self._unauthenticated) > _STRANGERS:
            # At once: who comes before its end is noticed makes room by the next one's.
            oldest = next(iter(self._unauthenticated))
            del self._unauthenticated[oldest]
            oldest.transport.abort()
        try:
            return read_hello(await asyncio.wait_for(lines.line(LONGEST_HELLO), _PATIENCE), self._server.token)
        finally:
            self._unauthenticated.pop(writing, None)

    async def _serve(self, hello: Hello, lines: LineReader, writing: asyncio.StreamWriter) -> None:
        # The libraries of the protocol take long to load: not before an agent is there.
        from graphls.mcp.agent_session import AgentSession, SessionStart
        from graphls.mcp.server import AgentServer
        from graphls.mcp.transports import serve_lines

        opening = SessionStart(self._live.session.workspace, patience=hello.wait)
        state = AgentSession(opening, self._live)
        profile = "minimal" if hello.profile == "minimal" else "full"
        server = AgentServer(state, writes=hello.writes, max_bytes=hello.max_bytes, profile=profile).made()
        await serve_lines(server, _Received(lines), _Sent(writing))


class _Received:
    """Lines of a connection."""

    def __init__(self, lines: LineReader) -> None:
        self._lines = lines

    def __aiter__(self) -> _Received:
        return self

    async def __anext__(self) -> str:
        try:
            line = await self._lines.line(LONGEST_LINE)
        except (OSError, ValueError):
            line = b""
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


class _Sent:
    """The other direction."""

    def __init__(self, writing: asyncio.StreamWriter) -> None:
        self._writing = writing

    async def write(self, text: str) -> None:
        self._writing.write(text.encode("utf-8", "replace"))

    async def flush(self) -> None:
        with contextlib.suppress(OSError):
            await self._writing.drain()
