"""Line reader: messages of a connection, of which little is held before it has proved itself.

Owns: putting lines together, how long one may be at which moment.
Must not know: what lines say, who speaks.
Invariant: holds one line at most, no longer than it may be, and one chunk.
"""

from __future__ import annotations

import asyncio
from typing import Final

CHUNK: Final = 1 << 14
"""Bytes. A connection holds twice as many of its own."""


class TooLong(ValueError):
    """A line is longer than it may be."""


class LineReader:
    """Lines of a stream that was made with the limit CHUNK."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self._rest = bytearray()

    async def line(self, longest: int) -> bytes:
        """The next line with its end; what is left without one at the end of the stream, then b"". Raises TooLong."""
        seen = 0
        while (end := self._rest.find(b"\n", seen)) < 0:
            seen = len(self._rest)
            if seen > longest:
                raise TooLong
            chunk = await self._stream.read(CHUNK)
            if not chunk:
                end = seen - 1
                break
            self._rest += chunk
        if end + 1 > longest:
            raise TooLong
        found = bytes(self._rest[: end + 1])
        del self._rest[: end + 1]
        return found
