"""Journal: what agents asked is noted briefly, and forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_workspace import agent_over
from graphls.session import dated_rows as module
from graphls.session.journal import Journal, Observation
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions, opened_store

SEEN = Observation(results=2, ids=("a:b",), snapshot="s:1", stale=False)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[BlobStore]:
    with opened_store(StoreOptions(str(tmp_path / "cache"))) as made:
        yield made


def test_entries_are_newest_first_by_session_and_question_and_go_when_erased(store: BlobStore, tmp_path: Path) -> None:
    here, there = Workspace.of([str(tmp_path)]), Workspace.of([str(tmp_path / "other")])
    Journal(store, here, "one").note("where", {"text": "x", "limit": 3}, SEEN)
    Journal(store, here, "two").note("impact", {"symbol": "a:b"}, SEEN)
    Journal(store, there, "one").note("where", {"text": "y"}, SEEN)
    found = Journal(store, here).entries()
    assert [(one.session, one.operation, one.asked) for one in found] == [
        ("two", "impact", "symbol: a:b"),
        ("one", "where", "limit: 3; text: x"),
    ]
    assert (found[0].results, found[0].ids, found[0].snapshot, found[0].stale) == (2, ("a:b",), "s:1", False)
    assert [one.operation for one in Journal(store, here).entries(session="one")] == ["where"]
    assert [one.session for one in Journal(store, here).entries(operation="impact", limit=1)] == ["two"]
    assert Journal(store, here).erase() == 2
    assert Journal(store, here).entries() == ()
    assert len(Journal(store, there).entries()) == 1


def test_no_source_and_no_long_text_is_kept(store: BlobStore, tmp_path: Path) -> None:
    journal = Journal(store, Workspace.of([str(tmp_path)]))
    journal.note("changes", {"proposed": {"a.py": "secret = 1"}, "task": "t" * 900, "cursor": "c"}, SEEN)
    (one,) = journal.entries()
    assert "secret" not in one.asked
    assert len(one.asked) <= 400
    assert "cursor" not in one.asked


def test_old_entries_and_too_many_go(store: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(store, Workspace.of([str(tmp_path)]))
    monkeypatch.setattr(module, "MOST", 3)
    for number in range(5):
        journal.note(f"q{number}", {}, SEEN)
    journal.prune()
    assert [one.operation for one in journal.entries()] == ["q4", "q3", "q2"]
    monkeypatch.setattr(module, "DAYS", -1)
    assert journal.entries() == ()  # whether or not anybody came by to drop them
    assert journal.erase() == 3
    journal.note("late", {}, SEEN)
    journal.prune()
    assert journal.erase() == 0
    Journal(None, Workspace.of([str(tmp_path)])).note("where", {}, SEEN)
    assert Journal(None, Workspace.of([str(tmp_path)])).entries() == ()


async def test_the_server_notes_what_it_answered_and_not_what_it_refused(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "a.py").write_text("def only():\n    pass\n")
    async with agent_over(folder) as agent:
        await agent.ask("where", text="only")
        await agent.refused("understand", symbol="nothing_is_called_so")
    with opened_store(StoreOptions(str(tmp_path / "cache"))) as store:
        (one,) = Journal(store, Workspace.of([str(folder)])).entries()
    assert (one.operation, one.asked, one.results, one.ids) == ("where", "text: only", 1, ("a:only",))


async def test_sessions_have_totals_of_what_was_sent_and_what_was_known(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "a.py").write_text("def only():\n    return 'a body of some length, to be sent once and no more'\n")
    async with agent_over(folder) as agent:
        first = await agent.say("understand", symbol="a:only", source=True)
        again = await agent.say("understand", symbol="a:only", source=True)
        await agent.say("where", text="only")
    assert "unchanged since" in again
    with opened_store(StoreOptions(str(tmp_path / "cache"))) as store:
        (totals,) = Journal(store, Workspace.of([str(folder)])).sessions()
    assert (totals.questions, totals.operations) == (3, {"understand": 2, "where": 1})
    assert totals.sent > len(first.encode())
    assert totals.spared == len(b"def only():\n    return 'a body of some length, to be sent once and no more'")
