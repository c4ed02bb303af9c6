"""Agent snapshot: where a session of an agent stands, in one record.

Owns: the contract `graphls.session.v1`, what blocks, how risk is ranked.
Must not know: protocols, layout, providers of agents.
Invariant: what nobody knows is null; nothing is computed that the workspace did not hold at hand but findings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Literal

import attrs

from graphls.analysis.finding import Finding
from graphls.analysis.findings import FindingSet
from graphls.graph.records import SCHEMA_VERSION
from graphls.graph.snapshot import Snapshot
from graphls.queries.node_views import Presenter
from graphls.queries.status import status
from graphls.session.dated_rows import MOST
from graphls.session.journal import Journal, JournalEntry
from graphls.session.outcomes import Outcomes
from graphls.session.read_ledger import READ_OPERATION
from graphls.session.session_events import EventTotals, SessionEvents, event_totals
from graphls.sources.git_state import git_head
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

KIND: Final = "graphls.session.v1"
_BYTES_A_TOKEN: Final = 4
_HEADS: Final = "refs/heads/"


@attrs.frozen(kw_only=True)
class SessionRepository:
    """What is checked out; null where nobody knows."""

    root: str
    branch: str | None
    head: str | None
    git_detected: bool


@attrs.frozen(kw_only=True)
class SessionIdentity:
    """Whose snapshot it is. `source`: it was named, it is the last of the journal, or there is none."""

    id: str | None
    source: Literal["explicit", "ledger", "fallback"]
    provider: str | None = None
    model: str | None = None


@attrs.frozen(kw_only=True)
class LedgerSummary:
    """What the session did. Tokens are estimated from bytes, four each."""

    events: int
    questions: Mapping[str, int]
    reads: int
    cache_hits: int
    stale_answers: int
    bytes_sent: int
    bytes_removed: int
    tokens_sent: int
    tokens_removed: int
    reported: EventTotals
    """What whoever runs the agent reported of it."""


@attrs.frozen(kw_only=True)
class GraphSummary:
    """What the graph holds. `partial`: files are still to be read, or could not be."""

    freshness: Literal["ready", "partial"]
    files: int
    indexed: int
    skipped: int
    unlinked: int
    partly_read: int
    languages: Mapping[str, int]
    schema_version: str


@attrs.frozen(kw_only=True)
class Blocker:
    """An open finding of the highest priority."""

    id: str
    rule: str
    title: str
    file: str
    line: int | None


@attrs.frozen(kw_only=True)
class SnapshotRisk:
    """`blocked`: something has the highest priority, or was refused; `watch`: what was fixed came back, payloads were
    truncated, or answers were stale."""

    level: Literal["blocked", "watch", "normal"]
    reasons: tuple[str, ...]


@attrs.frozen(kw_only=True)
class AgentSnapshot:
    """Where a session stands."""

    kind: str
    schema_version: int
    generated_at: str
    repository: SessionRepository
    session: SessionIdentity
    findings: Mapping[str, int]
    """Open ones, by priority."""
    outcomes: Mapping[str, int]
    """What became of findings that agents were shown."""
    ledger: LedgerSummary
    graph: GraphSummary
    current_blockers: tuple[Blocker, ...]
    linked_ids: tuple[str, ...]
    """What the last answers were about, newest first."""
    risk: SnapshotRisk
    recommended_checks: tuple[str, ...]


def agent_snapshot(
    workspace: Workspace,
    snapshot: Snapshot,
    answered: FindingSet,
    store: BlobStore | None,
    *,
    session: str = "",
    limit: int = 10,
) -> AgentSnapshot:
    """The snapshot of a session, or of the last one that asked anything."""
    journal, events = Journal(store, workspace), SessionEvents(store, workspace)
    lasts = sorted((*journal.entries(limit=1), *events.entries(limit=1)), key=lambda one: -one.time)
    name = session or (lasts[0].session if lasts else "")
    reported = events.entries(name, limit=MOST) if name else ()
    entries = journal.entries(session=name, limit=MOST) if name else ()
    opens = [one for one in answered.findings if one.status == "open"]
    outcomes = _counts([one.outcome for one in Outcomes(store, workspace).rows()])
    graph = _graph(snapshot)
    blockers = tuple(_blocker(snapshot, one) for one in opens if one.priority == "P1")[:limit]
    ledger = _ledger(entries, event_totals(reported))
    return AgentSnapshot(
        kind=KIND,
        schema_version=1,
        generated_at=datetime.now(UTC).isoformat(timespec="seconds"),
        repository=_repository(workspace),
        session=SessionIdentity(
            id=name or None,
            source="explicit" if session else "ledger" if name else "fallback",
            provider=next((one.provider for one in reported if one.provider), None),
            model=next((one.model for one in reported if one.model), None),
        ),
        findings=_counts([one.priority for one in opens]),
        outcomes=outcomes,
        ledger=ledger,
        graph=graph,
        current_blockers=blockers,
        linked_ids=tuple(dict.fromkeys(one for entry in entries for one in entry.ids))[:limit],
        risk=_risk(blockers, outcomes, ledger),
        recommended_checks=tuple(_checks(blockers, outcomes, graph, detected=git_head(_root(workspace)) is not None)),
    )


def _root(workspace: Workspace) -> str:
    return workspace.folders[0].root


def _repository(workspace: Workspace) -> SessionRepository:
    head = git_head(_root(workspace))
    branch = None if head is None or head.branch is None else head.branch.removeprefix(_HEADS)
    return SessionRepository(
        root=workspace.folders[0].name,
        branch=branch,
        head=None if head is None else head.commit,
        git_detected=head is not None,
    )


def _ledger(entries: Sequence[JournalEntry], reported: EventTotals) -> LedgerSummary:
    reads = [one for one in entries if one.operation == READ_OPERATION]
    sent, removed = sum(one.size.sent for one in entries), sum(one.size.spared for one in entries)
    return LedgerSummary(
        events=len(entries),
        questions=_counts([one.operation for one in entries]),
        reads=len(reads),
        cache_hits=sum(one.size.spared > 0 for one in reads),
        stale_answers=sum(one.stale for one in entries),
        bytes_sent=sent,
        bytes_removed=removed,
        tokens_sent=sent // _BYTES_A_TOKEN,
        tokens_removed=removed // _BYTES_A_TOKEN,
        reported=reported,
    )


def _graph(snapshot: Snapshot) -> GraphSummary:
    found = status(snapshot)
    whole = not (found.pending or found.unlinked_count or found.partly_read_count)
    return GraphSummary(
        freshness="ready" if whole else "partial",
        files=found.files,
        indexed=found.indexed,
        skipped=found.skipped_count,
        unlinked=found.unlinked_count,
        partly_read=found.partly_read_count,
        languages=dict(found.languages),
        schema_version=SCHEMA_VERSION,
    )


def _blocker(snapshot: Snapshot, one: Finding) -> Blocker:
    line = Presenter(snapshot).position(one.at.file, one.at.start).line
    return Blocker(id=one.id, rule=one.rule, title=one.title, file=one.at.file, line=line)


def _risk(blockers: Sequence[Blocker], outcomes: Mapping[str, int], ledger: LedgerSummary) -> SnapshotRisk:
    reasons: list[str] = []
    if outcomes.get("repeated"):
        reasons.append(f"{outcomes['repeated']} findings came back after they were fixed")
    if truncated := ledger.reported.kinds.get("truncation"):
        reasons.append(f"truncated payloads: {truncated}")
    if ledger.stale_answers:
        reasons.append(f"{ledger.stale_answers} answers were of an earlier state")
    blocking = [f"{len(blockers)} open findings are P1"] if blockers else []
    blocking += [f"refused events: {ledger.reported.denials}"] if ledger.reported.denials else []
    if blocking:
        return SnapshotRisk(level="blocked", reasons=(*blocking, *reasons))
    return SnapshotRisk(level="watch" if reasons else "normal", reasons=tuple(reasons))


def _checks(
    blockers: Sequence[Blocker], outcomes: Mapping[str, int], graph: GraphSummary, *, detected: bool
) -> list[str]:
    """Commands that say more, the most pressing first."""
    found = ["graphls findings --least P1"] if blockers else []
    found += ["graphls outcomes --outcome repeated"] if outcomes.get("repeated") else []
    found += ["graphls status"] if graph.freshness == "partial" else []
    return [*found, *(["graphls changed --tests"] if detected else [])]


def _counts(names: Sequence[str]) -> Mapping[str, int]:
    return {name: names.count(name) for name in sorted(set(names))}
