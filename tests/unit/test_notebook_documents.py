"""Notebook documents: cells of an editor as the text of a file, and places in both.

Owns: every place of a cell, there and back; which text the file has; changes that cannot be applied.
Must not know: the protocol, what is read of the text.
Invariant: a place of a cell is the place in the file that spells the same letter.
"""

from __future__ import annotations

import json
import random

import pytest

from graphls.session.documents.document import TextChange, open_document
from graphls.session.documents.notebook import NotebookCell, NotebookFile, OpenNotebook

LETTERS = ["a", "b", "\n", '"', "\\", "\t", "\N{GRINNING FACE}", "é", "\r\n", " ", "\u2028", "\x0c"]


def shown(*cells: tuple[str, str]) -> OpenNotebook:
    """Cells by the language that an editor gives them."""
    documents = [open_document(f"cell:{number}", 1, text, language) for number, (language, text) in enumerate(cells)]
    return OpenNotebook("n", [NotebookCell(one.key, one.language_id != "markdown") for one in documents], documents)


def file_of(*cells: tuple[str, str], **style: object) -> bytes:
    """The same as Jupyter writes it."""
    made = [
        {
            "cell_type": {"markdown": "markdown", "raw": "raw"}.get(language, "code"),
            "outputs": [{"text": ['{"cells": ["', text]}],
            "source": text.splitlines(keepends=True) if len(text) % 2 else text,
        }
        for language, text in cells
    ]
    about = {"kernelspec": {"language": "python"}}
    return json.dumps({"cells": made, "metadata": about}, **style).encode()  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("on_disk", [True, False])
@pytest.mark.parametrize("escaped", [True, False])
def test_places_there_and_back(seed: int, on_disk: bool, escaped: bool) -> None:
    random_ = random.Random(seed)
    cells = [
        (random_.choice(["python", "markdown", "raw"]), "".join(random_.choices(LETTERS, k=random_.randrange(12))))
        for _ in range(6)
    ]
    notebook = shown(*cells)
    if on_disk:
        data = file_of(*cells, ensure_ascii=escaped, indent=random_.choice([None, 1]))
        notebook.file = NotebookFile.of(data)
    text = notebook.text()
    if on_disk:
        assert text.data == data
    for number, document in enumerate(text.cells):
        lines = document.lines
        for at in range(len(document.data) + 1):
            where = lines.position(at, "utf-8")
            if lines.offset(*where, "utf-8") != at:
                continue  # inside of a character, or between `\r` and `\n`
            offset = text.offset(document.key, *where, "utf-8")
            assert offset is not None
            found = text.document_at(offset)
            assert found is not None
            assert found.key == f"cell:{number}"
            assert text.stretch(offset, offset, "utf-8") == (*where, *where)
            left = document.data[at:].decode()
            if left and left[0] not in "\r\n":
                size = next(size for size in range(1, 13) if _said(text.data[offset : offset + size]) == left[0])
                end = text.stretch(offset, offset + size, "utf-8")[2:]
                assert lines.offset(*end, "utf-8") == at + len(left[0].encode())


def _said(piece: bytes) -> str:
    try:
        return json.loads(b'"%b"' % piece)
    except ValueError:
        return ""


def test_a_stretch_ends_with_its_cell() -> None:
    notebook = shown(("python", "ab"), ("python", "cd\nef"))
    text = notebook.text()
    start = text.data.index(b"b")
    assert text.stretch(start, len(text.data), "utf-8") == (0, 1, 0, 2)
    assert text.stretch(0, len(text.data), "utf-8") == (0, 0, 0, 2)
    assert text.stretch(len(text.data), len(text.data), "utf-8") == (1, 2, 1, 2)
    assert shown().text().stretch(0, 9, "utf-8") == (0, 0, 0, 0)
    assert text.offset("elsewhere", 0, 0, "utf-8") is None


def test_an_editor_may_show_code_alone() -> None:
    cells = ("markdown", "# a"), ("python", "a"), ("raw", "x"), ("python", "b")
    notebook = shown(cells[1], cells[3])
    notebook.file = NotebookFile.of(file_of(*cells))
    text = notebook.text()
    assert text.data == file_of(*cells)
    for document in text.cells:
        offset = text.offset(document.key, 0, 0, "utf-8")
        assert offset is not None
        assert text.data[offset : offset + 1] == document.data


@pytest.mark.parametrize("other", [("python", "b"), ("julia", "a"), ("raw", "a")])
def test_cells_that_say_something_else_have_a_text_of_their_own(other: tuple[str, str]) -> None:
    notebook = shown(other)
    notebook.file = NotebookFile.of(file_of(("python", "a")))
    text = notebook.text().data
    assert text != file_of(("python", "a"))
    assert json.loads(text)["cells"][0]["source"] == [other[1]]


def test_a_text_that_is_no_notebook_is_no_file_of_one() -> None:
    assert NotebookFile.of(b"{") is None
    assert NotebookFile.of(b"[" * 100_000) is None


def test_a_change_that_cannot_be_applied_waits_for_the_whole_text() -> None:
    notebook = shown(("python", "ab"))
    assert notebook.change_cell("cell:0", 2, [TextChange("x", ((7, 0), (7, 0)))], "utf-8")
    assert notebook.change_cell("cell:0", 3, [TextChange("x", ((0, 0), (0, 0)))], "utf-8")
    assert notebook.documents["cell:0"].data == b"ab"
    assert not notebook.change_cell("cell:0", 4, [TextChange("cd")], "utf-8")
    assert not notebook.change_cell("cell:0", 5, [TextChange("x", ((0, 0), (0, 1)))], "utf-8")
    assert notebook.documents["cell:0"].data == b"xd"
    notebook.lose()
    assert notebook.change_cell("cell:0", 6, [TextChange("x", ((0, 0), (0, 1)))], "utf-8")
    assert notebook.change_cell("cell:1", 6, [TextChange("x")], "utf-8")
