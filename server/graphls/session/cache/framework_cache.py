"""Framework cache: what framework rules derive, from one run to the next.

Owns: under which name that is kept in the store, for which states of a workspace it may be looked at.
Must not know: what is derived, from what.
Invariant: whoever reads has the files, the module names and the versions that the writer had; contents may differ.
"""

from __future__ import annotations

from hashlib import blake2b

from graphls.graph.resolution_inputs import resolution_inputs
from graphls.graph.snapshot import Snapshot
from graphls.store.blobs import BlobStore

MANY_DERIVED = 20
"""So much is lost at most when a session is killed."""
_DIGEST = 16


def load_derived(snapshot: Snapshot, store: BlobStore, workspace: str) -> None:
    """Says where to read what was derived before; nothing is read before somebody asks for it."""

    def read(now: Snapshot) -> bytes | None:
        raw = store.get("edges", _name(workspace))
        return raw[_DIGEST:] if raw is not None and raw[:_DIGEST] == _world(now) else None

    if snapshot.derivation is not None:
        snapshot.derivation.remember(snapshot, read)


def store_derived(snapshot: Snapshot, store: BlobStore, workspace: str, least: int = 1) -> None:
    """Writes down what was derived so far, if so many files are new in it."""
    made = None if snapshot.derivation is None else snapshot.derivation.stored(snapshot, least)
    if made is not None:
        store.put("edges", _name(workspace), _world(snapshot) + made)


def _world(snapshot: Snapshot) -> bytes:
    """All that what is derived rests on besides the contents of files and the rules."""
    from graphls.graph.merkle import versions  # brings all kinds of records along: the first state does without them

    parts = [versions(), *(f"{folder}\0{name}" for folder, name in sorted(snapshot.packages.items()))]
    parts += (f"{path}\0{shard.language}" for path, shard in snapshot.shards.items())
    text = "\n".join(parts).encode(errors="surrogatepass")
    return blake2b(resolution_inputs(snapshot) + text, digest_size=_DIGEST).digest()


def _name(workspace: str) -> str:
    return f"derived:{workspace}"
