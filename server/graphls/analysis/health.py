"""Health: what makes files hard to change, each with its evidence and what it counts.

Owns: the markers, their thresholds and weights, scores of files and of the whole.
Must not know: where history, coverage and clones come from, layout.
Invariant: a file's impact is the sum of what its items say; a marker whose input is absent is absent, never zero.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from math import log2
from typing import Final, Literal

import attrs

from graphls.analysis.git_signals import GitSignals
from graphls.analysis.globs import glob_match
from graphls.analysis.views import Views, is_test
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.request_budget import BudgetSpentError, is_spent_to
from graphls.graph.snapshot import SymbolRef
from graphls.settings import HealthSettings

Severity = Literal["medium", "high"]
_LARGE_FILE, _LARGE_FUNCTION, _DEEP, _BRANCHY, _COMPLEX = 400, 60, 4, 5, 10
_BRAIN_LINES, _BRAIN_BRANCHES = 90, 8
_HOT, _HOT_RANK, _AUTHORS, _COVERED = 25.0, 90.0, 3, 50.0
"""A file is hot with this hotspot score, where at most a tenth of the files have more."""
_MOST_CLONES: Final = 5
"""More copies of one body cost no more: a short page that a framework asks for in each of many folders is no worse than
a long file with all else that there is to say of it."""
_CALLABLES: Final = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))
MARKERS: Final[Mapping[str, tuple[Severity, float]]] = {
    "large_file": ("medium", 8),
    "large_function": ("medium", 10),
    "deep_nesting": ("medium", 7),
    "complex_conditional": ("medium", 7),
    "complex_function": ("high", 12),
    "brain_method_candidate": ("high", 16),
    "structural_clone": ("medium", 6),
    "git_hotspot": ("high", 12),
    "ownership_risk": ("medium", 8),
    "hidden_coupling": ("medium", 6),
    "hotspot_without_test_evidence": ("high", 14),
    "repeated_lint_hook_failure": ("high", 4),
}
"""Marker -> how serious it is, what one costs."""


@attrs.frozen(kw_only=True)
class HealthItem:
    """One thing found. `place`: a function, or the file; `measure`: the number that the marker judged; `rule`: of a
    linter, where that is what the marker counts."""

    marker: str
    severity: Severity
    place: SymbolRef
    measure: float
    delta: float
    rule: str = ""


@attrs.frozen(kw_only=True)
class FileHealth:
    """One file. `impact` is the sum of the items' deltas; `health` is 100 less that, at least 0."""

    file: FilePath
    lines: int
    symbols: int
    items: tuple[HealthItem, ...]

    @property
    def impact(self) -> float:
        """What all items cost."""
        return round(sum(item.delta for item in self.items), 1)

    @property
    def health(self) -> float:
        """100 is best."""
        return _left(self.impact)

    @property
    def effort(self) -> float:
        """What a change of the file costs, by its size."""
        return round(max(1.0, log2(self.lines + self.symbols + 2)), 1)

    @property
    def priority(self) -> float:
        """Impact for the effort."""
        return self.priority_of(self.impact)

    def priority_of(self, impact: float) -> float:
        """The same, for who has added up."""
        return round(impact / self.effort, 1)


@attrs.frozen(kw_only=True)
class HealthInput:
    """What health rests on besides the files. None: nobody knows."""

    signals: GitSignals | None
    coverage: Mapping[str, float] | None
    """Percent of the lines that tests ran, of the files that reports speak of."""
    clones: Mapping[SymbolRef, int] | None
    """Functions whose body stands in other files too, with how many."""
    hidden: Mapping[FilePath, int] = attrs.field(factory=dict[FilePath, int])
    """Files that change together with others that no edge ties them to, with how many."""
    failures: Mapping[FilePath, Mapping[str, int]] | None = None
    """Rules of linters that said something new of a file several times that a log was taken in, with how many."""
    settings: HealthSettings = attrs.field(factory=HealthSettings)


