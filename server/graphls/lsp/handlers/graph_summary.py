"""Whole: graph/summary, graph/status and graph/findings.

Owns: the params.
Must not know: how the workspace is summed up.
Invariant: status is answered from the snapshot at once, whatever else runs.
"""

from __future__ import annotations

import attrs

from graphls.analysis.finding import Finding
from graphls.graph.errors import BadRequest
from graphls.lsp.from_proto import Context, to_proto
from graphls.lsp.messages import EvidenceView, FindingsResult, FindingView, StatusResult, SummaryResult
from graphls.lsp.params import FindingsParams, ScopeParams, StatusParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.to_proto import ToProto
from graphls.lsp.views import envelope, id_of
from graphls.queries.answer import Coverage
from graphls.queries.completeness import rules_that_failed
from graphls.queries.scope import paths_in
from graphls.queries.status import status
from graphls.queries.summary import summary


@custom("graph/summary", ScopeParams, SummaryResult, kind="long")
def summed_up(context: Context, params: ScopeParams) -> SummaryResult:
    """Counts, folders, public names, entry points."""
    return SummaryResult(**envelope(context.snapshot), summary=summary(context.snapshot, params.scope))


@custom("graph/status", StatusParams, StatusResult, kind="quick")
def state(context: Context, params: StatusParams) -> StatusResult:
    """What the graph holds now."""
    return StatusResult(
        **envelope(context.snapshot),
        status=status(context.snapshot),
        session=context.session.condition(context.snapshot),
    )


@custom("graph/findings", FindingsParams, FindingsResult, kind="long")
def stated(context: Context, params: FindingsParams) -> FindingsResult:
    """What the rules say."""
    session = context.session
    if params.scope:
        paths_in(context.snapshot, params.scope)  # refuses what names nothing
    answer = session.findings.compute(context.snapshot, session.settings, session.known_findings())
    if why := answer.why_no_rule(params.rules, session.settings, context.snapshot):
        raise BadRequest(why)
    chosen = answer.chosen(status=params.status, rules=params.rules, least=params.least, scope=params.scope)
    page = chosen[: max(params.limit, 0)]
    omitted, proto = len(chosen) - len(page), to_proto(context)
    completeness = rules_that_failed(len(answer.failures))
    coverage = Coverage(truncated=omitted > 0, omitted=omitted, completeness=completeness)
    return FindingsResult(
        **envelope(context.snapshot, coverage),
        findings=[_view(proto, finding) for finding in page],
        failures=[failure.rule for failure in answer.failures],
        files_left_out=answer.files_left_out,
    )


def _view(proto: ToProto, found: Finding) -> FindingView:
    fields = ("id", "rule", "category", "priority", "confidence", "title", "pressure", "suggestions", "risks")
    more = ("measures", "caveats", "status", "reason", "evidence_tier", "tool")
    evidence = [
        EvidenceView(
            location=proto.location(item.file, item.start, item.end),
            note=item.note,
            node=id_of(proto.snapshot, item.place) if item.place else None,
        )
        for item in found.evidence
    ]
    review = None if found.review is None else attrs.asdict(found.review)
    return FindingView(**{name: getattr(found, name) for name in (*fields, *more)}, evidence=evidence, review=review)


FEATURES: tuple[Declaration, ...] = (summed_up, state, stated)
