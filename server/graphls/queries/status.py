"""Status: what the graph holds now and what it could not take in.

Owns: counts of files, languages, unsaved buffers, skipped and pending files.
Must not know: caches, processes, protocols; the session adds what it knows.
Invariant: reads what the snapshot has at hand, so it is answered at once whatever else runs.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.partly_read import partly_read
from graphls.graph.snapshot import SkippedFile, Snapshot

MAX_LISTED = 100


@attrs.frozen
class Status:
    """Lists are capped at 100; counts are not."""

    files: int
    indexed: int
    bytes: int
    languages: tuple[tuple[str, int], ...]
    dirty: tuple[FilePath, ...]
    pending: int
    skipped_count: int
    skipped: tuple[SkippedFile, ...]
    unlinked_count: int
    unlinked: tuple[SkippedFile, ...]
    """Files that could not be linked: what they use is unknown."""
    partly_read_count: int
    partly_read: tuple[SkippedFile, ...]
    """Files with code that was not read in full, and why."""
    packages: tuple[str, ...]


def status(snapshot: Snapshot) -> Status:
    """What the graph holds."""
    shards = snapshot.shards.values()
    failed, partial = snapshot.link_failures(), partly_read(snapshot)
    languages = Counter(shard.language for shard in shards if shard.language)
    return Status(
        files=len(snapshot.shards),
        indexed=sum(languages.values()),
        bytes=sum(shard.size for shard in shards),
        languages=tuple(sorted(languages.items())),
        dirty=tuple(shard.path for shard in shards if shard.dirty)[:MAX_LISTED],
        pending=len(snapshot.pending),
        skipped_count=len(snapshot.skipped),
        skipped=snapshot.skipped[:MAX_LISTED],
        unlinked_count=len(failed),
        unlinked=tuple(SkippedFile(path, failed[path]) for path in islice(failed, MAX_LISTED)),
        partly_read_count=len(partial),
        partly_read=tuple(SkippedFile(path, partial[path]) for path in islice(partial, MAX_LISTED)),
        packages=tuple(sorted(set(snapshot.packages.values()))),
    )
