"""Disk observer: what an answer says that is asked for right after something changed on disk.

Owns: changes of files, environments, settings and ignore rules in a session that nobody tells of anything.
Must not know: how a look is done.
Invariant: after a look that waits for everything the session is as one that begins now.
"""

from __future__ import annotations

import asyncio
import math
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from git_folders import git
from graphls.graph.merkle import snapshot_id
from graphls.session.disk_watch import watch_disk
from graphls.session.session import Session, SessionOptions
from graphls.session.stages import due_stage
from graphls.settings import Settings, merge
from graphls.sources.inotify import Inotify
from graphls.sources.settings_files import read_settings
from graphls.sources.workspace import Workspace
from increment.session_folder import PATIENCE, exported, key, settle, write

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.12"\n',
    "a.py": "import box\nfrom b import f\n\n\ndef sold():\n    return box.Box().get().low(), f()\n",
    "b.py": "def f(): ...\n",
    "deep/er/c.py": "from b import f\n\nf()\n",
    "left.py": "x = 1\n",
}
BOX = "class Box:\n    def get(self) -> 'Box': ...\n    def low(self) -> int: ...\n"
Step = Callable[[Path], object]


def _settings(root: Path) -> Settings:
    return merge(read_settings(str(root)).table, {}, trusted=True)[0]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "envs" / "elsewhere"))
    (tmp_path / "envs").mkdir()
    root = tmp_path / "space"
    write(root, FILES)
    git(root, "init", "-q")
    return root


@pytest.fixture
def session(root: Path) -> Iterator[Session]:
    session = _begun(root)
    yield session
    session.close()


def _begun(root: Path) -> Session:
    options = SessionOptions(libraries=True, look=True, settings=lambda: _settings(root))
    session = Session(Workspace.of([str(root)]), _settings(root), options=options)
    session.start()
    settle(session)
    return session


def _as_now(session: Session, root: Path) -> None:
    """The id names contents, what is left out, settings of rules, and what is installed."""
    assert session.look("require-fresh")
    snapshot = session.snapshot()
    assert snapshot.pending == ()
    anew = _begun(root)
    try:
        expected = anew.snapshot()
        assert snapshot_id(snapshot) == snapshot_id(expected)
        assert exported(snapshot) == exported(expected)
        assert session.settings == anew.settings
    finally:
        anew.close()


def _package(prefix: Path, text: str = BOX) -> None:
    packages = prefix / "lib" / "python3.12" / "site-packages"
    write(prefix, {"pyvenv.cfg": "version = 3.12.1\n"})
    write(packages, {"box/__init__.py": text, "box-1.0.dist-info/METADATA": "Name: box\n"})
    write(packages, {"box-1.0.dist-info/RECORD": f"box/__init__.py,,{len(text)}\n"})


def _same_size(root: Path) -> None:
    (root / "b.py").write_text("def g(): ...\n", "utf-8")


def _same_stamp(root: Path) -> None:
    before = (root / "b.py").stat()
    _same_size(root)
    os.utime(root / "b.py", ns=(before.st_atime_ns, before.st_mtime_ns + 1))


def _put_in_place(root: Path) -> None:
    (root / "new").write_text("def g(): ...\n", "utf-8")
    (root / "new").replace(root / "b.py")


def _deep_folder(root: Path) -> None:
    write(root, {"x/y/z/d.py": "from b import f\n\nf()\n"})


def _folder_moved(root: Path) -> None:
    (root / "deep").rename(root / "other")


def _in_a_moved_folder(root: Path) -> None:
    (root / "deep").rename(root / "other")
    write(root, {"other/er/c.py": "import a\n"})


def _folder_replaced(root: Path) -> None:
    shutil.rmtree(root / "deep")
    write(root, {"deep/er/c.py": "import b\n", "deep/er/e.py": "import a\n"})


def _excluded(root: Path) -> None:
    write(root, {".git/info/exclude": "left.py\n"})


