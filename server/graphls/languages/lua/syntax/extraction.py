"""Extraction: the facts of one file of Lua from its tree.

Owns: which rule reads which node, the documentation of the file.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tree_sitter import Node, Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.declared.facts_builder import Rule, rule_table
from graphls.languages.lua.syntax import calls, expressions, functions, statements, tables
from graphls.languages.lua.syntax.comments import doc_of
from graphls.languages.lua.syntax.facts_builder import LuaFactsBuilder


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = LuaFactsBuilder(data, _rules())
    root = tree.root_node
    statements.read_block(builder, root)
    builder.settle_values()
    return builder.facts(root, _documentation(data, root))


def _documentation(data: bytes, root: Node) -> str:
    """The first paragraph of the comment at the top, where more than one line is between it and code."""
    spans: list[tuple[int, int]] = []
    end = -1
    for node in root.children:
        if node.type == "hash_bang_line":
            continue
        if node.type != "comment":
            return "" if node.start_point[0] <= end + 1 else doc_of(data, spans).text
        if spans and node.start_point[0] > end + 1:
            return doc_of(data, spans).text
        spans.append((node.start_byte, node.end_byte))
        end = node.end_point[0]
    return doc_of(data, spans).text if spans else ""


@cache
def _rules() -> Sequence[Rule]:
    named = {**expressions.RULES, **tables.RULES, **functions.RULES, **calls.RULES, **statements.RULES}
    return rule_table("lua", named, frozenset({"identifier"}))
