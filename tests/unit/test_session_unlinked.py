"""Unlinked: files whose linking ends worker processes.

Owns: that they are named wherever somebody looks, are no innocent ones, and come back.
Must not know: what ends a worker in earnest.
Invariant: a file that is not linked is in no answer as one that uses nothing.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from graphls.facts.file_facts import FileFacts
from graphls.facts.links import Links
from graphls.facts.paths import FilePath
from graphls.graph.export import ExportOptions, export
from graphls.graph.merkle import snapshot_id
from graphls.graph.snapshot import Snapshot
from graphls.queries.document_symbols import document_symbols
from graphls.queries.status import status
from graphls.session.link.background_linking import LinkJob, UnlinkedFile
from graphls.session.link.link_index import LinkIndex, index_of
from graphls.session.link.own_linking import LinkingTime, OwnLinking
from graphls.session.process.frames import Message
from graphls.session.process.workers import CpuLimit
from graphls.session.session import Session, SessionOptions
from increment.session_folder import everything, from_scratch, key, session_over, settle, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

Starting = Callable[["Ender"], AbstractContextManager[Session]]
FILES = {f"m{number}.py": f"from m0 import f\n\n\ndef g{number}():\n    f()\n" for number in range(1, 40)}
FILES["m0.py"] = "def f():\n    pass\n"


def _one(*_: object) -> int:
    return 1


class Ender:
    """Ends the worker that is to link one file, so many times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int, times: int) -> None:
        self.sessions: list[Session] = []
        self.number, self.times = number, times
        before = LinkJob.message
        monkeypatch.setattr("graphls.session.process.pool._PAUSES", (0.0,))
        monkeypatch.setattr("graphls.session.link.background_linking.batch_size", _one)
        monkeypatch.setattr("graphls.session.process.shared_pool.worker_count", _one)

        def message(job: LinkJob, items: Sequence[UnlinkedFile]) -> Message:
            if self.times and items[0].shard.path == "m7.py":
                self.times -= 1
                for process in self._processes():
                    os.kill(process, self.number)
            return before(job, items)

        monkeypatch.setattr(LinkJob, "message", message)

    def _processes(self) -> Sequence[int]:
        (session,) = self.sessions
        return session.worker_processes()


@pytest.fixture
def session_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Starting:
    write(tmp_path, FILES)
    before = Session.start

    def start(ender: Ender) -> AbstractContextManager[Session]:
        def begin(session: Session) -> None:
            ender.sessions.append(session)
            before(session)

        monkeypatch.setattr(Session, "start", begin)
        return session_over(tmp_path, options=SessionOptions(limit=CpuLimit()))

    return start


def test_a_file_that_ends_its_workers_is_named_until_somebody_tries_again(
    session_of: Starting, monkeypatch: pytest.MonkeyPatch
) -> None:
    ender = Ender(monkeypatch, signal.SIGSEGV, times=9)
    with session_of(ender) as session:
        snapshot = settle(session)
        assert [file.path for file in snapshot.unlinked] == ["m7.py"]
        assert "ended the worker process" in snapshot.link_failures()[key("m7.py")]
        assert [file.path for file in status(snapshot).unlinked] == ["m7.py"]
        header = export(snapshot, ExportOptions(mode="allow-errors")).header
        assert header.degraded
        assert [(one.file, one.reason.partition(":")[0]) for one in header.problems] == [("m7.py", "not linked")]
        named = snapshot_id(snapshot)
        ender.times = 0
        session.rescan(again=True)
        healed = settle(session)
        assert healed.unlinked == ()
        assert healed.link_failures() == {}
        assert snapshot_id(healed) != named
        assert everything(healed) == from_scratch(healed)
        assert not export(healed, ExportOptions(mode="allow-errors")).header.degraded


