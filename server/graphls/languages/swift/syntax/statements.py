"""Statements: what the bodies of Swift functions bind and use.

Owns: the rules of blocks, assignments, branches, loops, handlers, jumps.
Must not know: declarations of types and members, other files.
Invariant: what a condition binds is known in its branch, what `guard` binds behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from graphls.languages.declared.expressions import ALSO_WRITE
from graphls.languages.declared.facts_builder import (
    BLOCK_SCOPE,
    ELEMENT,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    generic,
)
from graphls.languages.declared.statements import BRANCH, LOOP
from graphls.languages.swift.syntax.closures import last_value
from graphls.languages.swift.syntax.expressions import union
from graphls.languages.swift.syntax.facts_builder import COMMENTS, parts_of, swift
from graphls.languages.swift.syntax.patterns import conditions, pattern_of
from graphls.languages.swift.syntax.types import written_type


def open_block(builder: DeclaredFactsBuilder, node: Node) -> int:
    """A scope of its own from a node on; answers the one around."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
    return outer


def statements(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Statements, one after the other."""
    return last_value(builder, node)


def _blocks(builder: DeclaredFactsBuilder, nodes: Sequence[Node]) -> int:
    row = -1
    for node in nodes:
        if node.type == "statements":
            outer = open_block(builder, node)
            row = last_value(builder, node)
            builder.scope = outer
        elif node.is_named and node.type not in COMMENTS and node.type != "else":
            row = builder.read(node, 1)
    return row


def condition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`if a, let b { ... } else { ... }`."""
    parts = node.children
    body = next((at for at, part in enumerate(parts) if part.type == "{"), len(parts))
    close = next((at for at, part in enumerate(parts) if at > body and part.type == "}"), len(parts))
    outer = open_block(builder, node)
    builder.enter_branch()
    builder.region(BRANCH, node, node.start_byte)
    conditions(builder, parts[1:body])
    rows = [_blocks(builder, parts[body + 1 : close])]
    builder.scope = outer
    rows.append(_blocks(builder, parts[close + 1 :]))
    builder.leave_branch()
    return union(builder, rows) if want else -1


def guard(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`guard a, let b else { ... }`."""
    parts = node.children
    body = next((at for at, part in enumerate(parts) if part.type == "else"), len(parts))
    builder.enter_branch()
    conditions(builder, parts[1:body])
    builder.region(BRANCH, node, node.start_byte)
    _blocks(builder, parts[body:])
    builder.leave_branch()
    return -1


def loop(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`while a, let b { ... }`, `repeat { ... } while a`."""
    parts = node.children
    body = next((at for at, part in enumerate(parts) if part.type == "{"), len(parts))
    outer = open_block(builder, node)
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    if node.type == "while_statement":
        conditions(builder, parts[1:body])
    _blocks(builder, parts[body:])
    builder.leave_branch()
    builder.scope = outer
    return -1


def each(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for x in values where test { ... }`."""
    item, held = node.child_by_field_name("item"), node.child_by_field_name("collection")
    value = builder.read(held, 1) if held is not None else -1
    outer = open_block(builder, node)
    builder.enter_branch()
    builder.region(LOOP, node, node.start_byte)
    type_ = -1
    for part in node.named_children:
        if part.type == "type_annotation":
            type_ = written_type(builder, part)
    one = builder.instance(type_) if type_ >= 0 else builder.expression(ELEMENT, value) if value >= 0 else -1
    if item is not None:
        builder.full = (item.start_byte, item.end_byte)
        is_case = any(part.type == "case" for part in item.children)
        pattern_of(builder, item, one, not is_case)
    for part in node.named_children:
        if part.type == "where_clause":
            builder.read_all(part)
        elif part.type == "statements":
            last_value(builder, part)
    builder.leave_branch()
    builder.scope = outer
    return -1


def switch(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`switch x { case a: ... }`."""
    subject = node.child_by_field_name("expr")
    value = builder.read(subject, 1) if subject is not None else -1
    builder.enter_branch()
    rows: list[int] = []
    for part in node.named_children:
        if part.type == "switch_entry":
            builder.region(BRANCH, part, node.start_byte)
            rows.append(_entry(builder, part, value))
    builder.leave_branch()
    return union(builder, rows) if want else -1


def _entry(builder: DeclaredFactsBuilder, node: Node, value: int) -> int:
    outer = open_block(builder, node)
    row = -1
    for part in node.named_children:
        if part.type == "switch_pattern":
            builder.full = (part.start_byte, part.end_byte)
            for one in part.named_children:
                pattern_of(builder, one, value, False)
        elif part.type == "statements":
            row = last_value(builder, part)
            if len(parts_of(part)) != 1:
                row = -1
        elif part.type not in COMMENTS and part.type != "modifiers":
            builder.read(part)
    builder.scope = outer
    return row


def attempt(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`do { ... } catch pattern { ... }`."""
    builder.enter_branch()
    for part in node.named_children:
        if part.type == "catch_block":
            builder.region(BRANCH, part, part.start_byte)
            _handler(builder, part)
        elif part.type == "statements":
            _blocks(builder, (part,))
        elif part.type not in COMMENTS:
            builder.read(part)
    builder.leave_branch()
    return -1


def _handler(builder: DeclaredFactsBuilder, node: Node) -> None:
    state = swift(builder)
    outer, words = open_block(builder, node), state.words
    caught = node.child_by_field_name("error")
    if caught is None:
        state.words = {**words, b"error": builder.builtin("Swift.Error")}
    else:
        builder.full = (caught.start_byte, caught.end_byte)
        pattern_of(builder, caught, -1, False)
    for part in node.named_children:
        if part.type == "statements":
            last_value(builder, part)
        elif part.type not in COMMENTS and (caught is None or part.id != caught.id):
            builder.read(part)
    builder.scope, state.words = outer, words


def jump(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`return x`, `throw x`, `break label`."""
    first = node.children[0].type if node.children else ""
    for part in parts_of(node):
        if part.type == "throw_keyword" or (part.type == "simple_identifier" and first in ("break", "continue")):
            continue
        row = builder.read(part, 1)
        if first == "return":
            state = swift(builder)
            if builder.frame.result >= 0:
                state.expect(row, builder.frame.result)
            return row
    return -1


def assignment(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a.b = x`, `a += x`."""
    target, value = node.child_by_field_name("target"), node.child_by_field_name("result")
    sign = node.child_by_field_name("operator")
    plain = sign is not None and sign.type == "="
    left = -1
    if target is not None:
        flags = builder.use_flags
        for part in parts_of(target):
            if not plain:
                builder.use_flags |= ALSO_WRITE
            left = builder.read(part, 1, WRITE)
            builder.use_flags = flags
    row = builder.read(value, 1) if value is not None else -1
    if plain:
        swift(builder).expect(row, left, written=False)
    return -1


RULES: dict[str, Rule] = {
    "statements": statements,
    "if_statement": condition,
    "guard_statement": guard,
    "while_statement": loop,
    "repeat_while_statement": loop,
    "for_statement": each,
    "switch_statement": switch,
    "do_statement": attempt,
    "control_transfer_statement": jump,
    "assignment": assignment,
    "directly_assignable_expression": generic,
    "where_clause": generic,
}
