"""Types: written types and qualified names of C++ as expressions.

Owns: the rules of names with `::`, template arguments, type nodes; what a declarator declares.
Must not know: statements, other files.
Invariant: pointers, references and arrays of a type are that type.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.c.cpp.syntax.facts_builder import GLOBAL, SCOPED
from graphls.languages.c.syntax.types import macro_type, primitive
from graphls.languages.declared.facts_builder import (
    ELEMENT,
    READ,
    SUBSCRIPT,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)

NAMES: Final = frozenset({
    "identifier", "field_identifier", "type_identifier", "namespace_identifier", "destructor_name", "operator_name",
    "primitive_type", "operator_cast",
})  # fmt: skip
TEMPLATED: Final = frozenset({"template_type", "template_function", "template_method"})
QUALIFIED: Final = "qualified_identifier"
_FINAL: Final = NAMES | TEMPLATED | {QUALIFIED, "structured_binding_declarator"}
_WRAPPERS: Final = frozenset({
    "pointer_declarator", "array_declarator", "function_declarator", "reference_declarator",
})  # fmt: skip


def named(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """The name of a type."""
    return builder.name_expression(node, want, role or TYPED)


def arguments(builder: DeclaredFactsBuilder, node: Node | None) -> int:
    """The list of template arguments."""
    parts = node.named_children if node is not None else ()
    return builder.sequence([builder.read(one, 1, TYPED if one.type == "type_descriptor" else READ) for one in parts])


def templated(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name<arguments>`."""
    name = node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    row = builder.read(name, 1, role)
    given = arguments(builder, node.child_by_field_name("arguments"))
    return builder.expression(SUBSCRIPT, row, given) if row >= 0 else -1


def below(builder: DeclaredFactsBuilder, base: int, node: Node, want: int, role: int) -> int:
    """A name behind `::`, `.` or `->`. `base`: the expression before it."""
    if node.type == "dependent_name" and node.named_children:
        node = node.named_children[0]
    if node.type == QUALIFIED:
        return qualified_from(builder, base, node, want, role)
    if node.type in TEMPLATED:
        name = node.child_by_field_name("name")
        if name is None:
            builder.read_all(node)
            return -1
        row = builder.member_expression(base, name, 1, role)
        given = arguments(builder, node.child_by_field_name("arguments"))
        return builder.expression(SUBSCRIPT, row, given) if row >= 0 else -1
    if node.type in NAMES:
        return builder.member_expression(base, node, want, role)
    builder.read(node)
    return -1


def qualified_from(builder: DeclaredFactsBuilder, base: int, node: Node, want: int, role: int) -> int:
    """`scope::name` behind something."""
    scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    if scope is not None:
        base = builder.read(scope, 1, TYPED) if base < 0 else below(builder, base, scope, 1, TYPED)
        base = builder.expression(ELEMENT, base, SCOPED) if base >= 0 else builder.unknown()
    elif base < 0:
        base = builder.builtin(GLOBAL)
    return below(builder, base, name, want, role) if name is not None else -1


def qualified(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a::b::c`, `::c`."""
    return qualified_from(builder, -1, node, want, role)


def described(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A type where only a type may stand."""
    type_ = node.child_by_field_name("type")
    row = builder.read(type_, want, role if role != READ else TYPED) if type_ is not None else -1
    for part in node.named_children:
        if part != type_:
            builder.read(part)
    if row < 0 or type_ is None:
        return row
    declarator = node.child_by_field_name("declarator")
    return -1 if declarator is not None and declarator.type == "abstract_function_declarator" else row


def first(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`typename T::name`, `template name`: what follows the word."""
    parts = node.named_children
    row = builder.read(parts[0], want, role) if parts else -1
    for part in parts[1:]:
        builder.read(part)
    return row


def unknown(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`auto`, `decltype(x)`: a type that is not written."""
    builder.read_all(node)
    return -1


class Declared:
    """What a declarator declares: its name, the part that makes it a function, what it begins with."""

    def __init__(self, name: Node | None, function: Node | None, value: Node | None) -> None:
        self.name = name
        self.function = function
        self.value = value


def declared(node: Node) -> Declared:
    """Looks into a declarator."""
    value: Node | None = None
    if node.type == "init_declarator":
        value = node.child_by_field_name("value")
        inner = node.child_by_field_name("declarator")
        node = inner if inner is not None else node
    nearest: Node | None = None
    at: Node | None = node
    while at is not None and at.type not in _FINAL:
        if at.type in _WRAPPERS:
            nearest = at
        at = _inside(at)
    function = nearest if nearest is not None and nearest.type == "function_declarator" else None
    if at is not None and conversion(at) is not None:
        function = at
    return Declared(at, function, value)


def conversion(name: Node) -> Node | None:
    """The `operator T` that a name ends in."""
    at: Node | None = name
    while at is not None and at.type == QUALIFIED:
        at = at.child_by_field_name("name")
    return at if at is not None and at.type == "operator_cast" else None


def _inside(node: Node) -> Node | None:
    inner = node.child_by_field_name("declarator")
    if inner is not None:
        return inner
    for part in node.named_children:
        if part.type in _FINAL or part.type.endswith("declarator"):
            return part
    return None


def read_around(builder: DeclaredFactsBuilder, node: Node | None, bound: Node | None = None) -> None:
    """Reads sizes and types in a declarator. `bound`: its own part that somebody else reads."""
    while node is not None and node.type not in _FINAL:
        inner = _inside(node)
        if node != bound:
            for part in node.named_children:
                if part != inner and part.type not in ("argument_list", "initializer_list"):
                    builder.read(part)
        node = inner


def unbound_parameters(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Parameters of a type of functions."""
    for part in node.named_children:
        type_ = part.child_by_field_name("type")
        if type_ is None:
            builder.read(part)
            continue
        builder.read(type_, 0, TYPED)
        declarator = part.child_by_field_name("declarator")
        if declarator is not None:
            read_around(builder, declarator)
    return -1


RULES: dict[str, Rule] = {
    "type_identifier": named,
    "primitive_type": primitive,
    "sized_type_specifier": primitive,
    "macro_type_specifier": macro_type,
    "type_descriptor": described,
    "qualified_identifier": qualified,
    "template_type": templated,
    "template_function": templated,
    "template_method": templated,
    "dependent_type": first,
    "dependent_name": first,
    "placeholder_type_specifier": unknown,
    "decltype": unknown,
    "parameter_list": unbound_parameters,
    "attribute_specifier": nothing,
    "attribute_declaration": nothing,
    "ms_declspec_modifier": nothing,
    "access_specifier": nothing,
    "virtual_specifier": nothing,
}
