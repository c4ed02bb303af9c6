"""Types: written types of Swift as expressions.

Owns: the rules of type nodes, type parameters, constraints.
Must not know: statements, other files.
Invariant: an optional holds its type; `some P` and `any P` are `P`.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.declared.facts_builder import (
    MEMBER,
    NAME,
    SUBSCRIPT,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_TYPE
from graphls.languages.swift.syntax.facts_builder import TYPE_PARAMETER, parts_of

OPTIONAL: Final = "Swift.Optional"
ARRAY: Final = "Swift.Array"
DICTIONARY: Final = "Swift.Dictionary"
FUNCTION_TYPE: Final = "fun:"
"""Begins the constructor of a function's type: the names of its arguments follow, then the types and the result."""
TUPLE_TYPE: Final = "tuple:"
ALL: Final = "&"
TYPES: Final = frozenset({
    "user_type", "optional_type", "array_type", "dictionary_type", "tuple_type", "function_type", "opaque_type",
    "existential_type", "protocol_composition_type", "metatype", "bracket_qualified_type", "type_parameter_pack",
    "type_pack_expansion", "suppressed_constraint",
})  # fmt: skip


def user_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Outer<A>.Name<B>`."""
    names = [part for part in node.named_children if part.type == "type_identifier"]
    row, at = -1, 0
    for part in node.named_children:
        if part.type == "type_identifier":
            at += 1
            row = segment(builder, part, row, (role or TYPED) if at == len(names) else TYPED, first=at == 1)
        elif part.type == "type_arguments":
            given = [builder.read(one, 1, TYPED) for one in parts_of(part)]
            if row >= 0 and given:
                row = builder.expression(SUBSCRIPT, row, builder.sequence(given))
    return row


def segment(builder: DeclaredFactsBuilder, node: Node, row: int, role: int, *, first: bool) -> int:
    """One name of a type; `Self` and `Type` are words."""
    start, text = node.start_byte, node.text or b""
    if first and text in (b"Self", b"Any"):
        return builder.expression(NAME, builder.name(start, node.end_byte), builder.scope, start)
    if first:
        return builder.name_expression(node, 1, role)
    if text in (b"Type", b"Protocol"):
        return builder.expression(MEMBER, row, builder.text("Type"), start) if row >= 0 else -1
    return builder.member_expression(row, node, 1, role)


def inner_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`some P`, `any P`, `each T`."""
    row = -1
    for part in parts_of(node):
        made = builder.read(part, 1, role or TYPED)
        row = made if row < 0 else row
    return row


def optional_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T?`, `T??`."""
    row = -1
    for part in node.named_children:
        if part.type in TYPES:
            row = builder.read(part, 1, role or TYPED)
    return builder.constructed(OPTIONAL, (row,))


def array_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[T]`."""
    rows = [builder.read(part, 1, TYPED) for part in parts_of(node)]
    return builder.constructed(ARRAY, rows[:1])


def dictionary_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[K: V]`."""
    rows = [builder.read(part, 1, TYPED) for part in parts_of(node)]
    return builder.constructed(DICTIONARY, rows[:2])


def composition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`P & Q`."""
    rows = [builder.read(part, 1, role or TYPED) for part in parts_of(node)]
    return builder.constructed(ALL, rows)


def _items(builder: DeclaredFactsBuilder, node: Node) -> tuple[list[int], list[str]]:
    rows: list[int] = []
    names: list[str] = []
    for part in node.named_children:
        if part.type == "tuple_type_item":
            label = part.child_by_field_name("name")
            named = label if label is not None and label.type == "simple_identifier" else None
            row = -1
            for one in part.named_children:
                if one.type in TYPES:
                    row = builder.read(one, 1, TYPED)
            wild = any(one.type == "wildcard_pattern" for one in part.children)
            names.append(builder.spelled(named.text or b"") if named is not None and not wild else "_")
            rows.append(row)
        elif part.type in TYPES:
            rows.append(builder.read(part, 1, TYPED))
            names.append("_")
    return rows, names


def tuple_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(a: A, B)`; `(A)` is `A`."""
    rows, names = _items(builder, node)
    if len(rows) == 1:
        return rows[0]
    return builder.constructed(TUPLE_TYPE + ",".join(names), rows)


def function_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(A, _ b: B) throws -> C`."""
    given = node.child_by_field_name("params")
    rows = list[int]()
    if given is not None:
        rows = _items(builder, given)[0] if given.type == "tuple_type" else [builder.read(given, 1, TYPED)]
    result, behind = -1, False
    for part in node.children:
        if part.type == "->":
            behind = True
        elif part.type in TYPES and behind:
            result = builder.read(part, 1, TYPED)
        elif part.type == "throws_clause":
            builder.read_all(part)
    return builder.constructed(FUNCTION_TYPE + ",".join(["_"] * len(rows)), [*rows, result])


