"""Health report: the health of files, as faces show it.

Owns: bringing history, coverage, clones and logs of linters together, the records of an answer.
Must not know: layout, formulas, how any of them is read.
Invariant: an input that is not there is named; the whole workspace is judged, a scope only chooses what is shown.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Set
from typing import Final

import attrs

from graphls.analysis.git_signals import GitSignals
from graphls.analysis.health import FileHealth, HealthInput, WorkspaceHealth, measured_files, workspace_health
from graphls.analysis.risk import hidden_couplings
from graphls.analysis.views import Views, is_test
from graphls.facts.paths import FilePath
from graphls.graph.merkle import snapshot_id
from graphls.graph.request_budget import BudgetSpentError, PartOfBudget, spent_reason
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.clone_families import clone_families, clones_elsewhere
from graphls.queries.node_views import Presenter
from graphls.queries.scope import paths_in
from graphls.session.comparing import NoHistory
from graphls.session.health_trend import HealthSnapshot, add_to_trend
from graphls.session.log_history import repeated_rules
from graphls.session.reports import coverage_of
from graphls.session.risk_report import signals_of
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

_PART_OF_CLONES: Final = 0.65
"""Of a request, up to which bodies are compared."""


@attrs.frozen(kw_only=True)
class HealthEvidence:
    """One thing found; `id` names its node. `delta`: what it costs of 100; `rule`: of a linter, "" where none is."""

    marker: str
    severity: str
    id: str
    symbol: str
    line: int | None
    measure: float
    delta: float
    rule: str


@attrs.frozen(kw_only=True)
class FileHealthView:
    """One file. `impact`: the sum of the deltas; `priority`: impact for the effort; `test`: it is about tests, and
    listed after all that is not."""

    file: str
    test: bool
    health: float
    impact: float
    effort: float
    priority: float
    lines: int
    symbols: int
    evidence: tuple[HealthEvidence, ...]


@attrs.frozen(kw_only=True)
class HealthReport:
    """The files to look at first. `health`: the mean of all files; `absent`: inputs that are not there, whose markers
    are missing; `unmeasured`: files of languages whose branches and nesting nobody counts."""

    health: float
    files_judged: int
    head: str | None
    absent: tuple[str, ...]
    unmeasured: int
    files: tuple[FileHealthView, ...]
    total: int
    """Files below the scope that have evidence."""
    trend: tuple[HealthSnapshot, ...] | None = None
    """The whole workspace at the last commits that it was judged at on this machine, oldest first; null where nobody
    asked."""


@attrs.frozen
class HealthSources:
    """What belongs to a workspace besides its snapshot. `reports`: of coverage, that a user names."""

    workspace: Workspace
    settings: Settings
    store: BlobStore | None
    reports: tuple[str, ...] = ()


def health_report(snapshot: Snapshot, sources: HealthSources, scope: str = "", limit: int = 20) -> HealthReport:
    """What makes files of a scope hard to change. Raises CoverageRefused, and BadRequest where there is no scope of
    the name."""
    paths = paths_in(snapshot, scope)
    try:
        signals = signals_of(sources.workspace, snapshot, sources.store)
    except NoHistory:
        signals = None
    views = Views(snapshot, generated=sources.settings.findings.generated)
    for _ in measured_files(views):  # before clones, which a request without time for both goes without
        pass
    given = health_input(snapshot, sources, signals)
    found = workspace_health(views, given)
    views.store()
    head = signals.history.head if signals is not None else ""
    whole = HealthSnapshot(
        head=head,
        snapshot=snapshot_id(snapshot),
        health=found.health,
        files=len(found.files),
        targets=sum(bool(one.items) for one in found.files),
    )
    # Judged with more than settings name, or not to the end, the whole is not comparable with the others.
    if not sources.reports and not spent_reason():
        add_to_trend(sources.store, sources.workspace, whole)
    return _report(snapshot, found, signals.history.head if signals is not None else None, paths, limit)


def health_input(snapshot: Snapshot, sources: HealthSources, signals: GitSignals | None) -> HealthInput:
    """What the health of a workspace rests on; without clones where a request may not go on to look for them. Raises
    CoverageRefused."""
    covered = coverage_of(sources.workspace, snapshot, sources.settings, sources.reports)
    alike = sources.settings.similarity
    clones: Mapping[SymbolRef, int] | None = None
    if alike.enabled and alike.exact_normalized:
        with contextlib.suppress(BudgetSpentError), PartOfBudget(_PART_OF_CLONES):
            clones = clones_elsewhere(clone_families(snapshot, alike))
    return HealthInput(
        signals=signals,
        coverage=None if covered is None else {path: one.file.percent for path, one in covered.files.items()},
        clones=clones,
        hidden={} if signals is None else hidden_couplings(snapshot, signals),
        failures=None if sources.store is None else repeated_rules(sources.store, sources.workspace),
        settings=sources.settings.health,
    )


def _report(
    snapshot: Snapshot, found: WorkspaceHealth, head: str | None, paths: Set[FilePath], limit: int
) -> HealthReport:
    chosen = [one for one in found.files if one.items and one.file in paths]
    things = Presenter(snapshot)
    return HealthReport(
        health=found.health,
        files_judged=len(found.files),
        head=head,
        absent=found.absent,
        unmeasured=found.unmeasured,
        files=tuple(_view(things, one) for one in chosen[:limit]),
        total=len(chosen),
    )


def _view(things: Presenter, one: FileHealth) -> FileHealthView:
    nodes = [(item, things.node(item.place)) for item in one.items]
    return FileHealthView(
        file=one.file,
        test=is_test(one.file),
        health=one.health,
        impact=one.impact,
        effort=one.effort,
        priority=one.priority,
        lines=one.lines,
        symbols=one.symbols,
        evidence=tuple(
            HealthEvidence(marker=item.marker, severity=item.severity, id=node.id, symbol=node.symbol,
                           line=node.line, measure=item.measure, delta=item.delta, rule=item.rule)
            for item, node in nodes
        ),
    )  # fmt: skip
