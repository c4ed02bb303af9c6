"""Templates: parameters, constraints and instantiations.

Owns: the rules of `template` and of concepts.
Must not know: other files.
Invariant: every parameter is a definition, so that arguments meet them by position.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag
from graphls.languages.c.cpp.syntax.facts_builder import TYPE_ALIAS, TYPE_PARAMETER, cpp, open_template
from graphls.languages.c.cpp.syntax.types import declared, read_around
from graphls.languages.declared.facts_builder import TYPED, DeclaredFactsBuilder, Rule
from graphls.languages.declared.statements import scoped

_VARIADIC: Final = int(DefinitionFlag.VARIADIC)


def read_parameters(builder: DeclaredFactsBuilder, node: Node) -> None:
    """Parameters of a template, in the current scope."""
    for part in node.named_children:
        builder.full = (part.start_byte, part.end_byte)
        name = _name(part)
        type_ = part.child_by_field_name("type")
        if type_ is not None:
            builder.read(type_, 0, TYPED)
        if name is not None:
            builder.define(name, TYPE_PARAMETER, _VARIADIC if part.type.startswith("variadic") else 0)
        for field in ("default_type", "default_value"):
            default = part.child_by_field_name(field)
            if default is not None:
                builder.read(default, 0, TYPED if field == "default_type" else 0)
        if type_ is not None:
            read_around(builder, part.child_by_field_name("declarator"))


def _name(part: Node) -> Node | None:
    if part.type == "template_template_parameter_declaration":
        return next((found for found in map(_name, part.named_children[1:]) if found is not None), None)
    name = part.child_by_field_name("name")
    if name is not None:
        return name
    declarator = part.child_by_field_name("declarator")
    if declarator is not None:
        found = declared(declarator).name
        return found if found is not None and found.type == "identifier" else None
    if part.child_by_field_name("type") is not None:
        return None
    return next((one for one in part.named_children if one.type == "type_identifier"), None)


def template(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`template <...> declaration`."""
    state = cpp(builder)
    given = node.child_by_field_name("parameters")
    outer = builder.scope
    for part in node.named_children:
        if part == given or part.type == "comment":
            continue
        if part.type == "requires_clause":
            continue  # it stands before the definition that its names are parameters of
        state.template = given
        builder.full = (node.start_byte, node.end_byte)
        builder.read(part)
        builder.scope = outer
    state.template = None
    return -1


def concept(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`concept Name = condition;`."""
    name, outer = node.child_by_field_name("name"), builder.scope
    if name is None:
        builder.read_all(node)
        return -1
    row = builder.define(name, TYPE_ALIAS)
    open_template(builder, row, node)
    for part in node.named_children:
        if part != name:
            builder.read(part)
    builder.scope = outer
    return -1


def instantiation(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`template class Name<int>;`."""
    type_ = node.child_by_field_name("type")
    name = type_.child_by_field_name("name") if type_ is not None else None
    if name is not None:
        builder.read(name, 0, TYPED)
        return -1
    builder.read_all(node)
    return -1


def read_all(builder: DeclaredFactsBuilder, node: Node) -> None:
    """Parts of a requirement."""
    builder.read_all(node)


RULES: dict[str, Rule] = {
    "template_declaration": template,
    "template_instantiation": instantiation,
    "concept_definition": concept,
    "requires_expression": scoped(read_all),
}
