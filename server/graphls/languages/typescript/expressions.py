"""Expressions: names, members, operators, calls and functions as they are used.

Owns: occurrences of plain and dotted names; the expression rows of everything but literals of objects.
Must not know: statements, types.
Invariant: each identifier below a node is recorded once, whatever the caller wants back.
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

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
from graphls.languages.typescript.nesting import children, generic, guarded, has
from graphls.languages.typescript.texts import spelled

MISREAD = frozenset(("as_expression", "satisfies_expression"))


def identifier(draft: Draft, node: Node, want: int, role: int) -> int:
    """A plain name."""
    start, end = node.start_byte, node.end_byte
    if start == end:
        return -1
    draft.expected = draft.object_owner = -1
    name = draft.names.get(draft.data[start:end])
    if name is None:
        name = draft.name(start, end)
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
    parts = node.named_children
    if len(parts) != 2:
        parts = [part for part in children(node) if part.type != "optional_chain"]
        if len(parts) != 2:
            return generic(draft, node, 0, READ)
    left, right = parts
    if left.type in MISREAD:
        return _qualified(draft, left, right, want)
    base = draft.rules[left.kind_id](draft, left, 1, READ)
    if base < 0:
        base = draft.unknown()
    start, end = right.start_byte, right.end_byte
    if start == end:
        return -1
    name = draft.names.get(draft.data[start:end])
    if name is None:
        name = draft.name(start, end)
    draft.occurrences += (start, end, name, role, draft.use_flags, draft.scope, base, draft.owner)
    return draft.expression(MEMBER, base, name, start) if want else -1


def _qualified(draft: Draft, left: Node, right: Node, want: int) -> int:
    """`x as a.b.C`, which the grammar takes for a member of `x as a.b`."""
    parts = children(left)
    value = draft.read(parts[0], want) if parts else -1
    base = draft.read(parts[-1], WANTED, TYPED) if len(parts) > 1 else -1
    start = right.start_byte
    name = draft.use(start, right.end_byte, TYPED, base if base >= 0 else draft.unknown())
    if not want or left.type == "satisfies_expression" or base < 0:
        return value
    return draft.expression(TYPE, draft.expression(MEMBER, base, name, start))


def subscript(draft: Draft, node: Node, want: int, role: int) -> int:
    """`base[index]`; `base["name"]` is a member."""
    draft.expected = draft.object_owner = -1
    left, index = node.child_by_field_name("object"), node.child_by_field_name("index")
    if left is None or index is None:
        return generic(draft, node, 0, READ)
    base = draft.read(left, 1)
    if index.type == "string":
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
    if node.type == "type_assertion":
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
    pending: list[tuple[Node, str]] = []
    while node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            break
        operator = node.child_by_field_name("operator")
        sign = operator.type if operator is not None else ""
        if sign == "&&" and left.type != "binary_expression":
            yes, _ = judge(draft, left)
            narrow(draft, yes, right.start_byte, right.end_byte)
            row = draft.read(right, want)
            return _chained(draft, pending, row, want)
        pending.append((right, sign))
        node = left
    row = generic(draft, node, 0, READ) if node.type == "binary_expression" else draft.read(node, want)
    return _chained(draft, pending, row, want)


def _chained(draft: Draft, pending: list[tuple[Node, str]], row: int, want: int) -> int:
    """The rest of a chain of operators, from left to right."""
    while pending:
        right, sign = pending.pop()
        choice = sign in ("||", "??", "&&")
        other = draft.read(right, want if choice else 0)
        if not want:
            continue
        if sign == "&&":
            row = other
        elif choice:
            row = draft.expression(UNION, draft.sequence((row, other)))
        else:
            row = draft.builtin("number" if sign in ("-", "*", "/", "%", "**") else "boolean" if sign != "+" else "any")
    return row


def unary(draft: Draft, node: Node, want: int, role: int) -> int:
    """`!x`, `typeof x`, `delete x.y`, `x++`."""
    deletes = has(node, "delete")
    sign = node.children[0].type if node.child_count else ""
    for part in children(node):
        draft.read(part, 0, DELETED if deletes else READ)
    if not want:
        return -1
    kinds = {"!": "boolean", "typeof": "string", "delete": "boolean", "void": "undefined"}
    return draft.builtin(kinds.get(sign, "number"))


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
