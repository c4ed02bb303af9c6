"""Proof: that the links of an earlier run still hold, said once for a whole workspace.

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
from graphls.session.link_entries import ENTRY_VERSION, LinkEntry, Proved
from graphls.store.blobs import BlobStore

_DIGEST = 16
_NONE = bytes(_DIGEST)


@attrs.frozen(eq=False)
class _Kept:
    """In the order of the snapshot's files."""

    version: int
    tables: bytes
    surfaces: bytes
    digests: bytes


def proved(snapshot: Snapshot, store: BlobStore, workspace: str) -> Proved | None:
    """What was linked when every file was, and the surfaces that differ now; None when files are named otherwise."""
    raw = store.get("links", _name(workspace))
    try:
        kept = None if raw is None else decode(_Kept, raw)
    except CodecError:
        return None
    files = tuple(snapshot.files())
    size = len(files) * _DIGEST
    if kept is None or kept.version != ENTRY_VERSION or {len(kept.surfaces), len(kept.digests)} != {size}:
        return None
    if kept.tables != resolution_inputs(snapshot):
        return None
    digests: dict[FilePath, str] = {}
    changed: dict[FilePath, str] = {}
    for number, path in enumerate(files):
        at = slice(number * _DIGEST, (number + 1) * _DIGEST)
        digests[path] = kept.digests[at].hex()
        if kept.surfaces[at] != _bytes(snapshot.shards[path].surface_hash):
            changed[path] = kept.surfaces[at].hex()
    return Proved(digests, changed)


def keep_proof(snapshot: Snapshot, entries: Mapping[FilePath, LinkEntry], store: BlobStore, workspace: str) -> None:
    """Writes down the state that all these links, which are in the store, were made or tested in."""
    files = tuple(snapshot.files())
    surfaces = b"".join(_bytes(snapshot.shards[path].surface_hash) for path in files)
    digests = b"".join(_bytes(entries[path].digest) if path in entries else _NONE for path in files)
    store.put("links", _name(workspace), encode(_Kept(ENTRY_VERSION, resolution_inputs(snapshot), surfaces, digests)))


def _bytes(digest: str) -> bytes:
    return bytes.fromhex(digest)


def _name(workspace: str) -> str:
    return f"proof:{workspace}"
