"""Overview report: one page about a workspace, for whoever sees it for the first time.

Owns: which analyses stand on the page, what is missing for it and the command that brings it.
Must not know: layout, formulas.
Invariant: same contents, commit and settings, same page; what is absent is named, never empty without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

import attrs

from graphls.analysis.centrality import CentralFile, CentralityInput, central_files
from graphls.analysis.communities import can_find_communities
from graphls.analysis.findings import findings
from graphls.analysis.git_signals import GitSignals
from graphls.analysis.health import workspace_health
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.graph.errors import BadRequest
from graphls.graph.request_budget import until_spent
from graphls.graph.snapshot import Snapshot
from graphls.queries.coverage_reports import CoverageRefused
from graphls.queries.entry_list import entries_in
from graphls.queries.scope import paths_in
from graphls.queries.summary import Counted, summary
from graphls.session.community_report import CommunityReport, community_report
from graphls.session.comparing import NoHistory
from graphls.session.decision_report import DecisionView, decision_report
from graphls.session.document_report import document_report
from graphls.session.health_report import HealthSources, health_input
from graphls.session.known_findings import known_findings
from graphls.session.process_report import ProcessView, process_report
from graphls.session.risk_report import signals_of

_SHOWN = 10


@attrs.frozen(kw_only=True)
class CentralityReport:
    """Files that much hangs on, most first. `absent`: inputs that are not there, whose points are missing."""

    files: tuple[CentralFile, ...]
    total: int
    head: str | None
    absent: tuple[str, ...]


@attrs.frozen(kw_only=True)
class DocumentLinks:
    """Links of documents to what the graph has, and broken ones."""

    documents: int
    resolved: int
    broken: int


@attrs.frozen(kw_only=True)
class HealthTarget:
    """A file to look at first."""

    file: str
    health: float
    priority: float


@attrs.frozen(kw_only=True)
class SuggestedAction:
    """What brings an input that is missing, or is worth a look next."""

    command: str
    why: str


@attrs.frozen(kw_only=True)
class OverviewReport:
    """One page. `head`: the commit that history ends with, null without one; `communities` null where they cannot be
    found; `processes`: a heuristic."""

    schema: str
    files: int
    languages: tuple[Counted, ...]
    symbols: tuple[Counted, ...]
    entries: tuple[Counted, ...]
    """Routes, tools, commands and jobs that something handles, tests apart, by kind."""
    entry_points: tuple[str, ...]
    public_api: tuple[str, ...]
    central: tuple[CentralFile, ...]
    communities: CommunityReport | None
    processes: tuple[ProcessView, ...]
    decisions: tuple[DecisionView, ...]
    document_links: DocumentLinks
    health: float
    health_targets: tuple[HealthTarget, ...]
    findings: int
    head: str | None
    warnings: tuple[str, ...]
    suggested_actions: tuple[SuggestedAction, ...]


def centrality_report(snapshot: Snapshot, sources: HealthSources, scope: str = "", limit: int = 20) -> CentralityReport:
    """Files of a scope by what hangs on them. Raises BadRequest where there is no such scope."""
    paths = paths_in(snapshot, scope)
    signals, found, _, _ = _central(snapshot, sources, paths)
    return CentralityReport(
        files=found[:limit],
        total=len(found),
        head=signals.history.head if signals is not None else None,
        absent=() if signals is not None else ("history",),
    )


def overview_report(snapshot: Snapshot, sources: HealthSources, scope: str = "") -> OverviewReport:
    """The page, of a folder where a scope is given. Raises BadRequest where there is no such scope."""
    paths = paths_in(snapshot, scope)
    signals, central, health, count = _central(snapshot, sources, paths)
    shape = summary(snapshot, scope)
    documents = document_report(sources.workspace, snapshot, sources.settings, scope)
    communities = community_report(snapshot, sources, 5) if can_find_communities() else None
    _, chains = process_report(snapshot, limit=5)
    return OverviewReport(
        schema="graph_report.v1",
        files=shape.files,
        languages=shape.languages,
        symbols=shape.symbols,
        entries=_entries(snapshot, scope),
        entry_points=shape.entry_points[:_SHOWN],
        public_api=shape.public_api[:_SHOWN],
        central=central[:_SHOWN],
        communities=communities,
        processes=chains.processes,
        decisions=decision_report(snapshot, scope).decisions[:_SHOWN],
        document_links=DocumentLinks(
            documents=documents.documents, resolved=documents.resolved, broken=len(documents.broken)
        ),
        health=health[0],
        health_targets=health[1],
        findings=count,
        head=signals.history.head if signals is not None else None,
        warnings=tuple(_warnings(snapshot, sources, signals, communities)),
        suggested_actions=tuple(_actions(signals, communities, sources, len(documents.broken), count)),
    )


def _entries(snapshot: Snapshot, scope: str) -> tuple[Counted, ...]:
    kinds = Counter(node.kind for node in until_spent(entries_in(snapshot, scope)))
    return tuple(Counted(kind, count) for kind, count in sorted(kinds.items(), key=lambda one: (-one[1], one[0])))


def _central(
    snapshot: Snapshot, sources: HealthSources, paths: Set[FilePath]
) -> tuple[GitSignals | None, tuple[CentralFile, ...], tuple[float, tuple[HealthTarget, ...]], int]:
    """History, central files, health of the whole with what to look at, and how many findings are open."""
    try:
        signals = signals_of(sources.workspace, snapshot, sources.store)
    except NoHistory:
        signals = None
    views = Views(snapshot, generated=sources.settings.findings.generated)
    try:
        given = health_input(snapshot, sources, signals)
    except CoverageRefused as refused:
        raise BadRequest(str(refused)) from None
    judged = workspace_health(views, given)
    listed = findings(
        snapshot, sources.settings, known_findings(sources.workspace, sources.settings, sources.store)
    ).findings
    opens = Counter(one.at.file for one in listed if one.status == "open")
    parts = CentralityInput(signals=signals, health={one.file: one.priority for one in judged.files}, findings=opens)
    central = tuple(one for one in central_files(views, parts) if one.file in paths)
    views.store()
    targets = tuple(
        HealthTarget(file=one.file, health=one.health, priority=one.priority)
        for one in judged.files
        if one.items and one.file in paths
    )
    return signals, central, (judged.health, targets[:_SHOWN]), sum(opens[path] for path in opens if path in paths)


def _warnings(
    snapshot: Snapshot, sources: HealthSources, signals: GitSignals | None, communities: CommunityReport | None
) -> list[str]:
    said = [] if snapshot.shards else ["The index is empty: no file was read."]
    if signals is None:
        said.append("There is no history: churn, owners and common commits are missing.")
    elif signals.history.shallow:
        said.append("The clone is shallow: what earlier commits did is unknown.")
    if communities is None:
        said.append("Communities are missing: networkx is not installed.")
    if not sources.settings.findings.coverage:
        said.append("No report of coverage is named: what tests run is unknown.")
    return said


def _actions(
    signals: GitSignals | None, communities: CommunityReport | None, sources: HealthSources, broken: int, count: int
) -> list[SuggestedAction]:
    wanted = [
        (signals is not None and signals.history.shallow, "git fetch --unshallow", "measures of the whole history"),
        (communities is None, "pip install 'graphls[communities]'", "communities of files"),
        (not sources.settings.findings.coverage, "the setting findings.coverage", "what tests run"),
        (broken > 0, "graphls docs", "links of documents that lead nowhere"),
        (count > 0, "graphls findings", "what the rules found"),
    ]
    return [SuggestedAction(command=command, why=why) for due, command, why in wanted if due]
