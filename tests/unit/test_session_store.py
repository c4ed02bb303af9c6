"""Session and store: a second start, and a cache that loses things.

Owns: what is done again and what is not, for each kind of loss.
Must not know: how the store keeps bytes.
Invariant: whatever the store lost, answers are those of a fresh index.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from graphls.analysis.findings import findings
from graphls.session.index import scan_stage
from graphls.session.process.foreground import ForegroundActivity
from graphls.session.process.workers import CpuLimit
from graphls.session.session import Session, SessionOptions
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import PATIENCE, everything, from_scratch, key, session_over, settle, write

FILES = {
    "pkg/__init__.py": "",
    "pkg/a.py": "from pkg.b import f\n\ndef g():\n    return f(1)\n",
    "pkg/b.py": "def f(x):\n    return x\n",
    "notes.md": "# notes\n",
}
OLD = 1_600_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "space"
    write(folder, FILES)
    for path in FILES:
        os.utime(folder / path, (OLD, OLD))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(StoreOptions(folder=str(tmp_path / "cache")))


def test_second_start_does_nothing_again(root: Path, store: BlobStore) -> None:
    with session_over(root, store) as first:
        before = everything(first.snapshot())
    with session_over(root, store) as second:
        assert list(second.work.extracted) == []
        assert list(second.work.linked) == []
        assert everything(second.snapshot()) == before


def test_second_start_sees_what_changed_meanwhile(root: Path, store: BlobStore) -> None:
    with session_over(root, store):
        pass
    write(root, {"pkg/b.py": "def f(x, y):\n    return x\n", "pkg/c.py": "import pkg.a\n"})
    (root / "notes.md").unlink()
    with session_over(root, store) as second:
        assert sorted(second.work.linked) == ["pkg/a.py", "pkg/b.py", "pkg/c.py"]
        assert everything(second.snapshot()) == from_scratch(second.snapshot())


@pytest.mark.parametrize("lost", ["facts", "surface", "links", "manifest"])
def test_whatever_is_lost_is_made_again(root: Path, store: BlobStore, lost: str) -> None:
    with session_over(root, store):
        pass
    assert store.stats().by_kind[lost]
    rows = store._rows
    assert rows is not None
    for name in [name for name in rows if str(name).startswith(f"{lost}:")]:
        rows.delete(str(name))
    with session_over(root, store) as second:
        assert everything(second.snapshot()) == from_scratch(second.snapshot())


def test_facts_that_are_gone_with_their_text_are_an_honest_error(root: Path, store: BlobStore) -> None:
    with session_over(root, store):
        pass
    store.clear()
    with session_over(root, store) as session:
        snapshot = session.snapshot()
        assert snapshot.text(key("pkg/b.py")) == FILES["pkg/b.py"].encode()
        write(root, {"pkg/a.py": "changed = 1\n"})
        assert snapshot.text(key("pkg/a.py")) in (None, FILES["pkg/a.py"].encode())


def test_passing_states_of_a_buffer_are_not_stored(root: Path, store: BlobStore) -> None:
    with session_over(root, store):
        pass
    entries = store.stats().by_kind
    with session_over(root, store) as session:
        session.open(key("pkg/b.py"), b"def f(x):\n    return xx\n")
        settle(session)
    assert store.stats().by_kind["facts"] == entries["facts"]


def test_many_files_go_through_worker_processes(tmp_path: Path, store: BlobStore) -> None:
    root = tmp_path / "many"
    write(root, {f"pkg/m{n}.py": f"from pkg import m{n - 1}\n\ndef f{n}():\n    return m{n - 1}\n" for n in range(60)})
    with session_over(root, store) as session:
        assert session.problems == {}
        assert everything(session.snapshot()) == from_scratch(session.snapshot())
        write(
            root,
            {
                f"pkg/m{n}.py": f"from pkg import m{n - 1}\n\nclass C{n}(m{n - 1}.C{n - 1}):\n    pass\n"
                for n in range(60)
            },
        )
        session.rescan()
        snapshot = session.snapshot()
        assert snapshot.pending
        assert everything(settle(session)) == from_scratch(session.snapshot())


def test_a_stalling_file_is_quarantined_until_it_changes(tmp_path: Path, store: BlobStore) -> None:
    root = tmp_path / "heavy"
    files = {f"m{n}.py": "x = 1\n" for n in range(40)}
    write(root, files | {"heavy.py": "".join(f"x{n} = [a.b(c) for a in b]\n" for n in range(65_000))})
    options = SessionOptions(limit=CpuLimit(base=0.4, megabyte=0.0))
    with session_over(root, store, options) as session:
        skipped = {file.path: file.reason for file in session.snapshot().skipped}
        assert "longer than" in skipped[key("heavy.py")]
        session.files_changed([key("heavy.py")])
        assert [file.path for file in settle(session).skipped] == ["heavy.py"]
        write(root, {"heavy.py": "x = 1\n"})
        session.files_changed([key("heavy.py")])
        assert settle(session).skipped == ()


def test_files_that_cannot_be_read_are_named(root: Path) -> None:
    write(root, {"bad.py": b"\xff\xfd", "nul.py": b"\0", "locked/x.py": "x = 1\n"})
    with session_over(root) as session:
        reasons = {file.path: file.reason for file in session.snapshot().skipped}
        assert "not valid UTF-8" in reasons[key("bad.py")]
        assert "binary" in reasons[key("nul.py")]


def test_open_file_is_answered_while_everything_is_pending(root: Path) -> None:
    session = Session(Workspace.of([str(root)]))
    session.open(key("pkg/a.py"), b"def mine():\n    pass\n\nmine()\n")
    snapshot = session.snapshot()
    assert snapshot.pending == (".",)
    assert len(snapshot.links(key("pkg/a.py")).targets) == 1
    session.start()
    try:
        assert session.wait("complete", PATIENCE)
        assert session.snapshot().pending == ()
        assert everything(session.snapshot()) == from_scratch(session.snapshot())
    finally:
        session.close()


def test_deleted_folder_takes_its_files_along(root: Path) -> None:
    with session_over(root) as session:
        for path in (root / "pkg").iterdir():
            path.unlink()
        (root / "pkg").rmdir()
        session.files_changed([key("pkg")])
        assert list(settle(session).shards) == ["notes.md"]


def test_work_ahead_waits_while_somebody_waits_for_an_answer(root: Path, store: BlobStore) -> None:
    waiting = [True] * 3
    asked: list[bool] = []

    def busy() -> bool:
        asked.append(waiting.pop() if waiting else False)
        return asked[-1]

    with session_over(root, store, SessionOptions(busy=busy)) as session:
        settle(session)
        deadline = time.monotonic() + PATIENCE
        while len(asked) < 4 and time.monotonic() < deadline:
            time.sleep(0.02)
    assert asked[:4] == [True, True, True, False]


def test_links_from_before_are_read_behind_whoever_asks(
    root: Path, store: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with session_over(root, store) as first:
        settle(first)
    asked: list[str] = []
    session = Session(Workspace.of([str(root)]), store=store)
    monkeypatch.setattr(ForegroundActivity, "pause_for_requests", lambda _: asked.append(session.progress.stage))
    session.start()
    settle(session)
    session.close()
    assert asked[0] == "ready"


def test_work_ahead_waits_for_answers_that_the_session_counts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("graphls.session.process.foreground.time.sleep", waits.append)
    asking = ForegroundActivity(lambda: False)
    with asking.answering():
        assert not asking.pause_for_requests()
    held_up = len(waits)
    assert not asking.pause_for_requests()
    assert (held_up, len(waits)) == (10, 10)


def test_a_long_step_of_work_ahead_waits_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    worked = [3.0]
    monkeypatch.setattr("graphls.session.process.foreground.time.sleep", waits.append)
    monkeypatch.setattr("graphls.session.process.foreground.time.thread_time", lambda: worked[0])
    asking = ForegroundActivity(lambda: True)
    asking.pause_for_requests()
    waits.clear()
    for step, waited in ((0.001, 0.05), (0.1, 0.9), (60.0, 1.0), (0.001, 0.05)):
        worked[0] += step
        asking.pause_for_requests()
        assert sum(waits) == pytest.approx(waited)
        waits.clear()


def test_work_that_nobody_waits_for_has_little_time_while_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    now = [100.0]

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    monkeypatch.setattr("graphls.session.process.foreground.time.sleep", sleep)
    monkeypatch.setattr("graphls.session.process.foreground.time.monotonic", lambda: now[0])
    asking = ForegroundActivity(lambda: False)

    def share() -> float:
        """Of a second, what a hundred steps have of the processor."""
        step, begun, waited = asking.pacer(), now[0], sum(waits)
        for _ in range(100):
            step()
            now[0] += 0.001
        return 1 - (sum(waits) - waited) / (now[0] - begun)

    assert share() == 1
    asking.note()
    assert share() < 0.35
    asking.note()
    asking.pacer()()
    assert share() < 1
    now[0] += 1
    assert share() == 1


def test_rules_leave_room_between_the_files_that_they_read(root: Path) -> None:
    steps: list[None] = []
    with session_over(root) as session:
        snapshot = settle(session)
        findings(snapshot, Settings(), pause=lambda: steps.append(None))
    assert len(steps) >= len(list(snapshot.files()))


def test_a_step_that_fails_is_named_and_logged_and_done_again(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real, failures = scan_stage.walk, [OSError("an odd disk")]

    def walk(*arguments: object) -> object:
        if failures:
            raise failures.pop()
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(scan_stage, "walk", walk)
    with session_over(root) as session:
        assert session.problems == {"session": "OSError: an odd disk"}
        assert everything(session.snapshot()) == from_scratch(session.snapshot())
    (record,) = [record for record in caplog.records if record.name == "graphls.session.session"]
    assert (record.levelname, record.message, record.exc_info is not None) == (
        "ERROR",
        "the session failed: OSError",
        True,
    )


def test_without_worker_processes_everything_is_done_here_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "many"
    write(root, {f"pkg/m{n}.py": f"from pkg import m{n - 1}\n\ndef f{n}():\n    return m{n - 1}\n" for n in range(40)})
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with session_over(root) as session:
        assert "no worker process" in session.problems["workers"]
        assert everything(session.snapshot()) == from_scratch(session.snapshot())
    assert [record.levelname for record in caplog.records if "in one process" in record.message][:1] == ["WARNING"]
