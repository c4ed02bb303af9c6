"""Expressions: names, members, operators, calls and functions as they are used.

Owns: occurrences of plain and dotted names; the expression rows of everything but literals of objects.
Must not know: statements, types.
Invariant: each identifier below a node is recorded once, whatever the caller wants back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.languages.extract.nesting import DEPTH
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.blocks import judge, narrow
from graphls.languages.typescript.syntax.documented import cast_type
from graphls.languages.typescript.syntax.facts_builder import (
    ALSO_WRITE,
    AWAIT,
    DELETED,
    MEMBER,
    NAME,
    READ,
    STARRED,
    SUBSCRIPT,
    TYPE,
    TYPE_TEST,
    TYPED,
    UNION,
    WANTED,
    Rule,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import function_value
from graphls.languages.typescript.syntax.nesting import children, field, generic, guarded
from graphls.languages.typescript.syntax.texts import spelled, symbol_key

NOT_DOTTED: Final = -2
"""Instead of a row: the node is not read yet."""
DOTS: Final = 8
"""Names in a row that are read off the text."""


def identifier(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A plain name."""
    start, end = node.start_byte, node.end_byte
    if start == end:
        return -1
    builder.expected = builder.object_owner = -1
    name = builder.heads.get(builder.data[start:end])
    if name is None:
        name = builder.name(start, end)
        if builder.kinds.of(node) == nodes.IDENTIFIER:
            builder.heads[builder.data[start:end]] = name
    builder.occurrences += (start, end, name, role, builder.use_flags, builder.scope, -1, builder.owner)
    return builder.expression(NAME, name, builder.scope, start) if want else -1


