"""Waited work: git that takes long is waited for as long as a request may, and goes on meanwhile."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from git_folders import committed
from graphls.facts.paths import FilePath
from graphls.graph.request_budget import BudgetSpentError, budget_of, limited
from graphls.session import risk_report
from graphls.session.memory import snapshot_of
from graphls.session.process.pending_work import PendingWork
from graphls.session.risk_report import changes_of_symbols, signals_of
from graphls.sources.git_log import GitHistory
from graphls.sources.workspace import Workspace

TEXT = "def one():\n    return 1\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "a.py").write_text(TEXT)
    committed(tmp_path, "one")
    return Workspace.of([str(tmp_path)])


class Slow:
    """Work that ends when it is let go."""

    def __init__(self) -> None:
        self.begun = 0
        self.go_on = threading.Event()

    def work(self) -> str:
        self.begun += 1
        assert self.go_on.wait(60)
        return "done"


def test_who_may_not_wait_ends_and_the_work_goes_on() -> None:
    waited, slow = PendingWork[str](), Slow()
    for _ in range(3):
        with limited(budget_of(30, lambda: False)), pytest.raises(BudgetSpentError):
            waited.result("it", slow.work)
    slow.go_on.set()
    assert waited.result("it", slow.work) == "done"
    assert slow.begun == 1
    assert waited.result("it", slow.work) == "done"  # it was given: who asks again wants it anew
    assert slow.begun == 2


def test_waiting_is_work_of_the_request() -> None:
    """A request that waits computes nothing: until an eighth of its time was that it had no end (5.2 seconds)."""
    waited, slow, begun = PendingWork[str](), Slow(), time.thread_time()
    timer = threading.Timer(20, slow.go_on.set)
    timer.start()
    with limited(budget_of(2_000, lambda: False)), pytest.raises(BudgetSpentError):
        waited.result("it", slow.work)
    assert time.thread_time() - begun < 0.2
    assert not slow.go_on.is_set()
    timer.cancel()
    slow.go_on.set()
    assert waited.result("it", slow.work) == "done"


def test_what_failed_fails_for_who_waits_and_is_tried_again() -> None:
    waited = PendingWork[str]()

    def fail() -> str:
        raise OSError("no git")

    with pytest.raises(OSError, match="no git"):
        waited.result("it", fail)
    assert waited.result("it", lambda: "done") == "done"


def test_history_is_waited_for_as_long_as_a_request_may(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot, slow = snapshot_of({"a.py": TEXT}), Slow()
    read, patches = risk_report.git_history, risk_report.file_patches

    def log(*asked: object) -> GitHistory:
        slow.work()
        return read(*asked)  # type: ignore[arg-type]

    def of_file(*asked: object) -> object:
        slow.work()
        return patches(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(risk_report, "git_history", log)
    monkeypatch.setattr(risk_report, "file_patches", of_file)
    with limited(budget_of(30, lambda: False)), pytest.raises(BudgetSpentError):
        signals_of(workspace, snapshot, None)
    with limited(budget_of(30, lambda: False)), pytest.raises(BudgetSpentError):
        changes_of_symbols(workspace, snapshot, FilePath("a.py"))
    slow.go_on.set()
    assert signals_of(workspace, snapshot, None).files.keys() == {"a.py"}
    assert [one.commits for one in changes_of_symbols(workspace, snapshot, FilePath("a.py"))]
    assert slow.begun == 2
