"""Tests to run, on every face: the command line, an editor, and pytest itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.cli_runs import graphls
from e2e.lsp_workspace import Workspace
from git_folders import committed

FILES = {
    "till.py": "def total(rows):\n    return sum(rows)\n\n\ndef label():\n    return 'x'\n",
    "tests/test_till.py": (
        "import pytest\nimport till\n\n\n@pytest.mark.parametrize('rows', [[1], [2]])\ndef test_total(rows):\n"
        "    assert till.total(rows)\n\n\nclass TestLabel:\n    def test_label(self):\n        assert till.label()\n"
    ),
    "conftest.py": "",
}
IDS = ["tests/test_till.py::test_total"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository in which `total` is edited."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    committed(tmp_path)
    (tmp_path / "till.py").write_text(FILES["till.py"].replace("sum(rows)", "sum(rows) + 0"))
    return tmp_path


def test_on_the_command_line(folder: Path) -> None:
    assert graphls("tests", "till:total", "--ids", "--root", str(folder)).out.splitlines() == IDS
    found = graphls("changed", "--tests", "--format", "json", "--root", str(folder)).json
    assert [test["ids"] for test in found["tests"]] == [IDS]
    assert (found["certain"], found["whole"]) == (1, [])
    (folder / "rows.csv").write_text("1")
    assert "run all tests: any may meet rows.csv" in graphls("changed", "--tests", "--root", str(folder)).out


def test_in_an_editor(folder: Path) -> None:
    server = Workspace(folder, f"--- path: till.py ---\n{(folder / 'till.py').read_text()}")
    server.ready()
    try:
        named = server.ask("graph/tests", symbol="till:label")
        assert [test["ids"] for test in named["tests"]] == [["tests/test_till.py::TestLabel::test_label"]]
        assert [test["ids"] for test in server.ask("graph/tests", changes="all")["tests"]] == [IDS]
    finally:
        server.close()


def test_pytest_runs_them_and_says_what_it_left_out(folder: Path) -> None:
    run = _pytest(folder, "--graphls-changed")
    assert "2 passed, 1 deselected" in run
    assert "2 of 3 tests selected for 1 changed symbols since HEAD: 2 certain" in run
    assert "1 left out" in run
    (folder / "rows.csv").write_text("1")
    run = _pytest(folder, "--graphls-changed")
    assert "3 passed" in run
    assert "any test may meet rows.csv" in run
    assert "no commit" in _pytest(folder, "--graphls-changed", "nowhere")


TILL = """\
def total(rows):
    return add(rows) if rows else none()
def add(rows):
    return sum(rows)
def none():
    return 0
def opened():
    return []
"""
TILL_FIXTURE = """\
import pytest
import till
@pytest.fixture(scope="session")
def rows():
    return till.opened()
"""
TILL_TESTS = """\
import sys
import till
def test_add():
    assert till.total([1])
def test_none(rows):
    assert not till.total(rows)
def test_rows(rows):
    assert rows == []
def test_fails():
    assert till.total([])
def test_watched():
    sys.setprofile(None)
    till.total([1])
"""
RECORDED = {"till.py": TILL, "conftest.py": TILL_FIXTURE, "tests/test_till.py": TILL_TESTS}


@pytest.mark.parametrize("workers", [(), ("-p", "xdist.plugin", "-n", "2")])
def test_pytest_records_what_tests_run(tmp_path: Path, workers: tuple[str, ...]) -> None:
    for name, text in RECORDED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    committed(tmp_path)
    run = _pytest(tmp_path, "--graphls-record", *workers)
    lost = sys.version_info < (3, 12)  # sys.monitoring does not mind who sets a profiler
    assert f"what {3 if lost else 4} tests run is recorded in .graphls/cache/test-runs.json" in run
    assert (tmp_path / ".graphls/cache/.gitignore").read_text() == "*\n"
    assert "test-runs" not in graphls("changed", "--root", str(tmp_path)).out
    found = graphls("tests", "till:none", "--format", "json", "--root", str(tmp_path)).json
    assert found["record"]["undecided"] == (2 if lost else 1)
    certain = {test["ids"][0].partition("::")[2]: test["why"] for test in found["tests"]}
    assert certain.pop("test_none") == "ran till:none"
    assert "test_add" not in certain  # the graph alone would name it
    assert certain.keys() == ({"test_fails", "test_watched"} if lost else {"test_fails"})
    # A fixture of the session runs once, for each test that has it.
    rows = graphls("tests", "till:opened", "--ids", "--root", str(tmp_path)).out.splitlines()
    assert set(rows) >= {"tests/test_till.py::test_none", "tests/test_till.py::test_rows"}
    assert "tests/test_till.py::test_add" not in rows
    (tmp_path / "till.py").write_text(TILL.replace("return 0", "return 0.0"))
    run = _pytest(tmp_path, "--graphls-changed")
    assert f"{3 if lost else 2} of 5 tests selected" in run
    assert "tests run was recorded" in run
    tests = graphls("review", "--format", "json", "--root", str(tmp_path)).json["tests"]
    names = {one["name"] for one in tests}
    assert "test_none" in names
    assert "test_add" not in names
    (tmp_path / ".graphls/cache/test-runs.json").write_text("{}")
    refused = graphls("changed", "--tests", "--root", str(tmp_path))
    assert refused.code == 2
    assert "Record it anew" in refused.err


def _pytest(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "graphls.pytest", "-p", "no:cacheprovider", "-q", *arguments]
    paths = os.pathsep.join((str(folder), *sys.path))
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **alone, "PYTHONPATH": paths, "GRAPHLS_CACHE_DIR": str(folder.parent / "cache")}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300)
    return run.stdout + run.stderr
