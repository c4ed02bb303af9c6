"""Extraction: the facts of one C++ file from its tree.

Owns: which rule reads which node, the first expression, which says what language the file is in.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from tree_sitter import Node, Tree

from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import ProblemKind
from graphls.languages.c.cpp.syntax import declarations, expressions, statements, templates, types
from graphls.languages.c.cpp.syntax.facts_builder import DIALECT, CppFactsBuilder
from graphls.languages.c.syntax import preprocessor
from graphls.languages.c.syntax.mending import blanked_directives, blanked_words, mended_cpp, opened_by_macros
from graphls.languages.declared.facts_builder import READ, Rule, rule_table
from graphls.languages.extract.ancestry import Ancestry
from graphls.languages.extract.grammars import parse, parser

GRAMMAR: Final = "cpp"
MOST_STRETCHES: Final = 500
_NOT_UNDERSTOOD: Final = "This was not understood: names in it may be missing."


def extract(data: bytes, tree: Tree | None) -> FileFacts:
    """Facts of one file. `tree`: None where that at hand is of another grammar."""
    text, understood = mended_cpp(data, tree)
    root = understood.root_node
    builder = CppFactsBuilder(data, _rules())
    builder.ancestry = Ancestry(root)
    builder.builtin(DIALECT)
    if text != data:
        builder.macros = {start: end for start, end, begins in opened_by_macros(data) if begins}
    for node in root.named_children:
        preprocessor.statement(builder, node)
    apart = blanked_directives(data, text)
    if apart:
        preprocessor.read_apart(builder, parse(parser(GRAMMAR), apart).root_node)
    for start, end in blanked_words(data, text):
        builder.use(start, end, READ)
    for start, end in _error_stretches(root):
        builder.problems.append((int(ProblemKind.PARTIAL), start, end, builder.text(_NOT_UNDERSTOOD)))
    return builder.facts(root, "")


def _error_stretches(root: Node) -> Iterator[tuple[int, int]]:
    """Stretches in which the grammar finds no sense, mostly for macros: declarations in them may be missing. Of very
    many the last one takes all that follows."""
    pending, count = [root], 0
    while pending:
        node = pending.pop()
        if node.is_error:
            count += 1
            yield node.start_byte, root.end_byte if count == MOST_STRETCHES else node.end_byte
            if count == MOST_STRETCHES:
                return
        elif node.has_error:
            pending.extend(reversed(node.children))


@cache
def _rules() -> Sequence[Rule]:
    named = {
        **preprocessor.RULES,
        **types.RULES,
        **expressions.RULES,
        **statements.RULES,
        **templates.RULES,
        **declarations.RULES,
    }
    return rule_table(GRAMMAR, named, types.NAMES)
