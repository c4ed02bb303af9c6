"""Incoming: the bytes of one connection on their way to the protocol.

Owns: how long a message may stop midway.
Must not know: where bytes come from, what messages say.
Invariant: a message that is shorter than it said is answered, and the next one is read, whether or not more bytes come.
"""

from __future__ import annotations

import asyncio
from typing import Final

from graphls.lsp.protocol.dispatch import GraphlsProtocol
from graphls.lsp.protocol.framing import Framing

PATIENCE: Final = 30.0
"""Seconds without a byte. Who writes a long message may be stopped in a debugger for a while."""


class Incoming:
    """Used on the loop only."""

    def __init__(self, protocol: GraphlsProtocol, patience: float = PATIENCE) -> None:
        self._protocol = protocol
        self._framing = Framing()
        self._patience = patience
        self._timer: asyncio.TimerHandle | None = None

    def take(self, chunk: bytes) -> bool:
        """Handle every message that a chunk completes; False at the end, and when the other side is to be left."""
        self.stop()
        if not chunk or not self._protocol.feed(self._framing, chunk):
            return False
        if self._framing.midway:
            self._timer = asyncio.get_running_loop().call_later(self._patience, self._give_up)
        return True

    def stop(self) -> None:
        """Wait for nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        self._protocol.give_up(self._framing)
