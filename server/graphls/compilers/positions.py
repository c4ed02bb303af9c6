"""Positions: byte offsets of files as a server counts lines and characters, and back.

Owns: the conversion for each encoding.
Must not know: requests, what is at a position.
Invariant: positions come from the snapshot's contents; a position outside them is clamped.
"""

from __future__ import annotations

from collections import OrderedDict

from graphls.facts.columns import Column
from graphls.facts.lines import Encoding, LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

_KEPT = 16


class PositionConverter:
    """Conversions for the files of one snapshot. Used by one thread at a time."""

    def __init__(self, snapshot: Snapshot, encoding: str) -> None:
        self._snapshot = snapshot
        self._encoding: Encoding = "utf-8" if encoding == "utf-8" else "utf-32" if encoding == "utf-32" else "utf-16"
        self._indexes: OrderedDict[FilePath, LineIndex] = OrderedDict()

    def position(self, path: FilePath, offset: int) -> tuple[int, int]:
        """Line and character of a byte offset."""
        facts = self._snapshot.facts(path)
        if facts.ascii or (self._encoding == "utf-8" and offset >= _second(facts.lines)):
            return facts.line_column(offset)
        return self._index(path).position(offset, self._encoding)

    def offset(self, path: FilePath, line: int, character: int) -> int:
        """Byte offset of a line and character."""
        facts = self._snapshot.facts(path)
        if facts.ascii or (self._encoding == "utf-8" and line > 0):
            start = facts.lines[line] if 0 <= line < len(facts.lines) else facts.size
            return min(start + max(character, 0), facts.size)
        return self._index(path).offset(line, character, self._encoding)

    def _index(self, path: FilePath) -> LineIndex:
        known = self._indexes.get(path)
        if known is None:
            known = self._indexes[path] = LineIndex(self._snapshot.text(path) or b"")
            while len(self._indexes) > _KEPT:
                self._indexes.popitem(last=False)
        return known


def _second(lines: Column) -> int:
    """Start of the second line: the first may begin with a byte order mark, which has no width for a server."""
    return lines[1] if len(lines) > 1 else 1 << 31
