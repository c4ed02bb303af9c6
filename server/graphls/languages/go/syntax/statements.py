"""Statements: what the bodies of Go functions bind and use.

Owns: the rules of blocks, assignments, loops and switches.
Must not know: declarations at the top of a file, other files.
Invariant: a local name is visible behind the statement that binds it, in its block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag
from graphls.languages.declared.expressions import ALSO_WRITE
from graphls.languages.declared.facts_builder import (
    BLOCK_SCOPE,
    ELEMENT,
    ITEM,
    NAME,
    OPERATION,
    TYPED,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    generic,
    nothing,
)
from graphls.languages.declared.statements import LOOP, branching, read_parts, read_statements, scoped
from graphls.languages.extract.facts_builder import D_VALUE
from graphls.languages.go.syntax.types import VARIABLE

SHARED: Final = int(DefinitionFlag.SHARED)
_BINDS: Final = ":="


def body(builder: DeclaredFactsBuilder, node: Node) -> None:
    """The block of a function, in the scope of its parameters."""
    builder.read_all(node)


def statement_list(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Statements, one after the other."""
    read_statements(builder, node)
    return -1


block: Final[Rule] = scoped(read_parts)
branch: Final[Rule] = branching(block)
"""`if`, `switch`, `case`: what may not run, in a scope of its own."""
loop: Final[Rule] = branching(block, LOOP)
"""`for` in all its forms."""


def clause(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """What is bound before a body is visible in it."""
    for part in node.named_children:
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part)
    return -1


def range_clause(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`key, value := range values`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    held = builder.read(right, 1) if right is not None else -1
    if left is None:
        return -1
    names = left.named_children
    if not _is_binding(node):
        for name in names:
            builder.read(name, 0, WRITE)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    values = [-1, -1]
    if held >= 0:
        values = [builder.expression(OPERATION, held, -1, builder.text("key")), builder.expression(ELEMENT, held)]
    for name, value in zip(names, values, strict=False):
        _bind(builder, name, value)
    return -1


def short_variables(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a, b := x, y`: new names; those that the block binds already are written."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        builder.read_all(node)
        return -1
    names = [part for part in left.named_children if part.type != "comment"]
    values = read_values(builder, right, len(names))
    builder.full = (node.start_byte, node.end_byte)
    for name, value in zip(names, values, strict=True):
        _bind(builder, name, value)
    return -1


def receive(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`case value, ok := <-channel`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or not _is_binding(node):
        for name in left.named_children if left is not None else ():
            builder.read(name, 0, WRITE)
        if right is not None:
            builder.read(right)
        return -1
    return short_variables(builder, node, want, role)


def _is_binding(node: Node) -> bool:
    return any(child.type == _BINDS for child in node.children)


def _bind(builder: DeclaredFactsBuilder, name: Node, value: int) -> None:
    if name.type != "identifier" or name.text == b"_":
        builder.read(name, 0, WRITE)
    elif builder.is_bound(name):
        builder.use(name.start_byte, name.end_byte, WRITE)
    else:
        builder.definitions[builder.define(name, VARIABLE)][D_VALUE] = value


def read_values(builder: DeclaredFactsBuilder, node: Node | None, wanted: int) -> Sequence[int]:
    """The values at the right of names: one each, or several from one call."""
    if node is None:
        return [-1] * wanted
    parts = node.named_children if node.type == "expression_list" else [node]
    rows = [builder.read(part, 1) for part in parts if part.type != "comment"]
    if len(rows) == wanted:
        return rows
    first = rows[0] if rows else -1
    return [builder.expression(ITEM, first, at) if first >= 0 else -1 for at in range(wanted)]


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a, b = x, y` and `a += x`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator, flags = node.child_by_field_name("operator"), builder.use_flags
    if operator is not None and operator.text != b"=":
        builder.use_flags |= ALSO_WRITE
    for part in left.named_children if left is not None else ():
        builder.read(part, 0, WRITE)
    builder.use_flags = flags
    if right is not None:
        builder.read(right)
    return -1


def increment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a++`."""
    flags = builder.use_flags
    builder.use_flags |= ALSO_WRITE
    for part in node.named_children:
        builder.read(part, 0, WRITE)
    builder.use_flags = flags
    return -1


def type_switch(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`switch name := value.(type)`: in a case with one type the name has it."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    builder.enter_branch()
    initializer, alias = node.child_by_field_name("initializer"), node.child_by_field_name("alias")
    if initializer is not None:
        builder.full = (initializer.start_byte, initializer.end_byte)
        builder.read(initializer)
    value = node.child_by_field_name("value")
    row = builder.read(value, 1) if value is not None else -1
    subject, end = -1, value.end_byte if value is not None else node.start_byte
    names = alias.named_children if alias is not None else []
    if names and names[0].text != b"_":
        name = names[0]
        builder.full = (name.start_byte, end)
        builder.definitions[builder.define(name, VARIABLE)][D_VALUE] = row
        number = builder.name(name.start_byte, name.end_byte)
        subject = builder.expression(NAME, number, builder.scope, name.start_byte)
    for part in node.named_children:
        if part.type == "type_case":
            _type_case(builder, part, subject)
        elif part.type == "default_case":
            builder.read(part)
    builder.leave_branch()
    builder.scope = outer
    return -1


def _type_case(builder: DeclaredFactsBuilder, node: Node, subject: int) -> None:
    written = [part for part in node.children_by_field_name("type") if part.is_named]
    rows = [builder.read(part, 1, TYPED) for part in written]
    if subject >= 0 and len(rows) == 1 and rows[0] >= 0:
        builder.narrowings.append((subject, rows[0], node.start_byte, node.end_byte, 1))
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    builder.enter_branch()
    for part in node.named_children:
        if part not in written:
            builder.read(part)
    builder.leave_branch()
    builder.scope = outer


RULES: dict[str, Rule] = {
    "statement_list": statement_list,
    "block": block,
    "if_statement": branch,
    "expression_switch_statement": branch,
    "expression_case": branch,
    "default_case": block,
    "type_switch_statement": type_switch,
    "select_statement": generic,
    "communication_case": branch,
    "for_statement": loop,
    "for_clause": clause,
    "range_clause": range_clause,
    "short_var_declaration": short_variables,
    "receive_statement": receive,
    "assignment_statement": assignment,
    "inc_statement": increment,
    "dec_statement": increment,
    "expression_list": generic,
    "empty_statement": nothing,
}
