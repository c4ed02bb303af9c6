"""Checker processes: started when needed, restarted, bounded, and never left behind.

Owns: what a session can see of a server that hangs, dies, is old, is too large or talks nonsense.
Must not know: what answers mean.
Invariant: whatever the server does, every question ends and the status says why.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import attrs
import pytest

from graphls.compilers.background import Background
from graphls.compilers.checkers import DESCRIPTIONS, Checker
from graphls.compilers.connection import Connection
from graphls.compilers.status import CheckerState
from graphls.compilers.uncertain import uncertain_rows
from graphls.compilers.upstream import CheckerLimits, CheckerServer
from graphls.compilers.verifier import SiteVerification, Verifier
from graphls.compilers.wire import Json
from graphls.session.memory import snapshot_of
from graphls.sources.programs import child_environment
from graphls.sources.workspace import Workspace

FAKE = Path(__file__).with_name("fake_checker.py")
TEXT = "class C:\n    pass\n\ndef use(thing, other):\n    thing.member\n    other.second\n"
LONG = 120_000


class Bench:
    """A workspace of one file with a fake checker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.root = folder / "root"
        self.root.mkdir()
        (self.root / "a.py").write_text(TEXT)
        self.snapshot = snapshot_of({"a.py": TEXT})
        self.made: list[Verifier] = []

    def verifier(self, mode: str, sections: Mapping[str, Json] | None = None, **limits: float) -> Verifier:
        command = (sys.executable, str(FAKE), mode, str(self.log))
        checker = Checker(DESCRIPTIONS["ty"], command, child_environment({}), sections or {}, "stamp")
        made = Verifier(Workspace.of([str(self.root)]), (checker,), CheckerLimits(**limits))
        self.made.append(made)
        return made

    def settle(self, verifier: Verifier, budget: float = LONG) -> SiteVerification:
        return verifier.verify_file(self.snapshot, "a.py", budget)

    def methods(self) -> list[str]:
        return [json.loads(line)["method"] for line in self.log.read_text().splitlines()]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    for verifier in made.made:
        verifier.close()


