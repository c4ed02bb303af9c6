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
from graphls.languages.draft import D_FLAGS
from graphls.languages.typescript import nodes
from graphls.languages.typescript.draft import (
    BLOCK,
    BRANCH,
    CONDITIONAL,
    ELEMENT,
    EXCEPTION,
    KEPT,
    LOOP,
    READ,
    TRY,
    VARIABLE,
    WANTED,
    Draft,
    Rule,
)
from graphls.languages.typescript.functions import expected_result, read_statements
from graphls.languages.typescript.nesting import children, field, generic, guarded, has
from graphls.languages.typescript.patterns import Binding, Bound, bind, hoisted, settle

RETURN: Final = int(ReturnKind.RETURN)
YIELD: Final = int(ReturnKind.YIELD)
YIELD_FROM: Final = int(ReturnKind.YIELD_FROM)
CASES: Final = 60
NEGATIONS: Final = 60
"""Parentheses and `!` around a condition that are looked through."""

Fact = tuple[int, int, int]


def block(draft: Draft, node: Node, want: int = 0, role: int = READ) -> int:
    """`{ ... }`: a scope of its own where it declares something."""
    parts = node.named_children
    outer = draft.scope
    if _declares(draft, parts):
        draft.scope = draft.open_scope(BLOCK, node.start_byte, node.end_byte)
    read_statements(draft, parts)
    draft.scope = outer
    return -1


def _declares(draft: Draft, statements: Sequence[Node]) -> bool:
    return any(draft.kinds.marks(part) & nodes.DECLARES for part in statements)


def nested(draft: Draft, node: Node, kind: int, group: int) -> None:
    """One arm or body, one level deeper."""
    frame, flags = draft.frame, draft.bind_flags
    draft.region(kind, node, group)
    draft.bind_flags |= CONDITIONAL
    frame.nesting += 1
    frame.deepest = max(frame.deepest, frame.nesting)
    if draft.kinds.of(node) == nodes.STATEMENT_BLOCK:
        block(draft, node)
    else:
        read_statements(draft, (node,))
    frame.nesting -= 1
    draft.bind_flags = flags


def narrow(draft: Draft, facts: Sequence[Fact], start: int, end: int) -> None:
    """What a condition says, between two offsets."""
    if start < end:
        for subject, test, positive in facts:
            draft.narrowings.append((subject, test, start, end, positive))


def judge(draft: Draft, node: Node) -> tuple[Sequence[Fact], Sequence[Fact]]:
    """Reads a condition: what holds where it is true, and where it is false."""
    denied = False
    for _ in range(NEGATIONS if draft.depth < 60 else 0):
        if draft.kinds.of(node) == nodes.PARENTHESIZED_EXPRESSION and node.named_child_count == 1:
            node = node.named_children[0]
        elif draft.kinds.of(node) == nodes.UNARY_EXPRESSION and has(draft, node, nodes.NOT):
            node, denied = node.named_children[0], not denied
        else:
            break
    yes, no = _binary(draft, node) if draft.kinds.of(node) == nodes.BINARY_EXPRESSION else _plain(draft, node)
    return (no, yes) if denied else (yes, no)


def _plain(draft: Draft, node: Node) -> tuple[Sequence[Fact], Sequence[Fact]]:
    """A call may prove what its arguments are: it is subject and test."""
    given = node.child_by_field_name("arguments") if node.type == "call_expression" else None
    if given is None or all(part.type != "identifier" for part in given.named_children):
        draft.read(node)
        return (), ()
    row = draft.read(node, WANTED)
    return (((row, row, 1),), ()) if row >= 0 else ((), ())


