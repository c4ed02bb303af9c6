"""Trace, shown: how one symbol reaches another, as faces for people and agents show it.

Owns: the records of an answer.
Must not know: layout, JSON, how paths are searched.
Invariant: the same answer gives the same records on every face.
"""

from __future__ import annotations

import attrs

from graphls.queries.things import Link, Thing, Things
from graphls.queries.trace import Trace


@attrs.frozen(kw_only=True)
class Way:
    """One path: nodes from the start on, and the edges between them."""

    confidence: float
    nodes: tuple[Thing, ...]
    edges: tuple[Link, ...]


@attrs.frozen(kw_only=True)
class Ways:
    """Shortest first. `exhausted`: everything within the depth was visited, so no path means that there is none."""

    exhausted: bool
    visited: int
    paths: tuple[Way, ...]


def ways(things: Things, found: Trace) -> Ways:
    """The records of an answer."""
    paths = tuple(
        Way(
            confidence=path.confidence,
            nodes=tuple(things.thing(node) for node in path.nodes),
            edges=things.links(path.edges),
        )
        for path in found.paths
    )
    return Ways(exhausted=found.exhausted, visited=found.visited, paths=paths)
