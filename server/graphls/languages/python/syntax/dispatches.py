"""Dispatches: choices of one subject between named cases.

Owns: chains of `if` over one subject, normal forms of subjects and cases.
Must not know: what the arms do.
Invariant: a chain counts only when every arm tests the same subject text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.facts_builder import PyFactsBuilder
from graphls.languages.python.syntax.nesting import children

MATCH, CHAIN = 0, 1
TESTS: Final = frozenset(("==", "is", "in"))
CAP: Final = 120


def normal(builder: PyFactsBuilder, node: Node) -> str:
    """Text of a node on one line."""
    return " ".join(builder.source(node.start_byte, min(node.end_byte, node.start_byte + 4 * CAP)).split())[:CAP]


def add_dispatch(builder: PyFactsBuilder, kind: int, node: Node, subject: str, cases: Sequence[str]) -> None:
    """A row of `dispatches`; equal cases count once."""
    rows = [builder.text(case) for case in dict.fromkeys(cases)]
    builder.dispatches.append(
        (kind, builder.text(subject), node.start_byte, node.end_byte, builder.sequence(rows), builder.owner)
    )


def chain(builder: PyFactsBuilder, node: Node, arms: Sequence[Node]) -> None:
    """A chain of `if` and `elif` that compares one subject."""
    subject = ""
    cases: list[str] = []
    for arm in arms:
        condition = arm.child_by_field_name("condition")
        tested = None if condition is None else _tested(builder, condition)
        if tested is None or (subject and tested[0] != subject):
            return
        subject = tested[0]
        cases += tested[1]
    if subject:
        add_dispatch(builder, CHAIN, node, subject, cases)


def _tested(builder: PyFactsBuilder, node: Node) -> tuple[str, list[str]] | None:
    """Subject and cases of one condition."""
    for _ in range(5):
        inner = children(node)
        if node.kind_id != nodes.PARENTHESIZED or len(inner) != 1:
            break
        node = inner[0]
    if node.kind_id == nodes.COMPARISON:
        parts = node.children
        if len(parts) == 3 and parts[1].type in TESTS:
            return normal(builder, parts[0]), _cases(builder, parts[2], parts[1].type == "in")
        return None
    if node.kind_id == nodes.CALL and builder.data.startswith(b"isinstance(", node.start_byte):
        given = children(node.named_children[-1])
        if len(given) == 2:
            return normal(builder, given[0]), _cases(builder, given[1], True)
    return None


def _cases(builder: PyFactsBuilder, node: Node, many: bool) -> list[str]:
    if many and node.kind_id in (nodes.TUPLE, nodes.LIST, nodes.SET):
        return [normal(builder, part) for part in children(node)[:50]]
    return [normal(builder, node)]
