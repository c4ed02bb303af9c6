"""Health: graph/health.

Owns: the params and the result.
Must not know: formulas.
Invariant: inputs that are not there are named.
"""

from __future__ import annotations

from graphls.graph.errors import BadRequest
from graphls.lsp.from_proto import Context
from graphls.lsp.messages import HealthResult
from graphls.lsp.params import HealthParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.views import envelope
from graphls.queries.answer import Coverage
from graphls.queries.coverage_reports import CoverageRefused
from graphls.session.health_report import HealthSources, health_report


@custom("graph/health", HealthParams, HealthResult, kind="long")
def judged(context: Context, params: HealthParams) -> HealthResult:
    """What makes files below a scope hard to change."""
    session = context.session.session
    sources = HealthSources(session.workspace, session.settings, session.store)
    try:
        found = health_report(context.snapshot, sources, params.scope, max(params.limit, 1))
    except CoverageRefused as refused:
        raise BadRequest(str(refused)) from None
    omitted = found.total - len(found.files)
    return HealthResult(**envelope(context.snapshot, Coverage(truncated=omitted > 0, omitted=omitted)), health=found)


FEATURES: tuple[Declaration, ...] = (judged,)
