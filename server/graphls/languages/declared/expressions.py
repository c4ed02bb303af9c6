"""Expressions: rules of names, words, literals and operators that languages share.

Owns: what these mean wherever the grammar calls their parts `left`, `right`, `operator`, `condition`.
Must not know: any particular language.
Invariant: a rule reads every part of its node once, in the order of the text.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind, OccurrenceFlag
from graphls.languages.declared.facts_builder import NAME, READ, DeclaredFactsBuilder, Rule
from graphls.languages.extract.nesting import CHAIN

NARROWED: Final = int(ExpressionKind.NARROWED)
UNION: Final = int(ExpressionKind.UNION)
ALSO_WRITE: Final = int(OccurrenceFlag.ALSO_WRITE)
REFERRED: Final = int(OccurrenceFlag.REFERRED)
_COMPARED: Final = frozenset((b"==", b"!=", b"<", b"<=", b">", b">=", b"&&", b"||"))


def identifier(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A name."""
    return builder.name_expression(node, want, role)


def word(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`this` and the like stand for something, but nobody looks for their uses."""
    if not want:
        return -1
    start = node.start_byte
    return builder.expression(NAME, builder.name(start, node.end_byte), builder.scope, start)


def literal(kind: str) -> Rule:
    """The rule of a literal of a built-in type."""

    def read(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        return builder.builtin(kind) if want else -1

    return read


def choice(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a ? b : c`."""
    condition = node.child_by_field_name("condition")
    if condition is not None:
        builder.read(condition)
    parts = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
    rows = [builder.read(part, want) if part is not None else -1 for part in parts]
    return builder.expression(UNION, builder.sequence(rows)) if want and max(rows) >= 0 else -1


def operands(builder: DeclaredFactsBuilder, node: Node, want: int) -> tuple[list[int], bytes]:
    """The two sides of an operator, and the operator."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    rows = [builder.read(part, want) if part is not None else -1 for part in (left, right)]
    builder.shape.append(node.kind_id)
    return rows, b"" if operator is None else operator.text or b""


def left_deep(rule: Rule) -> Rule:
    """The rule of an operator whose chains nest to the left, with room for chains of any length.

    `a + b + c` is `(a + b) + c`, and generated code joins thousands of texts so. Deep in a tree the operators are read
    from the innermost one out: each finds that its left side was read.
    """

    def read(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        if builder.depth < CHAIN:
            return rule(builder, node, want, role)
        row = builder.chained.pop(node.id, None)
        if row is not None:
            return row
        chain: list[Node] = []
        left = node
        while left.named_child_count:
            left = left.named_child(0)
            if left.kind_id != node.kind_id:
                break
            chain.append(left)
        while chain:
            part = chain.pop()
            builder.chained[part.id] = rule(builder, part, 1, READ)
        return rule(builder, node, want, role)

    return read


def is_comparison(operator: bytes) -> bool:
    """Whether an operator gives a truth value."""
    return operator in _COMPARED
