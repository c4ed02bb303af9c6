"""Unified diffs that nobody has applied yet."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphls.graph.errors import BadRequest
from graphls.session.patches import patched

TEXT = "one\ntwo\nthree\nfour\n"
LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8)


def diff(folder: Path, before: str, after: str) -> str:
    for name, text in (("one.txt", before), ("two.txt", after)):
        (folder / name).write_text(text, newline="")
    run = subprocess.run(
        ["git", "diff", "--no-index", "--no-color", "one.txt", "two.txt"], cwd=folder, capture_output=True, check=False
    )
    return run.stdout.decode().replace("b/two.txt", "b/one.txt")


@given(before=LINES, after=LINES, ends=st.tuples(st.booleans(), st.booleans()))
@settings(max_examples=40, deadline=None)
def test_what_git_writes_is_applied(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str], ends: tuple[bool, bool]
) -> None:
    texts = ["\n".join(lines) + ("\n" if end else "") for lines, end in zip((before, after), ends, strict=True)]
    made = diff(tmp_path_factory.mktemp("diff"), *texts)
    if made:
        assert patched(made, {"one.txt": texts[0]}.get) == {"one.txt": texts[1]}


def test_files_are_added_taken_away_and_renamed() -> None:
    patch = (
        "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x = 1\n"
        "--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-y = 1\n"
        "--- a/here.py\n+++ b/there.py\n@@ -2,1 +2,1 @@\n-two\n+zwei\n"
    )
    made = patched(patch, {"old.py": "y = 1\n", "here.py": TEXT}.get)
    assert made == {
        "new.py": "x = 1\n", "old.py": None, "here.py": None, "there.py": TEXT.replace("two", "zwei"),
    }  # fmt: skip


def test_a_part_fits_where_its_lines_moved() -> None:
    moved = patched("--- a/a\n+++ b/a\n@@ -2,2 +2,2 @@\n two\n-three\n+drei\n", {"a": f"zero\n{TEXT}"}.get)
    assert moved == {"a": f"zero\n{TEXT}".replace("three", "drei")}


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("", "changes no file"),
        ("--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-nine\n+x\n", "does not fit a: at line 1 'nine'"),
        ("--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n", "b, which is not there"),
        ("--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+y\n", "a, which is there already"),
        ("--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n", "other lines than"),
        ("--- a/a\n+++ b/a\n@@ -1 +1 @@\n?one\n+x\n", "begins with none of"),
    ],
)
def test_what_does_not_fit_is_refused(patch: str, said: str) -> None:
    with pytest.raises(BadRequest, match=said.replace("?", r"\?")):
        patched(patch, {"a": TEXT}.get)
