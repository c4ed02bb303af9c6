"""Blocks: statements in a row, and the arms that choose between them.

Owns: regions, branch flags, narrowing by conditions and early exits, `if`, loops, `try`, `with`.
Must not know: what single statements bind.
Invariant: regions nest properly; flags and the end of the block are as before when a block has been read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, ExpressionKind, OccurrenceFlag, RegionKind
from graphls.languages.bounds import MAX_TESTS
from graphls.languages.extract.facts_builder import D_DOC, D_FULL_END, D_FULL_START
from graphls.languages.incremental.fragments import table_sizes
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.conditions import Judgement, judge
from graphls.languages.python.syntax.constructs import ASYNC_FOR, ASYNC_WITH, FOR, RAISED, construct
from graphls.languages.python.syntax.constructs import WITH as CONTEXT
from graphls.languages.python.syntax.dispatches import chain
from graphls.languages.python.syntax.facts_builder import (
    BRANCH,
    CONDITIONAL,
    READ,
    TYPE_TEST,
    Fact,
    PyFactsBuilder,
    Rule,
)
from graphls.languages.python.syntax.nesting import children, generic, guarded
from graphls.languages.python.syntax.strings import paragraph
from graphls.languages.python.syntax.targets import Target, assign_values, bind_target

LOOP: Final = int(RegionKind.LOOP)
TRY: Final = int(RegionKind.TRY)
WITH: Final = int(RegionKind.WITH)
ELEMENT: Final = int(ExpressionKind.ELEMENT)
ENTER: Final = int(ExpressionKind.ENTER)
EXCEPTION: Final = int(ExpressionKind.EXCEPTION)
HANDLED: Final = int(DefinitionFlag.EXCEPTION)

MAYBE: Final = (CONDITIONAL, int(OccurrenceFlag.CONDITIONAL))
CHECKING = (MAYBE[0] | int(DefinitionFlag.TYPE_CHECKING), MAYBE[1] | int(OccurrenceFlag.TYPE_CHECKING))
MAIN = (MAYBE[0] | int(DefinitionFlag.MAIN_GUARD), MAYBE[1] | int(OccurrenceFlag.MAIN_GUARD))

TYPE_CHECKING = re.compile(rb"\(?(?:\w+\.)?TYPE_CHECKING(?:\s+is\s+True|\s*==\s*True)?\)?\Z")
MAIN_GUARD = re.compile(rb"""\(?(?:__name__\s*==\s*(["'])__main__\1|(["'])__main__\2\s*==\s*__name__)\)?\Z""")


def statements(builder: PyFactsBuilder, node: Node) -> None:
    """The statements of a block."""
    statements_in(builder, node.named_children, node.end_byte, None)


def statements_in(builder: PyFactsBuilder, row: Sequence[Node], block_end: int, sizes: list[list[int]] | None) -> None:
    """The same, of a block that ends at an offset. `sizes`: takes the sizes of the tables before each and at the
    end."""
    end, builder.block_end = builder.block_end, block_end
    rules, frame, shape = builder.rules, builder.frame, builder.shape
    before: tuple[int, Node] | None = None
    for statement in row:
        kind = statement.kind_id
        if sizes is not None:
            sizes.append(table_sizes(builder))
        if kind == nodes.COMMENT:
            continue
        shape.append(kind)
        frame.statements += 1
        if kind == nodes.STRING and before is not None:
            _document(builder, before[0], before[1], statement)
        before = (len(builder.definitions), statement) if kind == nodes.ASSIGNMENT else None
        rules[kind](builder, statement, 0, READ)
    if sizes is not None:
        sizes.append(table_sizes(builder))
    builder.block_end = end


def _document(builder: PyFactsBuilder, first: int, owner: Node, text: Node) -> None:
    """A string after an assignment documents what it binds."""
    full = (owner.start_byte, owner.end_byte)
    doc = paragraph(builder, text)
    for definition in builder.definitions[first:]:
        if doc and (definition[D_FULL_START], definition[D_FULL_END]) == full:
            definition[D_DOC] = builder.text(doc)


def arm(builder: PyFactsBuilder, block: Node, kind: int, group: int, flags: tuple[int, int] = MAYBE) -> None:
    """One block that belongs to a compound statement."""
    builder.region(kind, block, group)
    nested(builder, block, flags)


def nested(builder: PyFactsBuilder, block: Node, flags: tuple[int, int]) -> None:
    """A block one level deeper, under these flags."""
    frame = builder.frame
    bind_flags, use_flags = builder.bind_flags, builder.use_flags
    builder.bind_flags |= flags[0]
    builder.use_flags |= flags[1]
    frame.nesting += 1
    frame.deepest = max(frame.deepest, frame.nesting)
    statements(builder, block)
    frame.nesting -= 1
    builder.bind_flags, builder.use_flags = bind_flags, use_flags


def exits(block: Node) -> bool:
    """Whether control never leaves the block at its end."""
    parts = children(block)
    return bool(parts) and parts[-1].kind_id in nodes.EXITS


# ---------------------------------------------------------------- if


def if_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if` with its arms. What one condition denies holds in the arms after it."""
    group = node.start_byte
    parts = node.named_children
    arms = [node, *(part for part in parts if part.kind_id == nodes.ELIF)]
    if len(arms) > 2:
        chain(builder, node, arms)
    denied: list[Fact] = []
    lasting: list[Fact] = []
    yes: Sequence[Fact] = ()
    leaving, crowded = True, False
    for part in arms:
        leaves, yes, no = _if_arm(builder, parts if part is node else part.named_children, group, denied)
        leaving = leaving and leaves
        denied = [] if crowded else [*denied, *no]
        if len(denied) > MAX_TESTS:
            # Of very many tests none is looked at: all that follows needs to know no more than that, once.
            builder.narrow(denied, part.end_byte, node.end_byte)
            crowded, denied = True, []
        lasting += no if leaving else ()
    other = parts[-1]
    if other.kind_id == nodes.ELSE:
        other_leaves = _else_arm(builder, other, group, denied)
        lasting += yes if other_leaves and len(arms) == 1 else ()
    if lasting:
        builder.narrow(lasting, node.end_byte, builder.block_end)
    return -1


def _if_arm(
    builder: PyFactsBuilder, parts: Sequence[Node], group: int, denied: Sequence[Fact]
) -> tuple[bool, Sequence[Fact], Sequence[Fact]]:
    """Reads one condition and its block: whether it exits, and what the condition says."""
    builder.frame.branches += 1
    condition: Node | None = None
    leaves = False
    judged: Judgement = (-1, (), ())
    for part in parts:
        kind = part.kind_id
        if kind == nodes.BLOCK:
            builder.narrow((*denied, *judged[1]), part.start_byte, part.end_byte)
            arm(builder, part, BRANCH, group, _guard_flags(builder, condition))
            leaves = exits(part)
        elif kind in (nodes.ELIF, nodes.ELSE):
            break
        elif kind not in nodes.EXTRAS:
            if condition is None:
                condition, judged = part, judge(builder, part, 0)
            else:
                builder.read(part)
    return leaves, judged[1], judged[2]


def _guard_flags(builder: PyFactsBuilder, condition: Node | None) -> tuple[int, int]:
    if condition is None:
        return MAYBE
    start, end = condition.start_byte, condition.end_byte
    if end - start > 60:
        return MAYBE
    if TYPE_CHECKING.match(builder.data, start, end):
        return CHECKING
    return MAIN if MAIN_GUARD.match(builder.data, start, end) else MAYBE


def _else_arm(builder: PyFactsBuilder, node: Node, group: int, denied: Sequence[Fact]) -> bool:
    """Reads `else`; whether it always exits."""
    block = node.child_by_field_name("body")
    if block is None:
        generic(builder, node, 0, READ)
        return False
    builder.narrow(denied, block.start_byte, block.end_byte)
    arm(builder, block, BRANCH, group)
    return exits(block)


def assertion(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`assert test`: holds for the rest of the block."""
    for position, part in enumerate(children(node)):
        if position == 0:
            _, yes, _ = judge(builder, part, 0)
            builder.narrow(yes, node.end_byte, builder.block_end)
        else:
            builder.read(part)
    return -1


# ---------------------------------------------------------------- loops


def while_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`while`: its condition runs again too."""
    condition, block = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if condition is None or block is None:
        return generic(builder, node, 0, READ)
    builder.frame.branches += 1
    builder.regions.append((LOOP, condition.start_byte, block.end_byte, node.start_byte))
    _, yes, _ = judge(builder, condition, 0)
    builder.narrow(yes, block.start_byte, block.end_byte)
    nested(builder, block, MAYBE)
    _loop_else(builder, node)
    return -1


def for_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for`: the targets are elements of the iterable."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    block = node.child_by_field_name("body")
    if left is None or right is None or block is None:
        return generic(builder, node, 0, READ)
    builder.frame.branches += 1
    builder.full = (node.start_byte, right.end_byte)
    pending: list[Target] = []
    bind_target(builder, left, pending)
    row = builder.read(right, 1 if pending else 0)
    if row >= 0:
        waits = _is_async(builder, node)
        construct(builder, ASYNC_FOR if waits else FOR, (right.start_byte, right.end_byte), row)
        assign_values(builder, pending, builder.expression(ELEMENT, row, int(waits)))
    arm(builder, block, LOOP, node.start_byte)
    _loop_else(builder, node)
    return -1


def _loop_else(builder: PyFactsBuilder, node: Node) -> None:
    for part in node.named_children:
        if part.kind_id == nodes.ELSE:
            _else_arm(builder, part, node.start_byte, ())
        elif part.type == "ERROR":
            generic(builder, part, 0, READ)


def _is_async(builder: PyFactsBuilder, node: Node) -> bool:
    return builder.data[node.start_byte : node.start_byte + 5] == b"async"


# ---------------------------------------------------------------- try, with


def try_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`try` and its handlers; `finally` always runs."""
    group = node.start_byte
    for part in children(node):
        if part.kind_id == nodes.BLOCK:
            arm(builder, part, TRY, group)
        elif part.kind_id == nodes.EXCEPT:
            _handler(builder, part, group)
        elif part.kind_id == nodes.ELSE:
            _else_arm(builder, part, group, ())
        elif part.kind_id == nodes.FINALLY:
            for block in children(part):
                _always(builder, block, group)
        else:
            builder.read(part)
    return -1


def _always(builder: PyFactsBuilder, block: Node, group: int) -> None:
    if block.kind_id == nodes.BLOCK:
        arm(builder, block, WITH, group, (0, 0))
    else:
        builder.read(block)


def _handler(builder: PyFactsBuilder, node: Node, group: int) -> None:
    builder.frame.branches += 1
    builder.region(BRANCH, node, group)
    flags = builder.bind_flags
    builder.bind_flags |= CONDITIONAL
    for part in children(node):
        if part.kind_id == nodes.BLOCK:
            nested(builder, part, MAYBE)
            continue
        tested = builder.use_flags
        builder.use_flags |= TYPE_TEST
        if part.kind_id == nodes.AS_PATTERN:
            _bind_as(builder, part, EXCEPTION, 0, HANDLED)
        else:
            builder.read(part)
        builder.use_flags = tested
    builder.bind_flags = flags


def with_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`with`: the target is what entering gives."""
    waits = int(_is_async(builder, node))
    for part in children(node):
        if part.kind_id == nodes.WITH_CLAUSE:
            for item in children(part):
                _with_item(builder, item, waits)
        elif part.kind_id == nodes.BLOCK:
            arm(builder, part, WITH, node.start_byte, (0, 0))
        else:
            builder.read(part)
    return -1


def _with_item(builder: PyFactsBuilder, node: Node, waits: int, depth: int = 0) -> None:
    wraps = node.kind_id in (nodes.WITH_ITEM, nodes.PARENTHESIZED, nodes.TUPLE) and depth < 5
    if node.kind_id == nodes.AS_PATTERN:
        _bind_as(builder, node, ENTER, waits, 0)
    elif wraps:
        for part in children(node):
            _with_item(builder, part, waits, depth + 1)
    else:
        row = builder.read(node, 1)
        construct(builder, ASYNC_WITH if waits else CONTEXT, (node.start_byte, node.end_byte), row)


def _bind_as(builder: PyFactsBuilder, node: Node, kind: int, b: int, flags: int) -> None:
    """`value as target`."""
    parts = children(node)
    if len(parts) != 2:
        generic(builder, node, 0, READ)
        return
    row = builder.read(parts[0], 1)
    if kind == ENTER:
        construct(builder, ASYNC_WITH if b else CONTEXT, (parts[0].start_byte, parts[0].end_byte), row)
    builder.full = (node.start_byte, node.end_byte)
    own, builder.bind_flags = builder.bind_flags, builder.bind_flags | flags
    pending: list[Target] = []
    bind_target(builder, parts[1], pending)
    builder.bind_flags = own
    if row >= 0 and pending:
        assign_values(builder, pending, builder.expression(kind, row, b if kind == ENTER else -1))


def as_pattern(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value as target` where the grammar recovered it from broken code."""
    _bind_as(builder, node, ENTER, 0, 0)
    return -1


def raise_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`raise A`, `raise A(1) from error`."""
    for place, part in enumerate(children(node)):
        named = place == 0 and part.kind_id in (nodes.IDENTIFIER, nodes.ATTRIBUTE)
        row = builder.read(part, 1 if named else 0)
        if named:
            construct(builder, RAISED, (part.start_byte, part.end_byte), row)
    return -1


def block(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """A block whose statement is not known."""
    statements(builder, node)
    return -1


RULES: Mapping[str, Rule] = {
    "block": guarded(block),
    "if_statement": guarded(if_statement),
    "assert_statement": guarded(assertion),
    "while_statement": guarded(while_statement),
    "for_statement": guarded(for_statement),
    "try_statement": guarded(try_statement),
    "with_statement": guarded(with_statement),
    "as_pattern": guarded(as_pattern),
    "raise_statement": guarded(raise_statement),
}
