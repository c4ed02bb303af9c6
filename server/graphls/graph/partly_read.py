"""Partly read files: those of a snapshot with stretches that facts do not show in full, and the words that stand there.

Owns: the list of such files, where a word stands in them.
Must not know: questions, what a word means.
Invariant: a name that stands nowhere in these stretches is neither defined nor used there.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from graphls.facts.partly_read import PARTLY_READ, reason, stretches
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot

_WORD: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_WORDS: Final = Memo["Mapping[str, Sequence[int]]"]("words of stretches that were not read", rests_on_links=False)
_REASON: Final = Memo["str"]("why the file is read in part", rests_on_links=False)
_NOWHERE: Sequence[int] = ()


def partly_read(snapshot: Snapshot) -> Mapping[FilePath, str]:
    """Files that are read in part, and why; in order of path."""
    return {path: _reason(snapshot, path) for path in snapshot.files_with_name(PARTLY_READ)}


def unread_words_at(snapshot: Snapshot, path: FilePath, word: str) -> Sequence[int]:
    """Offsets at which a word stands where a partly read file was not read in full."""
    return _words(snapshot, path).get(word, _NOWHERE)


def words_between(snapshot: Snapshot, path: FilePath, start: int, end: int) -> Mapping[str, int]:
    """The words that stand there in a range of the file, with the first offset of each."""
    found: dict[str, int] = {}
    for word, offsets in _words(snapshot, path).items():
        at = bisect_left(offsets, start)
        if at < len(offsets) and offsets[at] < end:
            found[word] = offsets[at]
    return found


def _reason(snapshot: Snapshot, path: FilePath) -> str:
    return _REASON.once(snapshot.shards[path], lambda: reason(snapshot.facts(path)))


def _words(snapshot: Snapshot, path: FilePath) -> Mapping[str, Sequence[int]]:
    shard = snapshot.shards[path]
    known = _WORDS.get(shard)
    if known is None:
        text = snapshot.text(path)
        if text is None:
            # It changed since: it is pending, which an answer says.
            return {}
        found: dict[str, array[int]] = {}
        last = 0
        for start, end in sorted(stretches(snapshot.facts(path))):
            for match in _WORD.finditer(text, max(start, last), end):
                found.setdefault(match[0].decode("utf-8", "replace"), array("I")).append(match.start())
            last = max(last, end)
        known = _WORDS.put(shard, found)
    return known
