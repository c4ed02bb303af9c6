"""Code lens: callers and tests above definitions.

Owns: the wording of a lens, its command.
Must not know: how callers are found.
Invariant: listing computes no counts; a lens that can not be resolved any more says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from graphls.graph.snapshot import SymbolRef
from graphls.lsp.from_proto import Context, file_of, table, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.queries.code_lens import LensCounts, lens_counts, lenses
from graphls.queries.hover import UseCounts
from graphls.queries.position import name_at

SHOW_REFERENCES = "graphls.showReferences"
MAX_SHOWN = 500


@feature(types.TEXT_DOCUMENT_CODE_LENS)
def listed(context: Context, params: types.CodeLensParams) -> list[types.CodeLens]:
    """One lens a definition, without its text."""
    path = file_of(context, params.text_document.uri)
    if path is None:
        return []
    proto = to_proto(context)
    data = {"uri": params.text_document.uri}
    found = [one for one in lenses(context.snapshot, path) if proto.is_in(params.text_document.uri, path, one.start)]
    return [types.CodeLens(proto.positions.range(path, lens.start, lens.end), data=data) for lens in found]


@feature(types.CODE_LENS_RESOLVE)
def resolved(context: Context, lens: types.CodeLens) -> types.CodeLens:
    """The text of one lens."""
    uri = str(table(lens.data).get("uri", ""))
    path = file_of(context, uri)
    proto = to_proto(context)
    offset = proto.positions.offset(path, lens.range.start, uri) if path else 0
    found = name_at(context.snapshot, path, offset) if path else None
    if path is None or found is None or found.definition < 0:
        return types.CodeLens(lens.range, types.Command("", ""), lens.data)
    place, implicit = SymbolRef(path, found.definition), context.session.settings.calls.implicit
    answer = lens_counts(context.snapshot, place, implicit=implicit)
    sites = [proto.location(*site) for site in answer.sites[:MAX_SHOWN]]
    governed = context.session.annotations.decisions(context.snapshot, place)
    title = _title(answer, unread=bool(context.snapshot.pending))
    if governed:
        title += f", governed by {_count(len(governed), 'decision')}"
    command = types.Command(title, SHOW_REFERENCES, arguments=[uri, lens.range.start, sites])
    return types.CodeLens(lens.range, command, lens.data)


def _title(answer: LensCounts, *, unread: bool) -> str:
    """`unread`: files are still being read, which may hold more callers."""
    use, so_far = answer.use, " so far" if unread else ""
    callers = _count(use.callers, "caller") + so_far
    if use.implicit:
        callers += f", {use.implicit} implicit"
    more = ", ".join(_more(use))
    if not use.callers and not use.implicit:
        callers = f"no caller found{so_far}; {more}" if more else f"no caller found{so_far}"
    elif more:
        callers += f" (more: {more})"
    tests = f", {_count(use.tests, 'test')}" if use.tests else ""
    return callers + tests


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _more(use: UseCounts) -> Iterator[str]:
    """Why there may be more callers."""
    if use.unresolved_sites:
        yield f"{_count(use.unresolved_sites, 'use')} could not be resolved"
    if use.values:
        yield "handed on as a value"


FEATURES: tuple[Declaration, ...] = (listed, resolved)
