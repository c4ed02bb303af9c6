"""Reports: SARIF logs of other tools, from the disk.

Owns: which files settings and arguments name, how large they may be.
Must not know: the format, what becomes of results.
Invariant: a log that settings name and that is not there is no problem: tools write it when they run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphls.analysis.sarif.imported import SarifReport
from graphls.settings import Settings
from graphls.sources.read import read_small
from graphls.sources.workspace import OutsideWorkspaceError, Workspace

_LARGEST = 100_000_000


def sarif_reports(workspace: Workspace, settings: Settings, named: Sequence[str] = ()) -> tuple[SarifReport, ...]:
    """Logs that settings name, as far as they are there, and those that a user names, who is told otherwise."""
    return (*_of_settings(workspace, settings), *(_report(workspace, name, name) for name in named))


def _of_settings(workspace: Workspace, settings: Settings) -> Iterator[SarifReport]:
    for name in settings.findings.reports:
        try:
            path = workspace.absolute(workspace.contained(name))
        except (OutsideWorkspaceError, KeyError, ValueError):
            continue
        report = _report(workspace, name, path)
        if report.text is not None:
            yield report


def _report(workspace: Workspace, name: str, path: str) -> SarifReport:
    return SarifReport(name, read_small(path, _LARGEST), workspace.relative)
