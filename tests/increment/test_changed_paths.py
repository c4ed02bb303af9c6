"""Changed paths: what a session makes of paths that a client or the system names, whatever is at them.

Owns: files, folders, links and what is neither, each in the place of another; who says that they changed.
Must not know: how a walk is done.
Invariant: after any of them, without a walk that somebody asks for, the session is as one that begins now.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from watchfiles import Change

from graphls.lsp.server_session import ServerSession
from graphls.session.index import scan_stage
from graphls.session.session import Session
from graphls.sources import walk as walk_module
from graphls.sources import watch as watch_module
from graphls.sources.limits import SourceLimits
from graphls.sources.walk import Entering, ManyFilesListener, Walk
from graphls.sources.workspace import Workspace
from increment.session_folder import everything, exported, key, settle, write

FILES = {
    "pyproject.toml": "[tool.setuptools]\npackage-dir = {'' = 'src'}\n",
    "src/sub/pyproject.toml": "[project]\nname = 'inner'\n",
    "src/b.py": "def f(): ...\n",
    "src/sub/c.py": "from b import f\n\nf()\n",
    "a.py": "from b import f\n\nf()\n",
    "node_modules/x/y.ts": "",
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="links and FIFOs")

Step = Callable[[Path], Sequence[str]]


def _folder_becomes_a_file(root: Path) -> Sequence[str]:
    shutil.rmtree(root / "src/sub")
    (root / "src/sub").write_text("no module\n", "utf-8")
    return ["src/sub"]


def _file_becomes_a_folder(root: Path) -> Sequence[str]:
    (root / "a.py").unlink()
    write(root, {"a.py/d.py": "def f(): ...\n"})
    return ["a.py"]


def _folder_is_moved(root: Path) -> Sequence[str]:
    (root / "src/sub").rename(root / "moved")
    return ["src/sub", "moved"]


def _file_becomes_a_link(root: Path) -> Sequence[str]:
    (root / "a.py").unlink()
    (root / "a.py").symlink_to("src/b.py")
    return ["a.py"]


def _file_becomes_a_fifo(root: Path) -> Sequence[str]:
    (root / "a.py").unlink()
    os.mkfifo(root / "a.py")
    return ["a.py"]


def _fifo_becomes_a_file(root: Path) -> Sequence[str]:
    (root / "odd.py").unlink()
    write(root, {"odd.py": "import a\n"})
    return ["odd.py"]


def _broken_link_is_removed(root: Path) -> Sequence[str]:
    (root / "broken.py").unlink()
    return ["broken.py"]


def _manifest_becomes_binary(root: Path) -> Sequence[str]:
    (root / "src/sub/pyproject.toml").write_bytes(b"\0")
    return ["src/sub/pyproject.toml"]


STEPS = (
    _folder_becomes_a_file, _file_becomes_a_folder, _folder_is_moved, _file_becomes_a_link, _file_becomes_a_fifo,
    _fifo_becomes_a_file, _broken_link_is_removed, _manifest_becomes_binary,
)  # fmt: skip


@posix
@pytest.mark.parametrize("step", STEPS)
def test_the_session_is_as_one_that_begins_now(tmp_path: Path, step: Step) -> None:
    root = tmp_path / "space"
    write(root, FILES)
    os.mkfifo(root / "odd.py")
    (root / "broken.py").symlink_to("nowhere.py")
    session = Session(Workspace.of([str(root)]))
    try:
        session.start()
        settle(session)
        session.files_changed([key(path) for path in step(root)])
        _assert_as_now(session)
    finally:
        session.close()


@posix
def test_an_editor_names_a_link_and_not_what_it_leads_to(tmp_path: Path) -> None:
    write(tmp_path / "space", FILES)
    bench = ServerSession([(tmp_path / "space").as_uri()], {"cache": {"enabled": False}, "checker": {"enabled": False}})
    try:
        settle(bench.session)
        _file_becomes_a_link(tmp_path / "space")
        bench.files_changed([(tmp_path / "space/a.py").as_uri()])
        assert "a.py" not in settle(bench.session).shards
    finally:
        bench.close()


@posix
def test_the_watch_names_a_link_and_not_what_it_leads_to(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    _file_becomes_a_link(tmp_path)
    sorting = watch_module._EventSorter(Workspace.of([str(tmp_path)]), SourceLimits, 100)  # pyright: ignore[reportPrivateUsage]
    assert sorting.classify({(Change.added, str(tmp_path.resolve() / "a.py"))}).changed == ("a.py",)


def test_a_folder_that_is_moved_in_brings_its_own_ignore_files(tmp_path: Path) -> None:
    """Of what lies in it there are no events."""
    root = tmp_path.resolve() / "space"
    write(root, {"old/.gitignore": "a.py\n", "old/a.py": "", "new/a.py": ""})
    sorting = watch_module._EventSorter(Workspace.of([str(root)]), SourceLimits, 100)  # pyright: ignore[reportPrivateUsage]
    event = {(Change.modified, str(root / "old/a.py"))}
    assert sorting.classify(event).changed == ()
    shutil.rmtree(root / "old")
    (root / "new").rename(root / "old")
    assert sorting.classify({(Change.added, str(root / "old"))}).rescan
    assert sorting.classify(event).changed == ("old/a.py",)


def test_what_is_told_of_installed_packages_is_no_reason_to_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {**FILES, ".gitignore": "/built/\n"})
    session, walks = Session(Workspace.of([str(tmp_path)])), list[int]()

    def walked(
        workspace: Workspace,
        limits: SourceLimits,
        many: ManyFilesListener | None,
        wanted: Callable[[str], bool],
        entering: Entering,
    ) -> Walk:
        walks.append(1)
        return walk_module.walk(workspace, limits, many, wanted, entering)

    monkeypatch.setattr(scan_stage, "walk", walked)
    try:
        session.start()
        settle(session)
        write(tmp_path, {"node_modules/z/.gitignore": "x\n", "node_modules/z/lib/i.ts": "", "built/deep/o.py": ""})
        told = ["node_modules/z", "node_modules/z/.gitignore", "node_modules/z/lib", "built", "built/deep"]
        session.files_changed([key(path) for path in told])
        settle(session)
        assert len(walks) == 1
        write(tmp_path, {"sub/deep/o.py": ""})
        session.files_changed([key("sub")])
        assert "sub/deep/o.py" in settle(session).shards
        assert len(walks) == 2
    finally:
        session.close()


def _assert_as_now(session: Session) -> None:
    fresh = Session(session.workspace)
    try:
        fresh.start()
        shown, wanted = settle(session), settle(fresh)
        assert everything(shown) == everything(wanted)
        assert exported(shown) == exported(wanted)
        assert shown.skipped == wanted.skipped
    finally:
        fresh.close()
