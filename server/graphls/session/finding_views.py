"""Finding views: findings of the rules as faces for people and agents show them.

Owns: the records of a report; lines and columns counted from 1.
Must not know: layout, JSON, the protocol, any particular rule.
Invariant: titles, pressure and notes are the words of a rule; names and text of source stand in fields of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final

import attrs

from graphls.analysis.baseline import FixedFinding
from graphls.analysis.finding import PRIORITIES, Finding, ReviewMark
from graphls.analysis.findings import FindingSet
from graphls.analysis.records import owner_of
from graphls.queries.node_views import Presenter
from graphls.session.annotations import RecordedNotes

_DECIDED: Final[Mapping[str, str]] = {"accept": "accepted", "reject": "rejected", "defer": "deferred"}


@attrs.frozen(kw_only=True)
class ReportedEvidence:
    """One piece of evidence."""

    file: str
    line: int
    column: int
    note: str


@attrs.frozen(kw_only=True)
class ReportedReview:
    """What somebody decided. `outdated`: the finding or its code changed since, so that it counts no more."""

    verdict: str
    reason: str
    author: str
    outdated: bool


@attrs.frozen(kw_only=True)
class ReportedFinding:
    """One finding. `reason`: why it is not open."""

    id: str
    rule: str
    category: str
    priority: str
    confidence: str
    status: str
    title: str
    pressure: str
    suggestions: tuple[str, ...]
    risks: tuple[str, ...]
    caveats: tuple[str, ...]
    measures: Mapping[str, int | str | tuple[str, ...]]
    evidence_tier: str
    evidence: tuple[ReportedEvidence, ...]
    reason: str
    tool: str
    symbol: str
    """The innermost symbol around the first evidence."""
    review: ReportedReview | None = None
    reasons: tuple[str, ...] = ()
    """Why it may press here more than elsewhere: what history and decisions say of its place. No reason changes the
    priority."""


@attrs.frozen(kw_only=True)
class ReportedFix:
    """A finding of the baseline that is gone. `file`: where it was, null where the baseline does not say."""

    id: str
    rule: str
    title: str
    file: str | None


@attrs.frozen(kw_only=True)
class FindingsReport:
    """Most pressing first. `failed`: rules that could not finish, and why; `files_left_out`: files that tools made or
    others wrote, of which nothing is said."""

    counts: Mapping[str, int]
    findings: tuple[ReportedFinding, ...]
    failed: Mapping[str, str]
    files_left_out: int
    fixed: tuple[ReportedFix, ...] | None = None
    """Null where there is no baseline to compare with."""
    unlinked: Mapping[str, int] = attrs.field(factory=dict[str, int])
    """Results of SARIF logs that name no file of the graph, by log."""
    problems: tuple[str, ...] = ()
    """SARIF logs that were refused."""


def findings_report(
    things: Presenter, answered: FindingSet, chosen: tuple[Finding, ...], known: RecordedNotes | None = None
) -> FindingsReport:
    """What is said of the findings that were chosen from an answer. `known`: what is on record of the code: among
    findings of one priority those in the files that change most come first."""
    counts = {priority: sum(found.priority == priority for found in chosen) for priority in PRIORITIES}
    reasons: Mapping[str, tuple[str, ...]] = {}
    if known is not None:
        reasons = {found.id: priority_reasons(known, found) for found in chosen}
        alike = groupby(chosen, key=lambda found: found.priority)
        chosen = tuple(one for _, found in alike for one in sorted(found, key=lambda one: not reasons[one.id]))
    return FindingsReport(
        counts=counts,
        findings=tuple(attrs.evolve(one, reasons=reasons.get(one.id, ())) for one in report_findings(things, chosen)),
        failed={failure.rule: failure.reason for failure in answered.failures},
        files_left_out=answered.files_left_out,
        fixed=tuple(map(_fix, answered.fixed)) if answered.baseline.given else None,
        unlinked=answered.unlinked,
        problems=answered.problems,
    )


def _fix(gone: FixedFinding) -> ReportedFix:
    return ReportedFix(id=gone.id, rule=gone.rule, title=gone.title, file=gone.file or None)


def report_findings(things: Presenter, chosen: Iterable[Finding]) -> tuple[ReportedFinding, ...]:
    """The records of findings, in the same order."""
    return tuple(_report_finding(things, found) for found in chosen)


def priority_reasons(known: RecordedNotes, found: Finding) -> tuple[str, ...]:
    """What history and decisions say of where a finding is shown, where that is worth a word."""
    place, history = owner_of(known.snapshot, found.at), known.history(found.at.file)
    said = [f"{history.file}: {history.sentence}"] if history is not None and history.is_hot else []
    said += [f"governed by {one.title} ({one.status})" for one in known.governing(place)]
    return tuple(said)


def review_words(found: ReportedFinding) -> str:
    """What was decided, by whom and why; "" where nothing was."""
    mark = found.review
    if mark is None:
        return ""
    what = f"{_DECIDED[mark.verdict]} by {mark.author}" if mark.author else _DECIDED[mark.verdict]
    words = f"{what}: {mark.reason}" if mark.reason else what
    return f"review out of date, {words}" if mark.outdated else words


def _review(mark: ReviewMark | None) -> ReportedReview | None:
    if mark is None:
        return None
    return ReportedReview(verdict=mark.verdict, reason=mark.reason, author=mark.author, outdated=mark.outdated)


def _report_finding(things: Presenter, found: Finding) -> ReportedFinding:
    spots = [(things.position(item.file, item.start), item.note) for item in found.evidence]
    return ReportedFinding(
        id=found.id,
        rule=found.rule,
        category=found.category,
        priority=found.priority,
        confidence=found.confidence,
        status=found.status,
        title=found.title,
        pressure=found.pressure,
        suggestions=found.suggestions,
        risks=found.risks,
        caveats=found.caveats,
        measures=found.measures,
        evidence_tier=found.evidence_tier,
        evidence=tuple(
            ReportedEvidence(file=spot.file, line=spot.line, column=spot.column, note=note) for spot, note in spots
        ),
        reason=found.reason,
        tool=found.tool,
        symbol=things.symbol(owner_of(things.snapshot, found.at)),
        review=_review(found.review),
    )
