"""What files pass on, in the store: equal tables, read once, read again where the store holds no such thing.

Owns: the way through the store and back, what a later run reads.
Must not know: what flow makes of it.
Invariant: calls by flow are the same wherever tables come from.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphls.analysis.flow import passing
from graphls.analysis.flow.passing_reader import PassingReader
from graphls.analysis.flow.value_lists import PassingTables
from graphls.analysis.frameworks.texts import code_of
from graphls.facts.codec import decode, encode
from graphls.facts.columns import Table
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.session.memory import snapshot_of
from graphls.session.prefetch import Prefetch
from graphls.session.shared_caches import SharedCaches
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import session_over, settle, write
from unit.test_flow_calls import CASES

FILES = {
    "deco.py": b"def logged(fn):\n    def wrapper(*args):\n        return fn(*args)\n    return wrapper\n",
    "app.py": b"from deco import logged\n\n@logged\ndef go(given=None): ...\n\ndef run(call, *more, key=go):\n"
    b"    call(*more, key=key)\n    (key or call)()\n\nrun(go, key=go)\n",
}


def _columns(tables: PassingTables) -> dict[str, object]:
    def plain(value: object) -> object:
        return value.to_columns() if isinstance(value, Table) else value

    return {name: plain(getattr(tables, name)) for name in PassingTables.__slots__ if name != "__weakref__"}


def test_tables_are_the_same_after_a_way_through_bytes() -> None:
    rows = 0
    for files, _ in CASES.values():
        snapshot = snapshot_of(dict(files))
        for path in snapshot.files():
            if not snapshot.shards[path].language:
                continue
            read = PassingReader(snapshot.facts(path), code_of(snapshot, path), snapshot.capabilities(path)).read()
            assert _columns(decode(PassingTables, encode(read))) == _columns(read)
            rows += len(read.ways)
    assert rows > 100


def _calls(snapshot: Snapshot) -> list[str]:
    assert snapshot.derivation is not None
    calls = snapshot.derivation.calls(snapshot)
    return [str(edge) for path in snapshot.files() for edge in calls.from_file(path)]


@pytest.mark.parametrize("is_ahead", [False, True])
def test_a_later_run_reads_tables_from_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_ahead: bool
) -> None:
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "w", store) as session:
        snapshot = settle(session)
        Prefetch(snapshot, SharedCaches(store, lambda path: None), lambda: False).run()
        first = [] if is_ahead else _calls(snapshot)

    def refuse(self: PassingReader) -> PassingTables:
        raise AssertionError("read again")

    with session_over(tmp_path / "w", store) as session, monkeypatch.context() as patched:
        patched.setattr(PassingReader, "read", refuse)
        later = _calls(settle(session))
    assert later
    assert is_ahead or later == first


def test_broken_bytes_are_read_again(tmp_path: Path) -> None:
    write(tmp_path / "w", FILES)
    store = BlobStore(StoreOptions(str(tmp_path / "cache")))
    with session_over(tmp_path / "w", store) as session:
        first = _calls(settle(session))
        snapshot = session.snapshot()
        subject = f"passing {passing.VERSION}"
        known = snapshot.reader.file_values(snapshot, subject, [FilePath("app.py")])
        assert known
        snapshot.reader.store_file_values(snapshot, subject, dict.fromkeys(known, b"broken"))
    with session_over(tmp_path / "w", store) as session:
        assert _calls(settle(session)) == first
