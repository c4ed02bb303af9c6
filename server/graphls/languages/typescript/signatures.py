"""Signatures: the members of interfaces, object types and classes that are declared without a value.

Owns: properties, methods, call, construct and index signatures.
Must not know: where the members belong.
Invariant: members are bound in the current scope.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.draft import D_FLAGS, D_KIND, D_TYPE
from graphls.languages.typescript.draft import (
    ABSTRACT,
    CLASS,
    CLASS_SCOPE,
    DEFAULTED,
    FIELD,
    METHOD,
    OVERLOAD,
    PROPERTY,
    SETTER,
    STATIC,
    TYPE_PARAMETER,
    TYPE_PARAMETERS,
    TYPED,
    WANTED,
    Draft,
)
from graphls.languages.typescript.functions import documentation, function
from graphls.languages.typescript.nesting import children

CALL_NAME: Final = "()"
CONSTRUCT_NAME: Final = "new()"
METHODS = frozenset(("method_signature", "abstract_method_signature", "call_signature", "construct_signature"))


def members(draft: Draft, node: Node) -> list[int]:
    """Reads all members of an interface or object type; expressions of a mapped type where it is one."""
    mapped: list[int] = []
    outer = draft.doc
    comment: Node | None = None
    for part in node.named_children:
        if part.type == "comment":
            comment = part
            continue
        draft.doc = documentation(draft, comment) if comment is not None else -1
        comment = None
        draft.full = (part.start_byte, part.end_byte)
        if part.type in METHODS:
            method_signature(draft, part)
        elif part.type == "property_signature":
            property_signature(draft, part)
        elif part.type == "index_signature":
            mapped += index_signature(draft, part)
        else:
            draft.read(part)
    draft.doc = outer
    return mapped


def name_of(draft: Draft, node: Node | None) -> tuple[int, int, int] | None:
    """Name, start and end of a member; None for a computed one, whose expression is read."""
    if node is None:
        return None
    start, end = node.start_byte, node.end_byte
    if node.type in ("property_identifier", "private_property_identifier", "identifier", "number"):
        return (draft.name(start, end), start, end) if end > start else None
    if node.type == "string":
        return (draft.name(start + 1, end - 1), start + 1, end - 1) if end - start > 2 else None
    draft.read(node)
    return None


def method_signature(draft: Draft, node: Node) -> None:
    """A method, getter or setter without a body; call and construct signatures have names of their own."""
    kind, flags = METHOD, 0
    for child in node.children:
        word = child.type
        if word in ("get", "set"):
            kind, flags = PROPERTY, flags | (SETTER if word == "set" else 0)
        elif word == "static":
            flags |= STATIC
        elif word == "abstract":
            flags |= ABSTRACT
        elif child.is_named and word not in ("accessibility_modifier", "override_modifier"):
            break
    start = node.start_byte
    named: tuple[int, int, int] | None
    if node.type == "call_signature":
        named = (draft.text(CALL_NAME), start, start + 1)
    elif node.type == "construct_signature":
        named = (draft.text(CONSTRUCT_NAME), start, start + 3)
    else:
        named = name_of(draft, node.child_by_field_name("name"))
    if named is None:
        function(draft, node, -1)
        return
    row = draft.define(named[0], kind, named[1], named[2], draft.scope)
    draft.definitions[row][D_FLAGS] |= flags
    if kind == METHOD and not flags & ABSTRACT and _in_class(draft):
        draft.definitions[row][D_FLAGS] |= OVERLOAD
    function(draft, node, row)


def _in_class(draft: Draft) -> bool:
    """A signature in a class has its implementation behind it."""
    kind, _, _, _, owner = draft.scopes[draft.scope]
    return kind == CLASS_SCOPE and owner >= 0 and draft.definitions[owner][D_KIND] == CLASS


def property_signature(draft: Draft, node: Node) -> None:
    """`name?: Type`."""
    named = name_of(draft, node.child_by_field_name("name"))
    annotation = node.child_by_field_name("type")
    if named is None:
        if annotation is not None:
            draft.read(annotation)
        return
    row = draft.define(named[0], FIELD, named[1], named[2], draft.scope)
    for child in node.children:
        if child.type == "?":
            draft.definitions[row][D_FLAGS] |= DEFAULTED
    if annotation is not None:
        owner, draft.owner = draft.owner, row
        draft.object_owner = row if _is_object(annotation) else -1
        draft.definitions[row][D_TYPE] = draft.read(annotation, WANTED, TYPED)
        draft.owner = owner


def _is_object(annotation: Node) -> bool:
    parts = children(annotation)
    return len(parts) == 1 and parts[0].type == "object_type"


def index_signature(draft: Draft, node: Node) -> list[int]:
    """`[key: string]: T`, or `[K in Keys]: T`: what a mapped type is made of."""
    outer = draft.scope
    mapped: list[int] = []
    draft.scope = draft.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte)
    for part in children(node):
        if part.type == "mapped_type_clause":
            mapped = _mapped(draft, part)
        elif part.type in ("identifier", "readonly"):
            continue
        else:
            row = draft.read(part, WANTED, TYPED)
            if mapped:
                mapped.append(row)
    draft.scope = outer
    return mapped


def _mapped(draft: Draft, node: Node) -> list[int]:
    name = node.child_by_field_name("name")
    if name is not None:
        start, end = name.start_byte, name.end_byte
        draft.define(draft.name(start, end), TYPE_PARAMETER, start, end, draft.scope)
    keys = [draft.read(part, WANTED, TYPED) for part in children(node) if part != name]
    return keys[:1] or [-1]
