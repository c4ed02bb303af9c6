"""Output files: what a command may replace."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.cli.guard import UsageError
from graphls.cli.output_files import made_file, write_whole


@pytest.mark.parametrize("name", ["a.py", "lib.rs", "graphls.toml", "pyproject.toml", "run.sh"])
def test_files_of_code_and_settings_stay(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("x = 1\n")
    with pytest.raises(UsageError, match="no output of graphls"):
        write_whole(str(path), [b"{}"])
    with pytest.raises(UsageError, match="no output of graphls"):
        made_file(str(path), lambda temporary: Path(temporary).touch())
    assert path.read_text() == "x = 1\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["graph.jsonl", "graph.sqlite", "page.html", "new.py"])
def test_others_and_new_ones_are_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if not name.endswith(".py"):
        path.write_text("before")
    assert write_whole(str(path), [b"{", b"}"]) == 2
    assert path.read_bytes() == b"{}"
