"""Workers: processes that may die, stall or fail, and what becomes of the files.

Owns: the pool under every kind of failure; that nothing outlives it.
Must not know: what files mean.
Invariant: each file is accepted or failed exactly once.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Sequence
from io import BytesIO
from typing import ClassVar

import attrs
import pytest

from graphls.session.process.frames import BrokenFrameError, Message, receive, send
from graphls.session.process.pool import Pool
from graphls.session.process.worker import MEMORY_LIMIT
from graphls.session.process.workers import CpuLimit, Worker, WorkerError


@attrs.frozen
class Item:
    path: str
    data: bytes
    language: str = "python"

    @property
    def size(self) -> int:
        return len(self.data)


class Recording:
    """A job over given files; `kill_at` is answered by killing the workers."""

    def __init__(self, items: Sequence[Item], batch: int = 4) -> None:
        self.items = list(items)
        self.batch = batch
        self.accepted: dict[str, Message] = {}
        self.failed: dict[str, str] = {}

    def first(self) -> Message | None:
        return None

    def take(self) -> Sequence[Item]:
        taken, self.items = self.items[: self.batch], self.items[self.batch :]
        return taken

    def put_back(self, items: Sequence[Item]) -> None:
        self.items[:0] = items

    def message(self, items: Sequence[Item]) -> Message:
        return ("extract", tuple((item.path, item.language, item.data) for item in items))

    def accept(self, item: Item, answer: Message) -> None:
        assert answer[0] == item.path
        self.accepted[item.path] = answer

    def doubtful(self, answer: Message) -> bool:
        return answer[1] == "doubtful"

    def fail(self, item: Item, reason: str) -> None:
        self.failed[item.path] = reason


def small(count: int) -> list[Item]:
    return [Item(f"f{number}.py", b"x = %d\n" % number) for number in range(count)]


def test_every_file_is_answered() -> None:
    pool, job = Pool(2), Recording(small(11))
    try:
        pool.run(job, lambda: None)
    finally:
        pool.close()
    assert sorted(job.accepted) == sorted(item.path for item in small(11))
    assert job.failed == {}
    assert pool.processes() == ()


def test_a_file_that_fails_is_named_and_the_worker_lives() -> None:
    pool, job = Pool(1), Recording([Item("odd.xx", b"x", "no such language"), *small(2)])
    try:
        pool.run(job, lambda: None)
    finally:
        pool.close()
    assert "KeyError" in str(job.accepted["odd.xx"][1])
    assert sorted(job.accepted) == ["f0.py", "f1.py", "odd.xx"]


def test_a_file_that_stalls_is_failed_alone() -> None:
    heavy = Item("heavy.py", b"".join(b"x%d = [a.b(c) for a in b]\n" % number for number in range(65_000)))
    pool, job = Pool(1, CpuLimit(base=0.4, megabyte=0.0)), Recording([*small(2), heavy, *small(4)[2:]], batch=5)
    try:
        pool.run(job, lambda: None)
    finally:
        pool.close()
    assert list(job.failed) == ["heavy.py"]
    assert "longer than" in job.failed["heavy.py"]
    assert sorted(job.accepted) == ["f0.py", "f1.py", "f2.py", "f3.py"]


class Limits(Recording):
    """The memory limits of the workers, while they work."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(small(2))
        self.pool = pool
        self.limits: set[int] = set()

    def accept(self, item: Item, answer: Message) -> None:
        super().accept(item, answer)
        if sys.platform == "linux":
            import resource

            self.limits |= {resource.prlimit(process, resource.RLIMIT_AS)[0] for process in self.pool.processes()}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other processes are read on Linux alone")
def test_a_worker_has_a_memory_limit() -> None:
    pool = Pool(1)
    job = Limits(pool)
    try:
        pool.run(job, lambda: None)
    finally:
        pool.close()
    assert job.limits == {MEMORY_LIMIT}


class Stopping(Recording):
    """The worker is held by the system before it gets the second file."""

    def __init__(self, pool: Pool, again: float) -> None:
        super().__init__(small(3), batch=1)
        self.pool, self.again = pool, again

    def message(self, items: Sequence[Item]) -> Message:
        if items[0].path == "f1.py":
            (process,) = self.pool.processes()
            os.kill(process, signal.SIGSTOP)
            if self.again:
                threading.Timer(self.again, _go_on, (process,)).start()
        return super().message(items)


