"""Extraction: the facts of one Kotlin file from its tree.

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
from graphls.languages.kotlin.syntax import declarations, expressions, statements, types
from graphls.languages.kotlin.syntax.facts_builder import KotlinFactsBuilder, annotation
from graphls.languages.kotlin.syntax.mending import readable_tree

NAMES: Final = frozenset({"simple_identifier", "type_identifier"})


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = KotlinFactsBuilder(data, _rules())
    root = readable_tree(data, tree).root_node
    doc = ""
    for part in root.named_children:
        builder.full = (part.start_byte, part.end_byte)
        if part.type == "package_header":
            doc = comment_block_above(data, part.start_byte)
        builder.read(part)
    return builder.facts(root, doc)


def _annotation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """An annotation of a file, or in front of a statement."""
    annotation(builder, node, -1)
    return -1


@cache
def _rules() -> Sequence[Rule]:
    own: dict[str, Rule] = {"annotation": _annotation, "file_annotation": _annotation}
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES, **own}
    return rule_table("kotlin", named, NAMES)
