"""Positions: byte offsets of files as the client's lines and characters, and back.

Owns: the choice of the cheapest line index for a file, kept for one request.
Must not know: URIs, features.
Invariant: offsets and positions are converted here and nowhere else; no call raises for any numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Protocol

from lsprotocol import types

from graphls.facts.lines import Encoding, LineIndex, PrecomputedLineIndex
from graphls.facts.paths import FilePath
from graphls.graph.line_starts import LineStarts, cached_lines
from graphls.graph.snapshot import Snapshot


class LineTable(Protocol):
    """What both kinds of index answer."""

    def offset(self, line: int, character: int, encoding: Encoding) -> int: ...

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]: ...

    def stretch(self, start: int, end: int, encoding: Encoding) -> tuple[int, int, int, int]: ...


class ClientPositions:
    """Positions in the files of one snapshot, in one encoding."""

    def __init__(self, snapshot: Snapshot, encoding: Encoding) -> None:
        self._snapshot = snapshot
        self.encoding: Encoding = encoding
        self._lines: dict[FilePath, LineTable] = {}

    def offset(self, path: FilePath, position: types.Position) -> int:
        """Byte offset of a position, clamped to the text."""
        return self.lines(path).offset(position.line, position.character, self.encoding)

    def position(self, path: FilePath, offset: int) -> types.Position:
        """Position of a byte offset."""
        return types.Position(*self.lines(path).position(offset, self.encoding))

    def range(self, path: FilePath, start: int, end: int) -> types.Range:
        """Range between two byte offsets."""
        line, character, last, behind = self.numbers(path, start, end)
        return types.Range(types.Position(line, character), types.Position(last, behind))

    def numbers(self, path: FilePath, start: int, end: int) -> tuple[int, int, int, int]:
        """Lines and characters of a range as numbers."""
        return (self._lines.get(path) or self.lines(path)).stretch(start, end, self.encoding)

    def stretch(self, text: bytes, start: int, end: int) -> types.Range:
        """Range in a text that is no file of the snapshot."""
        lines = LineIndex(text)
        ends = (lines.position(offset, self.encoding) for offset in (start, end))
        return types.Range(*(types.Position(*position) for position in ends))

    def lines(self, path: FilePath) -> LineTable:
        """The index of one file."""
        known = self._lines.get(path)
        if known is None:
            known = self._lines[path] = self._index(path)
        return known

    def _index(self, path: FilePath) -> LineTable:
        known = cached_lines(self._snapshot, path)
        if known is None and self._snapshot.shards[path].language:
            known = LineStarts.of(self._snapshot.facts(path))
        if known is not None and known.ascii:
            return AsciiLines(known)
        text = self._snapshot.text(path)
        if text is None:
            return AsciiLines(known) if known is not None else LineIndex(b"")
        return LineIndex(text) if known is None else PrecomputedLineIndex(text, known.starts)


class AsciiLines:
    """Line starts of a file whose characters are bytes: no text is read."""

    def __init__(self, lines: LineStarts) -> None:
        self._starts = lines.starts
        self._size = lines.size

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """Byte offset, clamped to the line."""
        starts = self._starts
        if line < 0:
            return 0
        if line >= len(starts):
            return self._size
        end = starts[line + 1] - 1 if line + 1 < len(starts) else self._size
        return min(starts[line] + max(character, 0), end)

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """Line and character, clamped to the text."""
        offset = min(max(offset, 0), self._size)
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def stretch(self, start: int, end: int, encoding: Encoding) -> tuple[int, int, int, int]:
        """Lines and characters of both ends; the second is not before the first."""
        starts = self._starts
        behind = bisect_right(starts, start)
        # A name stands on one line.
        if 0 <= start <= end and end < (starts[behind] if behind < len(starts) else self._size + 1):
            line, first = behind - 1, starts[behind - 1]
            return line, start - first, line, end - first
        return *self.position(start, encoding), *self.position(max(start, end), encoding)
