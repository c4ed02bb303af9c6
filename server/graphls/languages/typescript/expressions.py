"""Expressions: names, members, operators, calls and functions as they are used.

Owns: occurrences of plain and dotted names; the expression rows of everything but literals of objects.
Must not know: statements, types.
Invariant: each identifier below a node is recorded once, whatever the caller wants back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.languages.typescript import nodes
from graphls.languages.typescript.blocks import judge, narrow
from graphls.languages.typescript.documented import cast_type
from graphls.languages.typescript.draft import (
    ALSO_WRITE,
    AWAIT,
    DELETED,
    MEMBER,
    NAME,
    READ,
    STARRED,
    SUBSCRIPT,
    TYPE,
    TYPED,
    UNION,
    WANTED,
    Draft,
    Rule,
)
from graphls.languages.typescript.functions import function_value
from graphls.languages.typescript.nesting import DEPTH, children, field, generic, guarded
from graphls.languages.typescript.texts import spelled

NOT_DOTTED: Final = -2
"""Instead of a row: the node is not read yet."""
DOTS: Final = 8
"""Names in a row that are read off the text."""


def identifier(draft: Draft, node: Node, want: int, role: int) -> int:
    """A plain name."""
    start, end = node.start_byte, node.end_byte
    if start == end:
        return -1
    draft.expected = draft.object_owner = -1
    name = draft.heads.get(draft.data[start:end])
    if name is None:
        name = draft.name(start, end)
        if draft.kinds.of(node) == nodes.IDENTIFIER:
            draft.heads[draft.data[start:end]] = name
    draft.occurrences += (start, end, name, role, draft.use_flags, draft.scope, -1, draft.owner)
    return draft.expression(NAME, name, draft.scope, start) if want else -1


def receiver(draft: Draft, node: Node, want: int, role: int) -> int:
    """`this` and `super`: no names, but they mean something."""
    if not want:
        return -1
    return draft.expression(NAME, draft.text(node.type), draft.scope, node.start_byte)


def member(draft: Draft, node: Node, want: int, role: int) -> int:
    """`base.name`, `base?.name`, `base.#name`."""
    draft.expected = draft.object_owner = -1
    if draft.dotted:
        row = _dotted(draft, node, want, role)
        if row != NOT_DOTTED:
            return row
    parts = node.named_children
    if len(parts) != 2:
        parts = [part for part in children(node) if draft.kinds.of(part) != nodes.OPTIONAL_CHAIN]
        if len(parts) != 2:
            return generic(draft, node, 0, READ)
    left, right = parts
    number = left.kind_id
    if draft.kinds.codes[number] in (nodes.AS_EXPRESSION, nodes.SATISFIES_EXPRESSION):
        return _qualified(draft, left, right, want)
    base = draft.rules[number](draft, left, 1, READ)
    if base < 0:
        base = draft.unknown()
    start, end = right.start_byte, right.end_byte
    if start == end:
        return -1
    name = draft.tails.get(draft.data[start:end])
    if name is None:
        name = draft.tails[draft.data[start:end]] = draft.name(start, end)
    draft.occurrences += (start, end, name, role, draft.use_flags, draft.scope, base, draft.owner)
    return draft.expression(MEMBER, base, name, start) if want else -1


def _dotted(draft: Draft, node: Node, want: int, role: int) -> int:
    """Names joined by dots and nothing else, read off the text: no node is made for any of them.

    `NOT_DOTTED` where the text may be something else: only names that the file has shown before count as such.
    """
    start = node.start_byte
    parts = draft.data[start : node.end_byte].split(b".")
    if len(parts) > DOTS or draft.depth + DOTS >= DEPTH:
        return NOT_DOTTED
    head, known = parts[0], list[int]()
    for part in parts[1:]:
        name = draft.tails.get(part)
        if name is None:
            return NOT_DOTTED
        known.append(name)
    scope, flags, owner = draft.scope, draft.use_flags, draft.owner
    if head == b"this":
        base = draft.expression(NAME, draft.text("this"), scope, start)
    else:
        name = draft.heads.get(head)
        if name is None:
            return NOT_DOTTED
        draft.occurrences += (start, start + len(head), name, READ, flags, scope, -1, owner)
        base = draft.expression(NAME, name, scope, start)
    start += len(head) + 1
    last = len(known) - 1
    for at, name in enumerate(known):
        end = start + len(parts[at + 1])
        draft.occurrences += (start, end, name, role if at == last else READ, flags, scope, base, owner)
        if at < last or want:
            base = draft.expression(MEMBER, base, name, start)
        start = end + 1
    return base if want else -1


def _qualified(draft: Draft, left: Node, right: Node, want: int) -> int:
    """`x as a.b.C`, which the grammar takes for a member of `x as a.b`."""
    parts = children(left)
    value = draft.read(parts[0], want) if parts else -1
    base = draft.read(parts[-1], WANTED, TYPED) if len(parts) > 1 else -1
    start = right.start_byte
    name = draft.use(start, right.end_byte, TYPED, base if base >= 0 else draft.unknown())
    if not want or draft.kinds.of(left) == nodes.SATISFIES_EXPRESSION or base < 0:
        return value
    return draft.expression(TYPE, draft.expression(MEMBER, base, name, start))


def subscript(draft: Draft, node: Node, want: int, role: int) -> int:
    """`base[index]`; `base["name"]` is a member."""
    draft.expected = draft.object_owner = -1
    left, index = field(draft, node, nodes.F_OBJECT), field(draft, node, nodes.F_INDEX)
    if left is None or index is None:
        return generic(draft, node, 0, READ)
    base = draft.read(left, 1)
    if draft.kinds.of(index) == nodes.STRING:
        text = spelled(draft, index)
        if base >= 0 and text.isidentifier():
            start, end = index.start_byte + 1, index.end_byte - 1
            name = draft.use(start, end, role, base)
            return draft.expression(MEMBER, base, name, start) if want else -1
    row = draft.read(index, want)
    return draft.expression(SUBSCRIPT, base, draft.sequence((row,))) if want and base >= 0 else -1


def wrapped(draft: Draft, node: Node, want: int, role: int) -> int:
    """Parentheses and `!`: the expression inside."""
    row = -1
    declared = cast_type(draft, node)
    if declared >= 0:
        for part in children(node):
            draft.expected = draft.expression(TYPE, declared) if part.kind_id in draft.kinds.contextual else -1
            draft.read(part, want)
            draft.expected = -1
        return draft.expression(TYPE, declared) if want else -1
    for part in children(node):
        row = draft.read(part, want, role)
    return row


def awaited(draft: Draft, node: Node, want: int, role: int) -> int:
    """`await x`."""
    row = wrapped(draft, node, want, READ)
    return draft.expression(AWAIT, row) if want and row >= 0 else -1


def spread(draft: Draft, node: Node, want: int, role: int) -> int:
    """`...x`."""
    row = wrapped(draft, node, want, READ)
    return draft.expression(STARRED, row) if want and row >= 0 else -1


def cast(draft: Draft, node: Node, want: int, role: int) -> int:
    """`x as T`, `<T>x`; `as const` says nothing about the type."""
    parts = children(node)
    if len(parts) != 2:
        return wrapped(draft, node, want, READ)
    value, kind = parts
    if draft.kinds.of(node) == nodes.TYPE_ASSERTION:
        declared = -1
        for part in children(value):
            declared = draft.read(part, WANTED)
        draft.read(kind)
        return draft.expression(TYPE, declared) if want and declared >= 0 else -1
    row, declared = _told(draft, value, kind, want)
    if not want:
        return -1
    return draft.expression(TYPE, declared) if declared >= 0 else row


def _told(draft: Draft, value: Node, kind: Node, want: int) -> tuple[int, int]:
    """A value and the type beside it, which says what keys of a literal and parameters of a function mean."""
    declared = draft.read(kind, WANTED)
    if declared >= 0 and value.kind_id in draft.kinds.contextual:
        draft.expected = draft.expression(TYPE, declared)
    row = draft.read(value, want)
    draft.expected = -1
    return row, declared


def satisfies(draft: Draft, node: Node, want: int, role: int) -> int:
    """`x satisfies T`: still what `x` is."""
    parts = children(node)
    return _told(draft, parts[0], parts[1], want)[0] if len(parts) == 2 else wrapped(draft, node, want, READ)


def binary(draft: Draft, node: Node, want: int, role: int) -> int:
    """Operators; the left spine is walked, not recursed into."""
    draft.expected = draft.object_owner = -1
    pending: list[tuple[Node, int]] = []
    kinds = draft.kinds
    binary_kind = True
    while binary_kind:
        parts = node.children
        left: Node | None
        right: Node | None
        operator: Node | None
        if len(parts) == 3:
            left, operator, right = parts
        else:
            left, right = field(draft, node, nodes.F_LEFT), field(draft, node, nodes.F_RIGHT)
            operator = field(draft, node, nodes.F_OPERATOR)
        if left is None or right is None:
            break
        sign = kinds.of(operator) if operator is not None else nodes.OTHER
        binary_kind = kinds.of(left) == nodes.BINARY_EXPRESSION
        if sign == nodes.AND and not binary_kind:
            yes, _ = judge(draft, left)
            narrow(draft, yes, right.start_byte, right.end_byte)
            row = draft.read(right, want)
            return _chained(draft, pending, row, want)
        pending.append((right, sign))
        node = left
    row = generic(draft, node, 0, READ) if binary_kind else draft.read(node, want)
    return _chained(draft, pending, row, want)


def _chained(draft: Draft, pending: list[tuple[Node, int]], row: int, want: int) -> int:
    """The rest of a chain of operators, from left to right."""
    while pending:
        right, sign = pending.pop()
        choice = sign in (nodes.OR, nodes.NULLISH, nodes.AND)
        other = draft.read(right, want if choice else 0)
        if not want:
            continue
        if sign == nodes.AND:
            row = other
        elif choice:
            row = draft.expression(UNION, draft.sequence((row, other)))
        else:
            number = sign in (nodes.MINUS, nodes.STAR, nodes.SLASH, nodes.PERCENT, nodes.POWER)
            row = draft.builtin("number" if number else "boolean" if sign != nodes.PLUS else "any")
    return row


def unary(draft: Draft, node: Node, want: int, role: int) -> int:
    """`!x`, `typeof x`, `delete x.y`, `x++`."""
    deletes, sign = False, nodes.OTHER
    for place, sign_or_operand in enumerate(node.children):
        kind = draft.kinds.of(sign_or_operand)
        sign = kind if place == 0 else sign
        deletes = deletes or kind == nodes.DELETE
    for part in children(node):
        draft.read(part, 0, DELETED if deletes else READ)
    if not want:
        return -1
    if sign == nodes.NOT or sign == nodes.DELETE:
        return draft.builtin("boolean")
    return draft.builtin("string" if sign == nodes.TYPEOF else "undefined" if sign == nodes.VOID else "number")


def update(draft: Draft, node: Node, want: int, role: int) -> int:
    """`x++`: read and written."""
    flags, draft.use_flags = draft.use_flags, draft.use_flags | ALSO_WRITE
    for part in children(node):
        draft.read(part)
    draft.use_flags = flags
    return draft.builtin("number") if want else -1


def conditional(draft: Draft, node: Node, want: int, role: int) -> int:
    """`test ? a : b`."""
    parts = children(node)
    if len(parts) != 3:
        return generic(draft, node, 0, READ)
    draft.frame.branches += 1
    expected = draft.take_expected()
    yes, no = judge(draft, parts[0])
    rows: list[int] = []
    for part, facts in ((parts[1], yes), (parts[2], no)):
        narrow(draft, facts, part.start_byte, part.end_byte)
        draft.expected = expected
        rows.append(draft.read(part, want, role))
    draft.expected = -1
    return draft.expression(UNION, draft.sequence(rows)) if want else -1


def last(draft: Draft, node: Node, want: int, role: int) -> int:
    """`a, b`: the last one counts."""
    parts = children(node)
    row = -1
    for part in parts:
        row = draft.read(part, want if part is parts[-1] else 0)
    return row


def instantiation(draft: Draft, node: Node, want: int, role: int) -> int:
    """`f<T>` without a call."""
    parts = children(node)
    row = draft.read(parts[0], want, role) if parts else -1
    for part in parts[1:]:
        draft.read(part)
    return row


def stray(draft: Draft, node: Node, want: int, role: int) -> int:
    """A member's name that the grammar recovered from broken code."""
    draft.use(node.start_byte, node.end_byte, READ, draft.unknown())
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