def test_a_change_of_the_file_lifts_it(session_of: Starting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ender = Ender(monkeypatch, signal.SIGSEGV, times=9)
    with session_of(ender) as session:
        assert [file.path for file in settle(session).unlinked] == ["m7.py"]
        write(tmp_path, {"m8.py": "x = 1\n"})
        session.files_changed([key("m8.py")])
        assert [file.path for file in settle(session).unlinked] == ["m7.py"]
        write(tmp_path, {"m7.py": "from m0 import f\n\nf()\n"})
        session.files_changed([key("m7.py")])
        assert settle(session).unlinked == ()
        assert everything(settle(session)) == from_scratch(session.snapshot())


@pytest.mark.parametrize(("number", "times"), [(signal.SIGKILL, 2), (signal.SIGSEGV, 1)])
def test_workers_that_are_killed_take_no_file_with_them(
    session_of: Starting, monkeypatch: pytest.MonkeyPatch, number: int, times: int
) -> None:
    with session_of(Ender(monkeypatch, number, times)) as session:
        assert settle(session).unlinked == ()
        assert everything(settle(session)) == from_scratch(session.snapshot())


def test_a_file_of_whose_links_no_entry_can_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(links: Links, facts: FileFacts) -> LinkIndex:
        if "broken" in facts.strings and len(links.targets):
            raise IndexError("tuple index out of range")
        return index_of(links, facts)

    monkeypatch.setattr("graphls.session.link.link_entries.index_of", failing)
    # Few files are linked without workers, which would not fail.
    write(tmp_path, {"m0.py": FILES["m0.py"], "m7.py": "from m0 import f\n\nbroken = f()\n"})
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        assert not session.problems
        assert snapshot.link_failures() == {"m7.py": "IndexError: tuple index out of range"}


class Clock:
    """Time that passes as often as somebody looks."""

    def __init__(self) -> None:
        self.step = self.now = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_a_file_that_takes_long_is_given_up_here_as_in_a_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, uses = Clock(), "f()\n" * 500
    monkeypatch.setattr(OwnLinking.__init__, "__defaults__", (None, clock))
    # Few files are linked without workers. One look at the clock is within the limit, two are not.
    write(tmp_path, {"m0.py": FILES["m0.py"], "m7.py": f"from m0 import f\n\n\ndef g():\n    f()\n\n\n{uses}"})
    clock.step = 12.0

    def edited(text: str) -> Snapshot:
        write(tmp_path, {"m7.py": text})
        session.files_changed([key("m7.py")])
        return settle(session)

    with session_over(tmp_path) as session:
        snapshot = settle(session)
        assert snapshot.link_failures() == {"m7.py": "took longer than 20 seconds"}
        assert [file.path for file in snapshot.unlinked] == ["m7.py"]
        assert not len(snapshot.own_links(key("m0.py")).unresolved)
        assert [one.name for one in document_symbols(snapshot, key("m7.py"))] == ["g"]
        clock.step = 0.0
        session.rescan(again=True)
        assert settle(session).link_failures() == {}
        assert everything(settle(session)) == from_scratch(session.snapshot())
        clock.step = 12.0
        assert [file.path for file in edited(f"from m0 import f\n{uses}").unlinked] == ["m7.py"]
        healed = edited("from m0 import f\n\nf()\n")
        assert (healed.unlinked, healed.link_failures()) == ((), {})
        assert everything(healed) == from_scratch(healed)


def test_linking_ends_as_soon_as_the_file_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"m0.py": FILES["m0.py"], "m7.py": "from m0 import f\n\n" + "f()\n" * 500})
    begun: list[FilePath] = []
    before = OwnLinking.begin

    def begin(own: OwnLinking, size: int) -> LinkingTime:
        """The first time that the file is linked, it changes."""
        if size > 500 and not begun:
            begun.append(key("m7.py"))
            session.change(key("m7.py"), b"from m0 import f\n\n" + b"f()\n" * 600)
        return before(own, size)

    with session_over(tmp_path) as session:
        settle(session)
        session.open(key("m7.py"), b"from m0 import f\n\n" + b"f()\n" * 550)
        monkeypatch.setattr(OwnLinking, "begin", begin)
        session.work.linked.clear()
        settle(session)
        assert begun
        assert list(session.work.linked).count(key("m7.py")) == 1
        assert everything(settle(session)) == from_scratch(session.snapshot())
