"""Computed names: where code looks names up by strings that it puts together.

Owns: the places of a workspace, the names that fit them.
Must not know: how a language spells such a lookup, questions, findings, how links were made.
Invariant: a function of the texts of files; a lookup by a plain variable says nothing of names and has no pattern.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import attrs

from graphls.facts.codec import CodecError, decode, encode
from graphls.facts.columns import Column, column
from graphls.facts.paths import FilePath
from graphls.graph.memo import Memo, MemoTable
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import capabilities_for, providers

_BY_LANGUAGE: Final = MemoTable[str, "Sequence[ComputedName]"]("computed names by language")
_OF_FILE: Final = Memo["Sequence[ComputedName]"]("computed names")
_SUBJECT: Final = "computed names 1"
"""The number is raised whenever other places are found, or they are packed in another way."""
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


def computed_uses(snapshot: Snapshot, path: FilePath, name: str) -> Iterator[ComputedName]:
    """Places that may mean a name which a file defines."""
    known = capabilities_for(path)
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
    if known is None:
        shards = snapshot.shards
        paths = [path for path in snapshot.files() if shards[path].language == language]
        _recall(snapshot, language, [path for path in paths if _OF_FILE.get(shards[path]) is None])
        found = (_OF_FILE.get(shards[path]) or () for path in paths)
        known = by_language[language] = tuple(use for uses in found for use in uses)
    return known


def _recall(snapshot: Snapshot, language: str, paths: Sequence[FilePath]) -> None:
    """Has the places of these files at hand: as an earlier run found them, else found now."""
    if not paths:
        return
    shards = snapshot.shards
    for path, raw in snapshot.reader.file_values(snapshot, _SUBJECT, paths).items():
        with contextlib.suppress(CodecError):
            _OF_FILE.put(shards[path], tuple(_unpack(path, decode(_ComputedColumns, raw))))
    missing = [path for path in paths if _OF_FILE.get(shards[path]) is None]
    lookups = providers()[language].capabilities.name_lookups
    if not missing or lookups is None:
        return
    spelling = {path for word in lookups.words for path in snapshot.files_with_name(word)}
    made: dict[FilePath, bytes] = {}
    for path in missing:
        text = snapshot.text(path) if path in spelling else b""
        # One character for each byte: places are bytes then.
        places = lookups.find((text or b"").decode("latin-1")) if text else ()
        found = tuple(ComputedName(path, *place, pattern, _tells(pattern)) for pattern, place in places)
        _OF_FILE.put(shards[path], found)
        if text is not None:
            made[path] = encode(_pack(found))
    snapshot.reader.store_file_values(snapshot, _SUBJECT, made)


def _pack(found: Sequence[ComputedName]) -> _ComputedColumns:
    starts, ends = column(use.start for use in found), column(use.end for use in found)
    return _ComputedColumns(tuple(use.pattern for use in found), starts, ends, column(use.far for use in found))


def _unpack(path: FilePath, packed: _ComputedColumns) -> Iterator[ComputedName]:
    for pattern, start, end, far in zip(packed.patterns, packed.start, packed.end, packed.far, strict=True):
        yield ComputedName(path, start, end, pattern, bool(far))


def _tells(pattern: str) -> bool:
    return sum(character.isalnum() for character in pattern) >= _LEAST
