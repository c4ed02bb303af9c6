"""Extraction: the facts of one C# file from its tree.

Owns: which rule reads which node; the tree of a file that its directives keep from being parsed.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from tree_sitter import Node, Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.csharp.syntax import composites, declarations, expressions, statements, types
from graphls.languages.csharp.syntax.facts_builder import CSharpFactsBuilder, csharp
from graphls.languages.csharp.syntax.mending import readable
from graphls.languages.declared.facts_builder import BLOCK_SCOPE, DeclaredFactsBuilder, Rule, rule_table
from graphls.languages.declared.statement_runs import finish, patch_run, run_kinds
from graphls.languages.extract.recovery import Stretch
from graphls.languages.extract.syntax_errors import mended_tree
from graphls.languages.incremental.fragments import FragmentCache

NAMES: Final = frozenset({"identifier"})
_LEADING: Final = frozenset({"comment"})
_EXCLUDED: Final = frozenset({"global_statement", "file_scoped_namespace_declaration"})
_DIRECTIVE: Final = re.compile(rb"[ \t]*#[ \t]*(if|elif|else|endif)\b")
_DIRECTIVE_LINE: Final = re.compile(rb"^[ \t]*#", re.MULTILINE)


def extract(data: bytes, tree: Tree, cache: FragmentCache | None = None) -> FileFacts:
    """Facts of one file. `cache`: what its statements said before, brought up to date."""
    return _extract(data, tree, _understood(data, tree), cache)


def extract_edited(data: bytes, tree: Tree, cache: FragmentCache, deciding: Sequence[Stretch]) -> FileFacts:
    """The same, where these stretches decide how what is broken is parsed: without a directive in them no choice of
    branches mends it, and without newer words in the file no other text does."""
    if not tree.root_node.has_error:
        return _extract(data, tree, tree, cache)
    found = any(_DIRECTIVE_LINE.search(data, start, end) for start, end in deciding) or readable(data) != data
    return _extract(data, tree, _understood(data, tree) if found else tree, cache)


def _understood(data: bytes, tree: Tree) -> Tree:
    """The tree of the text, or of the first branches alone, without newer words, where that is less broken."""
    return mended_tree(data, tree, lambda text: readable(one_branch(text) if b"#" in text else text), "csharp")


def _extract(data: bytes, tree: Tree, understood: Tree, cache: FragmentCache | None) -> FileFacts:
    root = understood.root_node
    cache = cache if understood is tree else None
    if cache is not None:
        found = patch_run(data, root, cache, run_kinds("csharp", _LEADING, _EXCLUDED))
        if found is not None:
            return found
    builder = CSharpFactsBuilder(data, _rules())
    if cache is not None:
        builder.note_statements()
    builder.read_row(root, root.named_children, _statement)
    return finish(builder, root, "", cache)


def _statement(builder: DeclaredFactsBuilder, node: Node) -> None:
    builder.full = (node.start_byte, node.end_byte)
    if node.type != "global_statement":
        builder.read(node)
        return
    own, outer = csharp(builder), builder.scope
    if own.program < 0:  # the body of a program has no braces around it
        own.program = builder.open_scope(BLOCK_SCOPE, node.start_byte, len(builder.data))
    builder.scope = own.program
    builder.read_all(node)
    builder.scope = outer


def one_branch(data: bytes) -> bytes:
    """A text of the same length with the first branch of each `#if` alone: these may stand inside of expressions."""
    lines: list[bytes] = []
    hidden: list[bool] = []
    for line in data.split(b"\n"):
        found = _DIRECTIVE.match(line)
        if found is not None:
            word = found[1]
            if word == b"if":
                hidden.append(False)
            elif word == b"endif":
                hidden[-1:] = []
            elif hidden:
                hidden[-1] = True
        lines.append(b" " * len(line) if found is not None or any(hidden) else line)
    return b"\n".join(lines)


@cache
def _rules() -> Sequence[Rule]:
    named = {**types.RULES, **expressions.RULES, **composites.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("csharp", named, NAMES)
