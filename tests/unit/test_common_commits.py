"""Common commits: which commits of two repositories are candidates for one piece of work.

Owns: reasons, subjects and people that say nothing, order.
Must not know: git.
Invariant: every pair has a reason.
"""

from __future__ import annotations

import attrs
import pytest

from graphls.analysis.common_commits import common_commits
from graphls.sources.git_log import LoggedCommit

BASE = LoggedCommit("a" * 40, 1_000_000, "Ann", "ann@example.org", "rename price to amount", 1, ())


def commit(number: int, **more: object) -> LoggedCommit:
    changed: LoggedCommit = attrs.evolve(BASE, id=f"{number:040d}", **more)
    return changed


FAR = {"time": 5_000_000, "email": "bob@example.org", "name": "Bob"}


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ([commit(1)], [commit(2, **FAR)], [("subject", 1, 2)]),
        ([commit(1)], [commit(2, time=1_000_100, subject="use the amount")], [("author", 1, 2)]),
        ([commit(1)], [commit(2, time=1_000_121, subject="use the amount")], []),
        ([commit(1)], [commit(2, time=1_000_100)], [("subject", 1, 2)]),
        ([commit(1, subject="fix typo")], [commit(2, subject="fix typo", **FAR)], []),
        ([commit(1, name="dependabot[bot]")], [commit(2, **FAR)], []),
        ([commit(number) for number in range(1, 6)], [commit(9, **FAR)], []),
        ([commit(1, email="")], [commit(2, email="", subject="something else")], []),
    ],
)
def test_pairs_and_their_reasons(
    one: list[LoggedCommit], other: list[LoggedCommit], wanted: list[tuple[str, int, int]]
) -> None:
    found = common_commits({"b": other, "a": one})
    pairs = [(pair.reason, int(pair.one), int(pair.other)) for both in found for pair in both.examples]
    assert pairs == wanted
    assert [(both.one, both.other, both.confidence) for both in found] == [("a", "b", "candidate")] * bool(wanted)
