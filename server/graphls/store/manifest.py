"""Manifest: what a workspace looked like when it was last indexed.

Owns: the encoding of the table from file to stamp, content hash and facts key; which stamps may be believed.
Must not know: the disk, how files are hashed, what facts are.
Invariant: decoding is total: whatever is not exactly a manifest of this version is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import attrs
import msgpack

from graphls.facts.paths import ContentHash, FilePath

MANIFEST_VERSION = 1
RACY_NS = 2_000_000_000
"""A file may change again within the clock grain of its stamp: so young a stamp proves nothing."""


@attrs.frozen
class ManifestEntry:
    size: int
    mtime_ns: int
    content: ContentHash
    facts_key: str


@attrs.frozen
class Manifest:
    written_ns: int
    """Wall clock just before the files were stamped."""
    entries: Mapping[FilePath, ManifestEntry]
    extra: str = ""
    """The caller's own: any difference makes the manifest worthless to it."""

    def unchanged(self, path: FilePath, size: int, mtime_ns: int) -> ManifestEntry | None:
        """The entry when the stamp proves that the contents are the same; None means: hash the file again."""
        entry = self.entries.get(path)
        if entry is None or (entry.size, entry.mtime_ns) != (size, mtime_ns):
            return None
        return None if mtime_ns > self.written_ns - RACY_NS else entry


def encode_manifest(manifest: Manifest) -> bytes:
    rows = [
        (path, entry.size, entry.mtime_ns, entry.content, entry.facts_key)
        for path, entry in sorted(manifest.entries.items())
    ]
    return msgpack.packb((MANIFEST_VERSION, manifest.written_ns, manifest.extra, rows))


def decode_manifest(data: bytes, extra: str = "") -> Manifest | None:
    try:
        decoded: object = msgpack.unpackb(data, use_list=False, strict_map_key=True)
    except (ValueError, TypeError, RecursionError, MemoryError, msgpack.UnpackException):
        return None
    parts = _tuple(decoded, 4)
    if parts is None or parts[0] != MANIFEST_VERSION or parts[2] != extra or not isinstance(parts[1], int):
        return None
    if not isinstance(parts[3], tuple):
        return None
    entries: dict[FilePath, ManifestEntry] = {}
    for row in cast("tuple[object, ...]", parts[3]):
        entry = _entry(row)
        if entry is None:
            return None
        entries[entry[0]] = entry[1]
    return Manifest(parts[1], entries, extra)


def _entry(row: object) -> tuple[FilePath, ManifestEntry] | None:
    parts = _tuple(row, 5)
    if parts is None:
        return None
    path, size, mtime_ns, content, facts_key = parts
    if not (isinstance(path, str) and isinstance(size, int) and isinstance(mtime_ns, int)):
        return None
    if not (isinstance(content, str) and isinstance(facts_key, str)):
        return None
    return FilePath(path), ManifestEntry(size, mtime_ns, ContentHash(content), facts_key)


def _tuple(value: object, length: int) -> tuple[object, ...] | None:
    if not isinstance(value, tuple):
        return None
    parts = cast("tuple[object, ...]", value)
    return parts if len(parts) == length else None
