"""Types: written types and declarators of C as expressions.

Owns: the rules of type nodes, structs, unions, enums; the name inside of a declarator; parameters.
Must not know: statements, other files.
Invariant: pointers, arrays and functions of a type are that type: members are found through all of them alike.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, ScopeKind
from graphls.languages.c.syntax.written_members import read_written
from graphls.languages.declared.facts_builder import (
    CALLED,
    MEMBER,
    NAME,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    documentation_above,
    nothing,
)
from graphls.languages.extract.facts_builder import D_BODY, D_TYPE

OBJECT: Final = int(ExpressionKind.OBJECT)
CLASS_SCOPE: Final = int(ScopeKind.CLASS)
OBJECT_SCOPE: Final = int(ScopeKind.OBJECT)
CLASS: Final = int(DefinitionKind.CLASS)
ENUM: Final = int(DefinitionKind.ENUM)
ENUM_MEMBER: Final = int(DefinitionKind.ENUM_MEMBER)
FIELD: Final = int(DefinitionKind.FIELD)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
TAG: Final = int(DefinitionFlag.TYPE_ONLY)
"""The names behind `struct`, `union` and `enum` are a space of their own."""
PROTOTYPE: Final = int(DefinitionFlag.OVERLOAD)
"""Only declares what is defined somewhere else."""
TAGS: Final = "struct"
"""The literal whose members are the tags that a file sees."""
ENUM_SPECIFIER: Final = "enum_specifier"
_QUEUE_ENTRY: Final = re.compile(rb"(?:LIST|SLIST|STAILQ|TAILQ|SIMPLEQ|CIRCLEQ|RB|SPLAY)_ENTRY")
"""Macros of BSD that are given the tag of a struct."""
_NAMES: Final = frozenset({"identifier", "field_identifier", "type_identifier", "primitive_type"})
_SPECIFIERS: Final = frozenset({"struct_specifier", "union_specifier", ENUM_SPECIFIER})
_WRAPPERS: Final = frozenset({"pointer_declarator", "array_declarator", "function_declarator"})


def named(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """The name of a type."""
    return builder.name_expression(node, want, role or TYPED)


def primitive(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`unsigned long`."""
    return builder.builtin("int") if want else -1


