"""Text difference: how a text and its tree differ from the ones before.

Owns: the parts that two texts share at their ends, whether two trees are alike outside of a stretch.
Must not know: fragments, facts, any particular language.
Invariant: a pure function of two texts or two trees.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from tree_sitter import Node

from graphls.languages.extract.yielding import yield_now

MOST_SPELLED: Final = 10_000
"""Nodes of one that is spelled at once. The parser spells nested nodes by recursion, and ends the process where there
are too many: larger ones are taken part by part."""
_TURN: Final = 0xFF
"""Nodes between turns of other threads, less one."""
_SHORT: Final = 500
"""Bytes of a node that is compared as text."""


def common_prefix(old: bytes, new: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(old: bytes, new: bytes, limit: int) -> int:
    """How many bytes both end with, at most so many."""
    low, high, size, other = 0, limit, len(old), len(new)
    while low < high:
        middle = (low + high + 1) // 2
        if old[size - middle : size - low] == new[other - middle : other - low]:
            low = middle
        else:
            high = middle - 1
    return low


def is_same_outside(old: Node, new: Node, span: tuple[int, int, int], shapes: dict[int, bytes]) -> bool:
    """Whether two nodes that hold a stretch are alike outside of it. `span`: where it began and ended, and by how much
    it has grown; `shapes`: digests of nodes of the old tree, by id, from one call to the next."""
    start, end, growth = span
    pending = [(old, new)]
    while pending:
        yield_now()
        old, new = pending.pop()
        before = [node for node in old.children if node.start_byte < start or node.end_byte > end]
        now = [node for node in new.children if node.start_byte < start or node.end_byte > end + growth]
        if len(before) != len(now):
            return False
        yield_now()
        for step, (one, other) in enumerate(zip(before, now, strict=True)):
            if step & _TURN == 0:
                yield_now()
            if one.start_byte < start < one.end_byte or one.start_byte < end < one.end_byte:
                if one.kind_id != other.kind_id:
                    return False
                pending.append((one, other))
            elif not _is_same(one, other, shapes):
                return False
    return True


def shape(node: Node) -> bytes:
    """A digest of the kinds and fields below a node."""
    digest, pending, steps = blake2b(digest_size=16), [node], 0
    while pending:
        steps += 1
        if steps & _TURN == 0:
            yield_now()
        part = pending.pop()
        if part.descendant_count <= MOST_SPELLED:
            digest.update(str(part).encode())
        else:
            parts = part.children
            digest.update(b"%d %d;" % (part.kind_id, len(parts)))
            pending += reversed(parts)
    return digest.digest()


def _is_same(one: Node, other: Node, shapes: dict[int, bytes]) -> bool:
    """Whether two nodes of the same text are alike. Trees share what neither changes, and both are there: what has one
    id is one node. A node that was made again around such is compared by its parts, as text only where it is short."""
    pending, steps = [(one, other)], 0
    while pending:
        steps += 1
        if steps & _TURN == 0:
            yield_now()
        one, other = pending.pop()
        if one.id == other.id:
            continue
        if one.kind_id != other.kind_id or one.descendant_count != other.descendant_count:
            return False
        parts, others = one.children, other.children
        if one.end_byte - one.start_byte < _SHORT or not parts:
            known = shapes.get(one.id)
            if known is None:
                known = shapes[one.id] = shape(one)
            if known != shape(other):
                return False
        elif len(parts) != len(others):
            return False
        else:
            pending += zip(parts, others, strict=True)
    return True
