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
    """Lines that can run, and those that did. `place`: a function, or a module for the whole file."""

    place: SymbolRef
    lines: int
    covered: int

    @property
    def percent(self) -> float:
        """One decimal."""
        return round(100 * self.covered / self.lines, 1)


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
    outdated = tuple(path for path in sorted(merged) if max(merged[path], default=0) > _length(snapshot, path))
    files = {
        path: _of_file(snapshot, path, merged[path]) for path in sorted(merged) if merged[path] and path not in outdated
    }
    return WorkspaceCoverage(
        files, tuple(one.name for one in reports), sum(len(one.outside) for one in reports), outdated
    )


def _of_file(snapshot: Snapshot, path: FilePath, hits: Mapping[int, int]) -> FileCoverage:
    whole = CoveredStretch(SymbolRef(path, -1), len(hits), sum(count > 0 for count in hits.values()))
    return FileCoverage(whole, tuple(_functions(snapshot, path, hits)))


def _functions(snapshot: Snapshot, path: FilePath, hits: Mapping[int, int]) -> Iterator[CoveredStretch]:
    if not snapshot.shards[path].language:
        return
    facts = snapshot.facts(path)
    owners = _callables_by_line(facts)
    lines, covered = Counter[int](), Counter[int]()
    for line, count in hits.items():
        row = owners[line - 1] if line <= len(owners) else NONE
        lines[row] += 1
        covered[row] += count > 0
    for row in sorted(lines):
        if row >= 0:
            yield CoveredStretch(SymbolRef(path, row), lines[row], covered[row])


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
