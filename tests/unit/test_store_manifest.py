"""Manifest: round trip, tolerance, stamps that are too young.

Owns: the encoding of manifests and when a stamp may be believed.
Must not know: the store.
Invariant: no input makes decoding raise.
"""

from __future__ import annotations

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphls.facts.paths import ContentHash, FilePath
from graphls.store.manifest import RACY_NS, Manifest, ManifestEntry, decode_manifest, encode_manifest

ENTRY = ManifestEntry(5, 1_000, ContentHash("c" * 32), "key")
SAMPLE = Manifest(10_000_000_000, {FilePath("é b.py"): ENTRY, FilePath("a.py"): ENTRY}, "py3.12")


def test_round_trip() -> None:
    data = encode_manifest(SAMPLE)
    assert decode_manifest(data, "py3.12") == SAMPLE
    assert decode_manifest(data, "py3.13") is None
    assert data == encode_manifest(Manifest(SAMPLE.written_ns, dict(reversed(SAMPLE.entries.items())), "py3.12"))


@pytest.mark.parametrize("cut", range(0, 80, 7))
def test_cut_manifest_is_none(cut: int) -> None:
    data = encode_manifest(SAMPLE)
    assert decode_manifest(data[:cut], "py3.12") is None
    assert decode_manifest(data + b"\0", "py3.12") is None


@pytest.mark.parametrize(
    "value",
    [
        None,
        1,
        (2, 1, "", ()),
        (1, "1", "", ()),
        (1, 1, "", {}),
        (1, 1, "", (1,)),
        (1, 1, "", (("a", 1, 1, "c"),)),
        (1, 1, "", (("a", "1", 1, "c", "k"),)),
        (1, 1, "", (("a", 1, 1, b"c", "k"),)),
    ],
)
def test_foreign_shape_is_none(value: object) -> None:
    assert decode_manifest(msgpack.packb(value)) is None


@given(st.binary(max_size=200))
def test_any_bytes_decode_without_raising(data: bytes) -> None:
    decode_manifest(data)


@pytest.mark.parametrize(
    ("size", "mtime", "known"),
    [(5, 1_000, True), (6, 1_000, False), (5, 1_001, False)],
)
def test_equal_stamp_is_believed(size: int, mtime: int, known: bool) -> None:
    assert (SAMPLE.unchanged(FilePath("a.py"), size, mtime) is not None) is known
    assert SAMPLE.unchanged(FilePath("absent.py"), size, mtime) is None


@pytest.mark.parametrize(("age", "known"), [(RACY_NS, True), (RACY_NS - 1, False), (0, False), (-RACY_NS, False)])
def test_young_stamp_is_not_believed(age: int, known: bool) -> None:
    entry = ManifestEntry(1, SAMPLE.written_ns - age, ContentHash("c"), "k")
    manifest = Manifest(SAMPLE.written_ns, {FilePath("a.py"): entry})
    assert (manifest.unchanged(FilePath("a.py"), 1, entry.mtime_ns) is not None) is known
