"""Dispatches: choices of one subject between named cases.

Owns: chains of `if` over one subject, normal forms of subjects and cases.
Must not know: what the arms do.
Invariant: a chain counts only when every arm tests the same subject text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.python import nodes
from graphls.languages.python.draft import Draft
from graphls.languages.python.nesting import children

MATCH, CHAIN = 0, 1
TESTS: Final = frozenset(("==", "is", "in"))
CAP: Final = 120


def normal(draft: Draft, node: Node) -> str:
    """Text of a node on one line."""
    return " ".join(draft.source(node.start_byte, min(node.end_byte, node.start_byte + 4 * CAP)).split())[:CAP]


def add_dispatch(draft: Draft, kind: int, node: Node, subject: str, cases: Sequence[str]) -> None:
    """A row of `dispatches`; equal cases count once."""
    rows = [draft.text(case) for case in dict.fromkeys(cases)]
    draft.dispatches.append(
        (kind, draft.text(subject), node.start_byte, node.end_byte, draft.sequence(rows), draft.owner)
    )


def chain(draft: Draft, node: Node, arms: Sequence[Node]) -> None:
    """A chain of `if` and `elif` that compares one subject."""
    subject = ""
    cases: list[str] = []
    for arm in arms:
        condition = arm.child_by_field_name("condition")
        tested = None if condition is None else _tested(draft, condition)
        if tested is None or (subject and tested[0] != subject):
            return
        subject = tested[0]
        cases += tested[1]
    if subject:
        add_dispatch(draft, CHAIN, node, subject, cases)


def _tested(draft: Draft, node: Node) -> tuple[str, list[str]] | None:
    """Subject and cases of one condition."""
    for _ in range(5):
        inner = children(node)
        if node.kind_id != nodes.PARENTHESIZED or len(inner) != 1:
            break
        node = inner[0]
    if node.kind_id == nodes.COMPARISON:
        parts = node.children
        if len(parts) == 3 and parts[1].type in TESTS:
            return normal(draft, parts[0]), _cases(draft, parts[2], parts[1].type == "in")
        return None
    if node.kind_id == nodes.CALL and draft.data.startswith(b"isinstance(", node.start_byte):
        given = children(node.named_children[-1])
        if len(given) == 2:
            return normal(draft, given[0]), _cases(draft, given[1], True)
    return None


def _cases(draft: Draft, node: Node, many: bool) -> list[str]:
    if many and node.kind_id in (nodes.TUPLE, nodes.LIST, nodes.SET):
        return [normal(draft, part) for part in children(node)[:50]]
    return [normal(draft, node)]
