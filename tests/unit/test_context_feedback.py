"""What was said about items of packs: kept, tied to the code, worth something for like tasks."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from fixture_text import fixture
from graphls.context.evaluation import Case, NeededDeclaration, evaluate, in_graph, score_of
from graphls.context.feedback import (
    NoStore,
    Verdict,
    erase_feedback,
    feedback_of,
    feedback_status,
    likeness,
    store_feedback,
    verdict_on,
)
from graphls.context.pack import PackRequest, pack
from graphls.facts.paths import FilePath
from graphls.graph.errors import AmbiguousSymbol, UnknownSymbol
from graphls.graph.snapshot import Snapshot
from graphls.session.memory import snapshot_of
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions

SHOP = """
    --- path: shop.py ---
    def reckon(amount):
        '''Reckon the tax of an amount.'''
        return rate() * amount


    def rate():
        return 2


    def tax_label(amount):
        '''The label of the tax of an amount.'''
        return str(amount)


    def unrelated():
        return 0
"""
FILES = fixture(SHOP).files
TASK = "the tax of an amount is wrong"


def _edited(old: str, new: str) -> Snapshot:
    text = FILES["shop.py"].decode()
    assert old in text
    return snapshot_of({"shop.py": text.replace(old, new)})


def _order(snapshot: Snapshot, *verdicts: Verdict) -> list[str]:
    made = pack(snapshot, PackRequest(task=TASK, feedback=verdicts))
    return [item.symbol for item in made.items]


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(StoreOptions(str(tmp_path / "cache")))


def test_feedback_changes_the_order_for_a_like_task() -> None:
    snapshot = snapshot_of(FILES)
    first, second = _order(snapshot)[:2]
    praised = verdict_on(snapshot, second, useful=True, task=TASK)
    blamed = verdict_on(snapshot, first, useful=False, task=TASK)
    assert _order(snapshot, praised, blamed)[:2] == [second, first]
    elsewhere = (
        attrs.evolve(praised, task="colours of the start page"),
        attrs.evolve(blamed, task="colours of the page"),
    )
    assert _order(snapshot, *elsewhere)[:2] == [first, second]


def test_feedback_is_in_the_account() -> None:
    snapshot = snapshot_of(FILES)
    said = verdict_on(snapshot, "shop:rate", useful=True, task=TASK)
    made = pack(snapshot, PackRequest(task=TASK, feedback=(said,), explain=True))
    (item,) = (item for item in made.items if item.symbol == "shop:rate")
    assert "found useful for a like task" in item.reason


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("return 0\n", "return 1\n", True),
        ("def reckon", "# moved\n\n\ndef reckon", True),
        ("rate() * amount", "rate() * amount + 1", False),
        ("    return 2\n", "    return 3\n", False),
        ("return str(amount)", "return str(reckon(amount))", False),
        ("def reckon", "def other", False),
    ],
    ids=["elsewhere", "moved", "itself", "what it calls", "a new caller", "renamed"],
)
def test_feedback_expires_with_the_code_around_it(old: str, new: str, counts: bool) -> None:
    said = verdict_on(snapshot_of(FILES), "shop:reckon", useful=True, task=TASK)
    (found,) = feedback_status(_edited(old, new), [said])
    assert found.counts is counts


def test_expired_feedback_is_worth_nothing() -> None:
    snapshot = snapshot_of(FILES)
    second = _order(snapshot)[1]
    said = attrs.evolve(verdict_on(snapshot, second, useful=True, task=TASK), root="r:old")
    assert _order(snapshot, said) == _order(snapshot)


def test_feedback_is_kept_listed_and_erased(store: BlobStore, tmp_path: Path) -> None:
    workspace, other = Workspace.of([str(tmp_path)]), Workspace.of([str(tmp_path / "other")])
    snapshot = snapshot_of(FILES)
    first = verdict_on(snapshot, "shop:rate", useful=True, task=TASK, pack="p:x")
    again = verdict_on(snapshot, "shop:rate", useful=False, task=TASK)
    second = verdict_on(snapshot, "shop:reckon", useful=True)
    store_feedback(store, workspace, first)
    store_feedback(store, workspace, again)
    assert store_feedback(store, workspace, second) == (again, second)
    assert feedback_of(store, workspace) == (again, second)
    assert feedback_of(store, other) == ()
    assert erase_feedback(store, workspace, "shop:rate") == 1
    assert feedback_of(store, workspace) == (second,)
    assert erase_feedback(store, workspace) == 1
    assert erase_feedback(store, workspace) == 0
    assert feedback_of(store, workspace) == ()


def test_without_a_store_nothing_is_kept(tmp_path: Path) -> None:
    workspace = Workspace.of([str(tmp_path)])
    assert feedback_of(None, workspace) == ()
    with pytest.raises(NoStore, match="cache"):
        store_feedback(None, workspace, verdict_on(snapshot_of(FILES), "shop:rate", useful=True))


@pytest.mark.parametrize("raw", [b"", b"\xc1", b"\x91\xc4\x01a", b"\x93\x01\x02\x03"])
def test_odd_bytes_are_no_feedback(store: BlobStore, tmp_path: Path, raw: bytes) -> None:
    workspace = Workspace.of([str(tmp_path)])
    store_feedback(store, workspace, verdict_on(snapshot_of(FILES), "shop:rate", useful=True))
    folders = "\0".join(folder.root for folder in workspace.folders)
    from graphls.graph.addresses import digest_of

    store.put("feedback", digest_of("feedback 1", folders).hex(), raw)
    assert feedback_of(store, workspace) == ()


def test_feedback_about_nothing_is_refused() -> None:
    with pytest.raises(UnknownSymbol):
        verdict_on(snapshot_of(FILES), "nothing_of_that_name", useful=True)
    with pytest.raises(AmbiguousSymbol):
        verdict_on(snapshot_of({"a.py": "x = 1\n", "b.py": "x = 1\n"}), "x", useful=True)


def test_likeness() -> None:
    words = {"tax", "amount", "wrong"}
    assert likeness(words, "tax amount wrong") == 1
    assert likeness(words, "colours") == 0
    assert likeness(set(), "") == 0.5


# ---------------------------------------------------------------- evaluation


def _case(*lines: int, file: str = "shop.py") -> Case:
    needed = tuple(
        NeededDeclaration(file=FilePath(file), name_line=line, touched=((line + 2, line + 2),)) for line in lines
    )
    return Case(id="1", text=TASK, needed=needed)


def test_measures_of_one_pack() -> None:
    snapshot = snapshot_of(FILES)
    made = pack(snapshot, PackRequest(task=TASK))
    score = score_of(snapshot, _case(1), made)
    assert (score.recall, score.files) == (1, 1)
    assert 0 < score.precision <= 1
    assert score.rank in (1, 0.5)
    assert score.whole == -(-len(FILES["shop.py"]) // 4)
    assert score_of(snapshot, _case(1, 900), made).recall == 0.5


def test_means_of_a_task_set() -> None:
    snapshot = snapshot_of(FILES)
    cases = [_case(1), _case(11)]
    ticks = iter(range(100))
    mean = evaluate(snapshot, cases, 4_000, {}, lambda: float(next(ticks)))
    assert (mean.tasks, mean.recall, mean.same, mean.p50_ms) == (2, 1.0, True, 1000.0)
    assert mean.tokens <= 4_000
    assert not in_graph(snapshot, _case(1, file="gone.py"))
    assert evaluate(snapshot, [], 100, {}, lambda: 0.0).tasks == 0
