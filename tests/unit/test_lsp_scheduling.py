"""Scheduling: lanes that several threads give work to.

Owns: the first job of a lane, put by two threads in the same moment; requests behind background work.
Must not know: requests, what jobs do.
Invariant: jobs of one lane never overlap.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import cast

import pytest

from graphls.lsp.protocol import scheduling
from graphls.lsp.protocol.features import SessionLike
from graphls.lsp.protocol.scheduling import CancelToken, Kind, MustWait, Scheduler
from graphls.lsp.protocol.server import _at_once  # pyright: ignore[reportPrivateUsage]

BUSY = 120.0


def test_a_lane_has_one_thread_whoever_puts_the_first_job(monkeypatch: pytest.MonkeyPatch) -> None:
    lanes: list[str] = []
    other_came = threading.Event()

    class Slow(threading.Thread):
        def __init__(self, *, target: Callable[[], None], name: str, daemon: bool) -> None:
            super().__init__(target=target, name=name, daemon=daemon)
            lanes.append(name)
            if len(lanes) > 1:
                other_came.set()
            other_came.wait(1)

    scheduler, done = Scheduler(), threading.Semaphore(0)
    putting = [threading.Thread(target=scheduler.submit, args=("read", done.release), daemon=True) for _ in range(2)]
    monkeypatch.setattr(scheduling.threading, "Thread", Slow)
    for one in putting:
        one.start()
    for one in putting:
        one.join(BUSY)
    assert all(done.acquire(timeout=BUSY) for _ in putting)
    scheduler.close()
    assert lanes == ["graphls-read"]


@pytest.mark.parametrize("kind", ["quick", "read", "long"])
def test_no_request_queues_behind_background_work(kind: Kind) -> None:
    """It gives way to requests between its steps: a request behind it would wait for many times its cost."""
    scheduler = Scheduler()
    running, answered, released = threading.Event(), threading.Event(), threading.Event()

    def rules() -> None:
        running.set()
        released.wait(BUSY)

    scheduler.submit_background(rules)
    try:
        assert running.wait(BUSY)
        scheduler.submit(kind, answered.set)
        assert answered.wait(BUSY)
    finally:
        released.set()
        scheduler.close()


@pytest.mark.parametrize("kind", ["quick", "read", "long"])
def test_no_request_queues_behind_one_that_waits_for_a_file(kind: Kind) -> None:
    _assert_not_behind("slow", kind)


def test_no_hover_queues_behind_a_list_of_many_files() -> None:
    _assert_not_behind("read", "quick")


def _assert_not_behind(first: Kind, kind: Kind) -> None:
    scheduler = Scheduler()
    answered, released = threading.Event(), threading.Event()
    scheduler.submit(first, partial(_wait, released))
    try:
        scheduler.submit(kind, answered.set)
        assert answered.wait(BUSY)
    finally:
        released.set()
        scheduler.close()


def _wait(event: threading.Event) -> None:
    event.wait(BUSY)


class _Slow:
    """A session one of whose files is slow to read."""

    def is_slow(self, about: str | None = None) -> bool:
        return about is None


def test_a_snapshot_is_never_waited_for_where_others_queue() -> None:
    """Edits may come after the request was scheduled: it begins anew in the lane of what waits."""
    session = cast("SessionLike[int]", _Slow())
    assert _at_once(session, "file:///other.py", lambda: 1) == 1
    with pytest.raises(MustWait):
        _at_once(session, None, lambda: pytest.fail("a lane waits"))


def test_who_gives_way_waits_until_the_answer_is_sent_but_not_for_ever() -> None:
    looks = iter((True, True, False))
    scheduler = Scheduler()
    step = scheduler.give_way(CancelToken(), lambda: next(looks))
    step()
    assert next(looks, None) is None
    waiting = scheduler.give_way(CancelToken(), lambda: True)
    before = time.monotonic()
    waiting()
    assert 0.1 < time.monotonic() - before < BUSY
    scheduler.close()


def test_a_long_request_gives_way_to_a_short_one_but_not_for_ever() -> None:
    scheduler, begun, end, ended = Scheduler(), threading.Event(), threading.Event(), threading.Event()

    def short() -> None:
        begun.set()
        end.wait(BUSY)
        ended.set()

    cancel = CancelToken()
    step = scheduler.give_way(cancel)
    step()  # nobody waits
    scheduler.submit("quick", short)
    assert begun.wait(BUSY)
    for waits in (True, False):  # a short one may wait for what the long one makes
        time.sleep(0.01)
        before = time.monotonic()
        step()
        assert (time.monotonic() - before > 0.1) == waits
    end.set()
    assert ended.wait(BUSY)
    scheduler.close()
