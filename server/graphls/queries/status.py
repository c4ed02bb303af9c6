"""Status: what the graph holds now and what it could not take in.

Owns: counts of files, languages, unsaved buffers, skipped and pending files.
Must not know: caches, processes, protocols; the session adds what it knows.
Invariant: reads the snapshot's shards only, so it is answered at once whatever else runs.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

import attrs

from graphls.facts.paths import FilePath
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
    packages: tuple[str, ...]


def status(snapshot: Snapshot) -> Status:
    """What the graph holds."""
    shards = snapshot.shards.values()
    failed = snapshot.link_failures()
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
        packages=tuple(sorted(set(snapshot.packages.values()))),
    )
