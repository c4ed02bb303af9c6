"""Symbols: the outline of a document, symbols of the workspace by name.

Owns: the choice between nested and flat outlines.
Must not know: how names are matched.
Invariant: every workspace symbol has a range.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.graph.request_budget import spent_reason
from graphls.lsp.from_proto import Context, file_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.to_proto import symbol_kind
from graphls.lsp.unread_edits import with_edits_in_time
from graphls.queries.definition import location
from graphls.queries.document_symbols import document_symbols
from graphls.queries.find import FindQuery, find

MAX_SYMBOLS = 200


@feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, kind="quick", one_document=True)
def outline(
    context: Context, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """The outline of one document."""
    path = file_of(context, params.text_document.uri)
    if path is None:
        return []
    proto = to_proto(context)
    found = document_symbols(context.snapshot, path)
    entries = [entry for entry in found if proto.is_in(params.text_document.uri, path, entry.start)]
    client = context.client.text_document and context.client.text_document.document_symbol
    if client and client.hierarchical_document_symbol_support:
        return [proto.document_symbol(path, entry) for entry in entries]
    return proto.flat_symbols(path, entries)


@feature(types.WORKSPACE_SYMBOL, workspace=True)
def by_name(context: Context, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """Best matches for a name."""
    context = with_edits_in_time(context)
    proto = to_proto(context)
    found = find(context.snapshot, FindQuery(params.query, limit=MAX_SYMBOLS, documents=True))
    if spent_reason():
        context.tell("Not all names were looked at in the time that a request has. Ask again, it goes on.")
    symbols: list[types.WorkspaceSymbol] = []
    for match in found.matches:
        where = location(context.snapshot, match.place)
        at = proto.location(where.file, where.start, where.end)
        kind = symbol_kind(match.kind, name=match.name)
        symbols.append(types.WorkspaceSymbol(at, match.name, kind, container_name=match.container))
    for node in found.derived:
        holder, _, name = node.name.rpartition(".")
        kind = types.SymbolKind.Field if holder else types.SymbolKind.Struct
        at = proto.location(node.file, node.start, node.end)
        symbols.append(types.WorkspaceSymbol(at, name, kind, container_name=holder or node.file))
    return context.partial.deliver(symbols)


FEATURES: tuple[Declaration, ...] = (outline, by_name)
