"""Extraction: the facts of one file of Ruby from its tree.

Owns: which rule reads which node, the documentation of the file.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tree_sitter import Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.declared.facts_builder import Rule, rule_table
from graphls.languages.ruby.syntax import calls, declarations, expressions, statements
from graphls.languages.ruby.syntax.facts_builder import RubyFactsBuilder


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = RubyFactsBuilder(data, _rules())
    statements.read_body_parts(builder, tree.root_node, 0)
    builder.settle_values()
    return builder.facts(tree.root_node, "")


@cache
def _rules() -> Sequence[Rule]:
    named = {**expressions.RULES, **calls.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("ruby", named, frozenset({"identifier", "constant", "instance_variable"}))
