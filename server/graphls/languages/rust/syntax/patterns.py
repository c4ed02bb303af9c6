"""Patterns: names that Rust patterns bind, and what they stand for.

Owns: the rules of patterns.
Must not know: statements, other files.
Invariant: a plain name that begins with a capital letter is a use, any other a binding.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import ELEMENT, ITEM, MEMBER, READ, WRITE
from graphls.languages.extract.facts_builder import D_TYPE, D_VALUE
from graphls.languages.rust.syntax.facts_builder import (
    KEYWORD,
    NARROWED,
    PARAMETER,
    VARIABLE,
    RustFactsBuilder,
)
from graphls.languages.rust.syntax.types import SKIPPED

_AROUND: Final = frozenset({
    "mut_pattern", "ref_pattern", "reference_pattern", "parenthesized_pattern", "match_pattern",
    "captured_pattern",
})  # fmt: skip
_REST: Final = "remaining_field_pattern"
_PATTERNS: Final = 100
"""Patterns inside of patterns."""


def bind_parameter(builder: RustFactsBuilder, node: Node, type_: int) -> bool:
    """Binds one parameter; whether it is a plain name."""
    while node.type in ("mut_pattern", "ref_pattern") and node.named_child_count:
        node = node.named_children[-1]
    if node.type in ("identifier", "self"):
        if builder.data[node.start_byte : node.end_byte] != b"_":
            builder.definitions[builder.define(node, PARAMETER)][D_TYPE] = type_
        return True
    bind(builder, node, builder.instance(type_))
    return False


def bind(builder: RustFactsBuilder, node: Node, subject: int, depth: int = 0) -> None:
    """Binds the names of a pattern. `subject`: the expression of what is matched."""
    kind = node.type
    if depth > _PATTERNS:
        builder.read(node)
    elif kind == "identifier":
        _identifier(builder, node, subject)
    elif kind in _AROUND:
        _inside(builder, node, subject, depth)
    elif kind == "or_pattern":
        _alternatives(builder, node, subject, depth)
    elif kind in ("tuple_pattern", "slice_pattern"):
        _sequence(builder, node, subject, depth)
    elif kind == "tuple_struct_pattern":
        _tuple_struct(builder, node, subject, depth)
    elif kind == "struct_pattern":
        _struct(builder, node, subject, depth)
    elif kind not in SKIPPED and kind != _REST:
        builder.read(node)


def _alternatives(builder: RustFactsBuilder, node: Node, subject: int, depth: int) -> None:
    """`A(x) | B(x)`: the first one binds, the others name the same."""
    outer = builder.either
    if outer is None:
        builder.either = set()
    _inside(builder, node, subject, depth)
    builder.either = outer


def _inside(builder: RustFactsBuilder, node: Node, subject: int, depth: int) -> None:
    for part in node.named_children:
        if part.type not in SKIPPED:
            bind(builder, part, subject, depth + 1)


def _identifier(builder: RustFactsBuilder, node: Node, subject: int) -> None:
    first = builder.data[node.start_byte]
    if 0x41 <= first <= 0x5A:
        builder.name_expression(node, 0, READ)
    elif builder.data[node.start_byte : node.end_byte] != b"_":
        bind_name(builder, node, subject)


def bind_name(builder: RustFactsBuilder, node: Node, subject: int) -> None:
    """Binds a name to a value, where no other alternative of the pattern did."""
    names = builder.either
    if names is None:
        builder.definitions[builder.define(node, VARIABLE)][D_VALUE] = subject
        return
    word = builder.name(node.start_byte, node.end_byte)
    if word in names:
        if builder.in_arm:
            builder.use(node.start_byte, node.end_byte, WRITE)
        return
    names.add(word)
    full = builder.full
    if builder.in_arm:  # those behind it see it
        builder.full = (node.start_byte, node.end_byte)
    builder.definitions[builder.define(node, VARIABLE)][D_VALUE] = subject
    builder.full = full


def _sequence(builder: RustFactsBuilder, node: Node, subject: int, depth: int) -> None:
    tuples = node.type == "tuple_pattern"
    parts = [part for part in node.named_children if part.type not in SKIPPED]
    rest = next((at for at, part in enumerate(parts) if part.type == _REST), len(parts))
    for at, part in enumerate(parts):
        item = -1
        if subject >= 0 and part.type != _REST and not tuples:
            item = builder.expression(ELEMENT, subject)
        elif subject >= 0 and part.type != _REST:
            item = builder.expression(ITEM, subject, at if at < rest else at - len(parts))
        bind(builder, part, item, depth + 1)


def _tuple_struct(builder: RustFactsBuilder, node: Node, subject: int, depth: int) -> None:
    type_ = node.child_by_field_name("type")
    path = builder.read(type_, 1, READ) if type_ is not None else -1
    parts = [part for part in node.named_children if part.type not in SKIPPED and part != type_]
    rest = next((at for at, part in enumerate(parts) if part.type == _REST), len(parts))
    for at, part in enumerate(parts):
        item = -1
        if path >= 0 and at < rest:
            item = builder.expression(NARROWED, subject, path, at)
        bind(builder, part, item, depth + 1)


def _struct(builder: RustFactsBuilder, node: Node, subject: int, depth: int) -> None:
    type_ = node.child_by_field_name("type")
    path = builder.read(type_, 1, READ) if type_ is not None else -1
    whole = builder.expression(NARROWED, subject, path, -1) if path >= 0 else -1
    for part in node.named_children:
        name = part.child_by_field_name("name")
        if part.type != "field_pattern" or name is None:
            continue
        builder.use_of(name, KEYWORD, path)
        word = builder.name(name.start_byte, name.end_byte)
        item = builder.expression(MEMBER, whole, word, name.start_byte) if whole >= 0 else -1
        inside = part.child_by_field_name("pattern")
        if inside is not None:
            bind(builder, inside, item, depth + 1)
        elif builder.data[name.start_byte : name.end_byte] != b"_":
            bind_name(builder, name, item)
