"""From the protocol: what a client's params mean in a snapshot.

Owns: URIs to files, positions to offsets, the ways to name a subject.
Must not know: what is asked about it.
Invariant: a standard request about a file outside the graph has no answer; an own request says why not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, cast

from lsprotocol import types

from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.errors import AmbiguousSymbol, BadRequest, NotInGraph, UnknownSymbol
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.lsp.positions import ClientPositions
from graphls.lsp.protocol import RequestContext
from graphls.lsp.server_session import ServerSession
from graphls.lsp.to_proto import ToProto
from graphls.queries.symbol import meaning
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.documents.document import Document, open_document
from graphls.session.documents.notebook import NotebookCell

Context = RequestContext[ServerSession, Snapshot]


class WithPosition(Protocol):
    """Params of requests about a position."""

    @property
    def text_document(self) -> Any: ...

    @property
    def position(self) -> Any: ...


class WithTextDocument(Protocol):
    """Params that name a subject in one of three ways."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier | None: ...

    @property
    def position(self) -> types.Position | None: ...

    @property
    def node(self) -> str | None: ...

    @property
    def symbol(self) -> str | None: ...


def cells_of(cells: Iterable[types.NotebookCell]) -> list[NotebookCell]:
    """Cells of a notebook, whose texts are documents of their own."""
    return [NotebookCell(cell.document, cell.kind == types.NotebookCellKind.Code) for cell in cells]


def documents_of(items: Iterable[types.TextDocumentItem]) -> list[Document]:
    """Documents as a client opens them."""
    return [open_document(one.uri, one.version, one.text, one.language_id) for one in items]


def table(value: object) -> Mapping[str, Any]:
    """A JSON object that has no message class; empty for any other value."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def to_proto(context: Context) -> ToProto:
    """The conversion of this request's answers."""
    return proto_of(context, context.snapshot)


def proto_of(context: Context, snapshot: Snapshot) -> ToProto:
    """The same of another state than that of the request."""
    session = context.session
    return ToProto(snapshot, session.uris, ClientPositions(snapshot, context.encoding, session.notebooks))


def file_of(context: Context, uri: str) -> FilePath | None:
    """The file of the graph that a URI names."""
    path = context.session.uris.path(uri)
    return path if path is not None and path in context.snapshot.shards else None


def offset_of(context: Context, proto: ToProto, params: WithPosition) -> tuple[FilePath, int] | None:
    """File and byte offset; None for files outside the graph."""
    path = file_of(context, params.text_document.uri)
    return None if path is None else (path, proto.positions.offset(path, params.position, params.text_document.uri))


def required_file(context: Context, uri: str) -> FilePath:
    """The file that a URI names, or a refusal."""
    path = file_of(context, uri)
    if path is None:
        raise NotInGraph(uri.rpartition("/")[2])
    return path


def subject(context: Context, proto: ToProto, params: WithTextDocument) -> SymbolRef:
    """The one thing that the params name."""
    if params.node or params.symbol:
        return one_symbol(context.snapshot, str(params.node or params.symbol))
    if params.text_document is None:
        raise BadRequest("Name the subject: node, symbol, or textDocument (with position for a name in it).")
    path = required_file(context, params.text_document.uri)
    if params.position is None:
        return SymbolRef(path, NONE)
    offset = proto.positions.offset(path, params.position, params.text_document.uri)
    found = meaning(context.snapshot, path, offset)
    places = list(found.places) if found else []
    if not places:
        raise UnknownSymbol(f"{path}:{params.position.line + 1}:{params.position.character + 1}")
    if len(places) > 1:
        names = [symbol_name(context.snapshot, place) for place in places]
        raise AmbiguousSymbol(f"{path}:{params.position.line + 1}", names)
    return places[0]


def item_place(context: Context, proto: ToProto, item: types.CallHierarchyItem | types.TypeHierarchyItem) -> SymbolRef:
    """The place of a hierarchy item that was given out before, perhaps by an earlier snapshot."""
    path = required_file(context, item.uri)
    if item.kind == types.SymbolKind.Module:
        return SymbolRef(path, NONE)
    offset = proto.positions.offset(path, item.selection_range.start, item.uri)
    found = meaning(context.snapshot, path, offset)
    if found is None or not found.places:
        raise UnknownSymbol(item.name)
    return found.places[0]
