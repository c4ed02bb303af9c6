"""Findings: what the rules say about one snapshot, with what was suppressed.

Owns: running the rules once a snapshot, status, choice by file, rule and priority.
Must not know: any particular rule, how findings are shown.
Invariant: same contents, settings and baseline, same answer; a file with broken code is no reason to say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import attrs

from graphls.analysis.baseline import Baseline, FixedFinding, read_baseline
from graphls.analysis.engine import RuleFailure, RuleRun, catalogue, run
from graphls.analysis.finding import PRIORITIES, Finding, Priority, Status
from graphls.analysis.policy.judging import PolicyRun, judged_code
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

    def chosen(
        self,
        *,
        status: Collection[Status] = ("open",),
        rules: Collection[str] = (),
        least: Priority = "info",
        scope: str = "",
    ) -> tuple[Finding, ...]:
        """Findings of a status, of some rules (none named: all), of a priority at least, under a folder or file."""
        limit = PRIORITIES.index(least)
        return tuple(
            finding
            for finding in self.findings
            if finding.status in status
            and (not rules or finding.rule in rules)
            and PRIORITIES.index(finding.priority) <= limit
            and any(is_within(evidence.file, scope) for evidence in finding.evidence)
        )

    def open_in(self, path: FilePath) -> tuple[Finding, ...]:
        """Open findings whose place to be shown is this file, in order of position."""
        found = (finding for finding in self.findings if finding.status == "open" and finding.at.file == path)
        return tuple(sorted(found, key=lambda finding: (finding.at.start, finding.rule, finding.id)))


@attrs.frozen(eq=False)
class _FindingsMemo:
    settings: FindingSettings
    policy: PolicySettings
    baseline: bytes | None
    reports: tuple[SarifReport, ...]
    answer: FindingSet


def findings(
    snapshot: Snapshot,
    settings: Settings,
    baseline: bytes | None = None,
    scope: str = "",
    *,
    reports: Sequence[SarifReport] = (),
    pause: Callable[[], None] = lambda: None,
) -> FindingSet:
    """What the rules say, with the results of SARIF logs. `baseline`: bytes of that file, for a caller who reads it
    from outside the snapshot; `scope`: the file or folder of which all findings are wanted, of others there may be
    some. `pause`: called between steps, by which work that nobody waits for leaves room for what somebody does."""
    chosen = settings.findings
    if baseline is None:
        baseline = _own_baseline(snapshot, chosen.baseline)
    known = _MEMO.get(snapshot)
    wanted = (chosen, settings.policy, baseline, tuple(reports))
    if known is not None and (known.settings, known.policy, known.baseline, known.reports) == wanted:
        return known.answer
    views = Views(snapshot, chosen.layers, scope, generated=chosen.generated, pause=pause)
    answer = _answer(views, settings, read_baseline(baseline), reports)
    if not scope and not spent_reason():
        _MEMO.put(snapshot, _FindingsMemo(*wanted, answer))
    return answer


def _answer(views: Views, every: Settings, baseline: Baseline, reports: Sequence[SarifReport]) -> FindingSet:
    settings, policy = every.findings, every.policy.rules
    if not settings.enabled:
        return FindingSet((), (), baseline)
    snapshot = views.snapshot
    try:
        foreign = frozenset(path for path in snapshot.files() if views.in_scope(path) and not views.is_judged(path))
    except BudgetSpentError:
        return FindingSet((), (), baseline)
    outcome, brought = run(views, settings.rules), imported_findings(snapshot, reports)
    if policy:
        outcome = _with_policy(outcome, judged_code(views, policy))
    own = [finding for finding in outcome.findings if views.is_judged(finding.at.file)]
    others = [finding for finding in brought.findings if views.in_scope(finding.at.file)]
    found = sorted((*own, *others), key=_pressing) if others else own
    stated = tuple(baseline.apply(with_suppression(snapshot, finding)) for finding in found)
    judged = _judgement(views, settings, outcome, brought, [rule.id for rule in policy])
    return FindingSet(
        stated,
        outcome.failures,
        baseline,
        len(foreign),
        baseline.fixed(stated, judged),
        brought.unlinked,
        brought.problems,
    )


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
    ran = {code for code, rule in catalogue().items() if rule.level(settings.rules) != "off"}
    ran = (ran | set(policy)) - failed
    tools = tuple(rule_name(tool, "") for tool in brought.tools)

    def judged(one: FixedFinding) -> bool:
        if one.rule not in ran and not one.rule.startswith(tools):
            return False
        if not one.file:
            return not views.scope
        path = FilePath(one.file)
        return views.in_scope(path) and (path not in views.snapshot.shards or views.is_judged(path))

    return judged


def _own_baseline(snapshot: Snapshot, path: str) -> bytes | None:
    return snapshot.text(FilePath(path)) if path in snapshot.shards else None
