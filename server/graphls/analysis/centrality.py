"""Centrality: files that much hangs on, with what each of their points is for.

Owns: the signals, what one counts, the order.
Must not know: where history and health come from, layout.
Invariant: a score is the sum of what its signals say; a signal whose input is absent is absent, never zero.
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from typing import Final

import attrs

from graphls.analysis.git_signals import GitSignals
from graphls.analysis.shared_packages import seen_packages, shared_package
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import BudgetSpentError

_IMPORT, _CHANGE, _HIDDEN, _HEALTH, _FINDING = 4, 2, 8, 2, 3
"""Points: a file that it imports or that imports it; a commit in common; files that change together without an import
that they would need; a point of health's priority; a finding."""
_LEAST_CHANGES: Final = 3
"""Common commits below which nothing is said."""
_SHOWN: Final = 5


@attrs.frozen(kw_only=True)
class CentralitySignal:
    """One kind of reason. `files`: the first of those that it is about."""

    signal: str
    count: float
    points: float
    files: tuple[FilePath, ...] = ()


@attrs.frozen(kw_only=True)
class CentralFile:
    """One file. `degree`: files that it imports and that import it."""

    file: FilePath
    score: float
    degree: int
    signals: tuple[CentralitySignal, ...]


@attrs.frozen(kw_only=True)
class CentralityInput:
    """What the points rest on besides imports. None: nobody knows. `health`: priorities; `findings`: open ones."""

    signals: GitSignals | None
    health: Mapping[FilePath, float]
    findings: Mapping[FilePath, int]


@attrs.frozen(eq=False)
class _PackagesOf:
    """The packages that files share, and those that each of them sees."""

    names: Mapping[FilePath, str]
    seen: Mapping[FilePath, Set[str]]

    def sees(self, one: FilePath, other: FilePath) -> bool:
        """Whether two files need no import of each other."""
        return self.names[other] in self.seen[one] or self.names[one] in self.seen[other]


def central_files(views: Views, given: CentralityInput) -> tuple[CentralFile, ...]:
    """Files that people of the project maintain, tests apart, by score, degree, path; by the imports of those that were
    looked at, where a request may do no more."""
    judged = list[FilePath]()
    with contextlib.suppress(BudgetSpentError):
        judged.extend(views.sources())
    files = frozenset(judged)
    into: defaultdict[FilePath, set[FilePath]] = defaultdict(set)
    out: defaultdict[FilePath, set[FilePath]] = defaultdict(set)
    with contextlib.suppress(BudgetSpentError):
        for path in sorted(files):
            for edge in views.imports_of(path):
                if edge.target in files and edge.target != path:
                    out[path].add(edge.target)
                    into[edge.target].add(path)
    packages = {path: shared_package(views, path) for path in files}
    pairs = ((path, other) for path, others in out.items() for other in others)
    near = _PackagesOf(packages, seen_packages(files, pairs, packages))
    made = [_file(path, into[path], out[path], given, near) for path in sorted(files)]
    return tuple(sorted((one for one in made if one.score), key=lambda one: (-one.score, -one.degree, one.file)))


def _file(
    path: FilePath, into: set[FilePath], out: set[FilePath], given: CentralityInput, near: _PackagesOf
) -> CentralFile:
    rows = [
        *_counted("imported by", into, _IMPORT),
        *_counted("imports", out, _IMPORT),
        *_together(path, into | out, given, near),
    ]
    for signal, value, points in (
        ("health priority", given.health.get(path, 0.0), _HEALTH),
        ("findings", given.findings.get(path, 0), _FINDING),
    ):
        if value:
            rows.append(CentralitySignal(signal=signal, count=value, points=round(points * value, 1)))
    return CentralFile(
        file=path,
        score=round(sum(row.points for row in rows), 1),
        degree=len(into | out),
        signals=tuple(rows),
    )


def _counted(signal: str, files: set[FilePath], points: int) -> Iterator[CentralitySignal]:
    if files:
        shown = tuple(sorted(files)[:_SHOWN])
        yield CentralitySignal(signal=signal, count=len(files), points=points * len(files), files=shown)


def _together(
    path: FilePath, tied: set[FilePath], given: CentralityInput, near: _PackagesOf
) -> Iterator[CentralitySignal]:
    known = None if given.signals is None else given.signals.files.get(path)
    often: Counter[FilePath] = Counter()
    for other in known.changes_often_with(_LEAST_CHANGES) if known is not None else ():
        if FilePath(other.path) in near.names:
            often[FilePath(other.path)] = other.count
    if not often:
        return
    hidden = [other for other in often if other not in tied and not near.sees(path, other)]
    shown = tuple(sorted(often, key=lambda other: (-often[other], other))[:_SHOWN])
    commits = sum(often.values())
    yield CentralitySignal(signal="common commits", count=commits, points=_CHANGE * commits, files=shown)
    if hidden:
        yield CentralitySignal(
            signal="without an import", count=len(hidden), points=_HIDDEN * len(hidden),
            files=tuple(sorted(hidden)[:_SHOWN]),
        )  # fmt: skip
