"""Statements: what the bodies of C# members bind and use.

Owns: the rules of blocks, variables, loops, handlers, switches, local functions, branches of the preprocessor.
Must not know: declarations of types and members, other files.
Invariant: a local name is visible behind what binds it, in its block; a local function in all of its block.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionKind
from graphls.languages.csharp.syntax.expressions import LAMBDA, NARROWED, names, parts_of, pattern
from graphls.languages.csharp.syntax.facts_builder import LOOPED, VARIABLE, csharp
from graphls.languages.csharp.syntax.members import function, own_bodies
from graphls.languages.csharp.syntax.types import read_type
from graphls.languages.declared.facts_builder import (
    BLOCK_SCOPE,
    ELEMENT,
    DeclaredFactsBuilder,
    Rule,
    generic,
    nothing,
)
from graphls.languages.declared.statements import BRANCH, LOOP, block, branch, branching, loop, read_statements
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE

FUNCTION: Final = int(DefinitionKind.FUNCTION)


def each(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`foreach (T name in values)`."""
    name, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    body = node.child_by_field_name("body")
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    held = builder.read(value, 1) if value is not None else -1
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    type_ = read_type(builder, node.child_by_field_name("type"))
    if name is not None:
        item = builder.expression(ELEMENT, held, LOOPED) if held >= 0 else -1
        if name.type in ("identifier", "tuple_pattern"):
            names(builder, name, node, type_, item)
        else:
            builder.read(name)
    if body is not None:
        builder.read(body)
    builder.scope = outer
    builder.leave_branch()
    return -1


def variables(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T a = x, b;`, `var (a, b) = x;`."""
    type_ = read_type(builder, node.child_by_field_name("type"))
    own = csharp(builder)
    for part in node.named_children:
        if part.type != "variable_declarator":
            continue
        outer, own.expected = own.expected, type_
        inside = parts_of(part)
        name = part.child_by_field_name("name") or (inside[0] if inside else None)
        made = -1
        for one in inside:
            if name is not None and one.id != name.id:
                made = builder.read(one, 1)
        own.expected = outer
        if name is None:
            continue
        if name.type != "identifier":
            names(builder, name, part, type_, made)
            continue
        builder.full = (part.start_byte, part.end_byte)
        row = builder.define(name, VARIABLE)
        definition = builder.definitions[row]
        definition[D_TYPE], definition[D_VALUE] = type_, made
    return -1


def caught(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(T name)` of a handler."""
    type_, name = read_type(builder, node.child_by_field_name("type")), node.child_by_field_name("name")
    if name is not None:
        names(builder, name, node, type_, -1)
    return -1


def switch(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`switch (value) { case ... }`."""
    tested, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    value = builder.read(tested, 1) if tested is not None else -1
    builder.enter_branch()
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    for section in parts_of(body):
        builder.region(BRANCH, section, section.start_byte)
        around = builder.scope
        builder.scope = builder.open_scope(BLOCK_SCOPE, section.start_byte, section.end_byte)
        for part in parts_of(section):
            builder.full = (part.start_byte, part.end_byte)
            if part.type.endswith("_pattern"):
                pattern(builder, part, value)
            else:
                builder.read(part)
        builder.scope = around
    builder.scope = outer
    builder.leave_branch()
    return -1


def give(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`return x;`, `yield return x;`."""
    frame, own = builder.frame, csharp(builder)
    outer, own.expected = own.expected, frame.result
    for part in parts_of(node):
        made = builder.read(part, 1)
        if made < 0:
            continue
        frame.values.append(made)
        if builder.kind_of(made) == LAMBDA and frame.result >= 0:
            builder.expression(NARROWED, made, frame.result, 1)
    own.expected = outer
    return -1


def labelled(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`label: statement`, `goto label`: a label is no name of a value."""
    for part in parts_of(node):
        if part.type != "identifier":
            builder.read(part)
    return -1


def local_function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A function in a block."""
    name = node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, FUNCTION)
    function(builder, node, row, "type", read_statements)
    return -1


def conditional_code(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`#if ... #else ... #endif`: all branches are read, the names of symbols are no uses."""
    asked = node.child_by_field_name("condition")
    for part in node.named_children:
        if asked is None or part.id != asked.id:
            builder.full = (part.start_byte, part.end_byte)
            builder.read(part)
    return -1


RULES: dict[str, Rule] = {
    "block": block,
    "if_statement": branching(generic),  # what the test binds is visible behind it as well
    "while_statement": loop,
    "do_statement": loop,
    "for_statement": loop,
    "using_statement": block,
    "fixed_statement": block,
    "foreach_statement": each,
    "variable_declaration": variables,
    "catch_clause": branch,
    "finally_clause": branch,
    "catch_declaration": caught,
    "switch_statement": switch,
    "return_statement": give,
    "yield_statement": give,
    "labeled_statement": labelled,
    "goto_statement": labelled,
    "local_function_statement": local_function,
    "expression_statement": generic,
    "arrow_expression_clause": give,
    "accessor_declaration": own_bodies(read_statements),
    "preproc_if": conditional_code,
    "preproc_elif": conditional_code,
    "preproc_else": conditional_code,
    **dict.fromkeys(
        ("preproc_region", "preproc_endregion", "preproc_pragma", "preproc_nullable", "preproc_define",
         "preproc_undef", "preproc_error", "preproc_warning", "preproc_line", "preproc_if_in_attribute_list"),
        nothing,
    ),
}  # fmt: skip
