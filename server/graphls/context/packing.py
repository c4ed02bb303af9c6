"""Packing: ranked declarations into items that fit a budget.

Owns: detail levels, what a declaration costs, cutting long ones, the order of items.
Must not know: how declarations were ranked, output formats.
Invariant: the items of a pack never cost more than its budget; the text of an item is whole lines from its first.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Literal

import attrs

from graphls.context.candidates import Candidate, Key
from graphls.context.lexical import terms_in
from graphls.context.weights import Weights
from graphls.context.windows import fitting, window
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Place, Snapshot

Detail = Literal["signature", "part", "body"]
CHARACTERS = 4
"""Characters a token; the rule is named in every answer."""
_HEAD = 60
"""Tokens that a declaration may take in the list of first lines."""
_HEAD_LINES = 12


def tokens(text: str) -> int:
    """What a text costs."""
    return math.ceil(len(text) / CHARACTERS)


@attrs.frozen(kw_only=True)
class Piece:
    """Lines of one declaration that are shown. Lines count from 1, the last is included."""

    key: Key
    place: Place
    start_line: int
    end_line: int
    text: str
    detail: Detail
    score: float

    @property
    def tokens(self) -> int:
        return tokens(self.text)


@attrs.frozen
class Packed:
    """Pieces, most valuable first, and the candidates that found no room."""

    pieces: tuple[Piece, ...]
    used: int
    omitted: int


def pack_pieces(
    snapshot: Snapshot, ranked: Sequence[Candidate], budget: int, weights: Weights, words: Mapping[str, float]
) -> Packed:
    """Source of the best, as long as the budget lasts; then first lines of the next, in what was set aside for them."""
    sources = _Sources(snapshot, words)
    pieces: list[Piece] = []
    room, reserve = budget, int(budget * weights.names)
    most = max(int(budget * weights.share), 1)
    rest = deque(ranked)
    while rest and room > reserve:
        found = sources.source(rest[0], min(most, room - reserve))
        if not found:
            break
        pieces += found
        room -= sum(piece.tokens for piece in found)
        rest.popleft()
    skipped = 0
    for candidate in rest:
        piece = sources.signature(candidate, min(room, _HEAD)) if room > 0 else None
        if piece is None:
            skipped += 1
            continue
        pieces.append(piece)
        room -= piece.tokens
    return Packed(tuple(pieces), budget - room, skipped)


class _Sources:
    """Lines of files; each file is read once."""

    def __init__(self, snapshot: Snapshot, words: Mapping[str, float]) -> None:
        self._snapshot = snapshot
        self._words = words
        self._texts: dict[FilePath, bytes] = {}

    def source(self, candidate: Candidate, room: int) -> list[Piece]:
        """The declaration; when it is too long, its beginning, or its head and the part that says most."""
        first, named, last = self._lines_of(candidate.key)
        lines = self._lines(candidate.key.file, first, last)
        stop = first + fitting(lines, 0, room * CHARACTERS)
        if stop == last:
            return [self._piece(candidate, (first, last), "body")]
        head = self.signature(candidate, room)
        if head is None:
            return []
        inside = window(lines[head.end_line - first :], max(room - head.tokens - 1, 0) * CHARACTERS, self._words)
        if inside[0] > 0 and inside[1] > inside[0]:
            found = (head.end_line + inside[0], head.end_line + inside[1])
            return [head, self._piece(candidate, found, "part")]
        return [self._piece(candidate, (first, stop), "part")] if stop > named else [head]

    def signature(self, candidate: Candidate, room: int) -> Piece | None:
        """The lines from the declaration's name to the end of its head, or the first of them that fit."""
        _, named, last = self._lines_of(candidate.key)
        head = self._lines(candidate.key.file, named, min(last, named + _HEAD_LINES))
        stop = next((named + at for at, line in enumerate(head, 1) if _ends_head(line)), named + 1)
        piece = self._piece(candidate, (named, stop), "signature")
        if piece.tokens > room:
            piece = self._piece(candidate, (named, named + 1), "signature")
        return piece if piece.tokens <= room else None

    def _piece(self, candidate: Candidate, lines: tuple[int, int], detail: Detail) -> Piece:
        key = candidate.key
        row = terms_in(self._snapshot, key.file).rows[key.unit]
        first, stop = lines
        return Piece(
            key=key,
            place=Place(key.file, row),
            start_line=first + 1,
            end_line=stop,
            text="\n".join(self._lines(key.file, first, stop)),
            detail=detail,
            score=candidate.score,
        )

    def _lines_of(self, key: Key) -> tuple[int, int, int]:
        """First line, line of the name, line after the last; counted from 0."""
        facts, known = self._snapshot.facts(key.file), terms_in(self._snapshot, key.file)
        table, row = facts.definitions, known.rows[key.unit]
        first, _ = facts.line_column(known.starts[key.unit])
        named, _ = facts.line_column(table.start[row])
        last, _ = facts.line_column(max(known.ends[key.unit] - 1, known.starts[key.unit]))
        while last > named and not self._lines(key.file, last, last + 1)[0].strip():
            last -= 1
        return first, named, last + 1

    def _lines(self, path: FilePath, first: int, stop: int) -> list[str]:
        """Lines from `first` up to `stop`, counted from 0, without their ends."""
        facts, text = self._snapshot.facts(path), self._text(path)
        ends = [*facts.lines[first + 1 : stop + 1], len(text)]
        parts = zip(facts.lines[first:stop], ends, strict=False)
        return [text[start:end].decode("utf-8", "replace").rstrip("\r\n") for start, end in parts]

    def _text(self, path: FilePath) -> bytes:
        known = self._texts.get(path)
        if known is None:
            known = self._texts[path] = self._snapshot.text(path) or b""
        return known


def _ends_head(line: str) -> bool:
    return line.split("#")[0].rstrip().endswith((":", "{", ";", "=>", ": ..."))
