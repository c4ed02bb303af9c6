"""Rename: edits that give a symbol another name, as a workspace edit.

Owns: the refusal as an error.
Must not know: which places are edited.
Invariant: a client that cannot ask about an edit is given certain ones only, or a refusal that says how many are not.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.facts.paths import FilePath
from graphls.lsp.edits import annotated_edit, can_ask, can_move
from graphls.lsp.from_proto import Context, WithPosition, offset_of, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.queries.rename import RenameRefused, rename, renamed_at
from graphls.session.publishing import EVERYTHING

OPTIONS = types.RenameOptions(prepare_provider=True)


@feature(types.TEXT_DOCUMENT_PREPARE_RENAME, kind="quick")
def prepared(context: Context, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
    """The stretch that will be edited, and the name in it."""
    proto, path, offset = to_proto(context), *_where(context, params)
    at, _ = renamed_at(context.snapshot, path, offset)
    text = (context.snapshot.text(path) or b"")[at.start : at.end].decode("utf-8", "replace")
    return types.PrepareRenamePlaceholder(proto.positions.range(path, at.start, at.end), text)


@feature(types.TEXT_DOCUMENT_RENAME, kind="long", options=OPTIONS, workspace=True, whole=True)
def renamed(context: Context, params: types.RenameParams) -> types.WorkspaceEdit:
    """All edits."""
    if EVERYTHING in context.snapshot.pending:
        raise RenameRefused("Files of the workspace are still being read: edits would be missing. Try again soon.")
    _, place = renamed_at(context.snapshot, *_where(context, params))
    found = rename(context.snapshot, place, params.new_name)
    if found.doubtful and not can_ask(context.client):
        raise RenameRefused(
            f"{found.doubtful} of {len(found.edits)} edits may not mean this symbol, and the editor cannot ask about "
            "each. `graphls show SYMBOL --unresolved` lists them."
        )
    moved = (place.file, found.moved) if found.moved is not None and can_move(context.client) else None
    return annotated_edit(to_proto(context), found.edits, moved)


def _where(context: Context, params: WithPosition) -> tuple[FilePath, int]:
    where = offset_of(context, to_proto(context), params)
    if where is None:
        raise RenameRefused("The file is no part of the graph.")
    return where


FEATURES: tuple[Declaration, ...] = (prepared, renamed)
