"""All calls by flow at once: the same as a search finds from either end, read from the store by a later run.

Owns: the table of calls, when it is made and read, what shares it.
Must not know: how a search goes.
Invariant: no answer tells whether the table was there.
"""

from __future__ import annotations

import time
from pathlib import Path

import attrs
import pytest

from graphls.analysis.flow.call_search import CallSearch
from graphls.analysis.flow.call_table import CallTable, table_name
from graphls.analysis.flow.calls import FlowCalls
from graphls.compilers.overlay import Overlay
from graphls.facts.paths import FilePath
from graphls.graph.evidence import RawEdge
from graphls.graph.memo import drop_values
from graphls.graph.request_budget import BudgetSpentError, budget_of_steps, limited
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.verification import with_verification
from graphls.session import pauses, prefetch
from graphls.session.memory import snapshot_of
from graphls.session.prefetch import Prefetch
from graphls.session.session import Session, SessionOptions
from graphls.session.shared_caches import SharedCaches
from graphls.settings.tree import Settings
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over, settle, write
from unit.test_flow_calls import CASES
from unit.test_stored_passing import FILES


def _flow(snapshot: Snapshot) -> FlowCalls:
    assert snapshot.derivation is not None
    calls = snapshot.derivation.calls(snapshot)
    assert isinstance(calls, FlowCalls)
    return calls


def _edges(calls: FlowCalls | CallSearch | CallTable, snapshot: Snapshot) -> list[list[RawEdge]]:
    """By each end: of files, from places, to places."""
    places = [SymbolRef(path, row) for path in sorted(snapshot.files()) for row in range(-1, 40)]
    places = [one for one in places if one.definition < len(snapshot.facts(one.file).definitions)]
    if isinstance(calls, CallTable):
        ends = calls.of_file, calls.of_place, calls.to_place
    else:
        ends = calls.from_file, calls.from_place, calls.to_place
    files = [edge for path in sorted(snapshot.files()) for edge in ends[0](path)]
    return [files, *([edge for place in places for edge in end(place)] for end in ends[1:])]


@pytest.mark.parametrize("name", CASES)
def test_all_calls_are_those_of_a_search_from_either_end(name: str) -> None:
    snapshot = snapshot_of(dict(CASES[name][0]))
    calls = _flow(snapshot)
    searched = _edges(CallSearch(snapshot, calls.injected), snapshot)
    assert not calls.is_complete
    calls.complete()
    assert calls.is_complete
    assert _edges(calls, snapshot) == searched
    packed = CallTable(searched[0]).packed()
    table = CallTable.unpacked(packed, snapshot)
    assert table is not None
    assert _edges(table, snapshot) == searched


def test_a_later_run_searches_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "w", store) as session:
        snapshot = settle(session)
        ahead = Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False, lambda: True)
        ahead.run()
        first = _edges(_flow(snapshot), snapshot)
    assert first[0]

    def refuse(self: CallSearch, *_: object) -> None:
        raise AssertionError("searched")

    with session_over(tmp_path / "w", store) as session, monkeypatch.context() as patched:
        patched.setattr(CallSearch, "__init__", refuse)
        snapshot = settle(session)
        assert _edges(_flow(snapshot), snapshot) == first


def test_what_is_stored_is_for_these_contents_and_rules_alone(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "w", store) as session:
        snapshot = settle(session)
        _flow(snapshot).complete()
        name = table_name(snapshot, "rules")
        assert name != table_name(snapshot, "others")
    write(tmp_path / "w", {"deco.py": FILES["deco.py"] + b"\nrest = 1\n"})
    with session_over(tmp_path / "w", store) as session:
        snapshot = settle(session)
        assert name != table_name(snapshot, "rules")
        assert not _flow(snapshot).is_complete