def _binary(draft: Draft, node: Node) -> tuple[Sequence[Fact], Sequence[Fact]]:
    left, right = field(draft, node, nodes.F_LEFT), field(draft, node, nodes.F_RIGHT)
    operator = field(draft, node, nodes.F_OPERATOR)
    if left is None or right is None or operator is None:
        return _plain(draft, node)
    sign = draft.kinds.of(operator)
    if sign == nodes.INSTANCEOF:
        subject, test = draft.read(left, WANTED), draft.read(right, WANTED)
        if subject >= 0 and test >= 0:
            return ((subject, test, 1),), ((subject, test, 0),)
        return (), ()
    if sign == nodes.AND and draft.depth < 60:
        draft.depth += 1
        yes, _ = judge(draft, left)
        more, _ = judge(draft, right)
        draft.depth -= 1
        narrow(draft, yes, right.start_byte, right.end_byte)
        return (*yes, *more), ()
    if sign == nodes.OR and draft.depth < 60:
        draft.depth += 1
        _, no = judge(draft, left)
        _, more = judge(draft, right)
        draft.depth -= 1
        narrow(draft, no, right.start_byte, right.end_byte)
        return (), (*no, *more)
    return _plain(draft, node)


def _exits(draft: Draft, node: Node) -> bool:
    if draft.kinds.of(node) == nodes.STATEMENT_BLOCK:
        parts = children(node)
        return bool(parts) and draft.kinds.marks(parts[-1]) & nodes.EXITS != 0
    return draft.kinds.marks(node) & nodes.EXITS != 0


def if_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`if` with its arms; a chain is walked, not recursed into."""
    group = node.start_byte
    denied: list[Fact] = []
    current: Node | None = node
    while current is not None:
        condition = field(draft, current, nodes.F_CONDITION)
        then, other = field(draft, current, nodes.F_CONSEQUENCE), field(draft, current, nodes.F_ALTERNATIVE)
        draft.frame.branches += 1
        yes, no = judge(draft, condition) if condition is not None else ((), ())
        if then is not None:
            narrow(draft, (*denied, *yes), then.start_byte, then.end_byte)
            nested(draft, then, BRANCH, group)
        if other is None and then is not None and _exits(draft, then) and no:
            narrow(draft, no, node.end_byte, draft.scopes[draft.scope][3])
        denied += no
        current = None
        for part in children(other) if other is not None else ():
            if draft.kinds.of(part) == nodes.IF_STATEMENT:
                current = part
            else:
                narrow(draft, denied, part.start_byte, part.end_byte)
                nested(draft, part, BRANCH, group)
    return -1


def loop(draft: Draft, node: Node, want: int, role: int) -> int:
    """`while`, `do` and `for (;;)`."""
    outer = draft.scope
    draft.frame.branches += 1
    draft.scope = draft.open_scope(BLOCK, node.start_byte, node.end_byte)
    body = field(draft, node, nodes.F_BODY)
    for part in children(node):
        if part == body:
            nested(draft, part, LOOP, node.start_byte)
        else:
            draft.read(part)
    draft.scope = outer
    return -1


def for_in(draft: Draft, node: Node, want: int, role: int) -> int:
    """`for (const x of xs)` and `for (k in o)`."""
    left, right = field(draft, node, nodes.F_LEFT), field(draft, node, nodes.F_RIGHT)
    body = field(draft, node, nodes.F_BODY)
    if left is None or right is None or body is None:
        return generic(draft, node, 0, READ)
    outer, full = draft.scope, draft.full
    draft.frame.branches += 1
    draft.full = (node.start_byte, right.end_byte)
    row = draft.read(right, WANTED)
    draft.scope = draft.open_scope(BLOCK, node.start_byte, node.end_byte)
    word = field(draft, node, nodes.F_KIND)
    if word is None:
        draft.read(left, 0, READ)
    else:
        pending: list[Bound] = []
        bind(
            draft,
            left,
            pending,
            Binding(VARIABLE, hoisted(draft) if draft.kinds.of(word) == nodes.VAR else draft.scope),
        )
        keys = has(draft, node, nodes.IN)
        value = draft.expression(ELEMENT, row, int(has(draft, node, nodes.AWAIT))) if row >= 0 else -1
        settle(draft, pending, draft.builtin("string") if keys else value)
    nested(draft, body, LOOP, node.start_byte)
    draft.scope, draft.full = outer, full
    return -1


def try_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`try`, `catch` and `finally`."""
    group = node.start_byte
    for part in children(node):
        if draft.kinds.of(part) == nodes.STATEMENT_BLOCK:
            nested(draft, part, TRY, group)
        elif draft.kinds.of(part) == nodes.CATCH_CLAUSE:
            _catch(draft, part, group)
        elif draft.kinds.of(part) == nodes.FINALLY_CLAUSE:
            for inner in children(part):
                block(draft, inner) if draft.kinds.of(inner) == nodes.STATEMENT_BLOCK else draft.read(inner)
        else:
            draft.read(part)
    return -1


