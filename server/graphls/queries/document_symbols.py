"""Document symbols: the outline of one file.

Owns: what belongs in an outline and below what.
Must not know: other files, LSP types, lines and columns.
Invariant: children lie below the definition that owns them; one entry a symbol.
"""

from __future__ import annotations

import attrs

from graphls.facts.columns import NONE
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ScopeKind
from graphls.facts.paths import FilePath
from graphls.graph.nodes import node_row
from graphls.graph.snapshot import Snapshot
from graphls.queries.rows import CALLABLE, TYPES, name_of

_NEVER = frozenset({DefinitionKind.IMPORT, DefinitionKind.PARAMETER, DefinitionKind.TYPE_PARAMETER})


@attrs.frozen
class OutlineItem:
    """One line of the outline."""

    name: str
    kind: DefinitionKind
    flags: DefinitionFlag
    detail: str
    row: int
    start: int
    end: int
    full_start: int
    full_end: int
    children: tuple[OutlineItem, ...]


def document_symbols(snapshot: Snapshot, path: FilePath) -> tuple[OutlineItem, ...]:
    """The outline of a file in source order; empty for a file without facts."""
    shard = snapshot.shards.get(path)
    if shard is None or not shard.language:
        return ()
    facts = snapshot.facts(path)
    below: dict[int, list[int]] = {}
    for row in range(len(facts.definitions)):
        if _is_visible(facts, row):
            below.setdefault(_parent(facts, row), []).append(row)
    return _entries(facts, below, NONE)


def _entries(facts: FileFacts, below: dict[int, list[int]], owner: int) -> tuple[OutlineItem, ...]:
    return tuple(_entry(facts, below, row) for row in below.get(owner, ()))


def _entry(facts: FileFacts, below: dict[int, list[int]], row: int) -> OutlineItem:
    rows = facts.definitions
    return OutlineItem(
        name=name_of(facts, row) or "_",
        kind=DefinitionKind(rows.kind[row]),
        flags=DefinitionFlag(rows.flags[row]),
        detail=facts.strings[rows.signature[row]] if rows.signature[row] != NONE else "",
        row=row,
        start=rows.start[row],
        end=rows.end[row],
        full_start=min(rows.full_start[row], rows.start[row]),
        full_end=max(rows.full_end[row], rows.end[row]),
        children=_entries(facts, below, row),
    )


def _is_visible(facts: FileFacts, row: int) -> bool:
    rows = facts.definitions
    kind = rows.kind[row]
    if kind in _NEVER or rows.flags[row] & (DefinitionFlag.EXCEPTION | DefinitionFlag.SETTER):
        return False
    if kind in CALLABLE or kind in TYPES:
        return True
    if node_row(facts, row) != row:
        return False
    return facts.scopes.kind[rows.scope[row]] in (ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.NAMESPACE)


def _parent(facts: FileFacts, row: int) -> int:
    """The definition whose scope binds it; functions nested in functions lie below these."""
    rows, scopes = facts.definitions, facts.scopes
    scope = rows.scope[row]
    while scope != NONE and scopes.owner[scope] == NONE:
        scope = scopes.parent[scope]
    return NONE if scope == NONE else scopes.owner[scope]
