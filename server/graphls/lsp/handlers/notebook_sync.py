"""Notebook sync: notebooks as the client tells of them, cell by cell.

Owns: the notifications and what they become.
Must not know: how cells become the text of a file, what a change causes.
Invariant: runs on the loop and is quick; a cell has no place in the graph but in its notebook.
"""

from __future__ import annotations

import logging
from typing import Final

from lsprotocol import types

from graphls.languages.extract.notebook_json import ENDING
from graphls.lsp.from_proto import cells_of, documents_of, table
from graphls.lsp.handlers.sync import text_change
from graphls.lsp.protocol import Declaration, NotificationContext, notification
from graphls.lsp.server_session import ServerSession
from graphls.session.documents.notebook import OpenNotebook

Context = NotificationContext[ServerSession]
SYNC: Final = types.NotebookDocumentSyncOptions(
    # All cells, so that their order is known.
    [
        types.NotebookDocumentFilterWithNotebook(
            types.NotebookDocumentFilterScheme(scheme="file", pattern=f"**/*{ENDING}")
        )
    ],
    save=True,
)
_log = logging.getLogger(__name__)


@notification(types.NOTEBOOK_DOCUMENT_DID_OPEN)
def opened(context: Context, params: types.DidOpenNotebookDocumentParams) -> None:
    """A notebook is shown."""
    shown = params.notebook_document
    notebook = OpenNotebook(shown.uri, cells_of(shown.cells), documents_of(params.cell_text_documents))
    context.session.open_notebook(notebook)


def _unreadable(context: Context, raw: object) -> None:
    notebook = context.session.notebooks.get(str(table(table(raw).get("notebookDocument")).get("uri", "")))
    if notebook is not None:
        notebook.lose()
        _log.warning("a change of a notebook could not be read; reopen it")


@notification(types.NOTEBOOK_DOCUMENT_DID_CHANGE, broken=_unreadable)
def changed(context: Context, params: types.DidChangeNotebookDocumentParams) -> None:
    """Cells came, went or moved, are of another kind, or have other texts."""
    notebook = context.session.notebooks.get(params.notebook_document.uri)
    if notebook is None:
        _log.warning("a change of a notebook was dropped: it was never opened; send notebookDocument/didOpen first")
        return
    change = params.change.cells
    if change is None:  # what is said of the notebook itself is no code
        return
    if change.structure is not None:
        array = change.structure.array
        notebook.close_cells([cell.uri for cell in change.structure.did_close or ()])
        notebook.splice(array.start, array.delete_count, cells_of(array.cells or ()))
        notebook.open_cells(documents_of(change.structure.did_open or ()))
    for cell in cells_of(change.data or ()):
        notebook.renew_cell(cell)
    for one in change.text_content or ():
        changes = [text_change(step) for step in one.changes]
        dropped = notebook.change_cell(one.document.uri, one.document.version, changes, context.encoding)
        if dropped:
            _log.warning("a change of a cell was dropped: %s", dropped)
    context.session.show_notebook(notebook)


@notification(types.NOTEBOOK_DOCUMENT_DID_SAVE)
def saved(context: Context, params: types.DidSaveNotebookDocumentParams) -> None:
    """The disk has caught up with a notebook."""
    context.session.files_changed([params.notebook_document.uri])


@notification(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
def closed(context: Context, params: types.DidCloseNotebookDocumentParams) -> None:
    """A notebook is shown no more."""
    context.session.close_notebook(params.notebook_document.uri)


FEATURES: tuple[Declaration, ...] = (opened, changed, saved, closed)
