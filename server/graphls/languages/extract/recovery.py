"""Recovery: whether a tree that was made from an earlier one is what a parse from scratch gives.

Owns: which stretches of a broken text decide how it is parsed, and their parse alone.
Must not know: any particular language, who edits.
Invariant: a pure function of a text and its tree; where it is not certain that the tree stands there is no answer.

Near an error a tree may rest on what was there before. What is sound has no part in that, once it is some way off: the
broken statements are parsed alone, of the braces around them only the ends, and have to come out the same.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import Final, TypeAlias, cast

from tree_sitter import Node, TreeCursor

from graphls.languages.extract.grammars import parse, parser
from graphls.languages.incremental.text_difference import MOST_SPELLED

BEHIND: Final = 2_000
"""Bytes of sound code after which no other way to read what is broken is left."""
BEFORE: Final = 500
"""Bytes of sound code that are enough before it in the same braces."""
SHORT: Final = 4_000
"""Bytes of a node that is not worth a division."""

Stretch: TypeAlias = tuple[int, int]
"""Where it begins and ends."""


def deciding_stretches(data: bytes, root: Node, grammar: str, head: int = 0) -> list[Stretch] | None:
    """The stretches of a text that decide how its broken statements are read, in order; None where the tree may not be
    that of a parse from scratch. `head`: so many statements at the beginning belong to every text."""
    if not root.has_error:
        return []
    nodes = root.children
    broken = _broken(nodes)
    if root.is_error or not broken:
        return None
    first, stop = broken[0], broken[-1] + 1
    while stop < len(nodes) and nodes[stop - 1].end_byte < nodes[broken[-1]].end_byte + BEHIND:
        stop += 1
    stretches: list[Stretch] = []
    start = nodes[first].start_byte
    if 0 < head < first:
        stretches.append((0, nodes[head].start_byte))
    elif first <= head:
        head, start = first, 0
    gaps: list[Stretch] = []
    if len(broken) == 1:
        _add_gaps(nodes[first], gaps)
    for gap_start, gap_end in sorted(gaps):
        stretches.append((start, gap_start))
        start = gap_end
    stretches.append((start, nodes[stop - 1].end_byte if stop < len(nodes) else len(data)))
    alone = parse(parser(grammar), b"".join([data[start:end] for start, end in stretches])).root_node
    return stretches if _is_same([*nodes[:head], *nodes[first:stop]], alone.children, stretches) else None


def _broken(nodes: list[Node]) -> list[int]:
    """Which nodes hold an error; none where one is an error, which may reach beyond them."""
    found = [at for at, node in enumerate(nodes) if node.has_error or node.is_missing]
    return [] if any(nodes[at].is_error or nodes[at].is_missing for at in found) else found


def _add_gaps(node: Node, gaps: list[Stretch]) -> None:
    """The stretches in braces around what is broken that have no part in it."""
    while node.end_byte - node.start_byte >= SHORT:
        parts = node.children
        broken = _broken(parts)
        if not broken:
            return
        first, last = broken[0], broken[-1]
        if parts[0].type == "{" and parts[-1].type == "}" and first > 0 and last < len(parts) - 1:
            before, behind = first - 1, last + 1
            enough = parts[first].start_byte - BEFORE
            while before > 1 and (parts[before].end_byte > enough or not parts[before].is_named):
                before -= 1
            while behind < len(parts) - 2 and parts[behind].end_byte < parts[last].end_byte + BEHIND:
                behind += 1
            if before > 1:
                gaps.append((parts[1].start_byte, parts[before].start_byte))
            if behind < len(parts) - 2:
                gaps.append((parts[behind].end_byte, parts[-2].end_byte))
        if len(broken) > 1:
            return
        node = parts[first]


def _is_same(nodes: list[Node], alone: list[Node], stretches: list[Stretch]) -> bool:
    """Whether the nodes of a text that are in stretches of it are those of a text of the stretches alone."""
    if len(nodes) != len(alone):
        return False
    gaps = [(before[1], after[0]) for before, after in pairwise(stretches)]
    bounds = [0, *accumulate(end - start for start, end in stretches[:-1])]
    shifts = [start - bound for (start, _), bound in zip(stretches, bounds, strict=True)]
    return all(_is_same_tree(one, other, gaps, (bounds, shifts)) for one, other in zip(nodes, alone, strict=True))


def _is_same_tree(one: Node, other: Node, gaps: list[Stretch], places: tuple[list[int], list[int]]) -> bool:
    """The same of one node. By cursors: a node keeps the children that it was asked for, and a tree of a million would
    stay in memory as that many objects, and go in one piece."""
    here, there, depth = one.walk(), other.walk(), 0
    while True:
        same = _compared(cast("Node", here.node), cast("Node", there.node), places)
        if same is None:
            entered = _is_entered(here, gaps)
            if entered != _is_entered(there, []):
                return False
            if entered:
                depth += 1
                continue
        elif not same:
            return False
        while depth:
            moved = _is_moved(here, gaps)
            if moved != _is_moved(there, []):
                return False
            if moved:
                break
            here.goto_parent()
            there.goto_parent()
            depth -= 1
        if not depth:
            return True


def _compared(one: Node, other: Node, places: tuple[list[int], list[int]]) -> bool | None:
    """Whether two nodes are the same with all in them; None where what is in them decides."""
    bounds, shifts = places
    start, end = other.start_byte, other.end_byte
    if one.start_byte != start + shifts[bisect_right(bounds, start) - 1]:
        return False
    if one.end_byte != end + shifts[max(1, bisect_left(bounds, end)) - 1]:
        return False
    if one.kind_id != other.kind_id or one.has_error != other.has_error or one.is_missing != other.is_missing:
        return False
    if one.has_error:
        return None
    if one.descendant_count != other.descendant_count:
        return False
    return str(one) == str(other) if one.descendant_count <= MOST_SPELLED else None


def _is_entered(cursor: TreeCursor, gaps: list[Stretch]) -> bool:
    """Whether a cursor is at the first child now that lies in no gap; if not, it stays."""
    if not cursor.goto_first_child():
        return False
    if not _lies_in(cursor, gaps) or _is_moved(cursor, gaps):
        return True
    cursor.goto_parent()
    return False


def _is_moved(cursor: TreeCursor, gaps: list[Stretch]) -> bool:
    """Whether a cursor is at the next sibling now that lies in no gap."""
    while cursor.goto_next_sibling():
        if not _lies_in(cursor, gaps):
            return True
    return False


def _lies_in(cursor: TreeCursor, gaps: list[Stretch]) -> bool:
    if not gaps:
        return False
    node = cast("Node", cursor.node)
    return any(start <= node.start_byte and node.end_byte <= end for start, end in gaps)
