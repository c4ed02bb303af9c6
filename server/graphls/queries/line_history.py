"""Line history: which symbols of today the last commits of a file touched.

Owns: carrying the lines of a commit over all later ones to the text of now.
Must not know: version control.
Invariant: nothing is parsed but the text of now; lines that are gone count for what stands on both sides of the gap.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.changed import line_owners
from graphls.queries.hunks import Hunk, hunks
from graphls.sources.git_patches import LoggedHunk, LoggedPatch


@attrs.frozen
class SymbolChanges:
    """Commits that touched lines of one symbol itself; -1 is the module."""

    definition: int
    commits: int
    authors: int
    last_seen: int


def symbol_changes(
    snapshot: Snapshot, path: FilePath, patches: Sequence[LoggedPatch], head: bytes
) -> tuple[SymbolChanges, ...]:
    """Symbols with the commits that touched them, most commits first. `patches`: newest first; `head`: the text that
    the newest of them left."""
    now = snapshot.text(path) or b""
    later = tuple(
        LoggedHunk(one.start - moved, one.start - moved + one.removed, one.start, one.end)
        for one, moved in _moved(hunks(head, now))
    )
    owners, text = line_owners(snapshot.facts(path)), now.split(b"\n")
    found: dict[int, list[LoggedPatch]] = {}
    steps: list[tuple[LoggedHunk, ...]] = [later]
    for patch in patches:
        lines = [carried_lines(hunk.start, hunk.end, steps) for hunk in patch.hunks]
        for row in {row for start, end in lines for row in _rows(owners, text, start, end)}:
            found.setdefault(row, []).append(patch)
        steps.insert(0, patch.hunks)
    made = [
        SymbolChanges(row, len(touched), len({one.email for one in touched}), max(one.time for one in touched))
        for row, touched in found.items()
    ]
    return tuple(sorted(made, key=lambda one: (-one.commits, one.definition)))


def _rows(owners: Sequence[int], text: Sequence[bytes], start: int, end: int) -> set[int]:
    """The innermost symbols on lines; blank lines count only where there are no others. A gap between lines belongs to
    what stands on both of its sides."""
    if start >= end:
        sides = {owners[line] for line in (start - 1, start) if 0 <= line < len(owners)}
        return sides if len(sides) == 1 else set()
    there = [line for line in range(start, end) if line < len(owners)]
    filled = [line for line in there if line < len(text) and text[line].strip()]
    return {owners[line] for line in filled or there}


def _moved(found: Sequence[Hunk]) -> list[tuple[Hunk, int]]:
    """Hunks with how far later lines stand from where they stood before."""
    moved, made = 0, list[tuple[Hunk, int]]()
    for hunk in found:
        made.append((hunk, moved))
        moved += hunk.end - hunk.start - hunk.removed
    return made


def carried_lines(start: int, end: int, steps: Sequence[Sequence[LoggedHunk]]) -> tuple[int, int]:
    """Where lines stand after later commits; with an end that is the start: between which lines they stood."""
    for step in steps:
        if start >= end:
            start = end = _gap(start, step)
            continue
        first, _ = _line(start, step)
        last, there = _line(end - 1, step)
        start, end = first, max(last + there, first)
    return start, end


def _line(line: int, step: Sequence[LoggedHunk]) -> tuple[int, bool]:
    """Where a line stands after a step, and whether there is a line in its place."""
    moved = 0
    for hunk in step:
        if line < hunk.old_start:
            break
        if line < hunk.old_end:
            last = max(hunk.end - 1, hunk.start)
            return min(hunk.start + line - hunk.old_start, last), hunk.end > hunk.start
        moved = hunk.end - hunk.old_end
    return line + moved, True


def _gap(line: int, step: Sequence[LoggedHunk]) -> int:
    """Where the gap above a line stands after a step."""
    moved = 0
    for hunk in step:
        if line <= hunk.old_start:
            break
        if line < hunk.old_end:
            return hunk.start
        moved = hunk.end - hunk.old_end
    return line + moved
