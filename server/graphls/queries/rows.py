"""Rows: finding rows in the tables of one file.

Owns: searches by value, by offset, by enclosing definition.
Must not know: snapshots, what a row means to a question.
Invariant: rows come out in ascending order; nothing is decoded or built beyond what is asked.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from graphls.facts.columns import NONE, Column
from graphls.facts.columns import rows_with as rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, OccurrenceFlag, Role, ScopeKind

CALLABLE = frozenset({DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY})
TYPES = frozenset({DefinitionKind.CLASS, DefinitionKind.INTERFACE, DefinitionKind.ENUM})


def row_at(starts: Column, ends: Column, offset: int) -> int:
    """The first row of those that touch an offset, the one that begins there before the one that ends there."""
    row = bisect_right(starts, offset) - 1
    if row < 0 or ends[row] < offset:
        return NONE
    return bisect_left(starts, starts[row])


def rows_between(starts: Column, start: int, end: int) -> range:
    """Rows that begin in a stretch of text; `starts` ascends."""
    return range(bisect_left(starts, start), bisect_left(starts, end))


def string_index(facts: FileFacts, text: str) -> int:
    """Number of a string of the file, or -1."""
    try:
        return facts.strings.index(text)
    except ValueError:
        return NONE


def name_of(facts: FileFacts, row: int) -> str:
    """Name of a definition."""
    return facts.strings[facts.definitions.name[row]]


def written_name(facts: FileFacts, row: int) -> str:
    """What a definition is declared as where that is more than its name: `User.find` of `User.find = function () {}`;
    else the first word of its signature."""
    signature = facts.definitions.signature[row] if row >= 0 else NONE
    return facts.strings[signature].partition(" ")[0] if signature != NONE else ""


def class_around(facts: FileFacts, row: int) -> int:
    """The class whose body binds a definition, or -1."""
    scope = facts.definitions.scope[row]
    if scope < 0 or facts.scopes.kind[scope] != ScopeKind.CLASS:
        return NONE
    return facts.scopes.owner[scope]


def member_row(facts: FileFacts, cls: int, name: str) -> int:
    """The first definition that the body of a class binds under a name, or -1."""
    table, number = facts.definitions, string_index(facts, name)
    rows = rows_with(table.name, number) if number != NONE else iter(())
    return next((row for row in rows if table.scope[row] == table.body[cls]), NONE)


def is_local(facts: FileFacts, row: int) -> bool:
    """Whether no other file can see a definition."""
    return facts.definitions.surface[row] == NONE


def is_read_as_value(facts: FileFacts, use: int) -> bool:
    """Whether a use (a row of Occurrences) hands on what it names: not the `A` of `A.x`, of an import, of
    `isinstance(x, A)`."""
    uses = facts.occurrences
    if uses.flags[use] & OccurrenceFlag.REFERRED:
        return True
    if uses.role[use] != Role.READ or uses.flags[use] & OccurrenceFlag.TYPE_TEST:
        return False
    after = use + 1
    return after == len(uses) or uses.base[after] == NONE or uses.start[after] != uses.end[use] + 1
