"""Edits: changes of text as workspace edits.

Owns: grouping by document, creation of files, annotations on edits that someone should look at.
Must not know: why something is changed.
Invariant: every range is one of the snapshot that the edit was made for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from lsprotocol import types

from graphls.analysis.edits import TextEdit
from graphls.facts.paths import FilePath
from graphls.lsp.to_proto import ToProto
from graphls.queries.rename import RenameEdit

_Edit = TypeVar("_Edit", TextEdit, RenameEdit)
_START = types.Range(types.Position(0, 0), types.Position(0, 0))


def workspace_edit(proto: ToProto, edits: Iterable[TextEdit]) -> types.WorkspaceEdit:
    """The edits of one action."""
    steps: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for (path, uri), found in _by_document(proto, edits).items():
        known = path in proto.snapshot.shards
        if not known and any(edit.create for edit in found):
            options = types.CreateFileOptions(ignore_if_exists=True)
            steps.append(types.CreateFile(uri, options=options))
        document = types.OptionalVersionedTextDocumentIdentifier(uri)
        changes = [
            types.TextEdit(proto.positions.range(path, edit.start, edit.end) if known else _START, edit.text)
            for edit in found
        ]
        steps.append(types.TextDocumentEdit(document, changes))
    return types.WorkspaceEdit(document_changes=steps)


def can_ask(client: types.ClientCapabilities) -> bool:
    """Whether a client lets its user decide about single edits."""
    edit = client.workspace.workspace_edit if client.workspace else None
    return edit is not None and edit.change_annotation_support is not None


def can_move(client: types.ClientCapabilities) -> bool:
    """Whether a client renames files for an edit."""
    edit = client.workspace.workspace_edit if client.workspace else None
    kinds = edit.resource_operations if edit is not None else None
    return kinds is not None and types.ResourceOperationKind.Rename in kinds


def annotated_edit(
    proto: ToProto, edits: Collection[RenameEdit], moved: tuple[FilePath, FilePath] | None = None
) -> types.WorkspaceEdit:
    """Edits of a rename or a move, those in doubt to be confirmed; then a file that gets another name."""
    reasons = sorted({edit.doubt for edit in edits if edit.doubt})
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for (path, uri), found in _by_document(proto, edits).items():
        made: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = []
        for edit in found:
            where = proto.positions.range(path, edit.start, edit.end)
            if edit.doubt:
                made.append(types.AnnotatedTextEdit(edit.doubt, where, edit.text))
            else:
                made.append(types.TextEdit(where, edit.text))
        changes.append(types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri), made))
    if moved is not None:
        changes.append(types.RenameFile(proto.uris.uri(moved[0]), proto.uris.uri(moved[1])))
    notes = {
        reason: types.ChangeAnnotation(f"May mean something else: {reason}", needs_confirmation=True)
        for reason in reasons
    }
    return types.WorkspaceEdit(document_changes=changes, change_annotations=notes or None)


def _by_document(proto: ToProto, edits: Iterable[_Edit]) -> Mapping[tuple[FilePath, str], Sequence[_Edit]]:
    """Edits by file and document: the cells of a notebook are several of one file."""
    found: dict[tuple[FilePath, str], list[_Edit]] = {}
    for edit in edits:
        found.setdefault((edit.file, proto.uri(edit.file, edit.start)), []).append(edit)
    return found
