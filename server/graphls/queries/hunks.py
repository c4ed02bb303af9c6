"""Hunks: which lines differ between two texts.

Owns: comparing by lines, carrying line numbers over to a later text.
Must not know: files, symbols, version control.
Invariant: line endings alone are no difference; the same two texts give the same hunks.

The shortest edit script, as git finds it: E. W. Myers, "An O(ND) difference algorithm and its variations",
Algorithmica 1 (1986). It costs the length of the texts and the square of the lines that differ, however often a line
is repeated.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import attrs

_MOST_EDITS = 1_500
"""Lines that are gone or new between the first and the last difference; beyond it they are one hunk."""


@attrs.frozen
class Hunk:
    """Lines `start` to `end` (from 0, the end is not part) stand where `removed` lines stood."""

    start: int
    end: int
    removed: int


def hunks(before: bytes, after: bytes) -> tuple[Hunk, ...]:
    """What differs, in lines of `after`."""
    old, new = lines_of(before), lines_of(after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not old and not new:
        return ()
    runs = _equal_runs(old, new) if old and new else None
    if runs is None:
        return (Hunk(head, head + len(new), len(old)),)
    found: list[Hunk] = []
    at_old = at_new = 0
    for start_old, start_new, size in (*runs, (len(old), len(new), 0)):
        if start_old > at_old or start_new > at_new:
            found.append(Hunk(head + at_new, head + start_new, start_old - at_old))
        at_old, at_new = start_old + size, start_new + size
    return tuple(found)


def _equal_runs(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int, int]] | None:
    """Stretches that a shortest edit script leaves alone, as starts and size in order; None where it is too long.

    How far in the old text scripts of so many edits come is known for each diagonal (lines of the old text less lines
    of the new one). `rows` holds that for each number of edits, from diagonal `-edits - 1` on, for the way back.
    """
    bound = min(len(old) + len(new), _MOST_EDITS)
    furthest = array("i", [-1]) * (2 * bound + 3)
    furthest[bound + 2] = 0
    rows: list[array[int]] = []
    for edits in range(bound + 1):
        row = furthest[bound - edits : bound + edits + 3]
        rows.append(row)
        for diagonal in range(-edits, edits + 1, 2):
            # As `_is_gone` says, without a call: this is all that a comparison does.
            gone, come = row[diagonal + edits], row[diagonal + edits + 2]
            at = gone + 1 if edits and (diagonal == edits or (diagonal != -edits and gone >= come)) else come
            while at < len(old) and 0 <= at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            furthest[bound + 1 + diagonal] = at
            if at >= len(old) and at - diagonal >= len(new):
                return list(_back(rows, len(old), len(new)))[::-1]
    return None


def _is_gone(row: array[int], diagonal: int, edits: int) -> bool:
    """Whether the last edit on the way to a diagonal takes away an old line; else a new one comes in."""
    here = diagonal + edits + 1
    return edits > 0 and (diagonal == edits or (diagonal != -edits and row[here - 1] >= row[here + 1]))


def _before(row: array[int], diagonal: int, edits: int) -> int:
    """The diagonal that the last edit comes from."""
    return diagonal - 1 if _is_gone(row, diagonal, edits) else diagonal + 1


def _back(rows: Sequence[array[int]], at: int, at_new: int) -> Iterator[tuple[int, int, int]]:
    """The stretches of equal lines, from the last to the first."""
    for edits in range(len(rows) - 1, -1, -1):
        row, diagonal = rows[edits], at - at_new
        before = _before(row, diagonal, edits)
        came = row[before + edits + 1]
        begin = came + _is_gone(row, diagonal, edits)
        if at > begin:
            yield begin, begin - diagonal, at - begin
        at, at_new = came, came - before


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


def unchanged_lines(before: bytes, after: bytes) -> Iterator[tuple[int, int]]:
    """Lines that are the same in both texts: of `after`, of `before`."""
    moved, at = 0, 0
    for hunk in hunks(before, after):
        yield from ((line, line + moved) for line in range(at, hunk.start))
        moved += hunk.removed - (hunk.end - hunk.start)
        at = hunk.end
    yield from ((line, line + moved) for line in range(at, after.count(b"\n") + 1))


def lines_of(text: bytes) -> list[bytes]:
    """Lines without their endings."""
    lines = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    return lines[:-1] if lines and not lines[-1] else lines
