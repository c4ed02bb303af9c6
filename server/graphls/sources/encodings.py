"""Encodings: the text of a file that is written in another encoding than UTF-8, as UTF-8.

Owns: byte order marks of UTF-16 and UTF-32, what PEP 263 lets a Python file declare.
Must not know: the disk, languages beyond the endings of such files.
Invariant: what comes out is UTF-8 or a reason for people; text that is UTF-8 already comes out as it went in.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

_MARKS: Final = (
    # Of two marks that begin alike the longer one counts.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARING: Final = (".py", ".pyi", ".pyw", ".pyx", ".pxd", ".pxi")
"""Endings of files in which the first lines may name an encoding."""
_COOKIE: Final = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
_BLANK: Final = re.compile(rb"[ \t\f]*(?:#|\Z)")
_LINE: Final = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LONGEST: Final = 2_000
"""Bytes of the first two lines that are looked at."""
_LATIN: Final = ("latin-1", "iso-8859-1", "iso-latin-1")
_REFUSED: Final = frozenset(
    ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "oem", "palmos")
)
"""Codecs of Python that are no encoding of a file's text, or that not every machine has."""


ENCODINGS_VERSION: Final = 1
"""Raised whenever the same bytes are another text: what is remembered of files rests on it."""


class EncodingError(Exception):
    """Says in words for people why the bytes are not the text that they claim to be."""


def utf8_text(name: str, data: bytes) -> bytes:
    """The text of a file of this name as UTF-8. Raises EncodingError."""
    if data[:1] in (b"\xff", b"\xfe", b"\0"):
        for mark, encoding in _MARKS:
            if data.startswith(mark):
                return _decoded(data[len(mark) :], encoding, f"begins as {encoding[:6].upper()}")
    if not name.lower().endswith(_DECLARING):
        return data
    declared = _declared(data)
    if not declared:
        return data
    encoding = _codec(declared)
    if encoding == "utf-8" or data.startswith(codecs.BOM_UTF8):
        return data
    return _decoded(data, encoding, f"declares the encoding {declared}")


def _declared(data: bytes) -> str:
    """What one of the first two lines names, as PEP 263 says; "" where none does."""
    head = data[:_LONGEST].removeprefix(codecs.BOM_UTF8)
    if b"coding" not in head:
        return ""
    at = 0
    for _ in range(2):
        line = _LINE.match(head, at)
        text = line.group().rstrip(b"\r\n") if line is not None else b""
        found = _COOKIE.match(text)
        if found is not None:
            return found.group(1).decode("ascii")
        if line is None or _BLANK.match(text) is None:
            return ""
        at = line.end()
    return ""


def _codec(declared: str) -> str:
    """The name that Python gives the codec."""
    plain = declared[:40].lower().replace("_", "-")
    if plain == "utf-8" or plain.startswith("utf-8-"):
        return "utf-8"
    if plain in _LATIN or plain.startswith(tuple([f"{name}-" for name in _LATIN])):
        return "iso8859-1"
    try:
        found = codecs.lookup(declared[:40])
    except (LookupError, ValueError):
        raise EncodingError(f"declares the encoding {declared[:40]}, which is not known") from None
    name = found.name.replace("-", "_")
    if name in _REFUSED or not getattr(found, "_is_text_encoding", True) or name.startswith(("utf_16", "utf_32")):
        raise EncodingError(f"declares the encoding {declared[:40]}, which no source file can have")
    return found.name


def _decoded(data: bytes, encoding: str, claim: str) -> bytes:
    try:
        text, _ = codecs.lookup(encoding).decode(data, "strict")
        return text.encode()
    except UnicodeDecodeError as error:
        raise EncodingError(f"{claim}, but is not valid so at byte {error.start}") from None
    except (UnicodeError, ValueError):
        raise EncodingError(f"{claim}, but is not valid so") from None
