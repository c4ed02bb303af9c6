"""Effects: what a change may reach.

Owns: impact_analysis.
Must not know: how reach is computed.
Invariant: uses that could not be resolved are counted beside what was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from graphls.mcp.catalog import Asked, ToolEntry
from graphls.mcp.paging import Reply
from graphls.mcp.requests import ImpactAnalysis
from graphls.mcp.results import Effects, Reached
from graphls.queries.answer import answer
from graphls.queries.impact import Affected, Change, impact


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
    contents = Effects(
        stream=request.direction,
        changed=tuple(asked.things.thing(seed) for seed in found.seeds),
        packages=found.packages,
        routes=tuple(asked.things.thing(one.node) for one in found.entries),
        counts=by_depth(found.affected),
        tests=sum(one.test for one in found.affected),
        affected=reached(asked, found.affected),
        edges=asked.things.links(found.edges),
        edges_omitted=found.edges_omitted,
    )
    return Reply(answer(asked.snapshot, found.coverage), contents, "affected")


def reached(asked: Asked, affected: Iterable[Affected]) -> tuple[Reached, ...]:
    """Affected nodes as results."""
    return tuple(
        Reached(
            depth=one.depth,
            via=one.via,
            confidence=one.confidence,
            test=one.test,
            possible=one.possible,
            node=asked.things.thing(one.node),
        )
        for one in affected
    )


def by_depth(affected: Iterable[Affected]) -> tuple[int, ...]:
    """How many nodes are one step away, two steps, and so on."""
    depths = Counter(one.depth for one in affected)
    return tuple(depths[depth] for depth in range(1, max(depths, default=0) + 1))


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
