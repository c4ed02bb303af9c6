"""Fuzz of code: broken Python and TypeScript through extraction and linking, for a bounded time.

Owns: how much of it runs with the tests; `bench/fuzzing.py` runs as much as one likes.
Must not know: how code is broken.
Invariant: nothing raises, spans are inside the file, a kept tree ends where a fresh one begins, and what is read with
a memory of earlier texts is what a reading from scratch gives.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.code_round import FIXTURES, code_round
from fuzz.edit_round import edit_round


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_broken_code_has_facts_and_links(tmp_path: Path, seed: int) -> None:
    done = code_round(tmp_path, seed, 40)
    assert (done.texts, done.linked) == (40, 4)
    assert done.edits


@pytest.mark.parametrize("seed", [1, 2])
def test_edited_files_are_read_as_from_scratch(seed: int) -> None:
    server = FIXTURES.parent / "server" / "graphls" / "languages"
    done = edit_round([FIXTURES / "python" / "facts", FIXTURES / "typescript" / "facts", server], seed, 150)
    # Which files are chosen follows from their sizes, and a statement is typed to its end.
    assert done.edits >= 150
    assert done.files >= 3
    assert 0 < done.typed < done.edits
