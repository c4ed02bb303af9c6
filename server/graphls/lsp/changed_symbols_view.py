"""Changed symbols view: files and what became of their symbols, as graph/changedImpact says it.

Owns: the records; lines count from 0 there.
Must not know: how states are compared.
Invariant: what is not there in a state is null in it.
"""

from __future__ import annotations

from graphls.lsp.messages import ChangedFileView, HunkView, SymbolDeltaView, SymbolStateView
from graphls.lsp.to_proto import ToProto
from graphls.queries.changed import ChangedFile
from graphls.queries.symbol_deltas import SymbolDelta, SymbolState


def symbol_delta_view(one: SymbolDelta) -> SymbolDeltaView:
    """What became of one symbol."""
    return SymbolDeltaView(
        file=one.file,
        symbol=one.symbol,
        name=one.name,
        language=one.language,
        kind=one.node_kind,
        subkind=one.kind,
        action=one.action,
        before=_state(one.before),
        after=_state(one.after),
        line_delta=one.delta,
        drift=one.drift,
    )


def _state(state: SymbolState | None) -> SymbolStateView | None:
    if state is None:
        return None
    return SymbolStateView(start_line=state.start_line - 1, end_line=state.end_line - 1, hash=state.hash)


def changed_file_view(proto: ToProto, file: ChangedFile) -> ChangedFileView:
    """One file."""
    edit = file.edit
    spans = [HunkView(start_line=hunk.start, end_line=hunk.end, removed=hunk.removed) for hunk in file.hunks]
    uri = proto.uri(edit.path)
    return ChangedFileView(
        file=edit.path, uri=uri, status=edit.status, old_file=edit.old_path, hunks=spans, reason=file.reason
    )
