"""Closed pattern: matches of stretches that end with a sign, which is looked for once where it is missing.

Owns: comments, strings and elements of which a text may open thousands and close none; what matches beside them.
Must not know: what stretches mean.
Invariant: the matches of one pattern of all parts, in the order of the parts; an opening without its sign is none.

`<!--.*?-->` goes from each opening to the end of the text where the sign is missing: the square of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import AnyStr, Generic, cast, final


@final
class ClosedPattern(Generic[AnyStr]):
    """Parts are alternatives: a pattern, and the sign that ends whatever it matches, "" where nothing has to. An
    opening that misses its sign misses it from wherever behind it one looks."""

    def __init__(self, parts: Sequence[tuple[AnyStr, AnyStr]], flags: int = 0) -> None:
        self._parts: Sequence[tuple[AnyStr, AnyStr]] = parts
        self._flags = flags

    def finditer(self, text: AnyStr) -> Iterator[re.Match[AnyStr]]:
        """Matches that do not overlap, in order. Their `string` may be longer than the text."""
        yield from self._from(self._parts, text, 0)

    def _from(self, parts: Sequence[tuple[AnyStr, AnyStr]], text: AnyStr, at: int) -> Iterator[re.Match[AnyStr]]:
        pattern = self._compiled(parts)
        longer = _joined((text, _line(text), *[sign for _, sign in parts]))
        while True:
            over = -1
            for found in pattern.finditer(longer, at):
                if found.end() > len(text):
                    over = found.start()
                    break
                yield found
                at = found.end()
            if not 0 <= over < len(text):
                return
            missing = self._missing(parts, text, longer, over)
            if missing is not None:
                left = [part for part in parts if part is not missing]
                if left:
                    yield from self._from(left, text, over)
                return
            last = pattern.match(text, over)
            if last is not None:
                yield last
            at = over + 1 if last is None else max(last.end(), over + 1)

    def sub(self, replaced: Callable[[re.Match[AnyStr]], AnyStr], text: AnyStr) -> AnyStr:
        """The text with something in the place of each match."""
        pieces: list[AnyStr] = []
        at = 0
        for found in self.finditer(text):
            pieces += (text[at : found.start()], replaced(found))
            at = found.end()
        return _joined((*pieces, text[at:]))

    def _missing(
        self, parts: Sequence[tuple[AnyStr, AnyStr]], text: AnyStr, longer: AnyStr, at: int
    ) -> tuple[AnyStr, AnyStr] | None:
        """The part that matches at an offset only because of the signs behind the text."""
        for part in parts:
            alone = self._compiled((part,))
            if part[1] and alone.match(longer, at) and not alone.match(text, at):
                return part
        return None

    def _compiled(self, parts: Sequence[tuple[AnyStr, AnyStr]]) -> re.Pattern[AnyStr]:
        return cast("re.Pattern[AnyStr]", _compile(tuple(pattern for pattern, _ in parts), self._flags))


@lru_cache(maxsize=200)
def _compile(patterns: tuple[str, ...] | tuple[bytes, ...], flags: int) -> re.Pattern[str] | re.Pattern[bytes]:
    if isinstance(patterns[0], bytes):
        return re.compile(b"|".join(cast("tuple[bytes, ...]", patterns)), flags)
    return re.compile("|".join(cast("tuple[str, ...]", patterns)), flags)


def _line(text: AnyStr) -> AnyStr:
    """So that the last line of a text ends as it did, whatever stands behind it."""
    return cast("AnyStr", b"\n" if isinstance(text, bytes) else "\n")


def _joined(pieces: Sequence[AnyStr]) -> AnyStr:
    if isinstance(pieces[0], bytes):
        return cast("AnyStr", b"".join(cast("Sequence[bytes]", pieces)))
    return cast("AnyStr", "".join(cast("Sequence[str]", pieces)))
