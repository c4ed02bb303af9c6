"""Nesting: how deep the reader goes, and what it does with nodes that mean nothing to it.

Owns: the walk below the depth bound, the rule for unknown nodes.
Must not know: what any particular node means, beyond names and dots.
Invariant: reading uses a bounded number of Python frames; below the bound names are still recorded, without meaning.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.extract.facts_builder import STEPS
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.extract.yielding import yield_now
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.facts_builder import READ, PyFactsBuilder, Rule

_SCOPES: Final = frozenset(
    (
        "function_definition",
        "class_definition",
        "lambda",
        "list_comprehension",
        "set_comprehension",
        "dictionary_comprehension",
        "generator_expression",
    )
)


def children(node: Node) -> list[Node]:
    """The named children that mean something."""
    found = node.named_children
    if len(found) < 2:
        return found
    for child in found:
        kind: int = child.kind_id
        if kind == nodes.COMMENT or kind == nodes.CONTINUATION:
            return [child for child in found if child.kind_id not in nodes.EXTRAS]
    return found


def guarded(rule: Rule) -> Rule:
    """The rule, held to the depth bound."""

    def step(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
        if builder.depth >= DEPTH:
            return too_deep(builder, node)
        builder.depth += 1
        builder.steps += 1
        if builder.steps & STEPS == 0:
            yield_now()
        row = rule(builder, node, want, role)
        builder.depth -= 1
        return row

    return step


def generic(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """A node without meaning of its own: its children are read."""
    rules = builder.rules
    for child in node.named_children:
        rules[child.kind_id](builder, child, 0, READ)
    return -1


def nothing(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """A node with nothing in it."""
    return -1


def too_deep(builder: PyFactsBuilder, node: Node) -> int:
    """Records the names below a node whose nesting is beyond the bound."""
    builder.note_depth(node.start_byte, node.end_byte)
    pending = [node]
    dotted = False
    scope_end = 0
    while pending:
        node = pending.pop()
        if node.type in _SCOPES:
            scope_end = max(scope_end, node.end_byte)
        if node.kind_id == nodes.IDENTIFIER:
            # In a scope that was not read a name may be one of its own.
            unsure = dotted or node.start_byte < scope_end
            builder.use(node.start_byte, node.end_byte, READ, builder.unknown() if unsure else -1)
        elif node.child_count:
            pending.extend(reversed(node.children))
        dotted = node.type == "."
    return -1
