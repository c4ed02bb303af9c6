"""Fuzz of the protocol: random bytes and random messages against a real server, for a bounded time.

Owns: how much of it runs with the tests; `bench/fuzzing.py` runs as much as one likes.
Must not know: what is drawn.
Invariant: the server answers each request once, ends as asked, and its graph is that of a fresh start.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.rounds import bytes_round, messages_round


@pytest.mark.parametrize("seed", [2])
def test_any_bytes_are_survived(tmp_path: Path, seed: int) -> None:
    assert bytes_round(tmp_path, seed, 300_000).bytes >= 300_000


@pytest.mark.parametrize("seed", [2])
def test_any_messages_are_answered_and_end_where_a_fresh_start_begins(tmp_path: Path, seed: int) -> None:
    assert messages_round(tmp_path, seed, 400).messages >= 400
