"""Verifying: a session's checker, asked for what answers need.

Owns: what an answer says of its verification whatever the checker does; that single places link no file.
Must not know: real checkers, faces.
Invariant: every answer comes within its budget, and a checker that does not answer is named in it.
"""

from __future__ import annotations

import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

from graphls.compilers.status import CheckerState
from graphls.facts.paths import FilePath
from graphls.graph.edges import edges_of
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.verification import VerificationResult
from graphls.queries.answer import answer
from graphls.session.session import Session, SessionOptions
from graphls.session.verifying import CheckerService
from graphls.settings import Settings, merge
from graphls.sources.workspace import Workspace

FAKE = Path(__file__).parents[1] / "e2e" / "fake_checker.py"
TEXT = "class C:\n    pass\n\ndef use(thing, other):\n    thing.member\n    other.second\n"
A = FilePath("a.py")
MEMBER, CERTAIN = TEXT.index("member"), TEXT.index("C:")
PATIENT = 120_000.0
BUSY = 120.0
"""Seconds within which also a busy machine comes to a state."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake checker is a script")


def program(folder: Path, mode: str) -> str:
    """An executable that speaks like a checker of this mood."""
    path = folder / f"checker-{mode}"
    path.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{FAKE}' {mode} '{folder / 'log'}'\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def settings(path: str = "", **checker: object) -> Settings:
    return attrs.evolve(Settings(), checker=attrs.evolve(Settings().checker, path=path, **checker))


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[Settings], Session]]:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text(TEXT)
    made: list[Session] = []

    def start(chosen: Settings, *, link_all: bool = False) -> Session:
        options = SessionOptions(link_all=link_all, checker=True, upgrade=False)
        made.append(Session(Workspace.of([str(root)]), chosen, None, options))
        made[-1].start()
        assert made[-1].wait("complete" if link_all else "ready", BUSY)
        return made[-1]

    yield start
    for session in made:
        session.close()


def said(snapshot: Snapshot) -> VerificationResult:
    assert snapshot.verification_result is not None
    return snapshot.verification_result


def test_without_a_wish_for_a_checker_snapshots_are_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    session = Session(Workspace.of([str(tmp_path)]), Settings())
    session.start()
    assert session.wait("ready", BUSY)
    snapshot = session.snapshot()
    assert session.checker_service.at(snapshot, A, MEMBER) is snapshot
    assert answer(snapshot).verification is None
    assert session.checker_service.status() == ()
    session.close()


def test_switched_off_is_said(opened: Callable[[Settings], Session]) -> None:
    session = opened(settings(enabled=False))
    seen = session.checker_service.at(session.snapshot(), A, MEMBER)
    assert said(seen) == VerificationResult(0, None, "checking is switched off by the setting checker.enabled")
    assert answer(seen).verification == said(seen)


def test_a_missing_program_is_said(opened: Callable[[Settings], Session], tmp_path: Path) -> None:
    session = opened(settings(str(tmp_path / "nothing")))
    assert "no executable file" in said(session.checker_service.at(session.snapshot(), A, MEMBER)).reason
    assert [status.state for status in session.checker_service.status()] == [CheckerState.MISSING]


def test_a_repository_names_no_program() -> None:
    chosen, problems = merge({"checker": {"path": "/bin/sh"}}, {}, trusted=False)
    assert chosen.checker.path == ""
    assert [problem.key for problem in problems] == ["checker.path"]


def test_nobody_waits_for_a_checker_that_is_starting(opened: Callable[[Settings], Session], tmp_path: Path) -> None:
    session = opened(settings(program(tmp_path, "deaf"), budget_ms=60_000))
    began = time.monotonic()
    settled = said(session.checker_service.at(session.snapshot(), A, MEMBER))
    assert time.monotonic() - began < 30
    assert settled == VerificationResult(0, 1, "ty is starting")


def test_a_place_is_settled_without_linking_its_file(opened: Callable[[Settings], Session], tmp_path: Path) -> None:
    session = opened(settings(program(tmp_path, "good")))
    snapshot = session.snapshot()
    assert session.checker_service.wait_ready(BUSY)
    seen = session.checker_service.verify(snapshot, [(A, lambda: (row_at(snapshot, MEMBER),))], PATIENT)
    assert said(seen) == VerificationResult(1, 0, "")
    (target,) = seen.targets(A, row_at(seen, MEMBER))
    assert target.place == SymbolRef(A, 0)
    assert list(session.work.linked) == []
    # What was said of one state of the workspace says nothing about the next.
    session.change(A, b"# more\n" + TEXT.encode())
    later = session.checker_service.verified(session.snapshot())
    assert later.targets(A, row_at(later, MEMBER + 7)) == ()


def test_a_certain_place_is_not_asked_about(opened: Callable[[Settings], Session], tmp_path: Path) -> None:
    session = opened(settings(program(tmp_path, "good")))
    assert said(session.checker_service.at(session.snapshot(), A, CERTAIN)) == VerificationResult()


def test_edges_say_who_vouches_for_them(opened: Callable[..., Session], tmp_path: Path) -> None:
    session = opened(settings(program(tmp_path, "good")), link_all=True)
    snapshot = session.snapshot()
    assert session.checker_service.wait_ready(BUSY)
    use = next(row for row in range(9) if text_of(snapshot, row) == "use")
    seen = session.checker_service.near(snapshot, (SymbolRef(A, use),), "out", budget_ms=PATIENT)
    assert said(seen) == VerificationResult(2, 0, "")
    known = {
        (edge.kind, edge.provenance) for edge in edges_of(seen, SymbolRef(A, use)) if edge.target == SymbolRef(A, 0)
    }
    assert known == {("references", "compiler_unchecked")}
    session.checker_service.upgrade(snapshot)
    assert session.checker_service.wait(BUSY)
    seen = session.checker_service.near(snapshot, (SymbolRef(A, use),), "out")
    known = {
        (edge.kind, edge.provenance) for edge in edges_of(seen, SymbolRef(A, use)) if edge.target == SymbolRef(A, 0)
    }
    assert known == {("references", "compiler_checked")}
    assert said(seen) == VerificationResult()


def test_a_language_without_a_checker_leaves_nothing_open_in_another(
    opened: Callable[..., Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "root" / "b.ts").write_text("export function use(thing: any) { thing.member(); }\n")
    session = opened(settings(program(tmp_path, "good")), link_all=True)
    snapshot, other = session.snapshot(), FilePath("b.ts")
    assert session.checker_service.wait_ready(BUSY) or session.checker_service.status(snapshot)
    session.checker_service.upgrade(snapshot)
    assert session.checker_service.wait(BUSY)
    for depth in (1, 2):
        for direction in ("in", "out", "both"):
            use = SymbolRef(A, next(row for row in range(9) if text_of(snapshot, row) == "use"))
            assert said(session.checker_service.near(snapshot, (use,), direction, depth)) == VerificationResult()
        open_yet = said(session.checker_service.near(snapshot, (SymbolRef(other, 0),), "out", depth))
        assert open_yet.left_out
        assert "tsc is not installed" in open_yet.reason


@pytest.mark.parametrize(
    ("mode", "reason"), [("hang", "more than"), ("crash", "it ended with status 3"), ("refuse", "no idea")]
)
def test_a_checker_in_trouble_is_named(
    opened: Callable[[Settings], Session], tmp_path: Path, mode: str, reason: str
) -> None:
    # What ends by itself is waited for, so that the machine's pace does not decide which reason is named.
    session = opened(settings(program(tmp_path, mode), budget_ms=500 if mode == "hang" else 60_000))
    assert session.checker_service.wait_ready(BUSY)
    began = time.monotonic()
    settled = said(session.checker_service.at(session.snapshot(), A, MEMBER))
    assert time.monotonic() - began < 20  # a hanging checker is given up after 30 seconds
    assert settled.left_out == 1
    assert reason in settled.reason


def test_other_settings_end_the_checker(opened: Callable[[Settings], Session], tmp_path: Path) -> None:
    session = opened(settings(program(tmp_path, "good")))
    assert session.checker_service.wait_ready(BUSY)
    session.checker_service.renew(settings(enabled=False))
    statuses = session.checker_service.status(session.snapshot())
    assert [status.state for status in statuses] == [CheckerState.OFF]
    assert isinstance(session.checker_service, CheckerService)


def row_at(snapshot: Snapshot, offset: int) -> int:
    return snapshot.facts(A).occurrences.start.index(offset)


def text_of(snapshot: Snapshot, row: int) -> str:
    facts = snapshot.facts(A)
    return facts.strings[facts.definitions.name[row]] if row < len(facts.definitions) else ""
