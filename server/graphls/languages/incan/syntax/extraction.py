"""Extraction: the facts of one Incan file from its tree.

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
from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule, rule_table
from graphls.languages.incan.syntax import declarations, expressions, statements, types

NAMES: Final = frozenset({"identifier"})


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = DeclaredFactsBuilder(data, _rules())
    root = tree.root_node
    for part in root.named_children:
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part)
    return builder.facts(root, _documentation(builder, root))


def _documentation(builder: DeclaredFactsBuilder, root: Node) -> str:
    """That of the string at the top."""
    for part in root.named_children:
        if part.type == "docstring":
            return declarations.docstring(builder, part)
        if part.type != "comment":
            break
    return ""


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("incan", named, NAMES)
