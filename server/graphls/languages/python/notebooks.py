"""Notebooks: the code cells of a Jupyter notebook as one module.

Owns: which cells of a notebook are its module, which of their lines are no Python.
Must not know: facts, grammars, other files, what cells print.
Invariant: each byte of the module stands for bytes of the file, in order; broken JSON gives no module, and says where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.languages.extract.notebook_json import JsonCell, cells_of, pieces
from graphls.languages.extract.relocation import StretchedText

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
_CLOSED: Final = {b"(": b")", b"[": b"]", b"{": b"}"}


@attrs.frozen
class NotebookProblem:
    """What is not read, and where. `broken`: the text is no JSON, or a cell no Python."""

    start: int
    end: int
    text: str
    broken: bool = False


@attrs.frozen(eq=False)
class Notebook:
    """The module that a notebook's cells make."""

    module: StretchedText
    problems: Sequence[NotebookProblem]


def read_notebook(data: bytes, is_broken: Callable[[bytes], bool] | None = None) -> Notebook:
    """The code cells of a notebook, in order. `is_broken`: whether a text is no Python; where that is given, what such
    a cell leaves open does not reach into the next one."""
    module = StretchedText()
    broken = _broken(data)
    if broken is not None:
        return Notebook(module, (broken,))
    cells, language = cells_of(data)
    problems: list[NotebookProblem] = []
    for cell in cells:
        if cell.kind != "code" or not cell.lines:
            continue
        own = cell.language or language
        if own and not _PYTHON.match(own):
            problems.append(NotebookProblem(*_span(cell), f"Not read: a cell in {own[:40]}."))
            continue
        problems.extend(_add(module, data, cell, is_broken))
    return Notebook(module, problems)


def _span(cell: JsonCell) -> tuple[int, int]:
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


def _add(
    module: StretchedText, data: bytes, cell: JsonCell, is_broken: Callable[[bytes], bool] | None
) -> Iterator[NotebookProblem]:
    """Adds a cell to the module, but for what is no Python. Of a cell that is none nothing is added."""
    found = [piece for start, end in cell.lines for piece in pieces(data, start, end)]
    text = b"".join(piece[0] for piece in found)
    magic = _CELL_MAGIC.match(text)
    if magic is not None and not _RUNS_PYTHON.match(text.lstrip()):
        name = magic[0].split()[0].decode("utf-8", "replace")[:40]
        yield NotebookProblem(*_span(cell), f"Not read: a cell of {name}.")
        return
    plain, opened = _python_alone(text)
    begins, end = module.size, cell.lines[-1][1]
    at = 0
    for piece, start, size in found:
        module.add(plain[at : at + len(piece)], start, size)
        at += len(piece)
    if is_broken is not None and opened and is_broken(plain):
        for mark, offset in reversed(opened):
            module.add(_CLOSED.get(mark, mark), end, 0)
            where = module.start(begins + offset), module.end(begins + offset + len(mark))
            yield NotebookProblem(*where, f"`{mark.decode()}` is not closed in this cell.", broken=True)
    module.add(b"\n", end, 0)


def _python_alone(text: bytes) -> tuple[bytes, Sequence[tuple[bytes, int]]]:
    """A cell of the same length with what IPython alone understands as white space, or as `pass`; and the brackets and
    quotes that nothing closes, with their places."""
    made = bytearray(text)
    opened: list[tuple[bytes, int]] = []
    at, begins = 0, True
    magic = _CELL_MAGIC.match(text)
    if magic is not None:
        at = _blank_magic(text, made, 0, magic.end())
    while at < len(text):
        if begins and not opened:
            size = _magic_at(text, made, at)
            at += size
        found = _LEXEME.search(text, at)
        if found is None:
            break
        if found["open"] is not None:
            opened.append((found["open"], found.start()))
        elif found["close"] is not None:
            del opened[-1:]
        elif found["quote"] is not None and (len(found[0]) < 6 or not found[0].endswith(found["quote"])):
            opened.append((found["quote"], found.start()))
        begins = found["end"] is not None or (
            found[0].endswith(b"\n") and found["quote"] is None and found[0] != b"\\\n"
        )
        at = found.end()
    return bytes(made), opened


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
