"""Declarations: namespaces, usings, types and their members.

Owns: the rules of what stands at the top of a file, in namespaces and in the bodies of types.
Must not know: other files.
Invariant: a constructor is a method that is called like its class; a method that has a value implements the member of
    the interface that the value names, and has no name of its own.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ImportFlag, Role
from graphls.languages.csharp.syntax.expressions import parts_of
from graphls.languages.csharp.syntax.facts_builder import (
    CLASS_SCOPE,
    METHOD,
    NAMESPACE_SCOPE,
    TYPE_PARAMETERS,
    behind_attributes,
    csharp,
    modifiers,
    words,
)
from graphls.languages.csharp.syntax.members import body, function, parameters
from graphls.languages.csharp.syntax.types import constraints, own_name, read_type, type_parameters
from graphls.languages.declared.facts_builder import (
    FUNCTION_SCOPE,
    TYPED,
    DeclaredFactsBuilder,
    Frame,
    Rule,
    documentation_above,
)
from graphls.languages.declared.statements import read_statements
from graphls.languages.extract.facts_builder import D_BODY, D_FLAGS, D_TYPE, D_VALUE

CLASS: Final = int(DefinitionKind.CLASS)
INTERFACE: Final = int(DefinitionKind.INTERFACE)
ENUM: Final = int(DefinitionKind.ENUM)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD: Final = int(DefinitionKind.FIELD)
IMPORT: Final = int(DefinitionKind.IMPORT)
NAMESPACE: Final = int(DefinitionKind.NAMESPACE)
PROPERTY: Final = int(DefinitionKind.PROPERTY)
SHARED: Final = int(DefinitionFlag.SHARED)
STAR: Final = int(DefinitionFlag.STAR)
STATIC: Final = int(DefinitionFlag.STATIC)
FINAL: Final = int(DefinitionFlag.FINAL)
ABSTRACT: Final = int(DefinitionFlag.ABSTRACT)
COMPONENT: Final = int(DefinitionFlag.INSTANCE)
"""On a property: a component of a record. On a field: a parameter of a class, which only its body sees."""
INHERITED: Final = int(Role.INHERIT)
STAR_IMPORT: Final = int(ImportFlag.STAR)
FOR_ALL: Final = int(ImportFlag.FOR_ALL)
OF_STATIC: Final = 1
OF_ALIAS: Final = 2
OF_GLOBAL: Final = 8
"""How a using is meant; a namespace otherwise. A global one holds for all files of the project."""
KINDS: Final = {
    "class_declaration": CLASS,
    "record_declaration": CLASS,
    "struct_declaration": CLASS,
    "interface_declaration": INTERFACE,
    "enum_declaration": ENUM,
}


def namespace(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`namespace A.B { ... }`; without braces it holds to the end of the file."""
    name, code = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        builder.read_all(node)
        return -1
    whole = node.type == "file_scoped_namespace_declaration"
    end = len(builder.data) if whole else node.end_byte
    builder.full = (node.start_byte, end)
    row = builder.define(name, NAMESPACE)
    outer, owner = builder.scope, builder.owner
    builder.scope = builder.open_scope(NAMESPACE_SCOPE, name.end_byte, end, row)
    builder.definitions[row][D_BODY] = builder.scope
    around = code or node
    builder.read_row(around, [part for part in around.named_children if part.id != name.id], _member)
    if not whole:
        builder.scope, builder.owner = outer, owner
    return -1


def _member(builder: DeclaredFactsBuilder, node: Node) -> None:
    builder.full = (node.start_byte, node.end_byte)
    builder.read(node)


