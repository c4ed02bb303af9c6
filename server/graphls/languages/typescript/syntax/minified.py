"""Minified code: which texts have lines that nobody writes, and which bodies of functions in them are not read.

Owns: both bounds, the problem that says what was not read, the names that stand there.
Must not know: what a body would say.
Invariant: a text with long lines of data has its functions read: their own lines are as people write them. What is not
    read may give back anything, and its names are among those that the file mentions.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ProblemKind
from graphls.facts.partly_read import WORD
from graphls.languages.extract.yielding import yield_now
from graphls.languages.typescript.syntax.facts_builder import TsFactsBuilder

_TURN: Final = 0xFFF
"""Words between turns of other threads, less one."""
_MINIFIED: Final = int(ProblemKind.MINIFIED)
_NOT_READ: Final = "Minified: the bodies of its functions are not read."
LEAST_BYTES: Final = 4_000
"""Of a text; below, reading costs nothing."""
LINE_BYTES: Final = 200
"""Bytes of a line on average; people write a fifth of that."""
LINE_NODES: Final = 40
"""Nodes of the tree in a line of a body on average; people write a quarter of that."""


def has_long_lines(data: bytes) -> bool:
    """Whether a text may be minified."""
    return len(data) >= LEAST_BYTES and len(data) > LINE_BYTES * (data.count(b"\n") + 1)


def skips_body(builder: TsFactsBuilder, body: Node) -> bool:
    """Whether the body of a function, in a text with long lines, is minified; it is noted then."""
    lines = body.end_point.row - body.start_point.row + 1
    if body.descendant_count <= LINE_NODES * lines:
        return False
    start, end = body.start_byte, body.end_byte
    for at, (kind, first, last, text) in enumerate(builder.problems):
        if kind == _MINIFIED:
            builder.problems[at] = (_MINIFIED, min(first, start), max(last, end), text)
            return True
    builder.problems.append((_MINIFIED, start, end, builder.text(_NOT_READ)))
    return True


def note_words(builder: TsFactsBuilder) -> None:
    """Names in what was not read are among those that the file mentions: who looks for one comes here."""
    for kind, start, end, _ in builder.problems[:]:
        if kind == _MINIFIED:
            words: set[bytes] = set()
            for number, match in enumerate(WORD.finditer(builder.data, start, end)):
                words.add(match[0])
                if number & _TURN == 0:
                    yield_now()
            for word in sorted(words):
                builder.text(word.decode("utf-8", "replace"))
