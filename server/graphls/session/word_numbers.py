"""Word numbers: the words of unread files, kept between runs.

Owns: their key in the store, when they are read and written.
Must not know: which words are names, who asks.
Invariant: a stored value is used only for the contents and the ending that it was made from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.unread import WORDS_VERSION, unread_ending, words_in
from graphls.store.blobs import BlobStore


def stored_words(store: BlobStore | None, snapshot: Snapshot, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
    """Sorted numbers of the words of files, from the store where it has them; files whose text is gone lack."""
    keys = {path: _key(snapshot, path) for path in paths}
    stored: Mapping[str, bytes] = {} if store is None else store.get_many("words", keys.values())
    found = {path: stored[key] for path, key in keys.items() if key in stored}
    made: dict[FilePath, bytes] = {}
    for path in paths:
        text = snapshot.text(path) if path not in found else None
        if text is not None:
            made[path] = words_in(path, text)
    lasting = {keys[path]: words for path, words in made.items() if not snapshot.shards[path].dirty}
    if store is not None and lasting:
        store.put_many("words", lasting)
    return {**found, **made}


def _key(snapshot: Snapshot, path: FilePath) -> str:
    return f"{WORDS_VERSION}.{unread_ending(path)}.{snapshot.shards[path].content}"
