"""Broken code: real files with tokens and lines deleted, doubled, swapped and cut.

Owns: how a text is broken, by seed; the same for every language.
Must not know: grammars, what is done with the text.
Invariant: the result is made of pieces of the text and of a few that break things; the same seed breaks alike.
"""

from __future__ import annotations

import random
import re

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_INSERTED = (
    '"""',
    "'",
    "`",
    "${",
    "(",
    ")",
    "[",
    "{",
    "}",
    ":",
    "\\",
    "@",
    "async ",
    "lambda",
    "\f",
    "\r",
    "\0",
    "é😀",
)


def broken(chosen: random.Random, text: str, times: int | None = None) -> str:
    """A few changes at random places."""
    for _ in range(chosen.choice((1, 1, 2, 5, 12)) if times is None else times):
        text = chosen.choice((_token_gone, _token_twice, _tokens_swapped, _inserted, _lines_moved, _line_gone, _cut))(
            chosen, text
        )
    return text


def _at(chosen: random.Random, text: str) -> tuple[int, int]:
    """Where some token stands."""
    found = _TOKEN.search(text, chosen.randrange(len(text) + 1))
    return found.span() if found is not None else (len(text), len(text))


def _token_gone(chosen: random.Random, text: str) -> str:
    start, end = _at(chosen, text)
    return text[:start] + text[end:]


def _token_twice(chosen: random.Random, text: str) -> str:
    start, end = _at(chosen, text)
    return text[:end] + text[start:]


def _tokens_swapped(chosen: random.Random, text: str) -> str:
    (a, b), (c, d) = sorted((_at(chosen, text), _at(chosen, text)))
    return text if b > c else text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def _inserted(chosen: random.Random, text: str) -> str:
    place = chosen.randrange(len(text) + 1)
    return text[:place] + chosen.choice(_INSERTED) + text[place:]


def _lines_moved(chosen: random.Random, text: str) -> str:
    lines = text.split("\n")
    taken = lines.pop(chosen.randrange(len(lines)))
    lines.insert(chosen.randrange(len(lines) + 1), taken)
    return "\n".join(lines)


def _line_gone(chosen: random.Random, text: str) -> str:
    lines = text.split("\n")
    del lines[chosen.randrange(len(lines))]
    return "\n".join(lines)


def _cut(chosen: random.Random, text: str) -> str:
    """Most of the time a little is gone, sometimes the rest of the file."""
    place = chosen.randrange(len(text) + 1)
    return text[:place] + text[place + chosen.choice((1, 5, 40, len(text))) :]
