"""Types: written types of C# as expressions.

Owns: the rules of nodes that are types only, type parameters and their constraints, attributes.
Must not know: statements, other files.
Invariant: a type that may be null is the type itself.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionKind
from graphls.languages.csharp.syntax.facts_builder import DECORATES, KEYWORD, TRIVIA, csharp
from graphls.languages.declared.facts_builder import (
    CALL,
    NAME,
    SUBSCRIPT,
    TUPLE,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_TYPE

TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)


def identifier(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A name."""
    text = builder.between(node.start_byte, node.end_byte)
    if text in _UNNAMED:
        return -1
    if text == b"value" and csharp(builder).in_setter:
        return builder.instance(csharp(builder).set_type) if want else -1
    return builder.name_expression(node, want, role)


_UNNAMED: Final = frozenset({b"", b"_"})


def qualified(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Outer.Inner`, `Some.Namespace.Name`."""
    before, name = node.child_by_field_name("qualifier"), node.child_by_field_name("name")
    if before is None or name is None:
        builder.read_all(node)
        return -1
    return member(builder, builder.read(before, 1, TYPED), name, want, role or TYPED)


def member(builder: DeclaredFactsBuilder, base: int, name: Node, want: int, role: int) -> int:
    """The name behind a dot, with its type arguments."""
    if name.type != "generic_name":
        return builder.member_expression(base, name, want, role)
    plain = next((part for part in name.named_children if part.type == "identifier"), None)
    row = builder.member_expression(base, plain, 1, role) if plain is not None else -1
    return _with_arguments(builder, name, row, want)


def generic_name(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name<Arguments>`."""
    plain = next((part for part in node.named_children if part.type == "identifier"), None)
    row = builder.name_expression(plain, 1, role) if plain is not None else -1
    return _with_arguments(builder, node, row, want)


def _with_arguments(builder: DeclaredFactsBuilder, node: Node, row: int, want: int) -> int:
    given: list[int] = []
    for part in node.named_children:
        if part.type == "type_argument_list":
            given = [builder.read(one, 1, TYPED) for one in part.named_children if one.type not in TRIVIA]
            given = given or [-1] * sum(one.type in ("<", ",") for one in part.children)
    if row < 0 or not given:
        return row
    # Written down in any case: how many there are decides which type of the name is meant.
    return builder.expression(SUBSCRIPT, row, builder.sequence(given))


def alias_qualified(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`global::Name`, `Alias::Name`."""
    alias, name = node.child_by_field_name("alias"), node.child_by_field_name("name")
    if name is None:
        return -1
    if alias is not None and alias.text != b"global":
        return member(builder, builder.read(alias, 1, TYPED), name, want, role)
    outer, builder.scope = builder.scope, 0
    row = builder.read(name, want, role)
    builder.scope = outer
    return row


def array_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T[]`, `T[,]`."""
    element, rank = node.child_by_field_name("type"), node.child_by_field_name("rank")
    row = builder.read(element, 1, TYPED) if element is not None else -1
    if rank is not None:
        builder.read_all(rank)
    return builder.constructed("[]", (row,)) if row >= 0 else -1


def inner_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T?`, `T*`, `ref T`."""
    inner = node.child_by_field_name("type")
    return builder.read(inner, want, role if role == KEYWORD else TYPED) if inner is not None else -1


def tuple_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(T a, U b)`."""
    names: list[str] = []
    rows: list[int] = []
    for part in node.named_children:
        if part.type == "tuple_element":
            type_, name = part.child_by_field_name("type"), part.child_by_field_name("name")
            rows.append(builder.read(type_, 1, TYPED) if type_ is not None else -1)
            names.append("" if name is None else builder.source(name.start_byte, name.end_byte))
    return builder.constructed(f"({','.join(names)})", rows) if rows else -1


def predefined(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`int`, `string`."""
    return builder.builtin(builder.source(node.start_byte, node.end_byte)) if want else -1


def read_type(builder: DeclaredFactsBuilder, node: Node | None) -> int:
    """The written type of a variable; -1 for `var`."""
    if node is None or node.type == "implicit_type":
        return -1
    if node.type == "ref_type":
        return read_type(builder, node.child_by_field_name("type"))
    return builder.read(node, 1, TYPED)


def type_parameters(builder: DeclaredFactsBuilder, node: Node | None) -> dict[bytes, int]:
    """`<T, out U>`, bound in the current scope; their rows by name."""
    full, found = builder.full, dict[bytes, int]()
    for part in node.named_children if node is not None else ():
        name = part.child_by_field_name("name") if part.type == "type_parameter" else None
        if name is None:
            continue
        for one in part.named_children:
            if one.type == "attribute_list":
                builder.read_all(one)
        builder.full = (part.start_byte, part.end_byte)
        found[name.text or b""] = builder.define(name, TYPE_PARAMETER)
    builder.full = full
    return found


def constraints(builder: DeclaredFactsBuilder, node: Node, known: dict[bytes, int]) -> None:
    """`where T : Bound, new()`: bounds are the type of the parameter."""
    for clause in node.named_children:
        if clause.type != "type_parameter_constraints_clause":
            continue
        bounds: list[int] = []
        target: Node | None = None
        for part in clause.named_children:
            if part.type == "identifier" and target is None:
                target = part
                builder.use(part.start_byte, part.end_byte, TYPED)
            elif part.type == "type_parameter_constraint":
                type_ = part.child_by_field_name("type")
                row = builder.read(type_, 1, TYPED) if type_ is not None else -1
                bounds += [row] if row >= 0 else []
        owner = known.get(target.text or b"", -1) if target is not None else -1
        if bounds and owner >= 0:
            several = len(bounds) > 1
            row = builder.expression(TUPLE, builder.sequence(bounds)) if several else bounds[0]
            builder.definitions[owner][D_TYPE] = row


def attribute(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[Name(value, Property = value)]`."""
    name = node.child_by_field_name("name")
    if name is None:
        return -1
    type_ = builder.read(name, 1, DECORATES)
    whole = builder.instance(type_)
    rows: list[int] = []
    for part in node.named_children:
        for one in part.named_children if part.type == "attribute_argument_list" else ():
            if one.type != "attribute_argument":
                continue
            key, assigned = one.child_by_field_name("name"), any(child.type == "=" for child in one.children)
            if key is not None and assigned:
                builder.use(key.start_byte, key.end_byte, KEYWORD, whole if whole >= 0 else builder.unknown())
            for value in one.named_children:
                if key is None or value.id != key.id:
                    row = builder.read(value, 1)
                    rows += [] if assigned else [row]
    if type_ >= 0:
        builder.expression(CALL, whole, builder.sequence(rows))
    return type_


def global_attribute(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[assembly: Name]`."""
    for part in node.named_children:
        if part.type == "attribute":
            builder.read(part, 1)
    return -1


def own_name(builder: DeclaredFactsBuilder, row: int) -> int:
    """The type that a row defines, as an expression."""
    definition = builder.definitions[row]
    return builder.expression(NAME, definition[0], definition[3], definition[4])


RULES: dict[str, Rule] = {
    "identifier": identifier,
    "qualified_name": qualified,
    "generic_name": generic_name,
    "alias_qualified_name": alias_qualified,
    "array_type": array_type,
    "nullable_type": inner_type,
    "pointer_type": inner_type,
    "ref_type": inner_type,
    "scoped_type": inner_type,
    "tuple_type": tuple_type,
    "predefined_type": predefined,
    "implicit_type": nothing,
    "attribute": attribute,
    "global_attribute": global_attribute,
    "comment": nothing,
    "modifier": nothing,
}
