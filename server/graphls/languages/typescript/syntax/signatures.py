"""Signatures: the members of interfaces, object types and classes that are declared without a value.

Owns: properties, methods, call, construct and index signatures.
Must not know: where the members belong.
Invariant: members are bound in the current scope.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.languages.extract.facts_builder import D_FLAGS, D_KIND, D_TYPE
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.facts_builder import (
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
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import documentation, function
from graphls.languages.typescript.syntax.nesting import children, field
from graphls.languages.typescript.syntax.texts import symbol_key

CALL_NAME: Final = "()"
CONSTRUCT_NAME: Final = "new()"


def members(builder: TsFactsBuilder, node: Node) -> list[int]:
    """Reads all members of an interface or object type; expressions of a mapped type where it is one."""
    mapped: list[int] = []
    outer = builder.doc
    comment: Node | None = None
    for part in node.named_children:
        if builder.kinds.of(part) == nodes.COMMENT:
            comment = part
            continue
        builder.doc = documentation(builder, comment) if comment is not None else -1
        comment = None
        builder.full = (part.start_byte, part.end_byte)
        if builder.kinds.marks(part) & nodes.METHODS:
            method_signature(builder, part)
        elif builder.kinds.of(part) == nodes.PROPERTY_SIGNATURE:
            property_signature(builder, part)
        elif builder.kinds.of(part) == nodes.INDEX_SIGNATURE:
            mapped += index_signature(builder, part)
        else:
            builder.read(part)
    builder.doc = outer
    return mapped


def name_of(builder: TsFactsBuilder, node: Node | None) -> tuple[int, int, int] | None:
    """Name, start and end of a member; None for a computed one that is no symbol. What computes it is read."""
    if node is None:
        return None
    start, end = node.start_byte, node.end_byte
    if builder.kinds.of(node) in (
        nodes.PROPERTY_IDENTIFIER,
        nodes.PRIVATE_PROPERTY_IDENTIFIER,
        nodes.IDENTIFIER,
        nodes.NUMBER,
    ):
        return (builder.name(start, end), start, end) if end > start else None
    if builder.kinds.of(node) == nodes.STRING:
        return (builder.name(start + 1, end - 1), start + 1, end - 1) if end - start > 2 else None
    builder.read(node)
    name = symbol_key(builder, start, end)
    return (name, start, end) if name >= 0 else None


def method_signature(builder: TsFactsBuilder, node: Node) -> None:
    """A method, getter or setter without a body; call and construct signatures have names of their own."""
    kind, flags = METHOD, 0
    for child in node.children:
        word = builder.kinds.of(child)
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
    if builder.kinds.of(node) == nodes.CALL_SIGNATURE:
        named = (builder.text(CALL_NAME), start, start + 1)
    elif builder.kinds.of(node) == nodes.CONSTRUCT_SIGNATURE:
        named = (builder.text(CONSTRUCT_NAME), start, start + 3)
    else:
        named = name_of(builder, field(builder, node, nodes.F_NAME))
    if named is None:
        function(builder, node, -1)
        return
    row = builder.define(named[0], kind, named[1], named[2], builder.scope)
    builder.definitions[row][D_FLAGS] |= flags
    if kind == METHOD and not flags & ABSTRACT and _in_class(builder):
        builder.definitions[row][D_FLAGS] |= OVERLOAD
    function(builder, node, row)


def _in_class(builder: TsFactsBuilder) -> bool:
    """A signature in a class has its implementation behind it."""
    kind, _, _, _, owner = builder.scopes[builder.scope]
    return kind == CLASS_SCOPE and owner >= 0 and builder.definitions[owner][D_KIND] == CLASS


def property_signature(builder: TsFactsBuilder, node: Node) -> None:
    """`name?: Type`."""
    named = name_of(builder, field(builder, node, nodes.F_NAME))
    annotation = field(builder, node, nodes.F_TYPE)
    if named is None:
        if annotation is not None:
            builder.read(annotation)
        return
    row = builder.define(named[0], FIELD, named[1], named[2], builder.scope)
    for child in node.children:
        if builder.kinds.of(child) == nodes.QUESTION:
            builder.definitions[row][D_FLAGS] |= DEFAULTED
    if annotation is not None:
        owner, builder.owner = builder.owner, row
        builder.object_owner = row if _is_object(builder, annotation) else -1
        builder.definitions[row][D_TYPE] = builder.read(annotation, WANTED, TYPED)
        builder.owner = owner


def _is_object(builder: TsFactsBuilder, annotation: Node) -> bool:
    parts = children(annotation)
    return len(parts) == 1 and builder.kinds.of(parts[0]) == nodes.OBJECT_TYPE


def index_signature(builder: TsFactsBuilder, node: Node) -> list[int]:
    """`[key: string]: T`, or `[K in Keys]: T`: what a mapped type is made of, of `[K in Keys]: T[K]` the T alone."""
    outer = builder.scope
    mapped: list[int] = []
    key = b""
    builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte)
    for part in children(node):
        if builder.kinds.of(part) == nodes.MAPPED_TYPE_CLAUSE:
            mapped = _mapped(builder, part)
            name = field(builder, part, nodes.F_NAME)
            key = name.text or b"" if name is not None and mapped != [-1] else b""
        elif builder.kinds.of(part) in (nodes.IDENTIFIER, nodes.READONLY):
            continue
        else:
            whole = _looked_up(part, key)
            row = builder.read(part if whole is None else whole[0], WANTED, TYPED)
            if whole is not None:
                builder.read(whole[1], 0, TYPED)
                mapped = [row]
            elif mapped:
                mapped.append(row)
    builder.scope = outer
    return mapped


def _looked_up(node: Node, key: bytes) -> tuple[Node, Node] | None:
    """T and the key of `: T[key]`."""
    inner = children(node)
    parts = children(inner[0]) if key and len(inner) == 1 and inner[0].type == "lookup_type" else []
    if len(parts) != 2 or parts[1].type != "type_identifier" or parts[1].text != key:
        return None
    return parts[0], parts[1]


def _mapped(builder: TsFactsBuilder, node: Node) -> list[int]:
    name = field(builder, node, nodes.F_NAME)
    if name is not None:
        start, end = name.start_byte, name.end_byte
        builder.define(builder.name(start, end), TYPE_PARAMETER, start, end, builder.scope)
    keys = [builder.read(part, WANTED, TYPED) for part in children(node) if part != name]
    # Members of other names than their keys are nobody's.
    return keys if len(keys) == 1 else [-1]
