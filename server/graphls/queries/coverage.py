"""Coverage: how much of each file and function tests ran.

Owns: which function a line belongs to, reports that are older than the text.
Must not know: formats of reports, the disk.
Invariant: without a report there is no number, and a function without a line in it has none, which is not zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import lasting_row
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.coverage_reports import LineCoverage

_CALLABLES = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))


@attrs.frozen
class CoveredStretch:
    """Lines that can run, and those that did. `place`: a function, or a module for the whole file. `branches`: ways on
    from its lines, and how many of them tests took; None where no report with branches speaks of the file."""

    place: SymbolRef
    lines: int
    covered: int
    branches: int | None = None
    branches_covered: int | None = None

    @property
    def percent(self) -> float:
        """One decimal."""
        return round(100 * self.covered / self.lines, 1)

    @property
    def measures(self) -> Mapping[str, float]:
        """As records have them."""
        found = {"lines": self.lines, "covered": self.covered, "percent": self.percent}
        if self.branches is not None and self.branches_covered is not None:
            found |= {"branches": self.branches, "branches_covered": self.branches_covered}
        return found


@attrs.frozen
class FileCoverage:
    """One file, and the functions in it that have lines of their own: those of functions inside count for these."""

    file: CoveredStretch
    functions: tuple[CoveredStretch, ...]


@attrs.frozen
class WorkspaceCoverage:
    """All that reports say. `outdated`: files that are shorter than a report says, so its lines mean another text."""

    files: Mapping[FilePath, FileCoverage]
    reports: tuple[str, ...]
    outside: int
    """Files of reports that are no files of the workspace."""
    outdated: tuple[FilePath, ...]


def workspace_coverage(snapshot: Snapshot, reports: Sequence[LineCoverage]) -> WorkspaceCoverage:
    """Several reports add up: a line that one of them ran is covered."""
    merged: dict[FilePath, dict[int, int]] = {}
    for report in reports:
        for path, hits in report.files.items():
            lines = merged.setdefault(path, {})
            for line, count in hits.items():
                lines[line] = lines.get(line, 0) + count
    ways = _branches(reports)
    outdated = tuple(path for path in sorted(merged) if max(merged[path], default=0) > _length(snapshot, path))
    told = [path for path in sorted(merged) if merged[path] and path not in outdated]
    files = {path: _of_file(snapshot, path, merged[path], ways.get(path)) for path in told}
    return WorkspaceCoverage(
        files, tuple(one.name for one in reports), sum(len(one.outside) for one in reports), outdated
    )


def _branches(reports: Sequence[LineCoverage]) -> Mapping[FilePath, Mapping[int, tuple[int, int]]]:
    """By line how many ways on there are and how many tests took, of files of which a report with branches speaks.
    Formats name a way differently: reports of one add up, and of several the one with most counts."""
    ways: dict[FilePath, dict[int, dict[str, dict[str, bool]]]] = {}
    for report in reports:
        for path in report.files if report.branches is not None else ():
            lines = ways.setdefault(path, {})
            for line, taken in (report.branches or {}).get(path, {}).items():
                known = lines.setdefault(line, {}).setdefault(report.format, {})
                for way, was in taken.items():
                    known[way] = known.get(way, False) or was
    return {
        path: {
            line: max((len(one), sum(one.values())) for one in by_format.values()) for line, by_format in lines.items()
        }
        for path, lines in ways.items()
    }


def _of_file(
    snapshot: Snapshot, path: FilePath, hits: Mapping[int, int], ways: Mapping[int, tuple[int, int]] | None
) -> FileCoverage:
    whole = CoveredStretch(
        SymbolRef(path, -1),
        len(hits),
        sum(count > 0 for count in hits.values()),
        None if ways is None else sum(every for every, _ in ways.values()),
        None if ways is None else sum(taken for _, taken in ways.values()),
    )
    return FileCoverage(whole, tuple(_functions(snapshot, path, hits, ways)))


def _functions(
    snapshot: Snapshot, path: FilePath, hits: Mapping[int, int], ways: Mapping[int, tuple[int, int]] | None
) -> Iterator[CoveredStretch]:
    if not snapshot.shards[path].language:
        return
    owners = _callables_by_line(snapshot.facts(path))

    def owner(line: int) -> int:
        return owners[line - 1] if line <= len(owners) else NONE

    lines, covered, every, taken = (Counter[int]() for _ in range(4))
    for line, count in hits.items():
        lines[owner(line)] += 1
        covered[owner(line)] += count > 0
    for line, (there, took) in () if ways is None else ways.items():
        every[owner(line)] += there
        taken[owner(line)] += took
    for row in sorted(lines):
        if row >= 0:
            branches = (None, None) if ways is None else (every[row], taken[row])
            yield CoveredStretch(SymbolRef(path, row), lines[row], covered[row], *branches)


def _callables_by_line(facts: FileFacts) -> list[int]:
    """For each line the node of the function that it is code of. Decorators and the first line of a definition run with
    what is around it."""
    table = facts.definitions
    owners = [NONE] * len(facts.lines)
    # Outer ones come first and are overwritten.
    for row in sorted(range(len(table)), key=lambda row: (table.full_start[row], -table.full_end[row])):
        if table.kind[row] in _CALLABLES:
            name = facts.line_column(table.start[row])[0]
            last = facts.line_column(max(table.full_end[row] - 1, table.full_start[row]))[0]
            first = name + 1 if last > name else name
            owners[first : last + 1] = [lasting_row(facts, row)] * (last + 1 - first)
    return owners


def _length(snapshot: Snapshot, path: FilePath) -> int:
    text = snapshot.text(path) or b""
    return text.count(b"\n") + (not text.endswith(b"\n"))
