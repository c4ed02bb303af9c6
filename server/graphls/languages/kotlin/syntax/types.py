"""Types: written types of Kotlin as expressions.

Owns: the rules of type nodes, type parameters.
Must not know: statements, other files.
Invariant: `T?` is `T`; a projection is what it projects.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import (
    MEMBER,
    NAME,
    SUBSCRIPT,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.kotlin.syntax.facts_builder import TYPE_PARAMETER, annotation, parts_of

FUNCTION_TYPE: Final = "fun"
RECEIVER_TYPE: Final = "fun."
"""Built-in constructors: the types of parameters, then of the result. With a dot the first one is the receiver."""
TYPES: Final = frozenset({
    "user_type", "nullable_type", "function_type", "parenthesized_type", "not_nullable_type", "receiver_type",
    "parenthesized_user_type",
})  # fmt: skip


def user_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`pkg.Outer<A>.Name<B>`. What begins with a small letter before the last name is a package by convention."""
    names = [part for part in node.named_children if part.type == "type_identifier"]
    row, at = -1, 0
    for part in node.named_children:
        if part.type == "type_identifier":
            at += 1
            last = at == len(names)
            row = _segment(builder, part, row, (role or TYPED) if last else TYPED, first=at == 1, last=last)
        elif part.type == "type_arguments":
            given = [builder.read(one, 1, TYPED) for one in parts_of(part)]
            if row >= 0 and given:
                row = builder.expression(SUBSCRIPT, row, builder.sequence(given))
    return row


def _segment(builder: DeclaredFactsBuilder, node: Node, row: int, role: int, *, first: bool, last: bool) -> int:
    small = not last and 0x61 <= builder.data[node.start_byte] <= 0x7A
    start = node.start_byte
    if small:
        name = builder.name(start, node.end_byte)
        return (
            builder.expression(NAME, name, builder.scope, start)
            if first
            else builder.expression(MEMBER, row, name, start)
        )
    if first:
        return builder.name_expression(node, 1, role)
    return builder.member_expression(row, node, 1, role)


def inner_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T?`, `(T)`, `in T`, `T & Any`."""
    row = -1
    for part in node.named_children:
        made = builder.read(part, 1, role or TYPED)
        row = made if row < 0 else row
    return row


def function_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`R.(A, b: B) -> C`."""
    receiver = node.child_by_field_name("receiver")
    rows: list[int] = []
    if receiver is not None:
        rows.append(builder.read(receiver, 1, TYPED))
    result = -1
    for part in parts_of(node):
        if receiver is not None and part.id == receiver.id:
            continue
        if part.type == "function_type_parameters":
            for one in parts_of(part):
                written = one.named_children[-1] if one.type == "parameter" and one.named_children else one
                rows.append(builder.read(written, 1, TYPED))
        else:
            result = builder.read(part, 1, TYPED)
    return builder.constructed(RECEIVER_TYPE if receiver is not None else FUNCTION_TYPE, [*rows, result])


def type_parameters(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`<in T : Bound, U>`, bound in the current scope."""
    full = builder.full
    for part in node.named_children:
        names = [one for one in part.named_children if one.type == "type_identifier"]
        if part.type != "type_parameter" or not names:
            continue
        builder.full = (part.start_byte, part.end_byte)
        row = builder.define(names[0], TYPE_PARAMETER)
        for one in part.named_children:
            if one.type in TYPES:
                builder.definitions[row][D_TYPE] = builder.read(one, 1, TYPED)
    builder.full = full


def type_constraints(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`where T : Bound`: the bound of a type parameter that has none yet."""
    for part in node.named_children:
        names = [one for one in part.named_children if one.type == "type_identifier"]
        for name in names[:1]:
            builder.use(name.start_byte, name.end_byte, TYPED)
        for one in part.named_children:
            if one.type == "annotation":
                annotation(builder, one, -1)
            elif one.type in TYPES:
                made = builder.read(one, 1, TYPED)
                bound = builder.bound.get((builder.scope, builder.name(names[0].start_byte, names[0].end_byte)), -1)
                if bound >= 0 and builder.definitions[bound][D_TYPE] < 0:
                    builder.definitions[bound][D_TYPE] = made


def written_type(builder: DeclaredFactsBuilder, node: Node) -> int:
    """The first written type among the children of a node, -1 for none."""
    for part in node.named_children:
        if part.type in TYPES:
            return builder.read(part, 1, TYPED)
    return -1


RULES: dict[str, Rule] = {
    "user_type": user_type,
    "nullable_type": inner_type,
    "not_nullable_type": inner_type,
    "parenthesized_type": inner_type,
    "parenthesized_user_type": inner_type,
    "receiver_type": inner_type,
    "type_projection": inner_type,
    "function_type": function_type,
    "type_projection_modifiers": nothing,
    "type_modifiers": nothing,
    "type_parameter_modifiers": nothing,
}
