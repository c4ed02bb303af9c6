"""Notebook JSON: where the cells of a Jupyter notebook stand in its file.

Owns: formats 3 and 4, the map from an escaped text to what it says.
Must not know: what is written in cells, any language, facts.
Invariant: pieces of a text are in order, and together they say what the file says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

ENDING: Final = ".ipynb"
_TOKEN: Final = re.compile(
    rb'[ \t\r\n]*(?:("[^"\\]*+(?:\\.[^"\\]*+)*+")|([{}\[\],:])|([^ \t\r\n{}\[\],:"]++))', re.DOTALL
)
_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_CELLS: Final = (("cells",), ("worksheets", "cells"))
"""Where cells stand, numbers left out: notebooks before the fourth format have worksheets."""
_SOURCES: Final = ("source", "input")
_LANGUAGES: Final = (
    ("metadata", "kernelspec", "language"),
    ("metadata", "language_info", "name"),
)


@attrs.define(eq=False)
class JsonCell:
    """One cell."""

    place: int
    """Where it begins in the file."""
    kind: str = "code"
    language: str = ""
    """"" where it is that of the notebook."""
    lines: list[tuple[int, int]] = attrs.field(factory=list[tuple[int, int]])
    """Strings, without their quotes, that are its text."""


def cells_of(data: bytes) -> tuple[Sequence[JsonCell], str]:
    """The cells of a notebook in order, and the language of its kernel. The text is JSON."""
    cells: dict[int, JsonCell] = {}
    languages: dict[tuple[str, ...], str] = {}
    for path, place, start, end in _strings(data):
        if path in _LANGUAGES:
            languages[path] = _text(data, start, end)
        elif path[:-1] in _CELLS:
            cell = cells.setdefault(place, JsonCell(place))
            if path[-1] in _SOURCES:
                cell.lines.append((start, end))
            elif path[-1] == "cell_type":
                cell.kind = _text(data, start, end)
            elif path[-1] == "language":
                cell.language = _text(data, start, end)
    named = (languages[path] for path in _LANGUAGES if path in languages)
    return list(cells.values()), next(named, "")


def pieces(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """A text of JSON, escapes apart: what it says, where that stands, how long it is there."""
    at = start
    for found in _ESCAPE.finditer(data, start, end):
        if found.start() > at:
            yield data[at : found.start()], at, found.start() - at
        said: str = json.loads(b'"%b"' % found[0])
        yield said.encode("utf-8", "replace"), found.start(), len(found[0])
        at = found.end()
    if at < end:
        yield data[at:end], at, end - at


def said(data: bytes, cell: JsonCell) -> bytes:
    """The text of a cell."""
    return b"".join(piece[0] for start, end in cell.lines for piece in pieces(data, start, end))


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace")


def _strings(data: bytes) -> Iterator[tuple[tuple[str, ...], int, int, int]]:
    """Values that are texts: the keys above them, where the innermost object begins, and where they stand."""
    keys: list[str] = []
    opened: list[tuple[bool, int]] = []
    """Containers around: whether it is an object, and where it begins."""
    is_key = False
    for found in _TOKEN.finditer(data):
        mark = found[2]
        if found[1] is not None:
            start, end = found.start(1) + 1, found.end(1) - 1
            if is_key:
                keys[-1] = _text(data, start, end)
            elif keys:
                objects = (place for one, place in reversed(opened) if one)
                yield tuple(filter(None, keys)), next(objects, 0), start, end
        elif mark in (b"{", b"["):
            opened.append((mark == b"{", found.start(2)))
            keys.append("")
            is_key = mark == b"{"
            continue
        elif mark in (b"}", b"]") and opened:
            opened.pop()
            keys.pop()
        is_key = mark == b"," and bool(opened) and opened[-1][0]
