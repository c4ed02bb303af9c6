"""Reports: files that stand beside the code: SARIF logs, coverage, the baseline, review marks, from the disk.

Owns: which files settings and arguments name, how large they may be.
Must not know: the format, what becomes of results.
Invariant: a log that settings name and that is not there is no problem: tools write it when they run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphls.analysis.sarif.imported import SarifReport
from graphls.graph.snapshot import Snapshot
from graphls.queries.coverage import WorkspaceCoverage, workspace_coverage
from graphls.queries.coverage_reports import CoverageInput, line_coverage
from graphls.settings import Settings
from graphls.sources.read import read_small
from graphls.sources.workspace import OutsideWorkspaceError, Workspace

_LARGEST = 100_000_000


def file_text(workspace: Workspace, name: str, limit: int = 1_000_000) -> bytes:
    """The file as it is on disk; nothing where no such file, of so many bytes at most, is in the workspace."""
    try:
        path = workspace.absolute(workspace.contained(name))
    except (OutsideWorkspaceError, KeyError, ValueError):
        return b""
    return read_small(path, limit) or b""


def sarif_reports(workspace: Workspace, settings: Settings, named: Sequence[str] = ()) -> tuple[SarifReport, ...]:
    """Logs that settings name, as far as they are there, and those that a user names, who is told otherwise."""
    return (*reports_there(workspace, settings.findings.reports), *(named_log(workspace, name, name) for name in named))


def coverage_of(
    workspace: Workspace, snapshot: Snapshot, settings: Settings, named: Sequence[str] = ()
) -> WorkspaceCoverage | None:
    """What reports of coverage say; None where there is no report. Raises CoverageRefused."""
    inputs = [
        *(
            CoverageInput(one.name, one.text, one.relative)
            for one in reports_there(workspace, settings.findings.coverage)
        ),
        *(CoverageInput(name, read_small(name, _LARGEST), workspace.relative) for name in named),
    ]
    reports = [line_coverage(one, snapshot.shards.keys()) for one in inputs]
    return workspace_coverage(snapshot, reports) if reports else None


def reports_there(workspace: Workspace, names: Sequence[str]) -> Iterator[SarifReport]:
    """Files that settings name, as far as they are there."""
    for name in names:
        try:
            path = workspace.absolute(workspace.contained(name))
        except (OutsideWorkspaceError, KeyError, ValueError):
            continue
        report = named_log(workspace, name, path)
        if report.text is not None:
            yield report


def named_log(workspace: Workspace, name: str, path: str) -> SarifReport:
    """A log as it is on disk, under a name."""
    return SarifReport(name, read_small(path, _LARGEST), workspace.relative)
