"""Lines: where byte offsets of one text are, as lines and characters.

Owns: line ends as LSP counts them (LF, CRLF, lone CR and nothing else), clamping, the three character units.
Must not know: LSP types, documents, disk, the parser's tree.
Invariant: positions come back unchanged through offset() and position(); no call raises for any bytes or any numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]

BOM = b"\xef\xbb\xbf"
# Lines are counted a block at a time (bytes.count runs at memory speed); ends inside a block are found when asked for.
_BLOCK = 8192
_LONE_CR = re.compile(rb"\r(?!\n)")
_CONTINUATION = bytes(range(0x80, 0xC0))
_NOT_ASTRAL = bytes(range(0xF0))


class LineIndex:
    """Line and character positions over `data`, which it shares and never copies.

    A byte order mark at the start has no width: clients do not show it, so line 0 begins after it.
    Bytes that are no UTF-8 count by their lead bytes, so an index over broken text is still usable.
    """

    __slots__ = ("_ascii", "_bom", "_ends", "_lone_cr", "_totals", "data")

    def __init__(self, data: bytes, *, lone_cr: bool | None = None) -> None:
        """`lone_cr` is whether CR without LF occurs, for a caller that already knows."""
        self.data = data
        self._ascii = data.isascii()
        self._bom = len(BOM) if data.startswith(BOM) else 0
        self._lone_cr = b"\r" in data and data.count(b"\r") > data.count(b"\r\n") if lone_cr is None else lone_cr
        counts = (self._count(start) for start in range(0, len(data), _BLOCK))
        self._totals = list(accumulate(counts, initial=0))
        self._ends: dict[int, tuple[int, ...]] = {}

    def edited(self, start: int, end: int, text: bytes) -> LineIndex:
        """The index of the text in which `text` replaces the bytes from `start` to `end`."""
        data = b"".join((self.data[:start], text, self.data[end:]))
        seam = data[max(start - 1, 0) : start + len(text) + 1]
        return LineIndex(data, lone_cr=None if self._lone_cr or _LONE_CR.search(seam) else False)

    @property
    def line_count(self) -> int:
        """At least 1: text that ends in a line end has an empty last line."""
        return self._totals[-1] + 1

    def line_of(self, offset: int) -> int:
        """The line that holds byte `offset`; an offset between CR and LF belongs to the line they end."""
        offset = min(max(offset, 0), len(self.data))
        block = offset // _BLOCK
        if block >= len(self._totals) - 1:
            return self._totals[-1]
        return self._totals[block] + bisect_right(self._block_ends(block), offset)

    def span(self, line: int) -> tuple[int, int]:
        """Start and end of a line in bytes, without line end and byte order mark; past the last line: the empty end."""
        if line >= self.line_count:
            return len(self.data), len(self.data)
        line = max(line, 0)
        start = self._start(line)
        end = self._start(line + 1) if line + 1 < self.line_count else len(self.data)
        if end > start and self.data[end - 1] == 0x0A:
            end -= 1
        if end > start and self.data[end - 1] == 0x0D:
            end -= 1
        return (start if line else min(self._bom, end)), end

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """Byte offset of a position, clamped to the line, and to the start of the character it is inside of."""
        if line < 0:
            return self._bom
        start, end = self.span(line)
        units = max(character, 0)
        if units >= end - start:
            units = end - start
        if self._ascii or encoding == "utf-8":
            return self._boundary(start + units)
        text = self.data[start:end]
        if text[:units].isascii():
            return start + units
        return start + bisect_right(range(len(text) + 1), units, key=lambda cut: _units(text[:cut], encoding)) - 1

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """Line and character of a byte offset, clamped to the text and to the start of a character."""
        offset = self._boundary(min(max(offset, 0), len(self.data)))
        line = self.line_of(offset)
        start, end = self.span(line)
        offset = min(max(offset, start), end)
        if self._ascii or encoding == "utf-8":
            return line, offset - start
        return line, _units(self.data[start:offset], encoding)

    def stretch(self, start: int, end: int, encoding: Encoding) -> tuple[int, int, int, int]:
        """Lines and characters of both ends; the second is not before the first."""
        line, character = self.position(start, encoding)
        # A name stands on one line, and mostly its characters are bytes.
        if self._is_plain(start, end):
            return line, character, line, character + end - start
        return line, character, *self.position(max(start, end), encoding)

    def _is_plain(self, start: int, end: int) -> bool:
        """Whether a stretch is inside the text, on one line, and each of its characters one byte."""
        text = self.data[start:end] if 0 <= start <= end <= len(self.data) else b"\n"
        return text.isascii() and b"\n" not in text and b"\r" not in text and bool(text)

    def row_column(self, offset: int) -> tuple[int, int]:
        """Row and byte column as tree-sitter counts them: rows end with LF only, a byte order mark has its width."""
        if not self._lone_cr:
            line = self.line_of(offset)
            return line, offset - self._start(line)
        return self.data.count(b"\n", 0, offset), offset - (self.data.rfind(b"\n", 0, offset) + 1)

    def _count(self, start: int) -> int:
        """Line ends whose last byte is in the block."""
        stop = start + _BLOCK
        found = self.data.count(b"\n", start, stop)
        if self._lone_cr:
            found += self.data.count(b"\r", start, stop) - self.data.count(b"\r\n", start, stop + 1)
        return found

    def _block_ends(self, block: int) -> tuple[int, ...]:
        """Offsets just after each line end whose last byte is in the block."""
        known = self._ends.get(block)
        if known is None:
            start = block * _BLOCK
            # bytes.splitlines knows the line ends of LSP (str.splitlines more). A block may stop between CR and LF,
            # or in mid-line: the count says how many of the ends are real.
            pieces = self.data[start : start + _BLOCK].splitlines(keepends=True)
            ends = accumulate(map(len, pieces), initial=start)
            known = tuple(ends)[1 : 1 + self._totals[block + 1] - self._totals[block]]
            self._ends[block] = known
        return known

    def _start(self, line: int) -> int:
        if line <= 0:
            return 0
        block = bisect_left(self._totals, line) - 1
        return self._block_ends(block)[line - self._totals[block] - 1]

    def _boundary(self, offset: int) -> int:
        if self._ascii or offset >= len(self.data):
            return offset
        for back in range(4):
            if offset - back >= 0 and self.data[offset - back] & 0xC0 != 0x80:
                return offset - back
        return offset


class PrecomputedLineIndex(LineIndex):
    """The same over a text whose lines are known, so that they need not be looked for."""

    __slots__ = ("_starts",)

    def __init__(self, data: bytes, starts: Sequence[int]) -> None:
        """`starts`: where each line begins."""
        super().__init__(data)
        self._starts = starts

    @property
    def line_count(self) -> int:
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        return max(bisect_right(self._starts, min(offset, len(self.data))) - 1, 0)

    def _start(self, line: int) -> int:
        return self._starts[max(line, 0)]


def encode_text(text: str) -> bytes:
    """UTF-8 of a client's text. A lone surrogate becomes U+FFFD: valid for every reader, and as wide in each unit."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def _units(text: bytes, encoding: Encoding) -> int:
    """Width of UTF-8 bytes, by lead bytes: astral characters are two units of UTF-16."""
    if text.isascii():
        return len(text)
    points = len(text.translate(None, _CONTINUATION))
    return points if encoding == "utf-32" else points + len(text.translate(None, _NOT_ASTRAL))
