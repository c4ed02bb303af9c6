"""Asking git: what differs, earlier contents, and that nothing a repository names is started."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from git_folders import committed, git
from graphls.session.history import PastChanges, past_changes, uncommitted_changes
from graphls.sources.git_changes import ChangedPath, changed_paths, contents_of, tree_of
from graphls.sources.git_log import CommitPaths, commit_paths
from graphls.sources.git_patches import LoggedHunk, commit_hunks, uncommitted_hunks
from graphls.sources.git_program import GitRefused, Repository, checked_reference, repository
from graphls.sources.workspace import Workspace


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


@pytest.mark.parametrize("how", ["touched", "written again", "copied", "another mode", "line ends"])
def test_contents_decide_and_no_time_stamp(folder: Path, tmp_path: Path, how: str) -> None:
    """Git itself lists whatever looks as if it were written since it last looked."""
    if how == "line ends":
        (folder / ".gitattributes").write_text("*.py text eol=crlf\n")
        committed(folder, "attributes")
        (folder / "a.py").write_bytes(b"a = 1\r\n")
    elif how == "copied":
        folder = Path(shutil.copytree(folder, tmp_path / "copy"))
    elif how == "another mode":
        (folder / "a.py").chmod(0o755)
    for path in ("a.py", "bytes.bin", "odd name\n.py"):
        if how == "touched":
            os.utime(folder / path, (1, 1))
        elif how == "written again":
            (folder / path).write_bytes((folder / path).read_bytes())
    asked = _asked(folder)
    index = (folder / ".git" / "index").read_bytes()
    listed = [_told(changed_paths(asked, "unstaged")), _told(changed_paths(asked, "all"))]
    # Such a name cannot be handed to git in a list.
    for found in listed:
        found.pop("odd name\n.py", None)
    assert listed == [{}, {}]
    assert changed_paths(asked, "staged") == ()
    (folder / "a.py").write_text("a = 2\n")
    assert "a.py" in _told(changed_paths(asked, "all"))
    assert (folder / ".git" / "index").read_bytes() == index


def test_contents_come_from_objects(folder: Path) -> None:
    asked = _asked(folder)
    held = tree_of(asked, "HEAD").files
    assert set(held) == {"a.py", "b.py", "bytes.bin", "odd name\n.py", "sub/c.py"}
    contents = contents_of(asked, [held["a.py"], held["bytes.bin"], "0" * 40], 100)
    assert contents == {held["a.py"]: b"a = 1\n", held["bytes.bin"]: b"\0\1"}
    assert contents_of(asked, [held["a.py"]], 3) == {}


def test_a_folder_below_the_repository_sees_only_itself(folder: Path) -> None:
    (folder / "a.py").write_text("a = 2\n")
    (folder / "sub/c.py").write_text("c = 2\n")
    asked = _asked(folder / "sub")
    assert _told(changed_paths(asked, "all")) == {"c.py": ("modified", "")}
    assert set(tree_of(asked, "HEAD").files) == {"c.py"}


def test_links_and_what_is_ignored_are_no_files(folder: Path) -> None:
    (folder / ".gitignore").write_text("ignored.py\n")
    (folder / "ignored.py").write_text("x = 1\n")
    (folder / "link.py").symlink_to("a.py")
    committed(folder, "link")
    assert "link.py" not in tree_of(_asked(folder), "HEAD").files
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


def test_what_commits_changed_without_their_contents(folder: Path) -> None:
    (folder / "sub/c.py").write_text("c = 2\n")
    (folder / "a.py").write_text("a = 2\n")
    committed(folder, "both: \x02 odd\n\nbody")
    git(folder, "mv", "a.py", "moved.py")
    committed(folder, "moved")
    git(folder, "commit", "-q", "--allow-empty", "-m", "nothing")
    every = ("a.py", "b.py", "bytes.bin", "odd name\n.py", "sub/c.py")
    expected = (
        CommitPaths("nothing", ()), CommitPaths("moved", ("a.py", "moved.py")),
        CommitPaths("both: \x02 odd", ("a.py", "sub/c.py")), CommitPaths("state", every),
    )  # fmt: skip
    found = commit_paths(_asked(folder), "HEAD", 10)
    assert tuple(attrs.evolve(one, id="") for one in found) == expected
    assert [one.id for one in found] == [git(folder, "rev-parse", f"HEAD~{age}") for age in range(4)]
    assert past_changes(Workspace.of([str(folder)]), 2).commits == found[:2]
    assert past_changes(Workspace.of([str(folder)]), 9, "HEAD~2").commits == found[2:]
    below = past_changes(Workspace.of([str(folder / "sub")]), 9)
    (both,) = (one for one in below.commits if one.subject.startswith("both"))
    assert both.paths == ("c.py",)
    assert [(patch.age, sorted(patch.files)) for patch in below.patches if patch.files] == [
        (1, ["c.py"]),
        (2, ["c.py"]),
    ]


def test_the_lines_that_commits_and_the_work_tree_changed(folder: Path) -> None:
    (folder / "a.py").write_text("a = 1\n-- b/odd.py\nb = 2\n")
    (folder / "two words.py").write_text("c = 1\n")
    (folder / "ü.py").write_text("d = 1\n")
    first = committed(folder, "first")
    (folder / "a.py").write_text("b = 2\n++ b/x.py\n")
    (folder / "two words.py").unlink()
    git(folder, "config", "diff.noprefix", "true")
    git(folder, "config", "diff.mnemonicPrefix", "true")
    second = committed(folder, "second")
    (folder / "a.py").write_text("b = 2\n")
    paths = ("a.py", "two words.py", "ü.py")
    found = commit_hunks(_asked(folder), (second, first), paths)
    assert found[second] == {"a.py": [LoggedHunk(0, 2, 0, 0), LoggedHunk(3, 3, 1, 2)]}
    assert found[first]["two words.py"] == found[first]["ü.py"] == [LoggedHunk(0, 0, 0, 1)]
    assert commit_hunks(_asked(folder), (second,), ("sub/c.py",)) == commit_hunks(_asked(folder), (), paths) == {}
    assert uncommitted_hunks(_asked(folder)) == {"a.py": [LoggedHunk(1, 2, 1, 1)]}


def test_a_commit_of_very_many_files_ends_the_history_of_its_lines(folder: Path) -> None:
    for name in ("a.py", "b.py"):
        (folder / name).write_text("x = 1\n" * 3)
    committed(folder, "few")
    for number in range(100):
        (folder / f"m{number}.py").write_text("m = 1\n")
    (folder / "a.py").write_text("x = 2\n")
    committed(folder, "many")
    (folder / "a.py").write_text("x = 3\n")
    committed(folder, "last")
    newest, many, few, *_ = past_changes(Workspace.of([str(folder)]), 9).patches
    assert (newest.age, sorted(newest.files)) == (1, ["a.py"])
    assert (many.age, dict(many.files)) == (2, {})
    assert (few.age, sorted(few.files)) == (3, ["b.py"])


def test_no_history_is_no_error(tmp_path: Path) -> None:
    assert past_changes(Workspace.of([str(tmp_path)]), 9) == PastChanges()
    git(tmp_path, "init", "-q")
    assert past_changes(Workspace.of([str(tmp_path)]), 9) == PastChanges()
    assert uncommitted_changes(Workspace.of([str(tmp_path)])) == ()


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
    contents_of(asked, tree_of(asked, "HEAD").files.values(), 1_000)
    assert not witness.exists()


OLD_GIT = """#!/bin/sh
unset GIT_CONFIG_COUNT
for word in "$@"; do
    if [ "$word" = --version ]; then echo "git version {version}"; exit 0; fi
