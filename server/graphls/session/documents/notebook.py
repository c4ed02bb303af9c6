"""Notebook: a notebook that an editor shows as cells, as the text of its file.

Owns: cells and their order, what a client's changes make of them, the text that they amount to, the map between both.
Must not know: LSP types, URIs (keys are opaque), disk, snapshots.
Invariant: cells that say what the file says have its very text; else the text is theirs, without what they printed.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

import attrs

from graphls.facts.cached_property import cached_property
from graphls.facts.lines import Encoding, LineIndex
from graphls.facts.paths import ContentHash
from graphls.languages.extract.notebook_json import cells_of, pieces, said
from graphls.session.documents.document import Document, OutOfSync, TextChange, apply
from graphls.sources.content import content_hash

_RAW: Final = "raw"
"""What an editor calls the language of a cell that is neither code nor prose."""
_RELEASE: Final = "0123456789."


@attrs.frozen
class NotebookCell:
    """One cell of an open notebook. `key`: that of its document."""

    key: str
    is_code: bool


@attrs.frozen(eq=False)
class NotebookFile:
    """What the file of a notebook says."""

    data: bytes = attrs.field(repr=False)
    cells: Sequence[tuple[bool, bytes, str]] = attrs.field(repr=False)
    """Of each whether it is code, its text and its language."""

    @classmethod
    def of(cls, data: bytes) -> NotebookFile | None:
        """None for a text that is no notebook."""
        try:
            json.loads(data)
        except (ValueError, RecursionError):
            return None
        cells, language = cells_of(data)
        return cls(data, [(one.kind == "code", said(data, one), one.language or language) for one in cells])

    def says(self, shown: Sequence[tuple[bool, bytes, str]]) -> bool:
        """Whether an editor shows these cells, all of them or the code alone."""
        return any(
            len(cells) == len(shown) and all(map(_is_same, cells, shown))
            for cells in (self.cells, [cell for cell in self.cells if cell[0]])
        )


def _is_same(cell: tuple[bool, bytes, str], shown: tuple[bool, bytes, str]) -> bool:
    code, text, language = cell
    if text != shown[1] or code != shown[0]:
        return False
    return not code or not language or language.rstrip(_RELEASE).casefold() == shown[2].casefold()


class OpenNotebook:
    """The cells of a notebook that is shown. Changed in one thread only."""

    def __init__(self, key: str, cells: Sequence[NotebookCell], documents: Sequence[Document]) -> None:
        self.key = key
        self.cells = list(cells)
        self.documents = {document.key: document for document in documents}
        self.file: NotebookFile | None = None
        """What stands on disk."""

    def splice(self, start: int, removed: int, cells: Sequence[NotebookCell]) -> None:
        """Cells come in the place of others."""
        self.cells[start : start + removed] = cells

    def close_cells(self, keys: Sequence[str]) -> None:
        """Documents of cells are shown no more."""
        for key in keys:
            self.documents.pop(key, None)

    def open_cells(self, documents: Sequence[Document]) -> None:
        """Documents of cells are shown."""
        self.documents.update((document.key, document) for document in documents)

    def change_cell(self, key: str, version: int, changes: Sequence[TextChange], encoding: Encoding) -> str:
        """The text of a cell changed; why that was dropped, "" where it was not."""
        outcome = apply(self.documents.get(key), version, changes, encoding)
        if outcome.document is not None:
            self.documents[key] = outcome.document
        return outcome.advice if isinstance(outcome, OutOfSync) else ""

    def renew_cell(self, cell: NotebookCell) -> None:
        """A cell became code, or prose."""
        self.cells = [cell if known.key == cell.key else known for known in self.cells]

    def lose(self) -> None:
        """A change could not be read: what is said of cells counts again once they are sent whole."""
        self.documents = {key: attrs.evolve(document, synced=False) for key, document in self.documents.items()}

    def text(self) -> NotebookText:
        """The file as it would be with the cells of now."""
        cells = [(cell, self.documents.get(cell.key)) for cell in self.cells]
        shown = [
            (cell.is_code and document.language_id != _RAW, document.data, document.language_id)
            for cell, document in cells
            if document is not None
        ]
        if self.file is not None and len(shown) == len(cells) and self.file.says(shown):
            data = self.file.data
        else:
            data = _written([(cell, document) for cell, document in cells if document is not None])
        return NotebookText(data, [document for _, document in cells if document is not None])


def _written(cells: Sequence[tuple[NotebookCell, Document]]) -> bytes:
    """A notebook with these cells: each of their lines is one of the file too."""
    made: list[dict[str, object]] = []
    for cell, document in cells:
        kind = _RAW if document.language_id == _RAW else "code" if cell.is_code else "markdown"
        own = {"language": document.language_id} if kind == "code" else {}
        lines = document.data.decode("utf-8").split("\n")
        source = [*(f"{line}\n" for line in lines[:-1]), *(lines[-1:] if lines[-1] or len(lines) == 1 else ())]
        made.append({"cell_type": kind, **own, "metadata": {}, "source": source})
    whole: dict[str, object] = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False).encode("utf-8") + b"\n"


class NotebookText:
    """The text of a notebook's file, and where the cells that an editor shows stand in it."""

    def __init__(self, data: bytes, cells: Sequence[Document]) -> None:
        self.data = data
        self.content: ContentHash = content_hash(data)
        self.cells = tuple(cells)

    def document_at(self, offset: int) -> Document | None:
        """The cell that a place of the file belongs to; one between cells belongs to the next."""
        row = self._places.row(offset)
        return None if row is None else self.cells[self._places.cells[row]]

    def offset(self, key: str, line: int, character: int, encoding: Encoding) -> int | None:
        """The place in the file of one in a cell; None for a cell that is not here."""
        number = next((number for number, cell in enumerate(self.cells) if cell.key == key), None)
        if number is None:
            return None
        return self._places.offset(number, self.cells[number].lines.offset(line, character, encoding))

    def stretch(self, start: int, end: int, encoding: Encoding) -> tuple[int, int, int, int]:
        """Lines and characters of a stretch of the file in the cell where it begins, and no further."""
        places = self._places
        row = places.row(start)
        if row is None:
            return 0, 0, 0, 0
        cell = places.cells[row]
        lines: LineIndex = self.cells[cell].lines
        first = places.within(row, start)
        last = max(first, places.end_within(cell, end))
        return (*lines.position(first, encoding), *lines.position(last, encoding))

    @cached_property
    def _places(self) -> _Places:
        """Made when somebody asks: a keystroke does not."""
        found, _ = cells_of(self.data)
        if len(found) != len(self.cells):  # the editor shows code alone
            found = [cell for cell in found if cell.kind == "code"]
        places = _Places()
        for number, cell in enumerate(found[: len(self.cells)]):
            at = 0
            for start, end in cell.lines or ((cell.place, cell.place),):
                for text, place, size in pieces(self.data, start, end) if end > start else ((b"", start, 0),):
                    places.add(number, at, len(text), place, size)
                    at += len(text)
        return places


