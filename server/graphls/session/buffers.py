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
from graphls.session.extraction import Extracted, content_key, encoded
from graphls.session.files import Files
from graphls.session.indexing import NO_SURFACE
from graphls.session.layout import is_manifest
from graphls.session.open_files import OpenFile, Understood
from graphls.session.reader import Shelf, key_of
from graphls.sources.content import content_hash
from graphls.sources.limits import Limits
from graphls.sources.read import unfit


def take_in(held: OpenFile, files: Files, shelf: Shelf) -> Understood | None:
    """Puts a shard for what an open document holds now; what was understood, where its language is known."""
    content = content_hash(held.data)
    shelf.texts.put(content, held.data, len(held.data))
    if is_manifest(held.path):
        files.note_manifest(held.path, held.data)
    understood, dirty = held.understood(), content != held.on_disk
    if understood is None or held.provider is None:
        files.place(Shard(held.path, "", content, len(held.data), NO_SURFACE, dirty))
        return None
    key = content_key(held.provider, held.path, content)
    known = shelf.contents.shown([key]).get(key)
    if known is None:
        digest = _kept(key, understood, shelf, passing=dirty)
        shelf.work.note_extracted(held.path)
    else:
        digest = SurfaceHash(known.surface_hash)
    shelf.contents.put_decoded(key, understood.facts, understood.surface)
    files.place(Shard(held.path, held.provider.name, content, len(held.data), digest, dirty))
    return understood


def _kept(key: str, understood: Understood, shelf: Shelf, *, passing: bool) -> SurfaceHash:
    """A passing state is packed later: somebody types."""
    facts, surface = understood.facts, understood.surface
    if passing:
        return shelf.contents.put_passing(key, facts, encode(surface))
    made = encoded(facts, surface)
    shelf.contents.put(key, made)
    return made.surface_hash


def refresh(
    held: OpenFile, files: Files, shelf: Shelf, limits: Limits, on_disk: Callable[[FilePath], ContentHash | None]
) -> Understood | None:
    """Takes in the newest contents of an open file, or leaves it out by name."""
    held.stale = False
    reason = unfit(held.data, limits)
    try:
        if reason is None:
            held.on_disk = held.on_disk or on_disk(held.path)
            return take_in(held, files, shelf)
    except Exception as error:  # noqa: BLE001 (a file that extraction cannot take is left out by name)
        reason = f"extraction failed: {type(error).__name__}: {error}"[:300]
    files.refuse(held.path, reason)
    return None


def settle(held: OpenFile, fresh: Understood, made: Extracted, files: Files, shelf: Shelf) -> None:
    """A tree made from an earlier one may differ from a fresh one; then the fresh one counts, here encoded."""
    shard = files.shards.get(held.path)
    if shard is None or not shard.language:
        return
    key = key_of(shard)
    same = shelf.contents.encoded_facts([key]).get(key) == made.facts
    if held.settle(fresh, same=same) and not same:
        shelf.contents.put(key, made, passing=True)
        shelf.contents.put_decoded(key, fresh.facts, fresh.surface)
        shelf.forget_links(held.path)
        files.renew(attrs.evolve(shard, surface_hash=made.surface_hash))
