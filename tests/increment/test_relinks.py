"""Relinks: which files are linked anew after an edit, counted exactly.

Owns: the invalidation barrier, case by case.
Must not know: what links say.
Invariant: an edit relinks its own file, and others only when what they looked at changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphls.graph.merkle import snapshot_id
from graphls.session.session import Session
from increment.session_folder import anew, edit, key, relinked, session_over, settle, write

FILES = {
    "pkg/__init__.py": "from pkg.shapes import Square\n",
    "pkg/shapes.py": "class Square:\n    side = 1\n\n    def area(self):\n        return self.side\n",
    "pkg/use.py": "from pkg import Square\n\ndef total():\n    return Square().area()\n",
    "pkg/apart.py": "def alone():\n    value = 1\n    return value\n",
    "pkg/hopeful.py": "from pkg.later import thing\n\nthing()\n",
}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    write(tmp_path, FILES)
    with session_over(tmp_path) as made:
        assert relinked(made) == sorted(FILES)
        yield made


def test_opening_an_unchanged_file_relinks_nothing(session: Session) -> None:
    session.open(key("pkg/use.py"), FILES["pkg/use.py"].encode())
    snapshot = settle(session)
    assert relinked(session) == []
    assert not snapshot.shards[key("pkg/use.py")].dirty


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("pkg/apart.py", "value = 1", "value = 2 + 3", ["pkg/apart.py"]),
        ("pkg/shapes.py", "class Square", "# a comment\nclass Square", ["pkg/shapes.py"]),
        ("pkg/shapes.py", "def area(self)", "def area(self, unit)", ["pkg/__init__.py", "pkg/shapes.py", "pkg/use.py"]),
        ("pkg/apart.py", "def alone", "def lonely", ["pkg/apart.py"]),
        ("pkg/apart.py", "def alone", "from pkg import Square\ndef alone", ["pkg/apart.py"]),
    ],
    ids=["body", "comment", "surface with readers", "surface without readers", "new import"],
)
def test_edit_relinks(session: Session, path: str, old: str, new: str, expected: list[str]) -> None:
    assert edit(session, path, FILES[path].replace(old, new)) == expected


def test_undo_needs_no_new_links_of_others(session: Session) -> None:
    path = "pkg/shapes.py"
    edit(session, path, FILES[path].replace("def area", "def region"))
    session.change(key(path), FILES[path].encode())
    assert not settle(session).shards[key(path)].dirty
    assert set(relinked(session)) <= {"pkg/__init__.py", "pkg/shapes.py", "pkg/use.py"}


def test_new_file_relinks_who_asked_for_it(session: Session, tmp_path: Path) -> None:
    write(tmp_path, {"pkg/later.py": "def thing():\n    pass\n"})
    session.files_changed([key("pkg/later.py")])
    settle(session)
    assert relinked(session) == ["pkg/hopeful.py", "pkg/later.py"]


def test_removed_file_relinks_who_asked_for_it(session: Session, tmp_path: Path) -> None:
    (tmp_path / "pkg/shapes.py").unlink()
    session.files_changed([key("pkg/shapes.py")])
    snapshot = settle(session)
    assert key("pkg/shapes.py") not in snapshot.shards
    assert relinked(session) == ["pkg/__init__.py", "pkg/use.py"]


def test_closing_an_unsaved_buffer_brings_the_disk_back(session: Session) -> None:
    edit(session, "pkg/apart.py", "def other():\n    pass\n")
    session.close_document(key("pkg/apart.py"))
    snapshot = settle(session)
    assert snapshot.text(key("pkg/apart.py")) == FILES["pkg/apart.py"].encode()
    assert not snapshot.shards[key("pkg/apart.py")].dirty


def test_names_and_id_follow_edits(session: Session) -> None:
    """What a snapshot knows of files that did not change is taken over; what it says is what a fresh one says."""
    path, text = key("pkg/apart.py"), FILES["pkg/apart.py"]
    session.open(path, text.encode())
    before = settle(session)
    assert before.files_with_name("Square") == ("pkg/__init__.py", "pkg/shapes.py", "pkg/use.py")
    ids = {snapshot_id(before)}
    for added, found in (("Square()\n", True), ("other()\n", False), ("Square()\n", True)):
        session.change(path, (text + added).encode())
        snapshot = session.snapshot()
        ids.add(snapshot_id(snapshot))
        assert (path in snapshot.files_with_name("Square")) == found
        assert snapshot.files_with_name("Square") == anew(snapshot).files_with_name("Square")
        assert snapshot.files_with_name("area") == anew(snapshot).files_with_name("area")
        assert snapshot_id(snapshot) == snapshot_id(anew(snapshot))
    assert len(ids) == 3
