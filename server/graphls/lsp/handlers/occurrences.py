"""Occurrences: references and document highlights.

Owns: which bindings count as declarations for the client.
Must not know: how occurrences are found.
Invariant: declarations first, then by file and position, then what the checker alone knows of; large lists go out in
    parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from lsprotocol import types

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import SymbolRef
from graphls.lsp.from_proto import Context, offset_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.to_proto import ToProto
from graphls.lsp.unread_edits import with_edits_in_question
from graphls.lsp.verification import settled_uses
from graphls.queries.document_uses import document_name_at, document_spans, is_in_language
from graphls.queries.highlights import highlights
from graphls.queries.outside_uses import outside_uses
from graphls.queries.references import bindings
from graphls.queries.spans import spans
from graphls.queries.symbol import meaning, symbol

_Locations: TypeAlias = "dict[tuple[str, int], Mapping[str, object]]"


@feature(types.TEXT_DOCUMENT_REFERENCES, workspace=True, one_document=True)
def find_references(context: Context, params: types.ReferenceParams) -> list[Mapping[str, object]]:
    """Every occurrence of what stands at the position."""
    context, wanted = with_edits_in_question(context, params), params.context.include_declaration
    proto = to_proto(context)
    where = offset_of(context, proto, params)
    listed = context.session.session.checker_service.uses(context.snapshot, *where, wanted) if where else None
    context = settled_uses(context, params)
    found = meaning(context.snapshot, *where) if where else None
    locations: _Locations = {}
    for place in found.referents(context.snapshot) if found else ():
        context.cancel.check()
        bound = bindings(context.snapshot, symbol(context.snapshot, place)) if wanted else ()
        _add(proto, locations, [(one.file, one.start, one.end) for one in bound])
        _add(proto, locations, spans(context.snapshot, place))
        _add(proto, locations, document_spans(context.snapshot, place))
    named = document_name_at(context.snapshot, *where) if where and found is None else None
    for target in named.targets if named else ():
        context.cancel.check()
        if isinstance(target, SymbolRef) and is_in_language(context.snapshot, target):
            bound = bindings(context.snapshot, symbol(context.snapshot, target)) if wanted else ()
            _add(proto, locations, [(one.file, one.start, one.end) for one in bound])
            _add(proto, locations, spans(context.snapshot, target))
        elif isinstance(target, DerivedNode) and wanted:
            _add(proto, locations, [(target.file, target.start, target.end)])
        _add(proto, locations, document_spans(context.snapshot, target))
    if where and found and found.externals and not locations:
        outside = outside_uses(context.snapshot, where[0], found.externals)
        outer = (*(outside.bindings if wanted else ()), *outside.uses)
        _add(proto, locations, [(where[0], *span) for span in outer])
    _add(proto, locations, sorted(listed.wait(context.cancel.check)) if listed else ())
    return context.partial.deliver(list(locations.values()))


def _add(proto: ToProto, locations: _Locations, found: Iterable[tuple[FilePath, int, int]]) -> None:
    for file, start, end in found:
        if (file, start) not in locations:
            locations[file, start] = proto.spelled(file, start, end)


@feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, kind="quick", one_document=True)
def highlight(context: Context, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """The same within one document, reading and writing apart."""
    proto = to_proto(context)
    if (where := offset_of(context, proto, params)) is None:
        return []
    return [
        types.DocumentHighlight(
            proto.positions.range(where[0], mark.start, mark.end),
            types.DocumentHighlightKind.Write if mark.writes else types.DocumentHighlightKind.Read,
        )
        for mark in highlights(context.snapshot, *where)
        if proto.is_in(params.text_document.uri, where[0], mark.start)
    ]


FEATURES: tuple[Declaration, ...] = (find_references, highlight)
