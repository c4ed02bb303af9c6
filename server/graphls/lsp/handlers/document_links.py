"""Document links: what documents and configuration name, as links to click on.

Owns: the target of a link.
Must not know: formats, how names are resolved.
Invariant: a link leads to where `textDocument/definition` leads.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.analysis.document_references import document_links
from graphls.graph.derivation import DerivedNode
from graphls.graph.identity import symbol_name
from graphls.graph.snapshot import SymbolRef
from graphls.lsp.from_proto import Context, file_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.to_proto import ToProto


@feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, kind="quick", one_document=True)
def links(context: Context, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Every stretch of a document that names something of the workspace."""
    path = file_of(context, params.text_document.uri)
    if path is None:
        return []
    proto = to_proto(context)
    return [
        types.DocumentLink(proto.positions.range(path, start, end), *_target(context, proto, target))
        for start, end, target in document_links(context.snapshot, path)
        if proto.is_in(params.text_document.uri, path, start)
    ]


def _target(context: Context, proto: ToProto, target: SymbolRef | DerivedNode) -> tuple[str, str]:
    """Where it is, with the line where that is not the first, and what it is called."""
    if isinstance(target, DerivedNode):
        start, name = target.start, target.name
    elif target.definition < 0:
        return proto.uri(target.file), str(target.file)
    else:
        table = context.snapshot.facts(target.file).definitions
        start, name = table.start[target.definition], symbol_name(context.snapshot, target)
    line = proto.positions.range(target.file, start, start).start.line
    return f"{proto.uri(target.file, start)}#L{line + 1}", name


FEATURES: tuple[Declaration, ...] = (links,)
