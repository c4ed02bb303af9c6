"""Runs: which statements of a file a text says something else of.

Owns: how far from both ends a text and its tree are those of an earlier one, statement by statement; the facts with
    one run instead of another.
Must not know: any particular language, what statements say.
Invariant: what is outside of a run has the same text and is parsed alike; the tree of a broken text is one from
    scratch.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, final

from tree_sitter import Node

from graphls.languages.extract.facts_builder import U_NAME, U_ROLE, USE, FactsBuilder
from graphls.languages.extract.yielding import yield_now
from graphls.languages.incremental.fragments import (
    FileLayout,
    Fragment,
    FragmentChange,
    FragmentSpan,
    PatchedRun,
    StatementSpan,
)
from graphls.languages.incremental.patching import (
    EditedFragment,
    FactsPatch,
    RemapConflictError,
    is_same_around,
    patched_facts,
)
from graphls.languages.incremental.text_difference import common_prefix, common_suffix

_TURN: Final = 0xFF
"""Statements between turns of other threads, less one."""
LONG_RUN: Final = 20_000
"""Bytes that are never too many to be read again."""


class EditedRun:
    """A run of statements that stand in the place of others."""

    def __init__(self, nodes: list[Node], bounds: tuple[int, int], sizes: tuple[list[int], list[int]]) -> None:
        self.nodes = nodes
        self.start, self.end = bounds
        """In the text before."""
        self.first, self.after = sizes

    def holds(self, words: bytes, layout: FileLayout, data: bytes) -> bool:
        """Whether the run says these words, or did."""
        end = self.end + len(data) - len(layout.data)
        return words in layout.data[self.start : self.end] or words in data[self.start : end]

    def edit(self, layout: FileLayout, data: bytes, root: Node, fragment: Fragment) -> EditedFragment:
        """The same as an edit of a layout."""
        span = FragmentSpan((), fragment, None)
        span.start, span.end = self.start, self.end
        span.first, span.after = self.first, self.after
        made = EditedFragment(span, -1, data, root, root)
        made.growth, made.first_offset = len(data) - len(layout.data), self.end
        made.end = self.end + made.growth
        return made


@final
class StatementKinds:
    """What a language has in a row besides statements that stand alone, by kinds of nodes; -1 where there is none."""

    def __init__(self, comment: int, text: int = -1, *, documents: bool = False, head: int = 1) -> None:
        self.comment = comment
        """Says nothing by itself."""
        self.text = text
        """May say something of the statement before."""
        self.documents = documents
        """A comment says something of the statement behind."""
        self.head = head
        """So many nodes at the beginning have a part in what the file as a whole says."""


def edited_run(layout: FileLayout, data: bytes, root: Node, kinds: StatementKinds) -> EditedRun | None:
    """The statements of a text that are not those of a layout."""
    comment, text = kinds.comment, kinds.text
    spans, nodes, old = layout.statements, root.named_children, layout.data
    growth, count = len(data) - len(old), min(len(layout.statements), len(root.named_children))
    begin = common_prefix(old, data)
    end = len(old) - common_suffix(old, data, min(len(old), len(data)) - begin)
    first = last = 0
    while first < count and spans[first].end < begin and spans[first].is_now(nodes[first], 0):
        first += 1
        if first & _TURN == 0:
            yield_now()
    while last < count - first and _is_behind(spans, nodes, last, end, growth):
        last += 1
        if last & _TURN == 0:
            yield_now()
    while text >= 0 and first > 0 and text in (_kind(spans, first, comment), _kind_of_node(nodes, first, comment)):
        first = _before(spans, first, comment)
    while text >= 0 and last > 0 and _kind(spans, len(spans) - last, comment) == text:
        last -= 1
    if kinds.documents:
        while first > 0 and spans[first - 1].kind == comment:
            first -= 1
        while last > 0 and _ends_in_comment(spans, nodes, first, last, comment):
            last -= 1
    if first < kinds.head or all(span.kind == comment for span in spans[:first]):
        return None  # the first statement may be the documentation of the file
    behind = len(spans) - last
    start, stop = spans[first - 1].end, spans[behind].start if last else len(old)
    changed = max(stop - start, stop - start + growth)
    if stop <= start or old[start - 1 : start] in (b"\r", b"\n") or changed > max(LONG_RUN, len(data) // 4):
        return None
    before = spans[first - 1].after
    return EditedRun(nodes[first : len(nodes) - last], (start, stop), (before, spans[behind - 1].after))


def replace_run(
    layout: FileLayout, edit: EditedFragment, fragment: Fragment
) -> tuple[PatchedRun, dict[str, int]] | None:
    """The facts with one run of statements instead of another, and the number of each string; the layout stays that of
    the text before, so that runs grow from one edit to the next until the text is read whole. None where more may
    differ."""
    if not is_same_around(layout, edit):
        return None
    try:
        patch = FactsPatch(layout, layout.facts, edit, (fragment, fragment))
        made = patched_facts(patch, edit.data)
    except RemapConflictError:
        return None
    if made is None:
        return None
    start = patch.definitions[0]
    run, before = PatchedRun(edit.span, made, (start, start + len(patch.made.definitions))), layout.run
    if before is not None and (before.span.start, before.span.end) == (edit.span.start, edit.span.end):
        ends = before.definitions[1], run.definitions[1]
        run.change = FragmentChange(before.facts, before.span.fragment, fragment, start, ends)
        run.surface, run.symbols, run.surface_facts = before.surface, before.symbols, before.surface_facts
    layout.run = run
    return run, patch.texts


def has_ordered_uses(tables: FactsBuilder) -> bool:
    """Whether uses that begin at one place are in the order in which a whole file has them, sorted or not."""
    flat = tables.occurrences
    starts = flat[::USE]
    if len(set(starts)) == len(starts):
        return True
    order = sorted(range(0, len(flat), USE), key=lambda at: flat[at])
    for one, other in pairwise(order):
        same = flat[one] == flat[other]
        if same and flat[one + 1] == flat[other + 1]:
            same = flat[one + U_NAME] != flat[other + U_NAME] or flat[one + U_ROLE] >= flat[other + U_ROLE]
        elif same:
            same = flat[one + 1] > flat[other + 1]
        if same:
            return False
    return True


def _is_behind(spans: list[StatementSpan], nodes: list[Node], last: int, end: int, growth: int) -> bool:
    span = spans[len(spans) - 1 - last]
    return span.start > end and span.is_now(nodes[len(nodes) - 1 - last], growth)


def _ends_in_comment(spans: list[StatementSpan], nodes: list[Node], first: int, last: int, comment: int) -> bool:
    """Whether a comment is the last of a run, now or before."""
    old, new = len(spans) - last, len(nodes) - last
    return (old > first and spans[old - 1].kind == comment) or (new > first and nodes[new - 1].kind_id == comment)


def _before(spans: list[StatementSpan], first: int, comment: int) -> int:
    """The statement before one, comments left out."""
    first -= 1
    while first > 0 and spans[first].kind == comment:
        first -= 1
    return first


def _kind(spans: list[StatementSpan], at: int, comment: int) -> int:
    return next((span.kind for span in spans[at:] if span.kind != comment), -1)


def _kind_of_node(nodes: list[Node], at: int, comment: int) -> int:
    return next((node.kind_id for node in nodes[at:] if node.kind_id != comment), -1)
