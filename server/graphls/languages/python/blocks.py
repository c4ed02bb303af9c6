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
from graphls.languages.draft import D_DOC, D_FULL_END, D_FULL_START
from graphls.languages.python import nodes
from graphls.languages.python.conditions import Judgement, judge
from graphls.languages.python.dispatches import chain
from graphls.languages.python.draft import (
    BRANCH,
    CONDITIONAL,
    READ,
    Draft,
    Fact,
    Rule,
)
from graphls.languages.python.nesting import children, generic, guarded
from graphls.languages.python.strings import paragraph
from graphls.languages.python.targets import Target, bind_target, settle

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

TYPE_CHECKING = re.compile(rb"\(?(?:\w+\.)?TYPE_CHECKING\)?\Z")
MAIN_GUARD = re.compile(rb"""\(?(?:__name__\s*==\s*(["'])__main__\1|(["'])__main__\2\s*==\s*__name__)\)?\Z""")


def statements(draft: Draft, node: Node) -> None:
    """The statements of a block or module."""
    end, draft.block_end = draft.block_end, node.end_byte
    rules, frame, shape = draft.rules, draft.frame, draft.shape
    before: tuple[int, Node] | None = None
    for statement in node.named_children:
        kind = statement.kind_id
        if kind == nodes.COMMENT:
            continue
        shape.append(kind)
        frame.statements += 1
        if kind == nodes.STRING and before is not None:
            _document(draft, before[0], before[1], statement)
        before = (len(draft.definitions), statement) if kind == nodes.ASSIGNMENT else None
        rules[kind](draft, statement, 0, READ)
    draft.block_end = end


def _document(draft: Draft, first: int, owner: Node, text: Node) -> None:
    """A string after an assignment documents what it binds."""
    full = (owner.start_byte, owner.end_byte)
    doc = paragraph(draft, text)
    for definition in draft.definitions[first:]:
        if doc and (definition[D_FULL_START], definition[D_FULL_END]) == full:
            definition[D_DOC] = draft.text(doc)


def arm(draft: Draft, block: Node, kind: int, group: int, flags: tuple[int, int] = MAYBE) -> None:
    """One block that belongs to a compound statement."""
    draft.region(kind, block, group)
    nested(draft, block, flags)


def nested(draft: Draft, block: Node, flags: tuple[int, int]) -> None:
    """A block one level deeper, under these flags."""
    frame = draft.frame
    bind_flags, use_flags = draft.bind_flags, draft.use_flags
    draft.bind_flags |= flags[0]
    draft.use_flags |= flags[1]
    frame.nesting += 1
    frame.deepest = max(frame.deepest, frame.nesting)
    statements(draft, block)
    frame.nesting -= 1
    draft.bind_flags, draft.use_flags = bind_flags, use_flags


def exits(block: Node) -> bool:
    """Whether control never leaves the block at its end."""
    parts = children(block)
    return bool(parts) and parts[-1].kind_id in nodes.EXITS


# ---------------------------------------------------------------- if


def if_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`if` with its arms. What one condition denies holds in the arms after it."""
    group = node.start_byte
    parts = node.named_children
    arms = [node, *(part for part in parts if part.kind_id == nodes.ELIF)]
    if len(arms) > 2:
        chain(draft, node, arms)
    denied: list[Fact] = []
    lasting: list[Fact] = []
    yes: Sequence[Fact] = ()
    leaving = True
    for part in arms:
        leaves, yes, no = _if_arm(draft, parts if part is node else part.named_children, group, denied)
        leaving = leaving and leaves
        denied += no
        lasting += no if leaving else ()
    other = parts[-1]
    if other.kind_id == nodes.ELSE:
        other_leaves = _else_arm(draft, other, group, denied)
        lasting += yes if other_leaves and len(arms) == 1 else ()
    if lasting:
        draft.narrow(lasting, node.end_byte, draft.block_end)
    return -1


def _if_arm(
    draft: Draft, parts: Sequence[Node], group: int, denied: Sequence[Fact]
) -> tuple[bool, Sequence[Fact], Sequence[Fact]]:
    """Reads one condition and its block: whether it exits, and what the condition says."""
    draft.frame.branches += 1
    condition: Node | None = None
    leaves = False
    judged: Judgement = (-1, (), ())
    for part in parts:
        kind = part.kind_id
        if kind == nodes.BLOCK:
            draft.narrow((*denied, *judged[1]), part.start_byte, part.end_byte)
            arm(draft, part, BRANCH, group, _guard_flags(draft, condition))
            leaves = exits(part)
        elif kind in (nodes.ELIF, nodes.ELSE):
            break
        elif kind not in nodes.EXTRAS:
            if condition is None:
                condition, judged = part, judge(draft, part, 0)
            else:
                draft.read(part)
    return leaves, judged[1], judged[2]


def _guard_flags(draft: Draft, condition: Node | None) -> tuple[int, int]:
    if condition is None:
        return MAYBE
    start, end = condition.start_byte, condition.end_byte
    if end - start > 60:
        return MAYBE
    if TYPE_CHECKING.match(draft.data, start, end):
        return CHECKING
    return MAIN if MAIN_GUARD.match(draft.data, start, end) else MAYBE


def _else_arm(draft: Draft, node: Node, group: int, denied: Sequence[Fact]) -> bool:
    """Reads `else`; whether it always exits."""
    block = node.child_by_field_name("body")
    if block is None:
        generic(draft, node, 0, READ)
        return False
    draft.narrow(denied, block.start_byte, block.end_byte)
    arm(draft, block, BRANCH, group)
    return exits(block)


def assertion(draft: Draft, node: Node, want: int, role: int) -> int:
    """`assert test`: holds for the rest of the block."""
    for position, part in enumerate(children(node)):
        if position == 0:
            _, yes, _ = judge(draft, part, 0)
            draft.narrow(yes, node.end_byte, draft.block_end)
        else:
            draft.read(part)
    return -1


# ---------------------------------------------------------------- loops


def while_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`while`: its condition runs again too."""
    condition, block = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if condition is None or block is None:
        return generic(draft, node, 0, READ)
    draft.frame.branches += 1
    draft.regions.append((LOOP, condition.start_byte, block.end_byte, node.start_byte))
    _, yes, _ = judge(draft, condition, 0)
    draft.narrow(yes, block.start_byte, block.end_byte)
    nested(draft, block, MAYBE)
    _loop_else(draft, node)
    return -1


