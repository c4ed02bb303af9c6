"""Patches: the texts of files as a unified diff would leave them.

Owns: reading a unified diff, with or without git's headings; finding where its parts fit; the texts after it.
Must not know: symbols, the disk, who proposes.
Invariant: a patch that does not fit is refused with the file and the line; nothing is written anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from graphls.graph.errors import BadRequest

_PART: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NOWHERE: Final = "/dev/null"
_NO_END: Final = "\\"


@attrs.frozen
class PatchHunk:
    """Lines that stand from a line on, counted from 1, and what comes in their place."""

    first: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@attrs.frozen
class FilePatch:
    """One file; "" for a side where it does not exist."""

    before: str
    after: str
    hunks: tuple[PatchHunk, ...]


def patched(patch: str, text_of: Callable[[str], str | None]) -> Mapping[str, str | None]:
    """Path -> text after the patch, None for a file that it takes away. Raises BadRequest."""
    made: dict[str, str | None] = {}
    for file in _files(patch.splitlines(keepends=True)):
        source = file.before or file.after
        text = made[source] if source in made else text_of(source)
        if file.before and text is None:
            raise BadRequest(f"The patch changes {source}, which is not there.")
        if not file.before and text is not None:
            raise BadRequest(f"The patch adds {source}, which is there already.")
        if file.before and file.before != file.after:
            made[file.before] = None
        if file.after:
            made[file.after] = _applied(file, text or "")
    if not made:
        raise BadRequest("The patch changes no file: it has to be a unified diff with ---, +++ and @@ lines.")
    return made


def _files(lines: Sequence[str]) -> Iterator[FilePatch]:
    at = 0
    while at + 1 < len(lines):
        if not (lines[at].startswith("--- ") and lines[at + 1].startswith("+++ ")):
            at += 1
            continue
        before, after = _path(lines[at]), _path(lines[at + 1])
        hunks: list[PatchHunk] = []
        at += 2
        while at < len(lines) and (head := _PART.match(lines[at])):
            hunk, at = _hunk(lines, at + 1, head)
            hunks.append(hunk)
        yield FilePatch(before, after, tuple(hunks))


def _path(line: str) -> str:
    name = line[4:].rstrip("\r\n").partition("\t")[0].strip()
    return "" if name == _NOWHERE else re.sub(r"^[ab]/", "", name)


def _hunk(lines: Sequence[str], at: int, head: re.Match[str]) -> tuple[PatchHunk, int]:
    left = [int(head[2] or 1), int(head[4] or 1)]
    old, new = list[str](), list[str]()
    while at < len(lines) and (left[0] > 0 or left[1] > 0 or lines[at].startswith(_NO_END)):
        sign, text = lines[at][:1], lines[at][1:]
        if sign == _NO_END:
            _end_without_newline(lines[at - 1][:1], old, new)
        else:
            if sign in (" ", "-", "\n", "\r"):
                old.append(text or sign)
                left[0] -= 1
            if sign in (" ", "+", "\n", "\r"):
                new.append(text or sign)
                left[1] -= 1
            if sign not in (" ", "+", "-", "\n", "\r"):
                raise BadRequest(f"Line {at + 1} of the patch begins with none of ' ', '+', '-'.")
        at += 1
    if left != [0, 0]:
        raise BadRequest(f"A part of the patch has other lines than {head[0]} says.")
    return PatchHunk(int(head[1]), tuple(old), tuple(new)), at


def _end_without_newline(sign: str, old: list[str], new: list[str]) -> None:
    for lines in (old,) if sign == "-" else (new,) if sign == "+" else (old, new):
        lines[-1] = lines[-1].rstrip("\r\n")


def _applied(file: FilePatch, text: str) -> str:
    lines = text.splitlines(keepends=True)
    made, done = list[str](), 0
    for hunk in file.hunks:
        wanted = hunk.first - 1 if hunk.old else hunk.first
        at = _place(lines, hunk.old, wanted, done)
        if at < 0:
            said = hunk.old[0].strip() if hunk.old else ""
            raise BadRequest(
                f"The patch does not fit {file.before or file.after}: at line {hunk.first} {said!r} is wanted."
            )
        made += (*lines[done:at], *hunk.new)
        done = at + len(hunk.old)
    return "".join((*made, *lines[done:]))


def _place(lines: Sequence[str], old: Sequence[str], wanted: int, least: int) -> int:
    """Where lines stand that is nearest to where they should; -1: nowhere."""
    bare = [line.rstrip("\r\n") for line in old]
    starts = range(least, len(lines) - len(old) + 1)
    for start in sorted(starts, key=lambda start: abs(start - wanted)):
        if all(lines[start + at].rstrip("\r\n") == line for at, line in enumerate(bare)):
            return start
    return -1
