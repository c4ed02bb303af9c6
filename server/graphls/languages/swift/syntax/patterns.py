"""Patterns: what `case`, `let`, `for` and `catch` bind and name.

Owns: patterns as rows of tokens, conditions of branches.
Must not know: blocks, declarations, other files.
Invariant: a name binds only where `let` or `var` stands in front of it, or where nothing but names may stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import ITEM, READ, DeclaredFactsBuilder
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE
from graphls.languages.swift.syntax.expressions import implicit
from graphls.languages.swift.syntax.facts_builder import COMMENTS, VARIABLE, swift
from graphls.languages.swift.syntax.types import TYPES, written_type

MAX_PARTS: Final = 60
"""Parts of a pattern that are told apart."""


def pattern_of(builder: DeclaredFactsBuilder, node: Node, value: int, binding: bool) -> None:
    """Reads one pattern node. `value`: what is matched; `binding`: whether plain names bind."""
    match(builder, node.children, value, binding)


def match(builder: DeclaredFactsBuilder, nodes: Sequence[Node], value: int, binding: bool) -> None:
    """Reads the tokens of a pattern."""
    tokens = [node for node in nodes if node.type not in COMMENTS and node.type != "case"]
    while tokens and tokens[0].type == "value_binding_pattern":
        binding, tokens = True, tokens[1:]
    if tokens and tokens[-1].type == "?":
        value, tokens = swift(builder).unwrapped(value), tokens[:-1]
    if not tokens or tokens[0].type == "wildcard_pattern":
        return
    if tokens[0].type == "is":
        for node in tokens[1:]:
            builder.read(node)
        return
    casts = [at for at, node in enumerate(tokens) if node.type == "as"]
    if casts:
        _cast(builder, tokens, casts[0], binding)
        return
    _shaped(builder, tokens, value, binding)


def _shaped(builder: DeclaredFactsBuilder, tokens: Sequence[Node], value: int, binding: bool) -> None:
    dots = [at for at, node in enumerate(tokens) if node.type == "."]
    if dots and dots[0] <= 1 and len(tokens) > dots[0] + 1:
        _case(builder, tokens, dots[0], value, binding)
    elif tokens[0].type == "(":
        _parts(builder, tokens[1:], value, binding)
    elif len(tokens) == 1 and tokens[0].type == "pattern":
        match(builder, tokens[0].children, value, binding)
    elif len(tokens) == 1 and tokens[0].type == "simple_identifier" and binding:
        bind(builder, tokens[0], value)
    else:
        _compared(builder, tokens, value, binding)


def _cast(builder: DeclaredFactsBuilder, tokens: Sequence[Node], at: int, binding: bool) -> None:
    """`x as T`."""
    type_ = -1
    for node in tokens[at + 1 :]:
        if node.type in TYPES:
            type_ = builder.read(node, 1)
    match(builder, tokens[:at], builder.instance(type_), binding)


def _compared(builder: DeclaredFactsBuilder, tokens: Sequence[Node], value: int, binding: bool) -> None:
    """Values that are compared with, which may hold patterns."""
    for node in tokens:
        if node.type == "pattern":
            match(builder, node.children, value, binding)
        elif node.is_named:
            row = builder.read(node, 1)
            swift(builder).expect(row, value, written=False)


def _case(builder: DeclaredFactsBuilder, tokens: Sequence[Node], dot: int, value: int, binding: bool) -> None:
    """`.name(a, label: b)`, `Type.name(a)`."""
    base = implicit(builder, value) if not dot else builder.read(tokens[0], 1)
    named = tokens[dot + 1]
    if named.type != "simple_identifier":
        _compared(builder, tokens[dot + 1 :], value, binding)
        return
    row = builder.member_expression(base, named, 1, READ)
    rest = tokens[dot + 2 :]
    if rest and rest[0].type == "(":
        _parts(builder, rest[1:], row, binding)
    elif len(rest) == 1 and rest[0].type in ("pattern", "tuple_pattern"):
        match(builder, rest[0].children, row, binding)


def _parts(builder: DeclaredFactsBuilder, tokens: Sequence[Node], value: int, binding: bool) -> None:
    """What stands between round brackets: parts of a tuple, or of a case."""
    at, depth = 0, 0
    held: list[Node] = []
    for node in [*tokens, None]:
        if node is None or (node.type in (",", ")") and not depth):
            labelled = len(held) > 2 and held[1].type == ":"
            part = builder.expression(ITEM, value, at) if value >= 0 and at < MAX_PARTS else -1
            match(builder, held[2:] if labelled else held, part, binding)
            held, at = [], at + 1
            if node is None or node.type == ")":
                return
            continue
        depth += (node.type == "(") - (node.type == ")")
        held.append(node)


def bind(builder: DeclaredFactsBuilder, node: Node, value: int, type_: int = -1) -> int:
    """A local variable."""
    full = builder.full
    builder.full = (node.start_byte, max(node.end_byte, full[1] if full[0] <= node.start_byte < full[1] else 0))
    row = builder.define(node, VARIABLE)
    definition = builder.definitions[row]
    definition[D_TYPE], definition[D_VALUE] = type_, value
    builder.full = full
    return row


def conditions(builder: DeclaredFactsBuilder, nodes: Sequence[Node]) -> None:
    """Reads the conditions of a branch, clause by clause; what one binds the next ones know."""
    depth, held = 0, list[Node]()
    for node in nodes:
        if node.type in COMMENTS:
            continue
        if node.type == "," and not depth:
            _clause(builder, held)
            held = []
            continue
        depth += (node.type == "(") - (node.type == ")")
        held.append(node)
    _clause(builder, held)


def _clause(builder: DeclaredFactsBuilder, nodes: Sequence[Node]) -> None:
    if not nodes:
        return
    full = builder.full
    builder.full = (nodes[0].start_byte, nodes[-1].end_byte)
    equals = next((at for at, node in enumerate(nodes) if node.type == "="), -1)
    if nodes[0].type == "case":
        value = _values(builder, nodes[equals + 1 :]) if equals > 0 else -1
        match(builder, nodes[1:equals] if equals > 0 else nodes[1:], value, False)
    elif nodes[0].type == "value_binding_pattern":
        _bound(builder, nodes, equals)
    else:
        for node in nodes:
            if node.is_named:
                builder.read(node, 1)
    builder.full = full


def _bound(builder: DeclaredFactsBuilder, nodes: Sequence[Node], equals: int) -> None:
    """`let x = value`, `let x: T = value`, `let x`."""
    left = [node for node in (nodes[1:equals] if equals > 0 else nodes[1:]) if node.type != "type_annotation"]
    annotation = next((node for node in nodes if node.type == "type_annotation"), None)
    type_ = written_type(builder, annotation)
    if equals > 0:
        value = swift(builder).unwrapped(_values(builder, nodes[equals + 1 :]))
    else:
        one = left[0] if left else None
        if one is None or one.type != "simple_identifier" or one.text == b"self":
            return
        value = swift(builder).unwrapped(builder.name_expression(one, 1, READ))
    if len(left) == 1 and left[0].type == "simple_identifier":
        if left[0].text != b"self":
            bind(builder, left[0], value, type_)
        return
    match(builder, left, builder.instance(type_) if type_ >= 0 else value, True)


def _values(builder: DeclaredFactsBuilder, nodes: Sequence[Node]) -> int:
    row = -1
    for node in nodes:
        if node.is_named:
            row = builder.read(node, 1)
    return row