def _go_on(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no clock of other processes")
def test_a_busy_machine_is_no_fault_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    # However busy the machine is that runs this test: the process is not given up.
    monkeypatch.setattr("graphls.session.process.workers._WAITING", 500)
    pool = Pool(1, CpuLimit(base=0.6, megabyte=0.0))
    job = Stopping(pool, again=2.0)
    try:
        pool.run(job, lambda: None)
    finally:
        pool.close()
    assert job.failed == {}
    assert sorted(job.accepted) == ["f0.py", "f1.py", "f2.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_worker_that_never_runs_again_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    # As short as a test should be, and long enough for small files on a busy machine.
    monkeypatch.setattr("graphls.session.process.workers._WAITING", 2)
    pool = Pool(1, CpuLimit(base=3.0, megabyte=0.0))
    job = Stopping(pool, again=0)
    try:
        pool.run(job, lambda: None)
    finally:
        pool.close()
    assert list(job.failed) == ["f1.py"]
    assert sorted(job.accepted) == ["f0.py", "f2.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_killed_worker_fails_no_file_and_is_replaced() -> None:
    pool = Pool(1)

    class Killing(Recording):
        def accept(self, item: Item, answer: Message) -> None:
            super().accept(item, answer)
            if item.path == "f1.py":
                (process,) = pool.processes()
                os.kill(process, signal.SIGSTOP)
                os.kill(process, signal.SIGKILL)

    job = Killing([Item(f"f{n}.py", b"x = 1\n" * 100_000 if n == 2 else b"x = 1\n") for n in range(6)], batch=6)
    try:
        pool.run(job, lambda: None)
    finally:
        pool.close()
    assert sorted(job.accepted) == [f"f{n}.py" for n in range(6)]
    assert job.failed == {}


class Ending(Recording):
    """The worker that gets the second file is ended by a signal, so many times."""

    def __init__(self, pool: Pool, number: int, times: int) -> None:
        super().__init__(small(4), batch=1)
        self.pool, self.number, self.times = pool, number, times
        self.ended: list[int] = []

    def message(self, items: Sequence[Item]) -> Message:
        if items[0].path == "f1.py" and len(self.ended) < self.times:
            self.ended.extend(self.pool.processes())
            os.kill(self.ended[-1], self.number)
        return super().message(items)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("number", "times", "reason"),
    [
        pytest.param(signal.SIGSEGV, 1, "", id="once: what came before may have done it"),
        pytest.param(signal.SIGSEGV, 2, "ended the worker process (SIGSEGV)", id="alone in a fresh one too"),
        pytest.param(signal.SIGKILL, 2, "", id="killed from outside twice"),
        pytest.param(signal.SIGKILL, 9, "ended from outside (SIGKILL)", id="killed from outside each time"),
    ],
)
def test_a_file_is_named_only_when_it_ends_a_fresh_worker_alone(
    number: int, times: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphls.session.process.pool._PAUSES", (0.0,))
    pool = Pool(1)
    job = Ending(pool, number, times)
    try:
        pool.run(job, lambda: None)
        assert set(pool.processes()).isdisjoint(job.ended)
    finally:
        pool.close()
    named = ["f1.py"] if reason else []
    assert list(job.failed) == named
    assert all(reason in said for said in job.failed.values())
    assert sorted([*job.accepted, *job.failed]) == ["f0.py", "f1.py", "f2.py", "f3.py"]


def test_a_doubtful_answer_is_asked_for_again_in_a_fresh_worker() -> None:
    pool = Pool(1)
    asked: list[int] = []

    class Doubting(Recording):
        def doubtful(self, answer: Message) -> bool:
            asked.extend(pool.processes())
            return answer[0] == "f1.py"

    job = Doubting(small(4))
    try:
        pool.run(job, lambda: None)
    finally:
        pool.close()
    assert len(set(asked)) == 2
    assert sorted(job.accepted) == ["f0.py", "f1.py", "f2.py", "f3.py"]


class _SlowToStart(Worker):
    """Says when it begins to start, and goes on when it may."""

    begun: ClassVar[queue.Queue[int]] = queue.Queue()
    may = threading.Event()

    def __init__(self) -> None:
        self.begun.put(1)
        assert self.may.wait(120)
        super().__init__()


def test_who_waits_for_a_worker_that_starts_is_let_go_when_all_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(_SlowToStart):
        def __init__(self) -> None:
            self.begun.put(1)
            assert self.may.wait(120)
            raise WorkerError("ended meanwhile")

    monkeypatch.setattr("graphls.session.process.pool.Worker", Failing)
    Failing.may.clear()
    pool, job = Pool(2), Recording(small(3))

    def run() -> None:
        with contextlib.suppress(WorkerError):
            pool.run(job, lambda: None)

    pool.warm_up()
    for _ in range(2):
        Failing.begun.get(timeout=120)
    running = threading.Thread(target=run, daemon=True)
    running.start()
    while job.items:
        time.sleep(0.01)
    pool.close()
    running.join(60)
    ended = not running.is_alive()
    Failing.may.set()
    assert ended


def test_workers_that_warm_up_are_the_ones_that_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphls.session.process.pool.Worker", _SlowToStart)
    pool, job = Pool(2), Recording(small(11))
    try:
        pool.warm_up()
        for _ in range(2):  # neither waits for the other
            _SlowToStart.begun.get(timeout=120)
        _SlowToStart.may.set()
        pool.run(job, lambda: None)
        assert _SlowToStart.begun.empty()
    finally:
        pool.close()


def test_closing_ends_processes_in_the_midst_of_work() -> None:
    pool = Pool(1)

    class Closing(Recording):
        def accept(self, item: Item, answer: Message) -> None:
            pool.close()

    pool.run(Closing(small(30)), lambda: None)
    assert pool.processes() == ()


def test_a_worker_that_cannot_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(WorkerError, match="no worker process"):
        Worker()
    job = Recording(small(9))
    with pytest.raises(WorkerError):
        Pool(2).run(job, lambda: None)
    assert sorted(item.path for item in job.items) == sorted(item.path for item in small(9))


@pytest.mark.parametrize("data", [b"", b"\x01", b"\x04" + bytes(7), b"\xff" * 8, b"\x01" + bytes(7) + b"\xc1"])
def test_broken_frames_are_refused(data: bytes) -> None:
    with pytest.raises(BrokenFrameError):
        receive(BytesIO(data))


def test_frames_carry_messages() -> None:
    stream = BytesIO()
    send(stream, ("extract", (("a.py", b"\xff", 1),), "\udc80"))
    stream.seek(0)
    assert receive(stream) == ("extract", (("a.py", b"\xff", 1),), "\udc80")
