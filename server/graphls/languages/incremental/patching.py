"""Patching: facts of a text that differs from the one before in one piece.

Owns: which piece an edit is in, and how numbers of all other rows move.
Must not know: any particular language, what pieces say.
Invariant: patched facts are those that reading the whole text gives; where that is not certain there are none.

All rows outside the piece stay, in their order. What they say moves by constants: offsets behind the piece by the
growth of the text, numbers of rows behind those of the piece by the growth of their table. Strings, and expressions
that a file has once, are numbered where the text first says them: those that the piece says first may move one by one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, final

from tree_sitter import Node

from graphls.facts import columns
from graphls.facts.columns import Column, Table, pack_column
from graphls.facts.file_facts import FileFacts
from graphls.languages.extract.facts_builder import D_START, D_TYPE, EXPRESSION, FactsBuilder
from graphls.languages.extract.kinds import MEMBER_EXPRESSION, NAME_EXPRESSION
from graphls.languages.extract.syntax_errors import confined
from graphls.languages.extract.tables import generated, mark_exports, measure, packed_tables, sort_occurrences
from graphls.languages.extract.yielding import yield_now
from graphls.languages.incremental.fragments import (
    BASES,
    CONSTRUCTS,
    CREATING,
    DECORATORS,
    DEFINED,
    DEFINITIONS,
    DISPATCHES,
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
    FileLayout,
    Fragment,
    FragmentCache,
    FragmentChange,
    FragmentPlacement,
    FragmentSpan,
    Key,
    Kinds,
    columns_of,
    lists_of_names,
)
from graphls.languages.incremental.packed_numbers import add_where, numbers
from graphls.languages.incremental.text_difference import common_prefix, common_suffix, is_same_outside

_WIDTH: Final = 4
_TURN: Final = 0xFFF
"""Rows between turns of other threads, less one."""
_BLANK: Final = b" \t"
_ONE: Final = pack_column([1]).tobytes()


class RemapConflictError(ValueError):
    """Something outside the piece rests on what the piece no longer says."""


@final
class EditedFragment:
    """The piece that an edit is in."""

    def __init__(self, span: FragmentSpan, at: int, data: bytes, node: Node, root: Node) -> None:
        self.span = span
        self.at = at
        """Which of the spots it is."""
        self.node = node
        """The tree of what it is now."""
        self.end: int = node.end_byte
        """Where it ends now; it begins where it did."""
        self.root = root
        self.nodes = root.descendant_count
        self.data = data
        """The new text."""
        self.growth: int = 0
        self.first_offset: int = 0
        """How far offsets move, and from where on."""
        self.outer_types: tuple[list[int], int] = ([], -1)
        """Definitions of the piece, by number, whose type is an expression before it, and which one."""


def edited_fragment(layout: FileLayout, data: bytes, root: Node) -> EditedFragment | None:
    """The one piece that two texts differ in, or behind which they differ in blanks."""
    old, growth = layout.data, len(data) - len(layout.data)
    begin = common_prefix(old, data)
    end = len(old) - common_suffix(old, data, min(len(old), len(data)) - begin)
    at = _span_before(layout.spans, begin)
    if at < 0:
        return None
    span = layout.spans[at]
    if begin <= span.start:
        return None
    blank = False
    if begin >= span.end:
        # Compiled, a slice that ends before it begins is an error.
        changed = old[span.end : end] + data[span.end : end + growth]
        blank = not changed.strip(_BLANK) and span.end < len(old)
    if end > span.end and not blank:
        return None
    close = span.end if blank else span.end + growth
    node = root.descendant_for_byte_range(span.start, close)
    if node is None or node.kind_id != span.kind or node.start_byte != span.start or node.end_byte != close:
        # A blank at the very end of a function may belong to no statement.
        return None
    if root.descendant_count - node.descendant_count != layout.nodes - span.nodes:
        return None
    if data[close - 1 : close] in (b"\r", b"\n") or old[span.end - 1 : span.end] in (b"\r", b"\n"):
        return None
    elsewhere = _other_broken_spans(layout.spans, at, growth)
    if elsewhere and not root.has_error:
        return None
    if root.has_error and (blank or not confined(node, elsewhere)):
        return None
    found = EditedFragment(span, at, data, node, root)
    found.growth, found.first_offset = growth, span.end + 1 if blank else span.end
    return found


def _other_broken_spans(spans: list[FragmentSpan], at: int, growth: int) -> dict[tuple[int, int], tuple[int, int]]:
    """Where the other pieces begin and end now that were broken when they were read, with kind and number of nodes."""
    made: dict[tuple[int, int], tuple[int, int]] = {}
    for number, span in enumerate(spans):
        if span.broken and number != at:
            moved = growth if number > at else 0
            made[span.start + moved, span.end + moved] = span.kind, span.nodes
    return made


def is_same_around(layout: FileLayout, edit: EditedFragment) -> bool:
    """Whether all that is outside of the piece is parsed as it was. An error has a say in how ambiguous code far from
    it is read, with as many nodes and without an error there."""
    old, new = layout.root, edit.root
    if not old.has_error and not new.has_error:
        return True
    return is_same_outside(old, new, (edit.span.start, edit.span.end, edit.growth), layout.shapes)


def _span_before(spans: list[FragmentSpan], offset: int) -> int:
    """The last spot that begins at or before an offset, -1 where none does."""
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle].start <= offset:
            low = middle + 1
        else:
            high = middle
    return low - 1


@final
class RowRemapping:
    """How what is outside a piece moves. `None`: it stays."""

    def __init__(self, first_offset: int, growth: int) -> None:
        self.first_offset = first_offset
        self.growth = growth
        self.strings: list[int] | None = None
        self.rows: list[int] | None = None
        self.scopes: list[int] | None = None
        self.definitions: list[int] | None = None
        self.lists: list[int] | None = None

    @property
    def offsets_only(self) -> bool:
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

    def remapped(self, what: int, value: int) -> int:
        """What a value is now."""
        if what == PLAIN or value < 0:
            return value
        if what == OFFSET:
            return value + self.growth if value >= self.first_offset else value
        now = self.table(what)
        if now is None:
            return value
        made = now[value]
        if made == -2:
            raise RemapConflictError
        return made

    def column(self, what: int, raw: bytes) -> bytes:
        """What a column is now."""
        yield_now()
        if what == PLAIN or not raw:
            return raw
        if what == OFFSET:
            least, growth = self.first_offset, self.growth
            if growth == 0:
                return raw
            return pack_column([value + growth if value >= least else value for value in numbers(raw)]).tobytes()
        now = self.table(what)
        if now is None:
            return raw
        values = [now[value] for value in numbers(raw)]
        if -2 in values:
            raise RemapConflictError
        return pack_column(values).tobytes()


def _shift(count: int, first: int, end: int, growth: int) -> list[int] | None:
    """Where rows are now that stand outside a stretch of rows which has grown."""
    if growth == 0:
        return None
    return [*range(first), *[-2] * (end - first), *range(end + growth, count + growth), -1]


@final
class FactsPatch:
    """The tables of the new text while they are put together."""

    def __init__(
        self, layout: FileLayout, facts: FileFacts, edit: EditedFragment, fragments: tuple[Fragment, Fragment]
    ) -> None:
        """`pieces`: the one before, and the one that stands in its place."""
        span = edit.span
        self.layout, self.edit, self.facts = layout, edit, facts
        self.before, self.fragment = fragments
        self.remapping = RowRemapping(edit.first_offset, edit.growth)
        self.first, self.after = span.first, span.after
        starts = facts.definitions.start
        self.definitions = _between(starts, span.start, span.end)
        self.uses = _between(facts.occurrences.start, span.start, span.end)
        self.made = FactsBuilder(b"")
        self.strings: list[str] = []
        self.reclaimed_strings: list[int] = []
        """Strings that the text behind was first to say and the piece now is."""
        self.more_strings: int = 0
        """How many more the piece is first to say."""
        self.texts: dict[str, int] = layout.texts
        self.positions: bytes = b""
        self.placement = self._place()
        yield_now()
        self.growths = self._growths()
        self._find_remapping()

    def _place(self) -> FragmentPlacement:
        """The rows of the piece, numbered as in the new text."""
        layout, facts, first, made = self.layout, self.facts, self.first, self.made
        row = first[X_EXPRESSIONS]
        made.literal_rows = {key: at for key, at in layout.literal_rows.items() if at < row}
        made.modules = {key: at for key, at in layout.modules.items() if at < row}
        made.nothing = layout.nothing if layout.nothing < row else -1
        scope = self.edit.span.scope
        strings = [*self._new_strings(), -1]
        around = (
            self.edit.span.start,
            scope,
            facts.scopes.owner[scope],
            first[X_SCOPES],
            self.definitions[0],
            row * EXPRESSION,
            first[X_LISTS],
            first[X_ITEMS],
        )
        placement = FragmentPlacement(self.fragment, made, around, strings)
        placement.append(made)
        typed, type_ = self.edit.outer_types
        for at in typed:
            made.definitions[at][D_TYPE] = type_
        return placement

    def _new_strings(self) -> list[int]:
        """The numbers of the strings that the piece says; those that it is first to say come behind those before it."""
        layout, first, end = self.layout, self.first[X_STRINGS], self.after[X_STRINGS]
        old, known = self.facts.strings, layout.texts
        numbers: list[int] = []
        new: list[str] = []
        fresh: dict[str, int] = {}
        for text in self.fragment.tables.strings:
            number = known.get(text, end)
            if number >= first:
                number = fresh.get(text, -1)
                if number < 0:
                    number = fresh[text] = first + len(new)
                    new.append(text)
            numbers.append(number)
        yield_now()
        if new == list(old[first:end]):
            self.strings = list(old)
            return numbers
        for text in old[first:end]:
            # A string without a row may be one that the text behind implies, too.
            if text in layout.implied and text not in fresh:
                raise RemapConflictError
        made = list(old[:first]) + new
        now: list[int] = [*range(first), *[fresh.get(text, -2) for text in old[first:end]]]
        for before, text in enumerate(old[end:], end):
            if before & _TURN == 0:
                yield_now()
            number = fresh.get(text, -1)
            if number < 0:
                number = len(made)
                made.append(text)
            else:
                self.reclaimed_strings.append(before)
            now.append(number)
        self.more_strings = len(new) - (end - first)
        now.append(-1)
        self.strings, self.remapping.strings = made, now
        self.texts = {text: number for number, text in enumerate(made)}
        return numbers

    def _growths(self) -> list[int]:
        """By how many rows each table of `extents` grows."""
        made = self.made
        counts = [
            len(made.scopes), len(made.expressions) // EXPRESSION, len(made.lists), len(made.items),
            len(made.decorators), len(made.bases), len(made.returns), len(made.imports), len(made.regions),
            len(made.narrowings), len(made.dispatches), len(made.metrics), len(made.literals),
            len(made.constructs),
        ]  # fmt: skip
        grown = [now - (after - first) for now, first, after in zip(counts, self.first, self.after, strict=False)]
        return [*grown, self.more_strings]

    def _find_remapping(self) -> None:
        facts, remapping, first, after, growths = self.facts, self.remapping, self.first, self.after, self.growths
        start, end = self.definitions
        grown = len(self.made.definitions) - (end - start)
        remapping.definitions = _shift(len(facts.definitions), start, end, grown)
        yield_now()
        remapping.scopes = _shift(len(facts.scopes), first[X_SCOPES], after[X_SCOPES], growths[X_SCOPES])
        remapping.lists = _shift(len(facts.lists), first[X_LISTS], after[X_LISTS], growths[X_LISTS])
        yield_now()
        remapping.rows = self._row_remapping()

    def _row_remapping(self) -> list[int] | None:
        """Expressions, with those that a file has once: they stand where the text first says them."""
        first, after = self.first[X_EXPRESSIONS], self.after[X_EXPRESSIONS]
        growth, layout, made = self.growths[X_EXPRESSIONS], self.layout, self.made
        count = len(self.facts.expressions)
        now: list[int] = [*range(first), *[-2] * (after - first), *range(after + growth, count + growth), -1]
        same = growth == 0
        for (word, text), row in layout.literal_rows.items():
            if row >= first:
                there = made.literal_rows.get((word, self.string(text)), -1)
                same = self._note_shared_row(now, row, there, text < 0 and self._is_said_behind(word, text)) and same
        for (name, how), row in layout.modules.items():
            if row >= first:
                there = made.modules.get((self.string(name), how), -1)
                same = self._note_shared_row(now, row, there) and same
        if layout.nothing >= first:
            same = self._note_shared_row(now, layout.nothing, made.nothing, self._is_said_behind()) and same
        return None if same else now

    def _is_said_behind(self, word: str = "", text: int = -1) -> bool:
        """Whether a piece behind says an expression that a file has once: a literal, or that nothing is known. Of runs
        it is not known what the text behind them says."""
        at = self.edit.at
        behind = [span.fragment.tables for span in self.layout.spans[at + 1 :]] if at >= 0 else []
        return at < 0 or any((word, text) in tables.literal_rows if word else tables.nothing >= 0 for tables in behind)

    def _note_shared_row(self, now: list[int], row: int, there: int, unheld: bool = False) -> bool:
        """Whether an expression stays that a file has once. `unheld`: text behind may say it, and no row holds it."""
        if row >= self.after[X_EXPRESSIONS]:
            # The piece says first what only the text behind it said: a row there would have to go.
            if there >= 0:
                raise RemapConflictError
            return True
        if unheld and there < 0:
            raise RemapConflictError
        now[row] = there if there >= 0 else -2
        return there == row

    def string(self, number: int) -> int:
        return number if number < 0 or self.remapping.strings is None else self.remapping.strings[number]

    # ------------------------------------------------------------ tables

    def table(self, table: Table, kinds: Kinds, columns: list[bytes], rows: tuple[int, int]) -> list[bytes]:
        """The columns of one table, with those of the piece between rows."""
        old, remapping = table.to_columns(), self.remapping
        first, end = rows[0] * _WIDTH, rows[1] * _WIDTH
        made: list[bytes] = []
        for at, raw in enumerate(old):
            what = kinds[at]
            middle = columns[at] if columns else b""
            made.append(remapping.column(what, raw[:first]) + middle + remapping.column(what, raw[end:]))
        return made if made[0] else []

    def occurrences_table(self, columns: list[bytes]) -> list[bytes]:
        """Occurrences: in source order, so those behind the piece all move."""
        old, remapping, growth = self.facts.occurrences.to_columns(), self.remapping, self.edit.growth
        first, end = self.uses[0] * _WIDTH, self.uses[1] * _WIDTH
        made: list[bytes] = []
        for at, raw in enumerate(old):
            what, middle, rest = OCCURRENCES[at], columns[at] if columns else b"", raw[end:]
            if what == OFFSET:
                made.append(raw[:first] + middle + add_where(rest, _ONE * (len(rest) // _WIDTH), growth))
            else:
                made.append(remapping.column(what, raw[:first]) + middle + remapping.column(what, rest))
        return made if made[0] else []

    def expressions_table(self, columns: list[bytes]) -> list[bytes]:
        """Expressions: what a number says depends on the kind of the row."""
        old = self.facts.expressions.to_columns()
        first, end = self.first[X_EXPRESSIONS] * _WIDTH, self.after[X_EXPRESSIONS] * _WIDTH
        positions = self.layout.positions or _positions(old)
        middle = columns or [b""] * EXPRESSION
        here = _positions(middle)
        moved = [add_where(old[3][end:], positions[end:], self.edit.growth)]
        self.positions = positions[:first] + here + positions[end:]
        before, behind = [raw[:first] for raw in old], [*[raw[end:] for raw in old[:3]], moved[0]]
        if not self.remapping.offsets_only:
            before, behind = self._expressions(before), self._expressions(behind)
        made = [a + b + c for a, b, c in zip(before, middle, behind, strict=True)]
        return made if made[0] else []

    def _expressions(self, raw: list[bytes]) -> list[bytes]:
        """Rows outside the piece, whose offsets have moved."""
        remapping = self.remapping
        strings, rows, scopes = remapping.strings, remapping.rows, remapping.scopes
        kinds, first, second, third = [numbers(column) for column in raw]
        for at, kind in enumerate(kinds):
            if at & _TURN == 0:
                yield_now()
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
                what = columns_of(kind, b)
                first[at], second[at] = remapping.remapped(what[0], a), remapping.remapped(what[1], b)
                third[at] = third[at] if what[2] == OFFSET else remapping.remapped(what[2], third[at])
        if -2 in first or -2 in second:
            raise RemapConflictError
        return [raw[0], pack_column(first).tobytes(), pack_column(second).tobytes(), pack_column(third).tobytes()]

    def lists_table(self, columns: list[bytes]) -> list[bytes]:
        """Lists: stretches of items, in order."""
        old, growth = self.facts.lists.to_columns(), self.growths[X_ITEMS]
        first, end = self.first[X_LISTS] * _WIDTH, self.after[X_LISTS] * _WIDTH
        ones = _ONE * ((len(old[0]) - end) // _WIDTH)
        middle = columns or [b"", b""]
        made = [raw[:first] + here + add_where(raw[end:], ones, growth) for raw, here in zip(old, middle, strict=True)]
        return made if made[0] else []

    def items_table(self, columns: list[bytes]) -> list[bytes]:
        """Items of lists: expressions, or the strings of cases."""
        remapping, facts = self.remapping, self.facts
        raw = facts.items.to_columns()[0]
        first, end = self.first[X_ITEMS] * _WIDTH, self.after[X_ITEMS] * _WIDTH
        if remapping.rows is not None or remapping.strings is not None:
            before, after = first // _WIDTH, end // _WIDTH
            kinds = self._kinds_of_items()
            values = numbers(raw)
            yield_now()
            moved = [
                value if before <= at < after else remapping.remapped(kinds[at], value)
                for at, value in enumerate(values)
            ]
            raw = pack_column(moved).tobytes()
        made = raw[:first] + (columns[0] if columns else b"") + raw[end:]
        return [made] if made else []

    def _kinds_of_items(self) -> list[int]:
        facts = self.facts
        kinds, expressions = [ROW] * len(facts.items), facts.expressions
        for row in (*facts.dispatches.cases, *lists_of_names(expressions.kind, expressions.c)):
            if row >= 0:
                for at in range(facts.lists.start[row], facts.lists.end[row]):
                    kinds[at] = STRING
        return kinds

    # ------------------------------------------------------------ what the whole file decides

    def finish(self) -> bool:
        """Source order and exported names, as for a whole file; False where the order of definitions would change."""
        made = self.made
        starts = [row[D_START] for row in made.definitions]
        if starts != sorted(starts):
            return False
        sort_occurrences(made)
        yield_now()
        if self.layout.exported:
            exported = [self.texts[name] for name in self.layout.exported if name in self.texts]
            mark_exports(made, exported, self.definitions[0])
        return True

    def lines(self, data: bytes) -> Column:
        """Offsets of line starts."""
        span, found = self.edit.span, self.edit
        old, close = self.facts.lines, found.end
        first, end = bisect_right(old, span.start), bisect_right(old, span.end)
        inside: list[int] = []
        offset = span.start
        for line in data[span.start : close].splitlines(keepends=True):
            offset += len(line)
            inside.append(offset)
        growth = found.growth
        rest = old[end:].tobytes()
        if inside and data[close - 1 : close] not in (b"\r", b"\n"):
            inside.pop()
        made = old[:first] + pack_column(inside)
        made.frombytes(add_where(rest, _ONE * (len(rest) // _WIDTH), growth))
        return made


def replace_fragment(
    cache: FragmentCache,
    edit: EditedFragment,
    key: Key,
    fragment: Fragment,
    variants: tuple[Fragment, Fragment] | None = None,
) -> FileFacts | None:
    """The facts with one piece instead of another, and the memory brought up to date; None where more may differ.
    `settled`: what the one before and this one say in this file, where that is not what they say alone."""
    layout, data = cache.layout, edit.data
    if layout is None or not is_same_around(layout, edit):
        return None
    try:
        patch = FactsPatch(layout, layout.facts, edit, variants or (edit.span.fragment, fragment))
        made = patched_facts(patch, data)
    except RemapConflictError:
        return None
    if made is None:
        return None
    _commit(cache, layout, patch, made, data)
    cache.replace(edit.span, key, fragment)
    return made


def patched_facts(patch: FactsPatch, data: bytes) -> FileFacts | None:
    """The facts of the new text; None where the order of definitions would change. Raises RemapConflictError."""
    if not patch.finish():
        return None
    lines = patch.lines(data)
    measure(patch.made, lines, patch.definitions[0])
    return _facts(patch, data, lines)


def _facts(patch: FactsPatch, data: bytes, lines: Column) -> FileFacts:
    facts, packed = patch.facts, packed_tables(patch.made)
    first, after = patch.first, patch.after

    def table(old: Table, kinds: Kinds, at: int) -> list[bytes]:
        return patch.table(old, kinds, next(packed), (first[at], after[at]))

    return FileFacts(
        strings=tuple(patch.strings),
        scopes=columns.Scopes.from_valid_columns(table(facts.scopes, SCOPES, X_SCOPES)),
        definitions=columns.Definitions.from_valid_columns(
            patch.table(facts.definitions, DEFINITIONS, next(packed), patch.definitions)
        ),
        occurrences=columns.Occurrences.from_valid_columns(patch.occurrences_table(next(packed))),
        expressions=columns.Expressions.from_valid_columns(patch.expressions_table(next(packed))),
        lists=columns.Lists.from_valid_columns(patch.lists_table(next(packed))),
        items=columns.ListItems.from_valid_columns(patch.items_table(next(packed))),
        decorators=columns.Decorators.from_valid_columns(table(facts.decorators, DECORATORS, 4)),
        bases=columns.Bases.from_valid_columns(table(facts.bases, BASES, 5)),
        returns=columns.Returns.from_valid_columns(table(facts.returns, RETURNS, 6)),
        imports=columns.Imports.from_valid_columns(table(facts.imports, IMPORTS, 7)),
        regions=columns.Regions.from_valid_columns(table(facts.regions, REGIONS, 8)),
        narrowings=columns.Narrowings.from_valid_columns(table(facts.narrowings, NARROWINGS, 9)),
        dispatches=columns.Dispatches.from_valid_columns(table(facts.dispatches, DISPATCHES, 10)),
        metrics=columns.Metrics.from_valid_columns(table(facts.metrics, METRICS, 11)),
        literals=columns.Literals.from_valid_columns(table(facts.literals, LITERALS, 12)),
        constructs=columns.Constructs.from_valid_columns(table(facts.constructs, CONSTRUCTS, 13)),
        problems=facts.problems,
        lines=lines,
        size=len(data),
        ascii=data.isascii(),
        doc=facts.doc,
        generated=generated(data, lines),
    )


def _commit(cache: FragmentCache, layout: FileLayout, patch: FactsPatch, facts: FileFacts, data: bytes) -> None:
    """From now on the new text is the one before."""
    span, edit, remapping, made = patch.edit.span, patch.edit, patch.remapping, patch.made
    after, growths, growth = patch.after, patch.growths, edit.growth
    layout.run = cache.broken_layout = None
    more_nodes = edit.nodes - layout.nodes
    start, end = patch.definitions
    ends = end, start + len(made.definitions)
    layout.change = FragmentChange(patch.facts, patch.before, patch.fragment, start, ends)
    stop = after[X_EXPRESSIONS]
    yield_now()
    for (word, text), row in layout.literal_rows.items():
        if row >= stop:
            made.literal_rows[word, patch.string(text)] = row if remapping.rows is None else remapping.rows[row]
    for (name, how), row in layout.modules.items():
        if row >= stop:
            made.modules[patch.string(name), how] = row if remapping.rows is None else remapping.rows[row]
    if layout.nothing >= stop:
        made.nothing = layout.nothing if remapping.rows is None else remapping.rows[layout.nothing]
    layout.literal_rows, layout.modules, layout.nothing = made.literal_rows, made.modules, made.nothing
    layout.implied |= patch.fragment.tables.implied
    layout.nodes, layout.texts, layout.positions = edit.nodes, patch.texts, patch.positions
    layout.facts = layout.reported_facts = facts
    layout.data, layout.root, layout.shapes = data, edit.root, {}
    span.after = [now + more for now, more in zip(after, growths, strict=True)]
    span.end, span.nodes = edit.node.end_byte, edit.node.descendant_count
    span.broken = edit.node.has_error
    moved = remapping.strings is not None or any(growths)
    for other in layout.spans[edit.at + 1 :]:
        other.start += growth
        other.end += growth
        if moved:
            other.first = [now + more for now, more in zip(other.first, growths, strict=True)]
            other.after = [now + more for now, more in zip(other.after, growths, strict=True)]
            # What the piece says first now, they or those before them said first.
            other.first[X_STRINGS] -= bisect_left(patch.reclaimed_strings, other.first[X_STRINGS] - growths[X_STRINGS])
            other.after[X_STRINGS] -= bisect_left(patch.reclaimed_strings, other.after[X_STRINGS] - growths[X_STRINGS])
            if remapping.scopes is not None:
                other.scope = remapping.scopes[other.scope]
    for statement in layout.statements:
        if statement.end < edit.first_offset:
            continue
        statement.end += growth
        if statement.start >= edit.first_offset:
            statement.start += growth
            statement.first = _grown(patch, statement.first)
        else:
            statement.nodes += more_nodes
            statement.broken = any(
                other.broken for other in layout.spans if statement.start <= other.start < statement.end
            )
        statement.after = _grown(patch, statement.after)


def _grown(patch: FactsPatch, sizes: list[int]) -> list[int]:
    """How many rows there are now at a place behind the piece."""
    made = [now + more for now, more in zip(sizes, patch.growths, strict=True)]
    made[X_STRINGS] -= bisect_left(patch.reclaimed_strings, sizes[X_STRINGS])
    return made


def _positions(raw: list[bytes]) -> bytes:
    """For each expression 1 where its last number is an offset, else 0."""
    found = [
        1 if c >= 0 and (kind in (NAME_EXPRESSION, MEMBER_EXPRESSION) or b == CREATING) else 0
        for kind, b, c in zip(numbers(raw[0]), numbers(raw[2]), numbers(raw[3]), strict=True)
    ]
    return pack_column(found).tobytes()


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
