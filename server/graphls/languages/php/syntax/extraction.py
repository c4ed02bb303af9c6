"""Extraction: the facts of one PHP file from its tree.

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
from graphls.languages.declared.statement_runs import RunKinds, finish, patch_run, run_kinds
from graphls.languages.extract.ancestry import Ancestry
from graphls.languages.extract.grammars import language
from graphls.languages.incremental.fragments import FragmentCache
from graphls.languages.php.syntax import declarations, expressions, statements, types
from graphls.languages.php.syntax.facts_builder import PhpFactsBuilder

_LEADING: Final = frozenset({"comment"})
_ALONE: Final = frozenset({
    "class_declaration", "interface_declaration", "trait_declaration", "enum_declaration", "function_definition",
    "namespace_use_declaration", "method_declaration", "property_declaration", "const_declaration", "enum_case",
})  # fmt: skip


def extract(data: bytes, tree: Tree, cache: FragmentCache | None = None) -> FileFacts:
    """Facts of one file. `cache`: what its statements said before, brought up to date."""
    root = tree.root_node
    if cache is not None:
        found = patch_run(data, root, cache, _kinds())
        if found is not None:
            return found
    builder = PhpFactsBuilder(data, _rules())
    builder.ancestry = Ancestry(root)
    if cache is not None:
        builder.note_statements()
    builder.read_row(root, root.named_children, statements.read_statement)
    return finish(builder, root, "", cache)


@cache
def _kinds() -> RunKinds:
    """What is no declaration has a part in what variables hold behind it."""
    grammar = language("php")
    names = {grammar.node_kind_for_id(number) or "" for number in range(grammar.node_kind_count)}
    return run_kinds("php", _LEADING, frozenset(names - _ALONE - _LEADING | {"ERROR"}))


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("php", named, frozenset({"name"}))
