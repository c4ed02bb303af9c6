"""Blocks: boxes that hang on one other box in the same way stand together in rows and columns, with one line.

Owns: which boxes those are, where they stand in their block.
Must not know: colours, text, where a block stands.
Invariant: boxes of a block have no other line; a picture that can be taken in at once has no blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, sqrt

import attrs

from graphls.graph.drawing.scheme import Box, Line, Scheme

CROWD = 20
LEAST = 4
GAP = 10
INSET = 12
_SHAPE = 1.2


@attrs.frozen
class BoxBlock:
    """Some boxes in columns. `line` stands for all their lines and names the block in the place of a box."""

    id: str
    line: Line
    columns: tuple[tuple[Box, ...], ...]
    widths: tuple[int, ...]
    """Of the columns."""
    own: tuple[int, ...]
    """Of the boxes."""
    height: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        rows = len(self.columns[0])
        across = sum(self.widths) + GAP * (len(self.widths) - 1)
        return across + 2 * INSET, rows * (self.height + GAP) - GAP + 2 * INSET

    def places(self) -> Iterator[tuple[Box, float, float]]:
        """The middle of each box, seen from the middle of the block."""
        width, height = self.size
        left = INSET - width / 2
        own = iter(self.own)
        for column, across in zip(self.columns, self.widths, strict=True):
            for row, box in enumerate(column):
                yield box, left + next(own) / 2, INSET - height / 2 + row * (self.height + GAP) + self.height / 2
            left += across + GAP


def blocks_of(scheme: Scheme, width: Callable[[Box], int], height: int) -> tuple[BoxBlock, ...]:
    """In the order of their first boxes."""
    if scheme.down or len(scheme.boxes) < CROWD:
        return ()
    touching: dict[str, list[Line]] = {}
    for line in scheme.lines:
        for end in {line.source, line.target}:
            touching.setdefault(end, []).append(line)
    groups: dict[Line, list[Box]] = {}
    for box in scheme.boxes:
        lines = touching.get(box.id, [])
        if len(lines) != 1 or box.root or lines[0].source == lines[0].target:
            continue
        end = {"source": ""} if lines[0].source == box.id else {"target": ""}
        groups.setdefault(attrs.evolve(lines[0], **end), []).append(box)
    return tuple(_block(line, boxes, width, height) for line, boxes in groups.items() if len(boxes) >= LEAST)


def _block(line: Line, boxes: list[Box], width: Callable[[Box], int], height: int) -> BoxBlock:
    """As many columns as make it a little wider than high, all of about the same height."""
    widths = [width(box) for box in boxes]
    cell = sum(widths) / len(widths) + GAP
    column_count = max(ceil(sqrt(len(boxes) * cell / (height + GAP) / _SHAPE)), 3)
    rows = ceil(len(boxes) / ceil(len(boxes) / column_count))
    starts = range(0, len(boxes), rows)
    id_ = f"block {boxes[0].id}"
    named = attrs.evolve(line, source=line.source or id_, target=line.target or id_)
    columns = tuple(tuple(boxes[start : start + rows]) for start in starts)
    columns_wide = tuple(max(widths[start : start + rows]) for start in starts)
    return BoxBlock(id_, named, columns, columns_wide, tuple(widths), height)
