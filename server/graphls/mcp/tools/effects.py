"""Effects: what a change may reach.

Owns: impact_analysis.
Must not know: how reach is computed.
Invariant: uses that could not be resolved are counted beside what was found.
"""

from __future__ import annotations

from graphls.mcp.paging import Reply
from graphls.mcp.requests import ImpactAnalysis
from graphls.mcp.tool_catalog import ToolContext, ToolEntry
from graphls.queries.answer import answer
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.impact_view import ImpactView
from graphls.queries.impact_view import impact_view as view_of_impact


def effects(context: ToolContext, request: ImpactAnalysis) -> Reply:
    """What a change of one symbol reaches."""
    place = context.subjects.place(request.symbol)
    context = context.verified(place, "in" if request.direction == "upstream" else "out", request.depth)
    change = ImpactQuery(
        target=place,
        stream=request.direction,
        depth=request.depth,
        min_confidence=request.min_confidence,
        tests=request.include_tests,
        limit=request.limit,
        edges=request.edges,
    )
    found = impact(context.snapshot, change)
    contents = view_of_impact(context.things, found, request.direction)
    return Reply(answer(context.snapshot, found.coverage, listed=request.unresolved), contents, "affected")


TOOLS = (
    ToolEntry(
        name="impact_analysis",
        title="Impact of a change",
        description="Before you change a symbol: all that depends on it, nearest first, with tests and packages; "
        "members and overrides change along. unresolved_sites counts uses that may belong here and could not be "
        "resolved: with any of them, an empty list does not mean that nothing depends on it.",
        request=ImpactAnalysis,
        contents=ImpactView,
        run=effects,
    ),
)
