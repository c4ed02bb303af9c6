"""Computed names: where Python code looks names up by strings that it puts together.

Owns: the patterns of such strings, the names that fit them.
Must not know: questions, findings, how links were made.
Invariant: a function of the texts of files; a lookup by a plain variable says nothing of names and has no pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

import attrs

from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot

LANGUAGE: Final = "python"
_LOOKUPS: Final = (
    "getattr",
    "setattr",
    "hasattr",
    "delattr",
    "globals",
    "locals",
    "vars",
    "methodcaller",
    "attrgetter",
)
_RUNNERS: Final = ("exec", "eval")
_KEPT: Final = "computed names"
_LEAST: Final = 2
"""Letters and digits that a pattern must spell to say something of other files."""
_STRETCH: Final = 160
_STRING: Final = r"[rRuU]?(?P<q>[\"'])(?P<text>(?:(?!(?P=q))[^\\\n])*)(?P=q)"
_LOOKUP: Final = re.compile(
    r"\b(?:getattr|setattr|hasattr|delattr)\s*\(\s*[^,\n]{1,80},\s*(?=[fFrR\"'\w])"
    r"|\b(?:globals|locals|vars)\s*\([^()\n]{0,60}\)\s*(?:\[|\.get\s*\()\s*"
    r"|\b(?:methodcaller|attrgetter)\s*\(\s*"
)
_JOINED: Final = re.compile(r"[rR]?[fF][rR]?(?P<q>[\"'])(?P<text>(?:(?!(?P=q))[^\\\n])*)(?P=q)")
_FORMATTED: Final = re.compile(_STRING + r"\s*(?:%|\.format\b)")
_BEFORE: Final = re.compile(_STRING + r"\s*\+")
_AFTER: Final = re.compile(r"[\w.()\[\]]+\s*\+\s*" + _STRING)
_HOLE: Final = re.compile(r"\{[^{}]*\}|%\(\w+\)s|%s")
_RUN: Final = re.compile(
    r"\b(?:exec|eval)\s*\(\s*[fFrR]{0,2}(?P<q>\"\"\"|'''|\"|')(?P<text>.{0,2000}?)(?P=q)", re.DOTALL
)
_NAMED: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?=[,)\]])")


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
    if snapshot.shards[path].language != LANGUAGE:
        return
    for known in _all(snapshot):
        if (known.far or known.file == path) and _fits(known.pattern, name):
            yield known


def _fits(pattern: str, name: str) -> bool:
    return _matcher(pattern).fullmatch(name) is not None


@lru_cache(maxsize=2_000)
def _matcher(pattern: str) -> re.Pattern[str]:
    return re.compile(re.escape(pattern).replace(r"\*", r"\w+"))


def _all(snapshot: Snapshot) -> Sequence[ComputedName]:
    known = snapshot.memo.get(_KEPT)
    if not isinstance(known, tuple):
        files = {path for word in (*_LOOKUPS, *_RUNNERS) for path in snapshot.files_with_name(word)}
        chosen = [path for path in sorted(files) if snapshot.shards[path].language == LANGUAGE]
        known = snapshot.memo[_KEPT] = tuple(use for path in chosen for use in _of_file(snapshot, path))
    return cast("tuple[ComputedName, ...]", known)


def _of_file(snapshot: Snapshot, path: FilePath) -> Sequence[ComputedName]:
    kept = snapshot.shards[path].memo
    known = kept.get(_KEPT)
    if not isinstance(known, tuple):
        # One character for each byte: places are bytes then.
        text = (snapshot.text(path) or b"").decode("latin-1")
        known = kept[_KEPT] = tuple(_looked_up(path, text)) + tuple(_run(path, text))
    return cast("tuple[ComputedName, ...]", known)


def _looked_up(path: FilePath, text: str) -> Iterator[ComputedName]:
    given: Mapping[str, str] | None = None
    for lookup in _LOOKUP.finditer(text):
        at = lookup.end()
        pattern = _pattern(text, at)
        named = _NAMED.match(text, at) if not pattern else None
        if named is not None:
            given = _given(text) if given is None else given
            pattern = given.get(named["name"], "")
        if pattern:
            yield ComputedName(path, lookup.start(), at, pattern, _tells(pattern))


def _given(text: str) -> Mapping[str, str]:
    """Names of the file that are given a string which is put together, with its pattern."""
    found: dict[str, str] = {}
    for match in re.finditer(r"^[ \t]*(\w+)\s*=\s*(?=[fFrR\"'\w])", text, re.MULTILINE):
        pattern = _pattern(text, match.end())
        if pattern:
            found[match[1]] = pattern
    return found


def _pattern(text: str, at: int) -> str:
    """The pattern of a string that is put together here; "" where there is none, or no name comes of it."""
    end = at + _STRETCH
    if match := _JOINED.match(text, at, end) or _FORMATTED.match(text, at, end):
        pattern = _HOLE.sub("*", match["text"])
    elif match := _BEFORE.match(text, at, end):
        pattern = match["text"] + "*"
    elif match := _AFTER.match(text, at, end):
        pattern = "*" + match["text"]
    else:
        return ""
    pattern = re.sub(r"\*+", "*", pattern)
    return pattern if "*" in pattern and re.fullmatch(r"[\w*]+", pattern) else ""


def _tells(pattern: str) -> bool:
    return sum(character.isalnum() for character in pattern) >= _LEAST


def _run(path: FilePath, text: str) -> Iterator[ComputedName]:
    """Names in text that is run."""
    for match in _RUN.finditer(text):
        spelled = _HOLE.sub("*", match["text"])
        for name in re.finditer(r"[\w*]+", spelled):
            if name[0].strip("*") and not name[0].isdigit():
                yield ComputedName(path, match.start(), match.start("text"), name[0], _tells(name[0]))
