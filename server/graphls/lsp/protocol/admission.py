"""Admission: what a client shows before anything else that it sends over a network is read.

Owns: the limits of a connection without a token, its first message, the comparison of tokens, the words of a refusal.
Must not know: sockets, sessions, what initialize asks for besides.
Invariant: holds at most FIRST_BYTES of a connection; bytes that do not begin as a header of the base protocol begins
are refused at the first one that differs.

The first message is `initialize`, with the token in `initializationOptions.token`. Whatever a web page can make a
browser send begins with the line of an HTTP request, or with a handshake of TLS.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Mapping
from typing import Final, TypeAlias, cast

import attrs

from graphls.lsp.protocol.errors import INVALID_REQUEST, Failure, invalid_request, parse_error
from graphls.lsp.protocol.framing import Body, frame

FIRST_BYTES: Final = 256 * 1024
"""Of the first message. An editor's `initialize` has some 20 kB."""
WAITING: Final = 8
"""Connections that have not shown the token yet; one more ends the oldest of them."""
SECONDS: Final = 10.0
"""From the start of a connection to its token."""

_MOST_HEADER: Final = 512
_STARTS: Final = (b"content-length:", b"content-type:")
_HEADER: Final = re.compile(
    rb"(?:content-type:[^\r\n]*\r\n)?content-length:[ \t]*(\d{1,9})[ \t]*\r\n(?:content-type:[^\r\n]*\r\n)?\r\n",
    re.IGNORECASE,
)
_NO_TOKEN: Final = Failure(
    INVALID_REQUEST,
    "The token is missing or wrong: send the one that graphls printed when it started as initializationOptions.token.",
    "graphls.badToken",
)


@attrs.frozen
class AdmittedClient:
    """The client knows the token. `first`: its initialize without it; `rest`: bytes that came behind."""

    first: Body
    rest: bytes


@attrs.frozen
class RefusedClient:
    """The connection is to be closed, after `answer`."""

    answer: bytes


Verdict: TypeAlias = "AdmittedClient | RefusedClient | None"


class Admission:
    """The first message of one connection, fed with bytes as they come."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._buffer = bytearray()
        self._body: tuple[int, int] | None = None

    def feed(self, chunk: bytes) -> Verdict:
        """What is known now; None while more bytes are needed. Nothing may be fed after a verdict."""
        self._buffer += chunk
        if self._body is None:
            turned = self._header()
            if turned is not None or self._body is None:
                return turned
        start, end = self._body
        if len(self._buffer) < end:
            return None
        return admitted(bytes(self._buffer[start:end]), bytes(self._buffer[end:]), self._token)

    def _header(self) -> RefusedClient | None:
        beginning = bytes(self._buffer[: max(map(len, _STARTS))]).lower()
        if not any(start.startswith(beginning[: len(start)]) for start in _STARTS):
            return _turned(parse_error("This is a language server. A message begins with its Content-Length."))
        found = _HEADER.match(self._buffer)
        if found is None:
            ended = len(self._buffer) > _MOST_HEADER or b"\r\n\r\n" in self._buffer or b"\n\n" in self._buffer
            return _turned(parse_error("The header has no Content-Length, or is too long.")) if ended else None
        length = int(found[1])
        if length > FIRST_BYTES:
            return _turned(invalid_request(f"The first message has more than {FIRST_BYTES} bytes."))
        self._body = (found.end(), found.end() + length)
        return None


def admitted(content: bytes, rest: bytes, token: str) -> AdmittedClient | RefusedClient:
    """What becomes of a connection whose first message is this."""
    try:
        message: object = json.loads(content)
    except (ValueError, RecursionError):
        return _turned(parse_error("The first message is no JSON."))
    fields = _table(message)
    number = fields.get("id")
    if fields.get("method") != "initialize" or not isinstance(number, int | str):
        return _turned(invalid_request("Send initialize first, with the token in its initializationOptions."))
    params = _table(fields.get("params"))
    options = _table(params.get("initializationOptions"))
    given = options.get("token")
    if not isinstance(given, str) or not matches(given, token):
        return _turned(_NO_TOKEN, number)
    without = {name: value for name, value in options.items() if name != "token"}
    message = {**fields, "params": {**params, "initializationOptions": without}}
    return AdmittedClient(Body(json.dumps(message).encode()), rest)


def matches(given: str, token: str) -> bool:
    """Whether this is the token; takes as long whichever letter differs."""
    return bool(token) and hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _turned(failure: Failure, number: int | str | None = None) -> RefusedClient:
    return RefusedClient(frame(json.dumps({"jsonrpc": "2.0", "id": number, "error": failure.wire()}).encode()))


def _table(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
