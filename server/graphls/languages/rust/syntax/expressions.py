"""Expressions: values of Rust as expressions.

Owns: the rules of names, fields, calls, closures, literals and operators.
Must not know: statements, items, other files.
Invariant: `&x`, `*x` and `x` are alike: members are found through all of them.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import OccurrenceFlag
from graphls.languages.declared.expressions import left_deep, literal
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    ITEM,
    READ,
    SUBSCRIPT,
    TUPLE,
    TYPED,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE
from graphls.languages.rust.syntax.facts_builder import (
    AWAIT,
    COLLECTION,
    GIVEN,
    KEYWORD,
    LAMBDA,
    LAMBDA_SCOPE,
    TRIED,
    RustFactsBuilder,
    RustRule,
    value,
)
from graphls.languages.rust.syntax.patterns import bind, bind_parameter
from graphls.languages.rust.syntax.types import SKIPPED, type_arguments

ALSO_WRITE: Final = int(OccurrenceFlag.ALSO_WRITE)
_COMPARED: Final = frozenset((b"==", b"!=", b"<", b"<=", b">", b">=", b"&&", b"||"))
ARGUMENTS: Final = 64
"""Arguments of a call by whose position closures are known."""


def identifier(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """A name."""
    if builder.data[node.start_byte : node.end_byte] == b"_":
        return -1
    if builder.matching and not 0x41 <= builder.data[node.start_byte] <= 0x5A:
        return -1  # a name that a pattern binds
    return builder.name_expression(node, want, role)


def field(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value.field`, `value.0`."""
    operand, name = node.child_by_field_name("value"), node.child_by_field_name("field")
    if operand is None or name is None:
        builder.read_all(node)
        return -1
    base = builder.read(operand, 1)
    builder.shape.append(node.kind_id)
    if name.type != "integer_literal":
        return builder.member_expression(base, name, want, role)
    text = builder.source(name.start_byte, name.end_byte)
    return builder.expression(ITEM, base, int(text) % 1000) if want and base >= 0 and text.isdecimal() else -1