def for_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`for`: the targets are elements of the iterable."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    block = node.child_by_field_name("body")
    if left is None or right is None or block is None:
        return generic(draft, node, 0, READ)
    draft.frame.branches += 1
    draft.full = (node.start_byte, right.end_byte)
    pending: list[Target] = []
    bind_target(draft, left, pending)
    row = draft.read(right, 1 if pending else 0)
    if row >= 0:
        settle(draft, pending, draft.expression(ELEMENT, row, int(_is_async(draft, node))))
    arm(draft, block, LOOP, node.start_byte)
    _loop_else(draft, node)
    return -1


def _loop_else(draft: Draft, node: Node) -> None:
    for part in node.named_children:
        if part.kind_id == nodes.ELSE:
            _else_arm(draft, part, node.start_byte, ())
        elif part.type == "ERROR":
            generic(draft, part, 0, READ)


def _is_async(draft: Draft, node: Node) -> bool:
    return draft.data[node.start_byte : node.start_byte + 5] == b"async"


# ---------------------------------------------------------------- try, with


def try_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`try` and its handlers; `finally` always runs."""
    group = node.start_byte
    for part in children(node):
        if part.kind_id == nodes.BLOCK:
            arm(draft, part, TRY, group)
        elif part.kind_id == nodes.EXCEPT:
            _handler(draft, part, group)
        elif part.kind_id == nodes.ELSE:
            _else_arm(draft, part, group, ())
        elif part.kind_id == nodes.FINALLY:
            for block in children(part):
                _always(draft, block, group)
        else:
            draft.read(part)
    return -1


def _always(draft: Draft, block: Node, group: int) -> None:
    if block.kind_id == nodes.BLOCK:
        arm(draft, block, WITH, group, (0, 0))
    else:
        draft.read(block)


def _handler(draft: Draft, node: Node, group: int) -> None:
    draft.frame.branches += 1
    draft.region(BRANCH, node, group)
    flags = draft.bind_flags
    draft.bind_flags |= CONDITIONAL
    for part in children(node):
        if part.kind_id == nodes.BLOCK:
            nested(draft, part, MAYBE)
        elif part.kind_id == nodes.AS_PATTERN:
            _bind_as(draft, part, EXCEPTION, 0, HANDLED)
        else:
            draft.read(part)
    draft.bind_flags = flags


def with_statement(draft: Draft, node: Node, want: int, role: int) -> int:
    """`with`: the target is what entering gives."""
    waits = int(_is_async(draft, node))
    for part in children(node):
        if part.kind_id == nodes.WITH_CLAUSE:
            for item in children(part):
                _with_item(draft, item, waits)
        elif part.kind_id == nodes.BLOCK:
            arm(draft, part, WITH, node.start_byte, (0, 0))
        else:
            draft.read(part)
    return -1


def _with_item(draft: Draft, node: Node, waits: int, depth: int = 0) -> None:
    wraps = node.kind_id in (nodes.WITH_ITEM, nodes.PARENTHESIZED, nodes.TUPLE) and depth < 5
    if node.kind_id == nodes.AS_PATTERN:
        _bind_as(draft, node, ENTER, waits, 0)
    elif wraps:
        for part in children(node):
            _with_item(draft, part, waits, depth + 1)
    else:
        draft.read(node)


def _bind_as(draft: Draft, node: Node, kind: int, b: int, flags: int) -> None:
    """`value as target`."""
    parts = children(node)
    if len(parts) != 2:
        generic(draft, node, 0, READ)
        return
    row = draft.read(parts[0], 1)
    draft.full = (node.start_byte, node.end_byte)
    own, draft.bind_flags = draft.bind_flags, draft.bind_flags | flags
    pending: list[Target] = []
    bind_target(draft, parts[1], pending)
    draft.bind_flags = own
    if row >= 0 and pending:
        settle(draft, pending, draft.expression(kind, row, b if kind == ENTER else -1))


def as_pattern(draft: Draft, node: Node, want: int, role: int) -> int:
    """`value as target` where the grammar recovered it from broken code."""
    _bind_as(draft, node, ENTER, 0, 0)
    return -1


def block(draft: Draft, node: Node, want: int, role: int) -> int:
    """A block whose statement is not known."""
    statements(draft, node)
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
}
