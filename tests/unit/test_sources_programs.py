"""Which programs are found, what interprets them, and what children get of the environment.

Owns: relative folders and folders of a workspace in PATH, first lines of scripts, programs beside graphls.
Must not know: what is run.
Invariant: nothing of a workspace is found unless graphls itself is installed there.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
import time
from pathlib import Path

import pytest

from graphls.compilers.checkers import Checker, NoChecker, find_python_checker
from graphls.settings.tree import TypeCheckerSettings as CheckerSettings
from graphls.sources import programs
from graphls.sources.environment import NO_PACKAGES, find_environment
from graphls.sources.programs import child_environment, find_program, interpreted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are scripts")


def runnable(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with programs of its own, and one elsewhere; the current folder is the workspace."""
    for folder in ("root", "root/node_modules/.bin", "elsewhere"):
        runnable(tmp_path / folder / "tool")
    (tmp_path / "link").symlink_to(tmp_path / "root")
    monkeypatch.chdir(tmp_path / "root")
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(tmp_path / "beside"))
    return tmp_path / "root"


ENTRIES = [".", "", "./node_modules/.bin", "node_modules/.bin", "../root", "{root}/node_modules/.bin", "{root}",
           "{root}/../root", "{root}/../link/node_modules/.bin"]  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES)
def test_nothing_of_a_workspace_is_found_or_handed_on(root: Path, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    elsewhere = str(root.parent / "elsewhere")
    monkeypatch.setenv("PATH", os.pathsep.join((entry.format(root=root), elsewhere)))
    assert find_program("tool", (str(root),)) == os.path.join(elsewhere, "tool")
    assert child_environment({}, outside=(str(root),))["PATH"] == elsewhere


def test_what_lies_beside_graphls_is_found_wherever_that_is(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(root / ".venv" / "bin"))
    ty = runnable(root / ".venv" / "bin" / "ty")
    found = find_python_checker(CheckerSettings(), None, (str(root),))
    assert isinstance(found, Checker)
    assert found.command == (str(ty), "server")


def test_the_checker_of_an_environment_is_taken_where_the_workspace_is_trusted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(root / ".venv" / "bin"))
    ty = runnable(root / ".venv" / "bin" / "ty")
    (root / ".venv/lib/python3.12/site-packages").mkdir(parents=True)
    environment = find_environment(str(root), variables={}).found
    refused = find_python_checker(CheckerSettings(), environment, (str(root),))
    assert isinstance(refused, NoChecker)
    assert "checker.fromWorkspace" in refused.problem
    found = find_python_checker(CheckerSettings(from_workspace=True), environment, (str(root),))
    assert isinstance(found, Checker)
    assert found.command[0] == str(ty)


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("#!/usr/bin/env tool", ("{elsewhere}/tool",)),
        ("#! /usr/bin/env  tool --flag", ("{elsewhere}/tool", "--flag")),
        ("#!/usr/bin/env -S tool --a --b", ("{elsewhere}/tool", "--a", "--b")),
        ("#!/bin/sh", ()),
        ("no script", ()),
        ("\0binary", ()),
    ],
)
def test_an_interpreter_is_looked_for_outside_the_workspace(
    root: Path, monkeypatch: pytest.MonkeyPatch, first: str, words: tuple[str, ...]
) -> None:
    elsewhere = root.parent / "elsewhere"
    monkeypatch.setenv("PATH", os.pathsep.join(("./node_modules/.bin", str(elsewhere))))
    script = str(runnable(elsewhere / "script", f"{first}\nmore\n"))
    expected = tuple(word.format(elsewhere=elsewhere) for word in words)
    assert interpreted(script, (str(root),)) == (*expected, script)


@pytest.mark.parametrize(
    "first", ["#!/usr/bin/env nothing-like-it", "#!/usr/bin/env", "#!/usr/bin/env -i tool", "#!/usr/bin/env A=1 tool"]
)
def test_a_script_without_interpreter_is_refused_in_words(
    root: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.setenv("PATH", str(root.parent / "elsewhere"))
    script = str(runnable(root.parent / "elsewhere" / "script", f"{first}\n"))
    said = interpreted(script, (str(root),))
    assert isinstance(said, str)
    assert script in said


@pytest.mark.parametrize("name", ["ty", "pyright", "basedpyright"])
def test_every_checker_is_told_which_packages_there_are(root: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for program in ("ty", "pyright-langserver", "basedpyright-langserver"):
        runnable(root.parent / "beside" / program)
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    found = find_python_checker(CheckerSettings(name=name), None, (str(root),))
    assert isinstance(found, Checker)
    assert found.environment["VIRTUAL_ENV"] == NO_PACKAGES
    assert "PYTHONPATH" not in found.environment
    assert NO_PACKAGES in str(found.configuration)


def test_the_environment_without_packages_has_none() -> None:
    found = find_environment("/nowhere", NO_PACKAGES, {}).found
    assert found is not None
    names = {name for folder in found.site_packages for name in os.listdir(folder)}
    assert names == {"README.txt"}
    assert os.path.isabs(programs.ELSEWHERE)


def test_threads_do_not_ask_python_for_its_folders_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks second would see what the first has worked out by then: `AttributeError: userbase`."""
    inside, most = 0, 0

    def get_path(*_: str) -> str:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.01)
        inside -= 1
        return "/nowhere"

    monkeypatch.setattr(sysconfig, "get_path", get_path)
    threads = [threading.Thread(target=find_program, args=("no-such-program",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
