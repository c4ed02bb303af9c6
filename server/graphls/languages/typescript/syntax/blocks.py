"""Blocks: statements that hold others, and what their conditions say.

Owns: block scopes, regions, `if`, loops, `try`, `switch`, `return`; narrowing by `instanceof`.
Must not know: what single statements bind.
Invariant: scope, flags and frame are as before when a block has been read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ReturnKind
from graphls.languages.extract.facts_builder import D_FLAGS
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.facts_builder import (
    BLOCK,
    BRANCH,
    CONDITIONAL,
    ELEMENT,
    EXCEPTION,
    KEPT,
    LOOP,
    READ,
    TRY,
    TYPE_TEST,
    VARIABLE,
    WANTED,
    Rule,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import expected_result, read_statements
from graphls.languages.typescript.syntax.nesting import children, field, generic, guarded, has
from graphls.languages.typescript.syntax.patterns import PatternBinding, PatternName, assign_values, bind, hoisted

RETURN: Final = int(ReturnKind.RETURN)
YIELD: Final = int(ReturnKind.YIELD)
YIELD_FROM: Final = int(ReturnKind.YIELD_FROM)
_SAYING_NOTHING: Final = (b"any", b"unknown")
CASES: Final = 60
NEGATIONS: Final = 60
"""Parentheses and `!` around a condition that are looked through."""

Fact = tuple[int, int, int]


def block(builder: TsFactsBuilder, node: Node, want: int = 0, role: int = READ) -> int:
    """`{ ... }`: a scope of its own where it declares something."""
    parts = node.named_children
    outer = builder.scope
    if _declares(builder, parts):
        builder.scope = builder.open_scope(BLOCK, node.start_byte, node.end_byte)
    read_statements(builder, parts)
    builder.scope = outer
    return -1


def _declares(builder: TsFactsBuilder, statements: Sequence[Node]) -> bool:
    return any(builder.kinds.marks(part) & nodes.DECLARES for part in statements)


def nested(builder: TsFactsBuilder, node: Node, kind: int, group: int) -> None:
    """One arm or body, one level deeper."""
    frame, flags = builder.frame, builder.bind_flags
    builder.region(kind, node, group)
    builder.bind_flags |= CONDITIONAL
    frame.nesting += 1
    frame.deepest = max(frame.deepest, frame.nesting)
    if builder.kinds.of(node) == nodes.STATEMENT_BLOCK:
        block(builder, node)
    else:
        read_statements(builder, (node,))
    frame.nesting -= 1
    builder.bind_flags = flags


def narrow(builder: TsFactsBuilder, facts: Sequence[Fact], start: int, end: int) -> None:
    """What a condition says, between two offsets."""
    if start < end:
        for subject, test, positive in facts:
            builder.narrowings.append((subject, test, start, end, positive))


def judge(builder: TsFactsBuilder, node: Node) -> tuple[Sequence[Fact], Sequence[Fact]]:
    """Reads a condition: what holds where it is true, and where it is false."""
    denied = False
    for _ in range(NEGATIONS if builder.depth < 60 else 0):
        if builder.kinds.of(node) == nodes.PARENTHESIZED_EXPRESSION and node.named_child_count == 1:
            node = node.named_children[0]
        elif builder.kinds.of(node) == nodes.UNARY_EXPRESSION and has(builder, node, nodes.NOT):
            node, denied = node.named_children[0], not denied
        else:
            break
    yes, no = _binary(builder, node) if builder.kinds.of(node) == nodes.BINARY_EXPRESSION else _plain(builder, node)
    return (no, yes) if denied else (yes, no)


def _plain(builder: TsFactsBuilder, node: Node) -> tuple[Sequence[Fact], Sequence[Fact]]:
    """A call may prove what its arguments are: it is subject and test."""
    given = node.child_by_field_name("arguments") if node.type == "call_expression" else None
    if given is None or all(part.type != "identifier" for part in given.named_children):
        builder.read(node)
        return (), ()
    row = builder.read(node, WANTED)
    return (((row, row, 1),), ()) if row >= 0 else ((), ())


def _binary(builder: TsFactsBuilder, node: Node) -> tuple[Sequence[Fact], Sequence[Fact]]:
    left, right = field(builder, node, nodes.F_LEFT), field(builder, node, nodes.F_RIGHT)
    operator = field(builder, node, nodes.F_OPERATOR)
    if left is None or right is None or operator is None:
        return _plain(builder, node)
    sign = builder.kinds.of(operator)
    if sign == nodes.INSTANCEOF:
        subject, flags = builder.read(left, WANTED), builder.use_flags
        builder.use_flags |= TYPE_TEST
        test = builder.read(right, WANTED)
        builder.use_flags = flags
        if subject >= 0 and test >= 0:
            return ((subject, test, 1),), ((subject, test, 0),)
        return (), ()
    if sign == nodes.AND and builder.depth < 60:
        builder.depth += 1
        yes, _ = judge(builder, left)
        more, _ = judge(builder, right)
        builder.depth -= 1
        narrow(builder, yes, right.start_byte, right.end_byte)
        return (*yes, *more), ()
    if sign == nodes.OR and builder.depth < 60:
        builder.depth += 1
        _, no = judge(builder, left)
        _, more = judge(builder, right)
        builder.depth -= 1
        narrow(builder, no, right.start_byte, right.end_byte)
        return (), (*no, *more)
    return _plain(builder, node)


def _exits(builder: TsFactsBuilder, node: Node) -> bool:
    if builder.kinds.of(node) == nodes.STATEMENT_BLOCK:
        parts = children(node)
        return bool(parts) and builder.kinds.marks(parts[-1]) & nodes.EXITS != 0
    return builder.kinds.marks(node) & nodes.EXITS != 0


def if_statement(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if` with its arms; a chain is walked, not recursed into."""
    group = node.start_byte
    current: Node | None = node
    while current is not None:
        condition = field(builder, current, nodes.F_CONDITION)
        then, other = field(builder, current, nodes.F_CONSEQUENCE), field(builder, current, nodes.F_ALTERNATIVE)
        builder.frame.branches += 1
        yes, no = judge(builder, condition) if condition is not None else ((), ())
        if then is not None:
            narrow(builder, yes, then.start_byte, then.end_byte)
            nested(builder, then, BRANCH, group)
        if other is None and then is not None and _exits(builder, then) and no:
            narrow(builder, no, node.end_byte, builder.scopes[builder.scope][3])
        current = None
        if other is not None:
            # Once for the whole rest of the chain: once for each arm would be as many rows as pairs of arms.
            narrow(builder, no, other.start_byte, other.end_byte)
        for part in children(other) if other is not None else ():
            if builder.kinds.of(part) == nodes.IF_STATEMENT:
                current = part
            else:
                nested(builder, part, BRANCH, group)
    return -1


