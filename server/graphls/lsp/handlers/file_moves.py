"""File moves: before a client renames or moves files, the edits by which imports follow.

Owns: which renames of a client are moves inside the workspace, what is logged of imports that cannot follow.
Must not know: which places are edited.
Invariant: a client that cannot ask about an edit is given certain ones only: the file moves whatever the answer is.
"""

from __future__ import annotations

import logging

from lsprotocol import types

from graphls.facts.paths import FilePath
from graphls.languages.registry import providers
from graphls.lsp.edits import annotated_edit, can_ask
from graphls.lsp.from_proto import Context, to_proto
from graphls.lsp.protocol import Declaration, feature
from graphls.queries.file_moves import ImportLeft, file_moves

_log = logging.getLogger(__name__)
_NAMED = 5
"""Imports that a line of the log names."""


def _filters() -> list[types.FileOperationFilter]:
    """Files of languages whose imports follow, and all folders."""
    known = (one.capabilities for one in providers().values())
    endings = sorted({ending[1:] for one in known if one.import_rewriter is not None for ending in one.endings})
    kinds = types.FileOperationPatternKind
    patterns = (
        types.FileOperationPattern(f"**/*.{{{','.join(endings)}}}", kinds.File),
        types.FileOperationPattern("**/*", kinds.Folder),
    )
    return [types.FileOperationFilter(pattern, "file") for pattern in patterns]


@feature(types.WORKSPACE_WILL_RENAME_FILES, options=types.FileOperationRegistrationOptions(_filters()), workspace=True)
def will_rename(context: Context, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    """Edits in files as they are before the move."""
    uris = context.session.uris
    moves: dict[FilePath, FilePath] = {}
    for one in params.files:
        old, new = uris.path(one.old_uri), uris.path(one.new_uri)
        if old is not None and new is not None:
            moves[old] = new
    found = file_moves(context.snapshot, moves)
    edits = found.edits if can_ask(context.client) else tuple(edit for edit in found.edits if not edit.doubt)
    if found.left:
        _log.warning("%d imports or names stay as they are: %s", len(found.left), _listed(context, found.left))
    return annotated_edit(to_proto(context), edits) if edits else None


def _listed(context: Context, left: tuple[ImportLeft, ...]) -> str:
    def shown(one: ImportLeft) -> str:
        line = (context.snapshot.text(one.file) or b"").count(b"\n", 0, one.start) + 1
        return f"{one.file}:{line} ({one.reason})"

    more = [f"{len(left) - _NAMED} more"] if len(left) > _NAMED else []
    return ", ".join([*map(shown, left[:_NAMED]), *more])


FEATURES: tuple[Declaration, ...] = (will_rename,)
