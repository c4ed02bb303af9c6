"""Framing: a stream of bytes cut into message bodies.

Owns: the header block, limits, finding the next message after broken ones.
Must not know: JSON, methods, transports, threads.
Invariant: holds at most one message and one header block in memory; whatever was fed, a well-formed message that
follows is found. (A raw line break is never part of a JSON string, so a raw header can not be inside a body.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

MAX_BODY: Final = 64 * 1024 * 1024
MAX_HEADER: Final = 16 * 1024

_HEADER_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"(?:\A|[^\w-])content-length[ \t]*:[ \t]*([^\r\n]*?)[ \t]*\Z", re.IGNORECASE)
_FIELD = re.compile(rb"\A[\w-]+[ \t]*:")
_NEXT_HEADER = re.compile(rb"content-(?:length|type)[ \t]*:[^\r\n]*\r?\n", re.IGNORECASE)
_HEADER_IN_BODY = re.compile(
    rb"content-length[ \t]*:[ \t]*\d+[ \t]*\r\n(?:[\w-]+:[^\r\n]*\r\n)*\r\n\s*[\[{]", re.IGNORECASE
)
_NAME: Final = b"content-length"
_BEGUN = re.compile(
    rb"(?:%s|content-length[ \t]*:[ \t]*\d*[ \t]*(?:\r(?:\n(?:\r\n?)?)?)?)\Z"
    % b"|".join(_NAME[:count] for count in range(1, len(_NAME) + 1)),
    re.IGNORECASE,
)
_HTTP = re.compile(rb"\A[A-Z]+ \S+ HTTP/\d")
_SHORT: Final = "The body is shorter than Content-Length says."
# A header inside a body is looked for in what has come since the last look, and in so much before that.
_LONGEST_INNER: Final = 1024
# The longest start of a header that may still be incomplete at the end of what was read.
_TAIL: Final = 64


@attrs.frozen
class Body:
    """The bytes of one message."""

    content: bytes


@attrs.frozen
class Broken:
    """Bytes that are no message, and why. `hopeless`: the other side does not speak this protocol at all."""

    problem: str
    hopeless: bool = False


class Framing:
    """Fed with bytes as they come, yields what they hold. One per connection."""

    def __init__(self, max_body: int = MAX_BODY) -> None:
        self._max_body = max_body
        self._buffer = bytearray()
        self._wanted: int | None = None
        self._looked = 0
        self._begun = 0
        self._lost = False

    @property
    def midway(self) -> bool:
        """Whether a message has begun whose end has not come."""
        return self._wanted is not None

    def give_up(self) -> Iterator[Broken]:
        """Leaves a message whose end does not come; goes on at the next header."""
        if self._wanted is not None:
            self._wanted, self._lost = None, True
            yield Broken(_SHORT)

    def feed(self, chunk: bytes) -> Iterator[Body | Broken]:
        """Everything that is complete now. Must be run to its end."""
        self._buffer += chunk
        while True:
            if self._lost and not self._found_header():
                return
            found = self._header() if self._wanted is None else self._body()
            if found is None:
                return
            if not isinstance(found, bool):
                yield found

    def _header(self) -> Broken | bool | None:
        """True when a body follows, None when more bytes are needed."""
        if len(self._buffer) <= self._begun:
            return None
        self._drop_begun()
        end = _HEADER_END.search(self._buffer)
        length = len(self._buffer) if end is None else end.start()
        if length > MAX_HEADER:
            # A block that is short enough can only begin behind this; one that is kept would be found again for ever.
            del self._buffer[: length - MAX_HEADER]
            self._lost = True
            return Broken("The header block is too long.")
        if end is None:
            return None
        block = bytes(self._buffer[:length]).strip(b"\r\n")
        del self._buffer[: end.end()]
        return self._read_header(block) if block else True

    def _read_header(self, block: bytes) -> Broken | bool:
        value: bytes | None = None
        junk = False
        for line in block.split(b"\n"):
            line = line.rstrip(b"\r")
            if _HTTP.match(line):
                return Broken("This is a language server, not a web server.", hopeless=True)
            junk = junk or not _FIELD.match(line)
            if (match := _LENGTH.search(line)) is not None:
                value = match[1]
        if value is None:
            return Broken("There is no Content-Length header.")
        if not value.isdigit():
            return Broken("Content-Length is not a number of bytes.")
        if len(value) > 18 or int(value) > self._max_body:
            self._lost = True
            return Broken(f"The message is larger than {self._max_body} bytes.")
        self._wanted, self._looked = int(value), 0
        return Broken("There are bytes before the header that belong to no message.") if junk else True

    def _body(self) -> Body | Broken | None:
        wanted = self._wanted or 0
        # A header that begins inside the body: this message was shorter than it said, and the next one has begun.
        since = max(self._looked - _LONGEST_INNER, 0)
        self._looked = len(self._buffer)
        if self._buffer.find(b"\r\n\r\n", since, wanted + _LONGEST_INNER) >= 0:
            inner = _HEADER_IN_BODY.search(self._buffer, since, wanted + _LONGEST_INNER)
            if inner is not None and inner.start() < wanted:
                del self._buffer[: inner.start()]
                self._wanted = None
                return Broken(_SHORT)
        if len(self._buffer) < wanted:
            return None
        self._wanted = None
        content = bytes(self._buffer[:wanted])
        del self._buffer[:wanted]
        self._give_back(content)
        return Body(content)

    def _give_back(self, content: bytes) -> None:
        """The end of a body that looks like the beginning of a header, as no JSON text ends, is read as one too."""
        tail = content[-_TAIL:]
        if tail.rstrip()[-1:] not in (b"", b"}", b"]") and (begun := _BEGUN.search(tail)) is not None:
            self._buffer[:0] = begun[0]
            self._begun = len(begun[0])

    def _drop_begun(self) -> None:
        """What was given back does not go on: another header begins behind it."""
        if self._begun and self._buffer[self._begun] in b"cC":
            del self._buffer[: self._begun]
        self._begun = 0

    def _found_header(self) -> bool:
        """Skip to the next header after a message that was given up."""
        match = _NEXT_HEADER.search(self._buffer)
        if match is None:
            del self._buffer[: max(len(self._buffer) - _TAIL, 0)]
            return False
        del self._buffer[: match.start()]
        self._lost = False
        return True


def frame(body: bytes) -> bytes:
    """A body with its header, as sent."""
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
