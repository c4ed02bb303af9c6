"""Open view: the open names of files as one snapshot sees them.

Owns: what is left of a file's open names after what a checker said, how long that is kept.
Must not know: questions, what a doubt means to them.
Invariant: a checker only takes away from what a file's own links leave open.
"""

from __future__ import annotations

from graphls.facts.paths import FilePath
from graphls.graph.edge_table import checker_stamp, stamp_of
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.open_names import OpenNames, open_names_of
from graphls.graph.snapshot import Snapshot

_VERIFIED = Memo["tuple[object, str, OpenNames]"]("verified open names")
_BY_FILE = MemoTable["FilePath", "OpenNames"]("open names")


def open_names(snapshot: Snapshot, path: FilePath) -> OpenNames | None:
    """Uses in a file whose meaning is not known; None when the file is not linked yet."""
    own = snapshot.own_open_names(path)
    shard = snapshot.shards[path]
    if own is None or not own.numbers or snapshot.verification is None or not snapshot.verification.may_answer(shard):
        return own
    found = _BY_FILE.of(snapshot)
    known = found.get(path)
    if known is None:
        checker, stamp = checker_stamp(snapshot, shard), stamp_of(snapshot, path)
        entry = _VERIFIED.get(shard)
        lasts = bool(stamp) and checker is not None and checker[0] is not None
        if lasts and entry is not None and entry[:2] == (checker, stamp):
            known = entry[2]
        else:
            known = open_names_of(snapshot.facts(path), snapshot.links(path))
            if lasts:
                _VERIFIED.put(shard, (checker, stamp, known))
        found[path] = known
    return known
