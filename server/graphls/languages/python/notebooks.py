"""Notebooks: the code cells of a Jupyter notebook as one module.

Owns: where the cells of a notebook and its language stand in JSON, which of their lines are no Python.
Must not know: facts, grammars, other files, what cells print.
Invariant: each byte of the module stands for bytes of the file, in order; broken JSON gives no module, and says where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.languages.extract.relocation import StretchedText

_TOKEN: Final = re.compile(rb'[ \t\r\n]*(?:("(?:[^"\\]|\\.)*+")|([{}\[\],:])|([^ \t\r\n{}\[\],:"]++))', re.DOTALL)
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
_PYTHON: Final = re.compile(r"(?i)(?:i?python|pypy|sage)[\d.]*\Z")
_RUNS_PYTHON: Final = re.compile(
    rb"%%(?:time|timeit|capture|prun|memit|mprun|lprun|debug|snakeviz|pyinstrument|scalene|memray_flamegraph|heat|px|"
    rb"notify|black|python[\d.]*)\b"
)
_MEASURES: Final = re.compile(
    rb"%{1,2}(?:time|timeit|prun|memit|mprun|lprun)\b"
    rb"(?:[ \t]+-[fTDlms][ \t]+[\w.]+|[ \t]+-[a-zA-Z]+(?:[ \t]*\d+)?)*[ \t]+"
    rb"(?!(?:for|while|with|if|try|def|class|async|match)\b)(?=[^\s#-])"
)
"""What runs the rest of its line."""
_CELL_MAGIC: Final = re.compile(rb"\s*%%\w+[^\n]*")
_MAGIC: Final = re.compile(
    rb"[ \t]*(?:[%!?]|[\w.]+\?{1,2}[ \t]*(?:#[^\n]*)?(?=\n|\Z)"
    rb"|(?:pip|conda|mamba|uv)[ \t]+(?:install|uninstall|list)\b|(?:ls|pwd)[ \t]*(?=\n|\Z)"
    rb"|(?:ls|cd|cat|cp|mv|rm|mkdir|rmdir|less|man)[ \t]+(?!(?:in|is|and|or|if|not|for)\b)(?:-[A-Za-z]|[\w./~*]))"
)
"""Magics, and programs that run without a mark."""
_ASSIGNED: Final = re.compile(rb"[ \t]*[A-Za-z_][\w., \t]*=[ \t]*(?=[%!](?!=))")
_LINE: Final = re.compile(rb"(?:[^\n\\]|\\\n|\\.)*+\\?", re.DOTALL)
_LEXEME: Final = re.compile(
    rb"#[^\n]*|(?P<quote>\"\"\"|''')(?:[^\\]|\\.)*?(?:(?P=quote)|\Z)|\"(?:[^\"\\\n]|\\.)*+[\"\n]?|'(?:[^'\\\n]|\\.)*+['\n]?"
    rb"|(?P<open>[(\[{])|(?P<close>[)\]}])|\\\n|(?P<end>\n)",
    re.DOTALL,
)
_PASS: Final = b"pass"


@attrs.frozen
class NotebookProblem:
    """What is not read, and where. `broken`: the text is no JSON."""

    start: int
    end: int
    text: str
    broken: bool = False


@attrs.frozen(eq=False)
class Notebook:
    """The module that a notebook's cells make."""

    module: StretchedText
    problems: Sequence[NotebookProblem]


@attrs.define(eq=False)
class _Cell:
    kind: str = "code"
    language: str = ""
    lines: list[tuple[int, int]] = attrs.field(factory=list[tuple[int, int]])
    """Strings, without their quotes, that are its text."""


def read_notebook(data: bytes) -> Notebook:
    """The code cells of a notebook, in order."""
    module = StretchedText()
    broken = _broken(data)
    if broken is not None:
        return Notebook(module, (broken,))
    cells, language = _cells(data)
    problems: list[NotebookProblem] = []
    for cell in cells:
        if cell.kind != "code" or not cell.lines:
            continue
        own = cell.language or language
        if own and not _PYTHON.match(own):
            problems.append(NotebookProblem(*_span(cell), f"Not read: a cell in {own[:40]}."))
            continue
        left_out = _add(module, data, cell)
        if left_out:
            problems.append(NotebookProblem(*_span(cell), f"Not read: a cell of {left_out}."))
    return Notebook(module, problems)