def _ignored(root: Path) -> None:
    write(root, {".gitignore": "left.py\n"})


def _other_python(root: Path) -> None:
    write(root, {"pyproject.toml": FILES["pyproject.toml"].replace("3.12", "3.9")})


def _own_settings(root: Path) -> None:
    write(root, {"graphls.toml": '[files]\nexclude = ["left.py"]\n'})


def _shared_settings(root: Path) -> None:
    write(root, {"pyproject.toml": f'{FILES["pyproject.toml"]}[tool.graphls.files]\nexclude = ["left.py"]\n'})


def _environment(root: Path) -> None:
    _package(root / ".venv")


def _environment_elsewhere(root: Path) -> None:
    _package(root.parent / "envs" / "elsewhere")


EDITS = (
    _same_size, _same_stamp, _put_in_place, _deep_folder, _folder_moved, _in_a_moved_folder, _folder_replaced,
)  # fmt: skip
SURROUNDINGS = (
    _excluded, _ignored, _other_python, _own_settings, _shared_settings, _environment, _environment_elsewhere,
)  # fmt: skip


@pytest.mark.parametrize("step", [*EDITS, *SURROUNDINGS], ids=lambda step: step.__name__.strip("_"))
def test_what_changed_before_a_look_is_in_the_answer(session: Session, root: Path, step: Step) -> None:
    before = snapshot_id(session.snapshot())
    step(root)
    _as_now(session, root)
    assert snapshot_id(session.snapshot()) != before


@pytest.mark.parametrize("where", [".venv", "../envs/elsewhere"])
def test_an_environment_grows_changes_and_goes(session: Session, root: Path, where: str) -> None:
    prefix = root / where
    without = snapshot_id(session.snapshot())
    packages = prefix / "lib" / "python3.12" / "site-packages"
    steps: tuple[Callable[[], object], ...] = (
        lambda: write(prefix, {"pyvenv.cfg": "version = 3.12.1\n"}),
        lambda: packages.mkdir(parents=True),
        lambda: write(packages, {"box/__init__.py": BOX}),
        lambda: write(packages, {"box-1.0.dist-info/METADATA": "Name: box\n"}),
        lambda: write(packages, {"box-1.0.dist-info/RECORD": f"box/__init__.py,,{len(BOX)}\n"}),
        lambda: write(packages, {"single.py": "x = 1\n"}),
        lambda: shutil.rmtree(packages / "box-1.0.dist-info"),
        lambda: shutil.rmtree(packages / "box"),
    )
    for step in steps:
        step()
        _as_now(session, root)
    shutil.rmtree(prefix)
    _as_now(session, root)
    assert snapshot_id(session.snapshot()) == without


def test_settings_that_go_are_gone(session: Session, root: Path) -> None:
    _own_settings(root)
    _as_now(session, root)
    assert "left.py" not in session.snapshot().shards
    (root / "graphls.toml").unlink()
    _as_now(session, root)
    assert "left.py" in session.snapshot().shards


def test_a_few_files_are_taken_in_at_once(session: Session, root: Path) -> None:
    for number in range(12):
        (root / "b.py").write_text(f"def f{number:02}(): ...\n", "utf-8")
        assert session.look("prefer-fresh", PATIENCE)
        snapshot = session.snapshot()
        assert not snapshot.pending
        assert snapshot.text(key("b.py")) == f"def f{number:02}(): ...\n".encode()


def test_who_allows_it_gets_what_is_known(session: Session, root: Path) -> None:
    before = session.snapshot().shards[key("b.py")].content
    _same_size(root)
    assert not session.look("allow-stale")
    assert session.snapshot().shards[key("b.py")].content == before


def test_what_is_known_already_is_no_news(session: Session, root: Path) -> None:
    _same_size(root)
    session.files_changed([key("b.py")])
    revision = settle(session).revision
    assert session.look("require-fresh")
    (root / "b.py").write_text("def g(): ...\n", "utf-8")
    assert session.look("require-fresh")
    assert session.snapshot().revision == revision


