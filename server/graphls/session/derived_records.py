"""Derived records: what is made from the graph, history and reports, as records that an export takes in.

Owns: the names of what may be written besides the graph, which input each needs.
Must not know: arguments of a face, encoding.
Invariant: what lacks its input is refused by name, never written as nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs

from graphls.analysis.communities import can_find_communities, file_communities
from graphls.analysis.community_records import community_nodes
from graphls.analysis.decision_records import decision_nodes
from graphls.analysis.decisions import decisions
from graphls.analysis.findings import findings
from graphls.analysis.git_signals import GitSignals
from graphls.analysis.records import attached_nodes
from graphls.analysis.views import Views
from graphls.facts.paths import FilePath
from graphls.graph.edge_records import AttachedEdge
from graphls.graph.errors import BadRequest
from graphls.graph.export import AttachedNode, ExportOptions
from graphls.graph.snapshot import Snapshot
from graphls.queries.coverage_records import coverage_nodes
from graphls.queries.dispatch_records import dispatch_nodes
from graphls.queries.near_clones import similar_edges
from graphls.queries.process_records import process_nodes
from graphls.queries.processes import processes
from graphls.session.comparing import NoHistory
from graphls.session.health_report import HealthSources
from graphls.session.history_records import history_edges, history_nodes, hot_files
from graphls.session.known_findings import known_findings
from graphls.session.process_report import communities_by_import
from graphls.session.reported_problems import reported_nodes, with_logs
from graphls.session.reports import coverage_of
from graphls.session.risk_report import changes_of_symbols, signals_of

_HOT_FILES: Final = 50
"""Of so many files at most the commits that touched their symbols are read: one question of version control each."""


@attrs.define
class DerivedRecords:
    """Nodes of their own with their edges, and edges between nodes of the graph, with the file of their source."""

    nodes: list[AttachedNode] = attrs.field(factory=list[AttachedNode])
    ties: list[tuple[FilePath, AttachedEdge]] = attrs.field(factory=list[tuple[FilePath, AttachedEdge]])


def with_derived(
    options: ExportOptions, snapshot: Snapshot, sources: HealthSources, wanted: Sequence[str]
) -> ExportOptions:
    """An export with records of these names. Raises BadRequest, NoHistory, CoverageRefused."""
    unknown = sorted(set(wanted) - DERIVED.keys())
    if unknown:
        raise BadRequest(f"{unknown[0]!r} is nothing that an export may have. Use one of: {', '.join(DERIVED)}.")
    made = DerivedRecords()
    for name in DERIVED:
        if name in wanted:
            DERIVED[name](made, snapshot, sources)
    return attrs.evolve(options, attached=(*options.attached, *made.nodes), ties=(*options.ties, *made.ties))


def _findings(made: DerivedRecords, snapshot: Snapshot, sources: HealthSources) -> None:
    beside = known_findings(sources.workspace, sources.settings, sources.store)
    made.nodes += attached_nodes(snapshot, findings(snapshot, sources.settings, beside).findings)


def _reports(made: DerivedRecords, snapshot: Snapshot, sources: HealthSources) -> None:
    seen = with_logs(snapshot, sources.workspace, sources.settings, sources.store)
    made.nodes += reported_nodes(seen)


def _decisions(made: DerivedRecords, snapshot: Snapshot, sources: HealthSources) -> None:
    made.nodes += decision_nodes(snapshot, decisions(snapshot))


def _clones(made: DerivedRecords, snapshot: Snapshot, sources: HealthSources) -> None:
    made.ties += similar_edges(snapshot, sources.settings.similarity)


def _dispatches(made: DerivedRecords, snapshot: Snapshot, sources: HealthSources) -> None:
    made.nodes += dispatch_nodes(snapshot)


def _history(made: DerivedRecords, snapshot: Snapshot, sources: HealthSources) -> None:
    signals = signals_of(sources.workspace, snapshot, sources.store)
    hot = hot_files(snapshot, signals, _HOT_FILES)
    symbols = {path: changes_of_symbols(sources.workspace, snapshot, path) for path in hot}
    made.nodes += history_nodes(snapshot, signals, symbols)
    made.ties += history_edges(snapshot, signals)


def _coverage(made: DerivedRecords, snapshot: Snapshot, sources: HealthSources) -> None:
    found = coverage_of(sources.workspace, snapshot, sources.settings)
    if found is None:
        raise BadRequest("There is no report of coverage: the setting findings.coverage names none that is there.")
    made.nodes += coverage_nodes(snapshot, found)


def _processes(made: DerivedRecords, snapshot: Snapshot, sources: HealthSources) -> None:
    found = processes(snapshot)
    made.nodes += process_nodes(snapshot, found, communities_by_import(snapshot) if found.processes else None)


def _communities(made: DerivedRecords, snapshot: Snapshot, sources: HealthSources) -> None:
    if not can_find_communities():
        raise BadRequest("Communities need networkx: pip install 'graphls[communities]'.")
    signals: GitSignals | None = None
    with contextlib.suppress(NoHistory):  # the record says that it rests on imports alone
        signals = signals_of(sources.workspace, snapshot, sources.store)
    found = file_communities(Views(snapshot, generated=sources.settings.findings.generated), signals)
    made.nodes += community_nodes(snapshot, found, history=signals is not None)


DERIVED: Final[Mapping[str, Callable[[DerivedRecords, Snapshot, HealthSources], None]]] = {
    "findings": _findings,
    "reports": _reports,
    "decisions": _decisions,
    "clones": _clones,
    "dispatches": _dispatches,
    "history": _history,
    "coverage": _coverage,
    "processes": _processes,
    "communities": _communities,
}
"""What an export may have besides the graph, in the order in which it is made."""
OF_NOW: Final = frozenset(("history", "coverage", "communities"))
"""What is of the state that is checked out, never of another commit."""
