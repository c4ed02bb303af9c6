"""Directive lines: where the lines of the preprocessor are in a text, and texts with something in their place.

Owns: the patterns of directives, a search that looks at lines with `#` only.
Must not know: trees, facts, which rule wants what.
Invariant: a text with directives blanked has the length and the lines of the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

BLANKED: Final = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))
"""Lines stay, and nothing on them."""
_TO_ITS_END: Final = rb"\b[^\n\\]*+(?:\\(?:.|\r?\n)[^\n\\]*+)*+"
_WORDS: Final = rb"define|pragma|error|warning|undef|include|line"
_ASKING: Final = rb"if|ifdef|ifndef|elif|elifdef|elifndef|else|endif"
DIRECTIVE: Final = re.compile(rb"[ \t]*#[ \t]*(?:" + _WORDS + rb")" + _TO_ITS_END)
CONDITION: Final = re.compile(rb"[ \t]*#[ \t]*(" + _ASKING + rb")" + _TO_ITS_END)
EITHER: Final = re.compile(rb"[ \t]*#[ \t]*(?:" + _WORDS + rb"|" + _ASKING + rb")" + _TO_ITS_END)
READ_APART: Final = re.compile(rb"[ \t]*#[ \t]*(?:define|include|undef)" + _TO_ITS_END)
_BLANKS: Final = b" \t"
_LINE_END: Final = ord("\n")


def lines_of(pattern: re.Pattern[bytes], data: bytes) -> Iterator[re.Match[bytes]]:
    """What a pattern for a line that begins with blanks and `#` finds: few lines do, and others are not looked at."""
    at = 0
    while (sign := data.find(b"#", at)) >= 0:
        begin = sign
        while begin > at and data[begin - 1] in _BLANKS:
            begin -= 1
        match = pattern.match(data, begin) if not begin or data[begin - 1] == _LINE_END else None
        at = sign + 1
        if match is not None:
            yield match
            at = match.end()


def replaced(pattern: re.Pattern[bytes], change: Callable[[re.Match[bytes]], bytes], data: bytes) -> bytes:
    """A text with something in the place of such lines."""
    parts: list[bytes] = []
    at = 0
    for match in lines_of(pattern, data):
        parts += (data[at : match.start()], change(match))
        at = match.end()
    return b"".join((*parts, data[at:]))


def blank(match: re.Match[bytes]) -> bytes:
    return match[0].translate(BLANKED)


def in_code(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A change of everything but directives."""
    parts: list[bytes] = []
    at = 0
    for match in lines_of(DIRECTIVE, data):
        parts += (change(data[at : match.start()]), match[0])
        at = match.end()
    return b"".join((*parts, change(data[at:])))
