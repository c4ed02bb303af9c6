"""Expressions: names, literals and operators.

Owns: their rules.
Must not know: tables, calls, declarations, other files.
Invariant: an operator gives a known value where the language itself says which.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.expressions import left_deep, literal
from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule, nothing
from graphls.languages.lua.syntax.facts_builder import lua, read_name

_TRUTHS: Final = frozenset((b"==", b"~=", b"<", b">", b"<=", b">="))


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a or b` is one of them, `a and b` the second."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        builder.read_all(node)
        return -1
    sign = builder.between(left.end_byte, right.start_byte).strip()
    first = builder.read(left, int(want and sign == b"or"))
    second = builder.read(right, int(want and sign in (b"or", b"and")))
    builder.shape.append(node.kind_id)
    if not want:
        return -1
    if sign == b"or":
        return lua(builder).choice((first, second))
    if sign == b"and":
        return second
    if sign == b"..":
        return builder.builtin("string")
    return builder.builtin("boolean" if sign in _TRUTHS else "number")


def unary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`not x`, `#x`, `-x`."""
    builder.read_all(node)
    if not want:
        return -1
    return builder.builtin("boolean" if builder.data.startswith(b"not", node.start_byte) else "number")


def parenthesized(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`."""
    row = -1
    for part in node.named_children:
        row = builder.read(part, want)
    return row


RULES: dict[str, Rule] = {
    "identifier": read_name,
    "binary_expression": left_deep(binary),
    "unary_expression": unary,
    "parenthesized_expression": parenthesized,
    "string": literal("string"),
    "number": literal("number"),
    "true": literal("boolean"),
    "false": literal("boolean"),
    "nil": nothing,
    "vararg_expression": nothing,
    "escape_sequence": nothing,
}
