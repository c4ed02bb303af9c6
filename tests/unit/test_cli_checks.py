"""Checks of the doctor: what it says about a cache, sources and a repository that are not as they should be.

Owns: the words and the advice of these checks.
Must not know: how they are shown.
Invariant: every trouble is a sentence with something to do about it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graphls.cli.checks import Check, checks
from graphls.cli.open_workspace import WorkspaceFolder
from graphls.settings import Settings
from graphls.sources.workspace import Workspace


def found(root: Path, name: str) -> Check:
    place = WorkspaceFolder(str(root), Workspace.of([str(root)]), Settings(), None, ())
    return next(check for check in checks(place, cache=True) if check.name == name)


@pytest.mark.parametrize(("free", "advice"), [(0, "Free some room"), (10**9, "Make the folder writable")])
def test_a_cache_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, advice: str) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    monkeypatch.setenv("GRAPHLS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9 - free, free))  # type: ignore[attr-defined]
    check = found(tmp_path, "cache")
    assert (check.state, "is not used" in check.detail) == ("warning", True)
    assert check.advice.startswith(advice)


def test_what_the_walk_leaves_out_is_named(tmp_path: Path, unlistable: Callable[[str], None]) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    assert found(tmp_path, "sources") == Check("sources", "ok", "1 source file")
    (tmp_path / "shut" / "up").symlink_to("..")
    assert found(tmp_path, "sources") == Check(
        "sources", "note", "1 source file; shut/up is a symbolic link to a folder that contains it"
    )
    unlistable("shut")
    check = found(tmp_path, "sources")
    assert check.state == "warning"
    assert "shut: folder cannot be read: Permission denied" in check.detail
    assert "readable" in check.advice


def test_a_repository_that_says_no_state_is_named(tmp_path: Path) -> None:
    assert found(tmp_path, "git") == Check("git", "note", "not a git repository")
    (tmp_path / ".git").mkdir()
    check = found(tmp_path, "git")
    assert (check.state, check.detail.startswith(str(tmp_path / ".git"))) == ("warning", True)
    assert "git status" in check.advice
