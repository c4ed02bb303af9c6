"""Arguments: what stands between the parentheses of a call, as stretches of text.

Owns: splitting arguments, reading literals off them, finding what a wrapping call wraps.
Must not know: facts, names, rules.
Invariant: nothing is evaluated; text that is no argument list gives no arguments; work is bounded by LONGEST.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs

LONGEST = 20_000
"""Bytes of one argument list that are looked at."""
_OPEN, _CLOSE = b"([{", b")]}"
_STRING = re.compile(
    rb"([rRbBuUfFtT]{0,2})(\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')",
    re.DOTALL,
)
_NOISE = re.compile(rb"(?:\s|#[^\n]*|\\\n)*")
_KEYWORD = re.compile(rb"([A-Za-z_]\w*)\s*=(?!=)")


@attrs.frozen
class Argument:
    """One argument: its keyword or "", its position or -1, its text."""

    keyword: str
    position: int
    start: int
    end: int


def arguments(text: bytes, callee_end: int) -> tuple[Argument, ...]:
    """Arguments of the call whose callee ends there; none when it is no call."""
    start = _skipped(text, callee_end)
    if text[start : start + 1] != b"(":
        return ()
    return tuple(_split(text, start + 1))


def chosen(given: Sequence[Argument], names: Sequence[str]) -> Argument | None:
    """The argument that stands at one of these places: positions, or keywords."""
    for argument in given:
        if argument.keyword in names if argument.keyword else str(argument.position) in names:
            return argument
    return None


def literal(text: bytes, start: int, end: int) -> str | None:
    """What a string literal says, several in a row too; None where it is none, or computed."""
    found: list[bytes] = []
    while start < end:
        string = _STRING.match(text, start, end)
        if string is None or set(string[1].lower()) & set(b"fbt"):
            return None
        quotes = 3 if string[2][:3] in (b'"""', b"'''") else 1
        found.append(string[2][quotes:-quotes])
        start = _skipped(text, string.end(), end)
    return b"".join(found).decode("utf-8", "replace") if found else None


def strings(text: bytes, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Plain string literals in a stretch of text, with where their contents stand."""
    at = start
    while at < end:
        at = _skipped(text, at, end)
        string = _STRING.match(text, at, end)
        if string is None:
            at += 1
            continue
        quotes = 3 if string[2][:3] in (b'"""', b"'''") else 1
        if not set(string[1].lower()) & set(b"fbt"):
            first, last = string.start(2) + quotes, string.end(2) - quotes
            yield text[first:last].decode("utf-8", "replace"), first, last
        at = string.end()


def callee_end(text: bytes, start: int, end: int) -> int:
    """Where the callee ends, in an argument that is a call as a whole; -1 when it is none."""
    at = start
    while at < end and at - start < LONGEST:
        character = text[at : at + 1]
        if character == b"(":
            return at if _after(text, at, end) >= end else _next_callee(text, at, end)
        string = _STRING.match(text, at, end)
        at = string.end() if string else at + 1
    return -1


def _next_callee(text: bytes, opening: int, end: int) -> int:
    """`a(b)(c)`: the callee is `a(b)`."""
    at = _skipped(text, _after(text, opening, end), end)
    while at < end and text[at : at + 1] not in (b"(", b""):
        at += 1
    if at >= end:
        return -1
    return at if _after(text, at, end) >= end else _next_callee(text, at, end)


def _after(text: bytes, opening: int, end: int) -> int:
    """The offset behind the bracket that closes one."""
    depth, at = 0, opening
    while at < end:
        at = _skipped(text, at, end)
        string = _STRING.match(text, at, end)
        if string:
            at = string.end()
            continue
        character = text[at : at + 1]
        at += 1
        if character and character in _OPEN:
            depth += 1
        elif character and character in _CLOSE:
            depth -= 1
            if depth <= 0:
                return at
    return end


def _split(text: bytes, at: int) -> Iterator[Argument]:
    last = min(len(text), at + LONGEST)
    depth, position = 0, 0
    begin = at = _skipped(text, at, last)
    while at < last:
        string = _STRING.match(text, at, last)
        if string:
            at = string.end()
            continue
        character = text[at : at + 1]
        if depth == 0 and character in (b",", b")"):
            argument = _argument(text, begin, at, position)
            if argument is not None:
                position += not argument.keyword
                yield argument
            if character == b")":
                return
            begin = at = _skipped(text, at + 1, last)
            continue
        depth += (character in _OPEN) - (character in _CLOSE)
        noise = character == b"#" or character.isspace()
        at = _skipped(text, at, last) if noise else at + 1


def _argument(text: bytes, begin: int, end: int, position: int) -> Argument | None:
    while end > begin and text[end - 1 : end].isspace():
        end -= 1
    if begin >= end:
        return None
    keyword = _KEYWORD.match(text, begin, end)
    if keyword is None:
        return Argument("", position, begin, end)
    return Argument(keyword[1].decode("utf-8", "replace"), -1, _skipped(text, keyword.end(), end), end)


def _skipped(text: bytes, at: int, end: int | None = None) -> int:
    """Behind white space and comments."""
    noise = _NOISE.match(text, at, len(text) if end is None else end)
    return noise.end() if noise else at
