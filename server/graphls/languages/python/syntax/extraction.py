"""Extraction: the facts of one Python file from its tree.

Owns: which rule reads which node, the module's own frame.
Must not know: other files, disk, settings.
Invariant: a pure function of bytes and tree; what a file contains never makes it raise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import attrs
from tree_sitter import Node, Tree

from graphls.facts.columns import Problems
from graphls.facts.file_facts import FileFacts
from graphls.facts.kinds import RegionKind, ScopeKind
from graphls.languages.extract.grammars import language
from graphls.languages.extract.tables import release_tables
from graphls.languages.incremental.fragments import FileLayout, FragmentCache, StatementSpan
from graphls.languages.python.syntax import (
    assignments,
    blocks,
    calls,
    declarations,
    expressions,
    imports,
    matching,
    nodes,
    strings,
)
from graphls.languages.python.syntax.facts_builder import PyFactsBuilder, PyFrame, Rule, StatementLevel
from graphls.languages.python.syntax.finish import finish
from graphls.languages.python.syntax.fragment_cache import empty_reader, patch_facts, patch_run
from graphls.languages.python.syntax.nesting import generic, guarded, nothing
from graphls.languages.python.syntax.strings import paragraph


def extract(data: bytes, tree: Tree, cache: FragmentCache | None = None) -> FileFacts:
    """Facts of one file. `memory`: what its functions said before, brought up to date."""
    if cache is not None:
        found = patch_facts(data, tree.root_node, cache) or patch_run(data, tree.root_node, cache)
        if found is not None:
            return found
        cache.begin_reading(tree.root_node)
    builder = PyFactsBuilder(data, rules=rules(), frame=PyFrame(StatementLevel.MODULE, -1, 0))
    builder.scopes.append([int(ScopeKind.MODULE), -1, 0, len(data), -1])
    builder.regions.append((int(RegionKind.BODY), 0, len(data), 0))
    builder.cache = cache
    root = tree.root_node
    builder.broken = root.has_error
    reader = empty_reader(builder)
    sizes: list[list[int]] = []
    blocks.statements_in(builder, root.named_children, root.end_byte, sizes if cache is not None else None)
    augmented, sound, words = bool(builder.augmented), not builder.problems, len(builder.strings)
    declared = bool(builder.frame.declared)
    facts = finish(builder, root, _module_doc(builder, root))
    builder.parts = None
    if cache is not None:
        layout = _file_layout(builder, root, cache, facts, augmented) if sound else None
        if layout is not None and not augmented and not declared:
            layout.statements, layout.statement_reader = _statements(root, sizes), reader
        cache.end_reading(None if builder.broken else layout)
        if layout is not None and builder.broken:
            layout.facts = attrs.evolve(facts, strings=facts.strings[:words], problems=Problems.of(()))
            layout.texts = {text: number for text, number in layout.texts.items() if number < words}
            cache.broken_layout = layout
    release_tables(builder)
    return facts


def _statements(root: Node, sizes: list[list[int]]) -> list[StatementSpan]:
    return [StatementSpan(node, sizes[at], sizes[at + 1]) for at, node in enumerate(root.named_children)]


def _file_layout(
    builder: PyFactsBuilder, root: Node, cache: FragmentCache, facts: FileFacts, augmented: bool
) -> FileLayout:
    """Where the functions stand in the facts."""
    layout = FileLayout(builder, cache.spans, facts, root)
    layout.nodes = root.descendant_count
    layout.exported = frozenset([builder.strings[name] for name in builder.exports])
    layout.outer_bindings = augmented
    return layout


def _module_doc(builder: PyFactsBuilder, root: Node) -> str:
    first = next((part for part in root.named_children if part.kind_id != nodes.COMMENT), None)
    return paragraph(builder, first) if first is not None else ""


def _literal(kind: str) -> Rule:
    def read(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
        return builder.builtin(kind) if want else -1

    return read


def _number(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    if not want:
        return -1
    if builder.data[node.end_byte - 1] in b"jJ":
        return builder.builtin("complex")
    return builder.builtin(NUMBERS[node.type])


_LITERALS: Mapping[str, Rule] = {
    "true": _literal("bool"),
    "false": _literal("bool"),
    "none": _literal("None"),
    "integer": _number,
    "float": _number,
}
NUMBERS = {"integer": "int", "float": "float"}
ERROR_KIND: Final = 65535
"""Number of the node that holds what could not be parsed."""
_NOTHING: Final = (
    "comment",
    "line_continuation",
    "ellipsis",
    "pass_statement",
    "break_statement",
    "continue_statement",
)


@cache
def rules() -> Sequence[Rule]:
    """The rule of each node kind, by its number."""
    grammar = language("python")
    named: dict[str, Rule] = dict.fromkeys(_NOTHING, nothing)
    for part in (assignments, blocks, calls, declarations, expressions, imports, matching, strings):
        named.update(part.RULES)
    named.update(_LITERALS)
    other = guarded(generic)
    count = grammar.node_kind_count
    table = [named.get(grammar.node_kind_for_id(number) or "", other) for number in range(count)]
    return table + [other] * (ERROR_KIND + 1 - count)
