"""Transports: standard streams, TCP and WebSocket.

Owns: reading and writing without blocking the loop, bounded output, taking over the standard streams, signals.
Must not know: methods, params, the session.
Invariant: whatever ends the connection ends the server; a client that does not read is left, never waited for.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import ipaddress
import logging
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from graphls.lsp.protocol.errors import GraphError
from graphls.lsp.protocol.framing import MAX_BODY, Body, Framing
from graphls.lsp.protocol.server import GraphlsServer

CHUNK = 1 << 16
MAX_UNSENT = 256 * 1024 * 1024
FLUSH_SECONDS = 2.0
GRACE_SECONDS = 10.0

Server = GraphlsServer[Any]
Announce = Callable[[str], None]

_log = logging.getLogger(__name__)


def serve_stdio(server: Server) -> int:
    """Speak over standard input and output until the client goes. The exit code."""
    return asyncio.run(_served(server, _stdio))


def serve_tcp(server: Server, host: str, port: int, announce: Announce) -> int:
    """Listen on loopback for one client. `announce` gets the address."""
    _require_loopback(host)
    return asyncio.run(_served(server, lambda it: _tcp(it, host, port, announce)))


def serve_websocket(server: Server, host: str, port: int, announce: Announce, origins: Sequence[str] = ()) -> int:
    """As serve_tcp, one message a frame. Web pages are refused unless their origin is listed."""
    _require_loopback(host)
    return asyncio.run(_served(server, lambda it: _websocket(it, host, port, announce, origins)))


def leave(code: int) -> None:
    """End the process, even if some thread does not want to."""

    def insist() -> None:
        time.sleep(GRACE_SECONDS)
        os._exit(code)

    threading.Thread(target=insist, daemon=True).start()
    sys.exit(code)


async def _served(server: Server, connect: Callable[[Server], Awaitable[None]]) -> int:
    server.begin()
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            # Whoever was started to outlive its terminal goes on.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, server.stop)
    await connect(server)
    return server.end()


def _require_loopback(host: str) -> None:
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(host).is_loopback:
            return
    if host != "localhost":
        raise GraphError("graphls.badParams", "Only a loopback address can be listened on, for example 127.0.0.1.")


# Standard streams


async def _stdio(server: Server) -> None:
    loop = asyncio.get_running_loop()
    source, sink = _take_standard_streams()
    writer = PipeWriter(sink, server.stop)
    server.protocol.set_writer(writer)
    framing = Framing()

    async def take(chunk: bytes) -> None:
        if not chunk or not server.protocol.feed(framing, chunk):
            server.stop()

    threading.Thread(target=read_all, args=(source, loop, take), name="graphls-stdin", daemon=True).start()
    await server.until_stopped()
    await loop.run_in_executor(None, writer.close)


def read_all(source: int, loop: asyncio.AbstractEventLoop, take: Callable[[bytes], Any]) -> None:
    """In its own thread; os.read holds no lock that could hang the end of the interpreter. Waits for each chunk."""
    chunk = b"-"
    while chunk:
        try:
            chunk = os.read(source, CHUNK)
        except OSError:
            chunk = b""
        step = take(chunk)
        try:
            asyncio.run_coroutine_threadsafe(step, loop).result()
        except (RuntimeError, concurrent.futures.CancelledError):
            step.close()
            return


def _take_standard_streams() -> tuple[int, int]:
    """Own copies of both, so that a stray print or a child process can not touch the protocol."""
    if sys.platform == "win32":
        import msvcrt

        for number in (0, 1):
            msvcrt.setmode(number, os.O_BINARY)
    source, sink = os.dup(0), os.dup(1)
    empty, feed = os.pipe()
    os.close(feed)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return source, sink


class PipeWriter:
    """A pygls writer over a file descriptor, with a thread that may block instead of the caller."""

    def __init__(self, sink: int, broken: Callable[[], None]) -> None:
        self._sink = sink
        self._broken = broken
        self._unsent = 0
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="graphls-stdout", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue a whole message; from any thread."""
        with self._lock:
            self._unsent += len(data)
            overrun = self._unsent > MAX_UNSENT
        if overrun:
            self._broken()
        else:
            self._queue.put(data)

    def close(self) -> None:
        """Send what is queued, within a bounded time."""
        self._queue.put(None)
        self._thread.join(FLUSH_SECONDS)

    def _run(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(self._sink, left) :]
            except OSError:
                self._broken()
                return
            with self._lock:
                self._unsent -= len(data)


