"""Statements: functions, branches and loops of a script.

Owns: the rules of what holds commands.
Must not know: what a command is, other files.
Invariant: a function is known to the whole script, wherever it is defined.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionKind
from graphls.languages.bash.syntax.variables import arithmetic, loop_variable
from graphls.languages.declared.facts_builder import (
    FUNCTION_SCOPE,
    READ,
    DeclaredFactsBuilder,
    Rule,
    comments_above,
    generic,
)
from graphls.languages.declared.statements import LOOP, branching
from graphls.languages.declared.statements import read_statements as read_statements
from graphls.languages.extract.facts_builder import D_BODY

FUNCTION: Final = int(DefinitionKind.FUNCTION)


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name() { ... }`, `function name { ... }`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        builder.read_all(node)
        return -1
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.scope, builder.full = 0, (node.start_byte, node.end_byte)
    row = builder.define(name, FUNCTION)
    builder.owner = row
    builder.scope = builder.open_scope(FUNCTION_SCOPE, body.start_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    builder.read_body(row, body, read_statements)
    builder.scope, builder.owner, builder.full = outer, owner, full
    doc = comments_above(builder.data, node.start_byte, b"#")
    builder.describe(row, node.start_byte, body.start_byte, doc)
    return -1


def body(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ ... }`, `do ... done`, `( ... )`."""
    read_statements(builder, node)
    return -1


def _each(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    loop_variable(builder, node)
    for at, part in enumerate(node.children):
        if part.is_named and node.field_name_for_child(at) != "variable":
            builder.read(part, 0, READ)
    return -1


def _counted(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for ((i = 0; i < n; i++)); do ... done`."""
    inside = node.child_by_field_name("body")
    for part in node.named_children:
        if inside is not None and part.id == inside.id:
            builder.read(part)
        else:
            arithmetic(builder, part)
    return -1


branch: Final[Rule] = branching(generic)
loop: Final[Rule] = branching(generic, LOOP)

RULES: dict[str, Rule] = {
    "function_definition": function,
    "compound_statement": body,
    "do_group": body,
    "subshell": body,
    "if_statement": branch,
    "elif_clause": branch,
    "else_clause": branch,
    "case_item": branch,
    "while_statement": loop,
    "for_statement": branching(_each, LOOP),
    "c_style_for_statement": branching(_counted, LOOP),
}
