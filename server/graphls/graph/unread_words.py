"""Unread words: which unread files have a word that is the name of something in the workspace.

Owns: the list of unread files of a snapshot, the files by name, how long both hold; where a text has a word.
Must not know: what a word means where it stands, questions.
Invariant: a name that is not listed stands in no part of an unread file that may name code.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Final

import attrs

from graphls.facts.name_numbers import name_number
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo
from graphls.graph.open_names import packed_number, same_name
from graphls.graph.request_budget import spend
from graphls.graph.snapshot import Snapshot
from graphls.languages.extract.yielding import yield_now
from graphls.languages.registry import is_script
from graphls.languages.unread import FOREIGN, unread_ending

_FILES: Final = Memo["Sequence[FilePath]"]("unread files")
_NAMED: Final = Memo["_WordIndex"]("unread words")
_WORDS: Final = Memo["array[int]"]("unread words of the file")
_NOWHERE: tuple[FilePath, ...] = ()
_IN_WORDS: Final = frozenset([*b"_", *range(0x80, 0x100), *filter(lambda byte: chr(byte).isalnum(), range(0x80))])


@attrs.frozen(eq=False)
class _WordIndex:
    """`defined`: the names that were looked for, by language."""

    defined: Mapping[str, Set[int]]
    modules: Mapping[str, object]
    files: Mapping[int, Sequence[FilePath]]


def unread_files(snapshot: Snapshot) -> Sequence[FilePath]:
    """Text files that no provider reads and that may name code, in order of path; also those of languages whose strings
    may name code of others."""
    shards = snapshot.shards.items()
    return _FILES.once(snapshot, lambda: tuple(path for path, shard in shards if _may_name(path, shard.language)))


def _may_name(path: FilePath, language: str) -> bool:
    ending = unread_ending(path)
    return bool(ending) and (not language or ending in FOREIGN or is_script(language))


def unread_files_with(snapshot: Snapshot, name: str) -> Sequence[FilePath]:
    """Unread files that have a word where it may name code. Asked for names of definitions, modules and aliases."""
    return _word_index(snapshot).files.get(packed_number(name, 0), _NOWHERE)


def starts_of_word(text: bytes, word: str, besides: bytes = b"") -> Iterator[int]:
    """Where a word stands by itself in a text; `besides`: bytes that are parts of words too. Of an expression that
    looks behind itself, each byte would take as long as a hundred here."""
    spelled, inside = word.encode(), _IN_WORDS.union(besides)
    if not spelled:
        return
    end, size = 0, len(text)
    spend()
    while (start := text.find(spelled, end)) >= 0:
        spend()
        end = start + len(spelled)
        if (start and text[start - 1] in inside) or (end < size and text[end] in inside):
            end = start + 1
        else:
            yield start


def follow(before: Snapshot, snapshot: Snapshot, edited: Collection[FilePath]) -> None:
    """The same files are there; those that were edited have other contents."""
    now = [snapshot.shards[path].language for path in edited if path in snapshot.shards]
    if any(not language or is_script(language) for language in now):
        return
    _FILES.carry(before, snapshot)
    _NAMED.carry(before, snapshot)


def _word_index(snapshot: Snapshot) -> _WordIndex:
    known = _NAMED.get(snapshot)
    defined = {language: snapshot.defined_names(language) for language in snapshot.modules}
    if known is not None and known.modules is snapshot.modules:
        same = known.defined.keys() == defined.keys()
        if same and all(known.defined[language] is names for language, names in defined.items()):
            return known
    wanted = set[int]().union(*defined.values(), _module_names(snapshot))
    files: dict[int, list[FilePath]] = {}
    for path, words in _words(snapshot).items():
        yield_now()
        for number in wanted.intersection(map(same_name, words)):
            files.setdefault(number, []).append(path)
    return _NAMED.put(snapshot, _WordIndex(defined, snapshot.modules, files))


def _module_names(snapshot: Snapshot) -> Set[int]:
    names: set[str] = set()
    for table in snapshot.modules.values():
        for path, name in table.names.items():
            folder, _, base = path.rpartition("/")
            names.update((name.dotted.rpartition(".")[2], base.partition(".")[0], folder.rpartition("/")[2]))
    return {same_name(name_number(name)) for name in names}


def _words(snapshot: Snapshot) -> Mapping[FilePath, array[int]]:
    """The words of each unread file; of one whose text is gone nothing, as it is pending."""
    paths = unread_files(snapshot)
    missing = [path for path in paths if _WORDS.get(snapshot.shards[path]) is None]
    if missing:
        for path, raw in snapshot.reader.words(snapshot, missing).items():
            numbers = array("Q")
            numbers.frombytes(raw)
            _WORDS.put(snapshot.shards[path], numbers)
    known = ((path, _WORDS.get(snapshot.shards[path])) for path in paths)
    return {path: words for path, words in known if words is not None}