def _catch(draft: Draft, node: Node, group: int) -> None:
    outer, full = draft.scope, draft.full
    draft.frame.branches += 1
    draft.scope = draft.open_scope(BLOCK, node.start_byte, node.end_byte)
    parameter, body = field(draft, node, nodes.F_PARAMETER), field(draft, node, nodes.F_BODY)
    if parameter is not None:
        draft.full = (parameter.start_byte, parameter.end_byte)
        pending: list[Bound] = []
        bind(draft, parameter, pending, Binding(VARIABLE, draft.scope))
        for bound in pending:
            draft.definitions[bound.row][D_FLAGS] |= EXCEPTION
        settle(draft, pending, -1)
    annotation = field(draft, node, nodes.F_TYPE)
    if annotation is not None:
        draft.read(annotation)
    if body is not None:
        nested(draft, body, BRANCH, group)
    draft.scope, draft.full = outer, full


def switch(draft: Draft, node: Node, want: int, role: int) -> int:
    """`switch`: one scope for all cases."""
    value, body = field(draft, node, nodes.F_VALUE), field(draft, node, nodes.F_BODY)
    if value is not None:
        draft.read(value)
    if body is None:
        return -1
    outer = draft.scope
    draft.scope = draft.open_scope(BLOCK, body.start_byte, body.end_byte)
    cases: list[int] = []
    for case in children(body):
        draft.frame.branches += 1
        test = field(draft, case, nodes.F_VALUE)
        draft.region(BRANCH, case, node.start_byte)
        if test is not None:
            draft.read(test)
            if len(cases) < CASES:
                cases.append(draft.text(" ".join(draft.source(test.start_byte, test.end_byte).split())[:80]))
        statements = [part for part in case.named_children if part != test]
        flags, draft.bind_flags = draft.bind_flags, draft.bind_flags | CONDITIONAL
        read_statements(draft, statements)
        draft.bind_flags = flags
    draft.scope = outer
    if value is not None and len(cases) > 1:
        subject = " ".join(draft.source(value.start_byte, value.end_byte).strip("() ").split())[:120]
        spans = (draft.text(subject), node.start_byte, node.end_byte)
        draft.dispatches.append((0, *spans, draft.sequence(cases), draft.owner))
    return -1


def returned(draft: Draft, node: Node, want: int, role: int) -> int:
    """`return value`."""
    frame = draft.frame
    for part in children(node):
        draft.expected = expected_result(draft, part)
        row = draft.read(part, KEPT)
        frame.returns.append(row)
        if frame.definition >= 0:
            draft.returns.append((frame.definition, row, RETURN))
    draft.expected = -1
    return -1


def yielded(draft: Draft, node: Node, want: int, role: int) -> int:
    """`yield value`, `yield* values`."""
    for part in children(node):
        row = draft.read(part, WANTED)
        if draft.frame.definition >= 0 and draft.frame.function:
            kind = YIELD_FROM if has(draft, node, nodes.STAR) else YIELD
            draft.returns.append((draft.frame.definition, row, kind))
    return -1


def label(draft: Draft, node: Node, want: int, role: int) -> int:
    """`name: statement`; labels are no names."""
    for part in children(node):
        if draft.kinds.of(part) != nodes.STATEMENT_IDENTIFIER:
            draft.read(part)
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
