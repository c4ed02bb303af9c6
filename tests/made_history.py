"""Made history: commits that a test says in a line, without a repository.

Owns: the line, the commits that it stands for.
Must not know: rules, the graph.
Invariant: files that are named change more often than the others of the history.
"""

from __future__ import annotations

import re

from graphls.sources.git_log import GitHistory, LoggedCommit, LoggedFile

_LINE = re.compile(r"^--- changed (\d+) times: (.+) ---$", re.MULTILINE)
_QUIET = 20


def history_in(text: str) -> GitHistory | None:
    """The commits that lines `--- changed 4 times: a.py b.py ---` of a fixture stand for, and some of other files."""
    named = [(int(found[1]), tuple(found[2].split())) for found in _LINE.finditer(text)]
    return made_history(*named) if named else None


def made_history(*named: tuple[int, tuple[str, ...]]) -> GitHistory:
    """So many commits of these files together each, and one of each of a few others."""
    paths = [files for times, files in named for _ in range(times)]
    paths += [(f"quiet/{number}.txt",) for number in range(_QUIET)]
    return GitHistory("head", tuple(_commit(number, files) for number, files in enumerate(paths)), 500)


def _commit(number: int, paths: tuple[str, ...]) -> LoggedCommit:
    rows = tuple(LoggedFile(path, path, 5, 1) for path in paths)
    return LoggedCommit(f"c{number}", 1_000_000 - number, "Ann", "ann@example.org", "change", len(rows), rows)
