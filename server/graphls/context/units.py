"""Units: the declarations of a file that a pack is made of.

Owns: which definitions are units, where each begins and ends, which unit a place belongs to.
Must not know: ranking, text, other files.
Invariant: units of one file do not overlap, but for a class, whose own unit ends where its first member begins.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import attrs

from graphls.facts.columns import Column, column
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, ScopeKind

_CONTAINERS = frozenset((DefinitionKind.CLASS, DefinitionKind.INTERFACE, DefinitionKind.NAMESPACE, DefinitionKind.ENUM))
_CALLABLES = frozenset((DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY))
_OPEN = frozenset((ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.NAMESPACE, ScopeKind.TYPE_PARAMETERS))
_VALUES = frozenset((DefinitionKind.VARIABLE, DefinitionKind.CONSTANT))
FUNCTIONS = frozenset((ScopeKind.FUNCTION, ScopeKind.LAMBDA))
MODULE = -1


@attrs.frozen(eq=False)
class Units:
    """Columns, one row a unit, in order of start. `row`: the definition, or -1 for the file as a whole."""

    row: Column
    start: Column
    end: Column

    def at(self, offset: int) -> int:
        """The unit that holds an offset, or -1."""
        unit = bisect_right(self.start, offset) - 1
        return unit if unit >= 0 and offset < self.end[unit] else -1


def units_of(facts: FileFacts) -> Units:
    """Functions, methods, classes and variables that hold functions, as far as they are not inside a function."""
    table = facts.definitions
    holders = _holders(facts)
    rows = [row for row in range(len(table)) if row in holders or _is_unit(facts, row)]
    rows.sort(key=lambda row: (table.full_start[row], -table.full_end[row]))
    heads = dict(_heads(facts, rows))
    return Units(
        column(rows), column(table.full_start[r] for r in rows), column(heads.get(r, table.full_end[r]) for r in rows)
    )


def owners(facts: FileFacts, units: Units) -> dict[int, int]:
    """Definition row -> number of the unit that it is part of; definitions outside of units are left out."""
    numbers = {row: number for number, row in enumerate(units.row)}
    table, scopes = facts.definitions, facts.scopes
    found: dict[int, int] = {}
    for row in range(len(table)):
        around = row
        while around >= 0 and around not in numbers:
            owner = table.owner[around]
            around = owner if owner != around else scopes.owner[table.scope[around]]
        if around >= 0:
            found[row] = numbers[around]
    return found


def _is_unit(facts: FileFacts, row: int) -> bool:
    table = facts.definitions
    kind = table.kind[row]
    if kind in (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT):
        return table.body[row] >= 0 and facts.scopes.kind[table.scope[row]] in _OPEN
    if kind not in _CONTAINERS and kind not in _CALLABLES and kind != DefinitionKind.TYPE_ALIAS:
        return False
    return not _within(facts, table.scope[row])


def _holders(facts: FileFacts) -> set[int]:
    """Variables whose value has a function somewhere in it: `export const router = make({ get: () => 1 })`."""
    table, scopes = facts.definitions, facts.scopes
    inside = sorted(start for start, kind in zip(scopes.start, scopes.kind, strict=True) if kind in FUNCTIONS)
    found: dict[int, int] = {}
    for row, kind in enumerate(table.kind) if inside else ():
        if kind in _VALUES and table.body[row] < 0 and scopes.kind[table.scope[row]] in _OPEN:
            at = bisect_left(inside, table.end[row])
            if at < len(inside) and inside[at] < table.full_end[row] and not _within(facts, table.scope[row]):
                found.setdefault(table.full_start[row], row)
    return set(found.values())


def _within(facts: FileFacts, scope: int) -> bool:
    """Whether a scope is inside a function."""
    while scope > 0 and facts.scopes.kind[scope] in _OPEN:
        scope = facts.scopes.parent[scope]
    return scope > 0


def _heads(facts: FileFacts, rows: list[int]) -> Iterator[tuple[int, int]]:
    """Containers, each with the place where its first member begins."""
    table = facts.definitions
    for at, row in enumerate(rows):
        if table.kind[row] in _CONTAINERS:
            inner = rows[at + 1] if at + 1 < len(rows) else -1
            if inner >= 0 and table.full_start[inner] < table.full_end[row]:
                yield row, max(_line_start(facts, table.full_start[inner]), table.end[row])


def _line_start(facts: FileFacts, offset: int) -> int:
    line, _ = facts.line_column(offset)
    return facts.lines[line]
