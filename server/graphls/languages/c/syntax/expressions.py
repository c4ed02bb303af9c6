"""Expressions: values of C as expressions.

Owns: the rules of names, members, calls, casts, literals with braces and operators.
Must not know: statements, other files.
Invariant: `&x`, `*x` and `x[i]` are `x`: members are found through all of them alike.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import OccurrenceFlag, Role
from graphls.languages.declared.expressions import identifier, left_deep
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    MEMBER,
    READ,
    TYPED,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.nesting import DEPTH

KEYWORD: Final = int(Role.KEYWORD)
TAGS: Final = "struct"
_BLANKS: Final = (b" ", b"\t")
_REACH: Final = 24
_TAGGED: Final = (b"struct", b"union", b"enum")
_TAKING: Final = re.compile(rb"^[A-Z][A-Z0-9_]*$|_of$|_each|_entry|_safe$|offset")
"""Macros that may be given the name of a member."""
_LAST_WORD: Final = re.compile(rb"\b(?:struct|union|enum)$")
ALSO_WRITE: Final = int(OccurrenceFlag.ALSO_WRITE)


def name(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A plain name; behind `struct`, where a macro is given a type, the name of that."""
    start = node.start_byte
    if start > 0 and builder.data[start - 1 : start] in _BLANKS:
        before = builder.data[max(0, start - _REACH) : start].rstrip()
        if before.endswith(_TAGGED) and _LAST_WORD.search(before):
            tags = builder.builtin(TAGS)
            builder.use(start, node.end_byte, TYPED, tags)
            return builder.expression(MEMBER, tags, builder.name(start, node.end_byte), start) if want else -1
    return identifier(builder, node, want, role)


def member(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value.name` and `pointer->name`."""
    argument, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
    if argument is None or name is None:
        builder.read_all(node)
        return -1
    base = builder.read(argument, 1)
    builder.shape.append(node.kind_id)
    return builder.member_expression(base, name, want, role)


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function(arguments)`."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        builder.read_all(node)
        return -1
    callee = builder.read(function, 1, CALLED)
    builder.shape.append(node.kind_id)
    given: list[int] = []
    if arguments is not None and arguments.named_child_count > 1 and _TAKING.search(function.text or b"") is not None:
        # What a macro is given may be the name of a member of something else that it is given.
        given = [row for row in [builder.read(part, 1) for part in arguments.named_children] if row >= 0]
    elif arguments is not None:
        builder.read_all(arguments)
    if callee < 0 or not (want or given):
        return -1
    return builder.expression(CALL, callee, builder.sequence(given))


def first(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`, `&x`, `x[i]`: what the first part is."""
    parts = node.named_children
    if role == WRITE and node.type != "parenthesized_expression":
        role = READ
    row = builder.read(parts[0], want, role) if parts else -1
    for part in parts[1:]:
        builder.read(part)
    return row


def last(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(a, b)`: what the last part is."""
    parts = node.named_children
    for part in parts[:-1]:
        builder.read(part)
    return builder.read(parts[-1], want, role) if parts else -1


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a + b`: pointer arithmetic has the type of the pointer, which mostly stands first."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    row = builder.read(left, want) if left is not None else -1
    builder.shape.append(node.kind_id)
    if right is not None:
        builder.read(right)
    return row


def conditional(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a ? b : c` and `a ?: c`."""
    condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    other = node.child_by_field_name("alternative")
    row = builder.read(condition, want if then is None else 0) if condition is not None else -1
    if then is not None:
        row = builder.read(then, want)
    second = builder.read(other, want) if other is not None else -1
    return second if then is not None and then.type in ("null", "number_literal") else row


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a = b` and `a += b`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator, flags = node.child_by_field_name("operator"), builder.use_flags
    if operator is not None and operator.text != b"=":
        builder.use_flags |= ALSO_WRITE
    row = builder.read(left, want, WRITE) if left is not None else -1
    builder.use_flags = flags
    if right is not None:
        builder.read(right)
    return row


def update(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a++`."""
    argument, flags = node.child_by_field_name("argument"), builder.use_flags
    builder.use_flags |= ALSO_WRITE
    row = builder.read(argument, want, WRITE) if argument is not None else -1
    builder.use_flags = flags
    return row


def cast(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(type) value`."""
    type_, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    row = builder.read(type_, want, TYPED) if type_ is not None else -1
    if value is not None:
        builder.read(value)
    return builder.instance(row) if want else -1


def compound_literal(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(type) { .field = value }`."""
    return braces_of_type(builder, node, TYPED)


def braces_of_type(builder: DeclaredFactsBuilder, node: Node, role: int) -> int:
    """What a type makes of values in braces. `role`: that of the name of the type."""
    type_, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    row = builder.instance(builder.read(type_, 1, role)) if type_ is not None else -1
    if value is not None:
        initializer(builder, value, row)
    return row


def braces(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ ... }` of nobody knows what."""
    initializer(builder, node, -1)
    return -1


def initializer(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    """What a variable begins with. `value`: the expression of the variable."""
    if node.type != "initializer_list" or builder.depth >= DEPTH:
        builder.read(node)
        return
    builder.depth += 1
    for part in node.named_children:
        if part.type == "initializer_list":
            initializer(builder, part, value)
        elif part.type == "initializer_pair":
            _designated(builder, part, value)
        else:
            builder.read(part)
    builder.depth -= 1


def _designated(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    """`.field.inner = value`, `[index] = value`, `field: value`."""
    for part in node.children_by_field_name("designator"):
        name = part if part.type == "field_identifier" else None
        if part.type == "field_designator":
            name = next((inner for inner in part.named_children if inner.type == "field_identifier"), None)
        if name is None:
            builder.read(part)
            continue
        number = builder.use(name.start_byte, name.end_byte, KEYWORD, value if value >= 0 else builder.unknown())
        value = builder.expression(MEMBER, value, number, name.start_byte) if value >= 0 else -1
    held = node.child_by_field_name("value")
    if held is not None:
        initializer(builder, held, value)


def offset_of(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`offsetof(type, member)`."""
    type_, name = node.child_by_field_name("type"), node.child_by_field_name("member")
    row = builder.instance(builder.read(type_, 1, TYPED)) if type_ is not None else -1
    if name is not None:
        builder.member_expression(row, name, 0, READ)
    return builder.builtin("int") if want else -1


def truth(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`true`, and `TRUE`, which is a macro to every program that has it."""
    if builder.data.startswith((b"TRUE", b"FALSE"), node.start_byte):
        builder.name_expression(node, 0, READ)
    return builder.builtin("int") if want else -1


def literal(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """What has no members."""
    return builder.builtin("int") if want else -1


RULES: dict[str, Rule] = {
    "identifier": name,
    "field_expression": member,
    "call_expression": call,
    "parenthesized_expression": first,
    "pointer_expression": first,
    "subscript_expression": first,
    "unary_expression": first,
    "comma_expression": last,
    "binary_expression": left_deep(binary),
    "conditional_expression": conditional,
    "assignment_expression": assignment,
    "update_expression": update,
    "cast_expression": cast,
    "compound_literal_expression": compound_literal,
    "initializer_list": braces,
    "offsetof_expression": offset_of,
    "string_literal": literal,
    "number_literal": literal,
    "char_literal": literal,
    "true": truth,
    "false": truth,
    "null": nothing,
    "comment": nothing,
    "statement_identifier": nothing,
}
