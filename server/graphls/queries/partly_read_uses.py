"""Partly read uses: words in code that was not read in full, as far as they may belong to an answer.

Owns: which of these words may mean a place, and which of them inside of a place may mean something.
Must not know: why code was not read, how words are counted.
Invariant: a use that facts record as one of something unknown is not listed here: it is counted as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from graphls.facts.columns import NONE
from graphls.facts.paths import FilePath
from graphls.graph.open_names import packed_number
from graphls.graph.partly_read import files_with_unread_word, partly_read, unread_words_at, words_between
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.rows import name_of, rows_between
from graphls.queries.visible import Visible


def uses_in_stretches(snapshot: Snapshot, places: Mapping[SymbolRef, Visible]) -> Iterator[tuple[FilePath, int, str]]:
    """File, offset and word where such code spells what a place is called: in other files as far as they can see the
    place, in its own anyway."""
    files = partly_read(snapshot)
    found: set[tuple[FilePath, int]] = set()
    for place, how in places.items() if files else ():
        for word, path in _spelled_in(snapshot, place, how, files):
            spend()
            for start in unread_words_at(snapshot, path, word):
                counted = bool(how.names) and _is_open_at(snapshot, path, start)
                if not counted and (path, start) not in found:
                    found.add((path, start))
                    yield path, start, word


def _spelled_in(
    snapshot: Snapshot, place: SymbolRef, how: Visible, files: Mapping[FilePath, str]
) -> Iterator[tuple[str, FilePath]]:
    names = {*how.names, *how.called.split()}
    own = place.file in files and place.definition != NONE
    own_name = name_of(snapshot.facts(place.file), place.definition) if own else ""
    for word in sorted({*names, own_name} - {""}):
        for path in files_with_unread_word(snapshot, word):
            if (word in names and _runs_with(snapshot, path, place.file)) or (path == place.file and word == own_name):
                yield word, path


def words_inside(snapshot: Snapshot, places: Iterable[SymbolRef]) -> Iterator[tuple[FilePath, int, str]]:
    """The same inside of places, for names that the workspace defines; each name once a place."""
    files = partly_read(snapshot)
    found: set[tuple[FilePath, int]] = set()
    for place in dict.fromkeys(places) if files else ():
        if place.file not in files:
            continue
        spend()
        shard, table = snapshot.shards[place.file], snapshot.facts(place.file).definitions
        defined = snapshot.defined_names(shard.language)
        start, end = 0, shard.size
        if place.definition != NONE:
            start, end = table.full_start[place.definition], table.full_end[place.definition]
        for word, offset in words_between(snapshot, place.file, start, end).items():
            known = packed_number(word, 0) in defined and not _is_open_at(snapshot, place.file, offset)
            if known and (place.file, offset) not in found:
                found.add((place.file, offset))
                yield place.file, offset, word


def _runs_with(snapshot: Snapshot, path: FilePath, other: FilePath) -> bool:
    """Whether code of one file can name what the other declares, by their languages."""
    language, known = snapshot.shards[path].language, snapshot.capabilities(other)
    return language == snapshot.shards[other].language or (known is not None and language in known.interop)


def _is_open_at(snapshot: Snapshot, path: FilePath, start: int) -> bool:
    uses = snapshot.facts(path).occurrences
    return any(uses.base[row] != NONE for row in rows_between(uses.start, start, start + 1))
