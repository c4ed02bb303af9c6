"""Extraction: the facts of one script from its tree.

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
from graphls.languages.bash.syntax import commands, statements, variables
from graphls.languages.bash.syntax.mending import readable_tree
from graphls.languages.declared.facts_builder import Rule, comments_above, rule_table

NAMES: Final = frozenset({"variable_name"})


def extract(data: bytes, tree: Tree) -> FileFacts:
    """Facts of one file."""
    builder = variables.BashFactsBuilder(data, _rules())
    root = readable_tree(data, tree).root_node
    statements.read_statements(builder, root)
    return builder.facts(root, _documentation(data))


def _documentation(data: bytes) -> str:
    """The first paragraph of the comment at the top, without the line that names the interpreter."""
    start = data.find(b"\n") + 1 if data.startswith(b"#!") else 0
    at = start
    while at < len(data) and data[at : at + 1] == b"#":
        line = data.find(b"\n", at)
        at = len(data) if line < 0 else line + 1
    return comments_above(data[start:], at - start, b"#") if at > start else ""


@cache
def _rules() -> Sequence[Rule]:
    return rule_table("bash", {**variables.RULES, **commands.RULES, **statements.RULES}, NAMES)
