"""Fixture text: many files, a cursor and labelled ranges in one string.

Owns: the mini-language that tests write workspaces in.
Must not know: any layer of the package.
Invariant: what is handed out is the text that a user would have on disk: headers, label lines and the cursor are gone.

    --- path: a.py ---
    def greet(): pass
    #   ^^^^^ def:greet
    gre$0et()
    # ^^^ ref:greet        the carets label the nearest line above that is no label line
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

HEADER = re.compile(r"^--- path: (?P<path>\S+) ---$")
LABEL = re.compile(r"^(?P<lead>\s*(?:#|//|--) *)(?P<carets>\^+) *(?P<name>\S+)\s*$")
CURSOR = "$0"
ARGUMENTS = ".swift"
"""Ending of files in which the sign of the cursor is a word of the language."""
DEFAULT_PATH = "a.py"


@attrs.frozen
class Mark:
    """A labelled range, in bytes."""

    name: str
    path: str
    start: int
    end: int


@attrs.frozen
class Cursor:
    """Where `$0` stood, in bytes."""

    path: str
    offset: int


@attrs.frozen
class Fixture:
    """Files by path, labels in order, the cursor if there is one."""

    files: Mapping[str, bytes]
    marks: tuple[Mark, ...]
    cursor: Cursor | None

    def named(self, name: str) -> tuple[Mark, ...]:
        """Every range with this label."""
        return tuple(mark for mark in self.marks if mark.name == name)

    def one(self, name: str) -> Mark:
        """The only range with this label."""
        found = self.named(name)
        assert len(found) == 1, f"{len(found)} ranges are labelled {name}"
        return found[0]

    def at(self, path: str, text: str, occurrence: int = 0) -> int:
        """Byte offset of the given occurrence of a text in a file."""
        offset = -1
        for _ in range(occurrence + 1):
            offset = self.files[path].index(text.encode(), offset + 1)
        return offset

    def write(self, folder: Path) -> None:
        """Puts the files on disk."""
        for path, data in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def fixture(text: str) -> Fixture:
    """Parses the mini-language. Indentation common to all lines is removed."""
    files: dict[str, bytes] = {}
    marks: list[Mark] = []
    cursors: list[Cursor] = []
    for path, lines in _split(_dedented(text)):
        assert path not in files, f"{path} is given twice"
        files[path] = _file(path, lines, marks, cursors)
    assert len(cursors) < 2, "one cursor at most"
    return Fixture(files, tuple(marks), cursors[0] if cursors else None)


def _dedented(text: str) -> list[str]:
    lines = text.removeprefix("\n").split("\n")
    if lines and not lines[-1].strip():
        lines[-1] = ""
    margins = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    margin = min(margins, default=0)
    return [line[margin:] for line in lines]


def _split(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    path, current = DEFAULT_PATH, []
    started = False
    for line in lines:
        header = HEADER.match(line)
        if header is None:
            current.append(line)
            continue
        if started:
            yield path, [*current, ""]
        else:
            assert not any(part.strip() for part in current), "text before the first header"
        started, path, current = True, header["path"], []
    yield path, current


def _file(path: str, lines: list[str], marks: list[Mark], cursors: list[Cursor]) -> bytes:
    kept: list[bytes] = []
    start = 0
    above = ""
    above_start = 0
    for line in lines:
        label = LABEL.match(line)
        if label is not None:
            marks.append(_mark(label, path, above, above_start))
            continue
        if CURSOR in line and not path.endswith(ARGUMENTS):
            column = line.index(CURSOR)
            cursors.append(Cursor(path, start + len(line[:column].encode())))
            line = line.replace(CURSOR, "", 1)
        raw = line.encode("utf-8", "surrogatepass")
        kept.append(raw)
        above, above_start = line, start
        start += len(raw) + 1
    return b"\n".join(kept)


def _mark(label: re.Match[str], path: str, above: str, above_start: int) -> Mark:
    first, last = label.start("carets"), label.end("carets")
    assert last <= len(above), f"{path}: label {label['name']} points past the line above"
    return Mark(
        label["name"], path, above_start + len(above[:first].encode()), above_start + len(above[:last].encode())
    )
