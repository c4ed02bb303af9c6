"""Statements: rules that blocks, branches and loops of several languages share.

Owns: scopes of blocks, what is counted of branches and loops, the order of statements.
Must not know: any particular language, names of nodes.
Invariant: the rule inside decides what is read; these add a scope, a region or a count around it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import RegionKind
from graphls.languages.declared.facts_builder import BLOCK_SCOPE, READ, DeclaredFactsBuilder, Rule

BRANCH: Final = int(RegionKind.BRANCH)
LOOP: Final = int(RegionKind.LOOP)


def read_statements(builder: DeclaredFactsBuilder, node: Node) -> None:
    """Statements, one after the other."""
    frame, shape, rules = builder.frame, builder.shape, builder.rules
    for part in node.named_children:
        kind: int = part.kind_id
        frame.statements += 1
        shape.append(kind)
        builder.full = (part.start_byte, part.end_byte)
        rules[kind](builder, part, 0, READ)


def read_parts(builder: DeclaredFactsBuilder, node: Node) -> None:
    """Parts of a statement, which are not counted."""
    builder.read_all(node)


def scoped(read: Callable[[DeclaredFactsBuilder, Node], None]) -> Rule:
    """The rule of a node with a scope of its own."""

    def rule(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        outer = builder.scope
        builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
        read(builder, node)
        builder.scope = outer
        return -1

    return rule


def branching(inner: Rule, region: int = BRANCH) -> Rule:
    """The rule of what may not run; of what runs again with LOOP as its region."""

    def rule(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        builder.enter_branch()
        builder.region(region, node, node.start_byte)
        inner(builder, node, want, role)
        builder.leave_branch()
        return -1

    return rule


block: Final[Rule] = scoped(read_statements)
"""A block has a scope."""
branch: Final[Rule] = branching(block)
"""`catch`, `finally`: what may not run, in a scope of its own."""
loop: Final[Rule] = branching(block, LOOP)
"""`for`, `while`, `do` around statements."""
