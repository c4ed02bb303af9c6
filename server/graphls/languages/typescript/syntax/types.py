"""Types: annotations and everything else that stands where a type is expected.

Owns: occurrences in types; the expression rows of types.
Must not know: statements, what a type is used for.
Invariant: each name in a type is recorded once, whatever the caller wants back.
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from graphls.facts.kinds import ImportFlag
from graphls.languages.extract.facts_builder import D_NAME, D_TYPE
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.facts_builder import (
    IMPLEMENT,
    INHERITED,
    LAMBDA_SCOPE,
    MEMBER,
    NAME,
    OBJECT,
    OBJECT_SCOPE,
    READ,
    SUBSCRIPT,
    TUPLE,
    TYPE_PARAMETER,
    TYPE_PARAMETERS,
    TYPED,
    UNION,
    WANTED,
    Rule,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import parameters, type_parameters
from graphls.languages.typescript.syntax.mending import IMPORT_TYPE
from graphls.languages.typescript.syntax.nesting import children, field, guarded
from graphls.languages.typescript.syntax.signatures import members


def _role(role: int) -> int:
    return role if role in (INHERITED, IMPLEMENT) else TYPED


def wrapped(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A type inside of something that adds nothing to it."""
    row = -1
    for part in node.named_children:
        row = builder.read(part, want, _role(role))
    return row


