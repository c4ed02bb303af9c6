"""Nesting: how deep the reader goes, and what it does with nodes that mean nothing to it.

Owns: the walk below the depth bound, the rule for unknown nodes.
Must not know: what any particular node means, beyond names and dots.
Invariant: reading uses a bounded number of Python frames; below the bound names are still recorded, without meaning.
"""

from __future__ import annotations

from tree_sitter import Node

from graphls.languages.extract.facts_builder import STEPS
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.extract.yielding import yield_now
from graphls.languages.typescript.syntax.facts_builder import READ, Rule, TsFactsBuilder

EXTRAS = frozenset(("comment", "html_comment"))
NAMES = frozenset(
    (
        "identifier",
        "type_identifier",
        "property_identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
        "private_property_identifier",
    )
)
SCOPES = frozenset(
    (
        "arrow_function",
        "catch_clause",
        "class",
        "class_declaration",
        "for_in_statement",
        "for_statement",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "internal_module",
        "method_definition",
        "module",
        "statement_block",
        "switch_body",
    )
)


def children(node: Node) -> list[Node]:
    """The named children that mean something."""
    found = node.named_children
    for child in found:
        if child.is_extra:
            return [child for child in found if not child.is_extra or child.type not in EXTRAS]
    return found


def part(node: Node, kind: str) -> Node | None:
    """The first child of a kind."""
    for child in node.children:
        if child.type == kind:
            return child
    return None


def has(builder: TsFactsBuilder, node: Node, token: int) -> bool:
    """Whether a word stands directly in a node."""
    codes = builder.kinds.codes
    return any(codes[child.kind_id] == token for child in node.children)


def field(builder: TsFactsBuilder, node: Node, name: int) -> Node | None:
    """The child that the grammar gives this name (`nodes.F_...`)."""
    number = builder.kinds.fields[name]
    return node.child_by_field_id(number) if number else None


def guarded(rule: Rule) -> Rule:
    """The rule, held to the depth bound."""

    def step(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
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


def generic(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A node without meaning of its own: its children are read."""
    rules = builder.rules
    builder.expected = builder.object_owner = -1
    for child in node.named_children:
        rules[child.kind_id](builder, child, 0, READ)
    return -1


def nothing(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A node with nothing in it."""
    return -1


def too_deep(builder: TsFactsBuilder, node: Node) -> int:
    """Records the names below a node whose nesting is beyond the bound."""
    builder.expected = builder.object_owner = -1
    builder.note_depth(node.start_byte, node.end_byte)
    pending = [node]
    dotted = False
    scope_end = 0
    while pending:
        node = pending.pop()
        if node.type in SCOPES:
            scope_end = max(scope_end, node.end_byte)
        if node.type in NAMES:
            # In a scope that was not read a name may be one of its own.
            unsure = dotted or node.start_byte < scope_end
            builder.use(node.start_byte, node.end_byte, READ, builder.unknown() if unsure else -1)
        elif node.child_count:
            pending.extend(reversed(node.children))
        dotted = node.type in (".", "?.")
    return -1
