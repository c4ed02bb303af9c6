"""Git patches: which lines the last commits changed in one file.

Owns: the command, its hunks as values.
Must not know: symbols, what the file holds now.
Invariant: lines are those of the file after each commit; renames of the file are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from graphls.sources.git_log import PLAIN
from graphls.sources.git_program import Repository

COMMITS = 100
_MARK = "\x01commit "
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@attrs.frozen
class LoggedHunk:
    """Lines from 0, the end is not part: `start` to `end` stand where `old_start` to `old_end` stood."""

    old_start: int
    old_end: int
    start: int
    end: int


@attrs.frozen
class LoggedPatch:
    """What one commit did to the file."""

    commit: str
    time: int
    name: str
    email: str
    hunks: tuple[LoggedHunk, ...]


def file_patches(repository: Repository, path: str, commits: int = COMMITS) -> tuple[LoggedPatch, ...]:
    """The last commits of a file, newest first. Raises GitRefused."""
    raw = repository.ask((
        "log", f"--max-count={commits}", "--follow", "--patch", "--unified=0",
        "--format=format:%x01commit %H%x00%ct%x00%aN%x00%aE", *PLAIN, "HEAD", "--", path,
    ))  # fmt: skip
    return tuple(_patches(raw.decode("utf-8", "replace").split("\n")))


def _patches(lines: list[str]) -> Iterator[LoggedPatch]:
    head: list[str] = []
    found: list[LoggedHunk] = []
    for line in lines:
        if line.startswith(_MARK):
            if head:
                yield _patch(head, found)
            head, found = line.removeprefix(_MARK).split("\0"), []
        elif line.startswith("@@ "):
            hunk = _HUNK.match(line)
            if hunk is not None and head:
                found.append(_hunk(hunk))
    if head:
        yield _patch(head, found)


def _patch(head: list[str], hunks: list[LoggedHunk]) -> LoggedPatch:
    return LoggedPatch(head[0], int(head[1]), head[2], head[3].lower(), tuple(hunks))


def _hunk(found: re.Match[str]) -> LoggedHunk:
    old, new = (_span(found[at], found[at + 1]) for at in (1, 3))
    return LoggedHunk(*old, *new)


def _span(start: str, count: str | None) -> tuple[int, int]:
    """Where nothing stands the number is that of the line above."""
    first, lines = int(start), 1 if count is None else int(count)
    return (first, first) if not lines else (first - 1, first - 1 + lines)
