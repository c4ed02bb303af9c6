"""Node ids: which file has the node with an id.

Owns: the ids of each file's nodes, side by side, as the store keeps them.
Must not know: what a node is, who asks.
Invariant: what is stored was made of the same contents under the same package and module name, or it is made anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

from graphls.facts.paths import FilePath
from graphls.graph.addresses import ADDRESSES_VERSION, DIGEST, Addresses, addresses, cached_addresses, home_of
from graphls.graph.memo import Memo
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef

NODE_IDS: Final = f"ids of nodes {ADDRESSES_VERSION}"
"""What the ids of the nodes of a file are stored as."""
_AT_ONCE: Final = 200
"""Files whose ids are read from the store at once."""
_IDS: Final = Memo[bytes]("ids of nodes")
"""A digest of the home of the file, the id of the module, those of its nodes."""


def node_with_id(snapshot: Snapshot, digest: bytes) -> SymbolRef | None:
    """The node that has an id, by its digest. Raises BudgetSpentError; what was looked at by then is known after."""
    for path, known in cached_addresses(snapshot):
        row = known.row_of(digest)
        if row is not None:
            return SymbolRef(path, row)
    for path, ids in _ids_of_files(snapshot):
        if digest in ids:
            row = addresses(snapshot, path).row_of(digest)
            if row is not None:
                return SymbolRef(path, row)
    return None


def packed_ids(made: Addresses) -> bytes:
    """The ids of a file as they are stored."""
    return _digest(made.home) + made.module + made.digests


def _ids_of_files(snapshot: Snapshot) -> Iterator[tuple[FilePath, bytes]]:
    """The ids of each file: first of those of which they are known."""
    unknown: list[FilePath] = []
    files = tuple(snapshot.files())
    for first in range(0, len(files), _AT_ONCE):
        spend()
        batch = files[first : first + _AT_ONCE]
        left = [path for path in batch if _IDS.get(snapshot.shards[path]) is None]
        for path, ids in snapshot.reader.file_values(snapshot, NODE_IDS, left).items() if left else ():
            _IDS.put(snapshot.shards[path], ids)
        for path in batch:
            ids = _IDS.get(snapshot.shards[path])
            if ids is not None and ids.startswith(_digest(home_of(snapshot, path))):
                yield path, ids
            else:
                unknown.append(path)
    yield from _fresh_ids(snapshot, unknown)


def _fresh_ids(snapshot: Snapshot, files: list[FilePath]) -> Iterator[tuple[FilePath, bytes]]:
    """Ids that are made of the contents; kept, however far whoever asks goes."""
    made: dict[FilePath, bytes] = {}
    try:
        for path in files:
            spend()
            made[path] = _IDS.put(snapshot.shards[path], packed_ids(addresses(snapshot, path)))
            yield path, made[path]
    finally:
        if made:
            snapshot.reader.store_file_values(snapshot, NODE_IDS, made)


def _digest(home: str) -> bytes:
    return blake2b(home.encode(errors="surrogatepass"), digest_size=DIGEST).digest()
