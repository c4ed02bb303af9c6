"""Memory limit: a real server at its limit says so, answers what it can, and goes on once it may use more.

Owns: the whole way from the settings of a client to answers and status of a server process.
Must not know: what the server drops, how memory is measured.
Invariant: what a server says at its limit is partial and says so; after it, answers are those of a server without one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from e2e.lsp_workspace import TIMEOUT, Workspace
from fixture_text import Fixture

FILES = {
    "base.py": "class Base:\n    def run(self): return 1\n\ndef make(): return Base()\n",
    **{f"use{number}.py": "from base import make\n\ndef use(): return make().run()\n" for number in range(40)},
}


def _until(client: Workspace, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    end = time.monotonic() + TIMEOUT
    while True:
        status = client.ask("graph/status")
        if holds(status["session"]):
            return status
        assert time.monotonic() < end, status
        time.sleep(0.1)


def _limit(client: Workspace, megabytes: int) -> None:
    client.tell("workspace/didChangeConfiguration", settings={"graphls": {"server": {"memoryLimitMb": megabytes}}})


def test_a_server_at_its_limit_says_so_and_goes_on_when_it_may(tmp_path: Path) -> None:
    client = Workspace(tmp_path / "w", Fixture({path: text.encode() for path, text in FILES.items()}, (), None))
    try:
        client.ready()
        whole = client.ask("graph/impact", symbol="base:make")
        assert (whole["complete"], len(whole["affected"])) == (True, 40)

        _limit(client, 1)
        status = _until(client, lambda session: session["memory"]["short"])
        assert status["session"]["memory"]["bytes"] > status["session"]["memory"]["limit"] == 1_000_000
        assert status["session"]["memory"]["drops"] > 0
        assert any("memory limit (1 MB" in problem for problem in status["session"]["problems"])
        part = client.ask("graph/impact", symbol="base:make")
        # An answer that was cut says why; there is none that is whole by chance: nothing is left of the first one.
        assert "memory_limit" in {cause["cause"] for cause in part["causes"]}
        assert (part["complete"], part["next"]["kind"]) == (False, "inspect")

        _limit(client, 100_000)
        status = _until(client, lambda session: not session["memory"]["short"] and session["stage"] == "complete")
        assert not any("memory" in problem for problem in status["session"]["problems"])
        again = client.ask("graph/impact", symbol="base:make")
        assert (again["complete"], again["affected"]) == (True, whole["affected"])
    finally:
        client.close()
