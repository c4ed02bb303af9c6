"""Computed names: where code looks names up by strings that it puts together.

Owns: the places of a workspace, the names that fit them.
Must not know: how a language spells such a lookup, questions, findings, how links were made.
Invariant: a function of the texts of files; a lookup by a plain variable says nothing of names and has no pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, cast

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.registry import capabilities_for, providers

_MEMO: Final = "computed names"
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
    known = snapshot.memo.get(f"{_MEMO} {language}")
    if not isinstance(known, tuple):
        lookups = providers()[language].capabilities.name_lookups
        words = () if lookups is None else lookups.words
        files = {path for word in words for path in snapshot.files_with_name(word)}
        chosen = [path for path in sorted(files) if snapshot.shards[path].language == language]
        known = snapshot.memo[f"{_MEMO} {language}"] = tuple(use for path in chosen for use in _of_file(snapshot, path))
    return cast("tuple[ComputedName, ...]", known)


def _of_file(snapshot: Snapshot, path: FilePath) -> Sequence[ComputedName]:
    memo = snapshot.shards[path].memo
    known = memo.get(_MEMO)
    if not isinstance(known, tuple):
        capabilities = capabilities_for(path)
        lookups = None if capabilities is None else capabilities.name_lookups
        # One character for each byte: places are bytes then.
        text = (snapshot.text(path) or b"").decode("latin-1")
        found = () if lookups is None else lookups.find(text)
        known = memo[_MEMO] = tuple(ComputedName(path, *place, pattern, _tells(pattern)) for pattern, place in found)
    return cast("tuple[ComputedName, ...]", known)


def _tells(pattern: str) -> bool:
    return sum(character.isalnum() for character in pattern) >= _LEAST
