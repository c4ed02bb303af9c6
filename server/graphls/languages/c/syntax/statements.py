"""Statements: what the bodies of C functions bind and use.

Owns: the rules of blocks, branches and loops.
Must not know: declarations, other files.
Invariant: a local name is visible behind its declarator, in its block.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import RegionKind
from graphls.languages.declared.facts_builder import BLOCK_SCOPE, READ, DeclaredFactsBuilder, Rule

BRANCH: Final = int(RegionKind.BRANCH)
LOOP: Final = int(RegionKind.LOOP)


def body(builder: DeclaredFactsBuilder, node: Node) -> None:
    """The block of a function, in the scope of its parameters."""
    _statements(builder, node)


def _statements(builder: DeclaredFactsBuilder, node: Node) -> None:
    frame, shape, rules = builder.frame, builder.shape, builder.rules
    for part in node.named_children:
        kind: int = part.kind_id
        frame.statements += 1
        shape.append(kind)
        rules[kind](builder, part, 0, READ)


def block(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A block has a scope."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    _statements(builder, node)
    builder.scope = outer
    return -1


def branch(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if`, `switch`, `case`: what may not run."""
    builder.enter_branch()
    builder.region(BRANCH, node, node.start_byte)
    builder.read_all(node)
    builder.leave_branch()
    return -1


def loop(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for`, `while`, `do`."""
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    builder.read_all(node)
    builder.scope = outer
    builder.leave_branch()
    return -1


RULES: dict[str, Rule] = {
    "compound_statement": block,
    "if_statement": branch,
    "switch_statement": branch,
    "case_statement": branch,
    "for_statement": loop,
    "while_statement": loop,
    "do_statement": loop,
}
