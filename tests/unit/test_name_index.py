"""Name index: the files that mention a name are those that looking at each finds."""

from __future__ import annotations

import random
from array import array
from collections.abc import Mapping
from pathlib import Path

import pytest

from graphls.facts.name_numbers import name_number
from graphls.facts.paths import FilePath
from graphls.session import snapshot_contents
from graphls.session.cache.name_index import NameIndex
from graphls.session.memory import snapshot_of
from increment.session_folder import session_over, settle, write


def test_the_index_says_what_the_files_say() -> None:
    rng = random.Random(1)
    words = [f"name_{number}" for number in range(400)]
    files = {FilePath(f"{number:03}.py"): rng.sample(words, rng.randint(0, 30)) for number in range(120)}
    index = NameIndex({path: array("Q", sorted(map(name_number, names))) for path, names in files.items()})
    for word in (*words, "absent"):
        assert index.files(name_number(word)) == [path for path, names in files.items() if word in names]


def test_numbers_that_share_a_bucket_are_told_apart() -> None:
    one, other = 5, 5 + (1 << 16)
    index = NameIndex({FilePath("a"): array("Q", [one, other]), FilePath("b"): array("Q", [other])})
    assert index.files(one) == ["a"]
    assert index.files(other) == ["a", "b"]
    assert index.files(5 + (1 << 17)) == []


def test_a_session_answers_alike_before_and_after_edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bool] = []
    monkeypatch.setattr(snapshot_contents, "_SCANS", 3)
    files: Mapping[str, str] = {f"m{number}.py": f"def f{number}(): return g{number % 7}()\n" for number in range(60)}
    edits: tuple[Mapping[str, str], ...] = ({}, {"m3.py": "def f3(): return g8()\n"}, {"m4.py": "x = f9\n"})
    names = [*(f"f{number}" for number in range(60)), *(f"g{number}" for number in range(9)), "absent"]
    write(tmp_path, files)
    with session_over(tmp_path) as session:
        for edit in edits:
            files = {**files, **edit}
            for path, text in edit.items():
                session.open(FilePath(path), text.encode())
            snapshot, fresh = settle(session), snapshot_of(files)
            assert {name: snapshot.files_with_name(name) for name in names} == {
                name: fresh.files_with_name(name) for name in names
            }
            made.append(snapshot.files_with_name("f9") == ("m4.py", "m9.py"))
    assert made == [False, False, True]
