"""Sockets: TCP and WebSocket, on this machine, for one client that knows the token.

Owns: listening, who is admitted and how many may wait for it, writing to sockets, the end of the other connections.
Must not know: methods, params, the session.
Invariant: nothing that a connection sends is acted on before it has shown the token, and little of it is held; whatever
ends the admitted connection ends the server, and no other connection does.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import ipaddress
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import attrs

from graphls.lsp.protocol import admission
from graphls.lsp.protocol.admission import Admission, AdmittedClient, RefusedClient, matches
from graphls.lsp.protocol.errors import ErrorWithCode
from graphls.lsp.protocol.framing import MAX_BODY, Body
from graphls.lsp.protocol.incoming import Incoming
from graphls.lsp.protocol.transports import CHUNK, FLUSH_SECONDS, MAX_UNSENT, Server, served

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class Listening:
    """Where to listen. `announce` is told the address once somebody can connect."""

    token: str
    announce: Callable[[str], None]
    host: str = "127.0.0.1"
    port: int = 0


def serve_tcp(server: Server, listening: Listening) -> int:
    """Listen for one client, whose `initialize` holds the token. The exit code."""
    _require_loopback(listening)
    return asyncio.run(served(server, lambda it: _Tcp(it, listening).run()))


def serve_websocket(server: Server, listening: Listening, origins: Sequence[str] = ()) -> int:
    """As serve_tcp, one message a frame. The handshake holds the token: `Authorization: Bearer TOKEN`, or the address
    with `?token=TOKEN`. Web pages are refused unless their origin is listed."""
    _require_loopback(listening)
    return asyncio.run(served(server, lambda it: _WebSocket(it, listening, origins).run()))


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to an address."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _require_loopback(listening: Listening) -> None:
    if not listening.token:
        raise ErrorWithCode("graphls.badParams", "A server on a socket needs a token.")
    if not is_loopback(listening.host):
        problem = f"{listening.host!r} is not an address of this machine alone; use 127.0.0.1."
        raise ErrorWithCode("graphls.badParams", problem)


def _refused_to_listen(listening: Listening, error: OSError) -> ErrorWithCode:
    what = f"{listening.host}:{listening.port} cannot be listened on: {os.strerror(error.errno or 0)}"
    return ErrorWithCode("graphls.badParams", f"{what}. Choose another port; 0 picks one.")


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


class _Tcp:
    def __init__(self, server: Server, listening: Listening) -> None:
        self._server = server
        self._listening = listening
        self._waiting: dict[asyncio.StreamWriter, None] = {}
        self._taken = False

    async def run(self) -> None:
        """Until the server stops."""
        place, server = self._listening, self._server
        try:
            listener = await asyncio.start_server(self._met, place.host, place.port, limit=CHUNK)
        except OSError as error:
            raise _refused_to_listen(place, error) from None
        async with listener:
            place.announce("tcp://{}:{}".format(*listener.sockets[0].getsockname()[:2]))
            await server.until_stopped()
            listener.close()
            await _settled(server)

    async def _met(self, reader: asyncio.StreamReader, stream: asyncio.StreamWriter) -> None:
        if not self._taken:
            self._waiting[stream] = None
            if len(self._waiting) > admission.WAITING:
                # At once: who comes before its end is noticed makes room by the next one's.
                oldest = next(iter(self._waiting))
                del self._waiting[oldest]
                oldest.transport.abort()
            try:
                found = await asyncio.wait_for(self._first(reader), admission.SECONDS)
            except (OSError, TimeoutError):
                found = None
            finally:
                self._waiting.pop(stream, None)
            if isinstance(found, RefusedClient):
                with contextlib.suppress(OSError):
                    stream.write(found.answer)
                    await asyncio.wait_for(stream.drain(), FLUSH_SECONDS)
            elif found is not None and not self._taken:
                self._taken = True
                await self._serve(found, reader, stream)
        stream.close()

    async def _first(self, reader: asyncio.StreamReader) -> AdmittedClient | RefusedClient | None:
        gate = Admission(self._listening.token)
        while chunk := await reader.read(CHUNK):
            if (found := gate.feed(chunk)) is not None:
                return found
        return None

    async def _serve(self, found: AdmittedClient, reader: asyncio.StreamReader, stream: asyncio.StreamWriter) -> None:
        async def send(data: bytes) -> None:
            stream.write(data)
            await stream.drain()

        server = self._server
        writer = SocketWriter(send, server.stop)
        server.protocol.set_writer(writer)
        server.protocol.take(found.first)
        reading = asyncio.ensure_future(_read_stream(server, found.rest, reader))
        await server.until_stopped()
        reading.cancel()
        await writer.finish()


async def _read_stream(server: Server, chunk: bytes, reader: asyncio.StreamReader) -> None:
    incoming = Incoming(server.protocol)
    going = not chunk or incoming.take(chunk)
    try:
        while going:
            going = incoming.take(await reader.read(CHUNK))
    except OSError:
        _log.debug("the connection broke")
    finally:
        incoming.stop()
    server.stop()


class _WebSocket:
    def __init__(self, server: Server, listening: Listening, origins: Sequence[str]) -> None:
        self._server = server
        self._listening = listening
        self._origins = origins
        self._waiting: dict[ServerConnection, None] = {}
        self._taken = False

    async def run(self) -> None:
        """Until the server stops."""
        try:
            from websockets.asyncio.server import ServerConnection, serve
        except ImportError:
            raise ErrorWithCode(
                "graphls.missingPackage", "WebSocket needs the package websockets: install it."
            ) from None
        waiting = self._waiting

        class CountedConnection(ServerConnection):
            """Of those whose handshake has not come there are few."""

            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                super().connection_made(transport)
                waiting[self] = None
                if len(waiting) > admission.WAITING:
                    oldest = next(iter(waiting))
                    del waiting[oldest]
                    oldest.transport.abort()

            def connection_lost(self, exc: Exception | None) -> None:
                waiting.pop(self, None)
                super().connection_lost(exc)

        place = self._listening
        try:
            listener = await serve(
                self._met,
                place.host,
                place.port,
                process_request=self._refusal,
                create_connection=CountedConnection,
                max_size=MAX_BODY,
                open_timeout=admission.SECONDS,
                # Its log tells of every stranger, at length.
                logger=_quiet(),
            )
        except OSError as error:
            raise _refused_to_listen(place, error) from None
        async with listener:
            place.announce("ws://{}:{}".format(*next(iter(listener.sockets)).getsockname()[:2]))
            await self._server.until_stopped()
            await _settled(self._server)

    def _refusal(self, socket: ServerConnection, request: Request) -> Response | None:
        """What a handshake is answered with that is not admitted."""
        origins, hosts = request.headers.get_all("Origin"), request.headers.get_all("Host")
        if any(origin not in self._origins for origin in origins):
            return socket.respond(http.HTTPStatus.FORBIDDEN, "This origin may not ask.\n")
        if not all(is_loopback(_name_of(host)) for host in hosts):
            return socket.respond(http.HTTPStatus.FORBIDDEN, "Ask this machine by its own address.\n")
        given = parse_qs(urlsplit(request.path).query).get("token", [])
        for value in request.headers.get_all("Authorization"):
            scheme, _, word = value.partition(" ")
            given += [word.strip()] if scheme.lower() == "bearer" else []
        if not any(matches(word, self._listening.token) for word in given):
            advice = "Send the token that graphls printed: Authorization: Bearer TOKEN, or ?token=TOKEN.\n"
            return socket.respond(http.HTTPStatus.UNAUTHORIZED, advice)
        self._waiting.pop(socket, None)
        return None

    async def _met(self, socket: ServerConnection) -> None:
        if self._taken:
            await socket.close(1013, "one client at a time")
            return
        self._taken = True
        server = self._server
        writer = SocketWriter(lambda data: socket.send(data.decode("ascii")), server.stop)
        server.protocol.set_writer(writer, include_headers=False)
        reading = asyncio.ensure_future(_read_socket(server, socket))
        await server.until_stopped()
        reading.cancel()
        await writer.finish()


async def _read_socket(server: Server, socket: ServerConnection) -> None:
    try:
        async for message in socket:
            server.protocol.take(Body(message.encode() if isinstance(message, str) else message))
    except Exception:  # noqa: BLE001 - each library has its own for a lost connection
        _log.debug("the connection broke")
    server.stop()


def _name_of(host: str) -> str:
    """The address in a Host header, without the port."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return name.strip("[]")


def _quiet() -> logging.Logger:
    logger = logging.getLogger(f"{__name__}.handshakes")
    logger.setLevel(logging.CRITICAL)
    return logger


async def _settled(server: Server) -> None:
    """Let the connection send its last messages."""
    writer: Any = server.protocol.writer
    if isinstance(writer, SocketWriter):
        await writer.finish()
