"""Visibility: what a file offers to others, and which members of it are not for everybody.

Owns: words before a name, what `export` and `module.exports` name, what a file of plain declarations offers.
Must not know: other files, records.
Invariant: a function of one file's facts and text; an underscore says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind

_EXPORTED = int(DefinitionFlag.EXPORTED)
_WORDS = re.compile(
    rb"(?:\b(?:private|protected|public|static|readonly|abstract|override|declare|async|accessor)\s+)+\Z"
)


def visibility(name: str, before: bytes) -> str:
    """`before`: what stands in the statement before the name."""
    found = _WORDS.search(before[-200:])
    words = found[0].split() if found else ()
    if name.startswith("#") or b"private" in words:
        return "private"
    return "internal" if b"protected" in words else "public"


def offered(facts: FileFacts, declarations: bool) -> Set[int]:
    """Rows outside of classes and objects that other files may use. `declarations`: the file has no code."""
    table = facts.definitions
    marked = {row for row, flags in enumerate(table.flags) if flags & _EXPORTED}
    if declarations and not marked and not len(facts.imports):
        return frozenset(range(len(table)))
    names = set(_passed(facts, marked))
    top = (row for row, scope in enumerate(table.scope) if scope == 0 and table.name[row] in names)
    return marked.union(row for row in top if table.kind[row] != DefinitionKind.IMPORT)


def _passed(facts: FileFacts, marked: Set[int]) -> Iterator[int]:
    """Numbers of the names that exports pass on, by themselves or as members of an object."""
    table, expressions = facts.definitions, facts.expressions
    objects: set[int] = set()
    for row in marked:
        value = table.value[row]
        if value >= 0 and expressions.kind[value] == ExpressionKind.NAME:
            yield expressions.a[value]
        elif value >= 0 and expressions.kind[value] == ExpressionKind.OBJECT:
            objects.add(expressions.a[value])
    for row, scope in enumerate(table.scope):
        value = table.value[row]
        if scope in objects and value >= 0 and expressions.kind[value] == ExpressionKind.NAME:
            yield expressions.a[value]
