"""What an agent did besides asking graphls: taken in whole or not at all, summed up in the snapshot of its session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphls.analysis.findings import FindingSet, findings
from graphls.graph.errors import BadRequest
from graphls.session.agent_snapshot import agent_snapshot
from graphls.session.memory import snapshot_of
from graphls.session.session_events import EventTransform, SessionEvents
from graphls.settings import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

CALL = {
    "kind": "tool_call", "provider": "acme", "model": "m", "tool": "shell", "target": "a.py", "direction": "out",
    "bytes": 12, "tokens_in": 3, "time": 7,
}  # fmt: skip
CUT = {"kind": "truncation", "bytes": 90, "transforms": [{"name": "head", "reason": "long", "bytes_removed": 40}]}


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(StoreOptions(str(tmp_path / "cache")))


def test_events_come_back_newest_first_with_their_sums(store: BlobStore, tmp_path: Path) -> None:
    events = SessionEvents(store, Workspace.of([str(tmp_path)]))
    assert events.take_in(["", json.dumps(CALL), json.dumps({**CUT, "session": "two", "time": 9})], "one") == 2
    first, second = events.entries()
    assert (first.kind, first.session, first.transforms) == (
        "truncation", "two", (EventTransform(name="head", reason="long", bytes_removed=40),),
    )  # fmt: skip
    assert (second.tool, second.session, second.time, second.bytes) == ("shell", "one", 7, 12)
    assert [one.kind for one in events.entries(kind="tool_call")] == ["tool_call"]
    totals = events.totals("two")
    assert (totals.events, totals.bytes, totals.bytes_removed, totals.denials) == (1, 90, 40, 0)
    assert SessionEvents(store, Workspace.of([str(tmp_path / "other")])).entries() == ()
    assert (events.prune(30), events.prune(0)) == (0, 2)
    assert events.entries() == ()
    events.take_in([json.dumps(CALL)], "one")
    assert events.erase() == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "no JSON"), ("[]", "no object"), ('{"kind": "nap"}', "'nap' is no kind"), ("{}", "Line 2 is no event"),
        ('{"kind": "tool_call", "text": "secret"}', "text"),
        ('{"kind": "tool_call", "bytes": -1}', "'-1' is no number"),
        ('{"kind": "tool_call", "tool": 3}', "'3' is no text"), ('{"kind": "tool_call", "session": ""}', "no session"),
        ('{"kind": "tool_call", "transforms": [{"reason": "x"}]}', "no event"),
    ],
)  # fmt: skip
def test_one_line_that_is_no_event_keeps_all_out(store: BlobStore, tmp_path: Path, line: str, said: str) -> None:
    events = SessionEvents(store, Workspace.of([str(tmp_path)]))
    with pytest.raises(BadRequest) as refused:
        events.take_in([json.dumps(CALL), line], "one")
    assert said in str(refused.value)
    assert events.entries() == ()


def test_the_snapshot_of_a_session_says_what_was_reported(store: BlobStore, tmp_path: Path) -> None:
    workspace, snapshot = Workspace.of([str(tmp_path)]), snapshot_of({"a.py": "x = 1\n"})
    answered: FindingSet = findings(snapshot, Settings())
    events = SessionEvents(store, workspace)
    events.take_in([json.dumps(CALL), json.dumps(CUT)], "one")
    found = agent_snapshot(workspace, snapshot, answered, store)
    assert (found.session.id, found.session.provider, found.session.model) == ("one", "acme", "m")
    assert (found.ledger.reported.kinds, found.risk.level) == ({"tool_call": 1, "truncation": 1}, "watch")
    events.take_in([json.dumps({**CALL, "decision": "deny"})], "one")
    risk = agent_snapshot(workspace, snapshot, answered, store, session="one").risk
    assert (risk.level, risk.reasons[0]) == ("blocked", "refused events: 1")
