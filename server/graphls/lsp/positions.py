"""Positions: byte offsets of files as the client's lines and characters, and back.

Owns: the choice of the cheapest line index for a file, kept for one request.
Must not know: URIs, features.
Invariant: offsets and positions are converted here and nowhere else; no call raises for any numbers.
"""

from __future__ import annotations

from typing import Protocol

from lsprotocol import types

from graphls.facts.file_facts import FileFacts
from graphls.facts.lines import Encoding, LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot


class Lines(Protocol):
    """What both kinds of index answer."""

    def offset(self, line: int, character: int, encoding: Encoding) -> int: ...

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]: ...


class Positions:
    """Positions in the files of one snapshot, in one encoding."""

    def __init__(self, snapshot: Snapshot, encoding: Encoding) -> None:
        self._snapshot = snapshot
        self._encoding: Encoding = encoding
        self._lines: dict[FilePath, Lines] = {}

    def offset(self, path: FilePath, position: types.Position) -> int:
        """Byte offset of a position, clamped to the text."""
        return self.lines(path).offset(position.line, position.character, self._encoding)

    def position(self, path: FilePath, offset: int) -> types.Position:
        """Position of a byte offset."""
        return types.Position(*self.lines(path).position(offset, self._encoding))

    def range(self, path: FilePath, start: int, end: int) -> types.Range:
        """Range between two byte offsets."""
        return types.Range(self.position(path, start), self.position(path, max(start, end)))

    def numbers(self, path: FilePath, start: int, end: int) -> tuple[int, int, int, int]:
        """Lines and characters of a range as numbers, for ranges by the thousands."""
        lines = self.lines(path)
        return *lines.position(start, self._encoding), *lines.position(max(start, end), self._encoding)

    def stretch(self, text: bytes, start: int, end: int) -> types.Range:
        """Range in a text that is no file of the snapshot."""
        lines = LineIndex(text)
        ends = (lines.position(offset, self._encoding) for offset in (start, end))
        return types.Range(*(types.Position(*position) for position in ends))

    def lines(self, path: FilePath) -> Lines:
        """The index of one file."""
        known = self._lines.get(path)
        if known is None:
            known = self._lines[path] = self._index(path)
        return known

    def _index(self, path: FilePath) -> Lines:
        facts = self._snapshot.facts(path) if self._snapshot.shards[path].language else None
        if facts is not None and facts.ascii:
            return AsciiLines(facts)
        text = self._snapshot.text(path)
        if text is None:
            return AsciiLines(facts) if facts is not None else LineIndex(b"")
        return LineIndex(text)


class AsciiLines:
    """Line starts of a file whose characters are bytes: no text is read."""

    def __init__(self, facts: FileFacts) -> None:
        self._facts = facts

    def offset(self, line: int, character: int, encoding: Encoding) -> int:
        """Byte offset, clamped to the line."""
        starts = self._facts.lines
        if line < 0:
            return 0
        if line >= len(starts):
            return self._facts.size
        end = starts[line + 1] - 1 if line + 1 < len(starts) else self._facts.size
        return min(starts[line] + max(character, 0), end)

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """Line and character, clamped to the text."""
        return self._facts.line_column(min(max(offset, 0), self._facts.size))