# Sockets


class SocketWriter:
    """A pygls writer whose messages are sent by a task of the loop, in order."""

    def __init__(self, send: Callable[[bytes], Awaitable[None]], broken: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._send = send
        self._broken = broken
        self._unsent = 0
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._task = self._loop.create_task(self._run())

    def write(self, data: bytes) -> None:
        """Queue a whole message; from any thread."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._put, data)

    def close(self) -> None:
        """Send no more than is queued."""
        self.write_end()

    def write_end(self) -> None:
        """Mark the end of the queue; it keeps its place behind what was written before."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, None)

    async def finish(self) -> None:
        """Send what is queued, within a bounded time."""
        self.write_end()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._task, FLUSH_SECONDS)

    def _put(self, data: bytes) -> None:
        self._unsent += len(data)
        if self._unsent > MAX_UNSENT:
            self._broken()
        else:
            self._queue.put_nowait(data)

    async def _run(self) -> None:
        while (data := await self._queue.get()) is not None:
            try:
                await self._send(data)
            except Exception:  # noqa: BLE001 - each library has its own for a lost connection
                _log.debug("the client is gone")
                self._broken()
                return
            self._unsent -= len(data)


async def _tcp(server: Server, host: str, port: int, announce: Announce) -> None:
    taken = False

    async def connected(reader: asyncio.StreamReader, stream: asyncio.StreamWriter) -> None:
        nonlocal taken
        if taken:
            stream.close()
            return
        taken = True

        async def send(data: bytes) -> None:
            stream.write(data)
            await stream.drain()

        writer = SocketWriter(send, server.stop)
        server.protocol.set_writer(writer)
        reading = asyncio.ensure_future(_read_stream(server, reader))
        await server.until_stopped()
        reading.cancel()
        await writer.finish()
        stream.close()

    async with await asyncio.start_server(connected, host, port) as listener:
        announce("tcp://{}:{}".format(*listener.sockets[0].getsockname()[:2]))
        await server.until_stopped()
        listener.close()
        await _settled(server)


async def _read_stream(server: Server, reader: asyncio.StreamReader) -> None:
    framing = Framing()
    with contextlib.suppress(OSError):
        while (chunk := await reader.read(CHUNK)) and server.protocol.feed(framing, chunk):
            pass
    server.stop()


async def _websocket(server: Server, host: str, port: int, announce: Announce, origins: Sequence[str]) -> None:
    try:
        from websockets.asyncio.server import serve
    except ImportError:
        raise GraphError("graphls.missingPackage", "WebSocket needs the package websockets: install it.") from None
    taken = False

    async def connected(socket: Any) -> None:
        nonlocal taken
        if taken:
            await socket.close(1013, "one client at a time")
            return
        taken = True
        writer = SocketWriter(lambda data: socket.send(data.decode("ascii")), server.stop)
        server.protocol.set_writer(writer, include_headers=False)
        reading = asyncio.ensure_future(_read_socket(server, socket))
        await server.until_stopped()
        reading.cancel()
        await writer.finish()

    allowed: Any = [None, *origins]
    async with serve(connected, host, port, origins=allowed, max_size=MAX_BODY) as listener:
        announce("ws://{}:{}".format(*next(iter(listener.sockets)).getsockname()[:2]))
        await server.until_stopped()
        await _settled(server)


async def _read_socket(server: Server, socket: Any) -> None:
    try:
        async for message in socket:
            server.protocol.receive(Body(message.encode() if isinstance(message, str) else message))
    except Exception:  # noqa: BLE001 - each library has its own for a lost connection
        _log.debug("the connection broke")
    server.stop()


async def _settled(server: Server) -> None:
    """Let the connection send its last messages."""
    writer: Any = server.protocol.writer
    if isinstance(writer, SocketWriter):
        await writer.finish()
