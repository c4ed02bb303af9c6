"""Shared entries: what of the cache another machine can use that has the same files.

Owns: the keys of one snapshot whose values are functions of contents.
Must not know: where entries go.
Invariant: no key names this machine, its folders or its clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphls.graph.snapshot import Snapshot
from graphls.session.shared_caches import key_of, stored_name
from graphls.store.blobs import Kind


def shared_entries(snapshot: Snapshot) -> Mapping[Kind, Sequence[str]]:
    """Keys by kind: facts, surfaces, links and edges of the files that graphls reads itself."""
    shards = [shard for shard in snapshot.shards.values() if shard.language and not shard.imported and not shard.dirty]
    contents = [key_of(shard) for shard in shards]
    names = [stored_name(shard.path, content) for shard, content in zip(shards, contents, strict=True)]
    return {"facts": contents, "surface": contents, "links": names, "edges": names}
