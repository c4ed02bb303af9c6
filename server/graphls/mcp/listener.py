"""Listener: the server for HTTP, and the signals that end it.

Owns: hearing signals from the first moment to the last.
Must not know: what is served.
Invariant: a signal ends the server in order; what it means for the process is left to who started it.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from uvicorn.server import HANDLED_SIGNALS


class Listener(uvicorn.Server):
    """Hears signals only within `hearing`."""

    ended_by = 0
    """The signal that ended it."""

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