def _span(cell: _Cell) -> tuple[int, int]:
    return cell.lines[0][0], cell.lines[-1][1]


def _broken(data: bytes) -> NotebookProblem | None:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        at = len(error.doc[: error.pos].encode())
        return NotebookProblem(min(at, len(data)), min(at + 1, len(data)), f"No notebook: {error.msg}.", broken=True)
    except (ValueError, RecursionError) as error:
        return NotebookProblem(0, min(1, len(data)), f"No notebook: {type(error).__name__}.", broken=True)
    return None


def _cells(data: bytes) -> tuple[Sequence[_Cell], str]:
    """The cells of a notebook in order, and the language of its kernel."""
    cells: dict[int, _Cell] = {}
    languages: dict[tuple[str, ...], str] = {}
    for path, place, start, end in _strings(data):
        if path in _LANGUAGES:
            languages[path] = _text(data, start, end)
        elif path[:-1] in _CELLS:
            cell = cells.setdefault(place, _Cell())
            if path[-1] in _SOURCES:
                cell.lines.append((start, end))
            elif path[-1] == "cell_type":
                cell.kind = _text(data, start, end)
            elif path[-1] == "language":
                cell.language = _text(data, start, end)
    named = (languages[path] for path in _LANGUAGES if path in languages)
    return list(cells.values()), next(named, "")


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


def _add(module: StretchedText, data: bytes, cell: _Cell) -> str:
    """Adds a cell to the module, but for what is no Python; of a cell that is none the name of its magic."""
    pieces = [piece for start, end in cell.lines for piece in _pieces(data, start, end)]
    text = b"".join(piece[0] for piece in pieces)
    magic = _CELL_MAGIC.match(text)
    if magic is not None and not _RUNS_PYTHON.match(text.lstrip()):
        return magic[0].split()[0].decode("utf-8", "replace")[:40]
    plain = _python_alone(text)
    at = 0
    for piece, start, size in pieces:
        module.add(plain[at : at + len(piece)], start, size)
        at += len(piece)
    module.add(b"\n", cell.lines[-1][1], 0)
    return ""


def _pieces(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
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


def _python_alone(text: bytes) -> bytes:
    """A cell of the same length with what IPython alone understands as white space, or as `pass`."""
    made = bytearray(text)
    at, depth, begins = 0, 0, True
    magic = _CELL_MAGIC.match(text)
    if magic is not None:
        at = _blank_magic(text, made, 0, magic.end())
    while at < len(text):
        if begins and not depth:
            size = _magic_at(text, made, at)
            at += size
        found = _LEXEME.search(text, at)
        if found is None:
            break
        depth = max(0, depth + (found["open"] is not None) - (found["close"] is not None))
        begins = found["end"] is not None or (
            found[0].endswith(b"\n") and found["quote"] is None and found[0] != b"\\\n"
        )
        at = found.end()
    return bytes(made)


def _magic_at(text: bytes, made: bytearray, at: int) -> int:
    """Blanks a magic that begins here; how long it is, 0 for none."""
    end = _LINE.match(text, at).end()  # pyright: ignore[reportOptionalMemberAccess]  # it matches nothing as well
    assigned = _ASSIGNED.match(text, at, end)
    if assigned is not None:
        start, stand_in = assigned.end(), b"None"
    elif _MAGIC.match(text, at, end):
        start, stand_in = end - len(text[at:end].lstrip(b" \t")), _PASS
        if _MEASURES.match(text, start, end):
            return _blank_magic(text, made, start, end) - at
    else:
        return 0
    rest = _blank(text[start:end])
    short = stand_in if len(rest) >= len(stand_in) else b"0"
    made[start:end] = short + rest[len(short) :]
    return end - at


def _blank_magic(text: bytes, made: bytearray, start: int, end: int) -> int:
    """Blanks a magic, but for what it runs of its line; where what is looked at next begins."""
    start = end - len(text[start:end].lstrip())
    measures = _MEASURES.match(text, start, end)
    stop = end if measures is None else measures.end()
    made[start:stop] = _blank(text[start:stop])
    if measures is not None:
        made[start : start + 2] = b"0;"
    return stop


_BLANKS: Final[Mapping[int, int]] = {byte: 0x20 for byte in range(256) if byte not in b"\n\r"}
_BLANK_TABLE: Final = bytes(_BLANKS.get(byte, byte) for byte in range(256))


def _blank(text: bytes) -> bytes:
    return text.translate(_BLANK_TABLE)
