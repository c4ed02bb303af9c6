"""Patterns: what declarations, parameters, loops and handlers bind.

Owns: definitions of names in patterns, and which part of the value each gets.
Must not know: which statement the pattern belongs to, how values are read.
Invariant: definitions come in source order; their value is filled in once the value has been read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from tree_sitter import Node

from graphls.languages.extract.facts_builder import D_FLAGS, D_KIND, D_VALUE
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.facts_builder import (
    BLOCK,
    DEFAULTED,
    IMPORT,
    IMPORTED,
    ITEM,
    MEMBER,
    READ,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.nesting import children, field, too_deep

REST: Final = 1000
"""Position of the rest in an unpacking."""
MAX_SHARED: Final = 64
"""Names of one pattern that all have the uses of its keys."""

Step: TypeAlias = tuple[int, int, int, int]
"""0 member or 1 item; name or position; start and end of the name as written, -1 for items."""


@final
class PatternName:
    """A definition and the steps that lead to its part of the value."""

    def __init__(self, row: int, path: tuple[Step, ...]) -> None:
        self.row = row
        self.path = path


@final
class PatternBinding:
    """How the names of one pattern are bound."""

    def __init__(self, kind: int, scope: int) -> None:
        self.kind = kind
        self.scope = scope


def hoisted(builder: TsFactsBuilder) -> int:
    """The scope that `var` binds in."""
    scope = builder.scope
    while builder.scopes[scope][0] == BLOCK and builder.scopes[scope][4] < 0:
        scope = builder.scopes[scope][1]
    return scope


def bind(
    builder: TsFactsBuilder, node: Node, pending: list[PatternName], how: PatternBinding, path: tuple[Step, ...] = ()
) -> None:
    """Binds every name of a pattern."""
    kind = builder.kinds.of(node)
    if kind in (nodes.IDENTIFIER, nodes.SHORTHAND_PROPERTY_IDENTIFIER_PATTERN):
        start, end = node.start_byte, node.end_byte
        name = builder.name(start, end)
        if kind != nodes.IDENTIFIER:
            path = (*path, (0, name, start, end))
        if end > start:
            pending.append(PatternName(builder.define(name, how.kind, start, end, how.scope), path))
    elif builder.depth >= DEPTH:
        too_deep(builder, node)
    elif kind in _RULES:
        builder.depth += 1
        _RULES[kind](builder, node, pending, how, path)
        builder.depth -= 1
    else:
        builder.read(node)


def _object(
    builder: TsFactsBuilder, node: Node, pending: list[PatternName], how: PatternBinding, path: tuple[Step, ...]
) -> None:
    for part in children(node):
        if builder.kinds.of(part) == nodes.REST_PATTERN:
            for inner in children(part):
                bind(builder, inner, pending, how, (*path, (1, REST, -1, -1)))
        else:
            bind(builder, part, pending, how, path)


def _pair(
    builder: TsFactsBuilder, node: Node, pending: list[PatternName], how: PatternBinding, path: tuple[Step, ...]
) -> None:
    key, value = field(builder, node, nodes.F_KEY), field(builder, node, nodes.F_VALUE)
    if key is None or value is None:
        builder.read(node)
        return
    if builder.kinds.of(key) == nodes.PROPERTY_IDENTIFIER:
        start, end = key.start_byte, key.end_byte
        step = (0, builder.name(start, end), start, end)
    else:
        builder.read(key)
        step = (1, REST, -1, -1)
    bind(builder, value, pending, how, (*path, step))


def _array(
    builder: TsFactsBuilder, node: Node, pending: list[PatternName], how: PatternBinding, path: tuple[Step, ...]
) -> None:
    position = 0
    for part in node.children:
        if builder.kinds.of(part) == nodes.COMMA:
            position += 1
        elif part.is_named and builder.kinds.of(part) == nodes.REST_PATTERN:
            for inner in children(part):
                bind(builder, inner, pending, how, (*path, (1, REST, -1, -1)))
        elif part.is_named and not part.is_extra:
            bind(builder, part, pending, how, (*path, (1, position, -1, -1)))


def _defaulted(
    builder: TsFactsBuilder, node: Node, pending: list[PatternName], how: PatternBinding, path: tuple[Step, ...]
) -> None:
    left, right = field(builder, node, nodes.F_LEFT), field(builder, node, nodes.F_RIGHT)
    if left is None or right is None:
        builder.read(node)
        return
    mark = len(pending)
    bind(builder, left, pending, how, path)
    for bound in pending[mark:]:
        builder.definitions[bound.row][D_FLAGS] |= DEFAULTED
    value = builder.read(right, 1 if len(pending) == mark + 1 else 0)
    if len(pending) == mark + 1:
        builder.definitions[pending[mark].row][D_VALUE] = value


_RULES = {
    nodes.OBJECT_PATTERN: _object,
    nodes.PAIR_PATTERN: _pair,
    nodes.ARRAY_PATTERN: _array,
    nodes.ASSIGNMENT_PATTERN: _defaulted,
    nodes.OBJECT_ASSIGNMENT_PATTERN: _defaulted,
}


def assign_values(builder: TsFactsBuilder, pending: Sequence[PatternName], value: int, imported: bool = False) -> None:
    """Gives each bound name its part of the value; each name of a member is a use of that member.

    What a pattern uses is used by all of its names together, but by itself where each is one of very many.
    """
    parts: dict[tuple[Step, ...], int] = {(): value}
    used: set[int] = set()
    owner, crowded = builder.owner, len(pending) > MAX_SHARED and builder.owner == pending[0].row
    for bound in pending:
        builder.owner = bound.row if crowded else owner
        for length in range(1, len(bound.path) + 1):
            step = bound.path[length - 1]
            base = parts[bound.path[: length - 1]]
            if step[2] >= 0 and step[2] not in used:
                used.add(step[2])
                role = IMPORTED if imported and length == 1 else READ
                builder.use(step[2], step[3], role, base if base >= 0 else builder.unknown())
            if bound.path[:length] not in parts:
                parts[bound.path[:length]] = _part(builder, base, step)
        definition = builder.definitions[bound.row]
        if parts[bound.path] >= 0 and (bound.path or definition[D_VALUE] < 0):
            definition[D_VALUE] = parts[bound.path]
        if imported and len(bound.path) == 1 and bound.path[0][0] == 0:
            definition[D_KIND] = IMPORT
    builder.owner = owner


def _part(builder: TsFactsBuilder, base: int, step: Step) -> int:
    if base < 0:
        return -1
    if step[0] == 0:
        return builder.expression(MEMBER, base, step[1], step[2])
    return builder.expression(ITEM, base, step[1])
