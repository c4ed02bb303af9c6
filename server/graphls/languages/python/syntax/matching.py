"""Matching: `match` statements and their patterns.

Owns: captures, class and value patterns, the dispatch a `match` makes.
Must not know: other statements.
Invariant: a bare name in a pattern binds, a dotted one is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind
from graphls.languages.extract.facts_builder import D_VALUE
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.blocks import MAYBE, nested
from graphls.languages.python.syntax.conditions import judge
from graphls.languages.python.syntax.dispatches import MATCH, add_dispatch, normal
from graphls.languages.python.syntax.facts_builder import (
    BRANCH,
    CONDITIONAL,
    KEYWORD,
    MEMBER,
    NAME,
    PATTERN,
    READ,
    PyFactsBuilder,
    Rule,
)
from graphls.languages.python.syntax.nesting import children, generic, guarded, too_deep
from graphls.languages.python.syntax.targets import bind_name

TYPE: Final = int(ExpressionKind.TYPE)


def match_statement(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`match subject:` with its cases as arms."""
    subjects = node.children_by_field_name("subject")
    body = node.child_by_field_name("body")
    rows = [builder.read(subject, 1) for subject in subjects]
    subject = rows[0] if len(rows) == 1 else -1
    cases: list[str] = []
    for part in children(body) if body is not None else ():
        if part.kind_id == nodes.CASE_CLAUSE:
            _case(builder, part, node.start_byte, subject)
            for pattern in children(part):
                if pattern.kind_id == nodes.CASE_PATTERN:
                    cases += _labels(builder, pattern)
        else:
            builder.read(part)
    if subjects and cases:
        text = ", ".join(normal(builder, part) for part in subjects)
        add_dispatch(builder, MATCH, node, text, cases)
    return -1


def _labels(builder: PyFactsBuilder, node: Node, depth: int = 0) -> list[str]:
    """Texts of the alternatives of a pattern; a class pattern is named by its class."""
    parts = children(node)
    if depth > 10 or not parts:
        return [] if depth == 0 and builder.data[node.start_byte : node.end_byte] == b"_" else [normal(builder, node)]
    if node.kind_id in (nodes.CASE_PATTERN, nodes.AS_PATTERN) and parts[0].kind_id in _ALTERNATIVES:
        return _labels(builder, parts[0], depth + 1)
    if node.kind_id == nodes.UNION_PATTERN:
        if any(part.type == "-" for part in node.children):
            return [label.strip() for label in normal(builder, node).split("|")]
        return [label for part in parts for label in _labels(builder, part, depth + 1)]
    return [normal(builder, parts[0] if node.kind_id == nodes.CLASS_PATTERN else node)]


def _case(builder: PyFactsBuilder, node: Node, group: int, subject: int) -> None:
    """One arm. Captures belong to it."""
    builder.frame.branches += 1
    builder.region(BRANCH, node, group)
    flags = builder.bind_flags
    builder.bind_flags |= CONDITIONAL
    patterns = [part for part in children(node) if part.kind_id == nodes.CASE_PATTERN]
    for part in children(node):
        if part.kind_id == nodes.CASE_PATTERN:
            builder.full = (part.start_byte, part.end_byte)
            row = pattern(builder, part, subject if len(patterns) == 1 else -1)
            if row >= 0 and builder.kind_of(subject) in (NAME, MEMBER):
                builder.narrow(((subject, row, 1),), part.end_byte, node.end_byte)
        elif part.kind_id == nodes.IF_CLAUSE:
            for test in children(part):
                _, yes, _ = judge(builder, test, 0)
                builder.narrow(yes, part.end_byte, node.end_byte)
        elif part.kind_id == nodes.BLOCK:
            nested(builder, part, MAYBE)
        else:
            builder.read(part)
    builder.bind_flags = flags


def pattern(builder: PyFactsBuilder, node: Node, subject: int) -> int:
    """Reads a pattern; the class that it proves for the whole subject, or -1."""
    rule = _RULES.get(node.kind_id)
    if rule is None:
        builder.read(node)
        return -1
    if builder.depth >= DEPTH:
        return too_deep(builder, node)
    builder.depth += 1
    row = rule(builder, node, subject)
    builder.depth -= 1
    return row


