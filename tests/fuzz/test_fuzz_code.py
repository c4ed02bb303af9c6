"""Fuzz of code: broken Python and TypeScript through extraction and linking, for a bounded time.

Owns: how much of it runs with the tests; `bench/fuzzing.py` runs as much as one likes.
Must not know: how code is broken.
Invariant: nothing raises, spans are inside the file, a kept tree ends where a fresh one begins.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.code_round import code_round


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_broken_code_has_facts_and_links(tmp_path: Path, seed: int) -> None:
    done = code_round(tmp_path, seed, 40)
    assert (done.texts, done.linked) == (40, 4)
    assert done.edits
