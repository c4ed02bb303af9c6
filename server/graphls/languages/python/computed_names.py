"""Computed names: where Python code looks names up by strings that it puts together.

Owns: the patterns of such strings.
Must not know: files, which names fit.
Invariant: a function of the text; a lookup by a plain variable says nothing of names and has no pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from graphls.languages.python.name_lookups import LOOKUPS, RUNNERS

_STRETCH: Final = 160
_STRING: Final = r"[rRuU]?(?P<q>[\"'])(?P<text>(?:(?!(?P=q))[^\\\n])*)(?P=q)"
_LOOKUP: Final = re.compile(
    r"\b(?:getattr|setattr|hasattr|delattr)\s*\(\s*(?:[^,()\n]|\((?:[^()\n]|\([^()\n]{0,80}\)){0,80}\)){1,80},\s*(?=[fFrR\"'\w])"
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
_ASSIGNED: Final = re.compile(r"\s*=\s*(?=[fFrR\"'\w])")
_NAMED: Final = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?=[,)\]])")


def find(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Patterns in a text, each with its place."""
    yield from _looked_up(text)
    yield from _run(text)


def _matches(pattern: re.Pattern[str], words: Iterable[str], text: str) -> Iterator[re.Match[str]]:
    """Matches that begin with one of the words, in order. A search for a plain word takes a hundredth of the time that
    the pattern takes, and few texts have many of the words."""
    for at in sorted(place for word in words for place in _places(word, text)):
        if match := pattern.match(text, at):
            yield match


def _places(word: str, text: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def _looked_up(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    given: dict[str, str] = {}
    for lookup in _matches(_LOOKUP, LOOKUPS, text):
        at = lookup.end()
        pattern = _pattern(text, at)
        named = _NAMED.match(text, at) if not pattern else None
        if named is not None:
            name = named["name"]
            if name not in given:
                given[name] = _given(text, name)
            pattern = given[name]
        if pattern:
            yield pattern, (lookup.start(), at)


def _given(text: str, name: str) -> str:
    """The pattern of the last string that is put together and given to a name of the file; "" where there is none."""
    found = ""
    for at in _places(name, text):
        assigned = _ASSIGNED.match(text, at + len(name))
        if assigned and not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t"):
            found = _pattern(text, assigned.end()) or found
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
    for match in _matches(_RUN, RUNNERS, text):
        spelled = _HOLE.sub("*", match["text"])
        for name in re.finditer(r"[\w*]+", spelled):
            if name[0].strip("*") and not name[0].isdigit():
                yield name[0], (match.start(), match.start("text"))
