"""Surroundings: settings files, Python environments, git state, watching.

Owns: what is found around the sources, and that it is only read.
Must not know: what settings mean.
Invariant: broken surroundings are problems in words, never exceptions.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from graphls.sources import watch as watching
from graphls.sources.environment import find_environment
from graphls.sources.git_state import GitHead, git_head
from graphls.sources.limits import SourceLimits
from graphls.sources.settings_files import read_settings
from graphls.sources.watch import SourceChanges, WatchOptions, watch
from graphls.sources.workspace import Workspace

BUSY = 120
"""Seconds within which also a busy machine reports a change."""
OPTIONS = WatchOptions(debounce_ms=200, step_ms=20, ready_ms=100, poll_delay_ms=50)


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("name", "text", "table", "origin"),
    [
        ("graphls.toml", "a = 1\n", {"a": 1}, "graphls.toml"),
        ("pyproject.toml", "[tool.graphls]\na = 1\n", {"a": 1}, "pyproject.toml"),
        ("pyproject.toml", "[tool.other]\na = 1\n", {}, None),
        ("pyproject.toml", "[project]\nname='x'\n", {}, None),
        ("other.toml", "", {}, None),
    ],
)
def test_settings(tmp_path: Path, name: str, text: str, table: object, origin: str | None) -> None:
    (tmp_path / name).write_text(text)
    found = read_settings(str(tmp_path))
    assert (found.table, found.origin, found.problems) == (table, origin, ())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("graphls.toml", b"a ="),
        ("graphls.toml", b"\xff"),
        ("graphls.toml", b"x" * 1_000_001),
        ("graphls.toml", b"a = " + b"[" * 100_000),
        ("pyproject.toml", b"tool = 1"),
        ("pyproject.toml", b"[tool]\ngraphls = 1"),
    ],
    ids=["syntax", "encoding", "size", "nesting", "tool", "graphls"],
)
def test_broken_settings_are_a_problem(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    found = read_settings(str(tmp_path))
    assert found.table == {}
    assert found.problems[0].startswith(name)
    assert len(found.problems) == 1


def test_own_settings_file_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "graphls.toml").write_text("a = 1")
    (tmp_path / "pyproject.toml").write_text("[tool.graphls]\nb = 2")
    assert read_settings(str(tmp_path)).table == {"a": 1}


# ---------------------------------------------------------------- environment


def environment(root: Path, version: str = "3.12", library: str = "lib/python3.12") -> Path:
    (root / library / "site-packages").mkdir(parents=True)
    (root / "bin").mkdir(exist_ok=True)
    (root / "pyvenv.cfg").write_text(f"home = /nowhere/bin\nversion = {version}.4\n")
    return root


def test_environments_in_order(tmp_path: Path) -> None:
    variables = {
        "VIRTUAL_ENV": str(environment(tmp_path / "active")),
        "CONDA_PREFIX": str(environment(tmp_path / "conda", library="lib/python3.9")),
    }
    ws = tmp_path / "ws"
    for name in (".venv", "venv", "mine"):
        environment(ws / name)

    def origin(setting: str, env: dict[str, str]) -> str:
        found = find_environment(str(ws), setting, env).found
        return found.origin if found else ""

    assert origin("mine", variables) == "setting"
    assert origin("", variables) == "VIRTUAL_ENV"
    assert origin("", {}) == ".venv"
    shutil.rmtree(ws / ".venv")
    assert origin("", {}) == "venv"
    shutil.rmtree(ws / "venv")
    assert origin("", {"CONDA_PREFIX": variables["CONDA_PREFIX"]}) == "CONDA_PREFIX"
    assert origin("", {}) == ""


@pytest.mark.parametrize("library", ["lib/python3.12", "Lib"])
@pytest.mark.parametrize("setting", ["mine", "mine/bin/python"])
def test_environment_layouts(tmp_path: Path, library: str, setting: str) -> None:
    environment(tmp_path / "mine", library=library)
    found = find_environment(str(tmp_path), setting, {}).found
    assert found is not None
    assert found.version == (3, 12)
    assert [os.path.relpath(folder, tmp_path) for folder in found.site_packages] == [f"mine/{library}/site-packages"]


def test_environment_without_packages_is_a_problem(tmp_path: Path) -> None:
    answer = find_environment(str(tmp_path), "nowhere", {})
    assert answer.found is None
    assert "nowhere" in answer.problems[0]


# ---------------------------------------------------------------- git


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_head_is_what_git_says(tmp_path: Path) -> None:
    def git(*arguments: str, at: Path = tmp_path / "repo") -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", *who, *arguments], cwd=at, check=True, capture_output=True, text=True
        ).stdout.strip()

    repo, tree = tmp_path / "repo", tmp_path / "tree"
    (repo / "a" / "b").mkdir(parents=True)
    git("init", "-q")
    git("checkout", "-q", "-b", "main")
    assert git_head(str(repo)) == GitHead(None, "refs/heads/main")
    git("commit", "-q", "--allow-empty", "-m", "x")
    head = git("rev-parse", "HEAD")
    assert git_head(str(repo / "a" / "b")) == GitHead(head, "refs/heads/main")
    git("pack-refs", "--all")
    assert git_head(str(repo)) == GitHead(head, "refs/heads/main")
    git("worktree", "add", "-q", "-b", "side", str(tree))
    assert git_head(str(tree)) == GitHead(head, "refs/heads/side")
    git("checkout", "-q", "--detach")
    assert git_head(str(repo)) == GitHead(head, None)


@pytest.mark.parametrize(
    "head", ["", "ref: ../../../etc/passwd", "ref: refs/../../x", "ref: refs/heads/\0", "x" * 5000]
)
def test_odd_head_is_unknown(tmp_path: Path, head: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head)
    assert git_head(str(tmp_path)) is None


# ---------------------------------------------------------------- watching


async def batches(
    root: Path,
    act: Callable[[], object],
    options: WatchOptions = OPTIONS,
    enough: Callable[[Sequence[SourceChanges]], bool] = bool,
) -> list[SourceChanges]:
    """What is reported after `act`, which runs once watching has begun, until it is enough: a busy machine may
    report in several batches what happens at once."""
    stop, seen = asyncio.Event(), list[SourceChanges]()
    acted = False
    async with asyncio.timeout(BUSY):
        async for changes in watch(Workspace.of([str(root)]), SourceLimits, stop, options):
            if acted and (changes.changed or changes.deleted or changes.rescan):
                seen.append(changes)
            if not acted:
                acted = True
                await asyncio.to_thread(act)
            if enough(seen):
                stop.set()
    return seen


@pytest.mark.parametrize("polling", [False, True])
async def test_changes_are_reported_without_the_ignored(tmp_path: Path, polling: bool) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "old.py").touch()

    def act() -> None:
        (tmp_path / "x.log").write_text("1")
        (tmp_path / "node_modules" / "y.py").write_text("1")
        (tmp_path / "old.py").unlink()
        (tmp_path / "new.py").write_text("1")

    options = WatchOptions(debounce_ms=1_000, step_ms=400, ready_ms=100, poll_delay_ms=50, force_polling=polling)

    def enough(seen: Sequence[SourceChanges]) -> bool:
        return {"new.py", "old.py"} <= {path for one in seen for path in (*one.changed, *one.deleted)}

    seen = await batches(tmp_path, act, options, enough)
    # Who polls may see the folder of packages itself, which bears on what is installed; never a file in it.
    assert {path for one in seen for path in one.changed} - {"node_modules"} == {"new.py"}
    assert {path for one in seen for path in one.deleted} == {"old.py"}
    assert not any(one.rescan for one in seen)


@pytest.mark.parametrize("name", [".gitignore", "pkg/.ignore"])
async def test_changed_ignore_file_asks_for_a_rescan(tmp_path: Path, name: str) -> None:
    (tmp_path / "pkg").mkdir()
    (changes, *_) = await batches(tmp_path, lambda: (tmp_path / name).write_text("x"))
    assert changes.rescan


async def test_burst_asks_for_a_rescan(tmp_path: Path) -> None:
    def act() -> None:
        for number in range(400):
            (tmp_path / f"{number}.py").touch()

    def enough(seen: Sequence[SourceChanges]) -> bool:
        return bool(seen) and seen[-1].rescan

    options = WatchOptions(debounce_ms=500, step_ms=50, ready_ms=100, burst=10)
    assert (await batches(tmp_path, act, options, enough))[-1] == SourceChanges(rescan=True)


async def test_no_watches_left_means_polling_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Any = vars(watching)["awatch"]

    def awatch(*roots: str, **options: Any) -> AsyncIterator[Any]:
        if not options["force_polling"]:
            raise OSError(28, "OS file watch limit reached.")
        return real(*roots, **options)

    monkeypatch.setattr(watching, "awatch", awatch)
    stop, seen = asyncio.Event(), list[SourceChanges]()
    async with asyncio.timeout(BUSY):
        async for changes in watch(Workspace.of([str(tmp_path)]), SourceLimits, stop, OPTIONS):
            seen.append(changes)
            if len(seen) == 2:
                (tmp_path / "x.py").touch()
            elif len(seen) > 2:
                stop.set()
    assert seen[0].rescan
    assert all("watch limit" in (changes.degraded or "") for changes in seen)
    assert seen[-1].changed == ("x.py",)


async def test_missing_root_ends_with_a_reason(tmp_path: Path) -> None:
    stop = asyncio.Event()
    seen = [changes async for changes in watch(Workspace.of([str(tmp_path / "no")]), SourceLimits, stop, OPTIONS)]
    assert seen[-1].degraded
    assert "not watched" in seen[-1].degraded
