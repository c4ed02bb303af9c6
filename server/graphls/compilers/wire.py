"""Wire: messages of the base protocol as bytes, and values of foreign JSON read without trust.

Owns: framing, limits of a message, typed reading of JSON.
Must not know: methods, processes.
Invariant: whatever the bytes are, the result is a message, the end (None) or WireError.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import IO, TypeAlias, cast

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Message: TypeAlias = "Mapping[str, Json]"

_LARGEST = 256 * 1024 * 1024
_HEADERS = 20
_HEADER_BYTES = 1024
_decoded = json.JSONDecoder().decode


class WireError(Exception):
    """The peer does not speak the base protocol."""


def _plain(value: object) -> object:
    """A mapping that cannot be changed, as the settings of a checker are, is an object like any other."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    raise TypeError(f"{type(value).__name__} is no JSON")


_encoded = json.JSONEncoder(separators=(",", ":"), default=_plain).encode


def frame(message: Message) -> bytes:
    """One message with its header."""
    body = _encoded(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read_message(stream: IO[bytes]) -> Message | None:
    """The next message; None at the end of the stream."""
    length = _length(stream)
    if length is None:
        return None
    body = stream.read(length)
    if len(body) < length:
        return None
    try:
        value: object = _decoded(body.decode())
    except (ValueError, RecursionError) as error:
        raise WireError(f"a message is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise WireError("a message is no JSON object")
    return cast("Message", value)


def _length(stream: IO[bytes]) -> int | None:
    length = -1
    for _ in range(_HEADERS):
        line = stream.readline(_HEADER_BYTES)
        if not line:
            return None
        name, _, value = line.strip().partition(b":")
        if not name:
            break
        if name.lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
    if not 0 <= length <= _LARGEST:
        raise WireError("a message has no usable length")
    return length


def mapping(value: Json) -> Message:
    """The object, or an empty one."""
    if isinstance(value, dict):  # what JSON gives; asking for the abstract class costs ten times as much
        return value
    return value if isinstance(value, Mapping) else {}


def items(value: Json) -> Sequence[Json]:
    """The array, or an empty one."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def text(value: Json) -> str:
    """The string, or an empty one."""
    return value if isinstance(value, str) else ""


def number(value: Json, otherwise: int = 0) -> int:
    """The integer, or another."""
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
