"""Position: what stands at a place in a file.

Owns: the choice between the occurrence and the binding that share a position.
Must not know: what the name means, LSP types, lines and columns.
Invariant: reads the facts of one file and nothing else.
"""

from __future__ import annotations

import re
from typing import Final

import attrs

from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.queries.rows import row_at

_WORD: Final = re.compile(rb"[\w$\x80-\xff]+")


@attrs.frozen
class NameAtOffset:
    """A name in a file. `occurrence` and `definition` are rows, or -1; both are set for `from m import x`."""

    file: FilePath
    occurrence: int
    definition: int
    start: int
    end: int


def name_at(snapshot: Snapshot, path: FilePath, offset: int) -> NameAtOffset | None:
    """The name that an offset touches, or None between names and in files without facts."""
    shard = snapshot.shards.get(path)
    if shard is None or not shard.language:
        return None
    facts = snapshot.facts(path)
    uses, binds = facts.occurrences, facts.definitions
    use, bind = row_at(uses.start, uses.end, offset), row_at(binds.start, binds.end, offset)
    if use != NONE and bind != NONE and uses.start[use] != binds.start[bind]:
        # Two names touch: the one that begins at the offset wins.
        use, bind = (use, NONE) if uses.start[use] > binds.start[bind] else (NONE, bind)
    if use != NONE:
        return NameAtOffset(path, use, bind, uses.start[use], uses.end[use])
    if bind != NONE:
        return NameAtOffset(path, NONE, bind, binds.start[bind], binds.end[bind])
    return None


def word_at(text: bytes, offset: int) -> bytes:
    """The word that an offset of a text touches, empty for none."""
    words = (word for word in _WORD.finditer(text, text.rfind(b"\n", 0, offset) + 1) if word.end() >= offset)
    found = next(words, None)
    return found[0] if found is not None and found.start() <= offset else b""
