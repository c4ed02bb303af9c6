"""Selection: ever larger stretches of code around a position.

Owns: the ladder from a name to the whole file.
Must not know: LSP types, syntax trees.
Invariant: each stretch holds the one before it and is larger; the last is the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.position import name_at
from graphls.queries.rows import CALLABLE, TYPES

Span = tuple[int, int]


def selection(snapshot: Snapshot, path: FilePath, offset: int) -> tuple[Span, ...]:
    """Stretches around an offset, smallest first."""
    shard = snapshot.shards[path]
    if not shard.language:
        return ((0, shard.size),)
    facts = snapshot.facts(path)
    found = name_at(snapshot, path, offset)
    inner = [(found.start, found.end)] if found else []
    around = [span for span in _spans(facts) if span[0] <= offset <= span[1]]
    ladder: list[Span] = inner or [(offset, offset)]
    for start, end in sorted({*around, (0, shard.size)}, key=lambda span: span[1] - span[0]):
        last = ladder[-1]
        if start <= last[0] and end >= last[1] and (start, end) != last:
            ladder.append((start, end))
    return tuple(ladder)


def _spans(facts: FileFacts) -> Iterator[Span]:
    rows = facts.definitions
    for row, kind in enumerate(rows.kind):
        yield rows.full_start[row], rows.full_end[row]
        if kind in CALLABLE or kind in TYPES:
            yield rows.start[row], rows.full_end[row]
    yield from zip(facts.regions.start, facts.regions.end, strict=True)
    yield from zip(facts.decorators.start, facts.decorators.end, strict=True)
    yield from pairwise(facts.lines)
