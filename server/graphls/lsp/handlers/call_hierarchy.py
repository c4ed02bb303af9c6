"""Call hierarchy: the call hierarchy.

Owns: items and their way back to places.
Must not know: how calls are found.
Invariant: ranges of a call lie in the caller's document.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.graph.identity import node_id, symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.lsp.from_proto import Context, item_place, offset_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.to_proto import ToProto
from graphls.lsp.unread_edits import settled_item, with_edits_in_question
from graphls.lsp.verification import settled_at
from graphls.lsp.views import completeness_data
from graphls.queries.call_hierarchy import CallRelation, callees, callers, prepare
from graphls.queries.completeness import spent_gaps


@feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, kind="quick", one_document=True)
def prepared(context: Context, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem]:
    """Callables at a position."""
    context = settled_at(with_edits_in_question(context, params), params)
    proto = to_proto(context)
    where = offset_of(context, proto, params)
    return [_counted(context, proto, place) for place in prepare(context.snapshot, *where)] if where else []


@feature(types.CALL_HIERARCHY_INCOMING_CALLS, workspace=True)
def incoming(context: Context, params: types.CallHierarchyIncomingCallsParams) -> list[types.CallHierarchyIncomingCall]:
    """Who calls an item."""
    context = settled_item(context, params.item, "in")
    proto = to_proto(context)
    found = callers(context.snapshot, item_place(context, proto, params.item))
    return [
        types.CallHierarchyIncomingCall(_item(context, proto, calls, uri), ranges)
        for calls in found.calls
        if _is_shown(context, calls)
        for uri, ranges in proto.ranges(calls.sites).items()
    ]


@feature(types.CALL_HIERARCHY_OUTGOING_CALLS)
def outgoing(context: Context, params: types.CallHierarchyOutgoingCallsParams) -> list[types.CallHierarchyOutgoingCall]:
    """What an item calls."""
    context = settled_item(context, params.item, "out")
    proto = to_proto(context)
    found = callees(context.snapshot, item_place(context, proto, params.item))
    made = ((calls, proto.ranges(calls.sites)) for calls in found if _is_shown(context, calls))
    shown = [
        types.CallHierarchyOutgoingCall(_item(context, proto, calls), ranges[params.item.uri])
        for calls, ranges in made
        if params.item.uri in ranges
    ]
    gaps = spent_gaps()
    if shown and gaps:
        shown[-1].to.detail = f"{shown[-1].to.detail} (more may be called: {gaps[0].cause})"
    return shown


def _is_shown(context: Context, calls: CallRelation) -> bool:
    return not calls.constructs or context.session.settings.calls.implicit


def _counted(context: Context, proto: ToProto, place: SymbolRef) -> types.CallHierarchyItem:
    """An item that says whether its incoming calls are all there are: the protocol has no other place for that."""
    item = proto.call_item(place)
    completeness = completeness_data(context.snapshot, callers(context.snapshot, place).completeness)
    item.data = {"node": node_id(context.snapshot, place), **completeness}
    if not completeness["complete"]:
        left = completeness["unresolvedSites"]
        item.detail = f"{item.detail} ({left} more places may call it)" if left else f"{item.detail} (may have more)"
    return item


def _item(context: Context, proto: ToProto, calls: CallRelation, uri: str = "") -> types.CallHierarchyItem:
    """The other side; where the call names another member than runs, it says so."""
    item = proto.call_item(calls.place, uri)
    if calls.constructs:
        item.detail = f"{item.detail} (implicit: {calls.constructs})"
    if calls.through is not None:
        item.detail = f"{item.detail} (possibly, through {symbol_name(context.snapshot, calls.through)})"
    return item


FEATURES: tuple[Declaration, ...] = (prepared, incoming, outgoing)
