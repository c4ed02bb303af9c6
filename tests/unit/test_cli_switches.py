"""Switches may stand behind the command, as people write them."""

from __future__ import annotations

import pytest

from graphls.cli.switches import in_front


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["find", "x", "--debug"], ["--debug", "find", "x"]),
        (["find", "x", "--repo", "api", "--repo=web"], ["--repo", "api", "--repo=web", "find", "x"]),
        (["--repo", "api", "find", "x"], ["--repo", "api", "find", "x"]),
        (["find", "--", "--repo", "--debug"], ["find", "--", "--repo", "--debug"]),
        (["eval", "tasks.jsonl", "--repo", "api"], ["eval", "tasks.jsonl", "--repo", "api"]),
        (["find", "--repo"], ["--repo", "find"]),
    ],
)
def test_switches_move_before_the_command(given: list[str], expected: list[str]) -> None:
    assert in_front(given) == expected