def test_what_a_look_has_found_is_no_news_to_who_watches(session: Session, root: Path) -> None:
    _same_size(root)
    assert session.look("require-fresh")
    revision = settle(session).revision
    session.files_changed([key("b.py"), key("never.py")])
    snapshot = session.snapshot()
    assert (snapshot.revision, snapshot.pending) == (revision, ())


async def _taken_in(session: Session, root: Path, *steps: Step) -> None:
    """After each step the session has, asked by nobody, what a start has that knows no earlier state."""
    stop, told = asyncio.Event(), asyncio.Event()
    watching = asyncio.create_task(watch_disk(session, stop, told.set))
    try:
        for step in steps:
            step(root)
            with closing(_begun(root)) as anew:
                expected = anew.snapshot()
            async with asyncio.timeout(PATIENCE):
                while snapshot_id(await asyncio.to_thread(settle, session)) != snapshot_id(expected):
                    await told.wait()
                    told.clear()
    finally:
        stop.set()
        await watching


@pytest.mark.parametrize("step", [*EDITS, *SURROUNDINGS], ids=lambda step: step.__name__.strip("_"))
async def test_what_changes_is_taken_in_though_nobody_asks(session: Session, root: Path, step: Step) -> None:
    await _taken_in(session, root, step)


async def test_folders_are_watched_under_the_names_that_they_have(session: Session, root: Path) -> None:
    def again(root: Path) -> None:
        (root / "other").rename(root / "deep")
        write(root, {"deep/er/new.py": "import a\n", "other/er/c.py": "import b\n"})

    def within(root: Path) -> None:
        write(root, {"deep/er/new.py": "import b\n", "other/er/c.py": "import a\n"})

    await _taken_in(session, root, _folder_moved, again, within)


async def test_what_is_left_out_no_more_is_watched(session: Session, root: Path) -> None:
    def counts_again(root: Path) -> None:
        (root / "graphls.toml").unlink()
        (root / ".git/info/exclude").unlink()

    await _taken_in(
        session, root, _own_settings, _excluded, counts_again, lambda root: write(root, {"left.py": "y = 1\n"})
    )


async def test_a_watcher_elsewhere_follows_the_rules_as_they_are(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inotify, "opened", staticmethod(_none_to_give))
    with closing(_begun(root)) as session:
        await _taken_in(session, root, _own_settings, lambda root: (root / "graphls.toml").unlink(), _left_edited)


def _left_edited(root: Path) -> None:
    write(root, {"left.py": "z = 1\n"})


def test_a_root_that_goes_and_comes_again(session: Session, root: Path) -> None:
    root.rename(root.with_name("away"))
    assert session.look("require-fresh")
    assert not session.snapshot().shards
    write(root, FILES)
    assert session.look("require-fresh")
    assert {*session.snapshot().shards} == {*FILES}


def test_nothing_is_linked_while_a_walk_is_to_follow(session: Session, root: Path) -> None:
    """It waits for an installation to end. All that was linked in between would be linked again, and a question that
    has to be fresh would wait for all of it."""
    state = session._state  # pyright: ignore[reportPrivateUsage]
    state.walk_due = math.inf
    _environment(root)
    assert session.look("prefer-fresh", 0.0)
    session.snapshot()
    with state.lock:
        state.touched = 0.0
        assert due_stage(state.situation()) is None
        state.walk_due = 0.0
    _as_now(session, root)


def _none_to_give() -> None:
    return None


def test_without_word_of_the_system_files_are_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inotify, "opened", staticmethod(_none_to_give))
    session = _begun(root)
    try:
        _same_size(root)
        assert session.look("prefer-fresh", PATIENCE)
        assert session.snapshot().text(key("b.py")) == b"def g(): ...\n"
        _environment(root)
        _as_now(session, root)
    finally:
        session.close()
