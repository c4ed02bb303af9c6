"""Rules: findings about the architecture.

Owns: findings.
Must not know: any particular rule.
Invariant: a rule that could not finish is named.
"""

from __future__ import annotations

from graphls.analysis.engine import catalogue
from graphls.analysis.finding import PRIORITIES, Finding
from graphls.graph.errors import BadRequest
from graphls.mcp.catalog import Asked, ToolEntry
from graphls.mcp.paging import Reply
from graphls.mcp.requests import Findings
from graphls.mcp.results import Report, Seen, Stated
from graphls.queries.answer import answer


def found_by_rules(asked: Asked, request: Findings) -> Reply:
    """What the rules say."""
    unknown = sorted(set(request.rules) - catalogue().keys())
    if unknown:
        raise BadRequest(f"There is no rule {unknown[0]!r}. Use one of: {', '.join(catalogue())}.")
    answered = asked.workbench.findings(asked.snapshot)
    scope = asked.subjects.scope(request.scope).removeprefix("./")
    chosen = answered.chosen(status=(request.status,), rules=request.rules, least=request.least, scope=scope)
    contents = Report(
        counts={priority: sum(found.priority == priority for found in chosen) for priority in PRIORITIES},
        failed=tuple(failure.rule for failure in answered.failures),
        findings=tuple(_stated(asked, found) for found in chosen),
    )
    return Reply(answer(asked.snapshot), contents, "findings")


def _stated(asked: Asked, found: Finding) -> Stated:
    spots = [(asked.things.spot(item.file, item.start), item.note) for item in found.evidence]
    return Stated(
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
        evidence=tuple(Seen(file=spot.file, line=spot.line, column=spot.column, note=note) for spot, note in spots),
    )


TOOLS = (
    ToolEntry(
        name="findings",
        title="Architecture findings",
        description="What the architecture rules found (import cycles, broken layers, unused definitions ...), most "
        "pressing first, with evidence, caveats and suggestions. Advice derived from the graph, not facts of it.",
        request=Findings,
        contents=Report,
        run=found_by_rules,
    ),
)
