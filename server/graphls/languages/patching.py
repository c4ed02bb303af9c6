"""Patching: facts of a text that differs from the one before in one piece.

Owns: which piece an edit is in, and how numbers of all other rows move.
Must not know: any particular language, what pieces say.
Invariant: patched facts are those that reading the whole text gives; where that is not certain there are none.

All rows outside the piece stay, in their order. What they say moves by constants: offsets behind the piece by the
growth of the text, numbers of rows behind those of the piece by the growth of their table. Strings, and expressions
that a file has once, are numbered where the text first says them: those that the piece says first may move one by one.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, final

from tree_sitter import Node

from graphls.facts import columns
from graphls.facts.columns import Column, Table, packed
from graphls.facts.file_facts import FileFacts
from graphls.languages.broken import confined
from graphls.languages.draft import (
    D_START,
    EXPRESSION,
    Draft,
)
from graphls.languages.kinds import MEMBER_EXPRESSION, NAME_EXPRESSION
from graphls.languages.pieces import (
    BASES,
    DECORATORS,
    DEFINED,
    DEFINITIONS,
    DISPATCHES,
    EXPRESSIONS,
    IMPORTS,
    LIST,
    LITERALS,
    METRICS,
    NARROWINGS,
    OCCURRENCES,
    OFFSET,
    PLAIN,
    REGIONS,
    RETURNS,
    ROW,
    SCOPE,
    SCOPES,
    STRING,
    X_EXPRESSIONS,
    X_ITEMS,
    X_LISTS,
    X_SCOPES,
    X_STRINGS,
    Change,
    Key,
    Kinds,
    Laid,
    Memory,
    Piece,
    Placed,
    Spot,
)
from graphls.languages.tables import generated, mark_exports, measure, packed_tables, sort_occurrences

_WIDTH: Final = 4
_BLANK: Final = b" \t"
_ONE: Final = packed([1]).tobytes()


class LostError(ValueError):
    """Something outside the piece rests on what the piece no longer says."""


@final
class Found:
    """The piece that an edit is in."""

    def __init__(self, spot: Spot, at: int, data: bytes, node: Node, root: Node) -> None:
        self.spot = spot
        self.at = at
        """Which of the spots it is."""
        self.node = node
        """The tree of what it is now."""
        self.nodes = root.descendant_count
        self.data = data
        """The new text."""
        self.growth: int = 0
        self.least: int = 0
        """How far offsets move, and from where on."""


def edited_spot(laid: Laid, data: bytes, root: Node) -> Found | None:
    """The one piece that two texts differ in, or behind which they differ in blanks."""
    old, growth = laid.data, len(data) - len(laid.data)
    begin = _alike(old, data)
    end = len(old) - _alike_at_end(old, data, min(len(old), len(data)) - begin)
    at = _spot_before(laid.spots, begin)
    if at < 0:
        return None
    spot = laid.spots[at]
    if begin <= spot.start:
        return None
    blank = False
    if begin >= spot.end:
        # Compiled, a slice that ends before it begins is an error.
        changed = old[spot.end : end] + data[spot.end : end + growth]
        blank = not changed.strip(_BLANK) and spot.end < len(old)
    if end > spot.end and not blank:
        return None
    close = spot.end if blank else spot.end + growth
    node = root.descendant_for_byte_range(spot.start, close)
    if node is None or node.kind_id != spot.kind or node.start_byte != spot.start or node.end_byte != close:
        # A blank at the very end of a function may belong to no statement.
        return None
    if root.descendant_count - node.descendant_count != laid.nodes - spot.nodes:
        return None
    if data[close - 1 : close] in (b"\r", b"\n") or old[spot.end - 1 : spot.end] in (b"\r", b"\n"):
        return None
    elsewhere = _broken_elsewhere(laid.spots, at, growth)
    if elsewhere and not root.has_error:
        return None
    if root.has_error and (blank or not confined(node, elsewhere)):
        return None
    found = Found(spot, at, data, node, root)
    found.growth, found.least = growth, spot.end + 1 if blank else spot.end
    return found


def _broken_elsewhere(spots: list[Spot], at: int, growth: int) -> dict[tuple[int, int], tuple[int, int]]:
    """Where the other pieces begin and end now that were broken when they were read, with kind and number of nodes."""
    made: dict[tuple[int, int], tuple[int, int]] = {}
    for number, spot in enumerate(spots):
        if spot.broken and number != at:
            moved = growth if number > at else 0
            made[spot.start + moved, spot.end + moved] = spot.kind, spot.nodes
    return made


def _alike(old: bytes, new: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _alike_at_end(old: bytes, new: bytes, most: int) -> int:
    """How many bytes both end with, at most so many."""
    low, high, size, other = 0, most, len(old), len(new)
    while low < high:
        middle = (low + high + 1) // 2
        if old[size - middle : size - low] == new[other - middle : other - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _spot_before(spots: list[Spot], offset: int) -> int:
    """The last spot that begins at or before an offset, -1 where none does."""
    low, high = 0, len(spots)
    while low < high:
        middle = (low + high) // 2
        if spots[middle].start <= offset:
            low = middle + 1
        else:
            high = middle
    return low - 1


@final
class _Moves:
    """How what is outside a piece moves. `None`: it stays."""

    def __init__(self, least: int, growth: int) -> None:
        self.least = least
        self.growth = growth
        self.strings: list[int] | None = None
        self.rows: list[int] | None = None
        self.scopes: list[int] | None = None
        self.definitions: list[int] | None = None
        self.lists: list[int] | None = None

    @property
    def still(self) -> bool:
        """Whether only offsets move."""
        return (
            self.strings is None
            and self.rows is None
            and self.scopes is None
            and self.definitions is None
            and self.lists is None
        )

    def table(self, what: int) -> list[int] | None:
        """Where each number of a kind is now, with what -1 stands for at the end; -2 where it is lost."""
        if what == STRING:
            return self.strings
        if what == ROW:
            return self.rows
        if what == LIST:
            return self.lists
        if what == DEFINED:
            return self.definitions
        return self.scopes if what == SCOPE else None

    def one(self, what: int, value: int) -> int:
        """What a value is now."""
        if what == PLAIN or value < 0:
            return value
        if what == OFFSET:
            return value + self.growth if value >= self.least else value
        now = self.table(what)
        if now is None:
            return value
        made = now[value]
        if made == -2:
            raise LostError
        return made

    def column(self, what: int, raw: bytes) -> bytes:
        """What a column is now."""
        if what == PLAIN or not raw:
            return raw
        if what == OFFSET:
            least, growth = self.least, self.growth
            if growth == 0:
                return raw
            return packed([value + growth if value >= least else value for value in _numbers(raw)]).tobytes()
        now = self.table(what)
        if now is None:
            return raw
        values = [now[value] for value in _numbers(raw)]
        if -2 in values:
            raise LostError
        return packed(values).tobytes()


def _numbers(raw: bytes) -> list[int]:
    made: Column = array("i")
    made.frombytes(raw)
    return made.tolist()


def _lifted(raw: bytes, which: bytes, growth: int) -> bytes:
    """A column whose numbers grow where another column has a 1: one addition of two long numbers. No sum leaves its
    place, as offsets stay what offsets can be."""
    if not raw or growth == 0:
        return raw
    whole = int.from_bytes(raw, sys.byteorder) + growth * int.from_bytes(which, sys.byteorder)
    return whole.to_bytes(len(raw), sys.byteorder)


def _shift(count: int, first: int, end: int, growth: int) -> list[int] | None:
    """Where rows are now that stand outside a stretch of rows which has grown."""
    if growth == 0:
        return None
    return [*range(first), *[-2] * (end - first), *range(end + growth, count + growth), -1]


@final
class _Patch:
    """The tables of the new text while they are put together."""

    def __init__(self, laid: Laid, facts: FileFacts, found: Found, pieces: tuple[Piece, Piece]) -> None:
        """`pieces`: the one before, and the one that stands in its place."""
        spot = found.spot
        self.laid, self.found, self.facts = laid, found, facts
        self.before, self.piece = pieces
        self.moves = _Moves(found.least, found.growth)
        self.first, self.after = spot.first, spot.after
        starts = facts.definitions.start
        self.definitions = _between(starts, spot.start, spot.end)
        self.uses = _between(facts.occurrences.start, spot.start, spot.end)
        self.made = Draft(b"")
        self.strings: list[str] = []
        self.taken: list[int] = []
        """Strings that the text behind was first to say and the piece now is."""
        self.more_strings: int = 0
        """How many more the piece is first to say."""
        self.texts: dict[str, int] = laid.texts
        self.positions: bytes = b""
        self.placed = self._placed()
        self.growths = self._growths()
        self._find_moves()

    def _placed(self) -> Placed:
        """The rows of the piece, numbered as in the new text."""
        laid, facts, first, made = self.laid, self.facts, self.first, self.made
        row = first[X_EXPRESSIONS]
        made.literal_rows = {key: at for key, at in laid.literal_rows.items() if at < row}
        made.modules = {key: at for key, at in laid.modules.items() if at < row}
        made.nothing = laid.nothing if laid.nothing < row else -1
        scope = self.found.spot.scope
        strings = [*self._new_strings(), -1]
        around = (
            self.found.node.start_byte,
            scope,
            facts.scopes.owner[scope],
            first[X_SCOPES],
            self.definitions[0],
            row * EXPRESSION,
            first[X_LISTS],
            first[X_ITEMS],
        )
        placed = Placed(self.piece, made, around, strings)
        placed.append(made)
        return placed

    def _new_strings(self) -> list[int]:
        """The numbers of the strings that the piece says; those that it is first to say come behind those before it."""
        laid, first, end = self.laid, self.first[X_STRINGS], self.after[X_STRINGS]
        old, known = self.facts.strings, laid.texts
        numbers: list[int] = []
        new: list[str] = []
        fresh: dict[str, int] = {}
        for text in self.piece.said.strings:
            number = known.get(text, end)
            if number >= first:
                number = fresh.get(text, -1)
                if number < 0:
                    number = fresh[text] = first + len(new)
                    new.append(text)
            numbers.append(number)
        if new == list(old[first:end]):
            self.strings = list(old)
            return numbers
        made = list(old[:first]) + new
        now: list[int] = [*range(first), *[fresh.get(text, -2) for text in old[first:end]]]
        for before, text in enumerate(old[end:], end):
            number = fresh.get(text, -1)
            if number < 0:
                number = len(made)
                made.append(text)
            else:
                self.taken.append(before)
            now.append(number)
        self.more_strings = len(new) - (end - first)
        now.append(-1)
        self.strings, self.moves.strings = made, now
        self.texts = {text: number for number, text in enumerate(made)}
        return numbers

    def _growths(self) -> list[int]:
        """By how many rows each table of `extents` grows."""
        made = self.made
        counts = [
            len(made.scopes), len(made.expressions) // EXPRESSION, len(made.lists), len(made.items),
            len(made.decorators), len(made.bases), len(made.returns), len(made.imports), len(made.regions),
            len(made.narrowings), len(made.dispatches), len(made.metrics), len(made.literals),
        ]  # fmt: skip
        grown = [now - (after - first) for now, first, after in zip(counts, self.first, self.after, strict=False)]
        return [*grown, self.more_strings]

    def _find_moves(self) -> None:
        facts, moves, first, after, growths = self.facts, self.moves, self.first, self.after, self.growths
        start, end = self.definitions
        grown = len(self.made.definitions) - (end - start)
        moves.definitions = _shift(len(facts.definitions), start, end, grown)
        moves.scopes = _shift(len(facts.scopes), first[X_SCOPES], after[X_SCOPES], growths[X_SCOPES])
        moves.lists = _shift(len(facts.lists), first[X_LISTS], after[X_LISTS], growths[X_LISTS])
        moves.rows = self._moved_rows()

    def _moved_rows(self) -> list[int] | None:
        """Expressions, with those that a file has once: they stand where the text first says them."""
        first, after = self.first[X_EXPRESSIONS], self.after[X_EXPRESSIONS]
        growth, laid, made = self.growths[X_EXPRESSIONS], self.laid, self.made
        count = len(self.facts.expressions)
        now: list[int] = [*range(first), *[-2] * (after - first), *range(after + growth, count + growth), -1]
        same = growth == 0
        seen: set[int] = set()
        for (word, text), row in laid.literal_rows.items():
            if row >= first:
                there = made.literal_rows.get((word, self.string(text)), -1)
                same = self._met(now, row, there, seen) and same
        for (name, how), row in laid.modules.items():
            if row >= first:
                there = made.modules.get((self.string(name), how), -1)
                same = self._met(now, row, there, seen) and same
        if laid.nothing >= first:
            same = self._met(now, laid.nothing, made.nothing, seen) and same
        return None if same else now

    def _met(self, now: list[int], row: int, there: int, seen: set[int]) -> bool:
        """Notes where an expression is now that a file has once; whether it stays."""
        if row >= self.after[X_EXPRESSIONS]:
            # The piece says first what only the text behind it said: a row there would have to go.
            if there >= 0:
                raise LostError
            return True
        now[row] = there if there >= 0 else -2
        return there == row

    def string(self, number: int) -> int:
        return number if number < 0 or self.moves.strings is None else self.moves.strings[number]

    # ------------------------------------------------------------ tables

    def table(self, table: Table, kinds: Kinds, columns: list[bytes], rows: tuple[int, int]) -> list[bytes]:
        """The columns of one table, with those of the piece between rows."""
        old, moves = table.to_columns(), self.moves
        first, end = rows[0] * _WIDTH, rows[1] * _WIDTH
        made: list[bytes] = []
        for at, raw in enumerate(old):
            what = kinds[at]
            said = columns[at] if columns else b""
            made.append(moves.column(what, raw[:first]) + said + moves.column(what, raw[end:]))
        return made if made[0] else []

    def uses_table(self, columns: list[bytes]) -> list[bytes]:
        """Occurrences: in source order, so those behind the piece all move."""
        old, moves, growth = self.facts.occurrences.to_columns(), self.moves, self.found.growth
        first, end = self.uses[0] * _WIDTH, self.uses[1] * _WIDTH
        made: list[bytes] = []
        for at, raw in enumerate(old):
            what, said, rest = OCCURRENCES[at], columns[at] if columns else b"", raw[end:]
            if what == OFFSET:
                made.append(raw[:first] + said + _lifted(rest, _ONE * (len(rest) // _WIDTH), growth))
            else:
                made.append(moves.column(what, raw[:first]) + said + moves.column(what, rest))
        return made if made[0] else []

    def expressions_table(self, columns: list[bytes]) -> list[bytes]:
        """Expressions: what a number says depends on the kind of the row."""
        old = self.facts.expressions.to_columns()
        first, end = self.first[X_EXPRESSIONS] * _WIDTH, self.after[X_EXPRESSIONS] * _WIDTH
        positions = self.laid.positions or _positions(old)
        said = columns or [b""] * EXPRESSION
        here = _positions(said)
        moved = [_lifted(old[3][end:], positions[end:], self.found.growth)]
        self.positions = positions[:first] + here + positions[end:]
        before, behind = [raw[:first] for raw in old], [*[raw[end:] for raw in old[:3]], moved[0]]
        if not self.moves.still:
            before, behind = self._expressions(before), self._expressions(behind)
        made = [a + b + c for a, b, c in zip(before, said, behind, strict=True)]
        return made if made[0] else []

    def _expressions(self, raw: list[bytes]) -> list[bytes]:
        """Rows outside the piece, whose offsets have moved."""
        moves = self.moves
        strings, rows, scopes = moves.strings, moves.rows, moves.scopes
        kinds, first, second, third = [_numbers(column) for column in raw]
        for at, kind in enumerate(kinds):
            a, b = first[at], second[at]
            if kind == MEMBER_EXPRESSION:
                if rows is not None and a >= 0:
                    first[at] = rows[a]
                if strings is not None and b >= 0:
                    second[at] = strings[b]
            elif kind == NAME_EXPRESSION:
                if strings is not None and a >= 0:
                    first[at] = strings[a]
                if scopes is not None and b >= 0:
                    second[at] = scopes[b]
            else:
                what = EXPRESSIONS[kind]
                first[at], second[at] = moves.one(what[0], a), moves.one(what[1], b)
                third[at] = moves.one(what[2], third[at])
        if -2 in first or -2 in second:
            raise LostError
        return [raw[0], packed(first).tobytes(), packed(second).tobytes(), packed(third).tobytes()]

    def lists_table(self, columns: list[bytes]) -> list[bytes]:
        """Lists: stretches of items, in order."""
        old, growth = self.facts.lists.to_columns(), self.growths[X_ITEMS]
        first, end = self.first[X_LISTS] * _WIDTH, self.after[X_LISTS] * _WIDTH
        ones = _ONE * ((len(old[0]) - end) // _WIDTH)
        said = columns or [b"", b""]
        made = [raw[:first] + here + _lifted(raw[end:], ones, growth) for raw, here in zip(old, said, strict=True)]
        return made if made[0] else []

    def items_table(self, columns: list[bytes]) -> list[bytes]:
        """Items of lists: expressions, or the strings of cases."""
        moves, facts = self.moves, self.facts
        raw = facts.items.to_columns()[0]
        first, end = self.first[X_ITEMS] * _WIDTH, self.after[X_ITEMS] * _WIDTH
        if moves.rows is not None or moves.strings is not None:
            before, after = first // _WIDTH, end // _WIDTH
            kinds = self._kinds_of_items()
            values = _numbers(raw)
            moved = [value if before <= at < after else moves.one(kinds[at], value) for at, value in enumerate(values)]
            raw = packed(moved).tobytes()
        made = raw[:first] + (columns[0] if columns else b"") + raw[end:]
        return [made] if made else []

    def _kinds_of_items(self) -> list[int]:
        facts = self.facts
        kinds = [ROW] * len(facts.items)
        for row in facts.dispatches.cases:
            if row >= 0:
                for at in range(facts.lists.start[row], facts.lists.end[row]):
                    kinds[at] = STRING
        return kinds

    # ------------------------------------------------------------ what the whole file decides

    def settle(self) -> bool:
        """Source order and exported names, as for a whole file; False where the order of definitions would change."""
        made = self.made
        starts = [row[D_START] for row in made.definitions]
        if starts != sorted(starts):
            return False
        sort_occurrences(made)
        if self.laid.exported:
            exported = [self.texts[name] for name in self.laid.exported if name in self.texts]
            mark_exports(made, exported, self.definitions[0])
        return True

    def lines(self, data: bytes) -> Column:
        """Offsets of line starts."""
        spot, found = self.found.spot, self.found
        old, close = self.facts.lines, found.node.end_byte
        first, end = bisect_right(old, spot.start), bisect_right(old, spot.end)
        inside: list[int] = []
        offset = spot.start
        for line in data[spot.start : close].splitlines(keepends=True):
            offset += len(line)
            inside.append(offset)
        growth = found.growth
        rest = old[end:].tobytes()
        made = old[:first] + packed(inside[:-1])
        made.frombytes(_lifted(rest, _ONE * (len(rest) // _WIDTH), growth))
        return made


def replaced(
    memory: Memory, found: Found, key: Key, piece: Piece, settled: tuple[Piece, Piece] | None = None
) -> FileFacts | None:
    """The facts with one piece instead of another, and the memory brought up to date; None where more may differ.
    `settled`: what the one before and this one say in this file, where that is not what they say alone."""
    laid, data = memory.laid, found.data
    if laid is None:
        return None
    try:
        patch = _Patch(laid, laid.facts, found, settled or (found.spot.piece, piece))
        if not patch.settle():
            return None
        lines = patch.lines(data)
        measure(patch.made, lines, patch.definitions[0])
        made = _facts(patch, data, lines)
    except LostError:
        return None
    _take_over(memory, laid, patch, made, data)
    memory.replace(found.spot, key, piece)
    return made


def _facts(patch: _Patch, data: bytes, lines: Column) -> FileFacts:
    facts, said = patch.facts, packed_tables(patch.made)
    first, after = patch.first, patch.after

    def table(old: Table, kinds: Kinds, at: int) -> list[bytes]:
        return patch.table(old, kinds, next(said), (first[at], after[at]))

    return FileFacts(
        strings=tuple(patch.strings),
        scopes=columns.Scopes.made(table(facts.scopes, SCOPES, X_SCOPES)),
        definitions=columns.Definitions.made(
            patch.table(facts.definitions, DEFINITIONS, next(said), patch.definitions)
        ),
        occurrences=columns.Occurrences.made(patch.uses_table(next(said))),
        expressions=columns.Expressions.made(patch.expressions_table(next(said))),
        lists=columns.Lists.made(patch.lists_table(next(said))),
        items=columns.ListItems.made(patch.items_table(next(said))),
        decorators=columns.Decorators.made(table(facts.decorators, DECORATORS, 4)),
        bases=columns.Bases.made(table(facts.bases, BASES, 5)),
        returns=columns.Returns.made(table(facts.returns, RETURNS, 6)),
        imports=columns.Imports.made(table(facts.imports, IMPORTS, 7)),
        regions=columns.Regions.made(table(facts.regions, REGIONS, 8)),
        narrowings=columns.Narrowings.made(table(facts.narrowings, NARROWINGS, 9)),
        dispatches=columns.Dispatches.made(table(facts.dispatches, DISPATCHES, 10)),
        metrics=columns.Metrics.made(table(facts.metrics, METRICS, 11)),
        literals=columns.Literals.made(table(facts.literals, LITERALS, 12)),
        problems=facts.problems,
        lines=lines,
        size=len(data),
        ascii=data.isascii(),
        doc=facts.doc,
        generated=generated(data, lines),
    )


def _take_over(memory: Memory, laid: Laid, patch: _Patch, facts: FileFacts, data: bytes) -> None:
    """From now on the new text is the one before."""
    spot, found, moves, made = patch.found.spot, patch.found, patch.moves, patch.made
    after, growths, growth = patch.after, patch.growths, found.growth
    start, end = patch.definitions
    ends = end, start + len(made.definitions)
    laid.change = Change(patch.facts, patch.before, patch.piece, start, ends)
    stop = after[X_EXPRESSIONS]
    for (word, text), row in laid.literal_rows.items():
        if row >= stop:
            made.literal_rows[word, patch.string(text)] = row if moves.rows is None else moves.rows[row]
    for (name, how), row in laid.modules.items():
        if row >= stop:
            made.modules[patch.string(name), how] = row if moves.rows is None else moves.rows[row]
    if laid.nothing >= stop:
        made.nothing = laid.nothing if moves.rows is None else moves.rows[laid.nothing]
    laid.literal_rows, laid.modules, laid.nothing = made.literal_rows, made.modules, made.nothing
    laid.nodes, laid.texts, laid.positions = found.nodes, patch.texts, patch.positions
    laid.facts = laid.said = facts
    laid.data = data
    spot.after = [now + more for now, more in zip(after, growths, strict=True)]
    spot.end, spot.nodes = found.node.end_byte, found.node.descendant_count
    spot.broken = found.node.has_error
    moved = moves.strings is not None or any(growths)
    for other in laid.spots[found.at + 1 :]:
        other.start += growth
        other.end += growth
        if moved:
            other.first = [now + more for now, more in zip(other.first, growths, strict=True)]
            other.after = [now + more for now, more in zip(other.after, growths, strict=True)]
            # What the piece says first now, they or those before them said first.
            other.first[X_STRINGS] -= bisect_left(patch.taken, other.first[X_STRINGS] - growths[X_STRINGS])
            other.after[X_STRINGS] -= bisect_left(patch.taken, other.after[X_STRINGS] - growths[X_STRINGS])
            if moves.scopes is not None:
                other.scope = moves.scopes[other.scope]


def _positions(raw: list[bytes]) -> bytes:
    """For each expression 1 where its last number is an offset, else 0."""
    found = [
        1 if c >= 0 and kind in (NAME_EXPRESSION, MEMBER_EXPRESSION) else 0
        for kind, c in zip(_numbers(raw[0]), _numbers(raw[3]), strict=True)
    ]
    return packed(found).tobytes()


def _between(starts: Sequence[int], first: int, end: int) -> tuple[int, int]:
    """The rows of a table in source order that begin in a stretch of text."""
    return _from(starts, first), _from(starts, end)


def _from(starts: Sequence[int], offset: int) -> int:
    low, high = 0, len(starts)
    while low < high:
        middle = (low + high) // 2
        if starts[middle] < offset:
            low = middle + 1
        else:
            high = middle
    return low
