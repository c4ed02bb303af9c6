"""Expressions: values of Java as expressions.

Owns: the rules of names, calls, creations, lambdas, literals and operators.
Must not know: statements, other files.
Invariant: each call is an expression: which of several methods it means rests on its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind, ScopeKind
from graphls.languages.declared.expressions import (
    ALSO_WRITE,
    NARROWED,
    REFERRED,
    choice,
    identifier,
    is_comparison,
    left_deep,
    literal,
    operands,
    word,
)
from graphls.languages.declared.facts_builder import (
    CALL,
    CALLED,
    ELEMENT,
    ITEM,
    MEMBER,
    NAME,
    OPERATION,
    READ,
    SUBSCRIPT,
    TYPED,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE, EXPRESSION
from graphls.languages.extract.kinds import LAMBDA_EXPRESSION, LITERAL_EXPRESSION
from graphls.languages.incremental.fragments import CREATING
from graphls.languages.java.syntax.members import anonymous_body
from graphls.languages.java.syntax.types import PARAMETER, VARIABLE, read_type, with_dimensions

LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
OBJECT: Final = int(ExpressionKind.OBJECT)
LAMBDA: Final = LAMBDA_EXPRESSION
REFERENCE: Final = 1
"""Second operand of a LAMBDA that is a method reference; of one to a constructor it is CREATING."""
_NAMED: Final = frozenset({NAME, MEMBER, SUBSCRIPT})
_NO_VALUE: Final = frozenset({"line_comment", "block_comment"})
_NOT_REFERRED: Final = _NO_VALUE | {"type_arguments"}
_TYPES: Final = frozenset({"type_identifier", "scoped_type_identifier", "generic_type", "array_type", "integral_type",
                           "floating_point_type", "boolean_type"})  # fmt: skip


def field_access(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`object.field`, `Outer.this`, `Outer.super.field`."""
    holder, field = node.child_by_field_name("object"), node.child_by_field_name("field")
    if holder is None or field is None:
        builder.read_all(node)
        return -1
    base = _receiver(builder, node, holder)
    builder.shape.append(node.kind_id)
    if field.type == "this":
        return builder.instance(base) if want else -1
    return builder.member_expression(base, field, want, role)


def _receiver(builder: DeclaredFactsBuilder, node: Node, holder: Node) -> int:
    """What stands before a dot; `Outer.super` is one thing."""
    base = builder.read(holder, 1)
    if base >= 0 and any(part.type == "super" for part in node.children if part.id != holder.id):
        return builder.expression(OPERATION, base, -1, builder.text("super"))
    return base


def arguments(builder: DeclaredFactsBuilder, node: Node | None) -> Sequence[int]:
    """What a call passes."""
    if node is None:
        return ()
    return [builder.read(part, 1) for part in node.named_children if part.type not in _NO_VALUE]


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`object.name(arguments)`."""
    holder, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    types = node.child_by_field_name("type_arguments")
    if holder is None:
        callee = builder.name_expression(name, 1, CALLED)
    else:
        callee = builder.member_expression(_receiver(builder, node, holder), name, 1, CALLED)
    builder.shape.append(node.kind_id)
    if types is not None:
        given = [builder.read(part, 1, TYPED) for part in types.named_children]
        callee = builder.expression(SUBSCRIPT, callee, builder.sequence(given)) if callee >= 0 else -1
    passed = arguments(builder, node.child_by_field_name("arguments"))
    return builder.expression(CALL, callee, builder.sequence(passed)) if callee >= 0 else -1


def constructor_call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`this(...)`, `super(...)`, `outer.super(...)`."""
    holder, name = node.child_by_field_name("object"), node.child_by_field_name("constructor")
    if holder is not None:
        builder.read(holder)
    callee = builder.name_expression(name, 1, CALLED) if name is not None else -1
    passed = arguments(builder, node.child_by_field_name("arguments"))
    return builder.expression(CALL, callee, builder.sequence(passed)) if callee >= 0 else -1


def creation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`new Type(arguments) { ... }`, `outer.new Inner()`."""
    written, body, outer = node.child_by_field_name("type"), None, -1
    for part in node.named_children:
        if part.type == "class_body":
            body = part
        elif written is not None and part.end_byte <= written.start_byte and part.type not in _NO_VALUE:
            outer = builder.read(part, 1)
    if written is None:
        builder.read_all(node)
        return -1
    if outer >= 0 and written.type == "type_identifier":
        type_ = builder.member_expression(outer, written, 1, CALLED)
    else:
        type_ = builder.read(written, 1, CALLED)
    builder.shape.append(node.kind_id)
    passed = arguments(builder, node.child_by_field_name("arguments"))
    if type_ < 0:
        if body is not None:
            anonymous_body(builder, body, -1)
        return -1
    made = builder.expression(CALL, builder.instance(type_), builder.sequence(passed))
    if body is None:
        return made
    scope = anonymous_body(builder, body, type_)
    return builder.instance(builder.expression(OBJECT, scope, type_))


def array_creation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`new T[n][]`, `new T[] {...}`."""
    written = node.child_by_field_name("type")
    row = builder.read(written, 1, TYPED) if written is not None else -1
    for part in node.named_children:
        if part.type == "dimensions_expr":
            builder.read_all(part)
            row = builder.constructed("[]", (row,)) if row >= 0 else -1
        elif part.type == "dimensions":
            row = with_dimensions(builder, row, part)
        elif part.type == "array_initializer":
            builder.read(part)
    return builder.instance(row) if want else -1


