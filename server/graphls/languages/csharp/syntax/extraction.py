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

from tree_sitter import Tree

from graphls.facts.file_facts import FileFacts
from graphls.languages.csharp.syntax import declarations, expressions, statements, types
from graphls.languages.csharp.syntax.facts_builder import CSharpFactsBuilder
from graphls.languages.declared.facts_builder import BLOCK_SCOPE, Rule, rule_table
from graphls.languages.extract.grammars import parser

NAMES: Final = frozenset({"identifier"})
_DIRECTIVE: Final = re.compile(rb"[ \t]*#[ \t]*(if|elif|else|endif)\b")


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = CSharpFactsBuilder(data, _rules())
    understood = tree
    if tree.root_node.has_error and b"#" in data:
        other = parser("csharp").parse(one_branch(data))
        understood = other if broken_bytes(other) < broken_bytes(tree) else tree
    root = understood.root_node
    program = -1
    for part in root.named_children:
        builder.full = (part.start_byte, part.end_byte)
        outer = builder.scope
        if part.type == "global_statement":  # the body of a program has no braces around it
            if program < 0:
                program = builder.open_scope(BLOCK_SCOPE, part.start_byte, len(data))
            builder.scope = program
            builder.read_all(part)
            builder.scope = outer
        else:
            builder.read(part)
    return builder.facts(root, "")


def broken_bytes(tree: Tree) -> int:
    """How many bytes of a tree make no sense; what is missing counts as one."""
    found, pending = 0, [tree.root_node]
    while pending:
        node = pending.pop()
        if node.is_error:
            found += max(1, node.end_byte - node.start_byte)
        elif node.is_missing:
            found += 1
        elif node.has_error:
            pending += node.children
    return found


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
    named = {**types.RULES, **expressions.RULES, **statements.RULES, **declarations.RULES}
    return rule_table("csharp", named, NAMES)