def loop(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`while`, `do` and `for (;;)`."""
    outer = builder.scope
    builder.frame.branches += 1
    builder.scope = builder.open_scope(BLOCK, node.start_byte, node.end_byte)
    body = field(builder, node, nodes.F_BODY)
    for part in children(node):
        if part == body:
            nested(builder, part, LOOP, node.start_byte)
        else:
            builder.read(part)
    builder.scope = outer
    return -1


def for_in(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for (const x of xs)` and `for (k in o)`."""
    left, right = field(builder, node, nodes.F_LEFT), field(builder, node, nodes.F_RIGHT)
    body = field(builder, node, nodes.F_BODY)
    if left is None or right is None or body is None:
        return generic(builder, node, 0, READ)
    outer, full = builder.scope, builder.full
    builder.frame.branches += 1
    builder.full = (node.start_byte, right.end_byte)
    row = builder.read(right, WANTED)
    builder.scope = builder.open_scope(BLOCK, node.start_byte, node.end_byte)
    word = field(builder, node, nodes.F_KIND)
    if word is None:
        builder.read(left, 0, READ)
    else:
        pending: list[PatternName] = []
        bind(
            builder,
            left,
            pending,
            PatternBinding(VARIABLE, hoisted(builder) if builder.kinds.of(word) == nodes.VAR else builder.scope),
        )
        keys = has(builder, node, nodes.IN)
        value = builder.expression(ELEMENT, row, int(has(builder, node, nodes.AWAIT))) if row >= 0 else -1
        assign_values(builder, pending, builder.builtin("string") if keys else value)
    nested(builder, body, LOOP, node.start_byte)
    builder.scope, builder.full = outer, full
    return -1


def try_statement(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`try`, `catch` and `finally`."""
    group = node.start_byte
    for part in children(node):
        if builder.kinds.of(part) == nodes.STATEMENT_BLOCK:
            nested(builder, part, TRY, group)
        elif builder.kinds.of(part) == nodes.CATCH_CLAUSE:
            _catch(builder, part, group)
        elif builder.kinds.of(part) == nodes.FINALLY_CLAUSE:
            for inner in children(part):
                block(builder, inner) if builder.kinds.of(inner) == nodes.STATEMENT_BLOCK else builder.read(inner)
        else:
            builder.read(part)
    return -1


def _catch(builder: TsFactsBuilder, node: Node, group: int) -> None:
    outer, full = builder.scope, builder.full
    builder.frame.branches += 1
    builder.scope = builder.open_scope(BLOCK, node.start_byte, node.end_byte)
    parameter, body = field(builder, node, nodes.F_PARAMETER), field(builder, node, nodes.F_BODY)
    if parameter is not None:
        builder.full = (parameter.start_byte, parameter.end_byte)
        pending: list[PatternName] = []
        bind(builder, parameter, pending, PatternBinding(VARIABLE, builder.scope))
        for bound in pending:
            builder.definitions[bound.row][D_FLAGS] |= EXCEPTION
        assign_values(builder, pending, -1)
    annotation = field(builder, node, nodes.F_TYPE)
    if annotation is not None:
        builder.read(annotation)
    if body is not None:
        nested(builder, body, BRANCH, group)
    builder.scope, builder.full = outer, full


def switch(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`switch`: one scope for all cases."""
    value, body = field(builder, node, nodes.F_VALUE), field(builder, node, nodes.F_BODY)
    if value is not None:
        builder.read(value)
    if body is None:
        return -1
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK, body.start_byte, body.end_byte)
    cases: list[int] = []
    for case in children(body):
        builder.frame.branches += 1
        test = field(builder, case, nodes.F_VALUE)
        builder.region(BRANCH, case, node.start_byte)
        if test is not None:
            builder.read(test)
            if len(cases) < CASES:
                cases.append(builder.text(" ".join(builder.source(test.start_byte, test.end_byte).split())[:80]))
        statements = [part for part in case.named_children if part != test]
        flags, builder.bind_flags = builder.bind_flags, builder.bind_flags | CONDITIONAL
        read_statements(builder, statements)
        builder.bind_flags = flags
    builder.scope = outer
    if value is not None and len(cases) > 1:
        subject = " ".join(builder.source(value.start_byte, value.end_byte).strip("() ").split())[:120]
        spans = (builder.text(subject), node.start_byte, node.end_byte)
        builder.dispatches.append((0, *spans, builder.sequence(cases), builder.owner))
    return -1


def returned(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`return value`."""
    frame = builder.frame
    for part in children(node):
        value = _uncast(builder, part)
        builder.expected = expected_result(builder, part) if value is part else -1
        row = builder.read(value, KEPT)
        frame.returns.append(row)
        if frame.definition >= 0:
            builder.returns.append((frame.definition, row, RETURN))
    builder.expected = -1
    return -1


def _uncast(builder: TsFactsBuilder, node: Node) -> Node:
    """`x` of `x as any`: that says nothing of what is given back, and names nothing."""
    if builder.kinds.of(node) != nodes.AS_EXPRESSION:
        return node
    value, kind = children(node) if len(children(node)) == 2 else (node, node)
    return value if builder.data[kind.start_byte : kind.end_byte] in _SAYING_NOTHING else node


def yielded(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`yield value`, `yield* values`."""
    for part in children(node):
        row = builder.read(part, WANTED)
        if builder.frame.definition >= 0 and builder.frame.function:
            kind = YIELD_FROM if has(builder, node, nodes.STAR) else YIELD
            builder.returns.append((builder.frame.definition, row, kind))
    return -1


def label(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name: statement`; labels are no names."""
    for part in children(node):
        if builder.kinds.of(part) != nodes.STATEMENT_IDENTIFIER:
            builder.read(part)
    return -1


RULES: Mapping[str, Rule] = {
    "statement_block": guarded(block),
    "if_statement": guarded(if_statement),
    "while_statement": guarded(loop),
    "do_statement": guarded(loop),
    "for_statement": guarded(loop),
    "for_in_statement": guarded(for_in),
    "try_statement": guarded(try_statement),
    "switch_statement": guarded(switch),
    "return_statement": guarded(returned),
    "yield_expression": guarded(yielded),
    "labeled_statement": guarded(label),
}