def call(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function(arguments)`."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None:
        builder.read_all(node)
        return -1
    callee = builder.read(function, 1, CALLED)
    builder.shape.append(node.kind_id)
    passed = read_arguments(builder, arguments, callee)
    return builder.expression(CALL, callee, builder.sequence(passed)) if want and callee >= 0 else -1


def read_arguments(builder: RustFactsBuilder, node: Node, callee: int) -> list[int]:
    """The arguments of a call; closures know what they are given to."""
    outer, rows = builder.closure, list[int]()
    for part in node.named_children:
        if part.type in SKIPPED:
            continue
        builder.closure = (callee, min(len(rows), ARGUMENTS - 1))
        rows.append(builder.read(part, 1))
    builder.closure = outer
    return rows


def generic_function(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function::<T>`."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("type_arguments")
    row = value(builder, function, role)
    given = type_arguments(builder, arguments, row)
    return builder.expression(SUBSCRIPT, row, builder.sequence(given)) if want and row >= 0 else -1


def same(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`, `&x`, `*x`, `-x` have the type of `x`, as far as members go."""
    row = -1
    for part in node.named_children:
        if part.type not in SKIPPED:
            row = builder.read(part, want, role if role == WRITE and node.type == "parenthesized_expression" else READ)
    return row


def awaited(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x.await`."""
    row = builder.read(node.named_children[0], 1) if node.named_child_count else -1
    return builder.expression(AWAIT, row) if want and row >= 0 else -1


def tried(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x?`."""
    row = builder.read(node.named_children[0], 1) if node.named_child_count else -1
    return builder.expression(TRIED, row) if want and row >= 0 else -1


def cast(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x as T`."""
    operand = node.child_by_field_name("value")
    if operand is not None:
        builder.read(operand)
    return builder.instance(value(builder, node.child_by_field_name("type"), TYPED))


def index(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x[i]`, `x[a..b]`."""
    parts = [part for part in node.named_children if part.type not in SKIPPED]
    rows = [builder.read(part, 1) for part in parts]
    if not want or not rows or rows[0] < 0:
        return -1
    if len(parts) > 1 and parts[1].type == "range_expression":
        return rows[0]
    return builder.expression(SUBSCRIPT, rows[0], builder.sequence(rows[1:]))


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Two operands of one type, but for comparisons."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    row = builder.read(left, want) if left is not None else -1
    if right is not None:
        builder.read(right)
    builder.shape.append(node.kind_id)
    if not want:
        return -1
    return builder.builtin("bool") if operator is not None and operator.text in _COMPARED else row


def assignment(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a = x`, `a += x`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    flags = builder.use_flags
    if node.type == "compound_assignment_expr":
        builder.use_flags |= ALSO_WRITE
    if left is not None:
        builder.read(left, 0, WRITE)
    builder.use_flags = flags
    if right is not None:
        builder.read(right)
    return -1


def span(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a..b`."""
    rows = [builder.read(part, want) for part in node.named_children if part.type not in SKIPPED]
    return _collection(builder, rows[:1], "Range") if want else -1


def array(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[a, b]`, `[a; n]`."""
    rows = [builder.read(part, want) for part in node.named_children if part.type not in SKIPPED]
    return _collection(builder, rows[:1], "[]") if want else -1


def _collection(builder: RustFactsBuilder, rows: list[int], name: str) -> int:
    return builder.expression(COLLECTION, builder.sequence(rows), builder.text(name), builder.sequence(()))


def tuple_value(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(a, b)` and `()`."""
    rows = [builder.read(part, want) for part in node.named_children if part.type not in SKIPPED]
    return builder.expression(TUPLE, builder.sequence(rows)) if want else -1


def closure(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`|a, b: T| value`."""
    callee, position = builder.closure
    builder.closure = (-1, 0)
    body, written = node.child_by_field_name("body"), node.child_by_field_name("parameters")
    outer, full = builder.scope, builder.full
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    count = 0
    for part in written.named_children if written is not None else ():
        if part.type in SKIPPED:
            continue
        builder.full = (part.start_byte, part.end_byte)
        pattern, type_ = part, -1
        if part.type == "parameter":
            type_ = value(builder, part.child_by_field_name("type"), TYPED)
            pattern = part.child_by_field_name("pattern") or part
        given = builder.expression(GIVEN, callee, position, count) if callee >= 0 else -1
        before = len(builder.definitions)
        if type_ < 0 and pattern.type != "identifier":
            bind(builder, pattern, given)
        elif bind_parameter(builder, pattern, type_) and len(builder.definitions) > before:
            builder.definitions[before][D_VALUE] = given
            builder.definitions[before][D_TYPE] = type_
        count += 1
    builder.full = full
    result = value(builder, node.child_by_field_name("return_type"), TYPED)
    row = builder.read(body, 1) if body is not None else -1
    builder.scope, builder.full = outer, full
    if not want:
        return -1
    return builder.expression(LAMBDA, builder.instance(result) if result >= 0 else row)


def struct_value(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name { field: value, ..rest }`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    path = builder.read(name, 1, CALLED) if name is not None else -1
    for part in body.named_children if body is not None else ():
        if part.type == "field_initializer":
            key = part.child_by_field_name("field")
            if key is not None and key.type == "field_identifier":
                builder.use_of(key, KEYWORD, path)
            value(builder, part.child_by_field_name("value"))
        elif part.type == "shorthand_field_initializer":
            for word in part.named_children:
                if word.type == "identifier":
                    builder.use_of(word, KEYWORD, path)
                    builder.use(word.start_byte, word.end_byte, READ)
        elif part.type not in SKIPPED:
            builder.read(part)
    return builder.instance(path) if want else -1


def skip(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """A node with nothing in it."""
    return -1


NOTHING: Final[dict[str, Rule]] = {
    "line_comment": nothing,
    "block_comment": nothing,
    "lifetime": nothing,
    "label": nothing,
    "visibility_modifier": nothing,
    "crate": nothing,
    "super": nothing,
    "metavariable": nothing,
    "inner_attribute_item": nothing,
    "attribute_item": nothing,
    "empty_statement": nothing,
    "field_identifier": nothing,
    "shorthand_field_identifier": nothing,
    "extern_modifier": nothing,
}
RULES: dict[str, RustRule] = {
    "identifier": identifier,
    "self": identifier,
    "field_expression": field,
    "call_expression": call,
    "generic_function": generic_function,
    "parenthesized_expression": same,
    "reference_expression": same,
    "unary_expression": same,
    "await_expression": awaited,
    "try_expression": tried,
    "type_cast_expression": cast,
    "index_expression": index,
    "binary_expression": left_deep(binary),
    "assignment_expression": assignment,
    "compound_assignment_expr": assignment,
    "range_expression": span,
    "array_expression": array,
    "tuple_expression": tuple_value,
    "unit_expression": tuple_value,
    "closure_expression": closure,
    "struct_expression": struct_value,
    "string_literal": literal("str"),
    "raw_string_literal": literal("str"),
    "integer_literal": literal("i32"),
    "float_literal": literal("f64"),
    "char_literal": literal("char"),
    "boolean_literal": literal("bool"),
}
