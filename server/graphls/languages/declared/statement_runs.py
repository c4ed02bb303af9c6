"""Statement runs: the facts of a text of which some statements in a row say something else than before.

Owns: the run of statements that an edit is in, at the top of a file or in a type, what of a file a run must leave as it
    is, the record of a file that was read as a whole.
Must not know: any particular language, who edits.
Invariant: the facts are those of the whole text; where that is not certain there are none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import Final, final

from tree_sitter import Node

from graphls.facts.file_facts import FileFacts
from graphls.languages.declared.facts_builder import ERROR_KIND, DeclaredFactsBuilder, RowStatement, StatementRow
from graphls.languages.extract.facts_builder import D_NAME, D_SCOPE
from graphls.languages.extract.grammars import language
from graphls.languages.extract.syntax_errors import syntax_problems, with_problems
from graphls.languages.extract.tables import file_facts, release_tables, sort_definitions
from graphls.languages.incremental.fragments import (
    OUTER_DEFINITIONS,
    OUTER_SCOPES,
    FileLayout,
    Fragment,
    FragmentCache,
)
from graphls.languages.incremental.runs import LONG_RUN, EditedRun, has_ordered_uses, replace_run
from graphls.languages.incremental.text_difference import common_prefix, common_suffix

_OPENING: Final = b"{;"
_MARKS: Final = (b"//", b"/*", b"*", b"#", b"--")
"""What lines of comments begin with."""


@final
class RunKinds:
    """Kinds of nodes of a grammar that do not stand alone, by their numbers."""

    def __init__(self, leading: frozenset[int], excluded: frozenset[int]) -> None:
        self.leading = leading
        """Comments and the like: they say something of the statement behind."""
        self.excluded = excluded
        """Statements that have a part in what others say."""


@cache
def run_kinds(grammar: str, leading: frozenset[str], excluded: frozenset[str]) -> RunKinds:
    """The kinds of a grammar by their names."""
    kinds = language(grammar)
    names = [kinds.node_kind_for_id(number) for number in range(kinds.node_kind_count)]
    names += ["ERROR"] * (len(names) <= ERROR_KIND)
    numbers = [
        frozenset([ERROR_KIND if name == "ERROR" else at for at, name in enumerate(names) if name in some])
        for some in (leading, excluded)
    ]
    return RunKinds(numbers[0], numbers[1])


def finish(builder: DeclaredFactsBuilder, root: Node, doc: str, cache: FragmentCache | None) -> FileFacts:
    """The facts of a file that was read as a whole, and what a later text is compared with. `root`: of the text itself,
    not of one that was mended."""
    if cache is None or builder.rows is None or builder.problems:
        if cache is not None:
            cache.end_reading(None)
        return builder.facts(root, doc)
    sort_definitions(builder)
    facts = file_facts(builder, doc)
    layout = FileLayout(builder, [], facts, root)
    layout.rows, layout.outer_bindings = builder.rows, builder.asks_around
    found = syntax_problems(builder.data, root)
    if found:
        layout.reported_facts = with_problems(facts, builder.texts, found)
    cache.end_reading(layout)
    release_tables(builder)
    return layout.reported_facts


@final
class MendedText:
    """A text that is read by the tree of another of the same length, and where that differs."""

    def __init__(self, root: Node, places: frozenset[int]) -> None:
        self.root = root
        self.places = places

    def is_now(self, run: EditedRun, growth: int, other: MendedText) -> bool:
        """Whether another text differs in the same places, those in a run of the earlier one aside."""
        here = {place for place in self.places if place < run.start}
        here |= {place + growth for place in self.places if place >= run.end}
        return here == {place for place in other.places if place < run.start or place >= run.end + growth}


def patch_run(
    data: bytes, root: Node, cache: FragmentCache, kinds: RunKinds, mended: MendedText | None = None
) -> FileFacts | None:
    """The facts of a text of which a few statements say something else than when it was read last; None where more may.
    `root`: of the text itself, and where it is broken of a tree from scratch. `mended`: what it is read by instead."""
    layout = cache.layout
    rows = layout.rows if layout is not None else None
    if layout is None or not isinstance(rows, StatementRow):
        return None
    run = _RowRun(layout, data, root if mended is None else mended.root, kinds).find(rows)
    if run is None:
        return None
    edited, row, place = run
    before, growth = layout.statement_reader, len(data) - len(layout.data)
    if mended is not None and not (isinstance(before, MendedText) and before.is_now(edited, growth, mended)):
        return None
    tables = place.reader.reader()
    tables.data = data
    if mended is not None:
        tables.mended = mended.places
    for node in edited.nodes:
        row.read(tables, node)
    tables.data = b""
    if tables.problems or tables.asks_around or tables.rests_on_more() or not has_ordered_uses(tables):
        return None
    sort_definitions(tables)
    if layout.outer_bindings and not _binds_alike(tables, layout, edited, place.scope):
        return None
    outer_types = tables.typed_around()
    fragment = Fragment(tables, edited.start)
    edit = edited.edit(layout, data, root if mended is None else mended.root, fragment)
    edit.outer_types = outer_types
    edit.span.scope = place.scope
    made = replace_run(layout, edit, fragment)
    if made is None:
        return None
    patched, texts = made
    if root.has_error:
        patched.reported_facts = with_problems(patched.facts, texts, syntax_problems(data, root))
    return patched.reported_facts


def _binds_alike(tables: DeclaredFactsBuilder, layout: FileLayout, run: EditedRun, scope: int) -> bool:
    """Whether a run binds the names around it that the statements did for which it stands; in the same rows, where rows
    outside keep their numbers and may name them."""
    found = tables.definitions[OUTER_DEFINITIONS:]
    now = [(at, tables.strings[row[D_NAME]]) for at, row in enumerate(found) if row[D_SCOPE] < OUTER_SCOPES]
    table, strings = layout.facts.definitions, layout.facts.strings
    first, end = bisect_left(table.start, run.start), bisect_left(table.start, run.end)
    before = [(row - first, strings[table.name[row]]) for row in range(first, end) if table.scope[row] in (0, scope)]
    if len(found) == end - first:
        return now == before
    return {name for _, name in now} == {name for _, name in before}


@final
class _RowRun:
    """The search for the run that two texts differ in."""

    def __init__(self, layout: FileLayout, data: bytes, root: Node, kinds: RunKinds) -> None:
        self.old = old = layout.data
        self.data, self.root, self.kinds = data, root, kinds
        self.growth = len(data) - len(old)
        self.begin = common_prefix(old, data)
        self.end = len(old) - common_suffix(old, data, min(len(old), len(data)) - self.begin)

    def find(self, row: StatementRow) -> tuple[EditedRun, StatementRow, RowStatement] | None:
        """The run, the row that it is in, and a statement before which a reader stands as before the run. None where
        what differs is no run."""
        nodes: Sequence[Node] = self.root.named_children
        top = True
        while True:
            first, last = self._ends(row.statements, nodes)
            inner: StatementRow | None = None
            if len(row.statements) - last == len(nodes) - last == first + 1:
                inner = self._row_around(row.statements[first], nodes[first])
            holder = self._holder(inner, row.statements[first], nodes[first]) if inner is not None else None
            if inner is None or holder is None:
                return self._run(row, nodes, self._widened(row.statements, nodes, first, last), top)
            row, nodes, top = inner, holder.named_children, False

    def _ends(self, old: list[RowStatement], nodes: Sequence[Node]) -> tuple[int, int]:
        """How many statements are as they were, from both ends."""
        first, last, count = 0, 0, min(len(old), len(nodes))
        while first < count and old[first].span.end < self.begin and old[first].span.is_now(nodes[first], 0):
            first += 1
        while last < count - first:
            span = old[len(old) - 1 - last].span
            if span.start <= self.end or not span.is_now(nodes[len(nodes) - 1 - last], self.growth):
                break
            last += 1
        return first, last

    def _row_around(self, statement: RowStatement, node: Node) -> StatementRow | None:
        """The row in a statement that holds all that differs, where the statement is the same around it."""
        if node.kind_id != statement.span.kind or node.start_byte != statement.span.start:
            return None
        for row in statement.rows:
            if row.start < self.begin and self.end < row.end and row.statements:
                return row
        return None

    def _holder(self, row: StatementRow, statement: RowStatement, whole: Node) -> Node | None:
        """The node that holds a row now, where all of the statement around it is sound and as it was."""
        end = row.end + self.growth
        holder = self.root.descendant_for_byte_range(row.start, end)
        while holder is not None and holder.kind_id != row.kind and holder.start_byte == row.start:
            holder = holder.parent
        if holder is None or holder.kind_id != row.kind or (holder.start_byte, holder.end_byte) != (row.start, end):
            return None
        if whole.descendant_count - holder.descendant_count != statement.span.nodes - row.nodes:
            return None
        if statement.span.broken and not any(one.span.broken for one in row.statements):
            return None
        node = holder
        while node.id != whole.id:
            around = node.parent
            if around is None or around.is_error or around.is_missing:
                return None
            if any(part.has_error and part.id != node.id for part in around.children):
                return None
            node = around
        return holder

    def _widened(self, old: list[RowStatement], nodes: Sequence[Node], first: int, last: int) -> tuple[int, int]:
        """A run with the comments above it, and with what stands below comments of it, or in a line with its end: that
        decides whether a comment stands alone."""
        leading = self.kinds.leading
        while first > 0 and old[first - 1].span.kind in leading:
            first -= 1
        while last > 0:
            before, now = len(old) - last, len(nodes) - last
            if not (
                (before > first and old[before - 1].span.kind in leading)
                or (now > first and nodes[now - 1].kind_id in leading)
                or b"\n" not in self.old[self.end : old[before].span.start]
                or _is_below_comment(self.old, old[before].span.start)
                or _is_below_comment(self.data, nodes[now].start_byte)
            ):
                break
            last -= 1
        return first, last

    def _run(
        self, row: StatementRow, nodes: Sequence[Node], ends: tuple[int, int], top: bool
    ) -> tuple[EditedRun, StatementRow, RowStatement] | None:
        first, last = ends
        old, excluded, leading = row.statements, self.kinds.excluded, self.kinds.leading
        behind, stop = len(old) - last, len(nodes) - last
        if top and all(one.span.kind in leading for one in old[:first]):
            return None  # what comes first may say something of the file
        if any(one.span.kind in excluded or not one.alone for one in old[first:behind]):
            return None
        if any(node.kind_id in excluded for node in nodes[first:stop]):
            return None
        places = old[first:behind] or old[behind : behind + 1] or old[first - 1 : first]
        if not places or any(one.scope != places[0].scope for one in places):
            return None
        place = places[0]
        if place.span.kind in excluded:
            return None
        start, before = (
            (old[first - 1].span.end, old[first - 1].span.after) if first else (row.start + 1, old[0].span.first)
        )
        end, after = (old[behind].span.start, old[behind].span.first) if last else (row.end - 1, old[-1].span.after)
        if top and not last:
            end = len(self.old)
        if not top and not first and self.old[row.start] not in _OPENING:
            return None
        if not top and not last and self.old[row.end - 1 : row.end] != b"}":
            return None
        if end <= start or self.old[start - 1 : start] == b"\r":
            return None
        if max(end - start, end - start + self.growth) > max(LONG_RUN, len(self.data) // 4):
            return None
        return EditedRun(list(nodes[first:stop]), (start, end), (before, after)), row, place


def _is_below_comment(data: bytes, start: int) -> bool:
    """Whether the line above an offset looks like one of a comment."""
    at = data.rfind(b"\n", 0, start)
    line = data[data.rfind(b"\n", 0, max(at, 0)) + 1 : max(at, 0)].strip()
    return line.startswith(_MARKS) or line.endswith(b"*/")
