"""Occurrences: references and document highlights.

Owns: which bindings count as declarations for the client.
Must not know: how occurrences are found.
Invariant: declarations first, then by file and position, then what the checker alone knows of; large lists go out in
    parts.
"""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from graphls.lsp.from_proto import Context, offset_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.verification import settled_uses
from graphls.queries.highlights import highlights
from graphls.queries.outside_uses import outside_uses
from graphls.queries.references import bindings
from graphls.queries.spans import spans
from graphls.queries.symbol import meaning, symbol


@feature(types.TEXT_DOCUMENT_REFERENCES)
def find_references(context: Context, params: types.ReferenceParams) -> list[Mapping[str, object]]:
    """Every occurrence of what stands at the position."""
    proto = to_proto(context)
    where = offset_of(context, proto, params)
    wanted = params.context.include_declaration
    listed = context.session.session.checker_service.uses(context.snapshot, *where, wanted) if where else None
    context = settled_uses(context, params)
    found = meaning(context.snapshot, *where) if where else None
    locations: dict[tuple[str, int], Mapping[str, object]] = {}
    for place in found.referents(context.snapshot) if found else ():
        context.cancel.check()
        bound = bindings(context.snapshot, symbol(context.snapshot, place)) if wanted else ()
        for file, start, end in [*((one.file, one.start, one.end) for one in bound), *spans(context.snapshot, place)]:
            if (file, start) not in locations:
                locations[file, start] = proto.spelled(file, start, end)
    if where and found and found.externals and not locations:
        outside = outside_uses(context.snapshot, where[0], found.externals)
        for span in (*(outside.bindings if wanted else ()), *outside.uses):
            locations.setdefault((where[0], span[0]), proto.spelled(where[0], *span))
    for file, start, end in sorted(listed.wait(context.cancel.check)) if listed else ():
        locations.setdefault((file, start), proto.spelled(file, start, end))
    return context.partial.deliver(list(locations.values()))


@feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, kind="quick")
def highlight(context: Context, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """The same within one document, reading and writing apart."""
    proto = to_proto(context)
    where = offset_of(context, proto, params)
    if where is None:
        return []
    return [
        types.DocumentHighlight(
            proto.positions.range(where[0], mark.start, mark.end),
            types.DocumentHighlightKind.Write if mark.writes else types.DocumentHighlightKind.Read,
        )
        for mark in highlights(context.snapshot, *where)
    ]


FEATURES: tuple[Declaration, ...] = (find_references, highlight)
