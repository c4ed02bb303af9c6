"""Declarations: modules, types, traits, implementations, functions and constants of Rust.

Owns: the rules of items.
Must not know: other files.
Invariant: a method is bound where its file begins, and its `type` says whose it is; a row whose name begins with
    `impl ` stands for each implementation: `type` is whose, `value` of which trait, `body` holds types and constants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag
from graphls.languages.declared.facts_builder import (
    FUNCTION_SCOPE,
    RETURN,
    TUPLE,
    TYPED,
    DeclaredFactsBuilder,
)
from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_TYPE, D_VALUE
from graphls.languages.rust.syntax.attributes import items
from graphls.languages.rust.syntax.facts_builder import (
    CLASS,
    CLASS_SCOPE,
    CONSTANT,
    ENUM,
    FIELD,
    FUNCTION,
    IMPL,
    IMPLEMENTED,
    INHERITED,
    INTERFACE,
    MACRO,
    METHOD,
    NAMESPACE,
    NAMESPACE_SCOPE,
    PARAMETER,
    TYPE_ALIAS,
    TYPE_PARAMETER,
    TYPE_PARAMETERS,
    VARIANT,
    RustFactsBuilder,
    RustRule,
    documentation,
    value,
)
from graphls.languages.rust.syntax.patterns import bind_parameter
from graphls.languages.rust.syntax.statements import block_parts
from graphls.languages.rust.syntax.types import SKIPPED, self_type, type_parameters, where_clause

ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
ASYNC: Final = int(DefinitionFlag.ASYNC)
EXPORTED: Final = int(DefinitionFlag.EXPORTED)
RECEIVER: Final = int(DefinitionFlag.RECEIVER)
STATIC: Final = int(DefinitionFlag.STATIC)


def _item(builder: RustFactsBuilder, node: Node, name: Node, kind: int, flags: int = 0) -> int:
    builder.full = (min(builder.lead, node.start_byte), node.end_byte)
    return builder.define(name, kind, flags)


def _describe(builder: RustFactsBuilder, row: int, node: Node, end: int, lead: int) -> None:
    builder.describe(row, node.start_byte, end, documentation(builder, min(lead, node.start_byte)))


def _generic(builder: RustFactsBuilder, node: Node, row: int) -> None:
    """Opens the scope of the type parameters of an item, and binds them."""
    parameters = node.child_by_field_name("type_parameters")
    if parameters is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        type_parameters(builder, parameters)


def function(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`fn name<T>(parameters) -> Result { ... }`."""
    name, lead = node.child_by_field_name("name"), builder.lead
    if name is None or name.type == "metavariable":
        builder.read_all(node)
        return -1
    outer, owner, full, holder = builder.scope, builder.owner, builder.full, builder.holder
    method, builder.members = builder.members, False
    written = node.child_by_field_name("parameters")
    flags = _flags(node, method, written)
    if method and holder != -1:
        builder.scope = 0
    row = _item(builder, node, name, METHOD if method else FUNCTION, flags)
    builder.scope, builder.owner = outer, row
    if method and holder != -1:
        builder.definitions[row][D_TYPE] = holder
    code = node.child_by_field_name("body")
    begin = code.start_byte if code is not None else node.end_byte
    _generic(builder, node, row)
    where_clause(builder, node)
    builder.scope = builder.open_scope(FUNCTION_SCOPE, begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    for part in written.named_children if written is not None else ():
        _parameter(builder, part)
    given = node.child_by_field_name("return_type")
    if given is not None:
        builder.returns.append((row, builder.instance(builder.read(given, 1, TYPED)), RETURN))
    builder.holder = -1
    if code is not None:
        builder.read_body(row, code, _body)
    builder.scope, builder.owner, builder.full = outer, owner, full
    builder.holder, builder.members = holder, method
    _describe(builder, row, node, begin, lead)
    return -1


def _flags(node: Node, method: bool, parameters: Node | None) -> int:
    flags = ABSTRACT if node.type == "function_signature_item" and method else 0
    for part in node.named_children:
        if part.type == "function_modifiers" and any(word.type == "async" for word in part.children):
            flags |= ASYNC
    taken = parameters.named_children if parameters is not None else []
    first = next((part for part in taken if part.type not in SKIPPED), None)
    pattern = first.child_by_field_name("pattern") if first is not None else None
    has_self = first is not None and (
        first.type == "self_parameter" or (pattern is not None and pattern.type == "self")
    )
    return flags | STATIC if method and not has_self else flags


def _parameter(builder: RustFactsBuilder, node: Node) -> None:
    builder.full = (node.start_byte, node.end_byte)
    if node.type == "self_parameter":
        name = next((part for part in node.named_children if part.type == "self"), None)
        if name is not None:
            row = builder.define(name, PARAMETER, RECEIVER)
            builder.definitions[row][D_TYPE] = self_type(builder, node.start_byte)
        return
    pattern, written = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    if node.type != "parameter" or pattern is None:
        if node.type not in SKIPPED:
            builder.read_all(node)
        return
    type_ = value(builder, written, TYPED)
    if bind_parameter(builder, pattern, type_) and pattern.type == "self":
        builder.definitions[-1][D_FLAGS] |= RECEIVER


def _body(builder: DeclaredFactsBuilder, node: Node) -> None:
    block_parts(cast("RustFactsBuilder", builder), node, 0)


def struct(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`struct` and `union`."""
    return _type(builder, node, CLASS, _fields)


def enum(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`enum`."""
    return _type(builder, node, ENUM, _variants)


def trait(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`trait Name: Above { ... }`."""
    return _type(builder, node, INTERFACE, _trait_members)


def _type(
    builder: RustFactsBuilder, node: Node, kind: int, members: Callable[[RustFactsBuilder, Node, int], None]
) -> int:
    name, body, lead = node.child_by_field_name("name"), node.child_by_field_name("body"), builder.lead
    if name is None or name.type == "metavariable":
        builder.read_all(node)
        return -1
    row = _item(builder, node, name, kind)
    outer, owner, full, methods, holder = builder.scope, builder.owner, builder.full, builder.members, builder.holder
    builder.owner, builder.members, builder.holder = row, False, -1
    _generic(builder, node, row)
    written = node.child_by_field_name("bounds")
    for part in written.named_children if written is not None else ():
        if part.type not in SKIPPED:
            base = builder.read(part, 1, INHERITED)
            if base >= 0:
                builder.bases.append((row, base, -1))
    where_clause(builder, node)
    if body is not None:
        members(builder, body, row)
    builder.scope, builder.owner, builder.full = outer, owner, full
    builder.members, builder.holder = methods, holder
    end = body.start_byte if body is not None and body.type != "ordered_field_declaration_list" else node.end_byte
    _describe(builder, row, node, end, lead)
    return -1


def _fields(builder: RustFactsBuilder, node: Node, row: int) -> None:
    """The fields of a struct or a variant."""
    if node.type == "ordered_field_declaration_list":
        types = [builder.read(part, 1, TYPED) for part in node.children_by_field_name("type") if part.is_named]
        builder.definitions[row][D_TYPE] = builder.expression(TUPLE, builder.sequence(types))
        return
    outer = builder.scope
    builder.scope = builder.open_scope(CLASS_SCOPE, node.start_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    lead = -1
    for part in node.named_children:
        name = part.child_by_field_name("name")
        if part.type == "attribute_item":
            lead = part.start_byte if lead < 0 else lead
        if part.type != "field_declaration" or name is None:
            continue
        lead = part.start_byte if lead < 0 else lead
        builder.full = (lead, part.end_byte)
        field = builder.define(name, FIELD)
        owner, builder.owner = builder.owner, field
        builder.definitions[field][D_TYPE] = value(builder, part.child_by_field_name("type"), TYPED)
        builder.owner = owner
        _describe(builder, field, part, part.end_byte, lead)
        lead = -1
    builder.scope = outer


def _variants(builder: RustFactsBuilder, node: Node, row: int) -> None:
    outer = builder.scope
    scope = builder.scope = builder.open_scope(CLASS_SCOPE, node.start_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = scope
    lead = -1
    for part in node.named_children:
        name = part.child_by_field_name("name")
        if part.type == "attribute_item":
            lead = part.start_byte if lead < 0 else lead
        if part.type != "enum_variant" or name is None:
            continue
        lead = part.start_byte if lead < 0 else lead
        builder.full = (lead, part.end_byte)
        variant = builder.define(name, VARIANT)
        owner, builder.owner = builder.owner, variant
        body, number = part.child_by_field_name("body"), part.child_by_field_name("value")
        if body is not None:
            _fields(builder, body, variant)
        if number is not None:
            builder.read(number)
        builder.owner = owner
        _describe(builder, variant, part, part.end_byte, lead)
        lead = -1
    builder.scope = outer


def _trait_members(builder: RustFactsBuilder, node: Node, row: int) -> None:
    builder.scope = builder.open_scope(CLASS_SCOPE, node.start_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    builder.members, builder.holder = True, -1
    items(builder, node)


def implementation(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`impl Trait for Type { ... }`."""
    written, for_ = node.child_by_field_name("type"), node.child_by_field_name("trait")
    if written is None:
        builder.read_all(node)
        return -1
    start, end = node.start_byte, written.end_byte
    head = builder.source((for_ or written).start_byte, end)
    name = builder.text(IMPL + " ".join(head.split())[:80])
    full = (min(builder.lead, start), node.end_byte)
    row = len(builder.definitions)
    definition = [name, TYPE_PARAMETER, 0, 0, start, start + 4, *full, -1, -1, -1, -1, -1, -1, builder.owner]
    builder.definitions.append(definition)
    outer, holder, members = builder.scope, builder.holder, builder.members
    builder.scope = builder.open_scope(TYPE_PARAMETERS, start, node.end_byte, row)
    parameters = node.child_by_field_name("type_parameters")
    if parameters is not None:
        type_parameters(builder, parameters)
    first = builder.uses()
    if for_ is not None:
        definition[D_VALUE] = builder.read(for_, 1, IMPLEMENTED)
        _own(builder, written, first, outer)
    definition[D_TYPE] = type_ = builder.read(written, 1, TYPED)
    where_clause(builder, node)
    body = node.child_by_field_name("body")
    if body is not None:
        builder.scope = builder.open_scope(CLASS_SCOPE, body.start_byte, body.end_byte, row)
        definition[D_BODY] = builder.scope
        builder.members, builder.holder = True, type_ if type_ >= 0 else builder.unknown()
        items(builder, body)
    builder.scope, builder.holder, builder.members = outer, holder, members
    return -1


def _own(builder: RustFactsBuilder, written: Node, first: int, scope: int) -> None:
    """The type itself is what implements the trait, where its name is a plain one."""
    if written.type == "generic_type":
        written = written.child_by_field_name("type") or written
    if written.type == "type_identifier":
        name = builder.name(written.start_byte, written.end_byte)
        while scope > 0 and builder.scopes[scope][0] != NAMESPACE_SCOPE:
            scope = builder.scopes[scope][1]
        builder.owned_later(first, name, max(scope, 0))


def module(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`mod name;` and `mod name { ... }`."""
    name, body, lead = node.child_by_field_name("name"), node.child_by_field_name("body"), builder.lead
    if name is None or name.type == "metavariable":
        builder.read_all(node)
        return -1
    row = _item(builder, node, name, NAMESPACE)
    _describe(builder, row, node, name.end_byte, lead)
    if body is None:
        return -1
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    builder.scope = builder.open_scope(NAMESPACE_SCOPE, body.start_byte, body.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    items(builder, body)
    builder.scope, builder.owner, builder.full = outer, owner, full
    return -1


def constant(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`const NAME: T = value;` and `static`."""
    name, lead = node.child_by_field_name("name"), builder.lead
    if name is None or name.type == "metavariable":
        builder.read_all(node)
        return -1
    holder, members = builder.holder, builder.members
    blank = builder.data[name.start_byte : name.end_byte] == b"_"
    row = _item(builder, node, name, CONSTANT) if not blank else -1
    owner = builder.owner
    if row >= 0 and builder.frame.definition < 0:
        builder.owner = row
    builder.holder, builder.members = -1, False
    type_ = value(builder, node.child_by_field_name("type"), TYPED)
    given = value(builder, node.child_by_field_name("value"))
    builder.holder, builder.members, builder.owner = holder, members, owner
    if row >= 0:
        builder.definitions[row][D_TYPE] = type_
        builder.definitions[row][D_VALUE] = given if type_ < 0 else -1
        _describe(builder, row, node, node.end_byte, lead)
    return -1


def alias(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`type Name<T> = ...;`, and an associated type of a trait or an implementation."""
    name, lead = node.child_by_field_name("name"), builder.lead
    if name is None or name.type == "metavariable":
        builder.read_all(node)
        return -1
    row = _item(builder, node, name, TYPE_ALIAS)
    outer, owner = builder.scope, builder.owner
    builder.owner = row
    _generic(builder, node, row)
    bound = node.child_by_field_name("bounds")
    written = node.child_by_field_name("type") or node.child_by_field_name("default_type")
    builder.definitions[row][D_TYPE] = value(builder, bound, TYPED)
    builder.definitions[row][D_VALUE] = value(builder, written, TYPED)
    where_clause(builder, node)
    builder.scope, builder.owner = outer, owner
    _describe(builder, row, node, node.end_byte, lead)
    return -1


def macro(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`macro_rules! name { ... }`: what it writes is not known."""
    name, lead = node.child_by_field_name("name"), builder.lead
    if name is None:
        return -1
    row = _item(builder, node, name, FUNCTION, MACRO)
    _describe(builder, row, node, name.end_byte, lead)
    return -1


def foreign(builder: RustFactsBuilder, node: Node, want: int, role: int) -> int:
    """`extern "C" { ... }`."""
    body = node.child_by_field_name("body")
    if body is not None:
        items(builder, body)
    return -1


RULES: dict[str, RustRule] = {
    "function_item": function,
    "function_signature_item": function,
    "struct_item": struct,
    "union_item": struct,
    "enum_item": enum,
    "trait_item": trait,
    "impl_item": implementation,
    "mod_item": module,
    "const_item": constant,
    "static_item": constant,
    "type_item": alias,
    "associated_type": alias,
    "macro_definition": macro,
    "foreign_mod_item": foreign,
}
