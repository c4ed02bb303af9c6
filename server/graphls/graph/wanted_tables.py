"""Wanted tables: packed edges of files that one search asks again and again.

Owns: when packing all edges of a file costs less than asking on, the packed edges that are stored for later runs.
Must not know: how edges are found, who searches.
Invariant: what is read from the store has the stamp of the file's links in this snapshot, or it is not used.

A command begins without packed edges. A question about one symbol reads a few files once; the search for what a hub
may be called through asks the same thousand files some hundred times each.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import Final

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.paths import FilePath
from graphls.graph.edge_table import (
    VERSION,
    EdgeTable,
    cache_table,
    checker_stamp,
    is_cacheable,
    pack,
    stamp_of,
)
from graphls.graph.evidence import RawEdge
from graphls.graph.memo import MemoTable
from graphls.graph.snapshot import Snapshot

_ASKED: Final = MemoTable["FilePath", "int"]("questions about the edges of a file")
_TWICE: Final = 2
"""Questions after which stored edges are read."""
_OFTEN: Final = 12
"""Questions about the edges of a file that cost about as much as packing all of them."""
_MOST_USES: Final = 40_000
"""A request is not to wait until a file with more is packed."""
_SUBJECT: Final = f"edge table {VERSION}"


def wanted_table(
    snapshot: Snapshot, path: FilePath, edges: Callable[[Snapshot, FilePath], Iterable[RawEdge]]
) -> EdgeTable | None:
    """The packed edges of a file that has none at hand, once it was asked about often enough; `edges`: all
    of them."""
    asked = _ASKED.of(snapshot)
    times = asked[path] = asked.get(path, 0) + 1
    if times not in (_TWICE, _OFTEN) or not is_cacheable(snapshot, path):
        return None
    is_own = checker_stamp(snapshot, snapshot.shards[path]) is None
    table = _stored(snapshot, path) if is_own and times == _TWICE else None
    if table is None and times == _OFTEN and len(snapshot.facts(path).occurrences) <= _MOST_USES:
        table = pack(snapshot, path, edges(snapshot, path))
        if table is not None and is_own:
            raw = zlib.compress(encode(table), 1)
            snapshot.reader.store_file_values(snapshot, _SUBJECT, {path: raw})
    if table is not None:
        cache_table(snapshot, path, table)
    return table


def _stored(snapshot: Snapshot, path: FilePath) -> EdgeTable | None:
    raw = snapshot.reader.file_values(snapshot, _SUBJECT, (path,)).get(path)
    try:
        table = None if raw is None else decode(EdgeTable, zlib.decompress(raw))
    except (CodecError, zlib.error):
        return None
    return table if table is not None and table.stamp == stamp_of(snapshot, path) else None
