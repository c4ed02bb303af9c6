"""Notebooks: notebooks that the client shows as cells.

Owns: which are open, which cell belongs to which, the newest texts that their cells amounted to.
Must not know: requests, the wire, the session.
Invariant: a place in a text that is remembered is one in a cell; readers in any thread see a text whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphls.facts.paths import ContentHash, FilePath
from graphls.session.documents.document import Document
from graphls.session.documents.notebook import NotebookText, OpenNotebook

_REMEMBERED: Final = 8
"""Texts of one notebook: a request may still look at an earlier state."""


class OpenNotebooks:
    """Changed on the loop only."""

    def __init__(self) -> None:
        self._open: dict[str, OpenNotebook] = {}
        self._owners: dict[str, str] = {}
        """The notebook of each cell."""
        self._texts: dict[FilePath, tuple[NotebookText, ...]] = {}

    def __iter__(self) -> Iterator[OpenNotebook]:
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> OpenNotebook | None:
        """The open notebook of a URI."""
        return self._open.get(uri)

    def add(self, notebook: OpenNotebook) -> None:
        """A notebook is shown."""
        self._open[notebook.key] = notebook
        self._find_owners()

    def remove(self, uri: str) -> OpenNotebook | None:
        """A notebook is shown no more; it, if it was."""
        notebook = self._open.pop(uri, None)
        self._find_owners()
        return notebook

    def note(self, path: FilePath, text: NotebookText) -> None:
        """What the file of a notebook is from now on."""
        known = [one for one in self._texts.get(path, ()) if one.content != text.content]
        self._texts[path] = (text, *known[: _REMEMBERED - 1])
        self._find_owners()

    def forget(self, path: FilePath) -> None:
        """Nothing shows a file as cells any more."""
        self._texts.pop(path, None)

    def forget_texts(self) -> None:
        """Paths mean other files."""
        self._texts = {}

    def owner(self, uri: str) -> str | None:
        """The URI of the notebook that a cell belongs to."""
        return self._owners.get(uri)

    def is_shown(self, path: FilePath) -> bool:
        """Whether a file is shown as cells."""
        return path in self._texts

    def cells(self) -> list[Document]:
        """The cells that are shown."""
        return [cell for texts in tuple(self._texts.values()) for cell in texts[0].cells]

    def text(self, path: FilePath, content: ContentHash) -> NotebookText | None:
        """The cells of a file with these contents; None where nobody shows these as cells."""
        return next((one for one in self._texts.get(path, ()) if one.content == content), None)

    def _find_owners(self) -> None:
        self._owners = {cell: notebook.key for notebook in self._open.values() for cell in notebook.documents}
