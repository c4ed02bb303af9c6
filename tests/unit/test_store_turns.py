"""Turns at the store: who reads or writes much holds up nobody who reads a little.

Owns: what is done under the lock of a store.
Must not know: what the bytes mean.
Invariant: another thread reads while contents are looked at, and between the pieces of a long list.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from graphls.store import blobs
from graphls.store.blobs import BlobStore, StoreOptions


@pytest.mark.parametrize("step", ["_opened", "_sealed"])
def test_contents_are_looked_at_while_others_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    store = BlobStore(StoreOptions(folder=str(tmp_path)))
    store.put("facts", "one", b"1")
    looked_at = getattr(blobs, step)
    original: list[str] = []
    read: list[bool] = []

    def looking(name: str, value: bytes) -> bytes | None:
        if not original:
            original.append(name)
            other = threading.Thread(target=store.names, args=("facts",))
            other.start()
            other.join(5)
            read.append(not other.is_alive())
        result: bytes | None = looked_at(name, value)
        return result

    monkeypatch.setattr(blobs, step, looking)
    store.put("facts", "two", b"2")
    assert store.get_many("facts", ["one", "two"]) == {"one": b"1", "two": b"2"}
    assert read == [True]
    store.close()


def test_a_long_list_is_read_in_pieces(tmp_path: Path) -> None:
    store = BlobStore(StoreOptions(folder=str(tmp_path)))
    values = {str(number): str(number).encode() for number in range(230)}
    store.put_many("facts", values)
    assert store.get_many("facts", [*values, "absent"]) == values
    assert (store.stats().hits, store.stats().misses) == (230, 1)
    store.close()