class _Places:
    """Pieces of cells in the order of the file."""

    def __init__(self) -> None:
        self.cells: list[int] = []
        """The cell of each."""
        self._at: list[int] = []
        self._length: list[int] = []
        self._start: list[int] = []
        self._end: list[int] = []

    def add(self, cell: int, at: int, length: int, start: int, size: int) -> None:
        """A piece: where it begins in its cell and how long it is there, and the same in the file."""
        self.cells.append(cell)
        self._at.append(at)
        self._length.append(length)
        self._start.append(start)
        self._end.append(start + size)

    def row(self, offset: int) -> int | None:
        """The piece that a place of the file is in or before; the last one behind all of them."""
        return min(bisect_left(self._end, offset), len(self._end) - 1) if self._end else None

    def within(self, row: int, offset: int) -> int:
        """A place of the file as one of the cell."""
        past = min(max(offset - self._start[row], 0), self._end[row] - self._start[row])
        if self._length[row] == self._end[row] - self._start[row]:
            return self._at[row] + past
        return self._at[row] + (self._length[row] if past == self._end[row] - self._start[row] else 0)

    def end_within(self, cell: int, offset: int) -> int:
        """The same of where something ends: what is between pieces ends with the one before, what goes beyond the cell
        with the cell."""
        row = min(bisect_right(self._start, offset - 1), bisect_right(self.cells, cell)) - 1
        return self.within(row, offset) if row >= 0 and self.cells[row] == cell else 0

    def offset(self, cell: int, at: int) -> int:
        """A place of a cell as one of the file."""
        first, behind = bisect_left(self.cells, cell), bisect_right(self.cells, cell)
        if first == behind:
            return 0
        row = max(bisect_right(self._at, at, first, behind) - 1, first)
        past = at - self._at[row]
        size = self._end[row] - self._start[row]
        if self._length[row] == size:
            return self._start[row] + min(past, size)
        return self._start[row] + (size if past >= self._length[row] else 0)
