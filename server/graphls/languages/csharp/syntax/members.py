"""Members: parameters and bodies of whatever can be called.

Owns: scopes of functions, parameters, what a body gives back.
Must not know: statements, other files.
Invariant: a body that is an expression gives back that expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag
from graphls.languages.csharp.syntax.facts_builder import (
    ABSTRACT,
    PARAMETER,
    TYPE_PARAMETERS,
    csharp,
    modifiers,
    words,
)
from graphls.languages.csharp.syntax.types import constraints, read_type, type_parameters
from graphls.languages.declared.facts_builder import FUNCTION_SCOPE, RETURN, DeclaredFactsBuilder, Frame, Rule
from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_TYPE

VARIADIC: Final = int(DefinitionFlag.VARIADIC)
DEFAULTED: Final = int(DefinitionFlag.DEFAULTED)
RECEIVER: Final = int(DefinitionFlag.RECEIVER)
"""On a parameter: of a method that extends its type."""
Reader = Callable[[DeclaredFactsBuilder, Node], None]


def parameters(builder: DeclaredFactsBuilder, node: Node | None, kind: int = PARAMETER, flags: int = 0) -> None:
    """Binds parameters, or the components of a record, in the current scope."""
    inside = list(node.named_children) if node is not None else []
    full = builder.full
    for part in inside:
        if part.type == "parameter":
            name = part.child_by_field_name("name")
            if name is not None:
                _parameter(builder, part, name, kind, flags)
        elif part.type == "attribute_list":
            builder.read_all(part)
    if node is not None:
        _spread(builder, node, kind, flags)
    builder.full = full


def _parameter(builder: DeclaredFactsBuilder, part: Node, name: Node, kind: int, flags: int) -> None:
    written = part.child_by_field_name("type")
    builder.full = (part.start_byte, part.end_byte)
    row = builder.define(name, kind, flags)
    modifiers(builder, part, row)
    known = words(part)
    defaulted = any(one.type == "=" for one in part.children)
    spread, extends = b"params" in known, b"this" in known
    more = (VARIADIC if spread else 0) | (DEFAULTED if defaulted else 0) | (RECEIVER if extends else 0)
    definition = builder.definitions[row]
    definition[D_FLAGS] |= more
    definition[D_TYPE] = read_type(builder, written)
    for one in part.named_children:
        if one.id != name.id and (written is None or one.id != written.id) and one.type != "attribute_list":
            builder.read(one, 1)


def _spread(builder: DeclaredFactsBuilder, node: Node, kind: int, flags: int) -> None:
    """`params T[] name`, which the grammar puts beside the other parameters."""
    name, written = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is not None and written is not None:
        builder.full = (written.start_byte, name.end_byte)
        row = builder.define(name, kind, flags | VARIADIC)
        builder.definitions[row][D_TYPE] = read_type(builder, written)


def function(builder: DeclaredFactsBuilder, node: Node, row: int, result: str, read: Reader) -> None:
    """Type parameters, parameters, result and body of something that can be called."""
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    code = node.child_by_field_name("body")
    builder.definitions[row][D_FLAGS] |= modifiers(builder, node, row) | (ABSTRACT if code is None else 0)
    given = node.child_by_field_name("type_parameters")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        constraints(builder, node, type_parameters(builder, given))
    written = node.child_by_field_name(result) if result else None
    gives = read_type(builder, written)
    if gives >= 0 and written is not None and written.text != b"void":
        builder.returns.append((row, builder.instance(gives), RETURN))
    listed = node.child_by_field_name("parameters")
    start = listed.start_byte if listed is not None else node.start_byte
    builder.scope = builder.open_scope(FUNCTION_SCOPE, start, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    parameters(builder, listed)
    for part in node.named_children:
        if part.type == "constructor_initializer":
            builder.read(part)
    if code is not None:
        body(builder, row, code, gives, read)
    builder.scope, builder.owner, builder.full = outer, owner, full


def body(builder: DeclaredFactsBuilder, row: int, code: Node, gives: int, read: Reader) -> None:
    """A body in braces or behind an arrow. `gives`: the type that is written for its result."""
    own = csharp(builder)
    outer, own.expected = own.expected, -1

    def inside(builder: DeclaredFactsBuilder, node: Node) -> None:
        builder.frame.result = gives
        if node.type == "block":
            read(builder, node)
        else:
            builder.read(node)

    builder.read_body(row, code, inside)
    own.expected = outer


def own_bodies(read: Reader) -> Rule:
    """The rule of `get`, `set`, `init`, `add`, `remove`: `value` is what is given."""

    def accessor(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        own, code = csharp(builder), node.child_by_field_name("body")
        word = next((part.type for part in node.children if not part.is_named and part.type != ";"), "")
        if code is None:
            builder.read_all(node)
            return -1
        outer, setter, frame = builder.scope, own.in_setter, builder.frame
        own.in_setter = word != "get"
        builder.scope = builder.open_scope(FUNCTION_SCOPE, node.start_byte, node.end_byte)
        builder.frame = Frame(frame.definition)
        builder.frame.result = own.set_type
        if code.type == "block":
            read(builder, code)
        else:
            builder.read(code)
        frame.branches += builder.frame.branches
        frame.statements += builder.frame.statements
        builder.frame = frame
        builder.scope, own.in_setter = outer, setter
        return -1

    return accessor
