"""Memory limit: when things are dropped, that answers stay the same, and what a server at its limit says."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import attrs
import pytest

from graphls.graph.export import ExportOptions, export
from graphls.graph.request_budget import limited
from graphls.graph.snapshot import Snapshot
from graphls.queries.answer import answer
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.process.memory_guard import MemoryGuard
from graphls.session.session import Session, SessionOptions
from graphls.session.state import SessionState
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over, write

FILES = {
    "a.py": "class A:\n    def run(self): return 1\n\ndef make(): return A()\n",
    **{f"b{n}.py": "from a import make\n\ndef use(): return make().run()\n" for n in range(12)},
    "notes.txt": "make\n",
}


class _Process:
    """A process whose memory the test sets."""

    def __init__(self, droppable: int = 0) -> None:
        self.used, self.droppable, self.now, self.drops = 0, droppable, 0.0, 0

    def drop(self) -> None:
        self.drops += 1
        self.used -= self.droppable

    def guard(self) -> MemoryGuard:
        return MemoryGuard(lambda: 1_000, self.drop, lambda: self.used, lambda: self.now)

    def at(self, guard: MemoryGuard, used: int) -> bool:
        self.now += 1
        self.used = used
        return guard.is_short()


def test_near_the_limit_things_are_dropped() -> None:
    process = _Process(droppable=500)
    guard = process.guard()
    assert not process.at(guard, 800)
    assert process.drops == 0
    assert not process.at(guard, 900)
    assert process.drops == 1
    assert process.used == 400


def test_who_has_nothing_to_drop_is_short_at_the_limit_and_drops_anew_only_when_grown() -> None:
    process = _Process()
    guard = process.guard()
    assert [process.at(guard, used) for used in (900, 910, 920, 999)] == [False] * 4
    assert process.drops == 2
    assert process.at(guard, 1_000)
    assert process.drops == 2
    assert process.at(guard, 1_050)
    assert process.drops == 3
    assert not process.at(guard, 700)


def test_memory_is_looked_at_now_and_then() -> None:
    process = _Process()
    guard = process.guard()
    assert not process.at(guard, 100)
    process.used = 2_000
    assert not guard.is_short()
    process.now += 1
    assert guard.is_short()


def test_no_limit_is_never_reached() -> None:
    process = _Process()
    assert not MemoryGuard(lambda: 0, process.drop, lambda: 10**15, lambda: 1.0).is_short()
    assert process.drops == 0


def _lines(snapshot: Snapshot) -> list[bytes]:
    return list(export(snapshot, ExportOptions(mode="allow-errors")).lines())


def test_what_was_dropped_is_made_again(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    for store in (None, BlobStore(StoreOptions(str(tmp_path / "cache")))):
        with session_over(tmp_path / "w", store) as session:
            before = _lines(session.snapshot())
            found = impact(session.snapshot(), ImpactQuery(one_symbol(session.snapshot(), "a:make")))
            session.server_limits.drop_values()
            assert _lines(session.snapshot()) == before
            session.server_limits.drop_values()
            again = impact(session.snapshot(), ImpactQuery(one_symbol(session.snapshot(), "a:make")))
            assert again == found
            session.server_limits.drop_values()
            (tmp_path / "w" / "b3.py").write_text("from a import make\n\ndef other(): return make()\n")
            session.rescan()
            assert session.wait("complete", 60)
            edited = _lines(session.snapshot())
        with session_over(tmp_path / "w") as session:
            assert _lines(session.snapshot()) == edited
        write(tmp_path / "w", FILES)


def test_a_server_at_its_limit_answers_what_it_can(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    settings = Settings()
    small = attrs.evolve(settings, server=attrs.evolve(settings.server, memory_limit_mb=1))
    with session_over(tmp_path, options=SessionOptions(look=True)) as session:
        snapshot = session.snapshot()
        query = ImpactQuery(one_symbol(snapshot, "a:make"))
        whole = impact(snapshot, query)
        session.configure(small)
        assert session.server_limits.is_memory_short()
        assert session.server_limits.condition()["short"]
        with limited(session.server_limits.request_budget()):
            part = impact(snapshot, query)
            said = answer(snapshot, part.coverage)
        assert set(part.affected) <= set(whole.affected)
        assert "memory_limit" in {str(gap.cause) for gap in said.causes}
        assert not said.complete
        # Who works without a server's limits is told all, also of what was dropped.
        assert impact(snapshot, query) == whole
        session.configure(settings)
        assert session.wait("complete", 60)
        assert impact(session.snapshot(), query) == whole
        assert "memory" not in session.problems


def test_a_server_that_starts_at_its_limit_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, FILES)
    settings = Settings()
    small = attrs.evolve(settings, server=attrs.evolve(settings.server, memory_limit_mb=1))
    said = threading.Event()
    session = Session(Workspace.of([str(tmp_path)]), small, options=SessionOptions(look=True))
    report = SessionState.report_problem

    def noted(state: SessionState, what: str, problem: str) -> None:
        report(state, what, problem)
        said.set()

    monkeypatch.setattr(SessionState, "report_problem", noted)
    session.start()
    try:
        assert said.wait(60)
        assert "memory limit (1 MB" in session.problems["memory"]
        # The walk comes later than the word: until then the whole folder is pending.
        end = time.monotonic() + 60
        while time.monotonic() < end and not set(FILES) - {"notes.txt"} <= {*session.snapshot().pending}:
            assert session.snapshot().pending
            time.sleep(0.01)
        assert set(FILES) - {"notes.txt"} <= {*session.snapshot().pending}
    finally:
        session.close()


def test_a_command_has_no_limit(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    settings = Settings()
    small = attrs.evolve(settings, server=attrs.evolve(settings.server, memory_limit_mb=1))
    with session_over(tmp_path) as session:
        session.configure(small)
        assert not session.server_limits.is_memory_short()
