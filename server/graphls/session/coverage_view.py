"""Coverage view: how much of files and functions tests ran, as faces show it.

Owns: the records of an answer, which files a question is about.
Must not know: layout, formats of reports.
Invariant: what no report speaks of is absent; percents stand beside the numbers that they come from.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from graphls.analysis.views import is_within
from graphls.graph.snapshot import SymbolRef
from graphls.queries.coverage import CoveredStretch, WorkspaceCoverage
from graphls.queries.node_views import Presenter


@attrs.frozen(kw_only=True)
class CoverageRow:
    """A file or a function: lines that can run, those that tests ran. `line`: of a function's name. `branches`: ways on
    from its lines, those that tests took; null where no report with branches speaks of the file."""

    symbol: str
    kind: str
    file: str
    line: int | None
    lines: int
    covered: int
    percent: float
    branches: int | None
    branches_covered: int | None


@attrs.frozen(kw_only=True)
class CoverageView:
    """Least covered first. `branches`: of all files with a report that counts them, null without one. `outside`: files
    of reports that are no files of the workspace; `outdated`: files that are shorter than a report says, of which
    nothing is said."""

    reports: tuple[str, ...]
    lines: int
    covered: int
    percent: float | None
    branches: int | None
    branches_covered: int | None
    files: tuple[CoverageRow, ...]
    functions: tuple[CoverageRow, ...]
    outside: int
    outdated: tuple[str, ...]


def coverage_view(things: Presenter, found: WorkspaceCoverage, scope: str = "", limit: int = 20) -> CoverageView:
    """Of what is below a scope, or all."""
    inside = {path: one for path, one in found.files.items() if is_within(path, scope)}
    lines, covered = sum(one.file.lines for one in inside.values()), sum(one.file.covered for one in inside.values())
    ways = [one.file for one in inside.values() if one.file.branches is not None]
    functions = [stretch for one in inside.values() for stretch in one.functions]
    return CoverageView(
        reports=found.reports,
        lines=lines,
        covered=covered,
        percent=round(100 * covered / lines, 1) if lines else None,
        branches=sum(one.branches or 0 for one in ways) if ways else None,
        branches_covered=sum(one.branches_covered or 0 for one in ways) if ways else None,
        files=tuple(coverage_row(things, one) for one in _least([one.file for one in inside.values()])[:limit]),
        functions=tuple(coverage_row(things, one) for one in _least(functions)[:limit]),
        outside=found.outside,
        outdated=tuple(path for path in found.outdated if is_within(path, scope)),
    )


def coverage_at(things: Presenter, found: WorkspaceCoverage, place: SymbolRef) -> Iterator[CoverageRow]:
    """Of one symbol: the function itself, or the file of a module."""
    one = found.files.get(place.file)
    for stretch in () if one is None else (one.file, *one.functions):
        if stretch.place == place:
            yield coverage_row(things, stretch)


def coverage_row(things: Presenter, one: CoveredStretch) -> CoverageRow:
    """The record of a stretch."""
    node = things.node(one.place)
    return CoverageRow(
        symbol=node.symbol,
        kind=node.what,
        file=one.place.file,
        line=node.line if one.place.definition >= 0 else None,
        lines=one.lines,
        covered=one.covered,
        percent=one.percent,
        branches=one.branches,
        branches_covered=one.branches_covered,
    )


def _least(found: list[CoveredStretch]) -> list[CoveredStretch]:
    """By lines that no test ran, then by share."""
    return sorted(found, key=lambda one: (one.covered - one.lines, one.percent, one.place.file, one.place.definition))
