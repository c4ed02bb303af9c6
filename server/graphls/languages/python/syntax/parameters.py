"""Parameters: what a function or lambda binds before its body starts.

Owns: definitions of parameters with their annotations, defaults and flags.
Must not know: bodies, decorators, callers.
Invariant: a parameter is bound in the scope of the body; its annotation and default are read in the current scope.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.languages.extract.facts_builder import D_FLAGS, D_TYPE, D_VALUE
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.annotations import annotation
from graphls.languages.python.syntax.facts_builder import CONDITIONAL, PyFactsBuilder
from graphls.languages.python.syntax.nesting import children
from graphls.languages.python.syntax.targets import Target, bind_target

PARAMETER: Final = int(DefinitionKind.PARAMETER)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
KEYWORDS: Final = int(DefinitionFlag.KEYWORDS)
KEYWORD_ONLY: Final = int(DefinitionFlag.KEYWORD_ONLY)
POSITIONAL_ONLY: Final = int(DefinitionFlag.POSITIONAL_ONLY)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)

SPLATS = {nodes.LIST_SPLAT_PATTERN: VARIADIC, nodes.DICTIONARY_SPLAT_PATTERN: KEYWORDS}


def bind_parameters(builder: PyFactsBuilder, node: Node, scope: int) -> list[int]:
    """Definitions of the parameters, in order."""
    rows: list[int] = []
    full, flags = builder.full, builder.bind_flags
    builder.bind_flags = flags & ~CONDITIONAL
    kind = 0
    for part in children(node):
        number = part.kind_id
        if number == nodes.POSITIONAL_SEPARATOR:
            for row in rows:
                builder.definitions[row][D_FLAGS] |= POSITIONAL_ONLY
        elif number == nodes.KEYWORD_SEPARATOR:
            kind = KEYWORD_ONLY
        else:
            builder.full = (part.start_byte, part.end_byte)
            for row in _parameter(builder, part, scope):
                own = builder.definitions[row]
                own[D_FLAGS] |= kind if not own[D_FLAGS] & (VARIADIC | KEYWORDS) else 0
                kind = KEYWORD_ONLY if own[D_FLAGS] & VARIADIC else kind
                rows.append(row)
    builder.full, builder.bind_flags = full, flags
    return rows


def _parameter(builder: PyFactsBuilder, node: Node, scope: int) -> list[int]:
    number = node.kind_id
    if number == nodes.IDENTIFIER:
        return _bind(builder, node, scope)
    if number in SPLATS:
        return [row for part in children(node) for row in _bind(builder, part, scope, SPLATS[number])]
    if number not in (nodes.TYPED_PARAMETER, nodes.DEFAULT_PARAMETER, nodes.TYPED_DEFAULT_PARAMETER):
        return _bind(builder, node, scope)
    rows: list[int] = []
    for position, part in enumerate(children(node)):
        if position == 0:
            rows = _parameter(builder, part, scope)
        elif part.kind_id == nodes.TYPE:
            _fill(builder, rows, D_TYPE, annotation(builder, part))
        else:
            _fill(builder, rows, D_VALUE, builder.read(part, 1))
            for row in rows:
                builder.definitions[row][D_FLAGS] |= DEFAULTED
    return rows


def _bind(builder: PyFactsBuilder, node: Node, scope: int, flags: int = 0) -> list[int]:
    if node.kind_id == nodes.IDENTIFIER:
        start, end = node.start_byte, node.end_byte
        row = builder.define(builder.name(start, end), PARAMETER, start, end, scope)
        builder.definitions[row][D_FLAGS] |= flags
        return [row]
    outer, builder.scope = builder.scope, scope
    pending: list[Target] = []
    bind_target(builder, node, pending, PARAMETER)
    builder.scope = outer
    return [row for row, _ in pending]


def _fill(builder: PyFactsBuilder, rows: list[int], column: int, value: int) -> None:
    for row in rows:
        builder.definitions[row][column] = value
