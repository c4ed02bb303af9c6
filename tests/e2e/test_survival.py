"""Survival: servers that are killed, share a cache, lose their client, or see a whole checkout change.

Owns: what is left after each: the graph of a fresh start, and no process.
Must not know: how the cache or the workers work.
Invariant: the snapshot id after any of it is that of a start with an empty cache.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from e2e.cli_runs import graphls
from e2e.processes import descendants, survivors
from e2e.raw_client import SERVER, RawClient
from fuzz.wire import PATIENCE, ask, say_goodbye, snapshot_id, start_server
from git_folders import committed, git

MANY = 90
"""More files than a session reads without worker processes."""

FEW_WATCHES = ("unshare", "-Ur", "sh", "-c", 'echo "$0" > /proc/sys/user/max_inotify_watches && exec "$@"')
"""Starts a command, behind a number, that may watch so many folders, as a user of its own to the system."""


def may_have_few_watches() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*FEW_WATCHES, "1", "true"], capture_output=True, check=False).returncode == 0


needs_processes = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no process table")


def sources(count: int = MANY, body: str = "return") -> Mapping[str, str]:
    return {
        f"pkg/m{n}.py": f"from pkg import m{(n + 1) % count}\n\n\nclass C{n}:\n    def f(self):\n        {body} "
        f"m{(n + 1) % count}.C{(n + 1) % count}().f()\n"
        for n in range(count)
    } | {"pkg/__init__.py": ""}


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@contextmanager
def serving(root: Path, cache: Path) -> Iterator[RawClient]:
    client = start_server(root, cache)
    try:
        yield client
    finally:
        client.close()


def fresh_id(root: Path, cache: Path) -> str:
    """What a start that knows nothing finds."""
    shutil.rmtree(cache, ignore_errors=True)
    with serving(root, cache) as client:
        found = snapshot_id(client)
        say_goodbye(client)
    return found


@needs_processes
@pytest.mark.parametrize("moments", [(0.0, 0.4, 1.3)])
def test_killed_at_any_moment_nothing_is_lost(tmp_path: Path, moments: tuple[float, ...]) -> None:
    root, cache = tmp_path / "w", tmp_path / "cache"
    write(root, sources())
    for number, moment in enumerate(moments):
        with serving(root, cache) as client:
            time.sleep(moment)
            below = descendants(client.process.pid)
            os.kill(client.process.pid, signal.SIGKILL)
            client.process.wait()
            assert survivors(below, 120) == []
        write(root, {f"pkg/more{number}.py": f"from pkg.m{number} import C{number}\n"})
    with serving(root, cache) as client:
        shown = snapshot_id(client)
        status = ask(client, "graph/status", {})["result"]
        say_goodbye(client)
    assert status["session"]["problems"] == []
    assert shown == fresh_id(root, tmp_path / "other")


def test_two_servers_and_a_command_line_on_one_cache(tmp_path: Path) -> None:
    root, cache = tmp_path / "w", tmp_path / "cache"
    write(root, sources())
    command = [sys.executable, "-m", "graphls", "index", str(root), "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(SERVER), "GRAPHLS_CACHE_DIR": str(cache)}
    with serving(root, cache) as one, serving(root, cache) as other:
        indexing = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said, wrong = indexing.communicate(timeout=PATIENCE)
        ids = {snapshot_id(one), snapshot_id(other)}
        say_goodbye(one)
        say_goodbye(other)
    assert indexing.returncode == 0, wrong
    assert b"Traceback" not in wrong
    assert ids == {fresh_id(root, tmp_path / "other")}
    assert next(iter(ids)).encode() in said


@needs_processes
def test_a_client_that_goes_in_the_midst_of_work_leaves_no_process(tmp_path: Path) -> None:
    root = tmp_path / "w"
    write(root, sources())
    with serving(root, tmp_path / "cache") as client:
        time.sleep(0.5)
        below = descendants(client.process.pid)
        client.stdin.close()
        assert survivors(below, 120) == []


class Seen:
    """What answers said while a checkout was taken in."""

    def __init__(self) -> None:
        self.pending = self.asked = 0
        self.slowest = 0.0

    def ask(self, client: RawClient) -> dict[str, Any]:
        begun = time.monotonic()
        status: dict[str, Any] = ask(client, "graph/status", {})["result"]
        self.slowest = max(self.slowest, time.monotonic() - begun)
        self.asked += 1
        self.pending = max(self.pending, status["pendingCount"])
        return status


def checkout(place: Path, count: int) -> Seen:
    """A real checkout of another branch and back, watched by the server itself; raises where it does not converge."""
    root = place / "w"
    write(root, sources(count))
    committed(root)
    git(root, "checkout", "-q", "-b", "other")
    write(root, sources(count, "yield") | {f"pkg/new{n}.py": f"import pkg.m{n}\n" for n in range(count // 10)})
    for n in range(count // 10):
        (root / f"pkg/m{n}.py").unlink()
    committed(root)
    expected = {"other": fresh_id(root, place / "other")}
    git(root, "checkout", "-q", "main")
    seen = Seen()
    with serving(root, place / "cache") as client:
        expected["main"] = snapshot_id(client, 900)
        for branch in ("other", "main", "other"):
            git(root, "checkout", "-q", branch)
            end = time.monotonic() + 900
            while (status := seen.ask(client))["snapshot"] != expected[branch] or not status["fresh"]:
                assert time.monotonic() < end, (branch, status)
                time.sleep(0.02)
        assert snapshot_id(client, 900) == expected["other"]
        say_goodbye(client)
    return seen


def test_a_checkout_converges_and_says_what_is_pending(tmp_path: Path) -> None:
    assert checkout(tmp_path, 400).pending


@contextmanager
def small_files_only(size: int) -> Iterator[None]:
    """Processes that are started meanwhile can write no larger files, as on a disk that is nearly full."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.skipif(os.name == "nt", reason="no limit of this kind")
