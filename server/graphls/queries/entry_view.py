"""Entry view: what stands behind a route, tool, command or job, as faces for people and agents show it.

Owns: the record of an answer.
Must not know: layout, JSON, frameworks.
Invariant: the same answer gives the same record on every face.
"""

from __future__ import annotations

import attrs

from graphls.queries.entry import EntryAnswer
from graphls.queries.impact_view import Reached, reached_views
from graphls.queries.node_views import EdgeView, NodeView, Presenter


@attrs.frozen(kw_only=True)
class EntryView:
    """A way into the program. `needs`: what its handlers lead to, nearest first; `tests`: those that reach them."""

    entry: NodeView
    edges: tuple[EdgeView, ...]
    handlers: tuple[NodeView, ...]
    tests: tuple[Reached, ...]
    needs: tuple[Reached, ...]


def entry_view(presenter: Presenter, found: EntryAnswer) -> EntryView:
    """The record of an answer."""
    return EntryView(
        entry=presenter.node(found.entry),
        edges=presenter.edges(found.edges),
        handlers=tuple(presenter.node(place) for place in found.handlers),
        tests=reached_views(presenter, found.tests),
        needs=reached_views(presenter, found.needs),
    )
