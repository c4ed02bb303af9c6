"""Statements: what the bodies of C functions bind and use.

Owns: the rules of blocks, branches and loops.
Must not know: declarations, other files.
Invariant: a local name is visible behind its declarator, in its block.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule, generic
from graphls.languages.declared.statements import LOOP, block, branching, read_parts, read_statements, scoped


def body(builder: DeclaredFactsBuilder, node: Node) -> None:
    """The block of a function, in the scope of its parameters."""
    read_statements(builder, node)


branch: Final[Rule] = branching(generic)
"""`if`, `switch`, `case`: what may not run."""
loop: Final[Rule] = branching(scoped(read_parts), LOOP)


RULES: dict[str, Rule] = {
    "compound_statement": block,
    "if_statement": branch,
    "switch_statement": branch,
    "case_statement": branch,
    "for_statement": loop,
    "while_statement": loop,
    "do_statement": loop,
}
