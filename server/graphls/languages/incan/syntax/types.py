"""Types: written types of Incan as expressions.

Owns: the rules of type nodes, type parameters, `Self`.
Must not know: statements, other files.
Invariant: a reference is the type that it refers to: members are found through both alike.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionKind
from graphls.languages.declared.facts_builder import (
    NAME,
    SUBSCRIPT,
    TUPLE,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
)
from graphls.languages.extract.facts_builder import D_NAME, D_SCOPE, D_TYPE

TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
_CLASSES: Final = frozenset((int(DefinitionKind.CLASS), int(DefinitionKind.INTERFACE), int(DefinitionKind.ENUM)))
_SELF: Final = b"Self"


def own_type(builder: DeclaredFactsBuilder) -> int:
    """The type around, by its name; -1 where there is none."""
    owner = builder.owner
    while owner >= 0:
        definition = builder.definitions[owner]
        if definition[1] in _CLASSES:
            return builder.expression(NAME, definition[D_NAME], definition[D_SCOPE], -1)
        owner = definition[-1]
    return -1


def type_path(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a.b.Name[Arguments]`."""
    words = [part for part in node.named_children if part.type == "identifier"]
    row = -1
    for at, word in enumerate(words):
        own = (role or TYPED) if at == len(words) - 1 else 0
        if at == 0 and builder.data[word.start_byte : word.end_byte] == _SELF:
            row = own_type(builder)
        elif at == 0:
            row = builder.name_expression(word, 1, own)
        else:
            row = builder.member_expression(row, word, 1, own)
    arguments = node.child_by_field_name("arguments")
    given: list[int] = []
    for part in arguments.named_children if arguments is not None else ():
        if part.type == "type_constraint":
            continue
        given.append(builder.read(part, 1, TYPED))
    if given and row >= 0:
        row = builder.expression(SUBSCRIPT, row, builder.sequence(given))
    return row if want else -1


def inner(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`&T`, `(T)`."""
    parts = node.named_children
    return builder.read(parts[0], want, role or TYPED) if parts else -1


def tuple_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(A, B)`."""
    rows = [builder.read(part, 1, TYPED) for part in node.named_children if part.type != "comment"]
    return builder.expression(TUPLE, builder.sequence(rows)) if want else -1


def function_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(A, B) -> C`."""
    rows = [builder.read(part, 1, TYPED) for part in node.named_children if part.type != "comment"]
    if not want or not rows:
        return -1
    taken = builder.expression(TUPLE, builder.sequence(rows[:-1]))
    return builder.constructed("func", (taken, rows[-1]))


def union_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`A | None`: the first that is a type with members."""
    found = -1
    for part in node.named_children:
        row = builder.read(part, 1, TYPED)
        if found < 0 and part.type != "none":
            found = row
    return found if want else -1


def type_parameters(builder: DeclaredFactsBuilder, node: Node | None) -> None:
    """`[T with Bound]`, bound in the current scope."""
    for part in node.named_children if node is not None else ():
        name = part.child_by_field_name("name")
        if part.type != "type_parameter" or name is None:
            builder.read(part)
            continue
        builder.full = (part.start_byte, part.end_byte)
        row = builder.define(name, TYPE_PARAMETER)
        bounds = [builder.read(one, 1, TYPED) for one in part.named_children if one.type == "type_path"]
        builder.definitions[row][D_TYPE] = bounds[0] if bounds else -1


RULES: dict[str, Rule] = {
    "type_path": type_path,
    "reference_type": inner,
    "parenthesized_type": inner,
    "tuple_type": tuple_type,
    "unit_type": tuple_type,
    "function_type": function_type,
    "union_type": union_type,
}
