"""Evaluation: how much of what tasks turned out to need their packs show.

Owns: the measures, their means over tasks, what reading whole files would cost.
Must not know: where tasks come from, layout, clocks.
Invariant: the same snapshot, tasks and budgets give the same numbers, times aside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs

from graphls.context.pack import Item, Pack, PackRequest, pack
from graphls.context.packing import tokens
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot


@attrs.frozen(kw_only=True)
class NeededDeclaration:
    """A declaration that the task turned out to be about. Lines count from 1; `touched` are those that changed."""

    file: FilePath
    name_line: int
    touched: tuple[tuple[int, int], ...] = ()


@attrs.frozen(kw_only=True)
class Case:
    """One task with what it needed."""

    id: str
    text: str
    needed: tuple[NeededDeclaration, ...]


@attrs.frozen(kw_only=True)
class Score:
    """One pack against one task."""

    recall: float
    """Declarations whose name is shown."""
    sites: float
    """Declarations of which a changed line is shown."""
    files: float
    precision: float
    """Items that show something needed."""
    rank: float
    """1 divided by the number of the first such item; 0 when there is none."""
    tokens: int
    whole: int
    """Tokens of the needed files, read whole."""
    seconds: float
    same: bool
    """A second pack was equal."""


@attrs.frozen(kw_only=True)
class Mean:
    """Means over all tasks at one budget; times in milliseconds."""

    budget: int
    tasks: int
    recall: float
    sites: float
    files: float
    precision: float
    mrr: float
    tokens: float
    whole_files: float
    same: bool
    p50_ms: float
    p95_ms: float


def evaluate(
    snapshot: Snapshot,
    cases: Sequence[Case],
    budget: int,
    weights: Mapping[str, float],
    clock: Callable[[], float],
) -> Mean:
    """Packs for every task at one budget, twice each."""
    return _mean(budget, [_score(snapshot, case, PackRequest(task=case.text, budget=budget, weights=weights), clock)
                          for case in cases])  # fmt: skip


def in_graph(snapshot: Snapshot, case: Case) -> bool:
    """Whether the files that the task needed are there at all."""
    return bool(case.needed) and all(needed.file in snapshot.shards for needed in case.needed)


def score_of(snapshot: Snapshot, case: Case, made: Pack) -> Score:
    """How much of what was needed a pack shows."""
    line_ranges = [_lines(item) for item in made.items]
    hits = [
        any(_shows(item, lines, needed) for needed in case.needed)
        for item, lines in zip(made.items, line_ranges, strict=True)
    ]
    pairs = list(zip(made.items, line_ranges, strict=True))
    files = {needed.file for needed in case.needed}
    named = sum(any(_shows(item, lines, needed) for item, lines in pairs) for needed in case.needed)
    printed = sum(any(_prints(item, lines, needed) for item, lines in pairs) for needed in case.needed)
    return Score(
        recall=named / len(case.needed),
        sites=printed / len(case.needed),
        files=len(files & {item.file for item in made.items}) / len(files),
        precision=sum(hits) / len(hits) if hits else 0.0,
        rank=1 / (hits.index(True) + 1) if True in hits else 0.0,
        tokens=made.used,
        whole=sum(tokens((snapshot.text(file) or b"").decode("utf-8", "replace")) for file in files),
        seconds=0.0,
        same=True,
    )


def _score(snapshot: Snapshot, case: Case, request: PackRequest, clock: Callable[[], float]) -> Score:
    began = clock()
    made = pack(snapshot, request)
    seconds = clock() - began
    return attrs.evolve(score_of(snapshot, case, made), seconds=seconds, same=pack(snapshot, request) == made)


def _lines(item: Item) -> range:
    """Lines that an item really prints."""
    return range(item.start_line, item.start_line + item.text.rstrip("\n").count("\n") + 1)


def _shows(item: Item, lines: range, needed: NeededDeclaration) -> bool:
    return item.file == needed.file and needed.name_line in lines


def _prints(item: Item, lines: range, needed: NeededDeclaration) -> bool:
    spans = needed.touched or ((needed.name_line, needed.name_line),)
    return item.file == needed.file and any(first < lines.stop and lines.start <= last for first, last in spans)


def _mean(budget: int, scores: Sequence[Score]) -> Mean:
    count = max(len(scores), 1)
    times = sorted(score.seconds * 1000 for score in scores) or [0.0]
    return Mean(
        budget=budget,
        tasks=len(scores),
        recall=round(sum(score.recall for score in scores) / count, 4),
        sites=round(sum(score.sites for score in scores) / count, 4),
        files=round(sum(score.files for score in scores) / count, 4),
        precision=round(sum(score.precision for score in scores) / count, 4),
        mrr=round(sum(score.rank for score in scores) / count, 4),
        tokens=round(sum(score.tokens for score in scores) / count, 1),
        whole_files=round(sum(score.whole for score in scores) / count, 1),
        same=all(score.same for score in scores),
        p50_ms=round(times[len(times) // 2], 1),
        p95_ms=round(times[min(int(len(times) * 0.95), len(times) - 1)], 1),
    )
