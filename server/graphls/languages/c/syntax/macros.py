"""Macros: what a macro of a file stands for at a place of it.

Owns: the definitions of macros in a text, substitution with arguments and `##`.
Must not know: trees, facts, other files.
Invariant: bounded in depth and size; what is beyond a bound stands for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

DEPTH: Final = 12
SIZE: Final = 100_000
"""Bytes that one use of a macro may stand for."""
_STEPS: Final = 20_000
"""Uses of macros in one such text."""
_DIRECTIVE: Final = re.compile(
    rb"^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)(\([^()\n]*\))?((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE
)
_JOINED: Final = re.compile(rb"\\\r?\n")
_COMMENT: Final = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_PASTED: Final = re.compile(rb"\s*##\s*")
_SHOWN: Final = re.compile(rb"(?<!#)#\s*\w+")
_TOKEN: Final = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|([A-Za-z_]\w*)")
_BLANKS: Final = b" \t\r\n"


@final
class Macro:
    """One `#define`. `given`: names of its parameters, None where it has no brackets."""

    def __init__(self, start: int, given: tuple[bytes, ...] | None, text: bytes) -> None:
        self.start = start
        self.end = -1
        """Where it is no more, -1 for never."""
        self.given = given
        self.text = text


@final
class MacroTable:
    """The macros of one text."""

    def __init__(self, data: bytes) -> None:
        self._found: dict[bytes, list[Macro]] = {}
        self._steps = 0
        for match in _DIRECTIVE.finditer(data):
            known = self._found.setdefault(match[2], [])
            if match[1] == b"undef":
                for one in known:
                    if one.end < 0:
                        one.end = match.start()
                continue
            text = _COMMENT.sub(b" ", _JOINED.sub(b" ", match[4]))
            given = None if match[3] is None else tuple([part.strip() for part in match[3][1:-1].split(b",")])
            known.append(Macro(match.start(), given, text.strip()))

    def at(self, name: bytes, offset: int) -> Macro | None:
        """The macro that a name is at an offset: of several, as branches of `#if` have them, the last."""
        found: Macro | None = None
        for one in self._found.get(name, ()):
            if one.start < offset and not 0 <= one.end < offset:
                found = one
        return found

    def written(self, text: bytes, offset: int) -> bytes:
        """What a text that stands at an offset is, once all macros in it are replaced."""
        self._steps = 0
        return self._replaced(text, offset, (), DEPTH)

    def _replaced(self, text: bytes, offset: int, within: Sequence[bytes], depth: int) -> bytes:
        parts: list[bytes] = []
        at = size = 0
        for match in _TOKEN.finditer(text):
            name = match[1]
            if name is None or match.start() < at or name in within:
                continue
            macro = self.at(name, offset)
            if macro is None:
                continue
            self._steps += 1
            end, given = match.end(), None
            if macro.given is not None:
                end, given = _arguments(text, end)
                if given is None:
                    continue
            made = b""
            if depth > 0 and self._steps < _STEPS:
                made = self._replaced(_substituted(macro, given or []), offset, (*within, name), depth - 1)
            size += len(made)
            if size > SIZE:
                return b""
            parts += (text[at : match.start()], made)
            at = end
        return b"".join((*parts, text[at:]))


def _substituted(macro: Macro, given: Sequence[bytes]) -> bytes:
    """The text of a macro with its arguments."""
    text = _SHOWN.sub(b'""', macro.text)
    if macro.given:
        values = dict(zip(macro.given, given, strict=False))
        if b"..." in macro.given:
            values[b"__VA_ARGS__"] = b",".join(given[len(macro.given) - 1 :])
        text = _TOKEN.sub(lambda one: values.get(one[0], one[0]), text)
    return _PASTED.sub(b"", text)


def _arguments(text: bytes, at: int) -> tuple[int, list[bytes] | None]:
    """Where the brackets behind a name end, and what is between their commas."""
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    if text[at : at + 1] != b"(":
        return at, None
    depth, begin, found = 0, at + 1, list[bytes]()
    for match in re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[(),]").finditer(text, at):
        sign = match[0]
        depth += (sign == b"(") - (sign == b")")
        if depth == 0 or (sign == b"," and depth == 1):
            found.append(text[begin : match.start()].strip())
            begin = match.end()
        if depth == 0:
            return match.end(), found
    return at, None
