"""Git signals: what the last commits say of each file.

Owns: churn, authors, co-changes, the hotspot score, renames followed to the name of now.
Must not know: the graph, how the commits were read.
Invariant: every number can be counted again with `git log`; a file without a commit in the window has no signals, which
    is not the same as zero.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import log
from typing import Final

import attrs

from graphls.sources.git_log import GitHistory, LoggedCommit

MOST_FILES: Final = 100
"""Commits that touch more say nothing about which files belong together."""
_DAY: Final = 86_400
_BOT: Final = "[bot]"
"""How hosts of repositories mark the names of programs, which review nothing."""


@attrs.frozen
class FileAuthor:
    """One person's part in a file. `share`: percent of the file's commits, one decimal."""

    name: str
    email: str
    commits: int
    added: int
    deleted: int
    last_seen: int
    share: float


@attrs.frozen
class CoChange:
    """A file that was changed in the same commits."""

    path: str
    count: int
    last_seen: int


class SharedCommits:
    """The commits of one file that say which files belong together, newest first. Most files are never asked about, so
    others are counted when someone asks."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._commits: list[tuple[Sequence[str], int]] = []
        self._counted: Counter[str] | None = None
        self._known: tuple[CoChange, ...] | None = None

    def add(self, paths: Sequence[str], time: int) -> None:
        """A commit of this file and others."""
        self._commits.append((paths, time))

    def co_changes(self) -> tuple[CoChange, ...]:
        """All of them, most often first."""
        if self._known is None:
            self._known = self.frequent(1)
        return self._known

    def frequent(self, least: int) -> tuple[CoChange, ...]:
        """Those of so many commits at least."""
        if self._counted is None:
            self._counted = Counter(chain.from_iterable(paths for paths, _ in self._commits))
            del self._counted[self._path]
        counts = self._counted
        often = sorted((path for path in counts if counts[path] >= least), key=lambda path: (-counts[path], path))
        last: dict[str, int] = {}
        for paths, time in reversed(self._commits) if often else ():
            last.update(dict.fromkeys(paths, time))
        return tuple(CoChange(path, counts[path], last[path]) for path in often)


@attrs.frozen
class FileSignals:
    """One file. Authors by commits; times in seconds. `recent`: commits in the newer half of the window, `earlier`:
    those in the older half."""

    path: str
    commits: int
    added: int
    deleted: int
    authors: tuple[FileAuthor, ...]
    first_seen: int
    last_seen: int
    recent: int
    earlier: int
    _shared: SharedCommits = attrs.field(eq=False, repr=False)

    @property
    def co_changes(self) -> tuple[CoChange, ...]:
        """Files that were changed in the same commits, most often first."""
        return self._shared.co_changes()

    def changes_often_with(self, least: int) -> tuple[CoChange, ...]:
        """Those in so many commits at least."""
        return self._shared.frequent(least)

    @property
    def churn(self) -> int:
        """Lines added and deleted."""
        return self.added + self.deleted

    @property
    def hotspot(self) -> float:
        """`10 x commits + 5 x ln(1 + churn) + 3 x (authors - 1)`, one decimal: for order, never in place of its
        parts."""
        return round(10 * self.commits + 5 * log(1 + self.churn) + 3 * (len(self.authors) - 1), 1)


@attrs.frozen(eq=False)
class GitSignals:
    """Signals of every file that the window holds, by the name it has now."""

    history: GitHistory
    files: Mapping[str, FileSignals]
    ranks: Mapping[str, float]
    """Percent of files with a lower hotspot score."""


def git_signals(history: GitHistory) -> GitSignals:
    """What the commits say."""
    rows = _FileRows(history)
    files = {path: rows.signals(path) for path in sorted(rows.commits)}
    scores = sorted(one.hotspot for one in files.values())
    below = {score: place for place, score in reversed(list(enumerate(scores)))}
    ranks = {path: round(100 * below[one.hotspot] / len(scores), 1) for path, one in files.items()}
    return GitSignals(history, files, ranks)


@attrs.define
class _AuthorRow:
    name: str
    commits: int = 0
    added: int = 0
    deleted: int = 0
    last_seen: int = 0


