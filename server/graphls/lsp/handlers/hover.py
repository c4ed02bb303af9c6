"""Hover: what is known of the name at a position.

Owns: the request.
Must not know: which facts are shown, their wording.
Invariant: nothing known is null, never an empty bubble.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.lsp.from_proto import Context, offset_of, to_proto
from graphls.lsp.hover_text import HoverContext, markdown, plain
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.verification import settled_at
from graphls.queries.hover import hover


@feature(types.TEXT_DOCUMENT_HOVER, kind="quick", one_document=True)
def hovered(context: Context, params: types.HoverParams) -> types.Hover | None:
    """Signature, documentation, callers, tests, findings, decisions, history."""
    where = offset_of(context, to_proto(context), params)
    span = context.session.session.checker_service.hover(context.snapshot, *where) if where else None
    context = settled_at(context, params)
    proto = to_proto(context)
    found = hover(context.snapshot, *where) if where else None
    if where is None or found is None:
        return None
    known = context.session.findings.about(context.snapshot, found.card.place) if found.card else ()
    client = context.client.text_document and context.client.text_document.hover
    formats = (client and client.content_format) or [types.MarkupKind.Markdown]
    as_markdown = types.MarkupKind.Markdown in formats
    checked = span.type(context.cancel.check) if span else None
    record, place = context.session.annotations, found.card.place if found.card else None
    more = HoverContext(
        known,
        checked,
        implicit=context.session.settings.calls.implicit,
        decisions=record.decisions(context.snapshot, place) if place else (),
        history=record.history(place) if place else None,
        pending=context.snapshot.pending,
    )
    text = markdown(found, more) if as_markdown else plain(found, more)
    kind = types.MarkupKind.Markdown if as_markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), proto.positions.range(where[0], found.at.start, found.at.end))


FEATURES: tuple[Declaration, ...] = (hovered,)
