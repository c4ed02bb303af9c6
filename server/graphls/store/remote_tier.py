"""Remote tier: a local store with a remote one behind it, which is read when the local one misses much.

Owns: when the newest pack of a name is taken in, and that it is taken in once.
Must not know: settings, what entries mean.
Invariant: what is wrong with the remote store, or with what it holds, is a miss with a line in the log; nothing is
    read from it without a signature by the key of this machine.
"""

from __future__ import annotations

import logging
import os
from hashlib import blake2b
from typing import Final

from graphls.store.blobs import BlobStore, StoreOptions
from graphls.store.remote_packs import RemoteError, object_name, pull_pack, signing_key

_URL: Final = "GRAPHLS_CACHE_REMOTE"
_NAME: Final = "GRAPHLS_CACHE_REMOTE_NAME"
_PATIENCE: Final = 3.0
"""Seconds that a store may take to answer at all: somebody waits for the first reading."""
_log = logging.getLogger(__name__)


def tiered_store(options: StoreOptions, url: str, name: str) -> BlobStore:
    """The local store; behind it the pack of a name in a remote one, where both are given, or else in the environment
    (GRAPHLS_CACHE_REMOTE, GRAPHLS_CACHE_REMOTE_NAME)."""
    url, name = url or os.environ.get(_URL, ""), name or os.environ.get(_NAME, "")
    if not (url and name):
        return BlobStore(options)
    return BlobStore(options, beyond=lambda store: _taken_in(store, url, name))


def _taken_in(store: BlobStore, url: str, name: str) -> bool:
    from graphls.store.remote_objects import ObstoreObjects  # few sessions have a remote store

    row = f"remote:{blake2b(f'{url}{chr(0)}{name}'.encode(), digest_size=16).hexdigest()}"
    known = (store.get("values", row) or b"").decode("ascii", "replace")
    try:
        done = pull_pack(store, ObstoreObjects(url, _PATIENCE), object_name(name), signing_key(), known)
    except RemoteError as error:
        store.beyond_problem = str(error)
        _log.warning("the remote cache is not used: %s", error)
        return False
    store.beyond_problem = done.problem
    if done.problem or not done.entries:
        return False
    store.put("values", row, done.digest.encode())
    _log.info("%s entries were taken in from the remote cache %r", f"{done.entries:,}", name)
    return True
