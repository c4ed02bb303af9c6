"""Types: written types and paths of Rust as expressions.

Owns: the rules of paths, type nodes, bounds and type parameters.
Must not know: statements, other files.
Invariant: a reference or pointer is the type that it points to: members are found through both alike.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import MEMBER, NAME, READ, SUBSCRIPT, TUPLE, TYPED
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.rust.syntax.facts_builder import (
    CONSTANT,
    TYPE_PARAMETER,
    RustFactsBuilder,
    RustRule,
    value,
)

SKIPPED: Final = frozenset({
    "lifetime", "line_comment", "block_comment", "mutable_specifier", "visibility_modifier", "attribute_item",
    "removed_trait_bound",
})  # fmt: skip


def named(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name` as a type."""
    if builder.data[node.start_byte : node.end_byte] == b"_":
        return -1
    return builder.name_expression(node, want, role or TYPED)


def primitive(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`u8`, `str`."""
    return builder.builtin(builder.source(node.start_byte, node.end_byte)) if want else -1


def prefix(builder: RustFactsBuilder, node: Node | None) -> int:
    """What stands before `::`, as an expression that is entered."""
    if node is None:
        return -1
    if node.type in ("crate", "super", "self", "metavariable"):
        return builder.entered(builder.named(node))
    return builder.entered(builder.read(node, 1, READ))


def scoped(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a::b`."""
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    if path is None:  # `::std`
        return builder.name_expression(name, want, role)
    if node.type == "scoped_type_identifier":
        role = role or TYPED
    if name.type not in ("identifier", "type_identifier"):  # `super::super`
        base = prefix(builder, path)
        word = builder.name(name.start_byte, name.end_byte)
        return builder.expression(MEMBER, base, word, name.start_byte) if want and base >= 0 else -1
    return builder.member_expression(prefix(builder, path), name, want, role)


def bracketed(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`<T>` and `<T as Trait>` before `::`."""
    for part in node.named_children:
        if part.type in SKIPPED:
            continue
        if part.type != "qualified_type":
            return builder.read(part, want, TYPED)
        parts = [value(builder, part.child_by_field_name(field), TYPED) for field in ("type", "alias")]
        return builder.constructed("as", parts) if want else -1
    return -1


def inner(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """What a reference or pointer points to."""
    return builder.read(part, want, TYPED) if (part := node.child_by_field_name("type")) is not None else -1


def sequence(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[T]` and `[T; n]`."""
    held = value(builder, node.child_by_field_name("element"), TYPED)
    length = node.child_by_field_name("length")
    if length is not None:
        builder.read(length)
    return builder.constructed("[]", (held,)) if want else -1


def tuple_type(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(A, B)` and `()`."""
    parts = [builder.read(part, 1, TYPED) for part in node.named_children if part.type not in SKIPPED]
    return builder.expression(TUPLE, builder.sequence(parts)) if want else -1


def function_type(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`fn(A) -> B` and `Fn(A) -> B`."""
    trait = node.child_by_field_name("trait")
    if trait is not None:
        builder.read(trait, 0, TYPED)
    parameters, taken = node.child_by_field_name("parameters"), list[int]()
    for part in parameters.named_children if parameters is not None else ():
        if part.type in SKIPPED:
            continue
        written = part.child_by_field_name("type") if part.type == "parameter" else part
        taken.append(value(builder, written, TYPED))
    given = node.child_by_field_name("return_type")
    result = builder.read(given, 1, TYPED) if given is not None else builder.expression(TUPLE, builder.sequence(()))
    return builder.constructed("func", (builder.expression(TUPLE, builder.sequence(taken)), result)) if want else -1


def trait_type(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`impl Trait` and `dyn Trait`."""
    return builder.read(part, want, TYPED) if (part := node.child_by_field_name("trait")) is not None else -1


def bounds(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`A + B + 'a`."""
    rows = [builder.read(part, 1, role or TYPED) for part in node.named_children if part.type not in SKIPPED]
    for part in node.named_children:
        if part.type == "removed_trait_bound":
            builder.read_all(part)
    rows = [row for row in rows if row >= 0]
    if not want or not rows:
        return -1
    return rows[0] if len(rows) == 1 else builder.constructed("+", rows)


def generic_type(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name<Arguments>`."""
    base = node.child_by_field_name("type")
    if base is None:
        return -1
    row = builder.read(base, 1, role or TYPED)
    given = type_arguments(builder, node.child_by_field_name("type_arguments"), row)
    return builder.expression(SUBSCRIPT, row, builder.sequence(given)) if want and row >= 0 else -1


def type_arguments(builder: RustFactsBuilder, node: Node | None, base: int) -> list[int]:
    """Type arguments; what `Item = T` says comes last. `base`: whose they are."""
    given: list[int] = []
    bound: list[int] = []
    for part in node.named_children if node is not None else ():
        if part.type in SKIPPED:
            continue
        if part.type == "type_binding":
            name = part.child_by_field_name("name")
            if name is not None:
                builder.use_of(name, TYPED, builder.entered(base))
            bound.append(value(builder, part.child_by_field_name("type"), TYPED))
        elif part.type == "trait_bounds" and given:
            builder.read(part, 0, TYPED)  # `Item: Bound`
        else:
            given.append(builder.read(part, 1, TYPED))
    return given + bound


def type_parameters(builder: RustFactsBuilder, node: Node | None) -> None:
    """`<T: Bound, const N: usize>`, bound in the current scope."""
    full = builder.full
    for part in node.named_children if node is not None else ():
        name = part.child_by_field_name("name")
        if part.type not in ("type_parameter", "const_parameter") or name is None:
            continue
        builder.full = (part.start_byte, part.end_byte)
        if part.type == "const_parameter":
            row = builder.define(name, CONSTANT)
            builder.definitions[row][D_TYPE] = value(builder, part.child_by_field_name("type"), TYPED)
            continue
        row = builder.define(name, TYPE_PARAMETER)
        builder.definitions[row][D_TYPE] = value(builder, part.child_by_field_name("bounds"), TYPED)
        default = part.child_by_field_name("default_type")
        if default is not None:
            builder.read(default, 0, TYPED)
    builder.full = full


def where_clause(builder: RustFactsBuilder, node: Node) -> None:
    """`where T: Bound` of an item: bounds of its type parameters."""
    for clause in node.named_children:
        if clause.type != "where_clause":
            continue
        for part in clause.named_children:
            left, written = part.child_by_field_name("left"), part.child_by_field_name("bounds")
            if left is None:
                builder.read_all(part)
                continue
            builder.read(left, 0, TYPED)
            row = value(builder, written, TYPED)
            if left.type == "type_identifier" and row >= 0:
                _bind(builder, builder.name(left.start_byte, left.end_byte), row)


def _bind(builder: RustFactsBuilder, name: int, row: int) -> None:
    """Adds a bound to a type parameter of the innermost scope that has it."""
    scope = builder.scope
    while scope > 0:
        definition = builder.bound.get((scope, name), -1)
        if definition >= 0:
            builder.bind_around(scope)
            before = builder.definitions[definition][D_TYPE]
            both = builder.constructed("+", (before, row)) if before >= 0 else row
            builder.definitions[definition][D_TYPE] = both
            return
        scope = builder.scopes[scope][1]
    builder.bounds_around = True


def self_type(builder: RustFactsBuilder, start: int) -> int:
    """`Self`, where nothing spells it."""
    return builder.expression(NAME, builder.text("Self"), builder.scope, start)


RULES: dict[str, RustRule] = {
    "type_identifier": named,
    "primitive_type": primitive,
    "scoped_type_identifier": scoped,
    "scoped_identifier": scoped,
    "bracketed_type": bracketed,
    "reference_type": inner,
    "pointer_type": inner,
    "array_type": sequence,
    "tuple_type": tuple_type,
    "unit_type": tuple_type,
    "function_type": function_type,
    "abstract_type": trait_type,
    "dynamic_type": trait_type,
    "higher_ranked_trait_bound": inner,
    "bounded_type": bounds,
    "trait_bounds": bounds,
    "generic_type": generic_type,
    "generic_type_with_turbofish": generic_type,
}