def using(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`using A.B;`, `using static A.B.C;`, `using X = A.B.C;`, each for the whole project behind `global`."""
    kinds = [part.type for part in node.children]
    alias = node.child_by_field_name("name") if "=" in kinds else None
    target = next((part for part in reversed(node.named_children) if alias is None or part.id != alias.id), None)
    if target is None:
        return -1
    text = "".join(builder.source(target.start_byte, target.end_byte).split()).removeprefix("global::")
    module = builder.text(text.partition("<")[0])
    how = OF_ALIAS if alias is not None else OF_STATIC if "static" in kinds else 0
    how |= OF_GLOBAL if "global" in kinds else 0
    builder.full = (node.start_byte, node.end_byte)
    if alias is not None:
        row = builder.define(alias, IMPORT)
    else:
        row = builder.define(target, IMPORT, STAR)
        builder.definitions[row][0] = builder.text("*")
    builder.definitions[row][D_VALUE] = builder.module(module, how)
    if how & (OF_STATIC | OF_ALIAS):
        builder.definitions[row][D_TYPE] = builder.read(target, 1, TYPED)
    flags = STAR_IMPORT | FOR_ALL if how & OF_GLOBAL else STAR_IMPORT
    builder.imports.append([module, 0, -1, row, flags, target.start_byte, target.end_byte, 0])
    return -1


def type_declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`class`, `struct`, `record`, `interface`, `enum`."""
    name, code = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        builder.read_all(node)
        return -1
    full = builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, KINDS[node.type])
    outer, owner, frame = builder.scope, builder.owner, builder.frame
    builder.owner, builder.frame = row, Frame(row)
    builder.definitions[row][D_FLAGS] |= modifiers(builder, node, row)
    given, listed = _child(node, "type_parameter_list"), _child(node, "parameter_list")
    if given is not None:
        builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
        constraints(builder, node, type_parameters(builder, given))
    begin = code.start_byte if code is not None else node.end_byte
    inside = builder.open_scope(CLASS_SCOPE, listed.start_byte if listed is not None else begin, node.end_byte, row)
    builder.definitions[row][D_BODY] = inside
    if listed is not None:
        around, builder.scope = builder.scope, inside
        record = node.type == "record_declaration"
        parameters(builder, listed, PROPERTY if record else FIELD, COMPONENT)
        builder.scope = around
    _supers(builder, node, row, inside)
    builder.scope = inside
    if code is not None and node.type == "enum_declaration":
        for part in code.named_children:  # each says where the enumeration stands
            _member(builder, part)
    elif code is not None:
        builder.read_row(code, code.named_children, _member)
    builder.scope, builder.owner, builder.full, builder.frame = outer, owner, full, frame
    _describe(builder, node, row, begin)
    return -1


def _child(node: Node, kind: str) -> Node | None:
    return next((part for part in node.named_children if part.type == kind), None)


def _describe(builder: DeclaredFactsBuilder, node: Node, row: int, end: int) -> None:
    doc = documentation_above(builder.data, node.start_byte)
    for tag in ("<summary>", "</summary>", "/ "):
        doc = doc.replace(tag, "")
    doc = doc.partition("<param")[0].partition("<returns")[0].strip().removeprefix("/").strip()
    builder.describe(row, behind_attributes(node), end, doc)


def _supers(builder: DeclaredFactsBuilder, node: Node, row: int, inside: int) -> None:
    for part in parts_of(_child(node, "base_list")):
        if part.type == "argument_list":
            _passed_up(builder, part, inside)
            continue
        written = part
        if part.type == "primary_constructor_base_type":
            written = part.child_by_field_name("type") or part
        type_ = builder.read(written, 1, INHERITED)
        if type_ >= 0:
            builder.bases.append((row, type_, -1))
        if written.id != part.id:
            for other in part.named_children:
                if other.type == "argument_list":
                    _passed_up(builder, other, inside)


def _passed_up(builder: DeclaredFactsBuilder, node: Node, inside: int) -> None:
    """What a class hands to the constructor of its base: its own parameters are visible there."""
    outer, builder.scope = builder.scope, inside
    builder.read_all(node)
    builder.scope = outer


