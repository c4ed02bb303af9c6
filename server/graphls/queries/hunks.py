"""Hunks: which lines differ between two texts.

Owns: comparing by lines, carrying line numbers over to a later text.
Must not know: files, symbols, version control.
Invariant: line endings alone are no difference; the same two texts give the same hunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import attrs

_MANY = 4_000
"""Lines between the first and the last difference; beyond it they are one hunk."""


@attrs.frozen
class Hunk:
    """Lines `start` to `end` (from 0, the end is not part) stand where `removed` lines stood."""

    start: int
    end: int
    removed: int


def hunks(before: bytes, after: bytes) -> tuple[Hunk, ...]:
    """What differs, in lines of `after`."""
    old, new = _lines(before), _lines(after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not old and not new:
        return ()
    if not old or not new or len(old) > _MANY or len(new) > _MANY:
        return (Hunk(head, head + len(new), len(old)),)
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(Hunk(head + j1, head + j2, i2 - i1) for tag, i1, i2, j1, j2 in codes if tag != "equal")


def rebase_hunks(found: Sequence[Hunk], seen: bytes, now: bytes) -> tuple[Hunk, ...]:
    """Hunks of one text in lines of a later one."""
    later = hunks(seen, now) if seen != now else ()
    if not later:
        return tuple(found)
    return tuple(Hunk(_rebased_line(hunk.start, later), _rebased_line(hunk.end, later), hunk.removed) for hunk in found)


def _rebased_line(line: int, later: Sequence[Hunk]) -> int:
    """Where a line of the earlier text stands in the later one; lines that are gone: where they stood."""
    moved = 0
    for hunk in later:
        began = hunk.start - moved
        if line < began:
            break
        if line < began + hunk.removed:
            return min(hunk.start + line - began, hunk.end)
        moved += hunk.end - hunk.start - hunk.removed
    return line + moved


def _lines(text: bytes) -> list[bytes]:
    lines = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    return lines[:-1] if lines and not lines[-1] else lines
