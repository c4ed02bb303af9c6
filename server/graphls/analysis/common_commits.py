"""Common commits: commits of two repositories that may be one piece of work.

Owns: when two commits are likely to belong together, which subjects say nothing.
Must not know: git, where repositories are, layout.
Invariant: each pair is a candidate with its reason, nothing rests on it; the same histories give the same pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

import attrs

from graphls.sources.git_log import LoggedCommit

LAST: Final = 200
"""Commits of each repository that are looked at."""
_NEAR: Final = 120
"""Seconds between two commits of one person."""
_LEAST_WORDS: Final = 3
_MOST_TIMES: Final = 3
"""A subject that one repository has more often says nothing: `update dependencies`."""
_SHOWN: Final = 3
_BOT: Final = "[bot]"


@attrs.frozen(kw_only=True)
class CommonCommit:
    """Two commits, by their ids. `reason`: `subject` or `author`."""

    one: str
    other: str
    subject: str
    reason: str


@attrs.frozen(kw_only=True)
class CommonCommits:
    """Candidates of two repositories, those with the same subject first. `examples`: the newest."""

    one: str
    other: str
    same_subject: int
    same_author: int
    confidence: str
    examples: tuple[CommonCommit, ...]


def common_commits(histories: Mapping[str, Sequence[LoggedCommit]]) -> tuple[CommonCommits, ...]:
    """For each two repositories that have any. `histories`: newest first."""
    known = {alias: [one for one in commits[:LAST] if not _by_bot(one)] for alias, commits in histories.items()}
    found: list[CommonCommits] = []
    for one, other in combinations(sorted(known), 2):
        subjects = tuple(_of_subject(known[one], known[other]))
        paired = {(pair.one, pair.other) for pair in subjects}
        authors = tuple(pair for pair in _of_author(known[one], known[other]) if (pair.one, pair.other) not in paired)
        if subjects or authors:
            examples = (*subjects, *authors)[:_SHOWN]
            found.append(
                CommonCommits(one=one, other=other, same_subject=len(subjects), same_author=len(authors),
                              confidence="candidate", examples=examples)
            )  # fmt: skip
    return tuple(found)


def _by_bot(commit: LoggedCommit) -> bool:
    return _BOT in commit.name or _BOT in commit.email


def _of_subject(ours: Sequence[LoggedCommit], theirs: Sequence[LoggedCommit]) -> Iterator[CommonCommit]:
    often = [Counter(one.subject for one in commits) for commits in (ours, theirs)]
    named: dict[str, list[LoggedCommit]] = {}
    for commit in theirs:
        if len(commit.subject.split()) >= _LEAST_WORDS:
            named.setdefault(commit.subject, []).append(commit)
    for commit in ours:
        rare = all(counts[commit.subject] <= _MOST_TIMES for counts in often)
        for match in named.get(commit.subject, ()) if rare else ():
            yield CommonCommit(one=commit.id, other=match.id, subject=commit.subject, reason="subject")


def _of_author(ours: Sequence[LoggedCommit], theirs: Sequence[LoggedCommit]) -> Iterator[CommonCommit]:
    by_author: dict[str, list[LoggedCommit]] = {}
    for commit in sorted(theirs, key=lambda one: (one.time, one.id)):
        by_author.setdefault(commit.email, []).append(commit)
    for commit in ours:
        mine = by_author.get(commit.email, [])
        first = bisect_left(mine, commit.time - _NEAR, key=lambda one: one.time)
        last = bisect_right(mine, commit.time + _NEAR, key=lambda one: one.time)
        for match in mine[first:last] if commit.email else ():
            yield CommonCommit(one=commit.id, other=match.id, subject=commit.subject, reason="author")
