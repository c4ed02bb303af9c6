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
from graphls.languages.c.syntax.facts_builder import CFactsBuilder
from graphls.languages.c.syntax.mending import blanked_directives, blanked_words, mended, queue_types
from graphls.languages.c.syntax.types import TAGS
from graphls.languages.c.syntax.written_members import read_listed
from graphls.languages.declared.facts_builder import READ, TYPED, Rule, rule_table
from graphls.languages.declared.statement_runs import finish, patch_run, run_kinds
from graphls.languages.extract.grammars import parse, parser
from graphls.languages.extract.recovery import Stretch
from graphls.languages.incremental.fragments import FragmentCache

NAMES: Final = frozenset({"identifier", "field_identifier", "type_identifier"})
_LEADING: Final = frozenset({"comment"})
_EXCLUDED: Final = frozenset[str]()


def extract(data: bytes, tree: Tree, cache: FragmentCache | None = None, *, fresh: bool = True) -> FileFacts:
    """Facts of one file. `cache`: what its statements said before, brought up to date. `fresh`: a tree with errors was
    made from scratch."""
    text, understood = mended(data, tree, fresh=fresh)
    root = understood.root_node
    cache = cache if understood is tree else None
    if cache is not None:
        found = patch_run(data, root, cache, run_kinds("c", _LEADING, _EXCLUDED))
        if found is not None:
            return found
    builder = CFactsBuilder(data, _rules())
    if cache is not None:
        builder.note_statements()
    builder.read_row(root, root.named_children, preprocessor.statement)
    apart = blanked_directives(data, text)
    if apart:
        preprocessor.read_apart(builder, parse(parser("c"), apart).root_node)
    for start, end in blanked_words(data, text):
        builder.use(start, end, READ)
    for start, end in queue_types(data, text):
        builder.use(start, end, TYPED, builder.builtin(TAGS))
    read_listed(builder)
    if builder.is_written_by_macros and cache is not None:
        cache.end_reading(None)
        cache = None
    return finish(builder, root, "", cache)


def extract_edited(data: bytes, tree: Tree, cache: FragmentCache, deciding: Sequence[Stretch]) -> FileFacts:
    """The same of a tree that was made from an earlier one."""
    return extract(data, tree, cache, fresh=False)


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES, **preprocessor.RULES}
    return rule_table("c", named, NAMES)
