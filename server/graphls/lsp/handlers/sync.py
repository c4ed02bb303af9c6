"""Sync: documents, files, folders and settings as the client tells of them.

Owns: the notifications and what they become.
Must not know: how changes are applied, what they cause.
Invariant: runs on the loop and is quick; what a change means is computed when someone asks.
"""

from __future__ import annotations

from lsprotocol import types

from graphls.lsp.from_proto import table
from graphls.lsp.protocol import Declaration, NotificationContext, notification
from graphls.lsp.server_session import ServerSession
from graphls.session.documents.document import Position, TextChange

Context = NotificationContext[ServerSession]


@notification(types.TEXT_DOCUMENT_DID_OPEN)
def opened(context: Context, params: types.DidOpenTextDocumentParams) -> None:
    """A document is shown."""
    document = params.text_document
    context.session.open(document.uri, document.version, document.text, document.language_id)


def _unreadable(context: Context, raw: object) -> None:
    context.session.lose(str(table(table(raw).get("textDocument")).get("uri", "")))


@notification(types.TEXT_DOCUMENT_DID_CHANGE, broken=_unreadable)
def changed(context: Context, params: types.DidChangeTextDocumentParams) -> None:
    """A document was edited."""
    changes = [text_change(change) for change in params.content_changes]
    context.session.change(params.text_document.uri, params.text_document.version, changes, context.encoding)


@notification(types.TEXT_DOCUMENT_DID_SAVE)
def saved(context: Context, params: types.DidSaveTextDocumentParams) -> None:
    """The disk has caught up with a document."""
    context.session.files_changed([params.text_document.uri])


@notification(types.TEXT_DOCUMENT_DID_CLOSE)
def closed(context: Context, params: types.DidCloseTextDocumentParams) -> None:
    """A document is shown no more."""
    context.session.forget(params.text_document.uri)


@notification(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def on_disk(context: Context, params: types.DidChangeWatchedFilesParams) -> None:
    """Files changed outside the editor."""
    context.session.files_changed([change.uri for change in params.changes])


@notification(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def folders(context: Context, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Folders were added or removed."""
    added, removed = ([folder.uri for folder in group] for group in (params.event.added, params.event.removed))
    context.session.change_folders(added, removed)
    context.session.pull_settings()


@notification(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
def configured(context: Context, params: types.DidChangeConfigurationParams) -> None:
    """Settings as the client pushes them; an empty notice means that they are to be pulled."""
    settings = table(params.settings)
    if isinstance(settings.get("graphls"), dict):
        context.session.configure(table(settings["graphls"]))
    else:
        context.session.pull_settings()


def text_change(change: types.TextDocumentContentChangeEvent) -> TextChange:
    """One change as the core has it."""
    if isinstance(change, types.TextDocumentContentChangePartial):
        return TextChange(change.text, (_position(change.range.start), _position(change.range.end)))
    return TextChange(change.text)


def _position(position: types.Position) -> Position:
    return position.line, position.character


FEATURES: tuple[Declaration, ...] = (opened, changed, saved, closed, on_disk, folders, configured)
