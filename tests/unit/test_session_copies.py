"""Copies: workers that begin as copies of the session's process.

Owns: when a process is copied, what a copy holds, what it answers, that it ends.
Must not know: what files mean.
Invariant: each case runs in a process of its own, since the one of the tests may have any number of threads.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import graphls

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="nothing is copied elsewhere")

_BEGIN = """
import json, os, signal, sys, threading, time
from graphls.session.process import workers
from graphls.session.session import Session, SessionOptions
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

fresh = []
_fresh = workers._fresh
workers._fresh = lambda module: fresh.append(1) or _fresh(module)
folder, cache = sys.argv[1:3]
store = BlobStore(StoreOptions(folder=cache))
session = Session(Workspace.of([folder]), store=store, options=SessionOptions(link_all=False))

def copied():
    pool = session._state.workers._pool
    return [] if pool is None else [copy.pid for copy in pool._copies]

def told(**more):
    facts = sorted(f"{path} {shard.surface_hash}" for path, shard in session.snapshot().shards.items())
    print(json.dumps({"fresh": len(fresh), "facts": facts, "problems": session.problems, **more}), flush=True)
"""
_ORDINARY = """
start, made = session._thread.start, []
def count():
    # Before the session's thread runs: that takes the copies away as soon as it has work for them.
    made.extend(copied())
    start()
session._thread.start = count
session.start(); session.wait(); told(made=len(made)); session.close()
"""
_THREADED = f"threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n{_ORDINARY}"
_ENDED = """
start = session._thread.start
def kill_first():
    for copy in session._state.workers._pool._copies:
        os.kill(copy.pid, signal.SIGKILL)
    start()
session._thread.start = kill_first
session.start(); session.wait(); told(); session.close()
"""
_LOOKED_AT = """
start = session._thread.start
def look():
    pids = copied()
    # A copy has files open while it begins and while it loads a module: what it has when it waits counts.
    for _ in range(300):
        time.sleep(0.1)
        held = [sorted(os.listdir(f"/proc/{pid}/fd")) for pid in pids]
        if all(len(files) <= 3 for files in held):
            break
    told(pids=pids, held=held)
    start()
session._thread.start = look
session.start(); session.wait()
"""


def run(script: str, folder: Path, cache: Path) -> dict[str, Any]:
    answered = subprocess.run(command(script, folder, cache), capture_output=True, text=True, timeout=120, check=False)
    assert not answered.returncode, answered.stderr
    return json.loads(answered.stdout)


def command(script: str, folder: Path, cache: Path) -> list[str]:
    above = str(Path(graphls.__file__).parent.parent)
    return [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {above!r})\n{_BEGIN}\n{script}",
        str(folder),
        str(cache),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    for number in range(40):
        (made / f"f{number}.py").write_text(f"def f{number}(): return {number}\n")
    return made


def test_a_start_that_knows_nothing_copies_and_reads_the_same(folder: Path, tmp_path: Path) -> None:
    copying, threaded = run(_ORDINARY, folder, tmp_path / "a"), run(_THREADED, folder, tmp_path / "b")
    assert copying["made"] > 0
    assert copying["fresh"] == 0
    assert threaded["made"] == 0
    assert threaded["fresh"] > 0
    assert len(copying["facts"]) == 40
    assert copying["facts"] == threaded["facts"]


def test_a_start_over_a_full_cache_copies_nothing(folder: Path, tmp_path: Path) -> None:
    run(_ORDINARY, folder, tmp_path / "a")
    again = run(_ORDINARY, folder, tmp_path / "a")
    assert (again["made"], again["fresh"]) == (0, 0)


def test_copies_that_ended_before_their_first_file_are_replaced(folder: Path, tmp_path: Path) -> None:
    found = run(_ENDED, folder, tmp_path / "a")
    assert found["fresh"] > 0
    assert len(found["facts"]) == 40
    assert found["problems"] == {}


def test_a_copy_holds_nothing_else_open_and_ends_with_its_session(folder: Path, tmp_path: Path) -> None:
    with subprocess.Popen(command(_LOOKED_AT, folder, tmp_path / "a"), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = json.loads(process.stdout.readline())
        process.kill()
    assert found["pids"]
    assert found["held"] == [["0", "1", "2"]] * len(found["pids"])
    deadline = time.monotonic() + 60
    while (left := [pid for pid in found["pids"] if runs(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


def runs(pid: int) -> bool:
    """Whether a process has not ended, be it that nobody has taken note of its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
