"""Validation stamp: that the links of an earlier run still hold, said once for a whole workspace.

Owns: what all links of one state rest on, how that is kept, which surfaces differ from it.
Must not know: what links say, how they are made.
Invariant: links that are taken for proved are those that a test of each single one would let pass.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.paths import FilePath
from graphls.graph.resolution_inputs import resolution_inputs
from graphls.graph.snapshot import Snapshot
from graphls.session.link.link_entries import ENTRY_VERSION, LinkEntry, ValidationStamp
from graphls.store.blobs import BlobStore

_DIGEST = 16
_NONE = bytes(_DIGEST)


@attrs.frozen(eq=False)
class _StoredStamp:
    """In the order of the snapshot's files."""

    version: int
    tables: bytes
    surfaces: bytes
    digests: bytes


def load_validation(snapshot: Snapshot, store: BlobStore, workspace: str) -> ValidationStamp | None:
    """What was linked when every file was, and the surfaces that differ now; None when files are named otherwise."""
    raw = store.get("links", _name(workspace))
    try:
        stored = None if raw is None else decode(_StoredStamp, raw)
    except CodecError:
        return None
    files = tuple(snapshot.files())
    size = len(files) * _DIGEST
    if stored is None or stored.version != ENTRY_VERSION or {len(stored.surfaces), len(stored.digests)} != {size}:
        return None
    if stored.tables != resolution_inputs(snapshot):
        return None
    digests: dict[FilePath, str] = {}
    changed: dict[FilePath, str] = {}
    for number, path in enumerate(files):
        at = slice(number * _DIGEST, (number + 1) * _DIGEST)
        digests[path] = stored.digests[at].hex()
        if stored.surfaces[at] != _bytes(snapshot.shards[path].surface_hash):
            changed[path] = stored.surfaces[at].hex()
    return ValidationStamp(digests, changed)


def store_validation(
    snapshot: Snapshot, entries: Mapping[FilePath, LinkEntry], store: BlobStore, workspace: str
) -> None:
    """Writes down the state that all these links, which are in the store, were made or tested in."""
    files = tuple(snapshot.files())
    surfaces = b"".join(_bytes(snapshot.shards[path].surface_hash) for path in files)
    digests = b"".join(_bytes(entries[path].digest) if path in entries else _NONE for path in files)
    store.put(
        "links", _name(workspace), encode(_StoredStamp(ENTRY_VERSION, resolution_inputs(snapshot), surfaces, digests))
    )


def _bytes(digest: str) -> bytes:
    return bytes.fromhex(digest)


def _name(workspace: str) -> str:
    return f"proof:{workspace}"
