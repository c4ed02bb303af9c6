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
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.constructs import CONTAINS, TRUTH, construct, operator
from graphls.languages.python.syntax.facts_builder import (
    CALLED,
    MEMBER,
    NAME,
    TYPE_TEST,
    UNION,
    Fact,
    PyFactsBuilder,
)
from graphls.languages.python.syntax.nesting import children, too_deep

SUBSCRIPT: Final = int(ExpressionKind.SUBSCRIPT)
TYPE_TESTS = {b"isinstance": False, b"issubclass": True}

Judgement: TypeAlias = tuple[int, Sequence[Fact], Sequence[Fact]]
"""Expression of the condition; facts when it holds; facts when it does not."""


def judge(builder: PyFactsBuilder, node: Node, want: int) -> Judgement:
    """Reads a condition."""
    judged = _JUDGES.get(node.kind_id)
    if judged is None:
        return builder.read(node, want), (), ()
    if builder.depth >= DEPTH:
        return too_deep(builder, node), (), ()
    builder.depth += 1
    answer = judged(builder, node, want)
    builder.depth -= 1
    return answer


def _plain(builder: PyFactsBuilder, node: Node, want: int) -> Judgement:
    row, _, _ = _value(builder, node, want)
    return row, _truth(builder, row), ()


def _value(builder: PyFactsBuilder, node: Node, want: int) -> Judgement:
    """What is tested for its truth and followed no further: a call, an element, what `await` gives."""
    row = builder.read(node, 1)
    construct(builder, TRUTH, (node.start_byte, node.end_byte), row)
    return row, (), ()


def _truth(builder: PyFactsBuilder, row: int) -> Sequence[Fact]:
    return ((row, -1, 0),) if _is_subject(builder, row) else ()


def _is_subject(builder: PyFactsBuilder, row: int) -> bool:
    """Only names and attributes of names are followed through tests."""
    return builder.kind_of(row) in (NAME, MEMBER)


def _subject(builder: PyFactsBuilder, node: Node) -> int:
    """What a test is about: of `isinstance(x := value, C)` the name."""
    row = builder.read(node, 1)
    while node.kind_id == nodes.PARENTHESIZED and len(inside := children(node)) == 1:
        node = inside[0]
    return _bound_name(builder, node, row) if node.kind_id == nodes.NAMED else row


def _bound_name(builder: PyFactsBuilder, node: Node, otherwise: int) -> int:
    target = children(node)[0]
    if target.kind_id != nodes.IDENTIFIER:
        return otherwise
    start = target.start_byte
    return builder.expression(NAME, builder.name(start, target.end_byte), builder.scope, start)


def _negated(builder: PyFactsBuilder, node: Node, want: int) -> Judgement:
    yes: Sequence[Fact] = ()
    no: Sequence[Fact] = ()
    for part in children(node):
        _, yes, no = judge(builder, part, 0)
    return builder.builtin("bool") if want else -1, no, yes


def _grouped(builder: PyFactsBuilder, node: Node, want: int) -> Judgement:
    parts = children(node)
    if len(parts) == 1:
        return judge(builder, parts[0], want)
    return builder.read(node, want), (), ()


def _comparison(builder: PyFactsBuilder, node: Node, want: int) -> Judgement:
    parts = node.children
    if len(parts) == 3 and parts[2].kind_id == nodes.NONE_LITERAL and parts[1].type in ("is", "is not", "==", "!="):
        row = _subject(builder, parts[0])
        fact: Sequence[Fact] = ((row, -1, 1),) if _is_subject(builder, row) else ()
        other: Sequence[Fact] = ((row, -1, 0),) if fact else ()
        yes, no = (fact, other) if parts[1].type in ("is", "==") else (other, fact)
    else:
        yes, no = (), ()
        _compared(builder, node)
    builder.shape.append(nodes.COMPARISON)
    return builder.builtin("bool") if want else -1, yes, no


def _compared(builder: PyFactsBuilder, node: Node) -> None:
    """Operands of comparisons, each with the one before."""
    sign, row, start = "", -1, node.start_byte
    for part in node.children:
        if not part.is_named:
            sign = part.type
        elif part.kind_id not in nodes.EXTRAS:
            other = builder.read(part, 1)
            if sign in ("in", "not in"):
                construct(builder, CONTAINS, (start, part.end_byte), other, other=row)
            elif sign and sign not in ("is", "is not"):
                operator(builder, "!=" if sign == "<>" else sign, (start, part.end_byte), row, other=other)
            row, start = other, part.start_byte


def _type_test(builder: PyFactsBuilder, node: Node, want: int) -> Judgement:
    parts = node.named_children
    function = parts[0]
    of_class = TYPE_TESTS.get(builder.data[function.start_byte : function.end_byte])
    arguments = children(parts[-1])
    if of_class is None or len(arguments) != 2 or len(parts) != 2 or parts[1].kind_id != nodes.ARGUMENTS:
        return _value(builder, node, want)
    name = builder.use(function.start_byte, function.end_byte, CALLED)
    subject = _subject(builder, arguments[0])
    flags = builder.use_flags
    builder.use_flags |= TYPE_TEST
    test = builder.read(arguments[1], 1)
    builder.use_flags = flags
    builder.shape.append(nodes.CALL)
    row = builder.builtin("bool") if want else -1
    if not _is_subject(builder, subject) or test < 0 or name < 0:
        return row, (), ()
    if of_class:
        kind = builder.expression(NAME, builder.text("type"), builder.scope, function.start_byte)
        test = builder.expression(SUBSCRIPT, kind, builder.sequence((test,)))
    return row, ((subject, test, 1),), ((subject, test, 0),)


def _chain(builder: PyFactsBuilder, node: Node, want: int) -> Judgement:
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
    builder.frame.branches += len(operands) - 1
    builder.shape.append(nodes.BOOLEAN)
    for position, operand in enumerate(operands):
        row, yes, no = judge(builder, operand, want)
        if want and operand.end_byte == end:
            _drop_truth(builder, operand)  # the last one is the value: its truth is not asked for here
        facts = yes if sign == "and" else no
        if position + 1 < len(operands):
            builder.narrow(facts, operands[position + 1].start_byte, end)
        known.extend(facts)
        rows.append(row)
    row = builder.expression(UNION, builder.sequence(rows)) if want else -1
    return (row, known, ()) if sign == "and" else (row, (), known)


def _drop_truth(builder: PyFactsBuilder, node: Node) -> None:
    """Forgets that the truth of an operand is asked for."""
    kind, _, start, end, *_ = builder.constructs[-1] if builder.constructs else (-1, -1, -1, -1)
    if kind == TRUTH and start == node.start_byte and end == node.end_byte:
        builder.constructs.pop()


def _sign(node: Node) -> str:
    """The operator of a boolean chain; a comment may stand before it."""
    for part in node.children:
        if part.type in ("and", "or"):
            return part.type
    return ""


def _walrus(builder: PyFactsBuilder, node: Node, want: int) -> Judgement:
    row, _, _ = _value(builder, node, want)
    subject = _bound_name(builder, node, -1)
    return row, ((subject, -1, 0),) if subject >= 0 else (), ()


_JUDGES = {
    nodes.IDENTIFIER: _plain,
    nodes.ATTRIBUTE: _plain,
    nodes.NOT: _negated,
    nodes.PARENTHESIZED: _grouped,
    nodes.COMPARISON: _comparison,
    nodes.CALL: _type_test,
    nodes.BOOLEAN: _chain,
    nodes.NAMED: _walrus,
    nodes.SUBSCRIPT: _value,
    nodes.AWAIT: _value,
}
