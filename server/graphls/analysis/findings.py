"""Findings: what the rules say about one snapshot, with what was suppressed.

Owns: running the rules once a snapshot, status, choice by file, rule and priority.
Must not know: any particular rule, how findings are shown.
Invariant: same contents, settings and baseline, same answer; a file with broken code is no reason to say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import attrs

from graphls.analysis.baseline import Baseline, FixedFinding, read_baseline
from graphls.analysis.change_history import HistorySource
from graphls.analysis.engine import RuleFailure, RuleRun, catalogue, level_in, run, unfinished, why_silent
from graphls.analysis.finding import PRIORITIES, Finding, Priority, Status
from graphls.analysis.policy.judging import FactSources, PolicyRun, judged_code, judged_findings
from graphls.analysis.policy.measure_facts import MeasureSource
from graphls.analysis.policy.similarity_facts import SimilaritySource
from graphls.analysis.review_marks import MarkState, ReviewMarks, mark_state, read_marks
from graphls.analysis.sarif.imported import ImportedFindings, SarifReport, imported_findings, rule_name
from graphls.analysis.suppression import with_suppression
from graphls.analysis.views import Views, is_within
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.request_budget import BudgetSpentError, spent_reason
from graphls.graph.snapshot import Snapshot
from graphls.settings import Settings
from graphls.settings.tree import FindingsSettings as FindingSettings
from graphls.settings.tree import PolicySettings

_MEMO = Memo["_FindingsMemo"]("findings")


@attrs.frozen
class FindingSet:
    """All findings of a snapshot, most pressing first, whatever their status."""

    findings: tuple[Finding, ...]
    failures: tuple[RuleFailure, ...]
    baseline: Baseline
    """What was known before; new entries are added to it."""
    files_left_out: int = 0
    """Files that tools made or others wrote: nothing is said of them, unless the settings ask for it."""
    fixed: tuple[FixedFinding, ...] = ()
    """Findings of the baseline that are gone, where the rules have looked again."""
    unlinked: Mapping[str, int] = attrs.field(factory=dict[str, int])
    """Results of SARIF logs that name no file of the graph, by log."""
    problems: tuple[str, ...] = ()
    """SARIF logs that were refused, in words."""
    marks: ReviewMarks = attrs.field(factory=ReviewMarks)
    """What people decided; marks are added to it."""
    judged: Callable[[FixedFinding], bool] = attrs.field(eq=False, default=lambda one: False)
    """Whether a finding would have been found again, had it still been there."""

    def with_status(self, snapshot: Snapshot, finding: Finding) -> Finding:
        """The finding with what the code, reviews and the baseline say of it, in this order."""
        return self.baseline.apply(self.marks.apply(snapshot, with_suppression(snapshot, finding)))

    def following(self, snapshot: Snapshot, found: Iterable[Finding]) -> FindingSet:
        """The same, where baseline and marks know those of the findings whose symbol moved to another file."""
        found = tuple(found)
        return attrs.evolve(
            self, baseline=self.baseline.following(snapshot, found), marks=self.marks.following(snapshot, found)
        )

    def chosen(
        self,
        *,
        status: Collection[Status] = ("open",),
        mark: MarkState | None = None,
        rules: Collection[str] = (),
        least: Priority = "info",
        scope: str = "",
    ) -> tuple[Finding, ...]:
        """Findings of a status, of some rules (none named: all), of a priority at least, under a folder or file.
        `mark`: accepted ones alone, or those whose review is out of date."""
        limit, wanted = PRIORITIES.index(least), {rule.casefold() for rule in rules}
        return tuple(
            finding
            for finding in self.findings
            if finding.status in status
            and (mark is None or mark == mark_state(finding))
            and (not wanted or finding.rule.casefold() in wanted)
            and PRIORITIES.index(finding.priority) <= limit
            and any(is_within(evidence.file, scope) for evidence in finding.evidence)
        )

    def why_no_rule(self, named: Collection[str], settings: Settings, snapshot: Snapshot) -> str:
        """Why a rule that somebody names says nothing, in words; "" where each is one of graphls that looks, of the
        settings, or of a tool whose results are there."""
        known = {one.id for one in settings.policy.rules} | {one.rule for one in self.findings} | catalogue().keys()
        folded = {one.casefold() for one in known}
        unknown = sorted(one for one in named if one.casefold() not in folded)
        if unknown:
            return f"There is no rule {unknown[0]!r}. Use one of: {', '.join(catalogue())}."
        return why_silent(named, settings.findings.rules, snapshot)

    def open_in(self, path: FilePath) -> tuple[Finding, ...]:
        """Open findings whose place to be shown is this file, in order of position."""
        found = (finding for finding in self.findings if finding.status == "open" and finding.at.file == path)
        return tuple(sorted(found, key=lambda finding: (finding.at.start, finding.rule, finding.id)))


@attrs.frozen
class KnownFindings:
    """What stands beside the graph: the bytes of the baseline and of the file of review marks, None for what the
    snapshot itself has of them, logs of other tools, and history."""

    baseline: bytes | None = None
    marks: bytes | None = None
    reports: tuple[SarifReport, ...] = ()
    history: HistorySource | None = None
    """Where rules that are on may ask for history."""
    similar: SimilaritySource | None = None
    """Where rules of a team may ask which functions are alike."""
    measured: MeasureSource | None = None
    """Where they may ask for health and history of files."""


_NOTHING = KnownFindings()


@attrs.frozen(eq=False)
class _FindingsMemo:
    settings: FindingSettings
    policy: PolicySettings
    beside: KnownFindings
    answer: FindingSet


def findings(
    snapshot: Snapshot,
    settings: Settings,
    beside: KnownFindings = _NOTHING,
    scope: str = "",
    *,
    pause: Callable[[], None] = lambda: None,
) -> FindingSet:
    """What the rules say, with the results of SARIF logs. `scope`: the file or folder of which all findings are wanted,
    of others there may be some. `pause`: called between steps, by which work that nobody waits for leaves room for what
    somebody does."""
    chosen = settings.findings
    beside = attrs.evolve(
        beside,
        baseline=_own(snapshot, chosen.baseline) if beside.baseline is None else beside.baseline,
        marks=_own(snapshot, chosen.reviews) if beside.marks is None else beside.marks,
    )
    known = _MEMO.get(snapshot)
    wanted = (chosen, settings.policy, beside)
    if known is not None and (known.settings, known.policy, known.beside) == wanted:
        return known.answer
    views = Views(snapshot, chosen.layers, scope, generated=chosen.generated, pause=pause, source=beside.history)
    answer = _answer(views, settings, beside)
    if not scope and not spent_reason():
        _MEMO.put(snapshot, _FindingsMemo(*wanted, answer))
    return answer


def _answer(views: Views, every: Settings, beside: KnownFindings) -> FindingSet:
    settings, policy, baseline = every.findings, every.policy.rules, read_baseline(beside.baseline)
    if not settings.enabled:
        return FindingSet((), (), baseline)
    snapshot = views.snapshot
    try:
        foreign = frozenset(path for path in snapshot.files() if views.in_scope(path) and not views.is_judged(path))
    except BudgetSpentError as spent:
        return FindingSet((), unfinished(settings.rules, spent.message), baseline)
    outcome, brought = run(views, settings.rules), imported_findings(snapshot, beside.reports)
    if policy:
        outcome = _with_policy(outcome, judged_code(views, policy, FactSources(beside.similar, beside.measured)))
    own = [finding for finding in outcome.findings if views.is_judged(finding.at.file)]
    others = [finding for finding in brought.findings if views.in_scope(finding.at.file)]
    found = sorted((*own, *others), key=_pressing) if others else own
    made = FindingSet(
        (),
        outcome.failures,
        baseline,
        len(foreign),
        unlinked=brought.unlinked,
        problems=brought.problems,
        marks=read_marks(beside.marks),
    )
    made = made.following(snapshot, found)
    stated = tuple(made.with_status(snapshot, finding) for finding in found)
    if policy:
        beyond = judged_findings(snapshot, policy, stated)
        made = made.following(snapshot, (*found, *beyond.findings))
        more = (made.with_status(snapshot, finding) for finding in beyond.findings)
        stated = tuple(sorted((*stated, *more), key=_pressing))
        outcome = _with_policy(outcome, PolicyRun((), beyond.failures))
        made = attrs.evolve(made, failures=outcome.failures)
    judged = _judgement(views, settings, outcome, brought, [rule.id for rule in policy])
    return attrs.evolve(made, findings=stated, fixed=made.baseline.fixed(stated, judged), judged=judged)


def _with_policy(outcome: RuleRun, judged: PolicyRun) -> RuleRun:
    """What the rules of a team say among what those of graphls do."""
    found = sorted((*outcome.findings, *judged.findings), key=_pressing)
    return RuleRun(tuple(found), (*outcome.failures, *judged.failures))


def _pressing(finding: Finding) -> int:
    return PRIORITIES.index(finding.priority)


def _judgement(
    views: Views, settings: FindingSettings, outcome: RuleRun, brought: ImportedFindings, policy: Sequence[str]
) -> Callable[[FixedFinding], bool]:
    """Whether a finding would have been found again, had it still been there."""
    failed = {failure.rule for failure in outcome.failures}
    ran = {code for code, rule in catalogue().items() if rule.looks(settings.rules)}
    ran = (ran | set(policy)) - failed
    tools = tuple(rule_name(tool, "") for tool in brought.tools)

    def judged(one: FixedFinding) -> bool:
        if one.rule not in ran and not one.rule.startswith(tools):
            return False
        if not one.file:
            return not views.scope
        path = FilePath(one.file)
        rule = catalogue().get(one.rule)
        if rule is not None and level_in(rule, settings.rules, views, path) == "off":
            return False
        return views.in_scope(path) and (path not in views.snapshot.shards or views.is_judged(path))

    return judged


def _own(snapshot: Snapshot, path: str) -> bytes | None:
    return snapshot.text(FilePath(path)) if path in snapshot.shards else None
