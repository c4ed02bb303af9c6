"""Packing: ranked declarations into items that fit a budget.

Owns: detail levels, what a declaration costs, cutting long ones, the order of items.
Must not know: how declarations were ranked, output formats.
Invariant: the items of a pack never cost more than its budget; the text of an item is whole lines from its first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import attrs

from graphls.context.candidates import Candidate, Key
from graphls.context.lexical import terms_in
from graphls.context.weights import Weights
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Place, Snapshot

Detail = Literal["signature", "part", "body"]
CHARACTERS = 4
"""Characters a token; the rule is named in every answer."""


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


def pack_pieces(snapshot: Snapshot, ranked: Sequence[Candidate], budget: int, weights: Weights) -> Packed:
    """Source of the best, as long as the budget lasts; then first lines of the next, in what was set aside for them."""
    sources = _Sources(snapshot)
    pieces: list[Piece] = []
    room, reserve = budget, int(budget * weights.names)
    most = max(int(budget * weights.share), 1)
    rest = list(ranked)
    while rest and room > reserve:
        piece = sources.source(rest[0], min(most, room - reserve))
        if piece is None:
            break
        pieces.append(piece)
        room -= piece.tokens
        rest.pop(0)
    skipped = 0
    for candidate in rest:
        piece = sources.signature(candidate) if room > 0 else None
        if piece is None or piece.tokens > room:
            skipped += 1
            continue
        pieces.append(piece)
        room -= piece.tokens
    return Packed(tuple(pieces), budget - room, skipped)


class _Sources:
    """Lines of files, read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lines: dict[FilePath, list[str]] = {}

    def source(self, candidate: Candidate, room: int) -> Piece | None:
        """The declaration, or as many lines from its start as fit; None when not even its name does."""
        facts, first, named, last = self._lines_of(candidate.key)
        stop = first
        size = -1
        for line in self._text(candidate.key.file)[first:last]:
            size += len(line) + 1
            if tokens("x" * size) > room:
                break
            stop += 1
        if stop <= named:
            return self.signature(candidate, room)
        return self._piece(facts, candidate, (first, stop), "body" if stop == last else "part")

    def signature(self, candidate: Candidate, room: int | None = None) -> Piece | None:
        """The lines from the declaration's name to the end of its head."""
        facts, _, named, last = self._lines_of(candidate.key)
        text = self._text(candidate.key.file)
        stop = next((at + 1 for at in range(named, min(last, named + 12)) if _ends_head(text[at])), named + 1)
        piece = self._piece(facts, candidate, (named, stop), "signature")
        if piece.tokens > (60 if room is None else room):
            piece = self._piece(facts, candidate, (named, named + 1), "signature")
        return piece if room is None or piece.tokens <= room else None

    def _piece(self, facts: FileFacts, candidate: Candidate, lines: tuple[int, int], detail: Detail) -> Piece:
        key = candidate.key
        row = terms_in(self._snapshot, key.file).rows[key.unit]
        first, stop = lines
        return Piece(
            key=key,
            place=Place(key.file, row),
            start_line=first + 1,
            end_line=stop,
            text="\n".join(self._text(key.file)[first:stop]),
            detail=detail,
            score=candidate.score,
        )

    def _lines_of(self, key: Key) -> tuple[FileFacts, int, int, int]:
        """First line, line of the name, line after the last; counted from 0."""
        facts, known = self._snapshot.facts(key.file), terms_in(self._snapshot, key.file)
        table, row = facts.definitions, known.rows[key.unit]
        first, _ = facts.line_column(known.starts[key.unit])
        named, _ = facts.line_column(table.start[row])
        last, _ = facts.line_column(max(known.ends[key.unit] - 1, known.starts[key.unit]))
        text = self._text(key.file)
        while last > named and last < len(text) and not text[last].strip():
            last -= 1
        return facts, first, named, last + 1

    def _text(self, path: FilePath) -> list[str]:
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = list(self._read(path))
        return lines

    def _read(self, path: FilePath) -> Iterator[str]:
        facts, text = self._snapshot.facts(path), self._snapshot.text(path) or b""
        starts = facts.lines
        for at, start in enumerate(starts):
            end = starts[at + 1] if at + 1 < len(starts) else len(text)
            yield text[start:end].decode("utf-8", "replace").rstrip("\r\n")


def _ends_head(line: str) -> bool:
    return line.split("#")[0].rstrip().endswith((":", "{", ";", "=>", ": ..."))
