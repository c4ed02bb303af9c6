"""Term cache: the terms of files, kept between runs.

Owns: the key of a file's terms in the store, when they are read and written.
Must not know: ranking, what terms mean.
Invariant: a stored value is used only for the contents, path and recipe that it was made from; none is ever needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import attrs

from graphls.context.document_terms import (
    document_terms,
    documents,
    has_document_terms,
    restore_document_terms,
)
from graphls.context.lexical import LEXICAL_VERSION, FileTerms, fresh_terms, has_terms, restore_terms, terms_in
from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.file_facts import FACTS_VERSION
from graphls.facts.paths import FilePath
from graphls.graph.addresses import digest_of
from graphls.graph.memo import Memo
from graphls.graph.request_budget import is_spent_to
from graphls.graph.snapshot import Shard, Snapshot
from graphls.languages.config.reading import READING_VERSION
from graphls.languages.registry import providers
from graphls.store.blobs import BlobStore

_STORED = Memo[bool]("terms stored")
_SLICE = 100
"""Files whose terms are looked up, and written, at once."""
_PART = 0.4
"""Of a request, for the terms of files that nobody asked about yet."""


def ready_terms(snapshot: Snapshot, store: BlobStore | None) -> int:
    """Have the terms of every file at hand, from the store where it has them; answers how many were made anew. Where a
    request has no time for all, what it ranks comes from those that are there, and the next one goes on."""
    missing = [path for path in snapshot.files() if not has_terms(snapshot, path)]
    lasting = partial(_is_lasting, snapshot)
    terms = _TermSource(partial(_key, snapshot), partial(_restore, snapshot), partial(terms_in, snapshot), lasting)
    return _ready(store, missing, terms)


def ready_document_terms(snapshot: Snapshot, store: BlobStore | None) -> int:
    """The same of documents."""
    missing = [path for path in documents(snapshot) if not has_document_terms(snapshot, path)]
    terms = _TermSource(
        partial(_document_key, snapshot),
        partial(_restore_document, snapshot),
        partial(document_terms, snapshot),
        lambda path: not snapshot.shards[path].dirty and snapshot.text(path) is not None,
    )
    return _ready(store, missing, terms)


@attrs.frozen
class _TermSource:
    """How the terms of a file are named in the store, taken from it and made; whether they may be stored."""

    key: Callable[[FilePath], str]
    restore: Callable[[FilePath, bytes], bool]
    make: Callable[[FilePath], FileTerms]
    is_lasting: Callable[[FilePath], bool]


def _ready(store: BlobStore | None, missing: Sequence[FilePath], terms: _TermSource) -> int:
    made = 0
    for first in range(0, len(missing), _SLICE):
        if is_spent_to(_PART):
            break
        made += _ready_slice(store, missing[first : first + _SLICE], terms)
    return made


def _ready_slice(store: BlobStore | None, paths: Sequence[FilePath], terms: _TermSource) -> int:
    missing = {terms.key(path): path for path in paths}
    if store is not None:
        for key, raw in store.get_many("terms", missing).items():
            if terms.restore(missing[key], raw):
                del missing[key]
    made: dict[str, bytes] = {}
    for key, path in missing.items():
        if is_spent_to(_PART):
            break
        made[key] = encode(terms.make(path))
    lasting = {key: raw for key, raw in made.items() if terms.is_lasting(missing[key])}
    if store is not None and lasting:
        store.put_many("terms", lasting)
    return len(made)


def store_terms(snapshot: Snapshot, store: BlobStore, stop: Callable[[], bool]) -> None:
    """Has the terms of every file in the store, until `stop` says so; not at hand, as reading them is quick."""
    missing = [path for path, shard in snapshot.shards.items() if shard.language and not _is_stored(shard)]
    for first in range(0, len(missing), _SLICE):
        if stop():
            return
        keys = {_key(snapshot, path): path for path in missing[first : first + _SLICE]}
        there = store.present("terms", keys)
        made: dict[str, bytes] = {}
        for key in keys.keys() - there:
            if stop():
                break
            found = fresh_terms(snapshot, keys[key])
            if found is not None:
                made[key] = encode(found)
        if not made or store.put_many("terms", made):
            for key in (*there, *made):
                _STORED.put(snapshot.shards[keys[key]], True)


def _is_stored(shard: Shard) -> bool:
    """Whether the store has the terms of these contents, or must not have them."""
    return shard.dirty or bool(_STORED.get(shard))


def _restore(snapshot: Snapshot, path: FilePath, raw: bytes) -> bool:
    try:
        restore_terms(snapshot, path, decode(FileTerms, raw))
    except CodecError:
        return False
    return True


def _restore_document(snapshot: Snapshot, path: FilePath, raw: bytes) -> bool:
    try:
        restore_document_terms(snapshot, path, decode(FileTerms, raw))
    except CodecError:
        return False
    return True


def _document_key(snapshot: Snapshot, path: FilePath) -> str:
    content = snapshot.shards[path].content
    return digest_of("document", str(LEXICAL_VERSION), str(READING_VERSION), path, content).hex()


def _is_lasting(snapshot: Snapshot, path: FilePath) -> bool:
    """Whether the terms were made from the real text, and from what is on disk."""
    return has_terms(snapshot, path) and not snapshot.shards[path].dirty


def _key(snapshot: Snapshot, path: FilePath) -> str:
    shard = snapshot.shards[path]
    provider = providers().get(shard.language)
    recipe = "imported" if provider is None else provider.recipe
    return digest_of(str(LEXICAL_VERSION), str(FACTS_VERSION), recipe, path, shard.content).hex()