done
exec {git} "$@"
"""
"""What versions before 2.31 do with settings in the environment."""


@pytest.fixture
def another_git(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def put(version: str) -> None:
        program = folder.parent / "bin" / "git"
        program.parent.mkdir()
        program.write_text(OLD_GIT.format(version=version, git=shutil.which("git")))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    return put


@pytest.mark.parametrize(
    "version", ["2.15.0", "2.20.1", "2.30.9", "2.31.0", "2.47.1.windows.1", "2.39.5 (Apple Git-154)"]
)
def test_a_filter_is_silenced_for_every_version(folder: Path, another_git: Callable[[str], None], version: str) -> None:
    another_git(version)
    witness = folder.parent / "witness"
    (folder / ".gitattributes").write_text("*.py filter=evil\n")
    for key in ("clean", "process"):
        git(folder, "config", f"filter.evil.{key}", f"touch {witness}; cat")
    git(folder, "config", "filter.evil.required", "true")
    (folder / "sub/c.py").rename(folder / "sub/d.py")
    (folder / "a.py").write_text("a = 2\n")
    for kind in ("unstaged", "staged", "all"):
        changed_paths(_asked(folder), kind)
    assert not witness.exists()


def test_what_an_old_version_cannot_silence_is_refused(folder: Path, another_git: Callable[[str], None]) -> None:
    another_git("2.30.9")
    git(folder, "config", "filter.evil=x.clean", "false")
    with pytest.raises(GitRefused, match=r"2\.31 or newer"):
        _asked(folder)


@pytest.mark.parametrize("version", ["1.8.3.1", "2.14.9", "unknown", ""])
def test_a_version_that_is_too_old_is_refused(folder: Path, another_git: Callable[[str], None], version: str) -> None:
    another_git(version)
    with pytest.raises(GitRefused, match=r"2\.15 or newer"):
        _asked(folder)


@pytest.mark.parametrize("entry", [".", "", "./bin", "{folder}/bin", "{folder}/../repo/bin", "{folder}/../link/bin"])
def test_a_git_of_the_repository_is_never_started(folder: Path, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    witness = folder.parent / "witness"
    (folder.parent / "link").symlink_to(folder)
    for program in (folder / "bin" / "git", folder / "git"):
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\ntouch {witness}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((entry.format(folder=folder), os.environ["PATH"])))
    monkeypatch.chdir(folder)
    assert tree_of(_asked(folder), "HEAD").files
    assert not witness.exists()


def test_surroundings_of_another_repository_do_not_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert set(tree_of(_asked(folder), "HEAD").files)


def test_a_repository_of_somebody_else_is_refused_with_what_git_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = folder.parent / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *rev-parse*) export GIT_TEST_ASSUME_DIFFERENT_OWNER=1;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(GitRefused, match=r"dubious ownership.*\(git config --global --add safe\.directory"):
        repository(str(folder))
