"""Policy report: the rules of a team, and what breaks them in the workspace or in one change.

Owns: the facts of a change, the records of an answer.
Must not know: layout, how expressions are evaluated.
Invariant: a rule that cannot be applied is named with the reason, as are those about changes where there is no
    repository, and the others are applied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs

from graphls.analysis.engine import RuleFailure
from graphls.analysis.finding import Evidence, Finding
from graphls.analysis.findings import findings
from graphls.analysis.policy.code_facts import SAMPLES
from graphls.analysis.policy.judging import ChangeRow, PolicyRun, judged_change
from graphls.analysis.policy.predicates import HELPERS
from graphls.analysis.views import is_test
from graphls.graph.errors import GraphError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.changed import ChangedImpact, ChangesQuery, changed_impact
from graphls.queries.node_views import Presenter
from graphls.queries.symbol_deltas import symbol_deltas
from graphls.session.before import before_edits
from graphls.session.comparing import Changes, edits
from graphls.session.finding_views import ReportedFinding, report_findings
from graphls.session.reports import known_findings
from graphls.session.similarity_rows import similarity_source
from graphls.settings import Settings
from graphls.settings.policy_rules import PolicyRule
from graphls.sources.limits import SourceLimits
from graphls.sources.workspace import Workspace


@attrs.frozen(kw_only=True)
class PolicyReport:
    """What breaks rules, most pressing first. `blocked`: something breaks a rule that blocks; `failed`: rules that
    could not be applied, and why."""

    rules: int
    blocked: bool
    findings: tuple[ReportedFinding, ...]
    failed: Mapping[str, str]


@attrs.frozen(kw_only=True)
class PolicyExplanation:
    """One rule. `facts`: what its expression may name, as an example of the types; `helpers`: functions of graphls."""

    id: str
    scope: str
    severity: str
    when: str
    message: str
    advice: str
    problem: str
    facts: Mapping[str, object]
    helpers: tuple[str, ...]
    findings: tuple[ReportedFinding, ...]


def policy_findings(
    snapshot: Snapshot, workspace: Workspace, settings: Settings, changes: Changes = "all", base: str = ""
) -> PolicyRun:
    """What all rules say: of the whole workspace, and of one change."""
    rules = settings.policy.rules
    ids = {rule.id for rule in rules}
    answered = findings(snapshot, settings, known_findings(workspace, settings, None))
    code = PolicyRun(
        tuple(one for one in answered.findings if one.rule in ids and one.status == "open"),
        tuple(one for one in answered.failures if one.rule in ids),
    )
    if not any(rule.scope == "change" for rule in rules):
        return code
    try:
        change = _of_change(snapshot, workspace, settings, changes, base)
    except GraphError as refused:
        of_changes = (rule.id for rule in rules if rule.scope == "change")
        change = PolicyRun((), tuple(RuleFailure(one, refused.message) for one in of_changes))
    order = ("P1", "P2", "P3", "info").index
    found = sorted((*change.findings, *code.findings), key=lambda one: order(one.priority))
    return PolicyRun(tuple(found), (*change.failures, *code.failures))


def policy_report(snapshot: Snapshot, settings: Settings, found: PolicyRun) -> PolicyReport:
    """The records of an answer."""
    return PolicyReport(
        rules=len(settings.policy.rules),
        blocked=any(one.measures.get("severity") == "block" for one in found.findings),
        findings=report_findings(Presenter(snapshot), found.findings),
        failed={one.rule: one.reason for one in found.failures},
    )


def policy_explanation(snapshot: Snapshot, rule: PolicyRule, found: PolicyRun) -> PolicyExplanation:
    """What a rule sees, and what it says now."""
    own: Sequence[Finding] = [one for one in found.findings if one.rule == rule.id]
    return PolicyExplanation(
        id=rule.id,
        scope=rule.scope,
        severity=rule.severity,
        when=rule.when,
        message=rule.message,
        advice=rule.advice,
        problem=next((one.reason for one in found.failures if one.rule == rule.id), ""),
        facts=SAMPLES[rule.scope],
        helpers=tuple(HELPERS),
        findings=report_findings(Presenter(snapshot), own),
    )


def _of_change(snapshot: Snapshot, workspace: Workspace, settings: Settings, changes: Changes, base: str) -> PolicyRun:
    found = edits(workspace, snapshot, SourceLimits.of(settings.files), changes, base)

    answered = changed_impact(snapshot, found, ChangesQuery(depth=1, limit=1))
    files = tuple(_file_rows(snapshot, answered))
    symbols = (
        tuple(_symbol_rows(before_edits(snapshot, settings, found, workspace.prefixes), snapshot, answered))
        if found
        else ()
    )
    return judged_change(snapshot, settings.policy.rules, symbols, files, _similar_rows(snapshot, settings, symbols))


def _similar_rows(snapshot: Snapshot, settings: Settings, symbols: Sequence[ChangeRow]) -> tuple[ChangeRow, ...]:
    """Changed functions that are like others, where a rule names them. Raises BadRequest."""
    source = similarity_source(settings)
    if source is None or not symbols:
        return ()
    rows, changed = source.read(snapshot), {one.facts["path"]: one.at for one in symbols}
    return tuple(
        ChangeRow(row, changed[row["symbol"]]) for file in rows.values() for row in file if row["symbol"] in changed
    )


def _symbol_rows(before: Snapshot, after: Snapshot, answered: ChangedImpact) -> Iterator[ChangeRow]:
    for one in symbol_deltas(before, after, answered):
        at = None
        if one.place is not None:
            row = one.place.definition
            table = after.facts(one.place.file).definitions if row >= 0 else None
            start, end = (0, 0) if table is None else (table.start[row], table.end[row])
            at = Evidence(one.place.file, start, end, "", one.place)
        yield ChangeRow(
            {
                "kind": one.kind, "path": one.symbol, "file": one.file, "line": one.line, "action": one.action,
                "lines_before": one.lines_before or 0, "line_count": one.lines_after or 0, "line_delta": one.delta,
                "drift": one.drift, "test": is_test(one.file),
            },
            at,
        )  # fmt: skip


def _file_rows(snapshot: Snapshot, answered: ChangedImpact) -> Iterator[ChangeRow]:
    for file in answered.files:
        path, edit = file.edit.path, file.edit
        shard = snapshot.shards.get(path)
        now = b"" if edit.status == "deleted" else (snapshot.text(path) if shard is not None else None) or b""
        before, after = _lines(edit.before or b""), _lines(edit.after or now)
        yield ChangeRow(
            {
                "path": path, "old_path": edit.old_path or "", "status": edit.status,
                "language": shard.language if shard is not None else "", "test": is_test(path),
                "lines_before": before, "lines_after": after, "line_delta": after - before,
            },
            Evidence(path, 0, 0, "", SymbolRef(path, -1)) if shard is not None else None,
        )  # fmt: skip


def _lines(text: bytes) -> int:
    return text.count(b"\n") + bool(text and not text.endswith(b"\n"))
