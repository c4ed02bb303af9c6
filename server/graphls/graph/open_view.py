"""Open view: the open names of files as one snapshot sees them.

Owns: what is left of a file's open names after what a checker said, how long that is kept.
Must not know: questions, what a doubt means to them.
Invariant: a checker only takes away from what a file's own links leave open.
"""

from __future__ import annotations

from typing import cast

from graphls.facts.paths import FilePath
from graphls.graph.edge_table import decided_by, stamp_of
from graphls.graph.open_names import OpenNames, open_names_of
from graphls.graph.snapshot import Snapshot

_KEPT = "verified open names"
_FOUND = "open names"


def open_names(snapshot: Snapshot, path: FilePath) -> OpenNames | None:
    """Uses in a file whose meaning is not known; None when the file is not linked yet."""
    own = snapshot.own_open_names(path)
    shard = snapshot.shards[path]
    if own is None or not own.numbers or snapshot.verification is None or not snapshot.verification.speaks_of(shard):
        return own
    found = cast("dict[FilePath, OpenNames]", snapshot.kept.setdefault(_FOUND, {}))
    known = found.get(path)
    if known is None:
        said, stamp = decided_by(snapshot, shard), stamp_of(snapshot, path)
        kept = cast("tuple[object, str, OpenNames] | None", shard.kept.get(_KEPT))
        lasts = bool(stamp) and said is not None and said[0] is not None
        if lasts and kept is not None and kept[:2] == (said, stamp):
            known = kept[2]
        else:
            known = open_names_of(snapshot.facts(path), snapshot.links(path))
            if lasts:
                shard.kept[_KEPT] = (said, stamp, known)
        found[path] = known
    return known
