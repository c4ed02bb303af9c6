"""Folders: several open folders, watched by the server, with settings that the client is asked for.

Owns: imports between folders without manifests, changes in folders that were added later, pulled settings.
Must not know: how any of it is done.
Invariant: what one folder could do alone it does beside others.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.lsp_workspace import Workspace
from e2e.raw_client import TIMEOUT
from fixture_text import fixture

TEXT = """
--- path: one/util.py ---
def helper():
    return 1
--- path: one/use.py ---
from util import helper
helper()
--- path: two/util.py ---
def helper():
    return 2
--- path: two/use.py ---
from util import helper
helper()
"""


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Workspace]:
    folders = [{"uri": (tmp_path / "w" / name).as_uri(), "name": name} for name in ("one", "two")]
    workspace = Workspace(tmp_path / "w", fixture(TEXT))
    workspace.ready()
    event = {"added": folders, "removed": [{"uri": (tmp_path / "w").as_uri(), "name": "w"}]}
    workspace.tell("workspace/didChangeWorkspaceFolders", event=event)
    yield workspace
    workspace.close()


def destination(made: Workspace, path: str) -> list[str]:
    return [place["uri"] for place in made.ask("textDocument/definition", **made.at(path, "helper", 1))]


def eventually(made: Workspace, path: str, wanted: list[str]) -> None:
    end = time.monotonic() + TIMEOUT
    while destination(made, path) != wanted:
        assert time.monotonic() < end, destination(made, path)
        time.sleep(0.05)


def test_each_folder_imports_its_own_modules(made: Workspace) -> None:
    made.ready()
    for name in ("one", "two"):
        eventually(made, f"{name}/use.py", [made.uri(f"{name}/util.py")])


def test_folders_that_were_added_are_watched(made: Workspace) -> None:
    made.ready()
    time.sleep(2)
    (made.folder / "two" / "util.py").write_text("def other(): pass\n")
    eventually(made, "two/use.py", [])


def test_a_folder_without_source_files_says_why(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w", fixture("--- path: notes.md ---\nnothing\n"))
    workspace.ready()
    said = workspace.ask("graph/status")["session"]["problems"]
    workspace.close()
    assert [problem for problem in said if problem.startswith("no source files: 1 file of other kinds (.md)")] == said
    assert said


def test_settings_of_further_folders_are_said_not_to_count(tmp_path: Path) -> None:
    """They were left out without a word."""
    files = "".join(
        f'--- path: {name}/graphls.toml ---\n[findings]\nbaseline = "{name}.json"\n' for name in ("one", "two")
    )
    folders = [{"uri": (tmp_path / "w" / name).as_uri(), "name": name} for name in ("one", "two", "three")]
    workspace = Workspace(tmp_path / "w", fixture(f"{files}--- path: three/a.py ---\na = 1\n"))
    try:
        workspace.ready()
        event = {"added": folders, "removed": [{"uri": (tmp_path / "w").as_uri(), "name": "w"}]}
        workspace.tell("workspace/didChangeWorkspaceFolders", event=event)
        words = "two: findings.baseline: not read: one server has what one says of that"
        end = time.monotonic() + TIMEOUT
        while words not in (problems := workspace.ask("graph/status")["session"]["problems"]):
            assert time.monotonic() < end, problems
            time.sleep(0.05)
        assert not any(problem.startswith("three") for problem in problems)
    finally:
        workspace.close()


def test_each_folder_has_its_own_settings(tmp_path: Path) -> None:
    """A limit, ignore files and a rule of one folder change nothing in the other."""
    code = "".join(
        f"--- path: {name}/{name}_a.py ---\nimport {name}_b\n--- path: {name}/{name}_b.py ---\nimport {name}_a\n"
        f"--- path: {name}/long.py ---\ndef long():\n    return '{'x' * 200}'\n"
        for name in ("one", "two")
    )
    own = "[files]\nmax-bytes = 150\n[findings.rules]\n'arch.import_cycle' = 'off'\n"
    folders = [{"uri": (tmp_path / "w" / name).as_uri(), "name": name} for name in ("one", "two")]
    workspace = Workspace(tmp_path / "w", fixture(f"{code}--- path: two/graphls.toml ---\n{own}"))
    try:
        workspace.ready()
        event = {"added": folders, "removed": [{"uri": (tmp_path / "w").as_uri(), "name": "w"}]}
        workspace.tell("workspace/didChangeWorkspaceFolders", event=event)
        end = time.monotonic() + TIMEOUT
        while (found := _own_settings_seen(workspace)) != ({"one"}, {"one"}):
            assert time.monotonic() < end, found
            time.sleep(0.05)
        assert not [line for line in workspace.ask("graph/status")["session"]["problems"] if "not read" in line]
    finally:
        workspace.close()


def _own_settings_seen(workspace: Workspace) -> tuple[set[str], set[str]]:
    """Folders with `long`, and those with a cycle."""
    matches = workspace.ask("graph/find", text="long", mode="exact")["matches"]
    cycles = workspace.ask("graph/findings", rules=["arch.import_cycle"])["findings"]
    spelled = str(matches), str(cycles)
    return (
        {name for name in ("one", "two") if f"{name}/long.py" in spelled[0]},
        {name for name in ("one", "two") if f"{name}_a" in spelled[1]},
    )
