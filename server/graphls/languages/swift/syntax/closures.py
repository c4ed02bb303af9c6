"""Closures: what they capture, take and give.

Owns: the rule of closures, rows of statements whose last one is a value.
Must not know: what takes a closure, declarations with names, other files.
Invariant: the value of a closure is that of its one statement, or an instance of its written result.
"""

from __future__ import annotations

from tree_sitter import Node

from graphls.languages.declared.facts_builder import ITEM, READ, DeclaredFactsBuilder, Rule
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE
from graphls.languages.swift.syntax.facts_builder import (
    LAMBDA,
    LAMBDA_SCOPE,
    PARAMETER,
    VARIABLE,
    attribute,
    child,
    has,
    parts_of,
    swift,
)
from graphls.languages.swift.syntax.types import TYPES, written_type


def closure(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ [weak self] a, b in ... }`: who takes it says what it is given. Its value is that of its one statement."""
    state = swift(builder)
    outer, full, words = builder.scope, builder.full, state.words
    captures, type_ = child(node, "capture_list"), node.child_by_field_name("type")
    bound = [_captured(builder, one) for one in captures.named_children] if captures is not None else []
    scope = builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    state.words = dict(words)
    for found in bound:
        if found is not None:
            _bind_capture(builder, *found)
    untyped, count, written = _closure_parameters(builder, type_)
    state.lambdas.append(0)
    value = -1
    bodies = [part for part in node.named_children if part.type == "statements"]
    result = _result_type(builder, type_)
    frame_result, builder.frame.result = builder.frame.result, result
    for part in bodies:
        value = last_value(builder, part)
        if len(parts_of(part)) != 1:
            value = -1
    for part in node.named_children:
        if part.type == "attribute":
            attribute(builder, part, -1)
    builder.frame.result = frame_result
    used = state.lambdas.pop()
    state.expect(value, result)
    if result >= 0:
        value = builder.instance(result)
    builder.scope, builder.full, state.words = outer, full, words
    made = value if value >= 0 else builder.unknown()
    row = builder.expression(LAMBDA, made, scope, count if written else used)
    for definition, at in untyped:
        builder.definitions[definition][D_VALUE] = builder.expression(ITEM, row, at)
    return row


def _captured(builder: DeclaredFactsBuilder, node: Node) -> tuple[Node, int] | None:
    """A name of a capture list and its value, which is read outside of the closure."""
    named, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if named is None:
        builder.read_all(node)
        return None
    if value is not None:
        return named, builder.read(value, 1)
    if named.text == b"self" or named.type == "self_expression":
        return None
    return named, builder.name_expression(named, 1, READ)


def _bind_capture(builder: DeclaredFactsBuilder, named: Node, value: int) -> None:
    if value < 0 or named.type != "simple_identifier":
        return
    builder.full = (named.start_byte, named.end_byte)
    builder.definitions[builder.define(named, VARIABLE)][D_VALUE] = value


def _closure_parameters(builder: DeclaredFactsBuilder, type_: Node | None) -> tuple[list[tuple[int, int]], int, bool]:
    """Binds the parameters of a closure; answers those without a type by position, and how many there are."""
    given = child(type_, "lambda_function_type_parameters") if type_ is not None else None
    untyped: list[tuple[int, int]] = []
    if given is None:
        return untyped, 0, type_ is not None and has(type_, "(")
    parts = [part for part in given.named_children if part.type == "lambda_parameter"]
    for at, part in enumerate(parts):
        names = [one for one in part.named_children if one.type == "simple_identifier"]
        written = written_type(builder, part)
        if not names or names[-1].text == b"_":
            continue
        builder.full = (part.start_byte, part.end_byte)
        row = builder.define(names[-1], PARAMETER)
        builder.definitions[row][D_TYPE] = written
        if written < 0:
            untyped.append((row, at))
    return untyped, len(parts), True


def _result_type(builder: DeclaredFactsBuilder, type_: Node | None) -> int:
    behind = False
    for part in type_.children if type_ is not None else ():
        if part.type == "->":
            behind = True
        elif behind and part.type in TYPES:
            return builder.read(part, 1)
    return -1


def last_value(builder: DeclaredFactsBuilder, node: Node) -> int:
    """Reads statements; answers the value of the last one."""
    parts, row = parts_of(node), -1
    frame = builder.frame
    for at, part in enumerate(parts):
        frame.statements += 1
        builder.shape.append(part.kind_id)
        builder.full = (part.start_byte, part.end_byte)
        row = builder.read(part, 1 if at == len(parts) - 1 else 0)
    return row


RULES: dict[str, Rule] = {"lambda_literal": closure}
