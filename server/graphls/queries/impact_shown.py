"""Impact, shown: what a change may reach, as faces for people and agents show it.

Owns: the records of an answer.
Must not know: layout, JSON, how reach is computed.
Invariant: the same answer gives the same records on every face.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import attrs

from graphls.queries.impact import Affected, Impact, Stream
from graphls.queries.things import Link, Thing, Things


@attrs.frozen(kw_only=True)
class Reached:
    """One node, how far away it is, and how sure the way to it is."""

    depth: int
    via: str
    confidence: float
    test: bool
    possible: bool
    """Only through a member that the changed one overrides, or that overrides it."""
    node: Thing


@attrs.frozen(kw_only=True)
class Effects:
    """Nearest first. `changed`: the subject with what changes along with it; `counts`: nodes at each distance, `tests`:
    tests among them; null where the answer was cut, for nobody counted the rest."""

    stream: str
    changed: tuple[Thing, ...]
    packages: tuple[str, ...]
    routes: tuple[Thing, ...]
    """Routes and tools through which the change can be met."""
    counts: tuple[int, ...] | None
    tests: int | None
    importers: int | None
    """Bindings of imports, and modules, that only bring in what is affected; likewise."""
    affected: tuple[Reached, ...]
    edges: tuple[Link, ...]
    """Those that were walked, where they were asked for."""
    edges_omitted: int


def effects(things: Things, found: Impact, stream: Stream) -> Effects:
    """The records of an answer."""
    return Effects(
        stream=stream,
        changed=tuple(things.thing(seed) for seed in found.seeds),
        packages=found.packages,
        routes=tuple(things.thing(one.node) for one in found.entries),
        counts=None if found.coverage.truncated else by_depth(found.affected),
        tests=None if found.coverage.truncated else sum(one.test for one in found.affected),
        importers=None if found.coverage.truncated else len(found.importers),
        affected=reached(things, found.affected),
        edges=things.links(found.edges),
        edges_omitted=found.edges_omitted,
    )


def reached(things: Things, affected: Iterable[Affected]) -> tuple[Reached, ...]:
    """What a walk reached; in the walk's order."""
    return tuple(
        Reached(
            depth=one.depth,
            via=one.via,
            confidence=one.confidence,
            test=one.test,
            possible=one.possible,
            node=things.thing(one.node),
        )
        for one in affected
    )


def by_depth(affected: Iterable[Affected]) -> tuple[int, ...]:
    """How many nodes are one step away, two steps, and so on."""
    depths = Counter(one.depth for one in affected)
    return tuple(depths[depth] for depth in range(1, max(depths, default=0) + 1))