@pytest.mark.parametrize("broken", [b"broken", b"", "cut"])
def test_broken_bytes_are_none(broken: bytes | str) -> None:
    snapshot = snapshot_of({"app.py": FILES["app.py"].decode(), "deco.py": FILES["deco.py"].decode()})
    calls = _flow(snapshot)
    calls.complete()
    packed = CallTable([edge for path in snapshot.files() for edge in calls.from_file(path)]).packed()
    assert CallTable.unpacked(packed, snapshot) is not None
    assert CallTable.unpacked(broken if isinstance(broken, bytes) else packed[:-5], snapshot) is None
    # Files that are not there.
    assert CallTable.unpacked(packed, attrs.evolve(snapshot, shards={})) is None


def test_work_that_ends_leaves_a_search(tmp_path: Path) -> None:
    snapshot = snapshot_of({"app.py": FILES["app.py"].decode(), "deco.py": FILES["deco.py"].decode()})
    calls = _flow(snapshot)
    with limited(budget_of_steps(3)), pytest.raises(BudgetSpentError):
        calls.complete()
    assert not calls.is_complete
    assert list(calls.from_file(FilePath("app.py")))


def test_answers_of_a_checker_lose_no_calls() -> None:
    snapshot = snapshot_of({"app.py": FILES["app.py"].decode(), "deco.py": FILES["deco.py"].decode()})
    before = with_verification(snapshot, Overlay())
    calls = _flow(before)
    calls.complete()
    # More answers come, and the work ahead reads the snapshot as it is without any.
    assert _flow(with_verification(snapshot, Overlay())) is calls
    assert _flow(snapshot) is calls


def test_what_a_checker_has_no_part_in_goes_with_the_contents() -> None:
    snapshot = snapshot_of({"app.py": FILES["app.py"].decode(), "deco.py": FILES["deco.py"].decode()})
    before, after = with_verification(snapshot, Overlay()), with_verification(snapshot, Overlay())
    calls = _flow(before)
    drop_values(before)
    # What asks through a state of verification that is gone finds what the others have.
    assert _flow(before) is _flow(after) is _flow(snapshot) is calls
    drop_values(snapshot)
    assert _flow(snapshot) is not calls
    mine = _flow(after)
    assert mine is not calls
    drop_values(after)
    assert _flow(after) is not mine


def _is_complete_soon(session: Session, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not _flow(session.snapshot()).is_complete and time.monotonic() < until:
        time.sleep(0.05)
    return _flow(session.snapshot()).is_complete


def test_a_server_finds_all_calls_ahead_while_nobody_edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "w", FILES)
    session = Session(Workspace.of([str(tmp_path / "w")]), Settings(), None, SessionOptions(look=True))
    session.start()
    try:
        assert session.wait("complete", 60)
        # The first time it is at once, then the next edit may come any moment.
        monkeypatch.setattr(pauses, "CALM", 1000)
        assert _is_complete_soon(session, 60)
        session.open(FilePath("deco.py"), FILES["deco.py"])
        session.change(FilePath("deco.py"), FILES["deco.py"] + b"\nrest = 1\n")
        assert session.wait("complete", 60)
        assert not _is_complete_soon(session, 1.2)
        monkeypatch.setattr(pauses, "CALM", 0)
        assert _is_complete_soon(session, 60)
    finally:
        session.close()


def test_work_ahead_waits_before_its_first_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "_LOOK", 1000)  # all is done before a second look
    write(tmp_path / "w", FILES)
    with session_over(tmp_path / "w") as session:
        snapshot = settle(session)
        Prefetch(snapshot, SharedCaches(None, lambda path: None), lambda: False, lambda: False).run()
        assert not _flow(snapshot).is_complete


def test_a_command_finds_no_calls_ahead(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    session = Session(Workspace.of([str(tmp_path / "w")]), Settings(), None, SessionOptions())
    session.start()
    try:
        assert session.wait("complete", 60)
        assert not _is_complete_soon(session, 1.2)
    finally:
        session.close()
