"""Left-out uses: words that may mean a symbol of an imported file, in files that its index does not tell of.

Owns: which files these are, where words stand in them.
Must not know: why a file was left out, what an answer does with the uses.
Invariant: a function of the snapshot; nothing is found for symbols of files that graphls reads itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graphls.facts.paths import FilePath, ending_of
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.graph.unread_words import starts_of_word
from graphls.queries.visible import Visible


def left_out_uses(snapshot: Snapshot, seen: Mapping[SymbolRef, Visible]) -> Iterator[tuple[FilePath, int, str]]:
    """File, first byte and word."""
    names = {
        (ending_of(place.file), name)
        for place, how in seen.items()
        if snapshot.shards[place.file].imported
        for name in how.names
    }
    for skipped in snapshot.skipped if names else ():
        shard = snapshot.shards.get(skipped.path)
        wanted = sorted(name for ending, name in names if ending == ending_of(skipped.path))
        text = snapshot.text(skipped.path) if wanted and shard is not None and not shard.language else None
        for name in wanted if text is not None else ():
            yield from ((skipped.path, start, name) for start in starts_of_word(text or b"", name))
