"""Extraction: the facts of one Swift file from its tree.

Owns: which rule reads which node.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from tree_sitter import Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.declared.facts_builder import Rule, rule_table
from graphls.languages.swift.syntax import closures, declarations, expressions, literals, statements, types
from graphls.languages.swift.syntax.facts_builder import SwiftFactsBuilder
from graphls.languages.swift.syntax.mending import readable_tree

NAMES: Final = frozenset({"simple_identifier", "type_identifier"})


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = SwiftFactsBuilder(data, _rules())
    root = readable_tree(data, tree).root_node
    for part in root.named_children:
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part)
    builder.settle()
    return builder.facts(root, "")


@cache
def _rules() -> Sequence[Rule]:
    named = {
        **types.RULES,
        **literals.RULES,
        **closures.RULES,
        **expressions.RULES,
        **statements.RULES,
        **declarations.RULES,
    }
    return rule_table("swift", named, NAMES)