def delegate(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`delegate R Name(T x);`: a type whose values are called."""
    name = node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, INTERFACE)
    function(builder, node, row, "type", read_statements)
    _describe(builder, node, row, node.end_byte)
    return -1


def fields(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`T a = x, b;` of a type, `event T a, b;`."""
    listed = _child(node, "variable_declaration")
    if listed is None:
        builder.read_all(node)
        return -1
    owner, own, flags, type_, first = builder.owner, csharp(builder), 0, -1, True
    for part in listed.named_children:
        name = part.child_by_field_name("name") if part.type == "variable_declarator" else None
        if name is None:
            continue
        builder.full = (node.start_byte, node.end_byte)
        row = builder.define(name, FIELD, 0 if first else SHARED)
        builder.owner = row
        if first:
            flags = modifiers(builder, node, row)
            type_ = read_type(builder, listed.child_by_field_name("type"))
            first = False
        definition = builder.definitions[row]
        definition[D_FLAGS] |= flags
        definition[D_TYPE] = type_
        outer, own.expected = own.expected, type_
        for one in parts_of(part):
            if one.id != name.id:
                definition[D_VALUE] = builder.read(one, 1)
        own.expected = outer
        builder.owner = owner
        _describe(builder, node, row, name.end_byte)
    return -1


def property_(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A property, an indexer, an event with accessors."""
    name = node.child_by_field_name("name") or next((part for part in node.children if part.type == "this"), None)
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, PROPERTY)
    outer, owner, full, own = builder.scope, builder.owner, builder.full, csharp(builder)
    builder.owner = row
    definition = builder.definitions[row]
    definition[D_FLAGS] |= modifiers(builder, node, row)
    definition[D_VALUE] = _explicit(builder, node)
    type_ = definition[D_TYPE] = read_type(builder, node.child_by_field_name("type"))
    listed, value = node.child_by_field_name("parameters"), node.child_by_field_name("value")
    accessors = node.child_by_field_name("accessors")
    if listed is not None:
        builder.scope = builder.open_scope(FUNCTION_SCOPE, listed.start_byte, node.end_byte, row)
        definition[D_BODY] = builder.scope
        parameters(builder, listed)
    written, own.set_type = own.set_type, type_
    if accessors is not None:
        body(builder, row, accessors, type_, _accessors)
    if value is not None:
        body(builder, row, value, type_, read_statements)
    own.set_type = written
    builder.scope, builder.owner, builder.full = outer, owner, full
    _describe(builder, node, row, accessors.start_byte if accessors is not None else name.end_byte)
    return -1


def _accessors(builder: DeclaredFactsBuilder, node: Node) -> None:
    for part in node.named_children:
        builder.read(part)


def _explicit(builder: DeclaredFactsBuilder, node: Node) -> int:
    """The interface whose member is implemented here and has no name of its own."""
    written = _child(node, "explicit_interface_specifier")
    inside = parts_of(written)
    return builder.read(inside[0], 1, TYPED) if inside else -1


def enum_constant(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`Name = value`."""
    name = node.child_by_field_name("name")
    if name is None:
        return -1
    row = builder.define(name, ENUM_MEMBER, STATIC | FINAL)
    owner, builder.owner = builder.owner, row
    modifiers(builder, node, row)
    holder = builder.scopes[builder.scope][4]
    if holder >= 0:
        builder.definitions[row][D_TYPE] = own_name(builder, holder)
    value = node.child_by_field_name("value")
    if value is not None:
        builder.read(value)
    builder.owner = owner
    _describe(builder, node, row, name.end_byte)
    return -1


def method(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A method, a constructor."""
    name = node.child_by_field_name("name")
    if name is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, METHOD)
    explicit = _explicit(builder, node)
    function(builder, node, row, "returns" if node.type == "method_declaration" else "", read_statements)
    builder.definitions[row][D_VALUE] = explicit
    if words(node) & {b"extern", b"partial"}:
        builder.definitions[row][D_FLAGS] &= ~ABSTRACT
    code = node.child_by_field_name("body")
    _describe(builder, node, row, code.start_byte if code is not None else node.end_byte)
    return -1


def operator(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`operator +`, a conversion, `~Name()`: no name calls it."""
    listed = node.child_by_field_name("parameters")
    first = next((part for part in node.children if part.type in ("operator", "~")), None)
    if listed is None or first is None:
        builder.read_all(node)
        return -1
    start, end = first.start_byte, listed.start_byte
    end = start + len(builder.between(start, end).rstrip())
    builder.full = (node.start_byte, node.end_byte)
    name, scope, (full_start, full_end) = builder.text(builder.source(start, end)), builder.scope, builder.full
    fields = [name, METHOD, 0, scope, start, end, full_start, full_end, -1, -1, -1, -1, -1, -1, builder.owner]
    builder.definitions.append(fields)
    row = len(builder.definitions) - 1
    function(builder, node, row, "type", read_statements)
    code = node.child_by_field_name("body")
    _describe(builder, node, row, code.start_byte if code is not None else node.end_byte)
    return -1


RULES: dict[str, Rule] = {
    "namespace_declaration": namespace,
    "file_scoped_namespace_declaration": namespace,
    "using_directive": using,
    **dict.fromkeys(KINDS, type_declaration),
    "delegate_declaration": delegate,
    "field_declaration": fields,
    "event_field_declaration": fields,
    "property_declaration": property_,
    "indexer_declaration": property_,
    "event_declaration": property_,
    "enum_member_declaration": enum_constant,
    "method_declaration": method,
    "constructor_declaration": method,
    "destructor_declaration": operator,
    "operator_declaration": operator,
    "conversion_operator_declaration": operator,
}
