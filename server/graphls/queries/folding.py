"""Folding: stretches of a file that may be collapsed.

Owns: which stretches, their kinds.
Must not know: LSP types, the client's wishes.
Invariant: reads one file's facts; ranges span at least two lines and begin on different lines.
"""

from __future__ import annotations

from typing import Literal

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.rows import CALLABLE, TYPES

FoldKind = Literal["region", "imports"]


@attrs.frozen
class Fold:
    """Lines from 0, both shown ends included."""

    start_line: int
    end_line: int
    kind: FoldKind


def folding(snapshot: Snapshot, path: FilePath) -> tuple[Fold, ...]:
    """What may be collapsed, by line."""
    shard = snapshot.shards.get(path)
    if shard is None or not shard.language:
        return ()
    facts = snapshot.facts(path)
    spans = [*_definitions(facts), *_regions(facts)]
    folds = {start: Fold(start, end, "region") for start, end in sorted(spans) if end > start}
    for start, end in _import_runs(facts):
        folds.setdefault(start, Fold(start, end, "imports"))
    return tuple(folds[start] for start in sorted(folds))


def _definitions(facts: FileFacts) -> list[tuple[int, int]]:
    """From the line of the name, so that decorators and the name stay in sight."""
    rows = facts.definitions
    return [
        (_line(facts, rows.start[row]), _line(facts, rows.full_end[row] - 1))
        for row, kind in enumerate(rows.kind)
        if kind in CALLABLE or kind in TYPES
    ]


def _regions(facts: FileFacts) -> list[tuple[int, int]]:
    """Arms, loops and the like: from the line above the block, which carries its head."""
    rows = facts.regions
    spans: list[tuple[int, int]] = []
    for start, end in zip(rows.start, rows.end, strict=True):
        first, last = _line(facts, start), _line(facts, max(end - 1, start))
        if start > 0 and last > first > 0:
            spans.append((first - 1, last))
    return spans


def _import_runs(facts: FileFacts) -> list[tuple[int, int]]:
    """Imports on neighbouring lines, from the first to the last."""
    runs: list[tuple[int, int]] = []
    rows = facts.imports
    for start, end, definition in zip(rows.start, rows.end, rows.definition, strict=True):
        if definition != NONE:
            start = min(start, facts.definitions.full_start[definition])
            end = max(end, facts.definitions.full_end[definition])
        first, last = _line(facts, start), _line(facts, max(end - 1, start))
        if runs and first <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], max(last, runs[-1][1]))
        else:
            runs.append((first, last))
    return [run for run in runs if run[1] > run[0]]


def _line(facts: FileFacts, offset: int) -> int:
    return facts.line_column(max(offset, 0))[0]
