"""Ranges: folding and selection.

Owns: the client's limits on folds, the nesting of selections.
Must not know: what a stretch of code is.
Invariant: a selection's parent contains it.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.facts.paths import FilePath
from graphls.lsp.from_proto import Context, file_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.lsp.to_proto import ToProto
from graphls.queries.folding import Fold, folding
from graphls.queries.selection import selection

_KINDS = {"region": None, "imports": types.FoldingRangeKind.Imports}


@feature(types.TEXT_DOCUMENT_FOLDING_RANGE, kind="quick", one_document=True)
def folds(context: Context, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """What may be collapsed."""
    path = file_of(context, params.text_document.uri)
    if path is None:
        return []
    client = context.client.text_document and context.client.text_document.folding_range
    limit = (client and client.range_limit) or None
    proto, uri = to_proto(context), params.text_document.uri
    found = folding(context.snapshot, path)
    if proto.positions.cells(path) is None:
        return [types.FoldingRange(fold.start_line, fold.end_line, kind=_KINDS[fold.kind]) for fold in found[:limit]]
    inside = (_in_cell(proto, uri, path, fold) for fold in found)
    return [fold for fold in inside if fold is not None][:limit]


@feature(types.TEXT_DOCUMENT_SELECTION_RANGE, kind="quick", one_document=True)
def selections(context: Context, params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
    """Ever larger ranges around each position."""
    path = file_of(context, params.text_document.uri)
    if path is None:
        return None
    proto = to_proto(context)
    return [_ladder(context, proto, path, position, params.text_document.uri) for position in params.positions]


def _in_cell(proto: ToProto, uri: str, path: FilePath, fold: Fold) -> types.FoldingRange | None:
    """A fold of a notebook's file as one of the cell that it is in."""
    starts = proto.snapshot.facts(path).lines
    begin, end = starts[fold.start_line], starts[fold.end_line]
    if not proto.is_in(uri, path, begin) or not proto.is_in(uri, path, end):
        return None
    first, last = (proto.positions.numbers(path, offset, offset)[0] for offset in (begin, end))
    return types.FoldingRange(first, last, kind=_KINDS[fold.kind]) if first < last else None


def _ladder(
    context: Context, proto: ToProto, path: FilePath, position: types.Position, uri: str
) -> types.SelectionRange:
    offset = proto.positions.offset(path, position, uri)
    here = types.Range(position, position)
    spans = selection(context.snapshot, path, offset)
    ranges = [proto.positions.range(path, start, end) for start, end in spans]
    outer: types.SelectionRange | None = None
    for span in reversed(ranges):
        if outer is None or span != outer.range:
            outer = types.SelectionRange(span, outer)
    return outer or types.SelectionRange(here)


FEATURES: tuple[Declaration, ...] = (folds, selections)
