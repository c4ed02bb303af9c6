"""Policy report: the rules of a team, and what breaks them in the workspace or in one change.

Owns: the facts of a change, the records of an answer.
Must not know: layout, how expressions are evaluated.
Invariant: a rule that cannot be applied is named with the reason, as are those about changes where there is no
    repository, and the others are applied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

import attrs

from graphls.analysis.engine import RuleFailure
from graphls.analysis.finding import Evidence, Finding
from graphls.analysis.findings import findings
from graphls.analysis.policy.code_facts import NO_BRANCH, SAMPLES, Row
from graphls.analysis.policy.judging import ChangeFacts, ChangeRow, PolicyRun, judged_change
from graphls.analysis.policy.predicates import HELPERS
from graphls.analysis.views import is_test
from graphls.graph.errors import GraphError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.changed import ChangedImpact, ChangesQuery, changed_impact
from graphls.queries.hunks import hunks, lines_of
from graphls.queries.node_views import Presenter
from graphls.queries.symbol_deltas import symbol_deltas
from graphls.session.before import before_edits
from graphls.session.comparing import Changes, edits
from graphls.session.finding_views import ReportedFinding, report_findings
from graphls.session.known_findings import known_findings
from graphls.session.similarity_rows import similarity_source
from graphls.settings import Settings
from graphls.settings.policy_rules import PolicyRule
from graphls.sources.git_state import git_head
from graphls.sources.limits import SourceLimits
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore

_SNIFFED: Final = 8_000
_MOST_LINES, _LONGEST = 1_000, 500
"""Lines of a hunk that expressions see, and bytes of each."""


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
    snapshot: Snapshot,
    workspace: Workspace,
    settings: Settings,
    changes: Changes = "all",
    base: str = "",
    *,
    store: BlobStore | None = None,
) -> PolicyRun:
    """What all rules say: of the whole workspace, and of one change."""
    rules = settings.policy.rules
    ids = {rule.id for rule in rules}
    answered = findings(snapshot, settings, known_findings(workspace, settings, store))
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
    symbols = (
        tuple(_symbol_rows(before_edits(snapshot, settings, found, workspace.prefixes), snapshot, answered))
        if found
        else ()
    )
    facts = ChangeFacts(
        symbols=symbols,
        similar=_similar_rows(snapshot, settings, symbols),
        hunks=tuple(_hunk_rows(snapshot, answered)),
        files=tuple(_file_rows(snapshot, answered)),
        git=_branch(workspace),
    )
    return judged_change(snapshot, settings.policy.rules, facts)


def _branch(workspace: Workspace) -> Row:
    """What is checked out in the first folder that is in a repository."""
    for folder in workspace.folders:
        head = git_head(folder.root)
        if head is not None:
            branch = (head.branch or "").removeprefix("refs/heads/")
            return {"branch": branch, "head": head.commit or "", "detached": head.branch is None}
    return NO_BRANCH


def _hunk_rows(snapshot: Snapshot, answered: ChangedImpact) -> Iterator[ChangeRow]:
    """The lines that each hunk of the change adds and removes; binary files have none."""
    for file in answered.files:
        path, edit = file.edit.path, file.edit
        shard = snapshot.shards.get(path)
        now = b"" if edit.status == "deleted" else (snapshot.text(path) if shard is not None else None) or b""
        before, after = edit.before or b"", edit.after or now
        if b"\0" in before[:_SNIFFED] or b"\0" in after[:_SNIFFED]:
            continue
        old, new, shift = lines_of(before), lines_of(after), 0
        starts = list(accumulate((len(line) + 1 for line in after.split(b"\n")), initial=0))
        for one in hunks(before, after):
            start = one.start - shift
            shift += one.end - one.start - one.removed
            added, removed = new[one.start : one.end], old[start : start + one.removed]
            offset = min(starts[min(one.start, len(starts) - 1)], len(after))
            yield ChangeRow(
                {
                    "path": path, "old_path": edit.old_path or "", "status": edit.status,
                    "language": shard.language if shard is not None else "", "test": is_test(path),
                    "line": one.start + 1, "added": _texts(added), "removed": _texts(removed),
                    "cut": max(len(added), len(removed)) > _MOST_LINES,
                },
                Evidence(path, offset, offset, "", SymbolRef(path, -1)) if shard is not None else None,
            )  # fmt: skip


def _texts(lines: Sequence[bytes]) -> tuple[str, ...]:
    return tuple(line[:_LONGEST].decode("utf-8", "replace") for line in lines[:_MOST_LINES])


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
