"""Targets: what assignments, loops, handlers and patterns bind.

Owns: the definitions and writes of one target, and which part of the value each name gets.
Must not know: which statement the target belongs to, how values are read.
Invariant: definitions come in source order; their value is filled in once the value has been read.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind
from graphls.languages.extract.facts_builder import D_FLAGS, D_SCOPE, D_VALUE
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.constructs import DELETE_ITEM, SET_ITEM, UNPACK, construct, stored
from graphls.languages.python.syntax.facts_builder import (
    COMPREHENSION,
    GLOBAL,
    LAMBDA,
    READ,
    WRITE,
    PyFactsBuilder,
    PyFrame,
    StatementLevel,
)
from graphls.languages.python.syntax.nesting import children, too_deep

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


def bind_target(
    builder: PyFactsBuilder, node: Node, pending: list[Target], kind: int = -1, path: tuple[int, ...] = ()
) -> None:
    """Binds every name of a target. `kind` -1: by where the statement stands."""
    number = node.kind_id
    if number == nodes.IDENTIFIER:
        pending.append((bind_name(builder, node, kind), path))
    elif number == nodes.ATTRIBUTE:
        row = bind_attribute(builder, node)
        if row >= 0:
            pending.append((row, path))
    elif number not in CONTAINERS:
        mark = len(builder.constructs)
        builder.read(node)
        stored(builder, mark, node, SET_ITEM)
    elif builder.depth >= DEPTH:
        too_deep(builder, node)
    else:
        builder.depth += 1
        _bind_parts(builder, node, pending, kind, path)
        builder.depth -= 1


def _bind_parts(builder: PyFactsBuilder, node: Node, pending: list[Target], kind: int, path: tuple[int, ...]) -> None:
    parts = children(node)
    grouping = node.kind_id == nodes.TUPLE_PATTERN and len(parts) == 1 and node.child_count == 3
    if grouping or node.kind_id not in nodes.SEQUENCE_TARGETS:
        for part in parts:
            bind_target(builder, part, pending, kind, path)
        return
    rest = False
    for position, part in enumerate(parts):
        if part.kind_id in SPLATS:
            rest = True
            bind_target(builder, part, pending, kind, (*path, REST))
        else:
            bind_target(builder, part, pending, kind, (*path, position - len(parts) if rest else position))


def assign_values(builder: PyFactsBuilder, pending: list[Target], value: int) -> None:
    """Gives each bound name its part of the value."""
    if value < 0:
        return
    if len(pending) == 1 and not pending[0][1]:
        builder.definitions[pending[0][0]][D_VALUE] = value
        return
    parts: dict[tuple[int, ...], int] = {(): value}
    if any(path for _, path in pending):
        construct(builder, UNPACK, builder.full, value)
    for row, path in pending:
        for length in range(1, len(path) + 1):
            if path[:length] not in parts:
                parts[path[:length]] = builder.expression(ITEM, parts[path[: length - 1]], path[length - 1])
        builder.definitions[row][D_VALUE] = parts[path]


def bind_name(builder: PyFactsBuilder, node: Node, kind: int = -1) -> int:
    """A definition of a plain name in the current scope, or where `global` and `nonlocal` send it."""
    start, end = node.start_byte, node.end_byte
    name = builder.names.get(builder.data[start:end])
    if name is None:
        name = builder.name(start, end)
    row = builder.define(name, variable_kind(builder, name) if kind < 0 else kind, start, end, builder.scope)
    if builder.frame.declared and name in builder.frame.declared:
        _redirect(builder, row, builder.frame.declared[name])
    return row


def _redirect(builder: PyFactsBuilder, row: int, is_global: bool) -> None:
    """Sends a name under `global` or `nonlocal` to the scope that it belongs to."""
    if builder.scopes[builder.scope][0] in (COMPREHENSION, LAMBDA):
        return
    definition = builder.definitions[row]
    definition[D_SCOPE] = 0
    definition[D_FLAGS] |= GLOBAL
    if not is_global:
        builder.nonlocals.append((row, builder.scope))


def variable_kind(builder: PyFactsBuilder, name: int) -> int:
    """The kind of a variable bound here."""
    frame, text = builder.frame, builder.strings[name]
    level = frame.level if builder.scope == frame.scope else StatementLevel.FUNCTION
    if level == StatementLevel.CLASS and frame.enum and not text.startswith("_"):
        return ENUM_MEMBER
    if level != StatementLevel.FUNCTION and text.isupper():
        return CONSTANT
    if frame.declared.get(name) and text.isupper():
        return CONSTANT
    return FIELD if level == StatementLevel.CLASS else VARIABLE


def bind_attribute(builder: PyFactsBuilder, node: Node) -> int:
    """`self.x` as a target defines a field of the class, and writes whatever declares it; any other attribute is
    written only. -1 for these.
    """
    parts = children(node)
    if len(parts) != 2 or parts[1].start_byte == parts[1].end_byte:
        builder.read(node)
        return -1
    left, right = parts
    base = builder.read(left, 1)
    if is_receiver(builder, left):
        start, end = right.start_byte, right.end_byte
        row = builder.define(builder.name(start, end), FIELD, start, end, builder.frame.members)
        builder.definitions[row][D_FLAGS] |= INSTANCE
        builder.use(right.start_byte, right.end_byte, WRITE, base)
        return row
    builder.use(right.start_byte, right.end_byte, WRITE, base if base >= 0 else builder.unknown())
    return -1


def is_receiver(builder: PyFactsBuilder, node: Node) -> bool:
    """Whether a node is the first parameter of the method around it."""
    frame: PyFrame = builder.frame
    return (
        frame.receiver >= 0
        and node.kind_id == nodes.IDENTIFIER
        and builder.name(node.start_byte, node.end_byte) == frame.receiver
    )


def read_target(builder: PyFactsBuilder, node: Node, role: int) -> None:
    """Names of a target that is not bound (`del x`): each gets the role."""
    number = node.kind_id
    if number in nodes.SEQUENCE_TARGETS or number == nodes.PARENTHESIZED:
        if builder.depth >= DEPTH:
            too_deep(builder, node)
            return
        builder.depth += 1
        for part in children(node):
            read_target(builder, part, role)
        builder.depth -= 1
    else:
        mark = len(builder.constructs)
        builder.read(node, 0, role if number in (nodes.IDENTIFIER, nodes.ATTRIBUTE) else READ)
        stored(builder, mark, node, DELETE_ITEM)
