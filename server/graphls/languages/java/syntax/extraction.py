"""Extraction: the facts of one Java file from its tree.

Owns: which rule reads which node, the documentation of the file.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from tree_sitter import Node, Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.declared.doc_blocks import comment_block_above
from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule, rule_table
from graphls.languages.java.syntax import declarations, expressions, statements, types

NAMES: Final = frozenset({"identifier", "type_identifier"})


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = DeclaredFactsBuilder(data, _rules())
    root = tree.root_node
    doc = ""
    for part in root.named_children:
        builder.full = (part.start_byte, part.end_byte)
        if part.type in ("package_declaration", "module_declaration"):
            doc = comment_block_above(data, part.start_byte)
        if part.type == "module_declaration":
            _module(builder, part)
        else:
            builder.read(part)
    return builder.facts(root, doc)


def _module(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`module a.b { ... }`: names of packages in it are no uses."""
    for part in node.named_children:
        if part.type == "module_body":
            builder.read_all(part)


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("java", named, NAMES)
