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
from graphls.languages.registry import provider_for, provider_of
from graphls.session.documents.open_files import OpenFile, ParsedFile
from graphls.session.index.extraction import EncodedFile, content_key, encoded
from graphls.session.index.file_table import FileTable
from graphls.session.index.indexing import NO_SURFACE
from graphls.session.index.layout import is_manifest
from graphls.session.shared_caches import SharedCaches, key_of
from graphls.sources.content import content_hash
from graphls.sources.limits import SourceLimits
from graphls.sources.read import unfit


@attrs.frozen(eq=False)
class BufferReading:
    """What was read of an open file."""

    data: bytes = attrs.field(repr=False)
    content: ContentHash
    parsed: ParsedFile | None = None
    """None where its language is not known."""
    encoded: EncodedFile | None = None
    """The same as it is kept, of a file that is slow to read: nobody who asks for names waits until it is encoded."""
    problem: str | None = None
    """Why it cannot be read."""


def read_buffer(
    open_file: OpenFile, limits: SourceLimits, on_disk: Callable[[FilePath], bytes | None]
) -> BufferReading:
    """Reads the newest contents of an open file, or of its copy, which needs no lock."""
    open_file.stale = False
    read = BufferReading(open_file.data, open_file.content, problem=unfit(open_file.path, open_file.data, limits))
    if read.problem is not None:
        return read
    try:
        open_file.on_disk = open_file.on_disk or _hash(on_disk(open_file.path))
        parsed = open_file.parse()
        if parsed is None or not open_file.was_slow:
            return attrs.evolve(read, parsed=parsed)
        return attrs.evolve(read, parsed=parsed, encoded=encoded(parsed.facts, parsed.surface))
    except Exception as error:  # noqa: BLE001 (a file that extraction cannot take is left out by name)
        return attrs.evolve(read, problem=_failed(error))


def place_buffer(open_file: OpenFile, read: BufferReading, files: FileTable, caches: SharedCaches) -> ParsedFile | None:
    """Takes in what was read of an open file, or leaves it out by name; what was understood, where its language is
    known."""
    problem = read.problem
    if problem is None:
        try:
            return _place(open_file, read, files, caches)
        except Exception as error:  # noqa: BLE001 (as above)
            problem = _failed(error)
    files.refuse(open_file.path, problem)
    return None


def _failed(error: Exception) -> str:
    return f"extraction failed: {type(error).__name__}: {error}"[:300]


def _place(open_file: OpenFile, read: BufferReading, files: FileTable, caches: SharedCaches) -> ParsedFile | None:
    content, parsed = read.content, read.parsed
    caches.texts.put(content, read.data, len(read.data))
    if is_manifest(open_file.path):
        files.note_manifest(open_file.path, read.data)
    dirty = content != open_file.on_disk
    # It may have another first line by now.
    provider = open_file.provider if provider_for(open_file.path) else provider_of(open_file.path, read.data)
    if parsed is None or provider is None:
        files.place(Shard(open_file.path, "", content, len(read.data), NO_SURFACE, dirty))
        return None
    key = content_key(provider, open_file.path, content)
    known = caches.facts_cache.content_surfaces([key]).get(key)
    if known is None:
        digest = _put_content(key, parsed, read.encoded, caches, passing=dirty)
        caches.work.note_extracted(open_file.path)
    else:
        digest = SurfaceHash(known.surface_hash)
    caches.facts_cache.put_decoded(key, parsed.facts, parsed.surface)
    language = provider.capabilities.name
    files.place(Shard(open_file.path, language, content, len(read.data), digest, dirty))
    return parsed


def _put_content(
    key: str, parsed: ParsedFile, made: EncodedFile | None, caches: SharedCaches, *, passing: bool
) -> SurfaceHash:
    """A passing state is packed later, where it is not packed by now: somebody types."""
    facts, surface = parsed.facts, parsed.surface
    if passing and made is None:
        return caches.facts_cache.put_transient(key, facts, encode(surface))
    made = made or encoded(facts, surface)
    caches.facts_cache.put(key, made, passing=passing)
    return made.surface_hash


def refresh(
    open_file: OpenFile,
    files: FileTable,
    caches: SharedCaches,
    limits: SourceLimits,
    on_disk: Callable[[FilePath], bytes | None],
) -> ParsedFile | None:
    """Takes in the newest contents of an open file, or leaves it out by name."""
    return place_buffer(open_file, read_buffer(open_file, limits, on_disk), files, caches)


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
