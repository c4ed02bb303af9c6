"""Transports: running a server to its end, and the standard streams.

Owns: reading and writing without blocking the loop, bounded output, taking over the standard streams, signals.
Must not know: methods, params, the session, sockets.
Invariant: whatever ends the connection ends the server; a client that does not read is left, never waited for.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from graphls.lsp.protocol.incoming import PATIENCE, Incoming
from graphls.lsp.protocol.server import GraphlsServer

CHUNK = 1 << 16
MAX_UNSENT = 256 * 1024 * 1024
FLUSH_SECONDS = 2.0
GRACE_SECONDS = 10.0

Server = GraphlsServer[Any]

_log = logging.getLogger(__name__)


def serve_stdio(server: Server, patience: float = PATIENCE) -> int:
    """Speak over standard input and output until the client goes. The exit code. `patience`: seconds for which a
    message may stop midway."""
    return asyncio.run(served(server, lambda it: _stdio(it, patience)))


def leave(code: int) -> None:
    """End the process, even if some thread does not want to."""

    def insist() -> None:
        time.sleep(GRACE_SECONDS)
        os._exit(code)

    threading.Thread(target=insist, daemon=True).start()
    sys.exit(code)


async def served(server: Server, connect: Callable[[Server], Awaitable[None]]) -> int:
    """Run a connection between the beginning and the end of a server. The exit code."""
    server.begin()
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            # Whoever was started to outlive its terminal goes on.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, server.stop)
    await connect(server)
    return server.end()


# Standard streams


async def _stdio(server: Server, patience: float) -> None:
    loop = asyncio.get_running_loop()
    source, sink = _take_standard_streams()
    writer = PipeWriter(sink, server.stop)
    server.protocol.set_writer(writer)
    incoming = Incoming(server.protocol, patience)

    async def take(chunk: bytes) -> None:
        if not incoming.take(chunk):
            server.stop()

    threading.Thread(target=read_all, args=(source, loop, take), name="graphls-stdin", daemon=True).start()
    await server.until_stopped()
    incoming.stop()
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