def test_a_full_disk_is_said_and_everything_works(tmp_path: Path) -> None:
    root, cache = tmp_path / "w", tmp_path / "cache"
    write(root, sources())
    with small_files_only(100_000):
        client = start_server(root, cache)
    try:
        shown = snapshot_id(client)
        status: dict[str, Any] = {}
        end = time.monotonic() + PATIENCE
        while not status.get("problem") and time.monotonic() < end:
            time.sleep(0.1)
            status = ask(client, "graph/status", {})["result"]["session"]["cache"]
        found = ask(client, "graph/find", {"text": "C7"})["result"]
        say_goodbye(client)
    finally:
        client.close()
    assert "is not used" in status["problem"]
    assert found["total"]
    assert len([line for line in client.stderr if "is not used" in line]) == 1
    assert shown == fresh_id(root, tmp_path / "other")


def test_an_unusable_cache_folder_is_said_and_everything_works(tmp_path: Path) -> None:
    root, cache = tmp_path / "w", tmp_path / "cache"
    write(root, sources(5))
    cache.write_text("a file where a folder should be")
    with serving(root, cache) as client:
        shown = snapshot_id(client)
        status = ask(client, "graph/status", {})["result"]
        say_goodbye(client)
    assert status["session"]["cache"]["problem"]
    assert shown == fresh_id(root, tmp_path / "other")
    said = graphls("doctor", cwd=root, GRAPHLS_CACHE_DIR=str(cache))
    assert "Make the folder writable" in said.out
    assert said.err == ""


@pytest.mark.skipif(not may_have_few_watches(), reason="no user namespaces")
@pytest.mark.parametrize("watches", [0, 1])
def test_without_watches_changes_are_seen_and_that_is_said(tmp_path: Path, watches: int) -> None:
    """None for the root, or one less than there are folders: the system says so for each folder that is watched."""
    root = tmp_path / "w"
    write(root, {"a.py": "x = 1\n", "deep/b.py": "y = 2\n"})
    client = start_server(root, tmp_path / "cache", before=(*FEW_WATCHES, str(watches)))
    try:
        eventually(lambda: ask(client, "graph/status", {})["result"]["session"]["problems"])
        for name in ("first", "second"):
            (root / "deep" / f"{name}.py").write_text(f"def {name}_seen(): ...\n")
            eventually(lambda name=name: ask(client, "graph/find", {"text": f"{name}_seen"})["result"]["total"])
        problems = ask(client, "graph/status", {})["result"]["session"]["problems"]
        say_goodbye(client)
    finally:
        client.close()
    assert ["watch limit" in one and "polling" in one for one in problems] == [True]
    assert len([line for line in client.stderr if "watch limit" in line]) == 1


def eventually(question: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not question():
        assert time.monotonic() < end
        time.sleep(0.1)
