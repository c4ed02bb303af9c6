"""First questions: what a session that has just started does for them over what an earlier one kept.

Owns: links that an earlier run vouches for, ids of nodes, the budget of who looks for one.
Must not know: what answers say, faces.
Invariant: nothing is done for a first question that an earlier run has written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphls.analysis.health import measured_files
from graphls.analysis.views import Views
from graphls.facts.file_facts import FileFacts
from graphls.facts.paths import FilePath
from graphls.graph.file_edges import ends_of
from graphls.graph.identity import node_id
from graphls.graph.mentions import files_mentioning
from graphls.graph.node_ids import node_with_id
from graphls.graph.request_budget import BudgetSpentError, budget_of_steps, limited
from graphls.graph.snapshot import Shard, Snapshot, SymbolRef
from graphls.linking.dependencies import LinkDependencies
from graphls.queries.clone_families import clone_families, is_measured
from graphls.queries.symbol_lookup import find_symbol
from graphls.session.prefetch import Prefetch
from graphls.session.session import Session, SessionOptions
from graphls.session.shared_caches import SharedCaches
from graphls.session.snapshot_contents import SnapshotContents
from graphls.sources.workspace import Workspace
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import PATIENCE, session_over, settle, write

FILES = {f"m{number}.py": f"import m0\n\ndef f{number}():\n    return m0.f0()\n" for number in range(12)}


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    """What a session before has written about `FILES`."""
    write(tmp_path / "space", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "space", store) as before:
        snapshot = settle(before)
        Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False).run()
    return store


@pytest.fixture
def snapshot(tmp_path: Path, store: BlobStore) -> Iterator[Snapshot]:
    """The first state of the next session, which does nothing ahead."""
    session = Session(Workspace.of([str(tmp_path / "space")]), store=store, options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", PATIENCE)
        yield session.snapshot()
    finally:
        session.close()


def test_links_that_an_earlier_run_vouches_for_are_taken_unseen(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested: list[str] = []
    hold = LinkDependencies.hold

    def counted(self: LinkDependencies, digest: str, *state: object) -> bool:
        tested.append(digest)
        return hold(self, digest, *state)  # type: ignore[arg-type]

    monkeypatch.setattr(LinkDependencies, "hold", counted)
    ends = ends_of(snapshot, SymbolRef(FilePath("m0.py"), 1))
    found = [snapshot.reaching(ends) for _ in range(4)][-1]
    assert not found.unsure
    assert set(found.files) >= FILES.keys() - {"m0.py"}
    assert not tested


@pytest.mark.parametrize("question", [clone_families, lambda snapshot: [*measured_files(Views(snapshot))]])
def test_what_is_measured_of_all_files_is_not_measured_again(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch, question: Callable[[Snapshot], object]
) -> None:
    monkeypatch.setattr(SnapshotContents, "facts", None)
    assert question(snapshot) is not None


def test_where_many_files_spell_a_name_their_links_are_read_and_not_their_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {f"m{number}.py": f"import m0\n\ndef f{number}():\n    return m0.f0()\n" for number in range(40)}
    write(tmp_path / "space", texts)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "space", store) as before:
        settle(before)
    session = Session(Workspace.of([str(tmp_path / "space")]), store=store, options=SessionOptions(link_all=False))
    session.start()
    try:
        assert session.wait("ready", PATIENCE)
        snapshot, place, read = session.snapshot(), SymbolRef(FilePath("m0.py"), 1), set[str]()
        ends, facts = ends_of(snapshot, place), SnapshotContents.facts

        def noted(self: SnapshotContents, shard: Shard) -> FileFacts:
            read.add(shard.path)
            return facts(self, shard)

        monkeypatch.setattr(SnapshotContents, "facts", noted)
        assert set(files_mentioning(snapshot, place, ends).files) == texts.keys()
        assert read <= {"m0.py"}
    finally:
        session.close()


def test_clones_are_told_from_what_an_earlier_run_stored(tmp_path: Path) -> None:
    body = "    found = []\n    for one in rows:\n        found.append(one * {0})\n    rows = sorted(found)\n"
    texts = {f"{name}.py": f"def {name}(rows):\n" + body.format(2) * 3 + "    return rows\n" for name in "ab"}
    write(tmp_path / "space", texts)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "space", store) as before:
        first = clone_families(settle(before))
    assert len(first) == 1
    with session_over(tmp_path / "space", store) as after, pytest.MonkeyPatch.context() as patched:
        snapshot = settle(after)
        patched.setattr(SnapshotContents, "facts", None)
        patched.setattr("graphls.queries.clone_families.body_text", None)
        assert clone_families(snapshot) == first


def test_a_request_for_clones_marks_files_as_measured(tmp_path: Path) -> None:
    """Work ahead has shapes alone, and leaves what a request made of them meanwhile."""
    body = "    found = []\n    for one in rows:\n        found.append(one * {0})\n    rows = sorted(found)\n"
    texts = {f"{name}.py": f"def {name}(rows):\n" + body.format(2) * 3 + "    return rows\n" for name in "ab"}
    write(tmp_path / "space", texts)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "space", store) as session:
        snapshot = settle(session)
        assert not any(map(is_measured, snapshot.shards.values()))
        assert len(clone_families(snapshot)) == 1
        assert all(map(is_measured, snapshot.shards.values()))


def test_an_id_is_found_without_the_contents_of_other_files(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = SymbolRef(FilePath("m7.py"), 1)
    wanted = node_id(snapshot, place)
    for shard in snapshot.shards.values():
        shard.memo.clear()  # as before anybody asked
    read: set[str] = set()
    facts = SnapshotContents.facts

    def noted(self: SnapshotContents, shard: Shard) -> FileFacts:
        read.add(shard.path)
        return facts(self, shard)

    monkeypatch.setattr(SnapshotContents, "facts", noted)
    assert find_symbol(snapshot, wanted) == (place,)
    assert read <= {"m7.py"}


def test_who_looks_for_an_id_ends_with_the_budget_and_goes_on_when_asked_again(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    with session_over(tmp_path) as session:
        snapshot = session.snapshot()
        spent = 0
        while spent < 20:
            try:
                with limited(budget_of_steps(8)):
                    assert node_with_id(snapshot, bytes(16)) is None
                break
            except BudgetSpentError:
                spent += 1
        assert 0 < spent < 20
