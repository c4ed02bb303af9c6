"""Transports: standard streams, and HTTP on this machine only.

Owns: running a server to its end, the token, the checks of Host and Origin.
Must not know: tools, the workspace.
Invariant: HTTP answers nobody without the token, and no page of a browser; standard output carries the protocol alone.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import signal
from collections.abc import AsyncIterable, Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

import anyio
import attrs
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from graphls.mcp.agent_session import AgentSession

if TYPE_CHECKING:
    from graphls.mcp.listener import HttpServer


class BadAddress(ValueError):
    """The server would be open to other machines."""


@attrs.frozen
class Http:
    """Where to listen. `announce` is told the address once somebody can connect."""

    port: int
    token: str
    host: str = "127.0.0.1"
    announce: Callable[[str], None] = lambda address: None


def run_stdio(state: AgentSession, server: Server[Any]) -> None:
    """Serves one client on the standard streams."""
    asyncio.run(_stdio(state, server))


def run_http(state: AgentSession, server: Server[Any], http: Http) -> None:
    """Serves clients that know the token. Raises BadAddress, and again the signal that ended it."""
    if not _is_loopback(http.host):
        raise BadAddress(f"{http.host!r} is not an address of this machine alone; use 127.0.0.1.")
    from graphls.mcp.listener import HttpServer, settings

    listener = HttpServer(settings(application(server, http), http.host, http.port))
    # Around the loop too: it would cancel tasks that say so at length.
    with listener.hearing():
        asyncio.run(_http(state, listener, http))
    if listener.ended_by:
        signal.raise_signal(listener.ended_by)


class Sink(Protocol):
    """Where messages go."""

    async def write(self, text: str) -> None: ...
    async def flush(self) -> None: ...


async def serve_lines(server: Server[Any], reading: AsyncIterable[str], writing: Sink) -> None:
    """Serves one client whose messages come line by line."""
    # The SDK asks its streams for no more than that.
    streams = cast("anyio.AsyncFile[str]", reading), cast("anyio.AsyncFile[str]", writing)
    async with stdio_server(*streams) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def application(server: Server[Any], http: Http) -> ASGIApp:
    """The application behind the guard."""
    hosts = [f"{name}:*" for name in ("127.0.0.1", "localhost", "[::1]")]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
    return TokenGuard(server.streamable_http_app(host=http.host, transport_security=security), http.token)


class TokenGuard:
    """Lets through what comes from this machine and knows the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] == "http":
            refusal = self._refusal({name.lower(): value for name, value in scope["headers"]})
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        elif scope["type"] != "lifespan":
            return
        await self._app(scope, receive, send)

    def _refusal(self, headers: dict[bytes, bytes]) -> PlainTextResponse | None:
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and not _is_own(origin):
            return PlainTextResponse("This origin may not ask.", 403, {"Connection": "close"})
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
            headers_back = {"WWW-Authenticate": "Bearer", "Connection": "close"}
            return PlainTextResponse("Send the token: Authorization: Bearer TOKEN.", 401, headers_back)
        return None


async def _stdio(state: AgentSession, server: Server[Any]) -> None:
    async with state.running(), stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def _http(state: AgentSession, listener: HttpServer, http: Http) -> None:
    async with state.running():
        serving = asyncio.create_task(listener.serve())
        while not listener.started and not serving.done():
            await asyncio.sleep(0.02)
        if listener.started and not listener.ended_by:
            port = listener.servers[0].sockets[0].getsockname()[1]
            http.announce(f"http://{http.host}:{port}/mcp")
        await serving


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_own(origin: str) -> bool:
    scheme, _, rest = origin.partition("://")
    host = rest.rpartition(":")[0] if rest.rpartition(":")[2].isdigit() else rest
    return scheme == "http" and host in ("127.0.0.1", "localhost", "[::1]")
