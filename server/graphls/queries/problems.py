"""Problems: what is wrong with the text of one file.

Owns: the list of syntax problems as plain values, which of them are worth showing.
Must not know: findings, severities of a protocol.
Invariant: reads one file and nothing else; no problem is shown over more than a line, nor more than a few of a file.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

import attrs
from tree_sitter import Node

from graphls.facts.kinds import ProblemKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot
from graphls.languages.extract.grammars import parse
from graphls.languages.extract.syntax_errors import unfinished
from graphls.languages.registry import providers

MOST_SYNTAX = 3
"""One slip breaks many places behind it, and mending the first mends most of them."""

_MANY_LINES = 5

_Row = tuple[int, int, int, int]
"""Where it starts, its end below zero, its kind, the number of its text."""


@attrs.frozen
class Problem:
    """One stretch that could not be read as code."""

    kind: ProblemKind
    start: int
    end: int
    text: str


def problems(snapshot: Snapshot, path: FilePath) -> tuple[Problem, ...]:
    """Problems of a file in source order: of those that hold others only the innermost, cut to one line."""
    shard = snapshot.shards.get(path)
    if shard is None or not shard.language:
        return ()
    facts = snapshot.facts(path)
    rows = facts.problems
    found = sorted(
        (start, -max(start, end), kind, text)
        for kind, start, end, text in zip(rows.kind, rows.start, rows.end, rows.text, strict=True)
    )
    syntax = [row for row in found if row[2] == ProblemKind.SYNTAX]
    # What a parser could not fit in reaches to the end of the file; the place to mend is where it broke first.
    inner = [row for row, after in zip_longest(syntax, syntax[1:]) if after is None or not _holds(row, after)]
    # That something was not understood is said once.
    others = (row for row in found if row[2] not in (ProblemKind.SYNTAX, ProblemKind.PARTIAL if syntax else None))
    shown = sorted([*inner[:MOST_SYNTAX], *others])
    text = snapshot.text(path) or b"" if shown else b""
    provider = providers()[snapshot.shards[path].language]

    def root() -> Node:
        return parse(provider.parser(path), text).root_node

    placed = ((_place(root, text, start, -end, kind), kind, words) for start, end, kind, words in shown)
    return tuple(Problem(ProblemKind(kind), *place, facts.strings[words]) for place, kind, words in placed)


def _place(root: Callable[[], Node], text: bytes, start: int, end: int, kind: int) -> tuple[int, int]:
    """The stretch cut to a line; one of many lines is looked at again, for its beginning is seldom what is wrong."""
    if kind == ProblemKind.SYNTAX and text.count(b"\n", start, end) > _MANY_LINES:
        start, end = unfinished(root(), start, end)
    return start, _line_end(text, start, end)


def _holds(outer: _Row, inner: _Row) -> bool:
    """Rows in order: whether the second lies in the first."""
    return -outer[1] >= -inner[1]


def _line_end(text: bytes, start: int, end: int) -> int:
    newline = text.find(b"\n", start, end)
    return end if newline < 0 else newline - (text[newline - 1 : newline] == b"\r")
