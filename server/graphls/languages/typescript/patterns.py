"""Patterns: what declarations, parameters, loops and handlers bind.

Owns: definitions of names in patterns, and which part of the value each gets.
Must not know: which statement the pattern belongs to, how values are read.
Invariant: definitions come in source order; their value is filled in once the value has been read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from tree_sitter import Node

from graphls.languages.draft import D_FLAGS, D_KIND, D_VALUE
from graphls.languages.typescript import nodes
from graphls.languages.typescript.draft import (
    BLOCK,
    DEFAULTED,
    IMPORT,
    IMPORTED,
    ITEM,
    MEMBER,
    READ,
    Draft,
)
from graphls.languages.typescript.nesting import DEPTH, children, field, too_deep

REST: Final = 1000
"""Position of the rest in an unpacking."""

Step: TypeAlias = tuple[int, int, int, int]
"""0 member or 1 item; name or position; start and end of the name as written, -1 for items."""


@final
class Bound:
    """A definition and the steps that lead to its part of the value."""

    def __init__(self, row: int, path: tuple[Step, ...]) -> None:
        self.row = row
        self.path = path


@final
class Binding:
    """How the names of one pattern are bound."""

    def __init__(self, kind: int, scope: int) -> None:
        self.kind = kind
        self.scope = scope


def hoisted(draft: Draft) -> int:
    """The scope that `var` binds in."""
    scope = draft.scope
    while draft.scopes[scope][0] == BLOCK and draft.scopes[scope][4] < 0:
        scope = draft.scopes[scope][1]
    return scope


def bind(draft: Draft, node: Node, pending: list[Bound], how: Binding, path: tuple[Step, ...] = ()) -> None:
    """Binds every name of a pattern."""
    kind = draft.kinds.of(node)
    if kind in (nodes.IDENTIFIER, nodes.SHORTHAND_PROPERTY_IDENTIFIER_PATTERN):
        start, end = node.start_byte, node.end_byte
        name = draft.name(start, end)
        if kind != nodes.IDENTIFIER:
            path = (*path, (0, name, start, end))
        if end > start:
            pending.append(Bound(draft.define(name, how.kind, start, end, how.scope), path))
    elif draft.depth >= DEPTH:
        too_deep(draft, node)
    elif kind in _RULES:
        draft.depth += 1
        _RULES[kind](draft, node, pending, how, path)
        draft.depth -= 1
    else:
        draft.read(node)


def _object(draft: Draft, node: Node, pending: list[Bound], how: Binding, path: tuple[Step, ...]) -> None:
    for part in children(node):
        if draft.kinds.of(part) == nodes.REST_PATTERN:
            for inner in children(part):
                bind(draft, inner, pending, how, (*path, (1, REST, -1, -1)))
        else:
            bind(draft, part, pending, how, path)


def _pair(draft: Draft, node: Node, pending: list[Bound], how: Binding, path: tuple[Step, ...]) -> None:
    key, value = field(draft, node, nodes.F_KEY), field(draft, node, nodes.F_VALUE)
    if key is None or value is None:
        draft.read(node)
        return
    if draft.kinds.of(key) == nodes.PROPERTY_IDENTIFIER:
        start, end = key.start_byte, key.end_byte
        step = (0, draft.name(start, end), start, end)
    else:
        draft.read(key)
        step = (1, REST, -1, -1)
    bind(draft, value, pending, how, (*path, step))


def _array(draft: Draft, node: Node, pending: list[Bound], how: Binding, path: tuple[Step, ...]) -> None:
    position = 0
    for part in node.children:
        if draft.kinds.of(part) == nodes.COMMA:
            position += 1
        elif part.is_named and draft.kinds.of(part) == nodes.REST_PATTERN:
            for inner in children(part):
                bind(draft, inner, pending, how, (*path, (1, REST, -1, -1)))
        elif part.is_named and not part.is_extra:
            bind(draft, part, pending, how, (*path, (1, position, -1, -1)))


def _defaulted(draft: Draft, node: Node, pending: list[Bound], how: Binding, path: tuple[Step, ...]) -> None:
    left, right = field(draft, node, nodes.F_LEFT), field(draft, node, nodes.F_RIGHT)
    if left is None or right is None:
        draft.read(node)
        return
    mark = len(pending)
    bind(draft, left, pending, how, path)
    for bound in pending[mark:]:
        draft.definitions[bound.row][D_FLAGS] |= DEFAULTED
    value = draft.read(right, 1 if len(pending) == mark + 1 else 0)
    if len(pending) == mark + 1:
        draft.definitions[pending[mark].row][D_VALUE] = value


_RULES = {
    nodes.OBJECT_PATTERN: _object,
    nodes.PAIR_PATTERN: _pair,
    nodes.ARRAY_PATTERN: _array,
    nodes.ASSIGNMENT_PATTERN: _defaulted,
    nodes.OBJECT_ASSIGNMENT_PATTERN: _defaulted,
}


def settle(draft: Draft, pending: Sequence[Bound], value: int, imported: bool = False) -> None:
    """Gives each bound name its part of the value; each name of a member is a use of that member."""
    parts: dict[tuple[Step, ...], int] = {(): value}
    used: set[int] = set()
    for bound in pending:
        for length in range(1, len(bound.path) + 1):
            step = bound.path[length - 1]
            base = parts[bound.path[: length - 1]]
            if step[2] >= 0 and step[2] not in used:
                used.add(step[2])
                role = IMPORTED if imported and length == 1 else READ
                draft.use(step[2], step[3], role, base if base >= 0 else draft.unknown())
            if bound.path[:length] not in parts:
                parts[bound.path[:length]] = _part(draft, base, step)
        definition = draft.definitions[bound.row]
        if parts[bound.path] >= 0 and (bound.path or definition[D_VALUE] < 0):
            definition[D_VALUE] = parts[bound.path]
        if imported and len(bound.path) == 1 and bound.path[0][0] == 0:
            definition[D_KIND] = IMPORT


def _part(draft: Draft, base: int, step: Step) -> int:
    if base < 0:
        return -1
    if step[0] == 0:
        return draft.expression(MEMBER, base, step[1], step[2])
    return draft.expression(ITEM, base, step[1])
