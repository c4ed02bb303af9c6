"""Entries: graph/entry, graph/entries and graph/tour.

Owns: the params, views of what was found.
Must not know: how entries are found or followed.
Invariant: a name with several meanings is refused with its candidates.
"""

from __future__ import annotations

from graphls.lsp.from_proto import Context, to_proto
from graphls.lsp.messages import EntriesResult, EntryResult, EntryRowView, StopView, TourResult
from graphls.lsp.params import EntriesParams, EntryParams, TourParams
from graphls.lsp.protocol import Declaration, custom
from graphls.lsp.verification import settled_around
from graphls.lsp.views import affected_views, edge_view, envelope, listing, node_view
from graphls.queries.entry import entry, find_entry
from graphls.queries.entry_list import entry_list
from graphls.queries.tour import tour


@custom("graph/entry", EntryParams, EntryResult)
def entered(context: Context, params: EntryParams) -> EntryResult:
    """A route, tool, command or job with what stands behind it."""
    found = entry(context.snapshot, find_entry(context.snapshot, params.name), params.depth, params.limit)
    context = settled_around(context, found.handlers)
    found = entry(context.snapshot, found.entry, params.depth, params.limit)
    proto = to_proto(context)
    return EntryResult(
        **listing(proto, found.coverage, params.unresolved),
        entry=node_view(proto, found.entry),
        edges=[edge_view(proto, edge, sites=True) for edge in found.edges],
        handlers=[node_view(proto, place) for place in found.handlers],
        needs=affected_views(proto, found.needs),
        tests=affected_views(proto, found.tests),
    )


@custom("graph/entries", EntriesParams, EntriesResult, kind="long")
def listed(context: Context, params: EntriesParams) -> EntriesResult:
    """Every route, tool, command and job with what handles it."""
    found = entry_list(context.snapshot, params.scope, params.limit, tests=params.tests)
    proto = to_proto(context)
    return EntriesResult(
        **envelope(context.snapshot, found.coverage),
        entries=[
            EntryRowView(node=node_view(proto, one.entry), handlers=[node_view(proto, place) for place in one.handlers])
            for one in found.entries
        ],
    )


@custom("graph/tour", TourParams, TourResult)
def toured(context: Context, params: TourParams) -> TourResult:
    """What to read first."""
    found = tour(context.snapshot, params.scope, params.limit)
    proto = to_proto(context)
    return TourResult(
        **envelope(context.snapshot, found.coverage),
        stops=[StopView(why=stop.why, count=stop.count, node=node_view(proto, stop.place)) for stop in found.stops],
    )


FEATURES: tuple[Declaration, ...] = (entered, listed, toured)
