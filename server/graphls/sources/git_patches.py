"""Git patches: which lines commits, and the work tree, changed.

Owns: the commands, their hunks as values.
Must not know: symbols, what files hold now.
Invariant: lines are those of a file after each commit. The commits of one file follow its renames; those of many files
    do not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import attrs

from graphls.sources.git_log import CONTENTS, PLAIN
from graphls.sources.git_program import Repository

COMMITS = 100
_WORK_TREE = ""
"""Stands for the id of a commit where the patch is what was not committed yet."""
_MARK = "\x01commit "
_PATCH = ("--patch", "--unified=0", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=default",
          "--relative", *CONTENTS)  # fmt: skip
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


FileHunks = Mapping[str, Sequence[LoggedHunk]]
"""Path -> its hunks in order."""


@attrs.frozen
class RecentPatch:
    """What one commit changed. `age`: commits from it to now; 0 for what was not committed."""

    age: int
    files: FileHunks


def commit_hunks(repository: Repository, commits: Sequence[str], paths: Sequence[str]) -> Mapping[str, FileHunks]:
    """Commit -> what it changed in these files, for the commits that changed any. Raises GitRefused."""
    if not commits or not paths:
        return {}
    form = ("--stdin", "-r", "--root", f"--format=format:{_MARK}%H")
    given = "".join(f"{commit}\n" for commit in commits)
    return _hunks_by_commit(repository.ask(("diff-tree", *form, *_PATCH, "--", *paths), given.encode("ascii")))


def uncommitted_hunks(repository: Repository) -> FileHunks:
    """What differs between the last commit and the disk. Raises GitRefused."""
    return _hunks_by_commit(repository.ask(("diff", *_PATCH, "HEAD"))).get(_WORK_TREE, {})


def _hunks_by_commit(raw: bytes) -> Mapping[str, FileHunks]:
    found = defaultdict[str, dict[str, list[LoggedHunk]]](dict)
    commit, path, content = _WORK_TREE, "", 0
    for line in raw.decode("utf-8", "surrogateescape").split("\n"):
        if content and line[:1] in ("+", "-"):  # a line of a file, which may look like a header
            content -= 1
        elif line.startswith(_MARK):
            commit = line.removeprefix(_MARK)
        elif line.startswith("+++ "):
            # A name with a tab has one more after it. One that git quotes, or a file that is gone, is nobody's.
            path = line.removeprefix("+++ ").removesuffix("\t")
            path = path.removeprefix("b/") if path.startswith("b/") else ""
        elif (match := _HUNK.match(line)) is not None:
            hunk = _hunk(match)
            content = hunk.old_end - hunk.old_start + hunk.end - hunk.start
            if path:
                found[commit].setdefault(path, []).append(hunk)
    return found


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