def described(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A type in parentheses, with stars and sizes."""
    type_, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    row = builder.read(type_, want, TYPED) if type_ is not None else -1
    if declarator is not None:
        read_declarator(builder, declarator)
    return row


def macro_type(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`typeof(x)`, `_Atomic(T)`, `MACRO(T)`: as if it were what stands inside."""
    name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is not None and name.text not in (b"typeof", b"__typeof__", b"__typeof", b"_Atomic"):
        builder.name_expression(name, 0, TYPED)
        if _QUEUE_ENTRY.fullmatch(name.text or b"") is not None and type_ is not None:
            tag = type_.child_by_field_name("type")
            if tag is not None and tag.type == "type_identifier":
                tags = builder.builtin(TAGS)
                builder.use(tag.start_byte, tag.end_byte, TYPED, tags)
                return -1
    return builder.read(type_, want, TYPED) if type_ is not None else -1


def specifier(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`struct name`, `struct name { ... }`, and the same of `union` and `enum`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return _unnamed(builder, node, body, want)
    tags = builder.builtin(TAGS)
    start = name.start_byte
    if body is None and _announces(node):
        outer, builder.full = builder.full, (node.start_byte, node.end_byte)
        builder.define(name, ENUM if node.type == ENUM_SPECIFIER else CLASS, TAG | PROTOTYPE)
        builder.full = outer
    elif body is None:
        builder.use(start, name.end_byte, TYPED, tags)
    else:
        scope, full = builder.scope, builder.full
        builder.scope = _holding_scope(builder)
        builder.full = (node.start_byte, node.end_byte)
        row = builder.define(name, ENUM if node.type == ENUM_SPECIFIER else CLASS, TAG)
        builder.describe(row, node.start_byte, name.end_byte, documentation_above(builder.data, node.start_byte))
        builder.scope, builder.full = scope, full
        open_body(builder, node, body, row)
    return builder.expression(MEMBER, tags, builder.name(start, name.end_byte), start) if want else -1


def _announces(node: Node) -> bool:
    """`struct name;` at the top of a file: it says that there is one."""
    around, behind = node.parent, node.next_sibling
    while around is not None and around.type.startswith("preproc_"):
        around = around.parent
    top = around is None or around.type in ("translation_unit", "linkage_specification", "declaration_list")
    return top and behind is not None and behind.type == ";"


def _unnamed(builder: DeclaredFactsBuilder, node: Node, body: Node | None, want: int) -> int:
    if body is None:
        return -1
    if node.type == ENUM_SPECIFIER:
        read_enumerators(builder, body)
        return builder.builtin("int") if want else -1
    scope = open_members(builder, body, OBJECT_SCOPE, -1)
    return builder.expression(OBJECT, scope) if want else -1


def _holding_scope(builder: DeclaredFactsBuilder) -> int:
    """The scope of tags and enumerators: members have none of these."""
    scope = builder.scope
    while scope > 0 and builder.scopes[scope][0] in (CLASS_SCOPE, OBJECT_SCOPE):
        scope = builder.scopes[scope][1]
    return scope


def open_body(builder: DeclaredFactsBuilder, node: Node, body: Node, row: int) -> None:
    """Reads the braces of a struct, union or enum that a definition names."""
    owner, builder.owner = builder.owner, row
    if node.type == ENUM_SPECIFIER:
        read_enumerators(builder, body)
    else:
        builder.definitions[row][D_BODY] = open_members(builder, body, CLASS_SCOPE, row)
    builder.owner = owner


def open_members(builder: DeclaredFactsBuilder, body: Node, kind: int, owner: int) -> int:
    """Reads members in a scope of their own."""
    outer, full = builder.scope, builder.full
    scope = builder.scope = builder.open_scope(kind, body.start_byte, body.end_byte, owner)
    builder.read_all(body)
    read_written(builder, body, enumerators=False)
    builder.scope, builder.full = outer, full
    return scope


def read_enumerators(builder: DeclaredFactsBuilder, body: Node) -> None:
    """Reads the braces of an enum, with what macros write there."""
    builder.read_all(body)
    outer, builder.scope = builder.scope, _holding_scope(builder)
    read_written(builder, body, enumerators=True)
    builder.scope = outer


def enumerator(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`NAME = value`: a constant of the scope around the enum."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return -1
    if builder.data[name.end_byte : name.end_byte + 1] == b"(":  # a macro that writes enumerators
        return builder.name_expression(name, 0, CALLED)
    outer, full = builder.scope, builder.full
    builder.scope = _holding_scope(builder)
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, ENUM_MEMBER)
    builder.describe(row, node.start_byte, node.end_byte, documentation_above(builder.data, node.start_byte))
    builder.scope, builder.full = outer, full
    if value is not None:
        builder.read(value)
    return -1


def field(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`type a, *b[3];` in a struct; a struct without any name gives its members to the one around it."""
    type_, declarators = node.child_by_field_name("type"), node.children_by_field_name("declarator")
    if type_ is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    body = anonymous_body(type_)
    written_by_macro = _name_for_macro(type_) if not declarators else None
    if written_by_macro is not None:
        name = type_.child_by_field_name("name")
        if name is not None:
            builder.name_expression(name, 0, TYPED)
        row = builder.define(written_by_macro, FIELD)
        builder.describe(row, node.start_byte, node.end_byte, documentation_above(builder.data, node.start_byte))
        return -1
    if not declarators:
        builder.read_all(body) if body is not None else builder.read(type_, 0, TYPED)
        return -1
    names = [declared_name(part) for part in declarators]
    rows = [builder.define(name, FIELD) for name in names if name is not None]
    owner = builder.owner
    if body is not None and type_.type != ENUM_SPECIFIER and rows:
        scope = open_members(builder, body, OBJECT_SCOPE, rows[0])
        written = builder.expression(OBJECT, scope)
    else:
        written = builder.read(type_, 1, TYPED)
    builder.owner = owner
    for part in declarators:
        read_declarator(builder, part)
    for part in node.named_children:
        if part.type == "bitfield_clause":
            builder.read(part)
    doc = documentation_above(builder.data, node.start_byte)
    for row in rows:
        builder.definitions[row][D_TYPE] = written
        builder.describe(row, node.start_byte, node.end_byte, doc)
    return -1


def _name_for_macro(type_: Node) -> Node | None:
    """The name in `BIT(name);`: no function is declared in a struct, so a macro makes a field of it."""
    inner = type_.child_by_field_name("type") if type_.type == "macro_type_specifier" else None
    if inner is None or inner.named_child_count != 1:
        return None
    name = inner.named_children[0]
    return name if name.type == "type_identifier" and inner.end_byte == name.end_byte else None


def anonymous_body(node: Node) -> Node | None:
    """The braces of a struct, union or enum without a name."""
    if node.type not in _SPECIFIERS or node.child_by_field_name("name") is not None:
        return None
    return node.child_by_field_name("body")


def _inside(node: Node) -> Node | None:
    """What a declarator is about."""
    inner = node.child_by_field_name("declarator")
    if inner is not None:
        return inner
    for part in node.named_children:
        if part.type in _NAMES or part.type.endswith("declarator"):
            return part
    return None


def declared_name(node: Node | None) -> Node | None:
    """The name in a declarator."""
    while node is not None and node.type not in _NAMES:
        node = _inside(node)
    return node


def function_declarator(node: Node | None) -> Node | None:
    """The declarator of a function, None for that of anything else, pointers to functions too."""
    nearest: Node | None = None
    while node is not None and node.type not in _NAMES:
        if node.type in _WRAPPERS:
            nearest = node
        node = _inside(node)
    return nearest if node is not None and nearest is not None and nearest.type == "function_declarator" else None


def read_declarator(builder: DeclaredFactsBuilder, node: Node | None, bound: Node | None = None) -> None:
    """Reads sizes and parameters of a declarator. `bound`: its own part whose parameters somebody else reads."""
    while node is not None and node.type not in _NAMES:
        inner = _inside(node)
        for part in node.named_children:
            if part == inner:
                continue
            if part.type == "parameter_list":
                if bound is None or node != bound:
                    parameters(builder, part, bind=False)
            else:
                builder.read(part)
        node = inner


def parameters(builder: DeclaredFactsBuilder, node: Node, *, bind: bool) -> None:
    """Types of parameters; `bind`: their names belong to the current scope."""
    for part in node.named_children:
        type_, declarator = part.child_by_field_name("type"), part.child_by_field_name("declarator")
        if part.type != "parameter_declaration" or type_ is None:
            if part.type != "identifier":
                builder.read(part)
            continue
        builder.full = (part.start_byte, part.end_byte)
        written = builder.read(type_, 1, TYPED)
        name = declared_name(declarator) if bind else None
        if name is not None:
            builder.full = (part.start_byte, part.end_byte)
            builder.definitions[builder.define(name, PARAMETER)][D_TYPE] = written
        read_declarator(builder, declarator)
        for inner in part.named_children:
            if inner.is_error:  # a macro that stands for an attribute
                builder.read(inner)


def name_of_type(builder: DeclaredFactsBuilder, node: Node) -> int:
    """The expression of a name that is no use."""
    start = node.start_byte
    return builder.expression(NAME, builder.name(start, node.end_byte), builder.scope, start)


def unnamed_parameters(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Parameters of an abstract declarator."""
    parameters(builder, node, bind=False)
    return -1


RULES: dict[str, Rule] = {
    "type_identifier": named,
    "primitive_type": primitive,
    "sized_type_specifier": primitive,
    "type_descriptor": described,
    "macro_type_specifier": macro_type,
    "struct_specifier": specifier,
    "union_specifier": specifier,
    "enum_specifier": specifier,
    "enumerator": enumerator,
    "field_declaration": field,
    "parameter_list": unnamed_parameters,
    "attribute_specifier": nothing,
    "attribute_declaration": nothing,
    "ms_declspec_modifier": nothing,
}
