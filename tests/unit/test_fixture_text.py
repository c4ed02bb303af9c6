"""Fixture text: the mini-language that tests are written in.

Owns: headers, labels, the cursor.
Must not know: the package.
Invariant: labels give byte offsets.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fixture_text import Cursor, Mark, fixture

TEXT = """
    --- path: a.py ---
    é = greet
    #   ^^^^^ ref:greet
    # ^ eq
        x$0y = 1
    --- path: pkg/b.py ---
    def greet(): pass
    #   ^^^^^ def:greet
"""


def test_files_lose_their_labels() -> None:
    parsed = fixture(TEXT)
    assert parsed.files == {"a.py": "é = greet\n    xy = 1\n".encode(), "pkg/b.py": b"def greet(): pass\n"}


def test_labels_are_bytes_of_the_line_above() -> None:
    parsed = fixture(TEXT)
    assert parsed.marks == (
        Mark("ref:greet", "a.py", 5, 10),
        Mark("eq", "a.py", 3, 4),
        Mark("def:greet", "pkg/b.py", 4, 9),
    )
    assert parsed.one("eq").start == parsed.at("a.py", "=")


def test_cursor() -> None:
    assert fixture(TEXT).cursor == Cursor("a.py", 16)


def test_text_without_header_is_one_file() -> None:
    assert fixture("x = 1\n").files == {"a.py": b"x = 1\n"}


def test_label_past_the_line_fails() -> None:
    with pytest.raises(AssertionError, match="past the line"):
        fixture("x\n#   ^^^ y\n")


def test_written_to_disk(tmp_path: Path) -> None:
    fixture(TEXT).write(tmp_path)
    assert (tmp_path / "pkg" / "b.py").read_bytes() == b"def greet(): pass\n"
