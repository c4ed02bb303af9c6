"""Extraction: the facts of one Go file from its tree.

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
from graphls.languages.declared.facts_builder import DeclaredFactsBuilder, Rule, comments_above, rule_table
from graphls.languages.declared.statement_runs import finish, patch_run, run_kinds
from graphls.languages.extract.ancestry import Ancestry
from graphls.languages.go.syntax import declarations, expressions, statements, types
from graphls.languages.go.syntax.mending import readable_tree
from graphls.languages.incremental.fragments import FragmentCache

NAMES: Final = frozenset({"identifier", "field_identifier", "type_identifier", "package_identifier"})
_LEADING: Final = frozenset({"comment"})
_EXCLUDED: Final = frozenset({"package_clause"})


def extract(data: bytes, tree: Tree, cache: FragmentCache | None = None) -> FileFacts:
    """Facts of one file. `cache`: what its statements said before, brought up to date."""
    understood = readable_tree(data, tree)
    root, cache = understood.root_node, cache if understood is tree else None
    if cache is not None:
        found = patch_run(data, root, cache, run_kinds("go", _LEADING, _EXCLUDED))
        if found is not None:
            return found
    builder = DeclaredFactsBuilder(data, _rules())
    builder.ancestry = Ancestry(root)
    if cache is not None:
        builder.note_statements()
    parts = root.named_children
    builder.read_row(root, parts, _statement)
    clauses = [part for part in parts if part.type == "package_clause"]
    doc = comments_above(data, clauses[-1].start_byte, b"//") if clauses else ""
    return finish(builder, root, doc, cache)


def _statement(builder: DeclaredFactsBuilder, node: Node) -> None:
    builder.full = (node.start_byte, node.end_byte)
    builder.read(node)


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("go", named, NAMES)
