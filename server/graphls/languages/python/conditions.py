"""Conditions: what a test says about the names in it.

Owns: `isinstance`, `issubclass`, `is None` and plain truth, through `and`, `or`, `not` and parentheses.
Must not know: which code runs when the test holds.
Invariant: a fact is given only when the text of the test decides it; reassignment is the reader's concern.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind
from graphls.languages.python import nodes
from graphls.languages.python.draft import (
    CALLED,
    MEMBER,
    NAME,
    UNION,
    Draft,
    Fact,
)
from graphls.languages.python.nesting import DEPTH, children, too_deep

SUBSCRIPT: Final = int(ExpressionKind.SUBSCRIPT)
TYPE_TESTS = {b"isinstance": False, b"issubclass": True}

Judgement: TypeAlias = tuple[int, Sequence[Fact], Sequence[Fact]]
"""Expression of the condition; facts when it holds; facts when it does not."""


def judge(draft: Draft, node: Node, want: int) -> Judgement:
    """Reads a condition."""
    judged = _JUDGES.get(node.kind_id)
    if judged is None:
        return draft.read(node, want), (), ()
    if draft.depth >= DEPTH:
        return too_deep(draft, node), (), ()
    draft.depth += 1
    answer = judged(draft, node, want)
    draft.depth -= 1
    return answer


def _plain(draft: Draft, node: Node, want: int) -> Judgement:
    row = draft.read(node, 1)
    return row, _truth(draft, row), ()


def _truth(draft: Draft, row: int) -> Sequence[Fact]:
    return ((row, -1, 0),) if _is_subject(draft, row) else ()


def _is_subject(draft: Draft, row: int) -> bool:
    """Only names and attributes of names are followed through tests."""
    return draft.kind_of(row) in (NAME, MEMBER)


def _negated(draft: Draft, node: Node, want: int) -> Judgement:
    yes: Sequence[Fact] = ()
    no: Sequence[Fact] = ()
    for part in children(node):
        _, yes, no = judge(draft, part, 0)
    return draft.builtin("bool") if want else -1, no, yes


def _grouped(draft: Draft, node: Node, want: int) -> Judgement:
    parts = children(node)
    if len(parts) == 1:
        return judge(draft, parts[0], want)
    return draft.read(node, want), (), ()


def _comparison(draft: Draft, node: Node, want: int) -> Judgement:
    parts = node.children
    if len(parts) == 3 and parts[2].kind_id == nodes.NONE_LITERAL and parts[1].type in ("is", "is not", "==", "!="):
        row = draft.read(parts[0], 1)
        fact: Sequence[Fact] = ((row, -1, 1),) if _is_subject(draft, row) else ()
        other: Sequence[Fact] = ((row, -1, 0),) if fact else ()
        yes, no = (fact, other) if parts[1].type in ("is", "==") else (other, fact)
    else:
        yes, no = (), ()
        for part in node.named_children:
            draft.read(part)
    draft.shape.append(nodes.COMPARISON)
    return draft.builtin("bool") if want else -1, yes, no


def _type_test(draft: Draft, node: Node, want: int) -> Judgement:
    parts = node.named_children
    function = parts[0]
    of_class = TYPE_TESTS.get(draft.data[function.start_byte : function.end_byte])
    arguments = children(parts[-1])
    if of_class is None or len(arguments) != 2 or len(parts) != 2 or parts[1].kind_id != nodes.ARGUMENTS:
        return draft.read(node, want), (), ()
    name = draft.use(function.start_byte, function.end_byte, CALLED)
    subject = draft.read(arguments[0], 1)
    test = draft.read(arguments[1], 1)
    draft.shape.append(nodes.CALL)
    row = draft.builtin("bool") if want else -1
    if not _is_subject(draft, subject) or test < 0 or name < 0:
        return row, (), ()
    if of_class:
        kind = draft.expression(NAME, draft.text("type"), draft.scope, function.start_byte)
        test = draft.expression(SUBSCRIPT, kind, draft.sequence((test,)))
    return row, ((subject, test, 1),), ((subject, test, 0),)


def _chain(draft: Draft, node: Node, want: int) -> Judgement:
    """`and` and `or`: operands of one operator are walked, not recursed into."""
    sign = _sign(node)
    operands: list[Node] = []
    while node.kind_id == nodes.BOOLEAN and _sign(node) == sign:
        parts = children(node)
        operands.extend(reversed(parts[1:]))
        node = parts[0]
    operands.append(node)
    operands.reverse()
    end = operands[-1].end_byte
    rows: list[int] = []
    known: list[Fact] = []
    draft.frame.branches += len(operands) - 1
    draft.shape.append(nodes.BOOLEAN)
    for position, operand in enumerate(operands):
        row, yes, no = judge(draft, operand, want)
        facts = yes if sign == "and" else no
        if position + 1 < len(operands):
            draft.narrow(facts, operands[position + 1].start_byte, end)
        known.extend(facts)
        rows.append(row)
    row = draft.expression(UNION, draft.sequence(rows)) if want else -1
    return (row, known, ()) if sign == "and" else (row, (), known)


def _sign(node: Node) -> str:
    """The operator of a boolean chain; a comment may stand before it."""
    for part in node.children:
        if part.type in ("and", "or"):
            return part.type
    return ""


def _walrus(draft: Draft, node: Node, want: int) -> Judgement:
    row = draft.read(node, want)
    target = children(node)[0]
    if target.kind_id != nodes.IDENTIFIER:
        return row, (), ()
    start = target.start_byte
    subject = draft.expression(NAME, draft.name(start, target.end_byte), draft.scope, start)
    return row, ((subject, -1, 0),), ()


_JUDGES = {
    nodes.IDENTIFIER: _plain,
    nodes.ATTRIBUTE: _plain,
    nodes.NOT: _negated,
    nodes.PARENTHESIZED: _grouped,
    nodes.COMPARISON: _comparison,
    nodes.CALL: _type_test,
    nodes.BOOLEAN: _chain,
    nodes.NAMED: _walrus,
}
