"""Past contents: a commit beside a session costs what differs, and leaves nothing in the place of what is there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from git_folders import committed
from graphls.analysis.flow.call_search import CallSearch
from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.graph.edges import RawEdge
from graphls.graph.records import Edge
from graphls.graph.request_budget import BudgetSpentError, RequestBudget, is_whole_within, limited, spend
from graphls.graph.snapshot import Snapshot
from graphls.queries.changed import FileDiff
from graphls.queries.diff import Difference, DiffQuery, diff
from graphls.session import past_contents
from graphls.session.before import before_edits
from graphls.session.index import extraction
from graphls.session.memory import snapshot_of
from graphls.session.past_contents import PastSnapshotContents, WholePastContents
from graphls.session.revisions import compared
from graphls.session.session import Session
from graphls.settings import Settings
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over

FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop/cart.py": "from shop.prices import total\n\ndef pay(cart):\n    return total(cart)\n",
    "shop/tax.py": "RATE = 2\n",
}
EDIT = "def sum_up(prices):\n    return sum(prices)\n\ndef total(prices, rate):\n    return sum_up(prices) * rate\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "w"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    committed(root, "one")
    (root / "shop/prices.py").write_text(EDIT)
    committed(root, "two")
    return root


@pytest.fixture
def session(folder: Path, tmp_path: Path) -> Iterator[Session]:
    store = BlobStore(StoreOptions(str(tmp_path / "store")))
    with session_over(folder, store) as session:
        yield session
    store.close()


def _at(session: Session, name: str) -> Snapshot:
    return compared(session.workspace, session.snapshot(), Settings(), name)


def test_a_commit_beside_a_session_is_as_one_that_is_read_alone(session: Session) -> None:
    past = _at(session, "HEAD^")
    assert isinstance(past.reader, WholePastContents)
    alone = snapshot_of(FILES)
    for path in alone.files():
        assert encode(past.links(path).targets) == encode(alone.links(path).targets)
    assert diff(past, alone, DiffQuery("all")).counts == (0, 0, 0)


def test_what_is_known_is_neither_read_nor_linked_again(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    understand = extraction.understand
    monkeypatch.setattr(extraction, "understand", lambda *given: read.append(given[1]) or understand(*given))
    first = _at(session, "HEAD^")
    assert isinstance(first.reader, WholePastContents)
    assert read == ["shop/prices.py"]
    # tax.py looked at nothing that differs.
    assert set(first.reader.caches.work.linked_files) == {"shop/prices.py", "shop/cart.py"}
    second = _at(session, "HEAD^")
    assert isinstance(second.reader, WholePastContents)
    assert read == ["shop/prices.py"]


def test_links_of_a_commit_are_not_stored_for_files_as_they_are(session: Session, folder: Path, tmp_path: Path) -> None:
    past = _at(session, "HEAD^")
    assert isinstance(past.reader, WholePastContents)
    past.reader.let_go(past)
    session.close()
    store = BlobStore(StoreOptions(str(tmp_path / "store")))
    with session_over(folder, store) as again:
        assert not again.work.linked_files
    store.close()


def test_much_is_read_and_linked_in_workers(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_contents, "_FEW_FILES", 0)
    monkeypatch.setattr(past_contents, "_FEW_BYTES", 0)
    here: list[object] = []
    monkeypatch.setattr(extraction, "extract_file", lambda *given: here.append(given))
    past = _at(session, "HEAD^")
    assert not here
    assert diff(past, snapshot_of(FILES), DiffQuery("all")).counts == (0, 0, 0)


def test_who_does_not_want_the_answer_any_more_stops_the_work(session: Session) -> None:
    with limited(RequestBudget(lambda _: "time")), pytest.raises(BudgetSpentError):
        _at(session, "HEAD^")
    live = session.snapshot()
    with limited(RequestBudget(lambda _: "time")), pytest.raises(BudgetSpentError):
        diff(live, live, DiffQuery("all"))


def test_before_edits_only_what_is_asked_is_linked(session: Session) -> None:
    live = session.snapshot()
    old = FILES["shop/prices.py"].encode()
    path = next(path for path in live.shards if path == "shop/prices.py")
    before = before_edits(live, Settings(), [FileDiff(path, "modified", None, old)], ())
    assert isinstance(before.reader, PastSnapshotContents)
    assert not isinstance(before.reader, WholePastContents)
    assert "shop/cart.py" in before.reader.not_linked(before)
    assert encode(before.links(path).targets) == encode(snapshot_of(FILES).links(path).targets)


def test_a_file_that_keeps_its_module_name_differs_in_its_place_alone() -> None:
    moved = {**FILES, "shop/tax/__init__.py": FILES["shop/tax.py"]}
    del moved["shop/tax.py"]
    found = diff(snapshot_of(FILES), snapshot_of(moved), DiffQuery("all"))
    assert not [one for one in (*found.added, *found.removed) if getattr(one, "qualified_name", "") == "RATE"]


_HANDING = "def run(f):\n    f()\n\ndef go(): pass\n\ndef stop(): pass\n\ndef main():\n    run({})\n"


def test_calls_by_flow_are_compared_where_there_is_time_for_both_states(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (snapshot_of({"m.py": _HANDING.format(name), "notes.md": name}) for name in ("go", "stop"))

    def calls(found: Difference) -> list[str]:
        return [" -> ".join((found.names[edge.source], found.names[edge.target])) for edge in found.added
                if isinstance(edge, Edge) and edge.kind == "calls"]  # fmt: skip

    whole = diff(one, other)
    assert ("m:run -> m:stop" in calls(whole), whole.without_flow) == (True, ())

    def dear(self: CallSearch, path: FilePath) -> Iterator[RawEdge]:
        while True:
            spend()

    monkeypatch.setattr(CallSearch, "from_file", dear)
    part = diff(one, other, DiffQuery(within=0.002))
    assert (calls(part), part.without_flow, part.coverage.truncated) == ([], ("m.py",), True)
    assert part.files_changed == whole.files_changed


def test_pieces_of_work_are_done_as_a_whole_or_not_at_all() -> None:
    done = list[int]()

    def busy(number: int) -> None:
        end = time.thread_time() + (0.02 if number == 2 else 0.0)
        while time.thread_time() < end:
            spend()
        done.append(number)

    steps = [partial(busy, number) for number in range(4)]
    assert (is_whole_within(0.01, steps), done) == (2, [0, 1])
    assert is_whole_within(0, steps) == 4
    with limited(RequestBudget(lambda _: "time")), pytest.raises(BudgetSpentError):
        is_whole_within(0.01, steps)
