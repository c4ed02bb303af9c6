"""Computed names: where Python code looks names up by strings that it puts together.

Owns: the patterns of such strings.
Must not know: files, which names fit.
Invariant: a function of the text; a lookup by a plain variable says nothing of names and has no pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

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
class PythonNameLookups:
    """`getattr` and its kin, and text that is run."""

    words: tuple[str, ...] = (*_LOOKUPS, *_RUNNERS)

    def find(self, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
        """Patterns in a text, each with its place."""
        yield from _looked_up(text)
        yield from _run(text)


def _looked_up(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    given: Mapping[str, str] | None = None
    for lookup in _LOOKUP.finditer(text):
        at = lookup.end()
        pattern = _pattern(text, at)
        named = _NAMED.match(text, at) if not pattern else None
        if named is not None:
            given = _given(text) if given is None else given
            pattern = given.get(named["name"], "")
        if pattern:
            yield pattern, (lookup.start(), at)


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


def _run(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Names in text that is run."""
    for match in _RUN.finditer(text):
        spelled = _HOLE.sub("*", match["text"])
        for name in re.finditer(r"[\w*]+", spelled):
            if name[0].strip("*") and not name[0].isdigit():
                yield name[0], (match.start(), match.start("text"))
