"""Tracked files: packages of a repository's own that lie in a folder which is left out by name.

Owns: what git tracks below `node_modules`, seen by a walk, by a single path and by events.
Must not know: the format of git's index.
Invariant: a walk and a look at one path agree.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from watchfiles import Change

from git_folders import committed
from graphls.facts.paths import FilePath
from graphls.sources.ignore_index import IgnoreIndex
from graphls.sources.limits import SourceLimits
from graphls.sources.walk import walk
from graphls.sources.watch import _EventSorter  # pyright: ignore[reportPrivateUsage]
from graphls.sources.workspace import Workspace

OWN = ("packages/node_modules/core/index.js", "packages/node_modules/core/lib/util.js", "app.js")
OTHERS = (
    "node_modules/left/index.js",
    "packages/node_modules/left/index.js",
    "packages/node_modules/core/new.js",
    "packages/node_modules/core/node_modules/deep/index.js",
    "packages/node_modules/core/__pycache__/a.py",
)


@pytest.fixture(params=[".", "packages"])
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    for name in OWN:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("export const a = 1\n")
    committed(tmp_path)
    for name in OTHERS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("export const b = 1\n")
    return tmp_path / request.param


def _below(root: Path, names: tuple[str, ...]) -> list[str]:
    """The files below a root, which may be a folder of the repository."""
    if root.name != "packages":
        return sorted(names)
    return sorted(name.removeprefix("packages/") for name in names if name.startswith("packages/"))


def test_what_git_tracks_is_in_the_workspace(root: Path) -> None:
    workspace = Workspace.of([str(root)])
    found = walk(workspace, SourceLimits())
    assert [file.path for file in found.files] == _below(root, OWN)
    index = IgnoreIndex(workspace, SourceLimits())
    for names, out in ((OWN, False), (OTHERS, True)):
        assert {index.leaves_out(FilePath(name)) for name in _below(root, names)} == {out}


def test_without_ignore_files_the_name_leaves_out(root: Path) -> None:
    found = walk(Workspace.of([str(root)]), SourceLimits(respect_ignores=False))
    assert not [file.path for file in found.files if "node_modules" in file.path]


def test_changes_of_it_are_noticed(root: Path) -> None:
    sorter = _EventSorter(Workspace.of([str(root)]), SourceLimits, 100)
    wanted = {
        name: sorter.wanted(Change.modified, str(root / name)) for name in (*_below(root, OWN), *_below(root, OTHERS))
    }
    assert all(wanted[name] for name in _below(root, OWN))
    assert not any(wanted[name] for name in wanted if name.startswith("node_modules/left") and root.name != "packages")
