"""Edits: changes of text as workspace edits.

Owns: grouping by file, creation of files.
Must not know: why something is changed.
Invariant: every range is one of the snapshot that the edit was made for.
"""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from graphls.analysis.edits import TextEdit
from graphls.facts.paths import FilePath
from graphls.lsp.to_proto import ToProto

_START = types.Range(types.Position(0, 0), types.Position(0, 0))


def workspace_edit(proto: ToProto, edits: Iterable[TextEdit]) -> types.WorkspaceEdit:
    """The edits of one action."""
    steps: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    by_file: dict[FilePath, list[TextEdit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    for path, found in by_file.items():
        known = path in proto.snapshot.shards
        if not known and any(edit.create for edit in found):
            options = types.CreateFileOptions(ignore_if_exists=True)
            steps.append(types.CreateFile(proto.uris.uri(path), options=options))
        document = types.OptionalVersionedTextDocumentIdentifier(proto.uris.uri(path))
        changes = [
            types.TextEdit(proto.positions.range(path, edit.start, edit.end) if known else _START, edit.text)
            for edit in found
        ]
        steps.append(types.TextDocumentEdit(document, changes))
    return types.WorkspaceEdit(document_changes=steps)
