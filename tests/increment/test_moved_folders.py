"""Moved folders: files that have the contents of others.

Owns: moves and copies of many files, with and without a cache; what workers are sent then.
Must not know: what facts or links say.
Invariant: a content that any file has is known, whatever became of other files with it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphls.facts.codec import encode
from graphls.graph.snapshot import Snapshot
from graphls.session.link.background_linking import snapshot_message
from graphls.session.session import Session
from graphls.session.shared_caches import key_of
from graphls.session.snapshot_contents import SnapshotContents
from graphls.store.blobs import BlobStore, StoreOptions
from increment.session_folder import everything, from_scratch, session_over, settle, write

COUNT = 160
"""More than the contents without a file that a session keeps."""


def _files(folder: str) -> dict[str, str]:
    made = {f"{folder}/m{number}.py": f"def f{number}(): return {number}\n" for number in range(COUNT)}
    imports = "".join(f"from {folder}.m{number} import f{number}\n" for number in range(COUNT))
    return {**made, **{f"{folder}/all{copy}.py": imports + f"x{copy} = f1()\n" for copy in range(3)}}


@pytest.mark.parametrize("stored", [True, False])
def test_a_moved_folder_is_linked_as_a_fresh_one(tmp_path: Path, stored: bool) -> None:
    root = tmp_path / "space"
    write(root, _files("a"))
    store = BlobStore(StoreOptions(str(tmp_path / "cache"))) if stored else None
    with session_over(root, store) as session:
        for number in range(4):
            (root / ("a" if number % 2 == 0 else "b")).rename(root / ("b" if number % 2 == 0 else "a"))
            snapshot = _rescanned(session)
            assert snapshot.unlinked == ()
            assert everything(snapshot) == from_scratch(snapshot)


def test_a_copy_that_goes_leaves_what_the_other_says(tmp_path: Path) -> None:
    """Without a cache nobody else knows it."""
    write(tmp_path, _files("a"))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    with session_over(tmp_path) as session:
        shutil.rmtree(tmp_path / "b")
        _rescanned(session)
        write(tmp_path, {f"c/n{number}.py": f"def g{number}(): pass\n" for number in range(COUNT)})
        _rescanned(session)
        shutil.rmtree(tmp_path / "c")
        snapshot = _rescanned(session)
        reader = snapshot.reader
        assert isinstance(reader, SnapshotContents)
        kept = reader.caches.facts_cache.cached_keys
        assert {path for path in snapshot.files() if key_of(snapshot.shards[path]) not in kept} == set()
        assert everything(snapshot) == from_scratch(snapshot)


def test_a_worker_is_sent_what_the_cache_lost(tmp_path: Path) -> None:
    write(tmp_path, _files("a"))
    with session_over(tmp_path) as session:
        snapshot = settle(session)
        reader = snapshot.reader
        assert isinstance(reader, SnapshotContents)
        lost = [key_of(snapshot.shards[path]) for path in snapshot.files()]
        for name in [*lost, *(f"{number}" for number in range(COUNT))]:
            reader.caches.facts_cache.mark_replaced(name)
        assert not reader.caches.facts_cache.cached_keys & set(lost)
        surfaces = snapshot_message(snapshot, reader)[3]
        assert isinstance(surfaces, dict)
        assert [surfaces[name] for name in lost] == [encode(snapshot.surface(path)) for path in snapshot.files()]


def _rescanned(session: Session) -> Snapshot:
    session.rescan()
    return settle(session)
