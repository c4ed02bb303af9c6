"""Targets: what an assignment writes to.

Owns: how each form on the left of a sign is bound or written.
Must not know: how values are read.
Invariant: what stands in a target (receivers, indexes) is read once.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import WRITE, DeclaredFactsBuilder
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.ruby.syntax.facts_builder import CONSTANT, ruby

FIELDS: Final = frozenset({"instance_variable", "class_variable", "global_variable"})
_LISTS: Final = frozenset({"left_assignment_list", "destructured_left_assignment", "rest_assignment",
                           "destructured_parameter", "splat_parameter"})  # fmt: skip


def assign(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    """What stands at a node is given a value."""
    own = ruby(builder)
    if node.type == "identifier":
        own.bind(node, value)
    elif node.type in FIELDS:
        own.bind_field(node, value)
    elif node.type == "constant":
        define_constant(builder, node, value)
    elif node.type == "scope_resolution":
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        base = builder.read(scope, 1) if scope is not None else -1
        if name is not None:
            row = define_constant(builder, name, value)
            builder.definitions[row][D_TYPE] = base
    elif node.type == "call":
        write_member(builder, node, WRITE)
    elif node.type in _LISTS:
        for part in node.named_children:
            assign(builder, part, -1)
    else:
        builder.read(node)


def define_constant(builder: DeclaredFactsBuilder, node: Node, value: int) -> int:
    """`NAME = value`: one of the class around, wherever it stands in it."""
    own = ruby(builder)
    scope, owner = builder.scope, builder.owner
    builder.scope = own.class_scope()
    builder.owner = own.class_row if builder.scope else -1
    row = builder.define(node, CONSTANT)
    builder.scope, builder.owner = scope, owner
    own.values.setdefault(row, []).append(value)
    return row


def write_member(builder: DeclaredFactsBuilder, node: Node, role: int, flags: int = 0) -> int:
    """`receiver.name = value`; answers the expression of the receiver."""
    receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    base = builder.read(receiver, 1) if receiver is not None else -1
    if method is not None:
        base = base if base >= 0 else builder.unknown()
        before, builder.use_flags = builder.use_flags, builder.use_flags | flags
        builder.use(method.start_byte, method.end_byte, role, base)
        builder.use_flags = before
    return base
