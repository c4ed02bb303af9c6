"""Parameters: what a function or lambda binds before its body starts.

Owns: definitions of parameters with their annotations, defaults and flags.
Must not know: bodies, decorators, callers.
Invariant: a parameter is bound in the scope of the body; its annotation and default are read in the current scope.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.languages.draft import D_FLAGS, D_TYPE, D_VALUE
from graphls.languages.python import nodes
from graphls.languages.python.annotations import annotation
from graphls.languages.python.draft import CONDITIONAL, Draft
from graphls.languages.python.nesting import children
from graphls.languages.python.targets import Target, bind_target

PARAMETER: Final = int(DefinitionKind.PARAMETER)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
KEYWORDS: Final = int(DefinitionFlag.KEYWORDS)
KEYWORD_ONLY: Final = int(DefinitionFlag.KEYWORD_ONLY)
POSITIONAL_ONLY: Final = int(DefinitionFlag.POSITIONAL_ONLY)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)

SPLATS = {nodes.LIST_SPLAT_PATTERN: VARIADIC, nodes.DICTIONARY_SPLAT_PATTERN: KEYWORDS}


def bind_parameters(draft: Draft, node: Node, scope: int) -> list[int]:
    """Definitions of the parameters, in order."""
    rows: list[int] = []
    full, flags = draft.full, draft.bind_flags
    draft.bind_flags = flags & ~CONDITIONAL
    kind = 0
    for part in children(node):
        number = part.kind_id
        if number == nodes.POSITIONAL_SEPARATOR:
            for row in rows:
                draft.definitions[row][D_FLAGS] |= POSITIONAL_ONLY
        elif number == nodes.KEYWORD_SEPARATOR:
            kind = KEYWORD_ONLY
        else:
            draft.full = (part.start_byte, part.end_byte)
            for row in _parameter(draft, part, scope):
                own = draft.definitions[row]
                own[D_FLAGS] |= kind if not own[D_FLAGS] & (VARIADIC | KEYWORDS) else 0
                kind = KEYWORD_ONLY if own[D_FLAGS] & VARIADIC else kind
                rows.append(row)
    draft.full, draft.bind_flags = full, flags
    return rows


def _parameter(draft: Draft, node: Node, scope: int) -> list[int]:
    number = node.kind_id
    if number == nodes.IDENTIFIER:
        return _bind(draft, node, scope)
    if number in SPLATS:
        return [row for part in children(node) for row in _bind(draft, part, scope, SPLATS[number])]
    if number not in (nodes.TYPED_PARAMETER, nodes.DEFAULT_PARAMETER, nodes.TYPED_DEFAULT_PARAMETER):
        return _bind(draft, node, scope)
    rows: list[int] = []
    for position, part in enumerate(children(node)):
        if position == 0:
            rows = _parameter(draft, part, scope)
        elif part.kind_id == nodes.TYPE:
            _fill(draft, rows, D_TYPE, annotation(draft, part))
        else:
            _fill(draft, rows, D_VALUE, draft.read(part, 1))
            for row in rows:
                draft.definitions[row][D_FLAGS] |= DEFAULTED
    return rows


def _bind(draft: Draft, node: Node, scope: int, flags: int = 0) -> list[int]:
    if node.kind_id == nodes.IDENTIFIER:
        start, end = node.start_byte, node.end_byte
        row = draft.define(draft.name(start, end), PARAMETER, start, end, scope)
        draft.definitions[row][D_FLAGS] |= flags
        return [row]
    outer, draft.scope = draft.scope, scope
    pending: list[Target] = []
    bind_target(draft, node, pending, PARAMETER)
    draft.scope = outer
    return [row for row, _ in pending]


def _fill(draft: Draft, rows: list[int], column: int, value: int) -> None:
    for row in rows:
        draft.definitions[row][column] = value