class _FileRows:
    """Sums over the commits, newest first."""

    def __init__(self, history: GitHistory) -> None:
        self.commits: Counter[str] = Counter()
        self._added: Counter[str] = Counter()
        self._deleted: Counter[str] = Counter()
        self._recent: Counter[str] = Counter()
        self._times: dict[str, list[int]] = {}
        self._authors: dict[str, dict[str, _AuthorRow]] = {}
        self._shared: dict[str, SharedCommits] = {}
        self._names: dict[str, str] = {}
        half = (len(history.commits) + 1) // 2
        for number, commit in enumerate(history.commits):
            self._take(commit, recent=number < half)

    def signals(self, path: str) -> FileSignals:
        """The sums of one file."""
        commits, times = self.commits[path], self._times[path]
        return FileSignals(
            path,
            commits,
            self._added[path],
            self._deleted[path],
            tuple(self._people(path, commits)),
            min(times),
            max(times),
            self._recent[path],
            commits - self._recent[path],
            self._shared_of(path),
        )

    def _take(self, commit: LoggedCommit, *, recent: bool) -> None:
        paths: list[str] = []
        for file in commit.files:
            path = self._names.get(file.path, file.path)
            paths.append(path)
            self.commits[path] += 1
            self._added[path] += file.added
            self._deleted[path] += file.deleted
            self._recent[path] += recent
            self._times.setdefault(path, []).append(commit.time)
            row = self._authors.setdefault(path, {}).setdefault(commit.email, _AuthorRow(commit.name))
            row.commits += 1
            row.added += file.added
            row.deleted += file.deleted
            row.last_seen = max(row.last_seen, commit.time)
        # Commits before this one know the file by its old name. Where that name came back later, as when a file is
        # split, they stay with it: that is what `git log` says of it.
        renamed = {
            file.old_path: self._names.get(file.path, file.path)
            for file in commit.files
            if file.old_path and file.old_path not in self.commits
        }
        created = {file.path for file in commit.files if file.old_path} - renamed.keys()
        self._names.update(renamed)
        for path in created:
            self._names.pop(path, None)
        if commit.touched <= MOST_FILES:
            together = sorted(set(paths))
            for path in together:
                self._shared_of(path).add(together, commit.time)

    def _shared_of(self, path: str) -> SharedCommits:
        known = self._shared.get(path)
        if known is None:
            known = self._shared[path] = SharedCommits(path)
        return known

    def _people(self, path: str, commits: int) -> Iterator[FileAuthor]:
        rows = self._authors[path]
        for email in sorted(rows, key=lambda email: (-rows[email].commits, email)):
            row = rows[email]
            share = round(100 * row.commits / commits, 1)
            yield FileAuthor(row.name, email, row.commits, row.added, row.deleted, row.last_seen, share)


@attrs.frozen
class Reviewer:
    """Somebody who knows the code. `score` is the sum of its three parts; `paths`: those asked about that they changed;
    `beside`: files that change together with these, which they changed."""

    name: str
    email: str
    score: float
    authorship: float
    cochange: float
    recency: int
    paths: tuple[str, ...]
    beside: tuple[str, ...]
    last_seen: int


def reviewers(signals: GitSignals, paths: tuple[str, ...], limit: int = 5, without: str = "") -> tuple[Reviewer, ...]:
    """Who may review changes of these files, best first. `without`: an address that is left out, of who made the
    change. Recency counts from the newest touch among the candidates, not from the clock."""
    authorship: defaultdict[str, float] = defaultdict(float)
    cochange: defaultdict[str, float] = defaultdict(float)
    names: dict[str, str] = {}
    last: dict[str, int] = {}
    direct: dict[str, list[str]] = {}
    beside: dict[str, list[str]] = {}
    for path in paths:
        found = signals.files.get(path)
        if found is None:
            continue
        for author in found.authors[:10]:
            authorship[author.email] += author.share
            _note(author, path, names, last, direct)
        for other in found.co_changes[:5]:
            for author in signals.files[other.path].authors[:10]:
                cochange[author.email] += other.count * author.share / 100
                _note(author, other.path, names, last, beside)
    newest = max(last.values(), default=0)
    made = [
        Reviewer(
            names[email],
            email,
            round(authorship[email] + cochange[email] + _recency(newest - last[email]), 1),
            round(authorship[email], 1),
            round(cochange[email], 1),
            _recency(newest - last[email]),
            tuple(sorted(set(direct.get(email, ())))),
            tuple(sorted(set(beside.get(email, ())) - set(paths))),
            last[email],
        )
        for email in names
        if email != without and not names[email].endswith(_BOT)
    ]
    return tuple(sorted(made, key=lambda one: (-one.score, one.email))[:limit])


def _note(
    author: FileAuthor, path: str, names: dict[str, str], last: dict[str, int], where: dict[str, list[str]]
) -> None:
    names.setdefault(author.email, author.name)
    last[author.email] = max(last.get(author.email, 0), author.last_seen)
    where.setdefault(author.email, []).append(path)


def _recency(age: int) -> int:
    days = age / _DAY
    return 20 if days <= 30 else 10 if days <= 90 else 5 if days <= 180 else 1
