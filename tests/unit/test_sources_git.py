"""Asking git: what differs, earlier contents, and that nothing a repository names is started."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from git_folders import committed, git
from graphls.sources.git_changes import ChangedPath, changed_paths, contents_of, files_of
from graphls.sources.git_program import GitRefused, Repository, checked_reference, repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    for name, text in (("a.py", "a = 1\n"), ("b.py", "b = 1\n"), ("sub/c.py", "c = 1\n"), ("odd name\n.py", "o = 1\n")):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    (root / "bytes.bin").write_bytes(b"\0\1")
    committed(root)
    return root


def _asked(folder: Path) -> Repository:
    return repository(str(folder))


def _told(found: tuple[ChangedPath, ...]) -> dict[str, tuple[str, str]]:
    return {change.path: (change.status, change.old_path) for change in found}


def test_nothing_differs(folder: Path) -> None:
    assert [changed_paths(_asked(folder), kind) for kind in ("unstaged", "staged", "all")] == [(), (), ()]


def test_kinds_of_change(folder: Path) -> None:
    (folder / "a.py").write_text("a = 2\n")
    git(folder, "add", "a.py")
    (folder / "a.py").write_text("a = 3\n")
    git(folder, "mv", "b.py", "moved.py")
    (folder / "sub/c.py").unlink()
    (folder / "new.py").write_text("n = 1\n")
    (folder / "bytes.bin").write_bytes(b"\0\2")
    asked = _asked(folder)
    assert _told(changed_paths(asked, "staged")) == {"a.py": ("modified", ""), "moved.py": ("renamed", "b.py")}
    assert _told(changed_paths(asked, "unstaged")) == {
        "a.py": ("modified", ""), "bytes.bin": ("modified", ""), "new.py": ("added", ""), "sub/c.py": ("deleted", ""),
    }  # fmt: skip
    assert _told(changed_paths(asked, "all")) == {
        "a.py": ("modified", ""), "bytes.bin": ("modified", ""), "moved.py": ("renamed", "b.py"),
        "new.py": ("added", ""), "sub/c.py": ("deleted", ""),
    }  # fmt: skip
    assert changed_paths(asked, "compare", "main") == changed_paths(asked, "all")


def test_contents_come_from_objects(folder: Path) -> None:
    asked = _asked(folder)
    held = files_of(asked, "HEAD")
    assert set(held) == {"a.py", "b.py", "bytes.bin", "odd name\n.py", "sub/c.py"}
    contents = contents_of(asked, [held["a.py"], held["bytes.bin"], "0" * 40], 100)
    assert contents == {held["a.py"]: b"a = 1\n", held["bytes.bin"]: b"\0\1"}
    assert contents_of(asked, [held["a.py"]], 3) == {}


def test_a_folder_below_the_repository_sees_only_itself(folder: Path) -> None:
    (folder / "a.py").write_text("a = 2\n")
    (folder / "sub/c.py").write_text("c = 2\n")
    asked = _asked(folder / "sub")
    assert _told(changed_paths(asked, "all")) == {"c.py": ("modified", "")}
    assert set(files_of(asked, "HEAD")) == {"c.py"}


def test_links_and_what_is_ignored_are_no_files(folder: Path) -> None:
    (folder / ".gitignore").write_text("ignored.py\n")
    (folder / "ignored.py").write_text("x = 1\n")
    (folder / "link.py").symlink_to("a.py")
    committed(folder, "link")
    assert "link.py" not in files_of(_asked(folder), "HEAD")
    assert changed_paths(_asked(folder), "all") == ()


def test_a_repository_without_commits(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("a = 1\n")
    git(tmp_path, "add", "a.py")
    assert _told(changed_paths(_asked(tmp_path), "staged")) == {"a.py": ("added", "")}


@pytest.mark.parametrize("name", ["--output=x", "-h", "", "a b", "a..b", "a:b", "x" * 300, "nowhere", "a\nb"])
def test_names_that_are_no_commits(folder: Path, name: str) -> None:
    with pytest.raises(GitRefused, match=r"\.$"):
        changed_paths(_asked(folder), "compare", name)


@pytest.mark.parametrize("name", ["main", "HEAD~2", "origin/main", "v1.0^", "abc123", "main@{1}"])
def test_names_that_may_be_commits(name: str) -> None:
    assert checked_reference(name) == name


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(GitRefused, match="no git repository"):
        repository(str(tmp_path))


def test_nothing_that_the_repository_names_is_started(folder: Path) -> None:
    witness, trap = folder.parent / "witness", folder.parent / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {witness}\ncat\n")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    hooks = folder / ".git" / "hooks"
    for hook in ("post-index-change", "fsmonitor-watchman", "post-checkout"):
        (hooks / hook).write_text(trap.read_text())
        (hooks / hook).chmod(0o755)
    (folder / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    (folder / ".git" / "info" / "attributes").write_text("*.py filter=evil=x\n")
    for key in ("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.command",
                "diff.evil.textconv", "diff.external", "core.fsmonitor", "core.pager", "core.sshCommand",
                "filter.evil=x.clean"):  # fmt: skip
        git(folder, "config", key, str(trap))
    git(folder, "config", "filter.evil.required", "true")
    (folder / "a.py").write_text("a = 2\n")
    (folder / "b.py").write_text("b = 1\n")
    (folder / "sub/c.py").rename(folder / "sub/d.py")
    asked = _asked(folder)
    for kind in ("unstaged", "staged", "all"):
        changed_paths(asked, kind)
    contents_of(asked, files_of(asked, "HEAD").values(), 1_000)
    assert not witness.exists()


def test_surroundings_of_another_repository_do_not_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert set(files_of(_asked(folder), "HEAD"))
