"""Known findings: all that findings rest on besides the graph.

Owns: bringing the baseline, review marks, logs, history and measures together; which rules ask for history.
Must not know: the format of any of them, what becomes of results.
Invariant: what no rule asks for is not read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from graphls.analysis.change_history import ChangeHistory, HistorySource
from graphls.analysis.engine import catalogue
from graphls.analysis.findings import KnownFindings
from graphls.graph.snapshot import Snapshot
from graphls.session.health_report import HealthSources
from graphls.session.ingested_logs import ingested_logs
from graphls.session.measure_rows import measure_source
from graphls.session.reports import coverage_of, file_text, reports_there, sarif_reports
from graphls.session.risk_report import signals_of
from graphls.session.similarity_rows import similarity_source
from graphls.settings import Settings
from graphls.sources.git_state import git_head
from graphls.sources.read import read_small
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

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
        (*sarif_reports(workspace, settings, named), *ingested_logs(store, workspace)),
        history_source(workspace, settings, store),
        similarity_source(settings),
        measure_source(HealthSources(workspace, settings, store)),
    )


def history_source(workspace: Workspace, settings: Settings, store: BlobStore | None) -> HistorySource | None:
    """Where rules read history: None unless a rule that asks for it is on."""
    if not any(catalogue()[code].looks(settings.findings.rules) for code in _WITH_HISTORY):
        return None
    folders = [folder.root for folder in workspace.folders]
    heads = tuple((git_head(root), read_small(os.path.join(root, ".mailmap"))) for root in folders)
    texts = tuple(blake2b(one.text or b"").digest() for one in reports_there(workspace, settings.findings.coverage))

    def read(snapshot: Snapshot) -> ChangeHistory:
        covered = coverage_of(workspace, snapshot, settings)
        functions = None if covered is None else {
            one.place: one.percent for file in covered.files.values() for one in file.functions
        }  # fmt: skip
        return ChangeHistory(signals_of(workspace, snapshot, store), functions)

    return HistorySource((heads, texts), read)
