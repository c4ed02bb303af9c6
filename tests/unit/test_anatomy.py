"""Anatomy: files of a folder with sizes and first symbols, folders below by what they hold."""

from __future__ import annotations

import pytest

from graphls.graph.errors import BadRequest
from graphls.queries.anatomy import MOST_SIGNATURE, anatomy
from graphls.session.memory import snapshot_of

FILES = {
    "app/a.py": "class A:\n    def run(self):\n        return 1\n\n\ndef go(x):\n    return x",
    "app/notes.md": "four",
    "app/sub/b.py": f"def wide({', '.join(f'parameter{number}' for number in range(20))}):\n    return 1\n",
    "app/sub/deep/c.py": "x = 1\n",
    "other.py": "",
}


def test_a_folder_has_its_own_files_and_the_sizes_of_those_below() -> None:
    found = anatomy(snapshot_of(FILES), "./app/")
    assert [(one.file, one.lines, one.bytes, one.tokens) for one in found.files] == [
        ("app/a.py", 7, len(FILES["app/a.py"]), len(FILES["app/a.py"]) // 4),
        ("app/notes.md", 1, 4, 1),
    ]
    assert [one.name for one in found.files[0].symbols] == ["A", "go", "run"]
    assert [(one.folder, one.files) for one in found.folders] == [("app/sub", 2)]
    assert found.folders[0].bytes == len(FILES["app/sub/b.py"]) + 6


@pytest.mark.parametrize(
    ("depth", "files", "folders"),
    [
        (1, ["other.py"], ["app"]),
        (2, ["app/a.py", "app/notes.md", "other.py"], ["app/sub"]),
        (4, ["app/a.py", "app/notes.md", "app/sub/b.py", "app/sub/deep/c.py", "other.py"], []),
    ],
)
def test_depth_opens_folders(depth: int, files: list[str], folders: list[str]) -> None:
    found = anatomy(snapshot_of(FILES), depth=depth)
    assert [one.file for one in found.files] == files
    assert [one.folder for one in found.folders] == folders


def test_what_is_left_out_is_counted() -> None:
    found = anatomy(snapshot_of(FILES), "app", symbols=1, limit=1)
    assert (len(found.files), found.omitted, found.files[0].omitted) == (1, 1, 2)
    (wide,) = anatomy(snapshot_of(FILES), "app/sub").files[0].symbols
    assert wide.signature is not None
    assert len(wide.signature) == MOST_SIGNATURE
    with pytest.raises(BadRequest):
        anatomy(snapshot_of(FILES), "ap")
