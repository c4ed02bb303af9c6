"""Composites: values of several parts: tuples, anonymous objects, arrays, queries.

Owns: what parts they have, and the names by which these are asked for.
Must not know: declarations, what a name means.
Invariant: a part of which nobody knows the type leaves the others theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from graphls.languages.csharp.syntax.expressions import first_of, names, parts_of
from graphls.languages.csharp.syntax.facts_builder import LAMBDA_SCOPE, LOOPED
from graphls.languages.csharp.syntax.types import read_type
from graphls.languages.declared.facts_builder import ELEMENT, OPERATION, DeclaredFactsBuilder, Rule


def anonymous(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`new { Name = value, other.Name }`: a tuple with these names."""
    inside = list(node.children)
    spelled: list[str] = []
    rows: list[int] = []
    key: Node | None = None
    for at, part in enumerate(inside):
        if part.is_named and at + 1 < len(inside) and inside[at + 1].type == "=":
            key = part
        elif part.is_named:
            rows.append(builder.read(part, 1))
            last = key or part.child_by_field_name("name") or part
            spelled.append(builder.source(last.start_byte, last.end_byte) if last.type == "identifier" else "")
            key = None
    return _parts(builder, rows, spelled) if want else -1


def _parts(builder: DeclaredFactsBuilder, rows: Sequence[int], spelled: Sequence[str]) -> int:
    """A value of several parts with names; of some of them nobody may know the type."""
    kinds = [
        builder.expression(OPERATION, row if row >= 0 else builder.unknown(), -1, builder.text("type")) for row in rows
    ]
    return builder.instance(builder.constructed(f"({','.join(spelled)})", kinds)) if kinds else -1


def query(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`from x in values where ... select ...`."""
    outer, row = builder.scope, -1
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    for part in parts_of(node):
        inside, name = parts_of(part), part.child_by_field_name("name")
        if part.type == "from_clause" and name is not None:
            written = read_type(builder, part.child_by_field_name("type"))
            row = builder.read(inside[-1], 1)
            names(builder, name, part, written, builder.expression(ELEMENT, row, LOOPED) if row >= 0 else -1)
        elif part.type == "join_clause" and len(inside) > 1 and inside[0].type == "identifier":
            row = builder.read(inside[1], 1)
            names(builder, inside[0], part, -1, builder.expression(ELEMENT, row, LOOPED) if row >= 0 else -1)
            for one in inside[2:]:
                if one.type == "join_into_clause":
                    for into in parts_of(one):
                        names(builder, into, part, -1, row)
                else:
                    builder.read(one)
        elif part.type == "let_clause" and len(inside) > 1 and inside[0].type == "identifier":
            names(builder, inside[0], part, -1, builder.read(inside[1], 1))
        elif part.type == "identifier":
            names(builder, part, part, -1, -1)
            row = -1
        elif part.type == "select_clause":
            made = [builder.read(one, 1) for one in inside]
            row = made[0] if made else -1
            if row >= 0:
                row = _array_of(builder, row)
        else:
            builder.read_all(part)
            row = -1 if part.type == "group_clause" else row
    builder.scope = outer
    return row


def array_values(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ a, b }`, `new[] { a, b }`: elements."""
    rows = [builder.read(part, 1) for part in parts_of(node)]
    first = first_of(rows)
    if not want or first < 0 or node.type != "implicit_array_creation_expression":
        return first
    return _array_of(builder, first)


def _array_of(builder: DeclaredFactsBuilder, row: int) -> int:
    type_ = builder.expression(OPERATION, row, -1, builder.text("type"))
    return builder.instance(builder.constructed("[]", [type_]))


def tuple_value(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(a, b: c)`."""
    rows: list[int] = []
    spelled: list[str] = []
    for part in parts_of(node):
        key = part.child_by_field_name("name")
        spelled.append("" if key is None else builder.source(key.start_byte, key.end_byte))
        rows.append(builder.read(part, 1))
    return _parts(builder, rows, spelled) if want else -1


RULES: dict[str, Rule] = {
    "implicit_array_creation_expression": array_values,
    "initializer_expression": array_values,
    "anonymous_object_creation_expression": anonymous,
    "query_expression": query,
    "tuple_expression": tuple_value,
}
