"""Statements: what the bodies of Incan functions bind and use.

Owns: the rules of blocks, assignments, loops, matches and their patterns.
Must not know: declarations at the top of a file, other files.
Invariant: a plain assignment binds a name that no scope of the function binds, else it writes to it.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import Role, ScopeKind
from graphls.languages.declared.expressions import ALSO_WRITE
from graphls.languages.declared.facts_builder import (
    BLOCK_SCOPE,
    ELEMENT,
    OPERATION,
    READ,
    TYPED,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    generic,
    nothing,
)
from graphls.languages.declared.statements import LOOP, branching, read_statements
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.incan.syntax.expressions import bind, choice, content_of, dotted_name, for_clause, item_of

KEYWORD: Final = int(Role.KEYWORD)
_INNER: Final = frozenset((int(ScopeKind.BLOCK), int(ScopeKind.LAMBDA)))
_HELD: Final = frozenset((b"Some", b"Ok"))
_FAILED: Final = b"Err"
_BUILT_IN: Final = _HELD | {_FAILED}


def block(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Statements in the scope around them; the value of the last one is that of the block."""
    read_statements(builder, node)
    return -1


def value_of_block(builder: DeclaredFactsBuilder, node: Node, want: int) -> int:
    """A block whose last expression is its value."""
    parts = node.named_children
    last = parts[-1] if parts and parts[-1].type == "expression_statement" else None
    for part in parts if last is None else parts[:-1]:
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part)
    if last is None:
        return -1
    builder.full = (last.start_byte, last.end_byte)
    return builder.read(last, want)


def _is_bound(builder: DeclaredFactsBuilder, node: Node) -> bool:
    """Whether a scope of the function binds a name already."""
    name, scope = builder.name(node.start_byte, node.end_byte), builder.scope
    while scope >= 0:
        if (scope, name) in builder.bound:
            return True
        if builder.scopes[scope][0] not in _INNER:
            return False
        scope = builder.scopes[scope][1]
    return False


def _targets(builder: DeclaredFactsBuilder, targets: list[Node], value: int, type_: int, *, new: bool) -> None:
    """Names that are given one value, or its parts where there are several."""
    for at, target in enumerate(targets):
        own = item_of(builder, value, at, len(targets))
        if target.type != "identifier":
            builder.read(target, 0, WRITE)
        elif not new and _is_bound(builder, target):
            builder.use(target.start_byte, target.end_byte, WRITE)
        else:
            row = bind(builder, target, own)
            if row >= 0:
                builder.definitions[row][D_TYPE] = type_


def _assigned(builder: DeclaredFactsBuilder, node: Node, field: str, *, new: bool) -> int:
    written, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    full = builder.full
    type_ = builder.read(written, 1, TYPED) if written is not None else -1
    row = builder.read(value, 1) if value is not None else -1
    builder.full = full
    targets = node.children_by_field_name(field)
    chained = any(child.type == "=" for child in node.children[:-2]) and len(targets) > 1
    groups = [[target] for target in targets] if chained and not _has_comma(node) else [list(targets)]
    for group in groups:
        _targets(builder, group, row, type_, new=new)
    return -1


def _has_comma(node: Node) -> bool:
    return any(child.type == "," for child in node.children)


