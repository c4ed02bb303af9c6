"""Statements: what the bodies of Rust functions bind and use.

Owns: the rules of blocks, `let`, branches, loops and matches.
Must not know: items, other files.
Invariant: a local name is visible behind the pattern that binds it, in its block.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import BLOCK_SCOPE, ELEMENT, TYPED
from graphls.languages.declared.statements import BRANCH, LOOP, branching, read_parts, scoped
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.rust.syntax.attributes import item
from graphls.languages.rust.syntax.facts_builder import UNION, RustFactsBuilder, RustRule, value
from graphls.languages.rust.syntax.patterns import bind
from graphls.languages.rust.syntax.types import SKIPPED

_NO_VALUES: Final = frozenset({"expression_statement", "let_declaration", "empty_statement", "label"})
_BLOCK_LIKE: Final = frozenset({
    "if_expression", "match_expression", "block", "unsafe_block", "loop_expression",
})  # fmt: skip


def block_parts(builder: RustFactsBuilder, node: Node, want: int) -> int:
    """The statements of a block; the expression of its value, where one is wanted."""
    frame, shape = builder.frame, builder.shape
    above: list[Node] = []
    parts = node.named_children
    last = -1
    for at, part in enumerate(parts):
        if part.type == "attribute_item":
            above.append(part)
            continue
        if part.type in SKIPPED:
            continue
        frame.statements += 1
        shape.append(part.kind_id)
        final = want if at == len(parts) - 1 and _is_value(builder, part) else 0
        last = item(builder, part, above, final)
        above = []
        if not final:
            last = -1
    return last


def _is_value(builder: RustFactsBuilder, node: Node) -> bool:
    """Whether the last part of a block is its value."""
    if node.type != "expression_statement":
        return node.type not in _NO_VALUES
    inside = node.named_children[0] if node.named_child_count else None
    return inside is not None and inside.type in _BLOCK_LIKE and not builder.data.startswith(b";", node.end_byte - 1)


def expression_statement(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """An expression and its semicolon."""
    row = -1
    for part in node.named_children:
        row = builder.read(part, want)
    return row


def block(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """A block has a scope."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    row = block_parts(builder, node, want)
    builder.scope = outer
    return row


def last_part(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`unsafe { ... }`, `async { ... }`: what the block in it is."""
    row = -1
    for part in node.named_children:
        row = builder.read(part, want)
    return row


def let(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`let pattern: T = value else { ... };`."""
    pattern, written = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    given, otherwise = node.child_by_field_name("value"), node.child_by_field_name("alternative")
    type_ = value(builder, written, TYPED)
    row = value(builder, given)
    if otherwise is not None:
        builder.read(otherwise)
    if pattern is None:
        return -1
    builder.full = (node.start_byte, node.end_byte)
    inner = pattern
    while inner.type in ("mut_pattern", "ref_pattern") and inner.named_child_count:
        inner = inner.named_children[-1]
    before = len(builder.definitions)
    if inner.type == "identifier" and type_ >= 0:
        bind(builder, inner, row)  # a type may leave to the value what it writes as `_`
        if len(builder.definitions) > before:
            builder.definitions[before][D_TYPE] = type_
    else:
        bind(builder, pattern, builder.instance(type_) if type_ >= 0 else row)
    return -1


def condition(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`let pattern = value` in a condition."""
    pattern = node.child_by_field_name("pattern")
    row = value(builder, node.child_by_field_name("value"))
    builder.full = (node.start_byte, node.end_byte)
    if pattern is not None:
        bind(builder, pattern, row)
    return -1


def branch(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if`: names that the condition binds are those of the first block."""
    test, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    otherwise = node.child_by_field_name("alternative")
    rows: list[int] = []
    builder.enter_branch()
    builder.region(BRANCH, node, node.start_byte)
    outer = builder.scope
    end = then.end_byte if then is not None else node.end_byte
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, end)
    if test is not None:
        builder.read(test)
    if then is not None:
        rows.append(builder.read(then, want))
    builder.scope = outer
    if otherwise is not None:
        rows += [builder.read(part, want) for part in otherwise.named_children if part.type not in SKIPPED]
    builder.leave_branch()
    return one_of(builder, rows) if want else -1


def one_of(builder: RustFactsBuilder, rows: list[int]) -> int:
    """A choice among values."""
    known = [row for row in rows if row >= 0]
    if len(known) < 2:
        return known[0] if known else -1
    return builder.expression(UNION, builder.sequence(known))


def match(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`match value { pattern if guard => value, ... }`."""
    body = node.child_by_field_name("body")
    subject = value(builder, node.child_by_field_name("value"))
    rows: list[int] = []
    builder.enter_branch()
    builder.region(BRANCH, node, node.start_byte)
    for arm in body.named_children if body is not None else ():
        if arm.type != "match_arm":
            if arm.type not in SKIPPED:
                builder.read(arm)
            continue
        builder.frame.branches += 1
        outer = builder.scope
        builder.scope = builder.open_scope(BLOCK_SCOPE, arm.start_byte, arm.end_byte)
        pattern, given = arm.child_by_field_name("pattern"), arm.child_by_field_name("value")
        if pattern is not None:
            _arm_pattern(builder, pattern, subject)
        rows.append(value(builder, given) if want else _read_only(builder, given))
        builder.scope = outer
    builder.leave_branch()
    return one_of(builder, rows) if want else -1


def _read_only(builder: RustFactsBuilder, node: Node | None) -> int:
    return builder.read(node) if node is not None else -1


def _arm_pattern(builder: RustFactsBuilder, node: Node, subject: int) -> None:
    guard = node.child_by_field_name("condition")
    for part in node.named_children:
        if part == guard:
            builder.read(part)
        elif part.type not in SKIPPED:
            builder.full = (part.start_byte, part.end_byte)
            builder.in_arm = True
            bind(builder, part, subject)
            builder.in_arm = False


loop: Final[RustRule] = branching(scoped(read_parts), LOOP)
"""`loop` and `while`."""


def for_loop(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for pattern in values { ... }`."""
    pattern, body = node.child_by_field_name("pattern"), node.child_by_field_name("body")
    held = value(builder, node.child_by_field_name("value"))
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    outer = builder.scope
    begin = pattern.start_byte if pattern is not None else node.start_byte
    builder.scope = builder.open_scope(BLOCK_SCOPE, begin, node.end_byte)
    if pattern is not None:
        builder.full = (pattern.start_byte, pattern.end_byte)
        bind(builder, pattern, builder.expression(ELEMENT, held) if held >= 0 else -1)
    if body is not None:
        builder.read(body)
    builder.scope = outer
    builder.leave_branch()
    return -1


RULES: dict[str, RustRule] = {
    "block": block,
    "expression_statement": expression_statement,
    "unsafe_block": last_part,
    "async_block": last_part,
    "const_block": last_part,
    "try_block": last_part,
    "let_declaration": let,
    "let_condition": condition,
    "if_expression": branch,
    "match_expression": match,
    "loop_expression": loop,
    "while_expression": loop,
    "for_expression": for_loop,
}
