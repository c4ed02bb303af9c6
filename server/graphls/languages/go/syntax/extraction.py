"""Extraction: the facts of one Go file from its tree.

Owns: which rule reads which node, the documentation of the file.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from tree_sitter import Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule, comments_above, rule_table
from graphls.languages.go.syntax import declarations, expressions, statements, types

NAMES: Final = frozenset({"identifier", "field_identifier", "type_identifier", "package_identifier"})


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = DeclaredFactsBuilder(data, _rules())
    root = tree.root_node
    doc = ""
    for part in root.named_children:
        builder.full = (part.start_byte, part.end_byte)
        if part.type == "package_clause":
            doc = comments_above(data, part.start_byte, b"//")
        builder.read(part)
    return builder.facts(root, doc)


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("go", named, NAMES)
