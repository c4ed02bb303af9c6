"""Buffers: what open documents say, as files of a session.

Owns: which shard stands for a buffer, what of it is kept and for how long.
Must not know: threads, the order of work, snapshots.
Invariant: at rest a buffer says what a file with its contents would say; it is `dirty` where the disk holds others.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from graphls.facts.codec import encode
from graphls.facts.paths import ContentHash, FilePath
from graphls.facts.surface import SurfaceHash
from graphls.graph.snapshot import Shard
from graphls.session.documents.open_files import OpenFile, ParsedFile
from graphls.session.index.extraction import EncodedFile, content_key, encoded
from graphls.session.index.file_table import FileTable
from graphls.session.index.indexing import NO_SURFACE
from graphls.session.index.layout import is_manifest
from graphls.session.snapshot_contents import SharedCaches, key_of
from graphls.sources.content import content_hash
from graphls.sources.limits import SourceLimits
from graphls.sources.read import unfit


def index_buffer(open_file: OpenFile, files: FileTable, caches: SharedCaches) -> ParsedFile | None:
    """Puts a shard for what an open document holds now; what was understood, where its language is known."""
    content = content_hash(open_file.data)
    caches.texts.put(content, open_file.data, len(open_file.data))
    if is_manifest(open_file.path):
        files.note_manifest(open_file.path, open_file.data)
    parsed, dirty = open_file.parse(), content != open_file.on_disk
    if parsed is None or open_file.provider is None:
        files.place(Shard(open_file.path, "", content, len(open_file.data), NO_SURFACE, dirty))
        return None
    key = content_key(open_file.provider, open_file.path, content)
    known = caches.facts_cache.content_surfaces([key]).get(key)
    if known is None:
        digest = _put_content(key, parsed, caches, passing=dirty)
        caches.work.note_extracted(open_file.path)
    else:
        digest = SurfaceHash(known.surface_hash)
    caches.facts_cache.put_decoded(key, parsed.facts, parsed.surface)
    language = open_file.provider.capabilities.name
    files.place(Shard(open_file.path, language, content, len(open_file.data), digest, dirty))
    return parsed


def _put_content(key: str, parsed: ParsedFile, caches: SharedCaches, *, passing: bool) -> SurfaceHash:
    """A passing state is packed later: somebody types."""
    facts, surface = parsed.facts, parsed.surface
    if passing:
        return caches.facts_cache.put_transient(key, facts, encode(surface))
    made = encoded(facts, surface)
    caches.facts_cache.put(key, made)
    return made.surface_hash


def refresh(
    open_file: OpenFile,
    files: FileTable,
    caches: SharedCaches,
    limits: SourceLimits,
    on_disk: Callable[[FilePath], bytes | None],
) -> ParsedFile | None:
    """Takes in the newest contents of an open file, or leaves it out by name."""
    open_file.stale = False
    reason = unfit(open_file.data, limits)
    try:
        if reason is None:
            open_file.on_disk = open_file.on_disk or _hash(on_disk(open_file.path))
            return index_buffer(open_file, files, caches)
    except Exception as error:  # noqa: BLE001 (a file that extraction cannot take is left out by name)
        reason = f"extraction failed: {type(error).__name__}: {error}"[:300]
    files.refuse(open_file.path, reason)
    return None


def apply_reparse(
    open_file: OpenFile, fresh: ParsedFile, made: EncodedFile, files: FileTable, caches: SharedCaches
) -> None:
    """A tree made from an earlier one may differ from a fresh one; then the fresh one counts, here encoded."""
    shard = files.shards.get(open_file.path)
    if shard is None or not shard.language:
        return
    key = key_of(shard)
    same = caches.facts_cache.encoded_facts([key]).get(key) == made.facts
    if open_file.accept_reparse(fresh, same=same) and not same:
        caches.facts_cache.put(key, made, passing=True)
        caches.facts_cache.put_decoded(key, fresh.facts, fresh.surface)
        caches.forget_links(open_file.path)
        files.renew(attrs.evolve(shard, surface_hash=made.surface_hash))


def _hash(data: bytes | None) -> ContentHash | None:
    return None if data is None else content_hash(data)