def receiver(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`this` and `super`: no names, but they mean something."""
    if not want:
        return -1
    return builder.expression(NAME, builder.text(node.type), builder.scope, node.start_byte)


def member(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`base.name`, `base?.name`, `base.#name`."""
    builder.expected = builder.object_owner = -1
    if builder.dotted:
        row = _dotted(builder, node, want, role)
        if row != NOT_DOTTED:
            return row
    parts = node.named_children
    if len(parts) != 2:
        parts = [part for part in children(node) if builder.kinds.of(part) != nodes.OPTIONAL_CHAIN]
        if len(parts) != 2:
            return generic(builder, node, 0, READ)
    left, right = parts
    number = left.kind_id
    if builder.kinds.codes[number] in (nodes.AS_EXPRESSION, nodes.SATISFIES_EXPRESSION):
        return _qualified(builder, left, right, want)
    base = builder.rules[number](builder, left, 1, READ)
    if base < 0:
        base = builder.unknown()
    start, end = right.start_byte, right.end_byte
    if start == end:
        return -1
    name = builder.tails.get(builder.data[start:end])
    if name is None:
        name = builder.tails[builder.data[start:end]] = builder.name(start, end)
    builder.occurrences += (start, end, name, role, builder.use_flags, builder.scope, base, builder.owner)
    return builder.expression(MEMBER, base, name, start) if want else -1


def _dotted(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """Names joined by dots and nothing else, read off the text: no node is made for any of them.

    `NOT_DOTTED` where the text may be something else: only names that the file has shown before count as such.
    """
    start = node.start_byte
    parts = builder.data[start : node.end_byte].split(b".")
    if len(parts) > DOTS or builder.depth + DOTS >= DEPTH:
        return NOT_DOTTED
    head, known = parts[0], list[int]()
    for part in parts[1:]:
        name = builder.tails.get(part)
        if name is None:
            return NOT_DOTTED
        known.append(name)
    scope, flags, owner = builder.scope, builder.use_flags, builder.owner
    if head == b"this":
        base = builder.expression(NAME, builder.text("this"), scope, start)
    else:
        name = builder.heads.get(head)
        if name is None:
            return NOT_DOTTED
        builder.occurrences += (start, start + len(head), name, READ, flags, scope, -1, owner)
        base = builder.expression(NAME, name, scope, start)
    start += len(head) + 1
    last = len(known) - 1
    for at, name in enumerate(known):
        end = start + len(parts[at + 1])
        builder.occurrences += (start, end, name, role if at == last else READ, flags, scope, base, owner)
        if at < last or want:
            base = builder.expression(MEMBER, base, name, start)
        start = end + 1
    return base if want else -1


def _qualified(builder: TsFactsBuilder, left: Node, right: Node, want: int) -> int:
    """`x as a.b.C`, which the grammar takes for a member of `x as a.b`."""
    parts = children(left)
    value = builder.read(parts[0], want) if parts else -1
    base = builder.read(parts[-1], WANTED, TYPED) if len(parts) > 1 else -1
    start = right.start_byte
    name = builder.use(start, right.end_byte, TYPED, base if base >= 0 else builder.unknown())
    if not want or builder.kinds.of(left) == nodes.SATISFIES_EXPRESSION or base < 0:
        return value
    return builder.expression(TYPE, builder.expression(MEMBER, base, name, start))


def subscript(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`base[index]`; `base["name"]` is a member."""
    builder.expected = builder.object_owner = -1
    left, index = field(builder, node, nodes.F_OBJECT), field(builder, node, nodes.F_INDEX)
    if left is None or index is None:
        return generic(builder, node, 0, READ)
    base = builder.read(left, 1)
    if builder.kinds.of(index) == nodes.STRING:
        text = spelled(builder, index)
        if base >= 0 and text.isidentifier():
            start, end = index.start_byte + 1, index.end_byte - 1
            name = builder.use(start, end, role, base)
            return builder.expression(MEMBER, base, name, start) if want else -1
    if builder.kinds.of(index) == nodes.IDENTIFIER and base >= 0:
        start, end = index.start_byte - 1, node.end_byte
        name = symbol_key(builder, start, end)
        if name >= 0:
            builder.use(start, end, role, base)
            builder.read(index)
            return builder.expression(MEMBER, base, name, start) if want else -1
    row = builder.read(index, want)
    return builder.expression(SUBSCRIPT, base, builder.sequence((row,))) if want and base >= 0 else -1


def wrapped(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """Parentheses and `!`: the expression inside."""
    row = -1
    declared = cast_type(builder, node)
    if declared >= 0:
        for part in children(node):
            builder.expected = builder.expression(TYPE, declared) if part.kind_id in builder.kinds.contextual else -1
            builder.read(part, want)
            builder.expected = -1
        return builder.expression(TYPE, declared) if want else -1
    for part in children(node):
        row = builder.read(part, want, role)
    return row


def awaited(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`await x`."""
    row = wrapped(builder, node, want, READ)
    return builder.expression(AWAIT, row) if want and row >= 0 else -1


def spread(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`...x`."""
    row = wrapped(builder, node, want, READ)
    return builder.expression(STARRED, row) if want and row >= 0 else -1


def cast(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x as T`, `<T>x`; `as const` says nothing about the type."""
    parts = children(node)
    if len(parts) != 2:
        return wrapped(builder, node, want, READ)
    value, kind = parts
    if builder.kinds.of(node) == nodes.TYPE_ASSERTION:
        declared = -1
        for part in children(value):
            declared = builder.read(part, WANTED)
        _read_expected(builder, kind, declared, 0)
        return builder.expression(TYPE, declared) if want and declared >= 0 else -1
    row, declared = _typed_value(builder, value, kind, want)
    if not want:
        return -1
    return builder.expression(TYPE, declared) if declared >= 0 else row


def _typed_value(builder: TsFactsBuilder, value: Node, kind: Node, want: int) -> tuple[int, int]:
    """A value and the type beside it, which says what keys of a literal and parameters of a function mean."""
    declared = builder.read(kind, WANTED)
    return _read_expected(builder, value, declared, want), declared


def _read_expected(builder: TsFactsBuilder, value: Node, declared: int, want: int) -> int:
    """Reads a value where a type is wanted."""
    if declared >= 0 and value.kind_id in builder.kinds.contextual:
        builder.expected = builder.expression(TYPE, declared)
    row = builder.read(value, want)
    builder.expected = -1
    return row


def satisfies(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x satisfies T`: still what `x` is."""
    parts = children(node)
    return _typed_value(builder, parts[0], parts[1], want)[0] if len(parts) == 2 else wrapped(builder, node, want, READ)


def binary(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """Operators; the left spine is walked, not recursed into."""
    builder.expected = builder.object_owner = -1
    pending: list[tuple[Node, int]] = []
    kinds = builder.kinds
    binary_kind = True
    while binary_kind:
        parts = node.children
        left: Node | None
        right: Node | None
        operator: Node | None
        if len(parts) == 3:
            left, operator, right = parts
        else:
            left, right = field(builder, node, nodes.F_LEFT), field(builder, node, nodes.F_RIGHT)
            operator = field(builder, node, nodes.F_OPERATOR)
        if left is None or right is None:
            break
        sign = kinds.of(operator) if operator is not None else nodes.OTHER
        binary_kind = kinds.of(left) == nodes.BINARY_EXPRESSION
        if sign == nodes.AND and not binary_kind:
            yes, _ = judge(builder, left)
            narrow(builder, yes, right.start_byte, right.end_byte)
            row = builder.read(right, want)
            return _chained(builder, pending, row, want)
        pending.append((right, sign))
        node = left
    row = generic(builder, node, 0, READ) if binary_kind else builder.read(node, want)
    return _chained(builder, pending, row, want)


def _chained(builder: TsFactsBuilder, pending: list[tuple[Node, int]], row: int, want: int) -> int:
    """The rest of a chain of operators, from left to right."""
    while pending:
        right, sign = pending.pop()
        choice = sign in (nodes.OR, nodes.NULLISH, nodes.AND)
        flags = builder.use_flags
        if sign == nodes.INSTANCEOF:
            builder.use_flags |= TYPE_TEST
        other = builder.read(right, want if choice else 0)
        builder.use_flags = flags
        if not want:
            continue
        if sign == nodes.AND:
            row = other
        elif choice:
            row = builder.expression(UNION, builder.sequence((row, other)))
        else:
            number = sign in (nodes.MINUS, nodes.STAR, nodes.SLASH, nodes.PERCENT, nodes.POWER)
            row = builder.builtin("number" if number else "boolean" if sign != nodes.PLUS else "any")
    return row


def unary(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`!x`, `typeof x`, `delete x.y`, `x++`."""
    deletes, sign = False, nodes.OTHER
    for place, sign_or_operand in enumerate(node.children):
        kind = builder.kinds.of(sign_or_operand)
        sign = kind if place == 0 else sign
        deletes = deletes or kind == nodes.DELETE
    for part in children(node):
        builder.read(part, 0, DELETED if deletes else READ)
    if not want:
        return -1
    if sign == nodes.NOT or sign == nodes.DELETE:
        return builder.builtin("boolean")
    return builder.builtin("string" if sign == nodes.TYPEOF else "undefined" if sign == nodes.VOID else "number")


def update(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x++`: read and written."""
    flags, builder.use_flags = builder.use_flags, builder.use_flags | ALSO_WRITE
    for part in children(node):
        builder.read(part)
    builder.use_flags = flags
    return builder.builtin("number") if want else -1


def conditional(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`test ? a : b`."""
    parts = children(node)
    if len(parts) != 3:
        return generic(builder, node, 0, READ)
    builder.frame.branches += 1
    expected = builder.take_expected()
    yes, no = judge(builder, parts[0])
    rows: list[int] = []
    for part, facts in ((parts[1], yes), (parts[2], no)):
        narrow(builder, facts, part.start_byte, part.end_byte)
        builder.expected = expected
        rows.append(builder.read(part, want, role))
    builder.expected = -1
    return builder.expression(UNION, builder.sequence(rows)) if want else -1


def last(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a, b`: the last one counts."""
    parts = children(node)
    row = -1
    for part in parts:
        row = builder.read(part, want if part is parts[-1] else 0)
    return row


def instantiation(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`f<T>` without a call."""
    parts = children(node)
    row = builder.read(parts[0], want, role) if parts else -1
    for part in parts[1:]:
        builder.read(part)
    return row


def stray(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A member's name that the grammar recovered from broken code."""
    builder.use(node.start_byte, node.end_byte, READ, builder.unknown())
    return -1


RULES: Mapping[str, Rule] = {
    "identifier": identifier,
    "shorthand_property_identifier": identifier,
    "shorthand_property_identifier_pattern": identifier,
    "property_identifier": stray,
    "private_property_identifier": stray,
    "this": receiver,
    "super": receiver,
    "member_expression": guarded(member),
    "subscript_expression": guarded(subscript),
    "parenthesized_expression": guarded(wrapped),
    "non_null_expression": guarded(wrapped),
    "await_expression": guarded(awaited),
    "spread_element": guarded(spread),
    "as_expression": guarded(cast),
    "type_assertion": guarded(cast),
    "satisfies_expression": guarded(satisfies),
    "binary_expression": guarded(binary),
    "unary_expression": guarded(unary),
    "update_expression": guarded(update),
    "ternary_expression": guarded(conditional),
    "sequence_expression": guarded(last),
    "instantiation_expression": guarded(instantiation),
    "arrow_function": guarded(function_value),
    "function_expression": guarded(function_value),
    "function": guarded(function_value),
    "generator_function": guarded(function_value),
}
