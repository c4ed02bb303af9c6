"""Types: written types of Go as expressions.

Owns: the rules of type nodes, fields of structs, methods of interfaces, parameters and results.
Must not know: statements, other files.
Invariant: a pointer is the type that it points to: members are found through both alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, Role, ScopeKind
from graphls.languages.declared.facts_builder import (
    FUNCTION_SCOPE,
    READ,
    RETURN,
    SUBSCRIPT,
    TUPLE,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    comments_above,
)
from graphls.languages.extract.facts_builder import D_BODY, D_TYPE

OBJECT: Final = int(ExpressionKind.OBJECT)
CLASS_SCOPE: Final = int(ScopeKind.CLASS)
OBJECT_SCOPE: Final = int(ScopeKind.OBJECT)
TYPE_PARAMETERS: Final = int(ScopeKind.TYPE_PARAMETERS)
FIELD: Final = int(DefinitionKind.FIELD)
METHOD: Final = int(DefinitionKind.METHOD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
TYPE_PARAMETER: Final = int(DefinitionKind.TYPE_PARAMETER)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
VARIADIC: Final = int(DefinitionFlag.VARIADIC)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
INHERITED: Final = int(Role.INHERIT)
_PARAMETERS: Final = frozenset({"parameter_declaration", "variadic_parameter_declaration"})
_NAMED_TYPES: Final = frozenset({"type_identifier", "qualified_type", "generic_type"})


def named(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name` as a type."""
    return builder.name_expression(node, want, role or TYPED)


