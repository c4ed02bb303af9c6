"""Statements: what the bodies of C++ functions bind and use.

Owns: the rules of blocks, branches, loops, handlers and lambdas.
Must not know: declarations, other files.
Invariant: a local name is visible behind its declarator, in its block.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.c.cpp.syntax.declarations import bind_parts
from graphls.languages.c.cpp.syntax.facts_builder import LAMBDA_SCOPE, PARAMETER, VARIABLE, cpp
from graphls.languages.c.cpp.syntax.functions import parameters
from graphls.languages.c.cpp.syntax.templates import read_parameters
from graphls.languages.c.cpp.syntax.types import declared, read_around
from graphls.languages.declared.facts_builder import (
    ELEMENT,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    generic,
)
from graphls.languages.declared.statements import LOOP, block, branching, read_parts, read_statements, scoped
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE

_scope: Final[Rule] = scoped(read_parts)
branch: Final[Rule] = branching(_scope)
"""`if`, `switch`: what may not run; a condition may declare a name."""
case: Final[Rule] = branching(generic)
loop: Final[Rule] = branching(_scope, LOOP)


def _range(builder: DeclaredFactsBuilder, node: Node) -> None:
    type_, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    right, body, before = (node.child_by_field_name(field) for field in ("right", "body", "initializer"))
    if before is not None:
        builder.read(before)
    written = builder.read(type_, 1, TYPED) if type_ is not None else -1
    held = builder.read(right, 1) if right is not None else -1
    element = builder.expression(ELEMENT, held, 0) if held >= 0 else -1
    found = declared(declarator) if declarator is not None else None
    if found is not None and found.name is not None and declarator is not None:
        builder.full = (node.start_byte, declarator.end_byte)
        if found.name.type == "structured_binding_declarator":
            bind_parts(builder, found.name, element)
        elif found.name.type == "identifier":
            row = builder.define(found.name, VARIABLE)
            builder.definitions[row][D_TYPE] = written
            builder.definitions[row][D_VALUE] = element if written < 0 else -1
        read_around(builder, declarator)
    if body is not None:
        builder.full = (body.start_byte, body.end_byte)
        builder.read(body)


range_loop: Final[Rule] = branching(scoped(_range), LOOP)
"""`for (auto x : values)`."""


def _handler(builder: DeclaredFactsBuilder, node: Node) -> None:
    given, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    for part in given.named_children if given is not None else ():
        type_, declarator = part.child_by_field_name("type"), part.child_by_field_name("declarator")
        written = builder.read(type_, 1, TYPED) if type_ is not None else -1
        name = declared(declarator).name if declarator is not None else None
        if name is not None and name.type == "identifier":
            builder.full = (part.start_byte, part.end_byte)
            builder.definitions[builder.define(name, PARAMETER)][D_TYPE] = written
    if body is not None:
        builder.full = (body.start_byte, body.end_byte)
        builder.read(body)


handler: Final[Rule] = branching(scoped(_handler))
"""`catch (const Error& error) { ... }`."""


def lambda_(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[captured](parameters) { ... }`."""
    captures, declarator = node.child_by_field_name("captures"), node.child_by_field_name("declarator")
    body, template = node.child_by_field_name("body"), node.child_by_field_name("template_parameters")
    outer, full = builder.scope, builder.full
    inner = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte, -1)
    held, state = cpp(builder).template, cpp(builder)
    state.template = None
    for part in captures.named_children if captures is not None else ():
        left, right = part.child_by_field_name("left"), part.child_by_field_name("right")
        if part.type == "lambda_capture_initializer" and left is not None and right is not None:
            value = builder.read(right, 1)
            builder.scope, builder.full = inner, (part.start_byte, part.end_byte)
            builder.definitions[builder.define(left, VARIABLE)][D_VALUE] = value
            builder.scope = outer
        elif part.type not in ("lambda_default_capture", "this"):
            builder.read(part)
    builder.scope = inner
    if template is not None:
        read_parameters(builder, template)
    for part in declarator.named_children if declarator is not None else ():
        if part.type == "parameter_list":
            parameters(builder, part)
        else:
            builder.read(part)
    if body is not None:
        read_statements(builder, body)
    builder.scope, builder.full = outer, full
    state.template = held
    return -1


def condition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(auto x = f(); x)`, `(auto x = f())`."""
    for part in node.named_children:
        builder.full = (part.start_byte, part.end_byte)
        builder.read(part)
    return -1


RULES: dict[str, Rule] = {
    "compound_statement": block,
    "if_statement": branch,
    "switch_statement": branch,
    "case_statement": case,
    "for_statement": loop,
    "while_statement": loop,
    "do_statement": loop,
    "for_range_loop": range_loop,
    "catch_clause": handler,
    "lambda_expression": lambda_,
    "condition_clause": condition,
}
