"""Announcing: what is sent unasked, by two lanes at once.

Owns: the order in which a client is told of findings.
Must not know: the protocol, the rules.
Invariant: what a client was told last is what is known last.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from pathlib import Path
from types import SimpleNamespace

import pytest
from lsprotocol import types

from graphls.facts.paths import FilePath
from graphls.lsp import announcements
from graphls.lsp.announcements import Announcer
from graphls.lsp.findings import FindingsCache
from graphls.lsp.server_session import ServerSession
from graphls.lsp.to_proto import ToProto

TEXT = "def _forgotten():\n    pass\n"
BUSY = 120.0


def test_an_earlier_list_does_not_arrive_after_a_later_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules are done while the other lane, which has read that there are no findings, does not run."""
    (tmp_path / "a.py").write_text(TEXT)
    sent: list[types.PublishDiagnosticsParams] = []
    reads, goes_on = threading.Event(), threading.Event()
    real = announcements.diagnostics

    def held(
        proto: ToProto, known: FindingsCache, uri: str, path: FilePath, off: Collection[str] = ()
    ) -> list[types.Diagnostic]:
        found = real(proto, known, uri, path, off)
        if not reads.is_set():
            reads.set()
            assert goes_on.wait(BUSY)
        return found

    monkeypatch.setattr(announcements, "diagnostics", held)
    bench = ServerSession([tmp_path.as_uri()], {"cache": {"enabled": False}, "checker": {"enabled": False}})
    protocol = SimpleNamespace(notify=lambda _, params: sent.append(params), send_request=lambda *_: None)
    server = SimpleNamespace(capabilities=types.ClientCapabilities(), encoding="utf-16", protocol=protocol)
    announcer = Announcer(server, bench)  # pyright: ignore[reportArgumentType]
    try:
        bench.open((tmp_path / "a.py").as_uri(), 1, TEXT, "python")
        assert bench.session.wait("complete", BUSY)
        lanes = [threading.Thread(target=one, daemon=True) for one in (announcer._push, announcer._run_rules)]
        lanes[0].start()
        assert reads.wait(BUSY)
        lanes[1].start()
        lanes[1].join(1)
        goes_on.set()
        for lane in lanes:
            lane.join(BUSY)
    finally:
        bench.close()
    assert [[found.code for found in one.diagnostics] for one in sent] == [[], ["maintainability.unused_definition"]]


def test_the_rules_are_background_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They give way to requests: one that queued behind them would wait for many times their cost."""
    (tmp_path / "a.py").write_text(TEXT)
    submitted, scheduler = threading.Event(), SimpleNamespace()
    scheduler.submit_background = lambda _: submitted.set()
    monkeypatch.setattr(announcements, "LATER", 0.0)
    state = ServerSession([tmp_path.as_uri()], {"cache": {"enabled": False}, "checker": {"enabled": False}})
    protocol = SimpleNamespace(notify=lambda *_: None, send_request=lambda *_: None, scheduler=scheduler)
    server = SimpleNamespace(capabilities=types.ClientCapabilities(), encoding="utf-16", protocol=protocol)
    try:
        announcer = Announcer(server, state)  # pyright: ignore[reportArgumentType]
        announcer._later.call()
        assert submitted.wait(BUSY)
    finally:
        state.close()
