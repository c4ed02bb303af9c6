"""Frames: messages between the session and its worker processes.

Owns: the framing and the encoding of messages.
Must not know: what messages mean.
Invariant: a message arrives whole or not at all; nothing in it is executed.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import BinaryIO, cast

import msgpack

_LENGTH = struct.Struct("<Q")
_LARGEST = 1 << 31

Message = Sequence[object]


class BrokenFrameError(EOFError):
    """The other side is gone or does not speak this protocol."""


def send(stream: BinaryIO, message: Message) -> None:
    """Writes one message. Raises OSError when the other side is gone."""
    body = msgpack.packb(message, use_bin_type=True, unicode_errors="surrogatepass")
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)
    stream.flush()


def receive(stream: BinaryIO) -> Message:
    """Reads one message. Raises BrokenFrameError."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    if length > _LARGEST:
        raise BrokenFrameError("not a frame")
    body = _exactly(stream, length)
    try:
        message = msgpack.unpackb(body, raw=False, use_list=False, strict_map_key=True, unicode_errors="surrogatepass")
    except (ValueError, msgpack.UnpackException) as error:
        raise BrokenFrameError("not a frame") from error
    if not isinstance(message, tuple):
        raise BrokenFrameError("not a frame")
    return cast("tuple[object, ...]", message)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    found = stream.read(length)
    if len(found) != length:
        raise BrokenFrameError("the other side is gone")
    return found
