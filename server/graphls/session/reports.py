"""Reports: what stands beside the code: SARIF logs, coverage, the baseline, review marks, from the disk.

Owns: which files settings and arguments name, how large they may be.
Must not know: the format, what becomes of results.
Invariant: a log that settings name and that is not there is no problem: tools write it when they run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final

from graphls.analysis.change_history import ChangeHistory, HistorySource
from graphls.analysis.engine import catalogue
from graphls.analysis.findings import KnownFindings
from graphls.analysis.sarif.imported import SarifReport
from graphls.graph.snapshot import Snapshot
from graphls.queries.coverage import WorkspaceCoverage, workspace_coverage
from graphls.queries.coverage_reports import CoverageInput, line_coverage
from graphls.session.kept_logs import kept_logs
from graphls.session.risk_report import signals_of
from graphls.session.similarity_rows import similarity_source
from graphls.settings import Settings
from graphls.sources.git_state import git_head
from graphls.sources.read import read_small
from graphls.sources.workspace import OutsideWorkspaceError, Workspace
from graphls.store.blobs import BlobStore

_LARGEST = 100_000_000
_WITH_HISTORY: Final = ("arch.broad_dispatcher",)
"""Rules that ask for it."""


def known_findings(
    workspace: Workspace,
    settings: Settings,
    store: BlobStore | None,
    named: Sequence[str] = (),
    baseline: bytes | None = None,
) -> KnownFindings:
    """The baseline, review marks and logs of other tools as they are on disk, with logs that are kept. `named`: logs
    that a user names; `baseline`: in the place of the one that settings name."""
    chosen = settings.findings
    return KnownFindings(
        file_text(workspace, chosen.baseline) if baseline is None else baseline,
        file_text(workspace, chosen.reviews),
        (*sarif_reports(workspace, settings, named), *kept_logs(store, workspace)),
        history_source(workspace, settings, store),
        similarity_source(settings),
    )


def history_source(workspace: Workspace, settings: Settings, store: BlobStore | None) -> HistorySource | None:
    """Where rules read history: None unless a rule that asks for it is on."""
    if not any(catalogue()[code].level(settings.findings.rules) != "off" for code in _WITH_HISTORY):
        return None
    folders = [folder.root for folder in workspace.folders]
    heads = tuple((git_head(root), read_small(os.path.join(root, ".mailmap"))) for root in folders)
    texts = tuple(blake2b(one.text or b"").digest() for one in _there(workspace, settings.findings.coverage))

    def read(snapshot: Snapshot) -> ChangeHistory:
        covered = coverage_of(workspace, snapshot, settings)
        functions = None if covered is None else {
            one.place: one.percent for file in covered.files.values() for one in file.functions
        }  # fmt: skip
        return ChangeHistory(signals_of(workspace, snapshot, store), functions)

    return HistorySource((heads, texts), read)


def file_text(workspace: Workspace, name: str) -> bytes:
    """The file as it is on disk; nothing where no such file is in the workspace."""
    try:
        path = workspace.absolute(workspace.contained(name))
    except (OutsideWorkspaceError, KeyError, ValueError):
        return b""
    return read_small(path) or b""


def sarif_reports(workspace: Workspace, settings: Settings, named: Sequence[str] = ()) -> tuple[SarifReport, ...]:
    """Logs that settings name, as far as they are there, and those that a user names, who is told otherwise."""
    return (*_there(workspace, settings.findings.reports), *(named_log(workspace, name, name) for name in named))


def coverage_of(
    workspace: Workspace, snapshot: Snapshot, settings: Settings, named: Sequence[str] = ()
) -> WorkspaceCoverage | None:
    """What reports of coverage say; None where there is no report. Raises CoverageRefused."""
    inputs = [
        *(CoverageInput(one.name, one.text, one.relative) for one in _there(workspace, settings.findings.coverage)),
        *(CoverageInput(name, read_small(name, _LARGEST), workspace.relative) for name in named),
    ]
    reports = [line_coverage(one, snapshot.shards.keys()) for one in inputs]
    return workspace_coverage(snapshot, reports) if reports else None


def _there(workspace: Workspace, names: Sequence[str]) -> Iterator[SarifReport]:
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
