"""Scanning: files that come, go and change while the folder is walked.

Owns: the moment between the walk and what is made of it.
Must not know: how a walk is done.
Invariant: whatever order the walk and the tidings come in, the session ends with what is on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graphls.session.index import scan_stage
from graphls.session.session import Session
from graphls.sources.limits import SourceLimits
from graphls.sources.walk import Entering, ManyFilesListener, Walk, walk
from graphls.sources.workspace import Workspace
from increment.session_folder import everything, from_scratch, key, settle, write

FILES = {"a.py": "from b import f\n\nf()\n", "b.py": "def f(): ...\n", "sub/c.py": "import a\n"}

Meanwhile = Callable[[Path], list[str]]


def _make(root: Path) -> list[str]:
    (root / "made.py").write_text("from b import f\n", "utf-8")
    return ["made.py"]


def _remove(root: Path) -> list[str]:
    (root / "b.py").unlink()
    return ["b.py"]


def _move(root: Path) -> list[str]:
    (root / "b.py").rename(root / "moved.py")
    return ["b.py", "moved.py"]


def _change(root: Path) -> list[str]:
    (root / "b.py").write_text("def g(): ...\n", "utf-8")
    return ["b.py"]


def _leave_out(root: Path) -> list[str]:
    (root / "made.py").write_text("x = 1\n", "utf-8")
    (root / ".gitignore").write_text("made.py\n", "utf-8")
    return ["made.py", ".gitignore"]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("meanwhile", [_make, _remove, _move, _change, _leave_out])
def test_what_happens_after_the_walk_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: Meanwhile, *, first: bool
) -> None:
    root = tmp_path / "space"
    write(root, FILES)
    session = Session(Workspace.of([str(root)]))
    due = [first, True]

    def walked(
        workspace: Workspace,
        limits: SourceLimits,
        many: ManyFilesListener | None,
        wanted: Callable[[str], bool],
        entering: Entering,
    ) -> Walk:
        found = walk(workspace, limits, many, wanted, entering)
        if due and due.pop(0):
            due.clear()
            session.files_changed([key(path) for path in meanwhile(root)])
        return found

    monkeypatch.setattr(scan_stage, "walk", walked)
    try:
        session.start()
        settle(session)
        if not first:
            session.rescan()
        snapshot = settle(session)
        assert not due
        there = {path.relative_to(root).as_posix() for path in root.rglob("*.py")}
        left_out = {"made.py"} if (root / ".gitignore").exists() else set[str]()
        assert {path for path in snapshot.files() if path.endswith(".py")} == there - left_out
        assert snapshot.skipped == ()
        assert everything(snapshot) == from_scratch(snapshot)
    finally:
        session.close()
