"""Extraction: the facts of one PHP file from its tree.

Owns: which rule reads which node.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tree_sitter import Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.declared.facts_builder import Rule, rule_table
from graphls.languages.php.syntax import declarations, expressions, statements, types
from graphls.languages.php.syntax.facts_builder import PhpFactsBuilder


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = PhpFactsBuilder(data, _rules())
    statements.read_statements(builder, tree.root_node)
    return builder.facts(tree.root_node, "")


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("php", named, frozenset({"name"}))
