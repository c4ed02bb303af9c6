"""Targets: what assignments, loops, handlers and patterns bind.

Owns: the definitions and writes of one target, and which part of the value each name gets.
Must not know: which statement the target belongs to, how values are read.
Invariant: definitions come in source order; their value is filled in once the value has been read.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind
from graphls.languages.draft import D_FLAGS, D_SCOPE, D_VALUE
from graphls.languages.python import nodes
from graphls.languages.python.draft import (
    COMPREHENSION,
    GLOBAL,
    LAMBDA,
    READ,
    WRITE,
    Draft,
    Frame,
    Level,
)
from graphls.languages.python.nesting import DEPTH, children, too_deep

VARIABLE: Final = int(DefinitionKind.VARIABLE)
CONSTANT: Final = int(DefinitionKind.CONSTANT)
FIELD: Final = int(DefinitionKind.FIELD)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
INSTANCE: Final = int(DefinitionFlag.INSTANCE)
ITEM: Final = int(ExpressionKind.ITEM)

REST: Final = 1000
"""Position of the starred rest in an unpacking."""

SPLATS: Final = frozenset((nodes.LIST_SPLAT, nodes.LIST_SPLAT_PATTERN))
CONTAINERS = nodes.SEQUENCE_TARGETS | SPLATS | {nodes.PARENTHESIZED, nodes.AS_TARGET}

Target: TypeAlias = tuple[int, tuple[int, ...]]
"""A definition and the positions that lead to its part of the value."""


def bind_target(draft: Draft, node: Node, pending: list[Target], kind: int = -1, path: tuple[int, ...] = ()) -> None:
    """Binds every name of a target. `kind` -1: by where the statement stands."""
    number = node.kind_id
    if number == nodes.IDENTIFIER:
        pending.append((bind_name(draft, node, kind), path))
    elif number == nodes.ATTRIBUTE:
        row = bind_attribute(draft, node)
        if row >= 0:
            pending.append((row, path))
    elif number not in CONTAINERS:
        draft.read(node)
    elif draft.depth >= DEPTH:
        too_deep(draft, node)
    else:
        draft.depth += 1
        _bind_parts(draft, node, pending, kind, path)
        draft.depth -= 1


def _bind_parts(draft: Draft, node: Node, pending: list[Target], kind: int, path: tuple[int, ...]) -> None:
    parts = children(node)
    grouping = node.kind_id == nodes.TUPLE_PATTERN and len(parts) == 1 and node.child_count == 3
    if grouping or node.kind_id not in nodes.SEQUENCE_TARGETS:
        for part in parts:
            bind_target(draft, part, pending, kind, path)
        return
    rest = False
    for position, part in enumerate(parts):
        if part.kind_id in SPLATS:
            rest = True
            bind_target(draft, part, pending, kind, (*path, REST))
        else:
            bind_target(draft, part, pending, kind, (*path, position - len(parts) if rest else position))


def settle(draft: Draft, pending: list[Target], value: int) -> None:
    """Gives each bound name its part of the value."""
    if value < 0:
        return
    if len(pending) == 1 and not pending[0][1]:
        draft.definitions[pending[0][0]][D_VALUE] = value
        return
    parts: dict[tuple[int, ...], int] = {(): value}
    for row, path in pending:
        for length in range(1, len(path) + 1):
            if path[:length] not in parts:
                parts[path[:length]] = draft.expression(ITEM, parts[path[: length - 1]], path[length - 1])
        draft.definitions[row][D_VALUE] = parts[path]


def bind_name(draft: Draft, node: Node, kind: int = -1) -> int:
    """A definition of a plain name in the current scope, or where `global` and `nonlocal` send it."""
    start, end = node.start_byte, node.end_byte
    name = draft.names.get(draft.data[start:end])
    if name is None:
        name = draft.name(start, end)
    row = draft.define(name, variable_kind(draft, name) if kind < 0 else kind, start, end, draft.scope)
    if draft.frame.declared and name in draft.frame.declared:
        _redirect(draft, row, draft.frame.declared[name])
    return row


def _redirect(draft: Draft, row: int, is_global: bool) -> None:
    """Sends a name under `global` or `nonlocal` to the scope that it belongs to."""
    if draft.scopes[draft.scope][0] in (COMPREHENSION, LAMBDA):
        return
    definition = draft.definitions[row]
    definition[D_SCOPE] = 0
    definition[D_FLAGS] |= GLOBAL
    if not is_global:
        draft.nonlocals.append((row, draft.scope))


def variable_kind(draft: Draft, name: int) -> int:
    """The kind of a variable bound here."""
    frame, text = draft.frame, draft.strings[name]
    level = frame.level if draft.scope == frame.scope else Level.FUNCTION
    if level == Level.CLASS and frame.enum and not text.startswith("_"):
        return ENUM_MEMBER
    if level != Level.FUNCTION and text.isupper():
        return CONSTANT
    if frame.declared.get(name) and text.isupper():
        return CONSTANT
    return FIELD if level == Level.CLASS else VARIABLE


def bind_attribute(draft: Draft, node: Node) -> int:
    """`self.x` as a target defines a field of the class, and writes whatever declares it; any other attribute is
    written only. -1 for these.
    """
    parts = children(node)
    if len(parts) != 2 or parts[1].start_byte == parts[1].end_byte:
        draft.read(node)
        return -1
    left, right = parts
    base = draft.read(left, 1)
    if is_receiver(draft, left):
        start, end = right.start_byte, right.end_byte
        row = draft.define(draft.name(start, end), FIELD, start, end, draft.frame.members)
        draft.definitions[row][D_FLAGS] |= INSTANCE
        draft.use(right.start_byte, right.end_byte, WRITE, base)
        return row
    draft.use(right.start_byte, right.end_byte, WRITE, base if base >= 0 else draft.unknown())
    return -1


def is_receiver(draft: Draft, node: Node) -> bool:
    """Whether a node is the first parameter of the method around it."""
    frame: Frame = draft.frame
    return (
        frame.receiver >= 0
        and node.kind_id == nodes.IDENTIFIER
        and draft.name(node.start_byte, node.end_byte) == frame.receiver
    )


def read_target(draft: Draft, node: Node, role: int) -> None:
    """Names of a target that is not bound (`del x`): each gets the role."""
    number = node.kind_id
    if number in nodes.SEQUENCE_TARGETS or number == nodes.PARENTHESIZED:
        if draft.depth >= DEPTH:
            too_deep(draft, node)
            return
        draft.depth += 1
        for part in children(node):
            read_target(draft, part, role)
        draft.depth -= 1
    else:
        draft.read(node, 0, role if number in (nodes.IDENTIFIER, nodes.ATTRIBUTE) else READ)
