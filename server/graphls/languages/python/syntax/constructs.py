"""Constructs: what runs a method of a value without naming it.

Owns: which constructs are written down, and the names that tell others which methods they may run.
Must not know: types, which classes have the methods.
Invariant: nothing is written down whose operands are displays or literals: their methods are those of the language.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ConstructKind, ExpressionKind
from graphls.languages.python.special_methods import (
    OPERATOR,
    methods_of,
    methods_of_key,
    next_method,
    reflected_methods,
)
from graphls.languages.python.syntax.facts_builder import PyFactsBuilder

WITH: Final = int(ConstructKind.WITH)
ASYNC_WITH: Final = int(ConstructKind.ASYNC_WITH)
FOR: Final = int(ConstructKind.FOR)
ASYNC_FOR: Final = int(ConstructKind.ASYNC_FOR)
UNPACK: Final = int(ConstructKind.UNPACK)
SUBSCRIPTED: Final = int(ConstructKind.SUBSCRIPT)
SET_ITEM: Final = int(ConstructKind.SET_ITEM)
DELETE_ITEM: Final = int(ConstructKind.DELETE_ITEM)
CONTAINS: Final = int(ConstructKind.CONTAINS)
TRUTH: Final = int(ConstructKind.TRUTH)
AWAITED: Final = int(ConstructKind.AWAIT)
FORMATTED: Final = int(ConstructKind.FORMAT)
BUILTIN_CALL: Final = int(ConstructKind.BUILTIN)
RAISED: Final = int(ConstructKind.RAISE)
VALUE_CALL: Final = int(ConstructKind.CALL)
DECORATED: Final = int(ConstructKind.DECORATOR)
INHERITED_CALL: Final = int(ConstructKind.INHERITED)

_FOLLOWED: Final = frozenset(
    int(kind)
    for kind in (
        ExpressionKind.NAME,
        ExpressionKind.MEMBER,
        ExpressionKind.CALL,
        ExpressionKind.SUBSCRIPT,
        ExpressionKind.AWAIT,
        ExpressionKind.ELEMENT,
        ExpressionKind.UNION,
    )
)


def construct(
    builder: PyFactsBuilder,
    kind: int,
    span: tuple[int, int],
    operand: int,
    name: str = "",
    *,
    other: int = -1,
    owner: int | None = None,
) -> None:
    """A construct between two offsets. `owner`: whose code it is, where that is not what is being read."""
    start, end = span
    if operand == builder.nothing or builder.kind_of(operand) not in _FOLLOWED:
        operand = -1
    if other == builder.nothing or builder.kind_of(other) not in _FOLLOWED:
        other = -1
    if (operand < 0 and other < 0) or start >= end:
        return
    if operand >= 0:
        for methods in methods_of(kind, name):
            for method in methods:
                builder.imply(method)
        after = next_method(kind, name)
        if after:
            builder.imply(after)
    if other >= 0:
        for methods in (*reflected_methods(name), *methods_of_key(kind)):
            for method in methods:
                builder.imply(method)
    owner = builder.owner if owner is None else owner
    builder.constructs.append((kind, builder.text(name) if name else -1, start, end, operand, other, owner))


def operator(builder: PyFactsBuilder, sign: str, span: tuple[int, int], operand: int, *, other: int = -1) -> None:
    """`a + b`, `a == b`, `a += b`."""
    construct(builder, OPERATOR, span, operand, sign, other=other)


def stored(builder: PyFactsBuilder, mark: int, node: Node, kind: int, *, also_read: bool = False) -> None:
    """What was read since a mark (a length of `constructs`) as a subscript is a target."""
    rows = builder.constructs
    if len(rows) <= mark:
        return
    last = rows[len(rows) - 1]
    if last[0] != SUBSCRIPTED or last[3] != node.end_byte or last[2] != node.start_byte:
        return
    builder.imply("__delitem__" if kind == DELETE_ITEM else "__setitem__")
    if also_read:
        rows.append((kind, *last[1:]))
    else:
        rows[len(rows) - 1] = (kind, *last[1:])
