"""Signatures: the members of interfaces, object types and classes that are declared without a value.

Owns: properties, methods, call, construct and index signatures.
Must not know: where the members belong.
Invariant: members are bound in the current scope.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.draft import D_FLAGS, D_KIND, D_TYPE
from graphls.languages.typescript import nodes
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
from graphls.languages.typescript.nesting import children, field

CALL_NAME: Final = "()"
CONSTRUCT_NAME: Final = "new()"


def members(draft: Draft, node: Node) -> list[int]:
    """Reads all members of an interface or object type; expressions of a mapped type where it is one."""
    mapped: list[int] = []
    outer = draft.doc
    comment: Node | None = None
    for part in node.named_children:
        if draft.kinds.of(part) == nodes.COMMENT:
            comment = part
            continue
        draft.doc = documentation(draft, comment) if comment is not None else -1
        comment = None
        draft.full = (part.start_byte, part.end_byte)
        if draft.kinds.marks(part) & nodes.METHODS:
            method_signature(draft, part)
        elif draft.kinds.of(part) == nodes.PROPERTY_SIGNATURE:
            property_signature(draft, part)
        elif draft.kinds.of(part) == nodes.INDEX_SIGNATURE:
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
    if draft.kinds.of(node) in (
        nodes.PROPERTY_IDENTIFIER,
        nodes.PRIVATE_PROPERTY_IDENTIFIER,
        nodes.IDENTIFIER,
        nodes.NUMBER,
    ):
        return (draft.name(start, end), start, end) if end > start else None
    if draft.kinds.of(node) == nodes.STRING:
        return (draft.name(start + 1, end - 1), start + 1, end - 1) if end - start > 2 else None
    draft.read(node)
    return None


def method_signature(draft: Draft, node: Node) -> None:
    """A method, getter or setter without a body; call and construct signatures have names of their own."""
    kind, flags = METHOD, 0
    for child in node.children:
        word = draft.kinds.of(child)
        if word in (nodes.GET, nodes.SET):
            kind, flags = PROPERTY, flags | (SETTER if word == nodes.SET else 0)
        elif word == nodes.STATIC:
            flags |= STATIC
        elif word == nodes.ABSTRACT:
            flags |= ABSTRACT
        elif word not in (nodes.ACCESSIBILITY_MODIFIER, nodes.OVERRIDE_MODIFIER) and child.is_named:
            break
    start = node.start_byte
    named: tuple[int, int, int] | None
    if draft.kinds.of(node) == nodes.CALL_SIGNATURE:
        named = (draft.text(CALL_NAME), start, start + 1)
    elif draft.kinds.of(node) == nodes.CONSTRUCT_SIGNATURE:
        named = (draft.text(CONSTRUCT_NAME), start, start + 3)
    else:
        named = name_of(draft, field(draft, node, nodes.F_NAME))
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
    named = name_of(draft, field(draft, node, nodes.F_NAME))
    annotation = field(draft, node, nodes.F_TYPE)
    if named is None:
        if annotation is not None:
            draft.read(annotation)
        return
    row = draft.define(named[0], FIELD, named[1], named[2], draft.scope)
    for child in node.children:
        if draft.kinds.of(child) == nodes.QUESTION:
            draft.definitions[row][D_FLAGS] |= DEFAULTED
    if annotation is not None:
        owner, draft.owner = draft.owner, row
        draft.object_owner = row if _is_object(draft, annotation) else -1
        draft.definitions[row][D_TYPE] = draft.read(annotation, WANTED, TYPED)
        draft.owner = owner


def _is_object(draft: Draft, annotation: Node) -> bool:
    parts = children(annotation)
    return len(parts) == 1 and draft.kinds.of(parts[0]) == nodes.OBJECT_TYPE


def index_signature(draft: Draft, node: Node) -> list[int]:
    """`[key: string]: T`, or `[K in Keys]: T`: what a mapped type is made of, of `[K in Keys]: T[K]` the T alone."""
    outer = draft.scope
    mapped: list[int] = []
    key = b""
    draft.scope = draft.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte)
    for part in children(node):
        if draft.kinds.of(part) == nodes.MAPPED_TYPE_CLAUSE:
            mapped = _mapped(draft, part)
            name = field(draft, part, nodes.F_NAME)
            key = name.text or b"" if name is not None and mapped != [-1] else b""
        elif draft.kinds.of(part) in (nodes.IDENTIFIER, nodes.READONLY):
            continue
        else:
            whole = _looked_up(part, key)
            row = draft.read(part if whole is None else whole[0], WANTED, TYPED)
            if whole is not None:
                draft.read(whole[1], 0, TYPED)
                mapped = [row]
            elif mapped:
                mapped.append(row)
    draft.scope = outer
    return mapped


def _looked_up(node: Node, key: bytes) -> tuple[Node, Node] | None:
    """T and the key of `: T[key]`."""
    inner = children(node)
    parts = children(inner[0]) if key and len(inner) == 1 and inner[0].type == "lookup_type" else []
    if len(parts) != 2 or parts[1].type != "type_identifier" or parts[1].text != key:
        return None
    return parts[0], parts[1]


def _mapped(draft: Draft, node: Node) -> list[int]:
    name = field(draft, node, nodes.F_NAME)
    if name is not None:
        start, end = name.start_byte, name.end_byte
        draft.define(draft.name(start, end), TYPE_PARAMETER, start, end, draft.scope)
    keys = [draft.read(part, WANTED, TYPED) for part in children(node) if part != name]
    # Members of other names than their keys are nobody's.
    return keys if len(keys) == 1 else [-1]