def type_name(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A plain name."""
    start = node.start_byte
    name = builder.use(start, node.end_byte, _role(role))
    return builder.expression(NAME, name, builder.scope, start)


def nested_name(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a.b.C`."""
    parts = children(node)
    if len(parts) != 2:
        return wrapped(builder, node, want, TYPED)
    left, right = parts
    if is_module(builder, left):
        base = module(builder, left)
    elif builder.kinds.of(left) == nodes.IDENTIFIER:
        name = builder.use(left.start_byte, left.end_byte, TYPED)
        base = builder.expression(NAME, name, builder.scope, left.start_byte)
    else:
        base = builder.read(left, WANTED, TYPED)
    if base < 0:
        base = builder.unknown()
    name = builder.use(right.start_byte, right.end_byte, _role(role), base)
    return builder.expression(MEMBER, base, name, right.start_byte)


def generic_type(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name<A, B>`."""
    parts = children(node)
    base, arguments = -1, list[int]()
    for part in parts:
        if builder.kinds.of(part) == nodes.TYPE_ARGUMENTS:
            arguments = type_arguments(builder, part)
        else:
            base = builder.read(part, WANTED, role if builder.kinds.of(part) != nodes.IDENTIFIER else TYPED)
    return builder.expression(SUBSCRIPT, base, builder.sequence(arguments)) if base >= 0 else -1


def type_arguments(builder: TsFactsBuilder, node: Node) -> list[int]:
    """The types between `<` and `>`."""
    return [builder.read(part, WANTED, TYPED) for part in children(node)]


def predefined(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`string` and the like."""
    return builder.builtin(builder.source(node.start_byte, node.end_byte))


def this_type(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`this`."""
    return builder.builtin("this")


def union(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`A | B`; the left spine is walked, not recursed into."""
    return builder.expression(UNION, builder.sequence(_spine(builder, node)))


def intersection(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`A & B`."""
    return builder.operator("&", *_spine(builder, node))


def _spine(builder: TsFactsBuilder, node: Node) -> list[int]:
    pending: list[Node] = []
    kind: int = node.kind_id
    while node.kind_id == kind:
        parts = children(node)
        pending.extend(reversed(parts[1:]))
        if not parts:
            break
        node = parts[0]
    else:
        pending.append(node)
    return [builder.read(part, WANTED, TYPED) for part in reversed(pending)]


def array(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T[]`."""
    return builder.operator("Array", wrapped(builder, node, WANTED, TYPED))


def tuple_type(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[A, b: B]`."""
    rows: list[int] = []
    for part in children(node):
        if builder.kinds.of(part) in (nodes.REQUIRED_PARAMETER, nodes.OPTIONAL_PARAMETER):
            annotation = field(builder, part, nodes.F_TYPE)
            rows.append(builder.read(annotation, WANTED, TYPED) if annotation is not None else -1)
        else:
            rows.append(builder.read(part, WANTED, TYPED))
    return builder.expression(TUPLE, builder.sequence(rows))


def object_type(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ a: A; b(): B }`."""
    owner = builder.take_owner()
    outer, full = builder.scope, builder.full
    scope = builder.scope = builder.open_scope(OBJECT_SCOPE, node.start_byte, node.end_byte, owner)
    mapped = members(builder, node)
    builder.scope, builder.full = outer, full
    return builder.operator("mapped", *mapped) if mapped else builder.expression(OBJECT, scope)


def function_type(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(a: A) => B` and `new (a: A) => B`: operands are the result and the parameters."""
    outer, full = builder.scope, builder.full
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    mark = len(builder.definitions)
    result = -1
    for part in children(node):
        if builder.kinds.of(part) == nodes.TYPE_PARAMETERS:
            type_parameters(builder, part)
        elif builder.kinds.of(part) == nodes.FORMAL_PARAMETERS:
            parameters(builder, part, -1, -1)
        else:
            result = builder.read(part, WANTED, TYPED)
    scope = builder.scope
    this = builder.texts.get("this", -1)  # declared among the parameters, it is no argument
    bound = [row for row in builder.definitions[mark:] if row[3] == scope and row[1] != TYPE_PARAMETER]
    given = [row[D_TYPE] for row in bound if row[D_NAME] != this]
    given += [builder.operator("this", row[D_TYPE]) for row in bound if row[D_NAME] == this and row[D_TYPE] >= 0]
    builder.scope, builder.full = outer, full
    return builder.operator("new" if builder.kinds.of(node) == nodes.CONSTRUCTOR_TYPE else "=>", result, *given)


def type_query(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`typeof value`."""
    row = -1
    for part in children(node):
        if builder.kinds.of(part) == nodes.TYPE_ARGUMENTS:
            type_arguments(builder, part)
        elif is_module(builder, part):
            row = module(builder, part)
        else:
            row = builder.read(part, WANTED, READ)
    return builder.operator("typeof", row) if row >= 0 else -1


def is_module(builder: TsFactsBuilder, node: Node) -> bool:
    """Whether what reads as a plain name is `import("m")`, mended."""
    return builder.kinds.of(node) == nodes.IDENTIFIER and builder.data.startswith(IMPORT_TYPE, node.start_byte)


def module(builder: TsFactsBuilder, node: Node) -> int:
    """The module of `import("m")`, mended: the name of the module stands in quotes and brackets."""
    name = builder.name(node.start_byte + len(IMPORT_TYPE) + 1, node.end_byte - 2)
    flags = int(ImportFlag.DYNAMIC | ImportFlag.TYPE_CHECKING)
    builder.imports.append([name, 0, -1, -1, flags, node.start_byte, node.end_byte, builder.scope])
    return builder.module(name, 0)


def keyof(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`keyof T`."""
    row = wrapped(builder, node, WANTED, TYPED)
    return builder.operator("keyof", row) if row >= 0 else builder.builtin("string")


def lookup(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T["key"]`."""
    rows = [builder.read(part, WANTED, TYPED) for part in children(node)]
    return builder.operator("[]", *rows)


def literal_type(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`"a"`, `1`, `null`."""
    row = -1
    for part in children(node):
        row = builder.read(part, WANTED)
    return row


def conditional(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`A extends B ? C : D`: names after `infer` are known in `C`."""
    outer = builder.scope
    builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte)
    rows = [builder.read(part, WANTED, TYPED) for part in children(node)]
    builder.scope = outer
    return builder.operator("?", *rows)


def inferred(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`infer R extends Bound`."""
    parts = children(node)
    if not parts:
        return -1
    name, full, scope = parts[0], builder.full, builder.scope
    while scope > 0 and builder.scopes[scope][0] != TYPE_PARAMETERS:
        scope = builder.scopes[scope][1]
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(
        builder.name(name.start_byte, name.end_byte),
        TYPE_PARAMETER,
        name.start_byte,
        name.end_byte,
        scope or builder.scope,
    )
    for part in parts[1:]:
        builder.definitions[row][D_TYPE] = builder.read(part, WANTED, TYPED)
    builder.full = full
    return builder.expression(NAME, builder.definitions[row][0], scope, -1)


def predicate(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x is T`, `asserts x`: of a parameter, its place and the type."""
    row = -1
    for part in children(node):
        if builder.kinds.of(part) == nodes.IDENTIFIER:
            builder.read(part, 0, READ)
        else:
            row = builder.read(part, WANTED, TYPED)
    place = _place(builder, node, node.child_by_field_name("name")) if row >= 0 else -1
    return builder.operator(f"is:{place}", row) if place >= 0 else builder.builtin("boolean")


def _place(builder: TsFactsBuilder, node: Node, name: Node | None) -> int:
    """Which parameter of the function around it a name is, -1 for none."""
    outer = builder.ancestry.parent(node)
    for _ in range(6):
        given = outer.child_by_field_name("parameters") if outer is not None else None
        if given is not None and name is not None:
            patterns = [part.child_by_field_name("pattern") or part for part in children(given)]
            return next((place for place, part in enumerate(patterns) if part.text == name.text), -1)
        outer = builder.ancestry.parent(outer) if outer is not None else None
    return -1


def template(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A type made of text."""
    wrapped(builder, node, 0, TYPED)
    return builder.builtin("string")


def arguments(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """Type arguments that nobody asked for."""
    type_arguments(builder, node)
    return -1


RULES: Mapping[str, Rule] = {
    "type_identifier": type_name,
    "nested_type_identifier": guarded(nested_name),
    "nested_identifier": guarded(nested_name),
    "generic_type": guarded(generic_type),
    "type_arguments": guarded(arguments),
    "predefined_type": predefined,
    "this_type": this_type,
    "union_type": guarded(union),
    "intersection_type": guarded(intersection),
    "array_type": guarded(array),
    "tuple_type": guarded(tuple_type),
    "object_type": guarded(object_type),
    "function_type": guarded(function_type),
    "constructor_type": guarded(function_type),
    "type_query": guarded(type_query),
    "index_type_query": guarded(keyof),
    "lookup_type": guarded(lookup),
    "literal_type": guarded(literal_type),
    "conditional_type": guarded(conditional),
    "infer_type": guarded(inferred),
    "type_predicate": guarded(predicate),
    "template_literal_type": guarded(template),
    "template_type": guarded(wrapped),
    **dict.fromkeys(
        (
            "type_annotation",
            "parenthesized_type",
            "readonly_type",
            "constraint",
            "default_type",
            "opting_type_annotation",
            "omitting_type_annotation",
            "adding_type_annotation",
            "optional_type",
            "rest_type",
            "asserts",
            "asserts_annotation",
            "type_predicate_annotation",
            "flow_maybe_type",
        ),
        guarded(wrapped),
    ),
}