def bracket_qualified(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[T].Element`."""
    row = -1
    for part in node.named_children:
        if part.type in TYPES:
            row = builder.read(part, 1, TYPED)
        elif part.type == "type_identifier":
            row = segment(builder, part, row, TYPED, first=False)
    return row


def metatype(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(P).Type`, `(any P).Type`."""
    row = inner_type(builder, node, 1, role)
    return builder.expression(MEMBER, row, builder.text("Type"), node.start_byte) if row >= 0 else -1


def type_parameters(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`<T: Bound, each U>`, bound in the current scope."""
    full = builder.full
    for part in node.named_children:
        if part.type != "type_parameter":
            if part.type == "type_constraints":
                type_constraints(builder, part, -1)
            continue
        names = [one for one in part.named_children if one.type == "type_identifier"]
        pack = next((one for one in part.named_children if one.type == "type_parameter_pack"), None)
        if pack is not None:
            written = next((one for one in pack.named_children if one.type == "user_type"), None)
            names = list(written.named_children[:1]) if written is not None else []
        if not names:
            builder.read_all(part)
            continue
        builder.full = (part.start_byte, part.end_byte)
        row = builder.define(names[0], TYPE_PARAMETER)
        for one in part.named_children:
            if one.type in TYPES and one.type != "type_parameter_pack":
                builder.definitions[row][D_TYPE] = builder.read(one, 1, TYPED)
    builder.full = full


def type_constraints(builder: DeclaredFactsBuilder, node: Node, holder: int) -> None:
    """`where T: Bound, U.A == V`. `holder`: the declaration to which what it says of other names is attached."""
    for part in node.named_children:
        for one in part.named_children if part.type == "type_constraint" else ():
            _constraint(builder, one, holder)


def _constraint(builder: DeclaredFactsBuilder, node: Node, holder: int) -> None:
    written = node.child_by_field_name("constrained_type")
    names = [one for one in written.named_children if one.type == "simple_identifier"] if written is not None else []
    row, text = -1, ""
    for at, name in enumerate(names):
        spelled = builder.spelled(name.text or b"")
        text = f"{text}.{spelled}" if text else spelled
        if not at and spelled == "Self":
            row = builder.expression(NAME, builder.text("Self"), builder.scope, name.start_byte)
        elif not at:
            row = builder.name_expression(name, 1, TYPED)
        else:
            row = builder.member_expression(row, name, 1, TYPED)
    if written is not None and not names:
        builder.read(written, 1, TYPED)
    type_ = -1
    for part in node.named_children:
        if part.type in TYPES and (written is None or part.id != written.id):
            type_ = builder.read(part, 1, TYPED)
    if type_ < 0 or not text:
        return
    equal = node.type == "equality_constraint"
    bound = _bound(builder, text) if "." not in text and not equal else -1
    if bound >= 0:
        builder.bases.append((bound, type_, -1))
    elif holder >= 0:
        builder.bases.append((holder, type_, builder.text(f"{text}{'==' if equal else ':'}")))


def _bound(builder: DeclaredFactsBuilder, name: str) -> int:
    """The type parameter of a name in the scopes around."""
    scope, text = builder.scope, builder.texts.get(name, -1)
    while scope >= 0:
        row = builder.bound.get((scope, text), -1)
        if row >= 0:
            return row if builder.definitions[row][1] == TYPE_PARAMETER else -1
        scope = builder.scopes[scope][1]
    return -1


def written_type(builder: DeclaredFactsBuilder, node: Node | None) -> int:
    """The first written type among the children of a node, -1 for none; `T!` is an optional."""
    for part in node.named_children if node is not None else ():
        if part.type in TYPES:
            row = builder.read(part, 1, TYPED)
            if node is not None and any(one.type == "!" for one in node.children):
                return builder.constructed(OPTIONAL, (row,))
            return row
    return -1


RULES: dict[str, Rule] = {
    "user_type": user_type,
    "optional_type": optional_type,
    "array_type": array_type,
    "dictionary_type": dictionary_type,
    "tuple_type": tuple_type,
    "function_type": function_type,
    "opaque_type": inner_type,
    "existential_type": inner_type,
    "type_parameter_pack": inner_type,
    "type_pack_expansion": inner_type,
    "suppressed_constraint": inner_type,
    "protocol_composition_type": composition,
    "metatype": metatype,
    "bracket_qualified_type": bracket_qualified,
    "type_modifiers": nothing,
    "parameter_modifiers": nothing,
    "type_parameter_modifiers": nothing,
}
