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
from graphls.languages.registry import providers


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_broken_code_has_facts_and_links(tmp_path: Path, seed: int) -> None:
    done = code_round(tmp_path, seed, 40)
    assert (done.texts, done.linked) == (40, 4)
    assert done.edits


@pytest.mark.parametrize("seed", [2])
def test_edited_files_are_read_as_from_scratch(seed: int) -> None:
    server = FIXTURES.parent / "server" / "graphls" / "languages"
    done = edit_round([FIXTURES / "python" / "facts", FIXTURES / "typescript" / "facts", server], seed, 150)
    # Which files are chosen follows from their sizes, and a statement is typed to its end.
    assert done.edits >= 150
    assert done.files >= 3
    assert 0 < done.typed < done.edits


@pytest.mark.parametrize("language", sorted(providers()))
def test_every_language_is_edited(language: str) -> None:
    done = edit_round([FIXTURES / language], 7, 20)
    assert done.edits >= 20
    # Files of a language that remembers nothing of earlier texts are typed in alone.
    assert bool(done.typed) or providers()[language].capabilities.fragments is not None


def test_where_there_is_no_code_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(ValueError, match="no code"):
        edit_round([tmp_path], 1, 1)
