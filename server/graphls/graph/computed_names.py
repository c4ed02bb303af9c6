"""Computed names: where code looks names up by strings that it puts together.

Owns: the places of a workspace, the names that fit them.
Must not know: how a language spells such a lookup, questions, findings, how links were made.
Invariant: a function of the texts of files; a lookup by a plain variable says nothing of names and has no pattern.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import attrs

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.columns import Column, column
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import providers

_BY_LANGUAGE: Final = MemoTable[str, "_LanguageNames"]("computed names by language", rests_on_links=False)
_OF_FILE: Final = Memo["Sequence[ComputedName]"]("computed names", rests_on_links=False)
_SUBJECT: Final = "computed names 1"
"""The number is raised whenever other places are found, or they are packed in another way."""
_FEW: Final = 8
"""Texts that are read without asking first which files have one of the words."""
_LEAST: Final = 2
"""Letters and digits that a pattern must spell to say something of other files."""


@attrs.frozen
class ComputedName:
    """A place where names that fit a pattern may be meant."""

    file: FilePath
    start: int
    end: int
    """Bytes."""
    pattern: str
    """What is written, with `*` for what is not."""
    far: bool
    """It spells enough to tell a name from others, wherever this is."""


@attrs.frozen(eq=False)
class _ComputedColumns:
    """The places of one file, as they are stored."""

    patterns: tuple[str, ...]
    start: Column
    end: Column
    far: Column


@attrs.frozen(eq=False)
class _LanguageNames:
    """All places of one language. `edited`: files that were edited since they were found."""

    uses: Sequence[ComputedName]
    edited: frozenset[FilePath] = frozenset()


def follow(before: Snapshot, snapshot: Snapshot, edited: Collection[FilePath]) -> None:
    """The same files are there; those that were edited have other contents."""
    known = _BY_LANGUAGE.get(before)
    if known:
        followed = {name: attrs.evolve(names, edited=names.edited.union(edited)) for name, names in known.items()}
        _BY_LANGUAGE.put(snapshot, followed)


def computed_uses(snapshot: Snapshot, path: FilePath, name: str) -> Iterator[ComputedName]:
    """Places that may mean a name which a file defines."""
    known = snapshot.capabilities(path)
    if known is None or known.name_lookups is None:
        return
    for use in _all(snapshot, known.name):
        if (use.far or use.file == path) and _fits(use.pattern, name):
            yield use


def _fits(pattern: str, name: str) -> bool:
    return _matcher(pattern).fullmatch(name) is not None


@lru_cache(maxsize=2_000)
def _matcher(pattern: str) -> re.Pattern[str]:
    return re.compile(re.escape(pattern).replace(r"\*", r"\w+"))


def _all(snapshot: Snapshot, language: str) -> Sequence[ComputedName]:
    by_language = _BY_LANGUAGE.of(snapshot)
    known = by_language.get(language)
    if known is None or known.edited:
        shards = snapshot.shards
        among = snapshot.files() if known is None else sorted(known.edited)
        paths = [path for path in among if path in shards and shards[path].language == language]
        _recall(snapshot, language, [path for path in paths if _OF_FILE.get(shards[path]) is None])
        kept = [use for use in known.uses if use.file not in known.edited] if known is not None else []
        found = (_OF_FILE.get(shards[path]) or () for path in paths)
        known = by_language[language] = _LanguageNames((*kept, *(use for uses in found for use in uses)))
    return known.uses


def _recall(snapshot: Snapshot, language: str, paths: Sequence[FilePath]) -> None:
    """Has the places of these files at hand: as an earlier run found them, else found now."""
    shards = snapshot.shards
    # What an editor did not save was never stored.
    for path, raw in _stored(snapshot, [path for path in paths if not shards[path].dirty]).items():
        with contextlib.suppress(CodecError):
            _OF_FILE.put(shards[path], tuple(_unpack(path, decode(_ComputedColumns, raw))))
    missing = [path for path in paths if _OF_FILE.get(shards[path]) is None]
    lookups = providers()[language].capabilities.name_lookups
    if not missing or lookups is None:
        return
    few = len(missing) <= _FEW
    spelling = set(missing) if few else {path for word in lookups.words for path in snapshot.files_with_name(word)}
    made: dict[FilePath, bytes] = {}
    for path in missing:
        text = snapshot.text(path) if path in spelling else b""
        # One character for each byte: places are bytes then.
        places = lookups.find((text or b"").decode("latin-1")) if text else ()
        found = tuple(ComputedName(path, *place, pattern, _tells(pattern)) for pattern, place in places)
        _OF_FILE.put(shards[path], found)
        if text is not None:
            made[path] = encode(_pack(found))
    if made:
        snapshot.reader.store_file_values(snapshot, _SUBJECT, made)


def _stored(snapshot: Snapshot, paths: Sequence[FilePath]) -> Mapping[FilePath, bytes]:
    return snapshot.reader.file_values(snapshot, _SUBJECT, paths) if paths else {}


def _pack(found: Sequence[ComputedName]) -> _ComputedColumns:
    starts, ends = column(use.start for use in found), column(use.end for use in found)
    return _ComputedColumns(tuple(use.pattern for use in found), starts, ends, column(use.far for use in found))


def _unpack(path: FilePath, packed: _ComputedColumns) -> Iterator[ComputedName]:
    for pattern, start, end, far in zip(packed.patterns, packed.start, packed.end, packed.far, strict=True):
        yield ComputedName(path, start, end, pattern, bool(far))


def _tells(pattern: str) -> bool:
    return sum(character.isalnum() for character in pattern) >= _LEAST
