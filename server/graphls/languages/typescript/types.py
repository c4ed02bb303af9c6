"""Types: annotations and everything else that stands where a type is expected.

Owns: occurrences in types; the expression rows of types.
Must not know: statements, what a type is used for.
Invariant: each name in a type is recorded once, whatever the caller wants back.
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from graphls.facts.kinds import ImportFlag
from graphls.languages.draft import D_TYPE
from graphls.languages.typescript import nodes
from graphls.languages.typescript.draft import (
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
    Draft,
    Rule,
)
from graphls.languages.typescript.functions import parameters, type_parameters
from graphls.languages.typescript.mending import IMPORT_TYPE
from graphls.languages.typescript.nesting import children, field, guarded
from graphls.languages.typescript.signatures import members


def _role(role: int) -> int:
    return role if role in (INHERITED, IMPLEMENT) else TYPED


def wrapped(draft: Draft, node: Node, want: int, role: int) -> int:
    """A type inside of something that adds nothing to it."""
    row = -1
    for part in node.named_children:
        row = draft.read(part, want, _role(role))
    return row


def type_name(draft: Draft, node: Node, want: int, role: int) -> int:
    """A plain name."""
    start = node.start_byte
    name = draft.use(start, node.end_byte, _role(role))
    return draft.expression(NAME, name, draft.scope, start)


def nested_name(draft: Draft, node: Node, want: int, role: int) -> int:
    """`a.b.C`."""
    parts = children(node)
    if len(parts) != 2:
        return wrapped(draft, node, want, TYPED)
    left, right = parts
    if is_module(draft, left):
        base = module(draft, left)
    elif draft.kinds.of(left) == nodes.IDENTIFIER:
        name = draft.use(left.start_byte, left.end_byte, TYPED)
        base = draft.expression(NAME, name, draft.scope, left.start_byte)
    else:
        base = draft.read(left, WANTED, TYPED)
    if base < 0:
        base = draft.unknown()
    name = draft.use(right.start_byte, right.end_byte, _role(role), base)
    return draft.expression(MEMBER, base, name, right.start_byte)


def generic_type(draft: Draft, node: Node, want: int, role: int) -> int:
    """`Name<A, B>`."""
    parts = children(node)
    base, arguments = -1, list[int]()
    for part in parts:
        if draft.kinds.of(part) == nodes.TYPE_ARGUMENTS:
            arguments = type_arguments(draft, part)
        else:
            base = draft.read(part, WANTED, role if draft.kinds.of(part) != nodes.IDENTIFIER else TYPED)
    return draft.expression(SUBSCRIPT, base, draft.sequence(arguments)) if base >= 0 else -1


def type_arguments(draft: Draft, node: Node) -> list[int]:
    """The types between `<` and `>`."""
    return [draft.read(part, WANTED, TYPED) for part in children(node)]


def predefined(draft: Draft, node: Node, want: int, role: int) -> int:
    """`string` and the like."""
    return draft.builtin(draft.source(node.start_byte, node.end_byte))


def this_type(draft: Draft, node: Node, want: int, role: int) -> int:
    """`this`."""
    return draft.builtin("this")


def union(draft: Draft, node: Node, want: int, role: int) -> int:
    """`A | B`; the left spine is walked, not recursed into."""
    return draft.expression(UNION, draft.sequence(_spine(draft, node)))


def intersection(draft: Draft, node: Node, want: int, role: int) -> int:
    """`A & B`."""
    return draft.operator("&", *_spine(draft, node))


def _spine(draft: Draft, node: Node) -> list[int]:
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
    return [draft.read(part, WANTED, TYPED) for part in reversed(pending)]


def array(draft: Draft, node: Node, want: int, role: int) -> int:
    """`T[]`."""
    return draft.operator("Array", wrapped(draft, node, WANTED, TYPED))


def tuple_type(draft: Draft, node: Node, want: int, role: int) -> int:
    """`[A, b: B]`."""
    rows: list[int] = []
    for part in children(node):
        if draft.kinds.of(part) in (nodes.REQUIRED_PARAMETER, nodes.OPTIONAL_PARAMETER):
            annotation = field(draft, part, nodes.F_TYPE)
            rows.append(draft.read(annotation, WANTED, TYPED) if annotation is not None else -1)
        else:
            rows.append(draft.read(part, WANTED, TYPED))
    return draft.expression(TUPLE, draft.sequence(rows))


def object_type(draft: Draft, node: Node, want: int, role: int) -> int:
    """`{ a: A; b(): B }`."""
    owner = draft.take_owner()
    outer, full = draft.scope, draft.full
    scope = draft.scope = draft.open_scope(OBJECT_SCOPE, node.start_byte, node.end_byte, owner)
    mapped = members(draft, node)
    draft.scope, draft.full = outer, full
    return draft.operator("mapped", *mapped) if mapped else draft.expression(OBJECT, scope)


def function_type(draft: Draft, node: Node, want: int, role: int) -> int:
    """`(a: A) => B` and `new (a: A) => B`: operands are the result and the parameters."""
    outer, full = draft.scope, draft.full
    draft.scope = draft.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    mark = len(draft.definitions)
    result = -1
    for part in children(node):
        if draft.kinds.of(part) == nodes.TYPE_PARAMETERS:
            type_parameters(draft, part)
        elif draft.kinds.of(part) == nodes.FORMAL_PARAMETERS:
            parameters(draft, part, -1, -1)
        else:
            result = draft.read(part, WANTED, TYPED)
    scope = draft.scope
    given = [row[D_TYPE] for row in draft.definitions[mark:] if row[3] == scope and row[1] != TYPE_PARAMETER]
    draft.scope, draft.full = outer, full
    return draft.operator("new" if draft.kinds.of(node) == nodes.CONSTRUCTOR_TYPE else "=>", result, *given)


def type_query(draft: Draft, node: Node, want: int, role: int) -> int:
    """`typeof value`."""
    row = -1
    for part in children(node):
        if draft.kinds.of(part) == nodes.TYPE_ARGUMENTS:
            type_arguments(draft, part)
        elif is_module(draft, part):
            row = module(draft, part)
        else:
            row = draft.read(part, WANTED, READ)
    return draft.operator("typeof", row) if row >= 0 else -1


def is_module(draft: Draft, node: Node) -> bool:
    """Whether what reads as a plain name is `import("m")`, mended."""
    return draft.kinds.of(node) == nodes.IDENTIFIER and draft.data.startswith(IMPORT_TYPE, node.start_byte)


def module(draft: Draft, node: Node) -> int:
    """The module of `import("m")`, mended: the name of the module stands in quotes and brackets."""
    name = draft.name(node.start_byte + len(IMPORT_TYPE) + 1, node.end_byte - 2)
    draft.imports.append([name, 0, -1, -1, int(ImportFlag.DYNAMIC), node.start_byte, node.end_byte, draft.scope])
    return draft.module(name, 0)


def keyof(draft: Draft, node: Node, want: int, role: int) -> int:
    """`keyof T`."""
    row = wrapped(draft, node, WANTED, TYPED)
    return draft.operator("keyof", row) if row >= 0 else draft.builtin("string")


def lookup(draft: Draft, node: Node, want: int, role: int) -> int:
    """`T["key"]`."""
    rows = [draft.read(part, WANTED, TYPED) for part in children(node)]
    return draft.operator("[]", *rows)


def literal_type(draft: Draft, node: Node, want: int, role: int) -> int:
    """`"a"`, `1`, `null`."""
    row = -1
    for part in children(node):
        row = draft.read(part, WANTED)
    return row


def conditional(draft: Draft, node: Node, want: int, role: int) -> int:
    """`A extends B ? C : D`: names after `infer` are known in `C`."""
    outer = draft.scope
    draft.scope = draft.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte)
    rows = [draft.read(part, WANTED, TYPED) for part in children(node)]
    draft.scope = outer
    return draft.operator("?", *rows)


def inferred(draft: Draft, node: Node, want: int, role: int) -> int:
    """`infer R extends Bound`."""
    parts = children(node)
    if not parts:
        return -1
    name, full, scope = parts[0], draft.full, draft.scope
    while scope > 0 and draft.scopes[scope][0] != TYPE_PARAMETERS:
        scope = draft.scopes[scope][1]
    draft.full = (node.start_byte, node.end_byte)
    row = draft.define(
        draft.name(name.start_byte, name.end_byte), TYPE_PARAMETER, name.start_byte, name.end_byte, scope or draft.scope
    )
    for part in parts[1:]:
        draft.definitions[row][D_TYPE] = draft.read(part, WANTED, TYPED)
    draft.full = full
    return draft.expression(NAME, draft.definitions[row][0], scope, -1)


def predicate(draft: Draft, node: Node, want: int, role: int) -> int:
    """`x is T`, `asserts x`: of a parameter, its place and the type."""
    row = -1
    for part in children(node):
        if draft.kinds.of(part) == nodes.IDENTIFIER:
            draft.read(part, 0, READ)
        else:
            row = draft.read(part, WANTED, TYPED)
    place = _place(node, node.child_by_field_name("name")) if row >= 0 else -1
    return draft.operator(f"is:{place}", row) if place >= 0 else draft.builtin("boolean")


def _place(node: Node, name: Node | None) -> int:
    """Which parameter of the function around it a name is, -1 for none."""
    outer = node.parent
    for _ in range(6):
        given = outer.child_by_field_name("parameters") if outer is not None else None
        if given is not None and name is not None:
            patterns = [part.child_by_field_name("pattern") or part for part in children(given)]
            return next((place for place, part in enumerate(patterns) if part.text == name.text), -1)
        outer = outer.parent if outer is not None else None
    return -1


def template(draft: Draft, node: Node, want: int, role: int) -> int:
    """A type made of text."""
    wrapped(draft, node, 0, TYPED)
    return draft.builtin("string")


def arguments(draft: Draft, node: Node, want: int, role: int) -> int:
    """Type arguments that nobody asked for."""
    type_arguments(draft, node)
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
