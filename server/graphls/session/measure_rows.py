"""Measure rows: health and history of files, as facts for the rules of a team.

Owns: when they are measured for rules, the rows.
Must not know: expressions, formulas, layout.
Invariant: nothing is measured unless a rule names these facts; absent history is a refusal, never zeros.
"""

from __future__ import annotations

import os
import re
from hashlib import blake2b
from typing import Final

from graphls.analysis.health import workspace_health
from graphls.analysis.policy.measure_facts import HEALTH, RISK, MeasureRows, MeasureSource
from graphls.analysis.risk import hidden_couplings
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest
from graphls.graph.snapshot import Snapshot
from graphls.queries.coverage_reports import CoverageRefused
from graphls.session.comparing import NoHistory
from graphls.session.health_report import HealthSources, health_input
from graphls.session.reports import coverage_of, file_text
from graphls.session.risk_report import signals_of
from graphls.sources.git_state import git_head
from graphls.sources.read import read_small

_NAMED: Final = re.compile(rf"\b(?:{HEALTH}|{RISK})\b")


def measure_source(sources: HealthSources) -> MeasureSource | None:
    """Where rules read health and history: None unless one names them."""
    settings = sources.settings
    if not any(rule.scope == "file" and _NAMED.search(rule.when) for rule in settings.policy.rules):
        return None
    folders = [folder.root for folder in sources.workspace.folders]
    heads = tuple((git_head(root), read_small(os.path.join(root, ".mailmap"))) for root in folders)
    reports = (file_text(sources.workspace, name) for name in settings.findings.coverage)
    texts = tuple(blake2b(text).digest() for text in reports)
    state = (heads, texts, settings.health, settings.similarity)
    return MeasureSource(state, lambda snapshot, name: _rows(snapshot, sources, name))


def _rows(snapshot: Snapshot, sources: HealthSources, name: str) -> MeasureRows:
    """Rows by file. Raises GraphError."""
    try:
        return _risk_rows(snapshot, sources) if name == RISK else _health_rows(snapshot, sources)
    except CoverageRefused as refused:
        raise BadRequest(str(refused)) from None


def _health_rows(snapshot: Snapshot, sources: HealthSources) -> MeasureRows:
    try:
        signals = signals_of(sources.workspace, snapshot, sources.store)
    except NoHistory:
        signals = None
    views = Views(snapshot, generated=sources.settings.findings.generated)
    judged = workspace_health(views, health_input(snapshot, sources, signals))
    return {
        one.file: {
            "score": one.health,
            "impact": one.impact,
            "priority": one.priority,
            "markers": tuple(dict.fromkeys(item.marker for item in one.items)),
        }
        for one in judged.files
    }


def _risk_rows(snapshot: Snapshot, sources: HealthSources) -> MeasureRows:
    signals = signals_of(sources.workspace, snapshot, sources.store)
    hidden = hidden_couplings(snapshot, signals)
    covered = coverage_of(sources.workspace, snapshot, sources.settings)
    percents = {} if covered is None else {path: one.file.percent for path, one in covered.files.items()}
    return {
        FilePath(path): {
            "hotspot": one.hotspot,
            "percentile": signals.ranks[path],
            "commits": one.commits,
            "churn": one.churn,
            "authors": len(one.authors),
            "hidden": hidden.get(FilePath(path), 0),
            "covered": float(percents.get(FilePath(path), -1.0)),
        }
        for path, one in signals.files.items()
    }
