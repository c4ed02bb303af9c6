"""Review: all that the graph and history say of one change.

Owns: which questions are asked of a change, the records of the answer.
Must not know: layout, arguments, the protocol.
Invariant: every part is what its own question answers; what has no input is null with the reason, never empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress

import attrs

from graphls.analysis.baseline import Baseline, FixedFinding
from graphls.analysis.decisions import decisions
from graphls.analysis.finding import Finding, FindingId
from graphls.analysis.findings import FindingSet, findings
from graphls.analysis.records import owner_of
from graphls.facts.paths import FilePath
from graphls.graph.errors import GraphError
from graphls.graph.nodes import is_test_file
from graphls.graph.request_budget import BudgetSpentError, within
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.answer import Coverage
from graphls.queries.changed import ChangedImpact, ChangesQuery, FileDiff, changed_impact
from graphls.queries.changed_view import TouchedFile, changes_view
from graphls.queries.clone_families import clone_families
from graphls.queries.impact_view import Reached, reached_views
from graphls.queries.node_views import NodeView, Presenter
from graphls.queries.runner_ids import find_tests
from graphls.queries.symbol_deltas import SymbolDelta, symbol_deltas
from graphls.queries.tests_to_run import SelectedTest, select_tests_of_edits
from graphls.session.before import before_edits
from graphls.session.change_findings import change_findings
from graphls.session.comparing import Changes, edits
from graphls.session.decision_report import DecisionView, decision_views
from graphls.session.finding_views import ReportedFinding, ReportedFix, report_findings
from graphls.session.known_findings import known_findings
from graphls.session.risk_report import RiskReport, risk_report, signals_of
from graphls.session.selected_tests import recorded_runs
from graphls.settings import Settings, SimilaritySettings
from graphls.sources.limits import SourceLimits
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore


@attrs.frozen
class ReviewSubject:
    """What is reviewed. `base`: a commit, "" for what the work tree changes. `within`: seconds of work; in half of them
    the search for what the change may break ends with what it has, in the other half comparing findings; 0: both go on
    to their end."""

    workspace: Workspace
    snapshot: Snapshot
    settings: Settings
    store: BlobStore | None
    base: str = ""
    depth: int = 3
    limit: int = 50
    with_findings: bool = True
    within: float = 0.0


@attrs.frozen(kw_only=True)
class DeltaView:
    """One symbol. `drift`: `removed`, `hidden` or `signature`, where other code can see the change."""

    file: str
    line: int
    symbol: str
    kind: str
    action: str
    lines_before: int | None
    lines_after: int | None
    delta: int
    drift: str
    signature_before: str | None
    signature_after: str | None


@attrs.frozen(kw_only=True)
class ReachView:
    """How many nodes a change may reach at each distance. `sure`: by edges that are no guess; the rest is possible."""

    depth: int
    sure: int
    possible: int


@attrs.frozen(kw_only=True)
class CloneView:
    """A changed function, and the others with its body."""

    symbol: str
    file: str
    line: int
    others: tuple[str, ...]


@attrs.frozen(kw_only=True)
class ReviewReport:
    """One page about a change."""

    base: str
    files: tuple[TouchedFile, ...]
    symbols: tuple[DeltaView, ...]
    drift: tuple[DeltaView, ...]
    """Public API that is gone or has another signature."""
    reach: tuple[ReachView, ...]
    affected: tuple[Reached, ...]
    """Nearest first, without tests."""
    affected_omitted: int
    tests: tuple[NodeView, ...]
    """Tests that changed, then those to run: by a record of what tests ran, else those that reach what changed, nearest
    first. A file stands for tests that have no names."""
    tests_omitted: int
    new_findings: tuple[ReportedFinding, ...] | None
    """Null where findings were left out."""
    reviewed_findings: tuple[ReportedFinding, ...]
    """In changed files, rejected or deferred by a review that still fits."""
    fixed_findings: tuple[ReportedFix, ...] | None
    reported: tuple[ReportedFinding, ...] | None
    """What logs of other tools say of changed symbols, new or not: no log says what was so before. Null where findings
    were left out."""
    failed_rules: Mapping[str, str]
    decisions: tuple[DecisionView, ...]
    """Those that govern changed files or symbols, or that are recorded in these files."""
    clones: tuple[CloneView, ...]
    """Changed functions whose body also stands elsewhere, but for names, strings and numbers."""
    risk: RiskReport | None
    """By the history before the change."""
    no_risk: str
    """Why there is none."""


@attrs.frozen(eq=False)
class Review:
    """The report, and what SARIF and exit codes are made from."""

    report: ReviewReport
    coverage: Coverage
    findings: FindingSet | None


def review(subject: ReviewSubject) -> Review:
    """Everything about one change. Raises NoHistory."""
    snapshot, settings = subject.snapshot, subject.settings
    changes: Changes = "compare" if subject.base else "all"
    limits = SourceLimits.of(settings.files)
    found = edits(subject.workspace, snapshot, limits, changes, subject.base)
    before = before_edits(snapshot, settings, found, subject.workspace.prefixes)
    query = ChangesQuery(subject.depth, 0.0, True, 5_000)
    with _half_of(subject.within):
        answered = changed_impact(snapshot, found, query, lambda _: before)
    deltas = symbol_deltas(before, snapshot, answered)
    with _half_of(subject.within):
        compared = _compared(subject, before, deltas, answered) if subject.with_findings else None
    risk, no_risk = _risk(subject, answered)
    ran = _ran(subject, found, before)
    report = _report(subject, answered, deltas, compared, ran)
    return Review(attrs.evolve(report, risk=risk, no_risk=no_risk), answered.coverage, compared)


def _half_of(seconds: float) -> AbstractContextManager[None]:
    return within(max(seconds / 2, 0.001)) if seconds else nullcontext()


def _ran(subject: ReviewSubject, found: Sequence[FileDiff], before: Snapshot) -> Sequence[SelectedTest] | None:
    """The tests to run by a record of what tests ran; None where there is no record, or no time for it."""
    runs = recorded_runs(subject.workspace, subject.settings)
    if runs is not None:
        with suppress(BudgetSpentError), _half_of(subject.within):
            return select_tests_of_edits(subject.snapshot, found, lambda _: before, runs).running
    return None


def _report(
    subject: ReviewSubject,
    answered: ChangedImpact,
    deltas: Sequence[SymbolDelta],
    compared: FindingSet | None,
    ran: Sequence[SelectedTest] | None,
) -> ReviewReport:
    things = Presenter(subject.snapshot)
    reached = reached_views(things, answered.affected)
    code = [one for one in reached if not one.test]
    changed = (things.node(one.place) for one in deltas if one.kind == "test" and one.place is not None)
    reaching = [one.node for one in reached if one.node.what == "test"]
    named = [*changed, *(reaching if ran is None else (things.node(test.node) for test in ran))]
    tests = list({node.id: node for node in (*named, *_files_of_tests(things, answered, reached, named))}.values())
    views = tuple(map(_delta, deltas))
    every = compared.findings if compared is not None else ()
    new = [one for one in every if compared is not None and _is_new(compared, one)]
    paths = {file.edit.path for file in answered.files}
    reviewed = [one for one in every if one.status in ("rejected", "deferred") and one.at.file in paths]
    places = {one.place for one in deltas if one.place is not None}
    reported = [
        one for one in every
        if one.category == "external" and one.status == "open" and owner_of(subject.snapshot, one.at) in places
    ]  # fmt: skip
    return ReviewReport(
        base=subject.base,
        files=changes_view(things, answered, "compare", subject.base).files,
        symbols=views,
        drift=tuple(one for one in views if one.drift),
        reach=_reach(code),
        affected=tuple(code[: subject.limit]),
        affected_omitted=max(len(code) - subject.limit, 0),
        tests=tuple(tests[: subject.limit]),
        tests_omitted=max(len(tests) - subject.limit, 0),
        new_findings=None if compared is None else report_findings(things, new),
        reviewed_findings=report_findings(things, reviewed),
        fixed_findings=None if compared is None else tuple(map(_fix, compared.fixed)),
        reported=None if compared is None else report_findings(things, reported),
        failed_rules={one.rule: one.reason for one in compared.failures} if compared is not None else {},
        decisions=_decisions(things, answered, deltas),
        clones=_clones(things, deltas, subject.settings.similarity),
        risk=None,
        no_risk="",
    )


def _files_of_tests(
    things: Presenter, answered: ChangedImpact, reached: Sequence[Reached], named: Sequence[NodeView]
) -> Iterator[NodeView]:
    """Files of tests that changed or that reach what changed, whose tests have no names of their own: blocks that a
    framework is handed, or what no rule knows."""
    snapshot, having = things.snapshot, {node.file for node in named}
    changed = (str(file.edit.path) for file in answered.files if is_test_file(file.edit.path))
    for path in dict.fromkeys((*changed, *(one.node.file for one in reached if one.test and one.node.file))):
        shard = snapshot.shards.get(FilePath(path))
        # What stands beside tests is no test by that: mocks, pages of objects.
        if path in having or shard is None or not shard.language or not is_test_file(path.rpartition("/")[2]):
            continue
        if next(iter(find_tests(snapshot, shard.path)), None) is None:
            yield things.node(SymbolRef(shard.path, -1))


def _decisions(things: Presenter, answered: ChangedImpact, deltas: Sequence[SymbolDelta]) -> tuple[DecisionView, ...]:
    touched = {SymbolRef(file.edit.path, -1) for file in answered.files}
    touched |= {one.place for one in deltas if one.place is not None}
    files = {place.file for place in touched}
    found = (one for one in decisions(things.snapshot) if one.file in files or not touched.isdisjoint(one.governs))
    return decision_views(things, found)


def _clones(things: Presenter, deltas: Sequence[SymbolDelta], chosen: SimilaritySettings) -> tuple[CloneView, ...]:
    changed = {one.place: one for one in deltas if one.place is not None}
    return tuple(
        CloneView(
            symbol=changed[place].symbol,
            file=changed[place].file,
            line=changed[place].line,
            others=tuple(things.symbol(other) for other in family.members if other != place),
        )
        for family in clone_families(things.snapshot, chosen)
        for place in family.members
        if place in changed
    )


def _is_new(compared: FindingSet, finding: Finding) -> bool:
    return finding.status == "open" and not compared.baseline.knows(finding)


def _compared(
    subject: ReviewSubject, before: Snapshot, deltas: Sequence[SymbolDelta], answered: ChangedImpact
) -> FindingSet:
    """Findings of now with those of before as what is known: what is new, and what is gone."""
    beside = known_findings(subject.workspace, subject.settings, subject.store)
    now = findings(subject.snapshot, subject.settings, beside)
    then = findings(before, subject.settings, attrs.evolve(beside, reports=()))
    # Of a rule that did not get to the end of the state before, nobody knows what is new.
    unknown = {one.rule for one in then.failures}
    now = attrs.evolve(now, findings=tuple(one for one in now.findings if one.rule not in unknown))
    known = {
        one.id: {"rule": one.rule, "title": one.title, "file": str(one.at.file)}
        for one in then.findings
        if one.status == "open"
    }
    failed = {one.rule for one in (*now.failures, *then.failures)}
    # What other tools found has no state before the change to be compared with.
    imported = {
        FindingId(one.id): {"rule": one.rule, "title": one.title} for one in now.findings if one.category == "external"
    }
    baseline = Baseline({**known, **imported}, given=True).following(subject.snapshot, now.findings)
    there = {*(one.id for one in now.findings), *baseline.moved.values()}
    gone = [one for one in then.findings if one.status == "open" and one.id not in there and one.rule not in failed]
    fixed = tuple(FixedFinding(one.id, one.rule, one.title, str(one.at.file)) for one in gone)
    made = change_findings(subject.snapshot, subject.settings, deltas, answered)
    changed = tuple(now.with_status(subject.snapshot, one) for one in made)
    return FindingSet(
        (*changed, *now.findings),
        (*now.failures, *(one for one in then.failures if one.rule not in {fail.rule for fail in now.failures})),
        baseline,
        now.files_left_out,
        fixed,
        marks=now.marks,
    )


def _risk(subject: ReviewSubject, answered: ChangedImpact) -> tuple[RiskReport | None, str]:
    """By the commits before the change: its own say nothing of who knows the code."""
    try:
        signals = signals_of(subject.workspace, subject.snapshot, subject.store, at=subject.base)
    except GraphError as refused:
        return None, refused.message
    paths = [str(file.edit.old_path or file.edit.path) for file in answered.files]
    return risk_report(subject.snapshot, signals, paths, limit=subject.limit, change=True), ""


def _reach(found: Sequence[Reached]) -> tuple[ReachView, ...]:
    sure = Counter(one.depth for one in found if not one.possible and one.confidence >= 0.7)
    every = Counter(one.depth for one in found)
    return tuple(
        ReachView(depth=depth, sure=sure[depth], possible=every[depth] - sure[depth]) for depth in sorted(every)
    )


def _delta(one: SymbolDelta) -> DeltaView:
    return DeltaView(
        file=one.file,
        line=one.line,
        symbol=one.symbol,
        kind=one.kind,
        action=one.action,
        lines_before=one.lines_before,
        lines_after=one.lines_after,
        delta=one.delta,
        drift=one.drift,
        signature_before=one.signature_before,
        signature_after=one.signature_after,
    )


def _fix(gone: FixedFinding) -> ReportedFix:
    return ReportedFix(id=gone.id, rule=gone.rule, title=gone.title, file=gone.file or None)
