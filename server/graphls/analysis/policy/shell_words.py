"""Shell words: the words of one command as it is written, what it redirects, what is set before it.

Owns: where a simple command ends, quotes.
Must not know: which commands a script runs, rules.
Invariant: nothing is expanded: `$HOME` and `$(date)` stay as they stand; a text that is no command gives fewer words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

_QUOTED: Final = r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`"
_WORD: Final = re.compile(rf"(?:{_QUOTED}|\$\{{[^}}]*\}}|[^\s;|&()<>`'\"\\])+", re.DOTALL)
_BLANK: Final = re.compile(r"(?:[ \t]|\\\n)+")
_REDIRECT: Final = re.compile(r"(?:\d+|&)?(?:<<<|<<-?|>>|[<>]&|>\||<>|[<>])")
_SET: Final = re.compile(rf"[A-Za-z_]\w*\+?=(?:{_QUOTED}|[^\s;|&()<>`'\"\\])*\Z", re.DOTALL)
_QUOTES: Final = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(\n)|\\(.)", re.DOTALL)
_MOST: Final = 200


@attrs.frozen
class ShellWords:
    """One command. `argv`: its name and arguments without quotes; `redirects`: each as it is written."""

    argv: tuple[str, ...]
    redirects: tuple[str, ...]
    assignments: tuple[str, ...]
    background: bool


def shell_words(text: str, start: int) -> ShellWords:
    """The command whose name begins at an offset."""
    words: list[str] = []
    redirects: list[str] = []
    at = start
    while len(words) + len(redirects) < _MOST:
        blank = _BLANK.match(text, at)
        at = blank.end() if blank is not None else at
        redirect = _REDIRECT.match(text, at)
        if redirect is not None:
            gap = _BLANK.match(text, redirect.end())
            target = _WORD.match(text, gap.end() if gap is not None else redirect.end())
            at = target.end() if target is not None else redirect.end()
            redirects.append(f"{redirect[0]}{plain_word(target[0]) if target is not None else ''}")
            continue
        word = _WORD.match(text, at)
        if word is None or (word[0].startswith("#") and words):
            break
        words.append(plain_word(word[0]))
        at = word.end()
    background = text[at : at + 1] == "&" and text[at : at + 2] != "&&"
    return ShellWords(tuple(words), tuple(redirects), tuple(_set_before(text, start)), background)


def plain_word(word: str) -> str:
    """A word without its quotes."""
    return _QUOTES.sub(lambda found: found[1] or found[2] or found[4] or "", word)


def _set_before(text: str, start: int) -> Iterator[str]:
    """Variables that are set for the command alone: `LANG=C sort`."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    words = list(_WORD.finditer(line))
    first = len(words)
    while first and _SET.match(words[first - 1][0]) and not re.search(r"[;|&()]", line[words[first - 1].end() :]):
        first -= 1
    yield from (plain_word(word[0]) for word in words[first:])