@attrs.frozen(kw_only=True)
class WorkspaceHealth:
    """Files by priority, impact, path; those of tests after all others. `absent`: inputs that are not there;
    `unmeasured`: files of languages whose branches and nesting nobody counts."""

    health: float
    files: tuple[FileHealth, ...]
    absent: tuple[str, ...]
    unmeasured: int


@attrs.frozen(eq=False)
class OwnMeasures:
    """What a file's own text says of its health."""

    lines: int
    symbols: int
    measured: bool
    items: tuple[HealthItem, ...]


_OWN: Final = Memo[OwnMeasures]("health of a file", rests_on_links=False)
_STORED: Final = "health"
_PART_OF_MEASURES: Final = 0.5
"""Of a request, up to which files are measured: history, clones and what is shown of it need the rest."""


def measured_files(views: Views) -> Iterator[tuple[FilePath, OwnMeasures]]:
    """What the text of each file says of its health, which is remembered: a request that ends before the last one has a
    part, and the next goes on there."""
    with contextlib.suppress(BudgetSpentError):
        for path in views.sources(tests=True):
            shard = views.snapshot.shards[path]
            if _OWN.get(shard) is None and is_spent_to(_PART_OF_MEASURES):
                return
            yield path, _OWN.once(shard, lambda path=path: _own_measures(views, path))


def measure(views: Views, path: FilePath) -> None:
    """Has what the text of a file says at hand, and for later runs once the views are stored."""
    if views.is_judged(path):
        views.per_file(_STORED, path, _measures)


def workspace_health(views: Views, given: HealthInput) -> WorkspaceHealth:
    """The health of every file that people of the project maintain; of those that were measured, where a request may
    do no more."""
    found: list[FileHealth] = []
    unmeasured = 0
    clones, failures = _by_file(given.clones or {}), given.failures
    for path, own in measured_files(views):
        unmeasured += not own.measured
        lines, symbols = own.lines, own.symbols
        # All files are gone through after each edit, and most have nothing.
        items = list(own.items)
        if path in clones:
            items += _cloned(path, clones[path])
        if given.signals is not None:
            items += _history(path, given)
        if failures is not None and path in failures:
            items += _failed(path, failures[path])
        weighed = tuple(_weighed(path, items, given.settings)) if items else ()
        found.append(FileHealth(file=path, lines=lines, symbols=symbols, items=weighed))
    # Every file is added up once.
    impacts = {one.file: one.impact if one.items else 0.0 for one in found}
    priorities = {one.file: one.priority_of(impacts[one.file]) if one.items else 0.0 for one in found}
    # Long tests with many authors are how tests are; who asks what to mend first means the program.
    ordered = sorted(found, key=lambda one: (is_test(one.file), -priorities[one.file], -impacts[one.file], one.file))
    mean = round(sum(_left(impact) for impact in impacts.values()) / len(found), 1) if found else 100.0
    inputs = (("history", given.signals), ("coverage", given.coverage), ("clones", given.clones),
              ("linter logs", given.failures))  # fmt: skip
    return WorkspaceHealth(
        health=mean,
        files=tuple(ordered),
        absent=tuple(name for name, value in inputs if value is None),
        unmeasured=unmeasured,
    )


def _left(impact: float) -> float:
    return round(max(0.0, 100 - impact), 1)


def _own_measures(views: Views, path: FilePath) -> OwnMeasures:
    lines, symbols, measured, rows = views.per_file(_STORED, path, _measures)
    return OwnMeasures(lines, symbols, measured, tuple(_size(path, lines, rows)))


_Row = tuple[int, int, int, int]
"""Definition, lines, branches, nesting; -1 for what is not measured."""


