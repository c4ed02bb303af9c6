"""Partly read files: those of a snapshot with stretches that facts do not show in full, and the words that stand there.

Owns: the list of such files, where a word stands in them.
Must not know: questions, what a word means.
Invariant: a name that stands nowhere in these stretches is neither defined nor used there.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from graphls.facts.partly_read import PARTLY_READ, WORD, mentions_unread_words, reason, stretches
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.snapshot import Snapshot

_WORDS: Final = Memo["Mapping[str, Sequence[int]]"]("words of stretches that were not read", rests_on_links=False)
_REASON: Final = Memo["str"]("why the file is read in part", rests_on_links=False)
_NAMED: Final = Memo[bool]("whether the file mentions all words that were not read", rests_on_links=False)
_NOWHERE: Sequence[int] = ()


def partly_read(snapshot: Snapshot) -> Mapping[FilePath, str]:
    """Files that are read in part, and why; in order of path."""
    return {path: _reason(snapshot, path) for path in snapshot.files_with_name(PARTLY_READ)}


def files_with_unread_word(snapshot: Snapshot, word: str) -> Sequence[FilePath]:
    """Of these files, those in which a word may stand where they were not read in full; in order of path."""
    files = tuple(partly_read(snapshot))
    if not any(_is_named(snapshot, path) for path in files):
        return files
    with_word = frozenset(snapshot.files_with_name(word))
    return [path for path in files if path in with_word or not _is_named(snapshot, path)]


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


def _is_named(snapshot: Snapshot, path: FilePath) -> bool:
    return _NAMED.once(snapshot.shards[path], lambda: mentions_unread_words(snapshot.facts(path)))


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
            for match in WORD.finditer(text, max(start, last), end):
                found.setdefault(match[0].decode("utf-8", "replace"), array("I")).append(match.start())
            last = max(last, end)
        known = _WORDS.put(shard, found)
    return known
