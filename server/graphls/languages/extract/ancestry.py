"""Ancestry: what stands around a node and beside it, for a few steps wherever the node stands.

Owns: parents and siblings of the nodes of one tree.
Must not know: any particular language, what a node means.
Invariant: answers are those of the tree.

A tree knows no way up: each question goes down from the root, through all children in front of the node. What the
grammar understands hangs in balanced trees, but where it finds no sense one node may have a hundred thousand children.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from tree_sitter import Node

_MANY: Final = 1_000
"""Children of a broken node that are searched and not gone through. To go through so many takes some microseconds."""


class Ancestry:
    """That of the nodes of one tree, by its root; without a root whatever the tree itself says."""

    def __init__(self, root: Node | None = None) -> None:
        self._root = root
        self._searched: bool | None = None
        """Whether there is a node whose children are to be searched."""
        self._children: dict[int, tuple[list[Node], list[int]]] = {}
        """Children of such nodes, and where each begins."""

    def parent(self, node: Node) -> Node | None:
        """The node around another, None around the root."""
        root = self._root
        if root is None or not self._has_many():
            return node.parent
        around: Node | None = root if root.id != node.id else None
        while around is not None:
            part = self._part(around, node)
            if part is None or part.id == node.id:
                break
            around = part
        return around

    def before(self, node: Node) -> Node | None:
        """The named node in front of another, of those around which the same one stands."""
        if self._root is None or not self._has_many():
            return node.prev_named_sibling
        return self._beside(node, -1)

    def behind(self, node: Node) -> Node | None:
        """The named node behind another, likewise; none without length, which a tree does not count there."""
        if self._root is None or not self._has_many():
            return node.next_named_sibling
        return self._beside(node, 1)

    def _beside(self, node: Node, step: int) -> Node | None:
        around = self.parent(node)
        if around is None:
            return None
        parts, at = self._placed(around, node)
        at += step
        while 0 <= at < len(parts) and not (parts[at].is_named and (step < 0 or _has_length(parts[at]))):
            at += step
        return parts[at] if 0 <= at < len(parts) else None

    def _has_many(self) -> bool:
        if self._searched is None:
            self._searched = False
            pending = [self._root] if self._root is not None and self._root.has_error else []
            while pending and not self._searched:
                node = pending.pop()
                self._searched = node.is_error and node.child_count > _MANY
                pending += [child for child in node.children if child.has_error]
        return self._searched

    def _part(self, around: Node, node: Node) -> Node | None:
        """The child that is a node, or holds it."""
        if around.child_count <= _MANY:
            return around.child_with_descendant(node)
        parts, at = self._placed(around, node)
        return parts[at] if at < len(parts) else None

    def _placed(self, around: Node, node: Node) -> tuple[list[Node], int]:
        """All children, and which of them a node is, or stands in: beside nodes without length another may begin
        where it does."""
        known = self._children.get(around.id)
        if known is None:
            parts = around.children
            known = parts, [part.start_byte for part in parts]
            if len(parts) > _MANY:
                self._children[around.id] = known
        parts, starts = known
        last = bisect_right(starts, node.start_byte)
        first = last
        while first > 0 and starts[first - 1] == node.start_byte:
            first -= 1
            if parts[first].id == node.id:
                return parts, first
        for at in range(last - 1, max(first - 2, -1), -1):
            if parts[at].end_byte >= node.end_byte:
                return parts, at
        return parts, len(parts)


def _has_length(node: Node) -> bool:
    return node.end_byte > node.start_byte
