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


def _pytest(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "graphls.pytest", "-p", "no:cacheprovider", "-q", *arguments]
    paths = os.pathsep.join((str(folder), *sys.path))
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **alone, "PYTHONPATH": paths, "GRAPHLS_CACHE_DIR": str(folder.parent / "cache")}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300)
    return run.stdout + run.stderr