def qualified(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`pkg.Name` as a type."""
    package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
    if package is None or name is None:
        return -1
    return builder.member_expression(builder.name_expression(package, 1, READ), name, want, role or TYPED)


def inner(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """What is inside of a pointer, of parentheses, of one term of a constraint."""
    parts = node.named_children
    first = builder.read(parts[0], want, role) if parts else -1
    for part in parts[1:]:
        builder.read(part, 0, TYPED)
    return first if len(parts) == 1 else -1


def sequence(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[]T`, `[n]T`, `[...]T`."""
    length, element = node.child_by_field_name("length"), node.child_by_field_name("element")
    if length is not None:
        builder.read(length)
    held = builder.read(element, 1, TYPED) if element is not None else -1
    return builder.constructed("[]", (held,)) if want else -1


def channel(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`chan T`."""
    value = node.child_by_field_name("value")
    held = builder.read(value, 1, TYPED) if value is not None else -1
    return builder.constructed("chan", (held,)) if want else -1


def mapping(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`map[K]V`."""
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    parts = [builder.read(part, 1, TYPED) if part is not None else -1 for part in (key, value)]
    return builder.constructed("map", parts) if want else -1


def generic_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name[Arguments]`."""
    base, arguments = node.child_by_field_name("type"), node.child_by_field_name("type_arguments")
    if base is None:
        return -1
    row = builder.read(base, 1, role)
    given = [builder.read(part, 1, TYPED) for part in arguments.named_children] if arguments is not None else []
    return builder.expression(SUBSCRIPT, row, builder.sequence(given)) if want and row >= 0 else -1


def function_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`func(A) B`: what it takes, as one, and what it gives."""
    taken = parameter_types(builder, node.child_by_field_name("parameters"))
    given = result_types(builder, node.child_by_field_name("result"))
    return signature_type(builder, taken, given) if want else -1


def signature_type(builder: DeclaredFactsBuilder, taken: Sequence[int], given: Sequence[int]) -> int:
    """The type of a function."""
    return builder.constructed("func", (builder.expression(TUPLE, builder.sequence(taken)), *given))


def struct_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A struct without a name."""
    scope = open_members(builder, node, OBJECT_SCOPE, -1)
    return builder.expression(OBJECT, scope) if want else -1


def open_members(builder: DeclaredFactsBuilder, node: Node, kind: int, owner: int) -> int:
    """Reads the members of a struct or interface in a scope of their own."""
    outer, full = builder.scope, builder.full
    scope = builder.scope = builder.open_scope(kind, node.start_byte, node.end_byte, owner)
    for part in node.named_children:
        if part.type == "field_declaration_list":
            for field in part.named_children:
                if field.type == "field_declaration":
                    _field(builder, field, owner)
                else:
                    builder.read(field)
        elif part.type == "method_elem":
            _method(builder, part)
        elif part.type == "type_elem":
            _embedded_interface(builder, part, owner)
        else:
            builder.read(part)
    builder.scope, builder.full = outer, full
    return scope


def _field(builder: DeclaredFactsBuilder, node: Node, owner: int) -> None:
    names, written = node.children_by_field_name("name"), node.child_by_field_name("type")
    if written is None:
        builder.read_all(node)
        return
    builder.full = (node.start_byte, node.end_byte)
    around = builder.owner
    if names:
        rows = [builder.define(name, FIELD) for name in names]
        if around < 0 or owner >= 0:
            builder.owner = rows[0]
        type_ = builder.read(written, 1, TYPED)
    else:
        name = type_name(written)
        rows = [builder.define(name, FIELD)] if name is not None else []
        type_ = builder.read(written, 1, INHERITED)
        if owner >= 0 and type_ >= 0:
            builder.bases.append((owner, type_, -1))
    builder.owner = around
    for row in rows:
        builder.definitions[row][D_TYPE] = type_
        builder.describe(row, node.start_byte, written.end_byte, comments_above(builder.data, node.start_byte, b"//"))


def type_name(node: Node) -> Node | None:
    """The last name of a written type, which names what is embedded."""
    while node.type in ("pointer_type", "parenthesized_type", "generic_type"):
        part = node.child_by_field_name("type") or (node.named_children[0] if node.named_child_count else None)
        if part is None:
            return None
        node = part
    if node.type == "qualified_type":
        return node.child_by_field_name("name")
    return node if node.type in _NAMED_TYPES else None


def _method(builder: DeclaredFactsBuilder, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, METHOD, ABSTRACT)
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    builder.scope = builder.open_scope(FUNCTION_SCOPE, name.end_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    signature(builder, node, row)
    builder.describe(row, node.start_byte, node.end_byte, comments_above(builder.data, node.start_byte, b"//"))
    builder.scope, builder.owner, builder.full = outer, owner, full


def _embedded_interface(builder: DeclaredFactsBuilder, node: Node, owner: int) -> None:
    single = node.named_child_count == 1 and node.named_children[0].type in _NAMED_TYPES
    type_ = builder.read(node, 1, INHERITED if single else TYPED)
    if single and type_ >= 0 and owner >= 0:
        builder.bases.append((owner, type_, -1))


def signature(builder: DeclaredFactsBuilder, node: Node, row: int) -> None:
    """Parameters and results of a function, bound in the current scope."""
    bind_parameters(builder, node.child_by_field_name("parameters"), PARAMETER)
    given = result_types(builder, node.child_by_field_name("result"), bind=True)
    if len(given) == 1 and given[0] >= 0:
        builder.returns.append((row, builder.instance(given[0]), RETURN))
    elif len(given) > 1:
        together = builder.expression(TUPLE, builder.sequence(given))
        builder.returns.append((row, builder.instance(together), RETURN))


def bind_parameters(builder: DeclaredFactsBuilder, node: Node | None, kind: int) -> list[int]:
    """Binds the names of parameters in the current scope; answers the type of each, named or not."""
    types: list[int] = []
    for part in node.named_children if node is not None else ():
        written = part.child_by_field_name("type")
        if part.type not in _PARAMETERS or written is None:
            builder.read(part)
            continue
        names = part.children_by_field_name("name")
        builder.full = (part.start_byte, part.end_byte)
        type_ = builder.read(written, 1, TYPED)
        variadic = part.type == "variadic_parameter_declaration"
        if variadic:
            type_ = builder.constructed("[]", (type_,))
        for name in names:
            row = builder.define(name, kind, VARIADIC if variadic else 0)
            builder.definitions[row][D_TYPE] = type_
        types += [type_] * max(len(names), 1)
    return types


def parameter_types(builder: DeclaredFactsBuilder, node: Node | None) -> list[int]:
    """Types of parameters whose names nothing can use."""
    types: list[int] = []
    for part in node.named_children if node is not None else ():
        written = part.child_by_field_name("type")
        if written is None:
            builder.read(part)
            continue
        type_ = builder.read(written, 1, TYPED)
        if part.type == "variadic_parameter_declaration":
            type_ = builder.constructed("[]", (type_,))
        types += [type_] * max(len(part.children_by_field_name("name")), 1)
    return types


def result_types(builder: DeclaredFactsBuilder, node: Node | None, *, bind: bool = False) -> list[int]:
    """Types of results. `bind`: their names are variables of the current scope."""
    if node is None:
        return []
    if node.type != "parameter_list":
        return [builder.read(node, 1, TYPED)]
    return bind_parameters(builder, node, VARIABLE) if bind else parameter_types(builder, node)


def type_parameters(builder: DeclaredFactsBuilder, node: Node) -> None:
    """`[T any, U comparable]`, bound in the current scope."""
    full = builder.full
    for part in node.named_children:
        constraint = part.child_by_field_name("type")
        builder.full = (part.start_byte, part.end_byte)
        rows = [builder.define(name, TYPE_PARAMETER) for name in part.children_by_field_name("name")]
        bound = builder.read(constraint, 1, TYPED) if constraint is not None else -1
        for row in rows:
            builder.definitions[row][D_TYPE] = bound
    builder.full = full


RULES: dict[str, Rule] = {
    "type_identifier": named,
    "qualified_type": qualified,
    "pointer_type": inner,
    "parenthesized_type": inner,
    "type_elem": inner,
    "type_constraint": inner,
    "negated_type": inner,
    "slice_type": sequence,
    "array_type": sequence,
    "implicit_length_array_type": sequence,
    "channel_type": channel,
    "map_type": mapping,
    "generic_type": generic_type,
    "function_type": function_type,
    "struct_type": struct_type,
    "interface_type": struct_type,
}
