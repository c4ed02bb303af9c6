"""Edits: the changes of text that actions propose.

Owns: the value Edit, where a suppressing comment goes, which lines a removed definition takes with it.
Must not know: LSP types, who applies an edit.
Invariant: an edit leaves every byte outside its range alone; line ends are those of the file.
"""

from __future__ import annotations

import attrs

from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath


@attrs.frozen
class TextEdit:
    """Replace the bytes from `start` to `end` by `text`. `create`: the file may not exist yet."""

    file: FilePath
    start: int
    end: int
    text: str
    create: bool = False


def comment_above(path: FilePath, facts: FileFacts, text: bytes, offset: int, comment: str) -> TextEdit:
    """A comment on a line of its own before the line of an offset, indented like it."""
    line, _ = facts.line_column(offset)
    start = facts.lines[line]
    stop = start
    while text[stop : stop + 1] in (b" ", b"\t"):
        stop += 1
    indent = text[start:stop].decode()
    return TextEdit(path, start, start, f"{indent}{comment}{_line_end(text)}")


def without_lines(path: FilePath, facts: FileFacts, text: bytes, start: int, end: int) -> TextEdit | None:
    """Remove a block of whole lines with the blank lines before it; None when it shares a line with other code."""
    first, _ = facts.line_column(start)
    last, _ = facts.line_column(max(start, end - 1))
    cut, stop = facts.lines[first], facts.lines[last + 1] if last + 1 < len(facts.lines) else len(text)
    if text[cut:start].strip() or text[end:stop].split(b"#")[0].strip():
        return None
    while first > 0 and not text[facts.lines[first - 1] : cut].strip():
        first -= 1
        cut = facts.lines[first]
    return TextEdit(path, cut, stop, "")


def stands_alone(facts: FileFacts, row: int) -> bool:
    """Whether a definition is the only statement of the block it stands in: then the block cannot do without it."""
    table = facts.definitions
    regions = facts.regions
    around = [
        (regions.start[at], regions.end[at])
        for at in range(len(regions))
        if regions.start[at] <= table.full_start[row] and table.full_end[row] <= regions.end[at]
    ]
    if not around:
        return True
    start, end = around[-1]
    return start == table.full_start[row] and end <= table.full_end[row] + 1


def _line_end(text: bytes) -> str:
    newline = text.find(b"\n")
    return "\r\n" if newline > 0 and text[newline - 1 : newline] == b"\r" else "\n"
