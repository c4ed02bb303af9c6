"""Effects: what a change may reach.

Owns: impact_analysis.
Must not know: how reach is computed.
Invariant: uses that could not be resolved are counted beside what was found.
"""

from __future__ import annotations

from graphls.mcp.catalog import Asked, ToolEntry
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ImpactAnalysis
from graphls.queries.answer import answer
from graphls.queries.impact import Change, impact
from graphls.queries.impact_shown import Effects
from graphls.queries.impact_shown import effects as shown


def effects(asked: Asked, request: ImpactAnalysis) -> Reply:
    """What a change of one symbol reaches."""
    place = asked.subjects.place(request.symbol)
    asked = asked.settled(place, "in" if request.direction == "upstream" else "out", request.depth)
    change = Change(
        target=place,
        stream=request.direction,
        depth=request.depth,
        min_confidence=request.min_confidence,
        tests=request.include_tests,
        limit=request.limit,
        edges=request.edges,
    )
    found = impact(asked.snapshot, change)
    contents = shown(asked.things, found, request.direction)
    return Reply(answer(asked.snapshot, found.coverage, listed=request.unresolved), contents, "affected")


TOOLS = (
    ToolEntry(
        name="impact_analysis",
        title="Impact of a change",
        description="Before you change a symbol: all that depends on it, nearest first, with tests and packages; "
        "members and overrides change along. unresolved_sites counts uses that may belong here and could not be "
        "resolved: with any of them, an empty list does not mean that nothing depends on it.",
        request=ImpactAnalysis,
        contents=Effects,
        run=effects,
    ),
)
