"""Qualifiers: what stands before the name of a declaration.

Owns: `Class::name` where something is declared outside of its class or namespace.
Must not know: other files.
Invariant: names before the last `::` are looked up outside of what they name.
"""

from __future__ import annotations

from tree_sitter import Node

from graphls.languages.c.cpp.syntax.facts_builder import CLASS_SCOPE, GLOBAL, SCOPED
from graphls.languages.c.cpp.syntax.types import QUALIFIED, TEMPLATED
from graphls.languages.declared.facts_builder import ELEMENT, TYPED, DeclaredFactsBuilder


def enter_qualified(builder: DeclaredFactsBuilder, name: Node, whole: Node) -> tuple[int, Node]:
    """Opens the scope of what is declared with a qualified name. Answers the expression of what stands before the last
    part, and that part; template arguments in it are not read."""
    row, at = -1, name
    while at.type == QUALIFIED:
        scope, last = at.child_by_field_name("scope"), at.child_by_field_name("name")
        if scope is None:
            row = builder.builtin(GLOBAL) if row < 0 else row
        else:
            plain = scope.child_by_field_name("name") if scope.type in TEMPLATED else scope
            plain = plain if plain is not None else scope
            row = (
                builder.name_expression(plain, 1, TYPED) if row < 0 else builder.member_expression(row, plain, 1, TYPED)
            )
            row = builder.expression(ELEMENT, row, SCOPED)
        if last is None:
            break
        at = last
    builder.scope = builder.open_scope(CLASS_SCOPE, whole.start_byte, whole.end_byte, -1)
    return row, at


def read_arguments(builder: DeclaredFactsBuilder, name: Node) -> None:
    """Reads the template arguments that `enter_qualified` left out."""
    at: Node | None = name
    while at is not None and at.type == QUALIFIED:
        scope = at.child_by_field_name("scope")
        given = scope.child_by_field_name("arguments") if scope is not None and scope.type in TEMPLATED else None
        if given is not None:
            builder.read_all(given)
        at = at.child_by_field_name("name")
    given = at.child_by_field_name("arguments") if at is not None and at.type in TEMPLATED else None
    if given is not None:
        builder.read_all(given)
