"""Expressions: values of Go as expressions.

Owns: the rules of names, selectors, calls, literals and operators.
Must not know: statements, other files.
Invariant: `&x` and `*x` are `x`: members are found through both alike.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import Role, ScopeKind
from graphls.languages.declared.expressions import is_comparison, left_deep, operands
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    ELEMENT,
    OPERATION,
    READ,
    SUBSCRIPT,
    TYPED,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import EXPRESSION
from graphls.languages.extract.kinds import LITERAL_EXPRESSION
from graphls.languages.go.syntax.types import PARAMETER, bind_parameters, result_types, signature_type

KEYWORD: Final = int(Role.KEYWORD)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
_COMPARED: Final = frozenset((b"==", b"!=", b"<", b"<=", b">", b">=", b"&&", b"||"))
_ELIDED: Final = "literal_value"


def identifier(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A name."""
    if node.end_byte - node.start_byte == 1 and builder.data[node.start_byte] == 0x5F:
        return -1  # `_` names nothing
    return builder.name_expression(node, want, role)


def selector(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`operand.field`."""
    operand, field = node.child_by_field_name("operand"), node.child_by_field_name("field")
    if operand is None or field is None:
        builder.read_all(node)
        return -1
    base = builder.read(operand, 1)
    builder.shape.append(node.kind_id)
    return builder.member_expression(base, field, want, role)


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function(arguments)`, a conversion as well."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        builder.read_all(node)
        return -1
    callee = builder.read(function, 1, CALLED)
    builder.shape.append(node.kind_id)
    types = node.child_by_field_name("type_arguments")
    if types is not None:
        given = [builder.read(part, 1, TYPED) for part in types.named_children]
        callee = builder.expression(SUBSCRIPT, callee, builder.sequence(given)) if callee >= 0 else -1
    passed = [builder.read(part, 1) for part in arguments.named_children] if arguments is not None else []
    if not want or callee < 0:
        return -1
    return builder.expression(CALL, callee, builder.sequence(passed))


def conversion(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[]byte(x)`; also `f[int](x)`, which looks the same."""
    written, operand = node.child_by_field_name("type"), node.child_by_field_name("operand")
    if written is None or operand is None:
        builder.read_all(node)
        return -1
    type_ = builder.read(written, 1, CALLED if written.type == "generic_type" else TYPED)
    value = builder.read(operand, 1)
    return builder.expression(CALL, type_, builder.sequence((value,))) if want and type_ >= 0 else -1


def instantiation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`f[int]` of a function or type, as a value."""
    parts = node.named_children
    rows = [builder.read(part, 1, role if at == 0 else TYPED) for at, part in enumerate(parts)]
    if not want or not rows or rows[0] < 0:
        return -1
    return builder.expression(SUBSCRIPT, rows[0], builder.sequence(rows[1:]))


def index(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`operand[index]`: an element, or a function with its type arguments."""
    operand, at = node.child_by_field_name("operand"), node.child_by_field_name("index")
    if operand is None:
        builder.read_all(node)
        return -1
    base = builder.read(operand, 1, role if role == CALLED else READ)
    given = builder.read(at, 1) if at is not None else -1
    return builder.expression(SUBSCRIPT, base, builder.sequence((given,))) if want and base >= 0 else -1


def same(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)` and `x[a:b]` have the type of `x`."""
    parts = node.named_children
    first = builder.read(parts[0], want, role) if parts else -1
    for part in parts[1:]:
        builder.read(part)
    return first


def assertion(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x.(T)`."""
    operand, written = node.child_by_field_name("operand"), node.child_by_field_name("type")
    if operand is not None:
        builder.read(operand)
    type_ = builder.read(written, 1, TYPED) if written is not None else -1
    return builder.instance(type_) if want else -1


def unary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`&x`, `*x`, `-x`; `<-x` takes from a channel."""
    operand = node.child_by_field_name("operand")
    if operand is None:
        return -1
    row = builder.read(operand, want, READ if role == WRITE else role)
    if want and row >= 0 and builder.data.startswith(b"<-", node.start_byte):
        return builder.expression(ELEMENT, row)
    return row


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Two operands of one type, but for comparisons."""
    rows, operator = operands(builder, node, want)
    if not want:
        return -1
    if is_comparison(operator):
        return builder.builtin("bool")
    if rows[0] >= 0 and builder.expressions[rows[0] * EXPRESSION] == LITERAL_EXPRESSION:
        return rows[1]
    return rows[0]


def function_literal(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`func(...) ... { ... }`."""
    outer, full = builder.scope, builder.full
    body = node.child_by_field_name("body")
    begin = body.start_byte if body is not None else node.end_byte
    builder.scope = builder.open_scope(LAMBDA_SCOPE, begin, node.end_byte)
    taken = bind_parameters(builder, node.child_by_field_name("parameters"), PARAMETER)
    given = result_types(builder, node.child_by_field_name("result"), bind=True)
    if body is not None:
        builder.read_all(body)
    builder.scope, builder.full = outer, full
    return builder.instance(signature_type(builder, taken, given)) if want else -1


def composite(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T{...}`."""
    written, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    type_ = builder.read(written, 1, CALLED) if written is not None else -1
    row = builder.instance(type_)
    if body is not None:
        _literal_value(builder, body, row)
    return row if want else -1


def _literal_value(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    """The braces of a literal. `value`: the expression of what they make."""
    for part in node.named_children:
        if part.type == "keyed_element":
            key, item = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key is not None:
                _key(builder, key, value)
            if item is not None:
                _element(builder, item, value)
        elif part.type == "literal_element":
            _element(builder, part, value)
        else:
            builder.read(part)


def _key(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    """`key` before a colon: the name of a field, or a value."""
    inside = node.named_children[0] if node.type == "literal_element" and node.named_child_count else node
    if inside.type == "identifier":
        builder.use(inside.start_byte, inside.end_byte, KEYWORD, value if value >= 0 else builder.unknown())
    elif inside.type == _ELIDED:
        held = builder.expression(OPERATION, value, -1, builder.text("key")) if value >= 0 else -1
        _literal_value(builder, inside, held)
    else:
        builder.read(inside)


def _element(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    inside = node.named_children[0] if node.type == "literal_element" and node.named_child_count else node
    if inside.type == _ELIDED:
        held = builder.expression(ELEMENT, value) if value >= 0 else -1
        _literal_value(builder, inside, held)
    else:
        builder.read(inside)


def _literal(kind: str) -> Rule:
    def read(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        return builder.builtin(kind) if want else -1

    return read


RULES: dict[str, Rule] = {
    "identifier": identifier,
    "selector_expression": selector,
    "call_expression": call,
    "type_conversion_expression": conversion,
    "type_instantiation_expression": instantiation,
    "index_expression": index,
    "slice_expression": same,
    "parenthesized_expression": same,
    "type_assertion_expression": assertion,
    "unary_expression": unary,
    "binary_expression": left_deep(binary),
    "func_literal": function_literal,
    "composite_literal": composite,
    "interpreted_string_literal": _literal("string"),
    "raw_string_literal": _literal("string"),
    "int_literal": _literal("int"),
    "float_literal": _literal("float64"),
    "imaginary_literal": _literal("complex128"),
    "rune_literal": _literal("rune"),
    "true": _literal("bool"),
    "false": _literal("bool"),
    "nil": nothing,
    "iota": _literal("int"),
    "comment": nothing,
    "label_name": nothing,
}
