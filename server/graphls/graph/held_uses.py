"""Held uses: uses of a file by which a function may be run under another name.

Owns: what hands a function on, the calls of what may hold one.
Must not know: links, edges, who asks.
Invariant: reads the facts of one file and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from graphls.facts.columns import rows_with
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionKind, OccurrenceFlag, Role
from graphls.graph.nodes import last_name

_HOLDING: Final = (DefinitionKind.VARIABLE, DefinitionKind.CONSTANT, DefinitionKind.PARAMETER, DefinitionKind.FIELD)
_RUNNING: Final = (Role.CALL, Role.RENDER)
_READING: Final = (Role.READ, Role.TEXT)


def is_handed_on(facts: FileFacts, rows: Collection[int], target: int) -> bool:
    """Whether one of some uses hands on what it names, or the file has the target (-1: defined elsewhere) decorated."""
    roles, flags = facts.occurrences.role, facts.occurrences.flags
    handed = any(roles[row] in _READING or flags[row] & OccurrenceFlag.REFERRED for row in rows)
    return handed or (target >= 0 and target in facts.decorators.definition)


def calls_of_variables(facts: FileFacts, known: Collection[str]) -> set[int]:
    """Calls by names of what may hold a function: of variables, parameters and fields of a file, and of what it imports
    that others know by one of these names."""
    table, uses = facts.definitions, facts.occurrences
    names = {table.name[row] for row, kind in enumerate(table.kind) if kind in _HOLDING}
    brought = rows_with(table.kind, DefinitionKind.IMPORT)
    names.update(table.name[row] for row in brought if last_name(facts, table.value[row]) in known)
    return {row for role in _RUNNING for row in rows_with(uses.role, role) if uses.name[row] in names}