def _measures(facts: FileFacts) -> tuple[int, int, bool, tuple[_Row, ...]]:
    """Lines, symbols, whether functions have been measured, the functions that are large in some way."""
    table, metrics = facts.definitions, facts.metrics
    known = {row: (metrics.branches[at], metrics.nesting[at]) for at, row in enumerate(metrics.definition)}
    functions = [row for row, kind in enumerate(table.kind) if kind in _CALLABLES and table.body[row] >= 0]
    rows: list[_Row] = []
    for row in functions:
        first, last = facts.line_column(table.full_start[row])[0], facts.line_column(table.full_end[row])[0]
        branches, nesting = known.get(row, (-1, -1))
        lines = last - first + 1
        if lines >= _LARGE_FUNCTION or branches >= _BRANCHY or nesting >= _DEEP:
            rows.append((row, lines, branches, nesting))
    return len(facts.lines), len(table), not functions or bool(known), tuple(rows)


def _size(path: FilePath, lines: int, rows: tuple[_Row, ...]) -> Iterator[HealthItem]:
    if lines >= _LARGE_FILE:
        yield _item("large_file", SymbolRef(path, -1), lines)
    for row, length, branches, nesting in rows:
        place = SymbolRef(path, row)
        if length >= _LARGE_FUNCTION:
            yield _item("large_function", place, length)
        if nesting >= _DEEP:
            yield _item("deep_nesting", place, nesting)
        if branches >= _BRANCHY:
            yield _item("complex_conditional", place, branches)
        if branches + 1 >= _COMPLEX:
            yield _item("complex_function", place, branches + 1)
        if length >= _BRAIN_LINES and branches >= _BRAIN_BRANCHES:
            yield _item("brain_method_candidate", place, length)


def _weighed(path: FilePath, items: Sequence[HealthItem], settings: HealthSettings) -> Iterator[HealthItem]:
    """Items with the weights of settings, without those that count for nothing."""
    if not items or not (settings.weights or settings.overrides):
        yield from items
        return
    weights = dict(settings.weights)
    for one in settings.overrides:
        if glob_match(path, one.glob):
            weights |= one.weights
    for item in items:
        delta = round(item.delta * weights.get(item.marker, 1), 1)
        if delta > 0:
            yield attrs.evolve(item, delta=delta)


def _cloned(path: FilePath, clones: Mapping[int, int]) -> Iterator[HealthItem]:
    for row in sorted(clones):
        yield _item("structural_clone", SymbolRef(path, row), clones[row], times=min(clones[row], _MOST_CLONES))


def _history(path: FilePath, given: HealthInput) -> Iterator[HealthItem]:
    signals = given.signals.files.get(path) if given.signals is not None else None
    if given.signals is None or signals is None:
        return
    place = SymbolRef(path, -1)
    if len(signals.authors) >= _AUTHORS:
        yield _item("ownership_risk", place, len(signals.authors))
    hidden = given.hidden.get(path, 0)
    if hidden:
        yield _item("hidden_coupling", place, hidden, times=hidden)
    if signals.hotspot < _HOT or given.signals.ranks[path] < _HOT_RANK:
        return
    yield _item("git_hotspot", place, signals.hotspot)
    if given.coverage is not None and not is_test(path):
        percent = given.coverage.get(path)
        if percent is not None and percent < _COVERED:
            yield _item("hotspot_without_test_evidence", place, percent)


def _failed(path: FilePath, failures: Mapping[str, int]) -> Iterator[HealthItem]:
    for rule, times in sorted(failures.items()):
        yield attrs.evolve(_item("repeated_lint_hook_failure", SymbolRef(path, -1), times, times=times), rule=rule)


def _by_file(clones: Mapping[SymbolRef, int]) -> Mapping[FilePath, Mapping[int, int]]:
    found: dict[FilePath, dict[int, int]] = {}
    for place, count in clones.items():
        found.setdefault(place.file, {})[place.definition] = count
    return found


def _item(marker: str, place: SymbolRef, measure: float, *, times: int = 1) -> HealthItem:
    severity, delta = MARKERS[marker]
    return HealthItem(marker=marker, severity=severity, place=place, measure=measure, delta=round(delta * times, 1))