def _wrapped(builder: PyFactsBuilder, node: Node, subject: int) -> int:
    parts = children(node)
    row = -1
    grouping = len(parts) == 1 and (node.kind_id == nodes.CASE_PATTERN or node.child_count == 3)
    for part in parts:
        row = pattern(builder, part, subject if grouping else -1)
    return row if grouping else -1


def _parts(builder: PyFactsBuilder, node: Node, subject: int) -> int:
    for part in children(node):
        pattern(builder, part, -1)
    return -1


def _name(builder: PyFactsBuilder, node: Node, subject: int) -> int:
    """A capture, or a dotted value."""
    parts = children(node)
    if len(parts) == 1:
        _capture(builder, parts[0], subject)
    else:
        _dotted(builder, node, READ)
    return -1


def _capture(builder: PyFactsBuilder, node: Node, value: int) -> None:
    if node.kind_id == nodes.IDENTIFIER and builder.data[node.start_byte : node.end_byte] != b"_":
        builder.definitions[bind_name(builder, node)][D_VALUE] = value


def _dotted(builder: PyFactsBuilder, node: Node, role: int) -> int:
    """A dotted name in a pattern; the role goes to its last part."""
    parts = children(node)
    base = -1
    for position, part in enumerate(parts):
        name = builder.use(part.start_byte, part.end_byte, role if position == len(parts) - 1 else READ, base)
        start = part.start_byte
        base = (
            builder.expression(NAME, name, builder.scope, start)
            if base < 0
            else builder.expression(MEMBER, base, name, start)
        )
    return base


def _class(builder: PyFactsBuilder, node: Node, subject: int) -> int:
    """`Class(pattern, name=pattern)`."""
    parts = children(node)
    if not parts or parts[0].kind_id != nodes.DOTTED_NAME:
        return generic(builder, node, 0, READ)
    row = _dotted(builder, parts[0], PATTERN)
    instance = -1
    for part in parts[1:]:
        inner = children(part)
        if inner and inner[0].kind_id == nodes.KEYWORD_PATTERN:
            instance = builder.expression(TYPE, row) if instance < 0 else instance
            _keyword(builder, inner[0], row, instance)
        else:
            pattern(builder, part, -1)
    return row


def _keyword(builder: PyFactsBuilder, node: Node, callee: int, instance: int) -> None:
    """`name=pattern` in a class pattern: an attribute of the instance."""
    parts = children(node)
    if len(parts) != 2:
        generic(builder, node, 0, READ)
        return
    name = builder.use(parts[0].start_byte, parts[0].end_byte, KEYWORD, callee)
    pattern(builder, parts[1], builder.expression(MEMBER, instance, name, parts[0].start_byte))


def _as(builder: PyFactsBuilder, node: Node, subject: int) -> int:
    """`pattern as name`."""
    parts = children(node)
    if len(parts) != 2:
        return _parts(builder, node, subject)
    row = pattern(builder, parts[0], subject)
    _capture(builder, parts[1], builder.expression(TYPE, row) if row >= 0 else subject)
    return row


def _splat(builder: PyFactsBuilder, node: Node, subject: int) -> int:
    for part in children(node):
        _capture(builder, part, -1)
    return -1


_ALTERNATIVES: Final = frozenset(
    (nodes.UNION_PATTERN, nodes.CLASS_PATTERN, nodes.AS_PATTERN, nodes.CASE_PATTERN, nodes.DOTTED_NAME)
)
_RULES: Mapping[int, Callable[[PyFactsBuilder, Node, int], int]] = {
    nodes.CASE_PATTERN: _wrapped,
    nodes.UNION_PATTERN: _parts,
    nodes.TUPLE_PATTERN: _wrapped,
    nodes.LIST_PATTERN: _parts,
    nodes.DICT_PATTERN: _parts,
    nodes.DOTTED_NAME: _name,
    nodes.CLASS_PATTERN: _class,
    nodes.AS_PATTERN: _as,
    nodes.SPLAT_PATTERN: _splat,
}

RULES: Mapping[str, Rule] = {"match_statement": guarded(match_statement)}
