"""Statements: what the bodies of Java methods bind and use.

Owns: the rules of blocks, variables, loops, handlers and switches.
Must not know: declarations of types and members, other files.
Invariant: a local name is visible behind what binds it, in its block; what a test binds, in the statement that tests.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import (
    BLOCK_SCOPE,
    ELEMENT,
    OPERATION,
    RETURN,
    DeclaredFactsBuilder,
    Rule,
    generic,
    nothing,
)
from graphls.languages.declared.statements import BRANCH, LOOP, block, branch, loop
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE
from graphls.languages.extract.kinds import LITERAL_EXPRESSION
from graphls.languages.java.syntax.expressions import LAMBDA, NARROWED, pattern
from graphls.languages.java.syntax.types import KEYWORD, VARIABLE, modifiers, read_type, with_dimensions

_LABELLED: Final = frozenset({"labeled_statement", "break_statement", "continue_statement"})


def condition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if`, `while`: what the test binds is visible inside; behind it too where it is tested that it is not."""
    test = node.child_by_field_name("condition")
    outer = builder.scope
    if test is None or b"!" not in builder.between(test.start_byte, test.end_byte):
        builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    builder.enter_branch()
    builder.region(LOOP if node.type == "while_statement" else BRANCH, node, node.start_byte)
    builder.read_all(node)
    builder.leave_branch()
    builder.scope = outer
    return -1


def each(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for (T name : values)`."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    body = node.child_by_field_name("body")
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    held = builder.read(value, 1) if value is not None else -1
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    if name is not None:
        builder.full = (node.start_byte, name.end_byte)
        row = builder.define(name, VARIABLE)
        modifiers(builder, node, row)
        type_ = read_type(builder, node.child_by_field_name("type"))
        builder.definitions[row][D_TYPE] = with_dimensions(builder, type_, node.child_by_field_name("dimensions"))
        if type_ < 0 and held >= 0:
            builder.definitions[row][D_VALUE] = builder.expression(ELEMENT, held)
    if body is not None:
        builder.read(body)
    builder.scope = outer
    builder.leave_branch()
    return -1


def variables(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T a = x, b[];`."""
    type_ = read_type(builder, node.child_by_field_name("type"))
    modifiers(builder, node, -1)
    for part in node.children_by_field_name("declarator"):
        name, value = part.child_by_field_name("name"), part.child_by_field_name("value")
        if name is None or name.type != "identifier":
            continue
        made = builder.read(value, 1) if value is not None else -1
        builder.full = (node.start_byte, part.end_byte)
        row = builder.define(name, VARIABLE)
        builder.definitions[row][D_TYPE] = with_dimensions(builder, type_, part.child_by_field_name("dimensions"))
        if made >= 0:
            builder.definitions[row][D_VALUE] = made
    return -1


def resource(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`try (T name = value; other)`."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        builder.read_all(node)
        return -1
    made = builder.read(value, 1) if value is not None else -1
    type_ = read_type(builder, node.child_by_field_name("type"))
    builder.full = (node.start_byte, node.end_byte)
    definition = builder.definitions[builder.define(name, VARIABLE)]
    definition[D_TYPE], definition[D_VALUE] = type_, made
    return -1


def caught(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`A | B name` of a handler."""
    name, type_ = node.child_by_field_name("name"), -1
    for part in node.named_children:
        if part.type == "catch_type":
            type_ = builder.read(part, 1)
    if name is not None:
        builder.full = (node.start_byte, node.end_byte)
        builder.definitions[builder.define(name, VARIABLE)][D_TYPE] = type_
    return -1


def switch(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`switch`, as a statement or a value."""
    tested, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    value = builder.read(tested, 1) if tested is not None else -1
    outer, values, result = builder.scope, builder.frame.values, -1
    builder.frame.values = []
    builder.enter_branch()
    if body is not None:
        builder.scope = builder.open_scope(BLOCK_SCOPE, body.start_byte, body.end_byte)
        for group in body.named_children:
            made = _group(builder, group, value, want)
            result = made if result < 0 else result
    builder.leave_branch()
    if want and result < 0 and builder.frame.values:
        result = builder.frame.values[0]
    builder.scope, builder.frame.values = outer, values
    return result


def _group(builder: DeclaredFactsBuilder, node: Node, value: int, want: int) -> int:
    """The statements behind some labels, or what stands behind an arrow."""
    builder.region(BRANCH, node, node.start_byte)
    outer, made = builder.scope, -1
    if node.type == "switch_rule":
        builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    for part in node.named_children:
        if part.type == "switch_label":
            _label(builder, part, value)
            continue
        builder.full = (part.start_byte, part.end_byte)
        if want and part.type == "expression_statement" and part.named_child_count:
            made = builder.read(part.named_children[0], 1)
        else:
            builder.read(part)
    builder.scope = outer
    return made


def _label(builder: DeclaredFactsBuilder, node: Node, value: int) -> None:
    for part in node.named_children:
        if part.type == "identifier":
            builder.use(part.start_byte, part.end_byte, KEYWORD, value if value >= 0 else builder.unknown())
        elif part.type in ("pattern", "type_pattern", "record_pattern"):
            pattern(builder, part, value)
        else:
            builder.read(part)


def give(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`return x;`, `yield x;`."""
    frame = builder.frame
    for part in node.named_children:
        made = builder.read(part, 1)
        if made < 0:
            continue
        frame.values.append(made)
        if frame.result < 0 or node.type != "return_statement":
            continue
        kind = builder.kind_of(made)
        if kind == LAMBDA:
            builder.expression(NARROWED, made, frame.result, 1)
        if kind != LITERAL_EXPRESSION and kind != OPERATION:
            builder.returns.append((frame.definition, made, RETURN))  # behind the written type, which decides
    return -1


def labelled(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`label: statement`, `break label`: a label is no name of a value."""
    for part in node.named_children:
        if part.type != "identifier":
            builder.read(part)
    return -1


RULES: dict[str, Rule] = {
    "block": block,
    "constructor_body": block,
    "if_statement": condition,
    "while_statement": condition,
    "do_statement": loop,
    "for_statement": loop,
    "enhanced_for_statement": each,
    "local_variable_declaration": variables,
    "resource": resource,
    "try_with_resources_statement": branch,
    "catch_clause": branch,
    "finally_clause": branch,
    "catch_formal_parameter": caught,
    "switch_expression": switch,
    "switch_statement": switch,
    "return_statement": give,
    "yield_statement": give,
    **dict.fromkeys(_LABELLED, labelled),
    "expression_statement": generic,
    "asterisk": nothing,
}