def let(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`let x: T = value`, `mut a, b = value`."""
    return _assigned(builder, node, "name", new=True)


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x = value`, `a, b = value`, `x.y = value`."""
    return _assigned(builder, node, "target", new=False)


def compound(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x += value`."""
    target, value, flags = node.child_by_field_name("target"), node.child_by_field_name("value"), builder.use_flags
    builder.use_flags |= ALSO_WRITE
    if target is not None:
        builder.read(target, 0, WRITE)
    builder.use_flags = flags
    if value is not None:
        builder.read(value)
    return -1


def expression_statement(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A value that nobody takes, but where a block is one."""
    parts = node.named_children
    return builder.read(parts[0], want) if parts else -1


def conditional(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if condition: ... elif ... else ...`, a value too."""
    outer = builder.scope
    if node.child_by_field_name("condition") is not None:
        builder.scope = _scope_of_condition(builder, node)
    condition = node.child_by_field_name("condition")
    if condition is not None:
        builder.read(condition)
    builder.enter_branch()
    body = node.child_by_field_name("body")
    rows = [value_of_block(builder, body, want) if body is not None else -1]
    builder.leave_branch()
    builder.scope = outer
    rows += [builder.read(part, want) for part in node.children_by_field_name("alternative")]
    return choice(rows) if want else -1


def _scope_of_condition(builder: DeclaredFactsBuilder, node: Node) -> int:
    """Names of `if let` are those of its block alone."""
    condition = node.child_by_field_name("condition")
    if condition is None or condition.type != "let_condition":
        return builder.scope
    return builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)


def let_condition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`let Some(x) = value`."""
    pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    row = builder.read(value, 1) if value is not None else -1
    builder.full = (node.start_byte, node.end_byte)
    if pattern is not None:
        read_pattern(builder, pattern, row)
    return -1


def loop_over(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for name in values: ...`."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    body = node.child_by_field_name("body")
    builder.full = (node.start_byte, body.start_byte if body is not None else node.end_byte)
    for_clause(builder, node, 0, READ)
    if body is not None:
        read_statements(builder, body)
    builder.scope = outer
    return -1


def match(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`match value: ...`, a value too."""
    subject = node.child_by_field_name("subject")
    row = builder.read(subject, 1) if subject is not None else -1
    rows = [_arm(builder, part, row, want) for part in node.named_children if part.type == "match_arm"]
    return choice(rows) if want else -1


def _arm(builder: DeclaredFactsBuilder, node: Node, subject: int, want: int) -> int:
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    builder.enter_branch()
    pattern, guard, body = (node.child_by_field_name(name) for name in ("pattern", "guard", "body"))
    if pattern is not None:
        builder.full = (node.start_byte, pattern.end_byte)
        read_pattern(builder, pattern, subject)
    if guard is not None:
        builder.read(guard)
    row = -1
    if body is not None:
        builder.full = (body.start_byte, body.end_byte)
        row = value_of_block(builder, body, want) if body.type == "block" else builder.read(body, want)
    builder.leave_branch()
    builder.scope = outer
    return row


def race(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`race for name: await ... => ...`."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    binding = node.child_by_field_name("binding")
    if binding is not None:
        builder.full = (binding.start_byte, binding.end_byte)
        bind(builder, binding, -1)
    for part in node.named_children:
        if part != binding:
            builder.read(part)
    builder.scope = outer
    return -1


def read_pattern(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    """Binds the names of a pattern that a value fits."""
    kind = node.type
    if kind == "identifier":
        text = builder.data[node.start_byte : node.end_byte]
        if text[:1].isupper():
            builder.use(node.start_byte, node.end_byte, READ)
        else:
            bind(builder, node, value)
    elif kind == "tuple_pattern":
        parts = [part for part in node.named_children if part.type != "comment"]
        for at, part in enumerate(parts):
            read_pattern(builder, part, item_of(builder, value, at, len(parts)))
    elif kind == "or_pattern":
        for part in node.named_children:
            read_pattern(builder, part, value)
    elif kind == "constructor_pattern":
        _constructor(builder, node, value)
    elif kind == "variant_pattern":
        dotted_name(builder, node, 1, READ)
    elif kind not in ("comment", "negative_number"):
        builder.read(node)


def _constructor(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    """`Some(x)`, `Kind.Name(a, b)`, `Point(x=a)`."""
    name = node.child_by_field_name("name")
    text = builder.data[name.start_byte : name.end_byte] if name is not None else b""
    row = -1
    if name is not None:
        row = (
            dotted_name(builder, name, 1, READ)
            if name.type == "variant_pattern"
            else builder.name_expression(name, 1, READ)
        )
    inside = -1
    if value >= 0 and text in _HELD:
        inside = content_of(builder, value)
    elif value >= 0 and text == _FAILED:
        inside = builder.expression(ELEMENT, value)
    position = -1
    for part in node.named_children:
        if part == name or part.type == "comment":
            continue
        position += 1
        if part.type == "named_pattern":
            word, below = part.child_by_field_name("name"), part.child_by_field_name("value")
            if word is not None:
                builder.use(word.start_byte, word.end_byte, KEYWORD, row if row >= 0 else builder.unknown())
            if below is not None:
                read_pattern(builder, below, -1)
        elif inside < 0 and row >= 0 and text not in _BUILT_IN:
            read_pattern(builder, part, builder.expression(OPERATION, row, position, builder.text("payload")))
        else:
            read_pattern(builder, part, inside)


RULES: dict[str, Rule] = {
    "block": block,
    "let_statement": let,
    "assignment": assignment,
    "compound_assignment": compound,
    "return_statement": generic,
    "expression_statement": expression_statement,
    "if_expression": conditional,
    "elif_clause": conditional,
    "else_clause": conditional,
    "let_condition": let_condition,
    "while_statement": branching(conditional, LOOP),
    "loop_expression": branching(conditional, LOOP),
    "for_statement": branching(loop_over, LOOP),
    "match_expression": match,
    "race_expression": race,
    "pass_statement": nothing,
    "continue_statement": nothing,
    "docstring": nothing,
}
