"""Expressions: names, literals, assignments and operators.

Owns: their rules.
Must not know: calls with arguments, declarations, other files.
Invariant: a plain word is a local variable or a message to `self`, as what stands before decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import OccurrenceFlag
from graphls.languages.declared.expressions import left_deep, literal
from graphls.languages.declared.facts_builder import (
    CALL,
    MEMBER,
    NAME,
    READ,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.kinds import LITERAL_EXPRESSION
from graphls.languages.ruby.syntax.facts_builder import COLLECTION, MOST_VALUES, ROOT, read_use, ruby
from graphls.languages.ruby.syntax.targets import FIELDS, assign, define_constant, write_member

LITERAL: Final = LITERAL_EXPRESSION
ALSO_WRITE: Final = int(OccurrenceFlag.ALSO_WRITE)
_FIRST: Final = frozenset((b"||", b"or", b"&&", b"and"))


def identifier(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A local variable, or a message to `self` without arguments."""
    own, start, end = ruby(builder), node.start_byte, node.end_byte
    if own.local_row(builder.name(start, end)) >= 0:
        name = builder.use(start, end, READ)
        return builder.expression(NAME, name, builder.scope, start) if want else -1
    return own.send(own.self_expression(), node, want)


def constant(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name`."""
    return builder.name_expression(node, want, role)


def scoped(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Outer::Name`, `::Name`."""
    scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    base = builder.expression(NAME, builder.text(ROOT), 0, -1) if scope is None else builder.read(scope, 1)
    if name is None:
        return -1
    start = name.start_byte
    text = builder.use(start, name.end_byte, role, base if base >= 0 else builder.unknown())
    return builder.expression(MEMBER, base, text, start) if want and base >= 0 else -1


def itself(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`self`."""
    own = ruby(builder)
    return own.self_expression() if want and own.known_self else -1


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`target = value`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    full = builder.full
    if left is not None and right is not None and _is_pairwise(left, right):
        values = [builder.read(part, 1) for part in right.named_children]
        for part, value in zip(left.named_children, values, strict=True):
            builder.full = full
            assign(builder, part, value)
        return builder.builtin("Array") if want else -1
    value = builder.read(right, 1) if right is not None else -1
    builder.full = full
    if left is not None:
        assign(builder, left, value)
    return value if want else -1


def _is_pairwise(left: Node, right: Node) -> bool:
    """`a, b = x, y`: each gets one of as many values."""
    listed_both = left.type == "left_assignment_list" and right.type == "right_assignment_list"
    parts = (*left.named_children, *right.named_children) if listed_both else ()
    plain = not any(part.type in ("splat_argument", "rest_assignment", "comment") for part in parts)
    return listed_both and plain and len(left.named_children) == len(right.named_children)


def listed(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x, y` on the right of a sign."""
    builder.read_all(node)
    return builder.builtin("Array") if want else -1


def operator_assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`target ||= value`, `target += value`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    first = operator is not None and operator.text == b"||="
    if left is None or right is None:
        builder.read_all(node)
        return -1
    own, name = ruby(builder), builder.name(left.start_byte, left.end_byte)
    flags = builder.use_flags
    if left.type == "identifier" and own.local_row(name) >= 0:
        builder.use_flags |= ALSO_WRITE
        builder.use(left.start_byte, left.end_byte, READ)
        builder.use_flags = flags
        value = builder.read(right, 1)
        own.values.setdefault(own.local_row(name), []).append(value if first else -1)
    elif left.type == "call":
        base = write_member(builder, left, READ, ALSO_WRITE)
        value = builder.read(right, 1)
        return value if want and first and base < 0 else -1
    else:
        value = builder.read(right, 1)
        if left.type == "constant":
            define_constant(builder, left, value)
        elif left.type in FIELDS or left.type == "identifier":
            assign(builder, left, value if first else -1)
        else:
            builder.read(left)
            return -1
    if not want or not first:
        return -1
    if left.type == "constant":
        return value
    return builder.expression(NAME, name, builder.scope, left.start_byte) if own.known_self else -1


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a || b` is one of them; what other operators give is a matter of methods."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    sign = b"" if operator is None else operator.text or b""
    builder.shape.append(node.kind_id)
    filled = int(sign == b"<<")
    rows = [builder.read(part, want or filled) if part is not None else -1 for part in (left, right)]
    if filled:
        ruby(builder).fill(left, rows[1])
        return rows[0] if want else -1
    if not want:
        return -1
    if sign in (b"||", b"or"):
        return ruby(builder).choice(rows)
    if sign in _FIRST:
        return rows[1]
    if sign in (b"==", b"!=", b"<", b">", b"<=", b">=", b"=~", b"!~", b"==="):
        return builder.builtin("TrueClass")
    return -1


def unary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`!x`, `not x`, `-x`, `defined?(x)`."""
    builder.read_all(node)
    operator = node.child_by_field_name("operator")
    word = b"" if operator is None else operator.text or b""
    return builder.builtin("TrueClass") if want and word in (b"!", b"not") else -1


def text(kind: str) -> Rule:
    """The rule of a literal with values in it."""

    def rule(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        builder.read_all(node)
        return builder.builtin(kind) if want else -1

    return rule


def array(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[a, b]`: an array of what is in it."""
    rows = [builder.read(part, want) for part in node.named_children if part.type != "comment"]
    return _holding(builder, rows, "Array") if want else -1


def hash_literal(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ key: value }`: a hash of values."""
    rows: list[int] = []
    for part in node.named_children:
        value = part.child_by_field_name("value") if part.type == "pair" else None
        key = part.child_by_field_name("key") if value is not None else None
        if value is None or not want:
            builder.read(part)
            rows += [-1] if part.type != "comment" else []
            continue
        if key is not None and key.type != "hash_key_symbol":
            builder.read(key)
        rows.append(builder.read(value, want))
    return _holding(builder, rows, "Hash") if want else -1


def _holding(builder: DeclaredFactsBuilder, rows: Sequence[int], kind: str) -> int:
    """A container of these values; of plain texts and numbers, of very many and of unknown ones nothing is told."""
    held = list(dict.fromkeys(rows))
    plain = all(row >= 0 and builder.kind_of(row) == LITERAL for row in held)
    if plain or min(held) < 0 or len(held) > MOST_VALUES:
        return builder.builtin(kind)
    return builder.expression(COLLECTION, builder.sequence(held), builder.text(kind))


def pair(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`key: value`, `key => value`; `key:` alone stands for the variable or message of that name."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is not None and key.type != "hash_key_symbol":
        builder.read(key)
    if value is not None:
        builder.read(value)
    elif key is not None and key.type == "hash_key_symbol":
        identifier(builder, key, 0, READ)
    return -1


def element(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`values[index]`: what the method `[]` gives."""
    holder = node.child_by_field_name("object")
    base = builder.read(holder, want) if holder is not None else -1
    for part in node.named_children:
        if holder is None or part.id != holder.id:
            builder.read(part)
    if not want or base < 0:
        return -1
    return builder.expression(CALL, builder.expression(MEMBER, base, builder.text("[]"), node.start_byte), -1)


def renamed(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`undef name`: the method is used where it is taken away."""
    for part in node.named_children:
        if part.type == "identifier":
            builder.use(part.start_byte, part.end_byte, WRITE, ruby(builder).unknown())
    return -1


RULES: dict[str, Rule] = {
    "identifier": identifier,
    "constant": constant,
    "scope_resolution": scoped,
    "self": itself,
    **dict.fromkeys(("instance_variable", "class_variable", "global_variable"), read_use),
    "assignment": assignment,
    "operator_assignment": operator_assignment,
    "right_assignment_list": listed,
    "binary": left_deep(binary),
    "unary": unary,
    "pair": pair,
    "element_reference": element,
    "undef": renamed,
    **dict.fromkeys(("string", "chained_string", "subshell", "character"), text("String")),
    "heredoc_beginning": literal("String"),
    "heredoc_body": text("String"),
    "simple_symbol": literal("Symbol"),
    "delimited_symbol": text("Symbol"),
    "hash_key_symbol": nothing,
    "integer": literal("Integer"),
    "float": literal("Float"),
    "complex": literal("Complex"),
    "rational": literal("Rational"),
    "regex": text("Regexp"),
    "range": text("Range"),
    "array": array,
    "string_array": text("Array"),
    "symbol_array": text("Array"),
    "hash": hash_literal,
    "nil": literal("NilClass"),
    "true": literal("TrueClass"),
    "false": literal("TrueClass"),
    "string_content": nothing,
    "heredoc_content": nothing,
    "escape_sequence": nothing,
}
