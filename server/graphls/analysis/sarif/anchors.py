"""Anchors: where results of a log that is kept belong, after the text has moved or changed.

Owns: what is noted of a result's place when a log is taken in, and finding that place again.
Must not know: the format of logs, the disk, what becomes of results.
Invariant: a result follows the definition that it is in, byte for byte the same, or its line where it is in none and no
    other line is like it; else its place is gone, and nobody guesses another.
"""

from __future__ import annotations

from typing import Literal

import attrs

from graphls.facts.lines import LineIndex
from graphls.facts.paths import FilePath
from graphls.graph.addresses import digest_of
from graphls.graph.identity import symbol_name
from graphls.graph.node_records import FileNodes
from graphls.graph.snapshot import Snapshot, SymbolRef

Found = tuple[int, int] | Literal["gone"]


@attrs.frozen
class Anchor:
    """One result. `symbol`: around it, with a digest of its text (of the line, in no definition); `start`, `end`: from
    where that begins."""

    symbol: str
    text: str
    start: int
    end: int


@attrs.frozen
class SeenText:
    """What a log was about: contents of files when it was taken in, and an anchor for each result, by its number."""

    contents: dict[str, str]
    anchors: dict[int, Anchor]

    def place(self, snapshot: Snapshot, path: FilePath, number: int) -> Found | None:
        """Where a result stands now; None where the file is as it was."""
        if self.contents.get(path) == snapshot.shards[path].content:
            return None
        anchor = self.anchors.get(number)
        return "gone" if anchor is None else _found(snapshot, path, anchor)


def anchor_of(snapshot: Snapshot, place: SymbolRef, start: int, end: int) -> Anchor:
    """What is noted of a result."""
    first, last = _span(snapshot, place, start)
    text = (snapshot.text(place.file) or b"")[first:last]
    return Anchor(symbol_name(snapshot, place), _digest(text), start - first, end - first)


def _found(snapshot: Snapshot, path: FilePath, anchor: Anchor) -> Found:
    text = snapshot.text(path) or b""
    if snapshot.shards[path].language:
        for row in FileNodes(snapshot, path).rows(everything=False):
            place = SymbolRef(path, row)
            if row >= 0 and symbol_name(snapshot, place) == anchor.symbol:
                first, last = _span(snapshot, place, 0)
                if _digest(text[first:last]) == anchor.text:
                    return first + anchor.start, first + anchor.end
    lines = LineIndex(text)
    spans = (lines.span(number) for number in range(lines.line_count))
    alike = [first for first, last in spans if _digest(text[first:last]) == anchor.text]
    return (alike[0] + anchor.start, alike[0] + anchor.end) if len(alike) == 1 else "gone"


def _span(snapshot: Snapshot, place: SymbolRef, offset: int) -> tuple[int, int]:
    if place.definition >= 0 and snapshot.shards[place.file].language:
        table = snapshot.facts(place.file).definitions
        return table.full_start[place.definition], table.full_end[place.definition]
    lines = LineIndex(snapshot.text(place.file) or b"")
    return lines.span(lines.line_of(offset))


def _digest(text: bytes) -> str:
    return digest_of("anchor", text.decode("utf-8", "surrogateescape")).hex()[:24]
