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
from graphls.languages.declared.statement_runs import finish, patch_run, run_kinds
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.java.syntax import declarations, expressions, statements, types

NAMES: Final = frozenset({"identifier", "type_identifier"})
_LEADING: Final = frozenset({"line_comment", "block_comment"})
_HEADS: Final = frozenset({"package_declaration", "module_declaration"})


def extract(data: bytes, tree: Tree, cache: FragmentCache | None = None) -> FileFacts:
    """Facts of one file. `cache`: what its statements said before, brought up to date."""
    root = tree.root_node
    if cache is not None:
        found = patch_run(data, root, cache, run_kinds("java", _LEADING, _HEADS))
        if found is not None:
            return found
    builder = DeclaredFactsBuilder(data, _rules())
    if cache is not None:
        builder.note_statements()
    parts = root.named_children
    builder.read_row(root, parts, _statement)
    heads = [part for part in parts if part.type in _HEADS]
    return finish(builder, root, comment_block_above(data, heads[-1].start_byte) if heads else "", cache)


def _statement(builder: DeclaredFactsBuilder, node: Node) -> None:
    builder.full = (node.start_byte, node.end_byte)
    if node.type == "module_declaration":
        _module(builder, node)
    else:
        builder.read(node)


def _module(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`module a.b { ... }`: names of packages in it are no uses."""
    for part in node.named_children:
        if part.type == "module_body":
            builder.read_all(part)


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("java", named, NAMES)