def until(condition: Callable[[], bool], seconds: float = 120.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def test_nothing_starts_before_it_is_needed(bench: Bench) -> None:
    verifier = bench.verifier("good")
    assert verifier.status()[0].state is CheckerState.IDLE
    assert not bench.log.exists()


def test_answers(bench: Bench) -> None:
    verifier = bench.verifier("good")
    settled = bench.settle(verifier)
    assert (settled.uncertain, settled.answered, settled.left_out, settled.reason) == (2, 2, 0, "")
    status = verifier.status()[0]
    assert (status.state, status.version, status.problem) == (CheckerState.READY, "9.9.9", "")


def test_settings_that_cannot_be_changed_are_sent(bench: Bench) -> None:
    """clangd was "starting" for ever: those of a checker that has none are such a mapping."""
    verifier = bench.verifier("good", MappingProxyType({"ty": MappingProxyType({"a": 1})}))
    assert verifier.wait_ready(LONG / 1000)
    assert bench.settle(verifier).answered == 2
    (sent,) = [json.loads(line) for line in bench.log.read_text().splitlines() if "didChangeConfiguration" in line]
    assert sent["params"] == {"settings": {"ty": {"a": 1}}}


def test_a_fault_of_graphls_while_it_starts_is_said(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(CheckerServer, "_open_for_questions", broken)
    settled = bench.settle(bench.verifier("good"))
    assert "graphls met a fault" in settled.reason


def test_same_question_is_not_put_twice(bench: Bench) -> None:
    verifier = bench.verifier("good")
    bench.settle(verifier)
    bench.settle(verifier)
    assert bench.methods().count("textDocument/definition") == 2


def test_budget_is_kept_and_what_it_left_out_is_said(bench: Bench) -> None:
    verifier = bench.verifier("hang")
    started = time.monotonic()
    settled = bench.settle(verifier, 1_000)
    assert time.monotonic() - started < 20  # a hanging checker is given up after 30 seconds
    assert (settled.answered, settled.left_out) == (0, 2)
    assert "1000 ms" in settled.reason
    assert len(settled.snapshot.links("a.py").unresolved.occurrence) == 2


def test_no_answer_is_no_empty_answer(bench: Bench) -> None:
    verifier = bench.verifier("hang")
    bench.settle(verifier, 200)
    assert verifier.overlay().files["a.py"].rows == {}


def test_complaints_without_end_hold_nothing_up(bench: Bench) -> None:
    verifier = bench.verifier("flood")
    assert (bench.settle(verifier).left_out, len(bench.methods()) > 2) == (0, True)
    assert verifier.status()[0].state is CheckerState.READY


def test_hanging_server_is_ended(bench: Bench) -> None:
    verifier = bench.verifier("hang", silence_seconds=0.5)
    settled = bench.settle(verifier)
    assert settled.left_out == 2
    assert "did not answer" in settled.reason
    assert verifier.status()[0].restarts == 1


def test_crash_is_named_and_followed_by_a_pause(bench: Bench) -> None:
    verifier = bench.verifier("crash", first_pause=600)
    settled = bench.settle(verifier)
    status = verifier.status()[0]
    assert settled.left_out == 2
    assert status.state is CheckerState.WAITING
    assert "status 3" in status.problem
    assert bench.settle(verifier).reason == status.problem
    assert bench.methods().count("initialize") == 1


def test_restart_after_the_pause_and_end_of_patience(bench: Bench) -> None:
    verifier = bench.verifier("crash", first_pause=0.01, longest_pause=0.02, most_failures=3)
    for _ in range(6):
        bench.settle(verifier)
        time.sleep(0.05)
    assert verifier.status()[0].state is CheckerState.FAILED
    assert bench.methods().count("initialize") == 3


@pytest.mark.parametrize(("mode", "words"), [("old", "too old"), ("refuse", "no idea")])
def test_reason_reaches_the_answer(bench: Bench, mode: str, words: str) -> None:
    settled = bench.settle(bench.verifier(mode))
    assert (settled.answered, settled.left_out) == (0, 2)
    assert words in settled.reason or words in bench.made[0].status()[0].problem


def test_server_that_never_starts(bench: Bench) -> None:
    settled = bench.settle(bench.verifier("deaf", start_seconds=0.5))
    assert settled.left_out == 2
    assert bench.made[0].status()[0].state is CheckerState.WAITING


def test_nonsense_ends_the_server(bench: Bench) -> None:
    verifier = bench.verifier("garbage", first_pause=600)
    bench.settle(verifier)
    assert until(lambda: verifier.status()[0].state is CheckerState.WAITING)


def test_an_end_right_after_the_first_answer_is_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    welcome = CheckerServer._welcome

    def late(upstream: CheckerServer, connection: Connection, answer: Mapping[str, Json]) -> None:
        assert until(lambda: bool(connection.ended))
        welcome(upstream, connection, answer)

    monkeypatch.setattr(CheckerServer, "_welcome", late)
    verifier = bench.verifier("garbage", first_pause=600)
    assert bench.settle(verifier).left_out == 2
    assert verifier.status()[0].state is CheckerState.WAITING


def test_overtaken_question_is_put_again(bench: Bench) -> None:
    settled = bench.settle(bench.verifier("again"))
    assert (settled.answered, settled.left_out) == (2, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_limit(bench: Bench) -> None:
    verifier = bench.verifier("large", memory_bytes=200_000_000, first_pause=600)
    bench.settle(verifier)
    assert until(lambda: "memory" in verifier.status()[0].problem)


def test_idle_server_is_stopped_and_comes_back(bench: Bench) -> None:
    verifier = bench.verifier("good", idle_seconds=0.1)
    bench.settle(verifier)
    assert until(lambda: verifier.status()[0].state is CheckerState.IDLE)
    other = snapshot_of({"a.py": TEXT + "    other.third\n"})
    assert verifier.verify_file(other, "a.py", LONG).left_out == 0


def test_missing_program(bench: Bench) -> None:
    checker = Checker(DESCRIPTIONS["ty"], (str(bench.folder / "nothing"),), child_environment({}), {}, "stamp")
    verifier = Verifier(Workspace.of([str(bench.root)]), (checker,))
    assert bench.settle(verifier).left_out == 2
    assert verifier.status()[0].problem


PARENT = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1]]
import test_checker_process as t
bench = t.Bench(Path(sys.argv[2]))
verifier = bench.verifier(sys.argv[3])
bench.settle(verifier, 3000 if sys.argv[3] == "hang" else t.LONG)
assert t.until(lambda: verifier.client.pids()[0] != 0)
sys.stdout.write(f"{verifier.client.pids()[0]}\\n")
sys.stdout.flush()
if sys.argv[4] == "wait":
    sys.stdin.read()
"""


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc")
@pytest.mark.parametrize("mode", ["good", "hang", "stubborn"])
@pytest.mark.parametrize("end", ["kill", "exit"])
def test_no_server_outlives_its_parent(tmp_path: Path, mode: str, end: str) -> None:
    arguments = [str(Path(__file__).parent), str(tmp_path), mode, "wait" if end == "kill" else "exit"]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout
    pid = int(parent.stdout.readline())
    if end == "kill":
        assert is_alive(pid)
        os.kill(parent.pid, signal.SIGKILL)
    parent.wait(120)
    ended = until(lambda: not is_alive(pid))
    if not ended:
        os.kill(pid, signal.SIGKILL)
    assert ended
    parent.stdout.close()
    assert parent.stdin
    parent.stdin.close()


def test_server_that_reads_open_files_only_gets_them_open(bench: Bench) -> None:
    command = (sys.executable, str(FAKE), "good", str(bench.log))
    checker = Checker(DESCRIPTIONS["pyright"], command, child_environment({}), {}, "stamp")
    verifier = Verifier(Workspace.of([str(bench.root)]), (checker,))
    bench.made.append(verifier)
    assert bench.settle(verifier).left_out == 0
    methods = bench.methods()
    assert methods.count("textDocument/didOpen") == 1
    assert methods.index("textDocument/didOpen") < methods.index("textDocument/definition")


@pytest.mark.parametrize("wavers", [True, False])
def test_a_checker_that_wavers_is_asked_in_the_order_of_the_text(bench: Bench, wavers: bool) -> None:
    """Somebody asks about the later place first; then all is settled."""
    command = (sys.executable, str(FAKE), "waver", str(bench.log))
    checker = Checker(
        attrs.evolve(DESCRIPTIONS["ty"], order_sensitive=wavers), command, child_environment({}), {}, "stamp"
    )
    verifier = Verifier(Workspace.of([str(bench.root)]), (checker,))
    bench.made.append(verifier)
    rows = uncertain_rows(bench.snapshot.facts("a.py"), bench.snapshot.own_links("a.py"))
    assert len(rows) == 2
    for row in reversed(rows):
        assert verifier.verify(bench.snapshot, (("a.py", row),), LONG).left_out == 0
    assert len(verifier.verified(bench.snapshot).links("a.py").unresolved.occurrence) == 1
    background = Background(verifier)
    background.work_on(bench.snapshot)
    assert background.wait(LONG)
    background.stop()
    left = verifier.verified(bench.snapshot).links("a.py").unresolved.occurrence
    assert (len(left) == 0) is wavers
    assert verifier.overlay().files["a.py"].sequential is wavers


def test_a_file_that_was_asked_about_in_turn_is_left_alone(bench: Bench) -> None:
    command = (sys.executable, str(FAKE), "waver", str(bench.log))
    checker = Checker(
        attrs.evolve(DESCRIPTIONS["ty"], order_sensitive=True), command, child_environment({}), {}, "stamp"
    )
    verifier = Verifier(Workspace.of([str(bench.root)]), (checker,))
    bench.made.append(verifier)
    asked: list[int] = []
    for _ in range(2):
        background = Background(verifier)
        background.work_on(bench.snapshot)
        assert background.wait(LONG)
        background.stop()
        asked.append(bench.methods().count("textDocument/definition"))
    assert asked[0] == asked[1] > 0
