"""Type hierarchy: the type hierarchy.

Owns: items and their way back to places.
Must not know: how classes are related.
Invariant: items are classes of the workspace.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.graph.identity import node_id
from graphls.graph.snapshot import SymbolRef
from graphls.lsp.from_proto import Context, item_place, offset_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.to_proto import ToProto
from graphls.lsp.unread_edits import with_edits_in_question, with_edits_in_time
from graphls.lsp.views import completeness_data
from graphls.queries.symbol import meaning
from graphls.queries.type_hierarchy import is_class, subtypes, subtypes_lack, supertypes


@feature(types.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY, kind="quick", one_document=True)
def prepared(context: Context, params: types.TypeHierarchyPrepareParams) -> list[types.TypeHierarchyItem]:
    """Classes at a position."""
    context = with_edits_in_question(context, params)
    proto = to_proto(context)
    where = offset_of(context, proto, params)
    found = meaning(context.snapshot, *where) if where else None
    places = found.places if found else ()
    return [_counted(context, proto, place) for place in places if is_class(context.snapshot, place)]


@feature(types.TYPE_HIERARCHY_SUPERTYPES)
def above(context: Context, params: types.TypeHierarchySupertypesParams) -> list[types.TypeHierarchyItem]:
    """Bases of an item."""
    context = with_edits_in_time(context, params.item.uri)
    proto = to_proto(context)
    place = item_place(context, proto, params.item)
    return [proto.type_item(base) for base in supertypes(context.snapshot, place)]


@feature(types.TYPE_HIERARCHY_SUBTYPES, workspace=True)
def below(context: Context, params: types.TypeHierarchySubtypesParams) -> list[types.TypeHierarchyItem]:
    """Classes that name an item as a base."""
    context = with_edits_in_time(context, params.item.uri)
    proto = to_proto(context)
    place = item_place(context, proto, params.item)
    return [proto.type_item(derived) for derived in subtypes(context.snapshot, place)]


def _counted(context: Context, proto: ToProto, place: SymbolRef) -> types.TypeHierarchyItem:
    """An item that says whether the classes below it are all there are."""
    item = proto.type_item(place)
    completeness = completeness_data(context.snapshot, subtypes_lack(context.snapshot, place))
    item.data = {"node": node_id(context.snapshot, place), **completeness}
    return item


FEATURES: tuple[Declaration, ...] = (prepared, above, below)
