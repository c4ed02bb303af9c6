"""Expressions: values of C++ as expressions.

Owns: the rules of names, members, calls, casts, elements and operators.
Must not know: statements, other files.
Invariant: `p->`, `*p` and `p[i]` are elements of `p` that say how they are taken; `&x` is `x`.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.c.cpp.syntax.facts_builder import ARROW, INDEXED, STARRED
from graphls.languages.c.cpp.syntax.types import below, described
from graphls.languages.c.syntax.expressions import (
    assignment,
    braces,
    braces_of_type,
    cast,
    conditional,
    last,
    offset_of,
    update,
)
from graphls.languages.declared.expressions import identifier, left_deep, literal, word
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    ELEMENT,
    READ,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)

_CASTS: Final = frozenset((b"static_cast", b"dynamic_cast", b"const_cast", b"reinterpret_cast"))
_COMPARED: Final = frozenset((b"==", b"!=", b"<", b"<=", b">", b">=", b"&&", b"||", b"and", b"or"))


def member(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value.name` and `pointer->name`."""
    argument, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
    if argument is None or name is None:
        builder.read_all(node)
        return -1
    base = builder.read(argument, 1)
    operator = node.child_by_field_name("operator")
    if base >= 0 and operator is not None and operator.text == b"->":
        base = builder.expression(ELEMENT, base, ARROW)
    builder.shape.append(node.kind_id)
    return below(builder, base if base >= 0 else builder.unknown(), name, want, role)


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function(arguments)`; `static_cast<T>(value)` has the type that it names."""
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        builder.read_all(node)
        return -1
    if function.type == "template_function":
        name, types = function.child_by_field_name("name"), function.child_by_field_name("arguments")
        if name is not None and name.text in _CASTS and types is not None and types.named_children:
            row = builder.read(types.named_children[0], 1, TYPED)
            if given is not None:
                builder.read_all(given)
            return builder.instance(row)
    callee = builder.read(function, 1, CALLED)
    builder.shape.append(node.kind_id)
    rows = [builder.read(part, 1) for part in given.named_children if part.type != "comment"] if given else []
    return builder.expression(CALL, callee, builder.sequence(rows)) if callee >= 0 else -1


def inside(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`, `x...`: what the first part is."""
    parts = node.named_children
    row = builder.read(parts[0], want, role) if parts else -1
    for part in parts[1:]:
        builder.read(part)
    return row


def pointer(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`*x` and `&x`."""
    argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
    if argument is None:
        builder.read_all(node)
        return -1
    row = builder.read(argument, want, READ)
    if row >= 0 and operator is not None and operator.text == b"*":
        return builder.expression(ELEMENT, row, STARRED)
    return row


def subscript(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x[i]`."""
    parts = node.named_children
    row = builder.read(parts[0], want, READ) if parts else -1
    for part in parts[1:]:
        builder.read(part)
    return builder.expression(ELEMENT, row, INDEXED) if row >= 0 else -1


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a + b`: a pointer and a number make such a pointer; what other operators make is not known."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    sign = operator.text if operator is not None else b""
    row = builder.read(left, want if sign in (b"+", b"-") else 0) if left is not None else -1
    builder.shape.append(node.kind_id)
    if right is not None:
        builder.read(right)
    return builder.builtin("int") if want and sign in _COMPARED else row


def new(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`new (place) Type(arguments)`."""
    type_ = node.child_by_field_name("type")
    row = -1
    for part in node.named_children:
        if part == type_:
            row = builder.read(part, 1, CALLED)
        else:
            builder.read(part)
    return builder.instance(row) if want else -1


def braced(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Type{arguments}` makes one of the type."""
    return braces_of_type(builder, node, CALLED)


def plain(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Operators whose result has no members that anybody knows."""
    builder.read_all(node)
    return -1


def arguments(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Arguments without a call."""
    builder.read_all(node)
    return -1


_number: Final = literal("int")
RULES: dict[str, Rule] = {
    "identifier": identifier,
    "field_identifier": identifier,
    "namespace_identifier": identifier,
    "operator_name": identifier,
    "destructor_name": identifier,
    "this": word,
    "field_expression": member,
    "call_expression": call,
    "parenthesized_expression": inside,
    "parameter_pack_expansion": inside,
    "pointer_expression": pointer,
    "subscript_expression": subscript,
    "unary_expression": plain,
    "comma_expression": last,
    "binary_expression": left_deep(binary),
    "conditional_expression": conditional,
    "assignment_expression": assignment,
    "update_expression": update,
    "cast_expression": cast,
    "compound_literal_expression": braced,
    "new_expression": new,
    "initializer_list": braces,
    "offsetof_expression": offset_of,
    "type_descriptor": described,
    "string_literal": _number,
    "raw_string_literal": _number,
    "concatenated_string": _number,
    "number_literal": _number,
    "char_literal": _number,
    "user_defined_literal": nothing,
    "true": _number,
    "false": _number,
    "null": nothing,
    "comment": nothing,
    "statement_identifier": nothing,
    "argument_list": arguments,
}
