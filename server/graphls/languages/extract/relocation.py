"""Relocation: facts of a text that was put together from stretches of a file, as facts of that file.

Owns: the map from offsets of such a text to those of the file, which columns of facts are offsets.
Must not know: any language, how the text was put together.
Invariant: order is that of the file; a name that stands in the file as it is written in the text has its very bytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Final, TypeVar

import attrs

from graphls.facts.columns import Definitions, Occurrences, Problems, Table, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ExpressionKind
from graphls.languages.extract.tables import generated, line_starts

_LOCATED: Final = (ExpressionKind.NAME, ExpressionKind.MEMBER)
"""Expressions that say where they stand."""
_Moved = TypeVar("_Moved", bound=Table)
_SPANS: Final = (("start", "end"), ("full_start", "full_end"))


class StretchedText:
    """A text while it is put together."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._starts: list[int] = []
        self._places: list[tuple[int, int, int]] = []
        """Where each stretch begins in the file, how long it is there and here."""

    def add(self, text: bytes, start: int, size: int) -> None:
        """Text that stands for so many bytes of the file; as many of them are the same bytes."""
        if text:
            self._starts.append(self._size)
            self._places.append((start, size, len(text)))
            self._parts.append(text)
            self._size += len(text)

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._size

    def text(self) -> bytes:
        """All of it."""
        return b"".join(self._parts)

    def start(self, offset: int) -> int:
        """Where in the file the byte at an offset begins."""
        row = bisect_right(self._starts, offset) - 1
        if row < 0:
            return 0
        start, size, length = self._places[row]
        within = offset - self._starts[row]
        return start + (min(within, size) if size == length else 0 if within < length else size)

    def end(self, offset: int) -> int:
        """Where in the file ends what ends at an offset."""
        row = bisect_right(self._starts, offset - 1) - 1
        if row < 0:
            return 0
        start, size, length = self._places[row]
        return start + (min(offset - self._starts[row], size) if size == length else size)


def relocated(facts: FileFacts, text: StretchedText, data: bytes) -> FileFacts:
    """The facts of a text as those of the file that holds its stretches."""
    size = len(data)
    groups = column(text.start(offset) if offset > 0 else offset for offset in facts.regions.group)
    given = zip(facts.expressions.kind, facts.expressions.c, strict=True)
    places = column(text.start(offset) if kind in _LOCATED and offset >= 0 else offset for kind, offset in given)
    lines = line_starts(data)
    return attrs.evolve(
        facts,
        scopes=_moved(facts.scopes, text, size),
        definitions=_around_names(_moved(facts.definitions, text, size)),
        occurrences=_in_order(_moved(facts.occurrences, text, size)),
        expressions=facts.expressions.with_column("c", places),
        decorators=_moved(facts.decorators, text, size),
        imports=_moved(facts.imports, text, size),
        regions=_moved(facts.regions, text, size).with_column("group", groups),
        narrowings=_moved(facts.narrowings, text, size),
        dispatches=_moved(facts.dispatches, text, size),
        literals=_moved(facts.literals, text, size),
        constructs=_moved(facts.constructs, text, size),
        problems=_moved(facts.problems, text, size),
        lines=lines,
        size=size,
        ascii=data.isascii(),
        generated=generated(data, lines),
    )


def _around_names(table: Definitions) -> Definitions:
    """Definitions whose statement has the name in it, also where the text has its parts in another order."""
    starts = column(map(min, table.one("full_start"), table.one("start")))
    ends = column(map(max, table.one("full_end"), table.one("end")))
    return table.with_column("full_start", starts).with_column("full_end", ends)


def _in_order(table: Occurrences) -> Occurrences:
    """Uses in the order of the file, without those of words that stand nowhere in it: a broken text may have such."""
    starts, ends = table.one("start"), table.one("end")
    order = sorted((row for row, start in enumerate(starts) if start < ends[row]), key=starts.__getitem__)
    if order == list(range(len(starts))):
        return table
    for name in attrs.fields_dict(type(table)):
        values = table.one(name)
        table = table.with_column(name, column(values[row] for row in order))
    return table


def with_problems(facts: FileFacts, further: Sequence[tuple[int, int, int, str]]) -> FileFacts:
    """The same facts with further problems: kind, start, end and what to tell people."""
    if not further:
        return facts
    strings = list(facts.strings)
    table = facts.problems
    rows = list(zip(table.kind, table.start, table.end, table.text, strict=True))
    for kind, start, end, text in further:
        rows.append((kind, start, end, len(strings)))
        strings.append(text)
    return attrs.evolve(facts, strings=tuple(strings), problems=Problems.of(sorted(rows, key=itemgetter(1))))


def _moved(table: _Moved, text: StretchedText, size: int) -> _Moved:
    fields = attrs.fields_dict(type(table))
    for first, last in _SPANS:
        if first in fields:
            pairs = zip(table.one(first), table.one(last), strict=True)
            spans = [_span(text, start, end, size) for start, end in pairs]
            table = table.with_column(first, column(start for start, _ in spans))
            table = table.with_column(last, column(end for _, end in spans))
    return table


def _span(text: StretchedText, start: int, end: int, size: int) -> tuple[int, int]:
    if start < 0:
        return start, end
    if start == 0 and end == text.size:  # the module
        return 0, size
    place = text.start(start)
    return place, max(place, text.end(end)) if end > start else place
