"""Work for which nobody waits: the share that it has, and the files that it leaves alone."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from graphls.compilers import background
from graphls.compilers.background import Background
from graphls.compilers.checkers import DESCRIPTIONS, Checker
from graphls.compilers.configuration import packages_read
from graphls.compilers.uncertain import uncertain_rows
from graphls.compilers.verifier import Verifier
from graphls.graph.idle_share import AT_ONCE, SHARE, IdleShare
from graphls.session.session import Session, SessionOptions
from graphls.settings import Settings
from graphls.sources.programs import child_environment
from graphls.sources.workspace import Workspace

FAKE = Path(__file__).parents[1] / "e2e" / "fake_checker.py"
DOUBT = "class C:\n    pass\n\ndef use(thing, other):\n    thing.member\n    other.second\n"
FILES = {"doubt.py": DOUBT, **{f"sure{number}.py": f"class C{number}:\n    pass\n" for number in range(9)}}


@pytest.mark.parametrize("by_others", [False, True], ids=["own work", "work of a server"])
def test_long_work_has_its_share_of_the_time(by_others: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, worked = [100.0], [0.0]
    monkeypatch.setattr("graphls.graph.idle_share.time.monotonic", lambda: clock[0])
    share = IdleShare(worked=(lambda: clock[0]) if by_others else (lambda: worked[0]))
    rests = 0.0
    for step in range(40_000):
        clock[0] += 0.002
        worked[0] += 0.002
        rest = share.pause()
        clock[0] += rest
        rests += rest
        if by_others and rest:
            share.resume()
        assert rest <= 0.5
        assert step * 0.002 > AT_ONCE or rest == 0
    assert SHARE * (80 + rests) < 80 < AT_ONCE + SHARE * (80 + rests) + 0.2


def _verifier(folder: Path) -> Verifier:
    command = (sys.executable, str(FAKE), "good", str(folder / "log"))
    checker = Checker(DESCRIPTIONS["ty"], command, child_environment({}), {}, "stamp")
    return Verifier(Workspace.of([str(folder)]), (checker,))


@pytest.mark.skipif(sys.platform == "win32", reason="the fake checker is a script")
def test_the_checker_rests_while_somebody_waits_for_any_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_LONGEST_ANSWER", 1000)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    session = Session(Workspace.of([str(tmp_path)]), Settings(), None, SessionOptions(link_all=True))
    session.start()
    verifier = _verifier(tmp_path)
    worker = Background(verifier, check_modules=False, is_answering=session.foreground.is_answering)
    try:
        assert session.wait("complete", 120)
        with session.foreground.answering():
            worker.work_on(session.snapshot())
            time.sleep(0.5)
            assert not verifier.overlay().files
        until = time.monotonic() + 60
        while not verifier.overlay().files and time.monotonic() < until:
            time.sleep(0.02)
        assert "doubt.py" in verifier.overlay().files
    finally:
        worker.stop()
        verifier.close()
        session.close()


@pytest.mark.skipif(sys.platform == "win32", reason="the fake checker is a script")
def test_files_without_uncertain_uses_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_SAMPLED", 1)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    session = Session(Workspace.of([str(tmp_path)]), Settings(), None, SessionOptions(link_all=True))
    session.start()
    try:
        assert session.wait("complete", 120)
        snapshot = session.snapshot()
        uncertain = {path for path in snapshot.files() if snapshot.may_be_uncertain(path)}
        counted = {
            path
            for path in snapshot.files()
            if uncertain_rows(snapshot.facts(path), snapshot.own_links(path), packages_read(path))
        }
        assert uncertain == counted == {"doubt.py"}
        verifier = _verifier(tmp_path)
        worker = Background(verifier, check_modules=False)
        worker.work_on(snapshot)
        assert worker.wait(120)
        worker.stop()
        verifier.close()
        assert "doubt.py" in verifier.overlay().files
        assert len(verifier.overlay().files) < len(FILES) / 2
    finally:
        session.close()
