"""Nesting: how deep the reader goes, and what it does with nodes that mean nothing to it.

Owns: the depth bound, the walk below it, the rule for unknown nodes.
Must not know: what any particular node means, beyond names and dots.
Invariant: reading uses a bounded number of Python frames; below the bound names are still recorded, without meaning.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ProblemKind
from graphls.languages.typescript.syntax.facts_builder import READ, Rule, TsFactsBuilder

DEPTH: Final = 120
"""Nested nodes that are read with meaning. Each may take several frames, and Python allows a thousand."""
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
    if not any(problem[0] == ProblemKind.DEPTH for problem in builder.problems):
        text = "Nested too deeply to be understood: names below this point are listed but not resolved."
        builder.problems.append((int(ProblemKind.DEPTH), node.start_byte, node.end_byte, builder.text(text)))
    pending = [node]
    dotted = False
    while pending:
        node = pending.pop()
        if node.type in NAMES:
            builder.use(node.start_byte, node.end_byte, READ, builder.unknown() if dotted else -1)
        elif node.child_count:
            pending.extend(reversed(node.children))
        dotted = node.type in (".", "?.")
    return -1
