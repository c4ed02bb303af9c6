"""Positions: byte offsets of files as the client's lines and characters, and back.

Owns: the choice of the cheapest line index for a file, kept for one request; places of notebooks as places of cells.
Must not know: how URIs are spelled, features.
Invariant: offsets and positions are converted here and nowhere else; no call raises for any numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Protocol, TypeAlias

from lsprotocol import types

from graphls.facts.lines import Encoding, LineIndex, PrecomputedLineIndex
from graphls.facts.paths import FilePath
from graphls.graph.line_starts import LineStarts, cached_lines
from graphls.graph.snapshot import Snapshot
from graphls.lsp.notebooks import OpenNotebooks
from graphls.session.documents.notebook import NotebookText


class LineTable(Protocol):
    """What every kind of index answers."""

    def stretch(self, start: int, end: int, encoding: Encoding) -> tuple[int, int, int, int]: ...


class ClientPositions:
    """Positions in the files of one snapshot, in one encoding."""

    def __init__(self, snapshot: Snapshot, encoding: Encoding, notebooks: OpenNotebooks | None = None) -> None:
        self._snapshot = snapshot
        self._notebooks = notebooks
        self.encoding: Encoding = encoding
        self._lines: dict[FilePath, LineTable] = {}
        self._texts: dict[FilePath, _TextLines] = {}

    def offset(self, path: FilePath, position: types.Position, uri: str) -> int:
        """Byte offset of a position, clamped to the text. `uri`: what the client calls the file, or a cell of it."""
        cells = self.cells(path)
        found = cells.offset(uri, position.line, position.character, self.encoding) if cells is not None else None
        return found if found is not None else self._text(path).offset(position.line, position.character, self.encoding)

    def range(self, path: FilePath, start: int, end: int) -> types.Range:
        """Range between two byte offsets."""
        line, character, last, behind = self.numbers(path, start, end)
        return types.Range(types.Position(line, character), types.Position(last, behind))

    def numbers(self, path: FilePath, start: int, end: int) -> tuple[int, int, int, int]:
        """Lines and characters of a range as numbers."""
        return (self._lines.get(path) or self.lines(path)).stretch(start, end, self.encoding)

    def cells(self, path: FilePath) -> NotebookText | None:
        """What the client shows of a file in cells, if it does."""
        if self._notebooks is None or not self._notebooks.is_shown(path):
            return None
        shard = self._snapshot.shards.get(path)
        return None if shard is None else self._notebooks.text(path, shard.content)

    def stretch(self, text: bytes, start: int, end: int) -> types.Range:
        """Range in a text that is no file of the snapshot."""
        lines = LineIndex(text)
        ends = (lines.position(offset, self.encoding) for offset in (start, end))
        return types.Range(*(types.Position(*position) for position in ends))

    def lines(self, path: FilePath) -> LineTable:
        """The index of one file."""
        known = self._lines.get(path)
        if known is None:
            known = self._lines[path] = self.cells(path) or self._text(path)
        return known

    def _text(self, path: FilePath) -> _TextLines:
        known = self._texts.get(path)
        if known is None:
            known = self._texts[path] = self._index(path)
        return known

    def _index(self, path: FilePath) -> _TextLines:
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


_TextLines: TypeAlias = LineIndex | AsciiLines
