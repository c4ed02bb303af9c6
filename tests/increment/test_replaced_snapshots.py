"""Replaced snapshots: what one carries goes with it, and no look at all objects is needed to find that.

Owns: what of earlier states is left once questions about them are answered.
Must not know: what questions compute.
Invariant: after any number of edits as many snapshots are there as after the first ones.
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from agent_workspace import agent_over
from e2e.cli_runs import SHOP
from git_folders import committed
from graphls.analysis.findings import KnownFindings
from graphls.analysis.flow import passing
from graphls.analysis.views import Views
from graphls.compilers.answer_store import AnswerStore
from graphls.graph.edges import edges_from
from graphls.graph.memo import Memo, add_view
from graphls.graph.snapshot import Shard, Snapshot, SymbolRef
from graphls.graph.snapshot_pins import pin, pin_alone, pinning, retire
from graphls.lsp.annotations import AnnotationsCache
from graphls.lsp.findings import FindingsCache
from graphls.queries.impact import ImpactQuery, impact
from graphls.session.memory import snapshot_of
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import key, session_over, settle, write

TOTAL = "shop.prices:total"
ASKED: tuple[tuple[str, dict[str, object]], ...] = (
    ("where", {"text": "total"}),
    ("understand", {"symbol": TOTAL}),
    ("change_plan", {"symbol": TOTAL}),
    ("changes", {"changes": "all"}),
    ("changes", {"proposed": {"shop/prices.py": "def total(prices, rate): ...\n"}}),
    ("context", {"task": "add a rate to the total"}),
    ("map", {}),
    ("graph", {"query": "communities"}),
    ("graph", {"query": "decisions"}),
    ("graph", {"query": "diff", "before": "HEAD"}),
    ("graph", {"query": "docs"}),
    ("graph", {"query": "entries"}),
    ("graph", {"query": "findings"}),
    ("graph", {"query": "health"}),
    ("graph", {"query": "impact", "symbol": TOTAL}),
    ("graph", {"query": "neighbors", "symbol": TOTAL}),
    ("graph", {"query": "processes"}),
    ("graph", {"query": "report"}),
    ("graph", {"query": "risk"}),
    ("graph", {"query": "similar", "symbol": TOTAL}),
    ("graph", {"query": "tour"}),
    ("graph", {"query": "trace", "symbol": TOTAL}),
)
VALUE = Memo[object]("value of a test")


@pytest.fixture(autouse=True)
def without_looks() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _snapshots() -> int:
    return sum(isinstance(one, Snapshot) for one in gc.get_objects())


async def test_answers_leave_no_snapshot_behind(tmp_path: Path) -> None:
    SHOP.write(tmp_path / "shop")
    web = "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get('/hello')\ndef hello(): ...\n"
    (tmp_path / "shop" / "web.py").write_text(web)
    committed(tmp_path / "shop", "one")
    edited = tmp_path / "shop" / "shop" / "prices.py"
    text, counts = edited.read_text(), list[int]()
    async with agent_over(tmp_path / "shop") as agent:
        for number in range(4):
            edited.write_text(f"{text}\n\ndef rate_{number}(price: int) -> int:\n    return total([price])\n")
            for tool, arguments in ASKED:
                await agent.ask(tool, **arguments)
            counts.append(_snapshots())
    # A state may be between two when it is looked at.
    assert counts[-1] <= max(counts[:2]) + 1, counts
    assert counts[-1] < 8, counts


def test_no_state_before_holds_what_was_asked_of_its_files(tmp_path: Path) -> None:
    """Findings, notes, answers and the state whose links were stored last a while. What files carry did as well."""
    paths = [f"app/file{number}.py" for number in range(6)]
    text = "from app.file0 import work0\n\n\ndef work{0}(x):\n    # DECISION: one loop\n    return work0(x)\n"
    write(tmp_path / "space", {path: text.format(number) for number, path in enumerate(paths)})
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    found, notes, answers = FindingsCache(), AnnotationsCache(), AnswerStore({"python": "test 1"})
    with session_over(tmp_path / "space", store) as session:
        for number, path in enumerate(paths):
            with pinning():
                snapshot = settle(session)
                for asked in paths:
                    impact(snapshot, ImpactQuery(SymbolRef(key(asked), 0), depth=2))
                if not number:
                    found.compute(snapshot, session.settings, KnownFindings())
                    notes.compute(snapshot, session.annotations)
                    answers.unlinked_answers(snapshot, snapshot.shards[key(path)])
                    answers.overlay()
            session.open(key(path), snapshot.text(key(path)) or b"")
            session.change(key(path), text.format(f"_else{number}").encode())
        settle(session)
        del snapshot
        gc.unfreeze()
        shards = [one for one in gc.get_objects() if isinstance(one, Shard) and one.path in paths]
        now = session.snapshot().shards
        outdated = [one for one in shards if now.get(one.path) is not one]
        carrying = {one.path: sorted(one.memo) for one in outdated if one.memo.keys() - {"content key"}}
        assert carrying == {}
        # The state that was linked last, while files are edited.
        assert len(outdated) <= 2, [one.path for one in outdated]


def _carrying(name: str) -> Snapshot:
    """A snapshot with a value that refers back to it."""
    made = snapshot_of({"a.py": "x = 1\n"}, name=name)
    VALUE.put(made, [made])
    return made


def test_values_go_when_nobody_reads_what_was_replaced() -> None:
    snapshot, dropped = _carrying("one"), list[str]()
    retire(snapshot, lambda: dropped.append("one"))
    assert VALUE.get(snapshot) is None
    assert dropped == ["one"]


def test_values_stay_while_any_thread_reads() -> None:
    snapshot, reads, goes_on = _carrying("two"), threading.Event(), threading.Event()

    def read() -> None:
        with pinning():
            pin(snapshot)
            reads.set()
            goes_on.wait(60)

    with pinning():
        pin(pin(snapshot))
        other = threading.Thread(target=read)
        other.start()
        reads.wait(60)
        retire(snapshot)
        assert VALUE.get(snapshot) is not None
    assert VALUE.get(snapshot) is not None
    goes_on.set()
    other.join(60)
    assert VALUE.get(snapshot) is None


def test_what_was_made_for_one_question_goes_with_it() -> None:
    dropped: list[str] = []
    with pinning():
        snapshot = pin_alone(_carrying("three"), lambda: dropped.append("three"))
        assert VALUE.get(snapshot) is not None
    assert VALUE.get(snapshot) is None
    assert dropped == ["three"]


def test_a_file_keeps_no_table_of_modules_of_an_earlier_state() -> None:
    """Files that nobody asked about since would each keep another one, with the names of all files."""
    snapshot = snapshot_of({"a.py": "import b\n", "b.py": ""})
    assert len(Views(snapshot).imports()) == 1
    before = weakref.ref(snapshot.modules["python"])
    later = attrs.evolve(snapshot, modules={name: attrs.evolve(table) for name, table in snapshot.modules.items()})
    retire(snapshot)
    del snapshot
    gc.collect()
    assert before() is None
    assert len(Views(later).imports()) == 1


def test_values_of_views_go_with_those_of_the_snapshot() -> None:
    snapshot, view = _carrying("four"), _carrying("view")
    add_view(snapshot, view)
    retire(snapshot)
    assert VALUE.get(view) is None


def test_calls_by_flow_are_those_of_a_fresh_state_whatever_files_still_carry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each question ends with nothing left of what files pass on; the next one comes after an edit."""
    memos = passing._MEMO, passing._OPERANDS  # pyright: ignore[reportPrivateUsage]
    held = "from app.file{0} import work{0}\n\n\ndef work{1}(x):\n    x()\n\n\ndef use{1}():\n    work{0}(use{1})\n"
    root = tmp_path / "space"
    write(root, {f"app/file{at}.py": held.format((at + 1) % 4, at) for at in range(4)})
    for memo in memos:
        monkeypatch.setattr(memo, "bound", 0)
    with session_over(root) as session:
        for number in range(6):
            path = key(f"app/file{number % 4}.py")
            with pinning():
                snapshot = settle(session)
                said = {file: tuple(edges_from(snapshot, file)) for file in snapshot.files()}
                assert any("via" in edge.attributes for edges in said.values() for edge in edges)
            assert [memo.size for memo in memos] == [0, 0]
            texts: dict[str, str | bytes] = {file: snapshot.text(file) or b"" for file in snapshot.files()}
            fresh = snapshot_of(texts, name=snapshot.name)
            assert said == {file: tuple(edges_from(fresh, file)) for file in fresh.files()}
            text = snapshot.text(path) or b""
            session.open(path, text)
            session.change(path, text + f"\n\ndef more{number}():\n    work{number % 4}(more{number})\n".encode())
