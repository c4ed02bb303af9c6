"""Findings: what the architecture rules say.

Owns: findings.
Must not know: any particular rule.
Invariant: a rule that could not finish is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import commonpath
from typing import Annotated, Literal

from pydantic import Field

from graphls.analysis.findings import FindingSet
from graphls.graph.errors import BadRequest
from graphls.mcp.paging import Reply
from graphls.mcp.proposals import Patch, Texts, with_proposal
from graphls.mcp.requests import PagedRequest, Scope
from graphls.mcp.text_form import Row, TextAnswer
from graphls.mcp.tool_catalog import Query, ToolContext
from graphls.queries.answer import Coverage, answer
from graphls.queries.completeness import rules_that_failed
from graphls.session.change_findings import CHANGE_RULES, with_change
from graphls.session.finding_views import FindingsReport, findings_report, review_words


class FindingsRequest(PagedRequest):
    scope: Scope = ""
    rules: Annotated[tuple[str, ...], Field(max_length=100, description="findings: these alone")] = ()
    least: Annotated[Literal["P1", "P2", "P3", "info"], Field(description="findings")] = "info"
    status: Literal["open", "suppressed", "rejected", "deferred", "baselined", "stale"] = "open"
    since: Annotated[str, Field(max_length=1_000)] = ""
    """With what a change since this commit does to the public API."""
    proposed: Texts = Field(default_factory=dict)
    patch: Patch = ""


def list_findings(context: ToolContext, request: FindingsRequest) -> Reply:
    """Most pressing first."""
    compared = [one for one in request.rules if one in CHANGE_RULES]
    if compared and not request.since:
        raise BadRequest(f"{compared[0]} compares two states: give the commit before as since.")
    scope = context.subjects.scope(request.scope).removeprefix("./")
    context, answered, known = _found(context, request, scope)
    _check_rules(context, request, answered)
    chosen = answered.chosen(status=(request.status,), rules=request.rules, least=request.least, scope=scope)
    chosen = tuple(one for one in chosen if one.id not in known)
    if not (request.proposed or request.patch):
        # What compares two states is looked for only with the commit before.
        lasting = (one for one in chosen if one.rule not in CHANGE_RULES)
        context.state.shown(context.snapshot, answered, lasting)
    files = {one.at.file for one in chosen}
    recorded = context.state.session.annotations.in_time(context.snapshot, files) if files else None
    report = findings_report(context.things, answered, chosen, recorded)

    def text() -> TextAnswer:
        head = [f"{len(report.findings)} findings", *(f"{n} {word}" for word, n in report.counts.items() if n)]
        foot = tuple(f"rule {rule} could not finish: {why}" for rule, why in report.failed.items())
        return TextAnswer(", ".join(head), tuple(_rows(report)), foot)

    coverage = Coverage(empty=not chosen, completeness=rules_that_failed(len(answered.failures)))
    return Reply(answer(context.snapshot, coverage), report, text, "findings")


def _check_rules(context: ToolContext, request: FindingsRequest, answered: FindingSet) -> None:
    """A rule is one of graphls, of the settings, or of a tool whose results are there. Raises BadRequest."""
    named = set(request.rules).difference(CHANGE_RULES)
    if why := answered.why_no_rule(named, context.state.settings, context.snapshot):
        raise BadRequest(why)


def _found(
    context: ToolContext, request: FindingsRequest, scope: str
) -> tuple[ToolContext, FindingSet, frozenset[str]]:
    """What the rules say, and the findings of before that proposed code did not bring: of the files that it touches."""
    if not (request.proposed or request.patch):
        found, state = context.state.findings(context.snapshot), context.state
        if request.since:
            found = with_change(found, state.workspace, context.snapshot, state.settings, request.since)
        return context, found, frozenset()
    if request.since:
        raise BadRequest("Proposed code is compared with the files as they are: leave since out.")
    if scope:
        raise BadRequest("Proposed code is its own scope: leave scope out.")
    after, edits = with_proposal(context, request.proposed, request.patch)
    within = commonpath([edit.path for edit in edits]) if edits else ""
    known = context.state.findings(context.snapshot, within)
    answered = context.state.findings(after, within)
    return context.with_snapshot(after), answered, frozenset(one.id for one in known.findings)


def _rows(report: FindingsReport) -> Iterator[Row]:
    for found in report.findings:
        places = found.evidence[:1]
        where = f"{places[0].file}:{places[0].line}  " if places else ""
        reasons = f"  ({'; '.join(found.reasons)})" if found.reasons else ""
        review = f"  [{words}]" if (words := review_words(found)) else ""
        yield Row(f"{where}{found.priority} {found.rule}: {found.title}{reasons}{review}")


QUERIES = (Query(name="findings", request=FindingsRequest, contents=FindingsReport, run=list_findings),)
