"""Listener: the server for HTTP, and the signals that end it.

Owns: hearing signals from the first moment to the last, how many connections may be without a request and how long.
Must not know: what is served.
Invariant: a signal ends the server in order; what it means for the process is left to who started it. Of a connection
    whose first request has not come no more is held than one block of headers may have.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import HANDLED_SIGNALS

STRANGERS: Final = 8
"""Connections that have sent no request yet; one more ends the oldest of them."""
_PATIENCE: Final = 10.0
_MOST_HEADERS: Final = 16 * 1024


def settings(app: Any, host: str, port: int) -> uvicorn.Config:
    """How the application is served: quietly, without WebSockets, and without much patience."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=BoundedConnection,
        ws="none",
        h11_max_incomplete_event_size=_MOST_HEADERS,
        log_level="warning",
        access_log=False,
        lifespan="on",
    )


class CannotListen(Exception):
    """The text is fit for users."""

    code = "graphls.badParams"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BoundedConnection(H11Protocol):
    """A connection that asks for something soon, or ends."""

    _timer: asyncio.TimerHandle | None = None

    @property
    def since(self) -> float:
        """Tells the oldest connection from others."""
        return self._timer.when() if self._timer is not None else 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Called by the loop."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(_PATIENCE, self._leave)
        silent = [one for one in self.connections if isinstance(one, BoundedConnection) and one.silent]
        if len(silent) > STRANGERS:
            min(silent, key=lambda one: one.since).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the loop."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    @property
    def silent(self) -> bool:
        """Whether no request has come."""
        return not self.headers

    def _leave(self) -> None:
        if self.silent:
            self.transport.abort()


class HttpServer(uvicorn.Server):
    """Hears signals only within `hearing`."""

    ended_by = 0
    """The signal that ended it."""

    async def startup(self, sockets: Any = None) -> None:
        """Raises CannotListen where the library would end the process."""
        try:
            await super().startup(sockets)
        except SystemExit:
            place = f"{self.config.host}:{self.config.port}"
            raise CannotListen(f"{place} cannot be listened on. Choose another port; 0 picks one.") from None

    @contextmanager
    def hearing(self) -> Generator[None]:
        """Also before it listens: a start that is broken off would leave tasks that complain."""
        before = {number: signal.signal(number, self._hear) for number in HANDLED_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Its own way would end the process before the session is closed."""
        yield

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.ended_by = number
        self.handle_exit(number, frame)
