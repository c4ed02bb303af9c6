"""Extraction: the facts of one C file from its tree.

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
from graphls.languages.c.syntax import declarations, expressions, preprocessor, statements, types
from graphls.languages.c.syntax.mending import blanked_words, mended
from graphls.languages.declared.facts_builder import READ, DeclaredFactsBuilder, Rule, rule_table

NAMES: Final = frozenset({"identifier", "field_identifier", "type_identifier"})


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = DeclaredFactsBuilder(data, _rules())
    text, understood = mended(data, tree)
    root = understood.root_node
    builder.read_all(root)
    for start, end in blanked_words(data, text):
        builder.use(start, end, READ)
    return builder.facts(root, "")


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES, **preprocessor.RULES}
    return rule_table("c", named, NAMES)
