"""Rules: findings about the architecture.

Owns: findings.
Must not know: any particular rule.
Invariant: a rule that could not finish is named.
"""

from __future__ import annotations

from graphls.analysis.engine import catalogue
from graphls.graph.errors import BadRequest
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ListFindings
from graphls.mcp.tool_catalog import ToolContext, ToolEntry
from graphls.queries.answer import answer
from graphls.session.finding_views import FindingsReport, findings_report


def list_findings(context: ToolContext, request: ListFindings) -> Reply:
    """What the rules say."""
    unknown = sorted(set(request.rules) - catalogue().keys())
    if unknown:
        raise BadRequest(f"There is no rule {unknown[0]!r}. Use one of: {', '.join(catalogue())}.")
    answered = context.state.findings(context.snapshot)
    scope = context.subjects.scope(request.scope).removeprefix("./")
    chosen = answered.chosen(status=(request.status,), rules=request.rules, least=request.least, scope=scope)
    return Reply(answer(context.snapshot), findings_report(context.things, answered, chosen), "findings")


TOOLS = (
    ToolEntry(
        name="findings",
        title="Architecture findings",
        description="What the architecture rules found (import cycles, broken layers, unused definitions ...), most "
        "pressing first, with evidence, caveats and suggestions. Advice derived from the graph, not facts of it.",
        request=ListFindings,
        contents=FindingsReport,
        run=list_findings,
    ),
)
