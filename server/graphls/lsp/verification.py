"""Verification: requests answered from a snapshot in which what matters for them is settled.

Owns: which part of a request's params says what matters.
Must not know: checkers, budgets, how answers are made.
Invariant: the context that comes back differs from the one that went in by its snapshot alone; contents are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from graphls.graph.errors import GraphError
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.lsp.from_proto import Context, WithPosition, WithTextDocument, offset_of, subject, to_proto
from graphls.queries.neighborhood import Direction
from graphls.queries.symbol import meaning
from graphls.session.past_contents import PastSnapshotContents
from graphls.session.reported_problems import with_logs


def settled_at(context: Context, params: WithPosition) -> Context:
    """With the name at the position settled."""
    where = offset_of(context, to_proto(context), params)
    return seeing(context, context.session.session.checker_service.at(context.snapshot, *where)) if where else context


def settled_uses(context: Context, params: WithPosition) -> Context:
    """With the name at the position, and whatever may mean the same, settled."""
    context = settled_at(context, params)
    where = offset_of(context, to_proto(context), params)
    found = meaning(context.snapshot, *where) if where else None
    places = found.referents(context.snapshot) if found else ()
    return settled_around(context, places, "in") if places else context


def settled_around(
    context: Context, places: Sequence[SymbolRef], direction: Direction = "both", depth: int = 1
) -> Context:
    """With the edges at places, and further on for a greater depth, settled; of a commit none: a checker reads files as
    they are."""
    if isinstance(context.snapshot.reader, PastSnapshotContents):
        return context
    return seeing(context, context.session.session.checker_service.near(context.snapshot, places, direction, depth))


def settled_near(context: Context, params: WithTextDocument, direction: Direction = "both", depth: int = 1) -> Context:
    """The same for the subject of an own request; a subject that cannot be found is refused later, by the handler."""
    try:
        place = subject(context, to_proto(context), params)
    except GraphError:
        return context
    return settled_around(context, (place,), direction, depth)


def reported_near(context: Context, params: WithTextDocument, direction: Direction = "both", depth: int = 1) -> Context:
    """The same, with what logs of other tools say."""
    return with_reported(settled_near(context, params, direction, depth))


def with_reported(context: Context) -> Context:
    """With what logs of other tools say; they say nothing of a commit."""
    if isinstance(context.snapshot.reader, PastSnapshotContents):
        return context
    session = context.session.session
    return seeing(context, with_logs(context.snapshot, session.workspace, session.settings, session.store))


def seeing(context: Context, snapshot: Snapshot) -> Context:
    """The same request, answered from this snapshot."""
    return attrs.evolve(context, take_snapshot=lambda: snapshot)
