"""Middleware: what runs before a handler, as one value, and the names that code gives it by.

Owns: the value, what a name at a place means, which stretches of a file one statement holds for.
Must not know: frameworks, layout.
Invariant: a name whose meaning nobody knows has none; nothing is called by a name that is not in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import attrs

from graphls.facts.kinds import DefinitionKind
from graphls.facts.paths import FilePath
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.response_keys import parts_of

PLAIN: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
DEPENDS: Final = re.compile(r"\b(?:Depends|Security)\s*\(\s*([\w.]+)")
_MADE: Final = re.compile(
    r"(?:new\s+)?(?!(?:async|function|await)\b)([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*(?:\(|\Z)"
)
FUNCTIONS: Final = (DefinitionKind.FUNCTION, DefinitionKind.METHOD)


@attrs.frozen
class Middleware:
    """`how`: `decorator`, `dependency`, `use`, or the name of a hook; `path`: of what paths it is for, "" for all;
    `file`, `at`: where the name stands; `place`: what it means, None where nobody knows."""

    name: str
    how: str
    path: str
    file: FilePath
    at: int
    place: SymbolRef | None


def named(snapshot: Snapshot, file: FilePath, name: str, end: int, how: str) -> Middleware:
    """What a name that ends at a place of a file means."""
    ends = snapshot.facts(file).occurrences.end
    at = next((row for row in range(len(ends)) if ends[row] == end), -1)
    targets = snapshot.targets(file, at) if at >= 0 else ()
    sure = targets[0].place if targets and not targets[0].ambiguous else None
    return Middleware(name, how, "", file, end - len(name), sure)


def given_names(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    """The names that arguments give, `auth`, `helmet()`, `new Guard()`, `[a, b]`, each with where it ends."""
    for first, last in parts_of(text, start, end):
        if text[first : first + 1] == "[" and text[last - 1 : last] == "]":
            yield from given_names(text, first + 1, last - 1)
        elif (match := _MADE.match(text, first, last)) is not None:
            yield match[1], match.end(1)


def is_around(snapshot: Snapshot, file: FilePath, outer: int, inner: int) -> bool:
    """Whether the functions that a statement is in hold another place too; one of the module holds for all. The line
    of a decorator is outside of its function."""
    table = snapshot.facts(file).definitions
    return all(
        table.full_start[row] <= inner < table.full_end[row]
        for row in range(len(table))
        if table.kind[row] in FUNCTIONS and table.full_start[row] < outer < table.full_end[row]
    )


def text_of(snapshot: Snapshot, file: FilePath) -> str:
    """One character a byte: places stay those of the file."""
    return (snapshot.text(file) or b"").decode("latin-1")
