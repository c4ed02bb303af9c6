"""Folder settings: what one of several open folders says of itself, and what of it counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.facts.paths import FilePath
from graphls.session.memory import snapshot_of
from graphls.settings import PythonSettings, Settings, of_folders, parse_settings, without_own
from graphls.sources.ignore_index import IgnoreIndex
from graphls.sources.limits import SourceLimits
from graphls.sources.walk import walk
from graphls.sources.workspace import Workspace


@pytest.mark.parametrize(
    ("glob", "written"),
    [
        ("gen", "//two/**/gen"),
        ("gen/", "//two/**/gen/"),
        ("/gen", "//two/gen"),
        ("a/gen/", "//two/a/gen/"),
        ("!gen/keep.py", "!//two/gen/keep.py"),
    ],
)
def test_globs_of_a_folder_are_written_for_the_workspace(glob: str, written: str) -> None:
    table, left = of_folders({}, {"one": {}, "two": {"files": {"exclude": [glob]}}})
    assert table == {"files": {"exclude": [written]}}
    assert not left


def test_what_a_client_says_of_all_folders_is_not_said_again_for_each() -> None:
    general = {"files": {"exclude": ["gen"], "maxBytes": 5}, "python": {"roots": ["lib"]}}
    own = {"files": {"exclude": ["old"], "maxBytes": 5}, "python": {"roots": ["lib"]}}
    table, left = of_folders(general, {"one": general, "two": own})
    assert table == {"files": {"exclude": ["gen", "//two/**/old"], "maxBytes": 5}, "python": {"roots": ["lib"]}}
    assert not left


def test_what_cannot_count_for_one_folder_is_named() -> None:
    first = {"findings": {"baseline": "a.json"}, "files": {"exclude": ["x"]}}
    table, left = of_folders(without_own(first), {"one": first, "two": {"findings": {"baseline": "b.json"}}})
    assert table == {"findings": {"baseline": "a.json"}, "files": {"exclude": ["//one/**/x"]}}
    assert left == {"two": ("findings.baseline",)}


def test_globs_leave_files_out_of_their_folder_alone(tmp_path: Path) -> None:
    for name in ("one/gen/a.py", "one/b.py", "two/gen/a.py", "two/sub/gen/c.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", "utf-8")
    workspace = Workspace.of([str(tmp_path / "one"), str(tmp_path / "two")])
    table, _ = of_folders({}, {"one": {}, "two": {"files": {"exclude": ["gen/"]}}})
    limits = SourceLimits.of(parse_settings(table)[0].files)
    assert [file.path for file in walk(workspace, limits).files] == ["one/b.py", "one/gen/a.py"]
    index = IgnoreIndex(workspace, limits)
    assert [index.leaves_out(FilePath(path)) for path in ("one/gen/a.py", "two/sub/gen/c.py")] == [False, True]


def test_a_folder_that_chooses_no_roots_has_those_that_are_found() -> None:
    files = {"one/lib/a.py": "", "one/main.py": "import a\n", "two/src/b.py": "", "two/use.py": "import b\n"}
    settings = Settings(python=PythonSettings(roots=("one/lib",)))
    names = snapshot_of(files, settings, folders=("one", "two")).modules["python"].names
    assert names[FilePath("one/lib/a.py")].dotted == "a"
    assert names[FilePath("two/use.py")].dotted == "use"