def element(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`array[index]`."""
    array, index = node.child_by_field_name("array"), node.child_by_field_name("index")
    base = builder.read(array, 1) if array is not None else -1
    if index is not None:
        builder.read(index)
    return builder.expression(ELEMENT, base) if want and base >= 0 else -1


def inner(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`."""
    row = -1
    for part in node.named_children:
        row = builder.read(part, want, role)
    return row


def cast(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(T) x`; with a lambda it says what the lambda is."""
    value, type_ = node.child_by_field_name("value"), -1
    for part in node.children_by_field_name("type"):
        row = builder.read(part, 1, TYPED)
        type_ = row if type_ < 0 else type_
    made = builder.read(value, 1) if value is not None else -1
    if made >= 0 and type_ >= 0 and builder.kind_of(made) == LAMBDA:
        return builder.expression(NARROWED, made, type_, 1)
    return builder.instance(type_) if want else -1


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a = b`, `a += b`: the value is that of the left side."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator, flags = node.child_by_field_name("operator"), builder.use_flags
    if operator is not None and operator.type != "=":
        builder.use_flags |= ALSO_WRITE
    target = builder.read(left, 1, WRITE) if left is not None else -1
    builder.use_flags = flags
    value = builder.read(right, 1) if right is not None else -1
    if target >= 0 and builder.kind_of(value) == LAMBDA:
        return builder.expression(NARROWED, value, target, 0)
    return target


def update(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a++`."""
    flags, row = builder.use_flags, -1
    builder.use_flags |= ALSO_WRITE
    for part in node.named_children:
        row = builder.read(part, want, WRITE)
    builder.use_flags = flags
    return row


def unary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`-x`, `!x`."""
    operand = node.child_by_field_name("operand")
    row = builder.read(operand, want) if operand is not None else -1
    return builder.builtin("boolean") if want and builder.data.startswith(b"!", node.start_byte) else row


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Two operands: a text where one is a text, a truth value for comparisons, else a number of the wider type."""
    rows, operator = operands(builder, node, want)
    if not want:
        return -1
    if is_comparison(operator):
        return builder.builtin("boolean")
    if operator == b"+" and min(rows) < 0:
        return _textual(builder, rows)
    if operator.startswith((b"<<", b">>")) or min(rows) < 0:
        return rows[0]
    return builder.expression(OPERATION, rows[0], rows[1], builder.text("+" if operator == b"+" else "*"))


def _textual(builder: DeclaredFactsBuilder, rows: Sequence[int]) -> int:
    """The row that is a text; -1 for none."""
    texts = [row for row in rows if row >= 0 and builder.expressions[row * EXPRESSION] == LITERAL_EXPRESSION]
    return texts[0] if texts else -1


def instance_test(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x instanceof T name`, `x instanceof Point(var a, var b)`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    name, shown = node.child_by_field_name("name"), node.child_by_field_name("pattern")
    value = builder.read(left, 1) if left is not None else -1
    type_ = builder.read(right, 1, TYPED) if right is not None else -1
    if name is not None:
        builder.full = (node.start_byte, node.end_byte)
        builder.definitions[builder.define(name, VARIABLE)][D_TYPE] = type_
    if shown is not None:
        pattern(builder, shown, value)
    return builder.builtin("boolean") if want else -1


def pattern(builder: DeclaredFactsBuilder, node: Node, value: int) -> int:
    """`T name`, `Point(T a, var b)`; answers the type. `value`: what is looked at."""
    parts = [part for part in node.named_children if part.type not in _NO_VALUE]
    if node.type == "pattern" or (node.type == "record_pattern_component" and len(parts) == 1):
        return pattern(builder, parts[0], value) if parts else -1
    if node.type == "record_pattern":
        type_ = builder.name_expression(parts[0], 1, TYPED) if parts and parts[0].type == "identifier" else -1
        if type_ < 0 and parts:
            type_ = builder.read(parts[0], 1, TYPED)
        whole = builder.instance(type_)
        components = [part for part in parts[1:] if part.type == "record_pattern_body"]
        for at, part in enumerate(components[0].named_children if components else ()):
            pattern(builder, part, builder.expression(ITEM, whole, at) if whole >= 0 else -1)
        return type_
    if node.type in ("type_pattern", "record_pattern_component") and len(parts) >= 2:
        kept = [part for part in parts if part.type != "modifiers"]
        type_ = read_type(builder, kept[0])
        builder.full = (node.start_byte, node.end_byte)
        row = builder.define(kept[-1], VARIABLE)
        builder.definitions[row][D_TYPE] = type_
        if type_ < 0:
            builder.definitions[row][D_VALUE] = value
        return type_
    builder.read_all(node)
    return -1


def lambda_expression(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x -> ...`: what its parameters are is decided by who takes it."""
    given, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    outer, full, frame = builder.scope, builder.full, builder.frame
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    untyped: list[tuple[int, int]] = []
    count = 0
    for part in [given] if given is not None and given.type == "identifier" else _children(given):
        builder.full = (part.start_byte, part.end_byte)
        if part.type == "identifier":
            untyped.append((builder.define(part, PARAMETER), count))
        elif part.type in ("formal_parameter", "spread_parameter"):
            _typed_parameter(builder, part, count, untyped)
        count += 1
    result, values = frame.result, frame.values
    frame.result, frame.values = -1, []
    value = -1
    if body is not None and body.type == "block":
        builder.read_all(body)
        value = frame.values[0] if frame.values else -1
    elif body is not None:
        value = builder.read(body, 1)
    frame.result, frame.values = result, values
    builder.scope, builder.full = outer, full
    row = builder.expression(LAMBDA, value if value >= 0 else builder.unknown(), 0, count)
    for definition, at in untyped:
        builder.definitions[definition][D_VALUE] = builder.expression(ITEM, row, at)
    return row


def _children(node: Node | None) -> Sequence[Node]:
    return [] if node is None else [part for part in node.named_children if part.type not in _NO_VALUE]


def _typed_parameter(
    builder: DeclaredFactsBuilder, node: Node, at: int, untyped: list[tuple[int, int]]
) -> None:  # fmt: skip
    name, written = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None:
        builder.read_all(node)
        return
    type_ = read_type(builder, written)
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, PARAMETER)
    builder.definitions[row][D_TYPE] = type_
    if type_ < 0:
        untyped.append((row, at))


def method_reference(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Type::method`, `value::method`, `Type::new`."""
    parts = [part for part in node.named_children if part.type not in _NOT_REFERRED]
    if not parts:
        return -1
    first, made = parts[0], any(part.type == "new" for part in node.children)
    flags = builder.use_flags
    if made or len(parts) < 2:
        base = builder.read(first, 1, TYPED)
        if base < 0:
            return -1
        created = builder.expression(CALL, builder.instance(base), builder.sequence(()))
        word = next((part for part in node.children if part.type == "new"), None)
        at = -1
        if word is not None and builder.kind_of(base) in _NAMED:
            at = word.start_byte
            builder.use_flags |= REFERRED
            builder.use(at, word.end_byte, CALLED, base)
            builder.use_flags = flags
        return builder.expression(LAMBDA, created, CREATING, at)
    base = builder.read(first, 1, TYPED if first.type in _TYPES else READ)
    builder.use_flags |= REFERRED
    named = builder.member_expression(base, parts[1], 1, CALLED)
    builder.use_flags = flags
    return builder.expression(LAMBDA, named, REFERENCE) if named >= 0 else -1


def class_literal(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Type.class`."""
    parts = node.named_children
    row = builder.read(parts[0], 1, TYPED) if parts else -1
    if not want:
        return -1
    holder = builder.builtin("java.lang.Class")
    return builder.expression(OPERATION, holder, row, builder.text("class")) if row >= 0 else holder


def _integer(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    if not want:
        return -1
    return builder.builtin("long" if builder.data[node.end_byte - 1] in b"lL" else "int")


def _float(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    if not want:
        return -1
    return builder.builtin("float" if builder.data[node.end_byte - 1] in b"fF" else "double")


RULES: dict[str, Rule] = {
    "identifier": identifier,
    "this": word,
    "super": word,
    "field_access": field_access,
    "method_invocation": call,
    "explicit_constructor_invocation": constructor_call,
    "object_creation_expression": creation,
    "array_creation_expression": array_creation,
    "array_access": element,
    "parenthesized_expression": inner,
    "cast_expression": cast,
    "ternary_expression": choice,
    "assignment_expression": assignment,
    "update_expression": update,
    "unary_expression": unary,
    "binary_expression": left_deep(binary),
    "instanceof_expression": instance_test,
    "lambda_expression": lambda_expression,
    "method_reference": method_reference,
    "class_literal": class_literal,
    "string_literal": literal("java.lang.String"),
    "character_literal": literal("char"),
    "true": literal("boolean"),
    "false": literal("boolean"),
    "null_literal": literal("null"),
    "decimal_integer_literal": _integer,
    "hex_integer_literal": _integer,
    "octal_integer_literal": _integer,
    "binary_integer_literal": _integer,
    "decimal_floating_point_literal": _float,
    "hex_floating_point_literal": _float,
    "line_comment": nothing,
    "block_comment": nothing,
}
