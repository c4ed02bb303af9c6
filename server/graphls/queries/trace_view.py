"""Trace view: how one symbol reaches another, as faces for people and agents show it.

Owns: the records of an answer.
Must not know: layout, JSON, how paths are searched.
Invariant: the same answer gives the same records on every face.
"""

from __future__ import annotations

import attrs

from graphls.queries.node_views import EdgeView, NodeView, Presenter
from graphls.queries.trace import Trace


@attrs.frozen(kw_only=True)
class TracePathView:
    """Nodes from the start on, and the edges between them. `parallel`: further edges between the same nodes."""

    confidence: float
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    parallel: tuple[EdgeView, ...] = ()

    def kinds(self, step: int) -> str:
        """What a step is: the kinds of all edges between its nodes."""
        ends = {self.nodes[step].id, self.nodes[step + 1].id}
        further = (edge.kind for edge in self.parallel if {edge.source_id, edge.target_id} == ends)
        return ", ".join(dict.fromkeys((self.edges[step].kind, *further)))


@attrs.frozen(kw_only=True)
class TraceView:
    """Shortest first. `exhausted`: everything within the depth was visited, so no path means that there is none."""

    exhausted: bool
    visited: int
    paths: tuple[TracePathView, ...]


def trace_view(presenter: Presenter, found: Trace) -> TraceView:
    """The records of an answer."""
    paths = tuple(
        TracePathView(
            confidence=path.confidence,
            nodes=tuple(presenter.node(node) for node in path.nodes),
            edges=presenter.edges(path.edges),
            parallel=presenter.edges(path.parallel),
        )
        for path in found.paths
    )
    return TraceView(exhausted=found.exhausted, visited=found.visited, paths=paths)
