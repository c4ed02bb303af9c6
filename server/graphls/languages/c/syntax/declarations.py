"""Declarations: functions, prototypes, variables and type names of C.

Owns: the rules of what stands at the top of a file, and of the same words inside of functions.
Must not know: other files.
Invariant: a prototype is a definition that another of its name stands for, wherever there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind
from graphls.languages.c.syntax.expressions import initializer
from graphls.languages.c.syntax.statements import body
from graphls.languages.c.syntax.types import (
    CLASS,
    ENUM,
    ENUM_SPECIFIER,
    OBJECT,
    OBJECT_SCOPE,
    PARAMETER,
    PROTOTYPE,
    anonymous_body,
    declared_name,
    function_declarator,
    name_of_type,
    open_body,
    open_members,
    parameters,
    read_declarator,
)
from graphls.languages.declared.facts_builder import (
    FUNCTION_SCOPE,
    READ,
    RETURN,
    TYPED,
    DeclaredFactsBuilder,
    Rule,
    documentation_above,
)
from graphls.languages.extract.facts_builder import D_BODY, D_TYPE, D_VALUE

FUNCTION: Final = int(DefinitionKind.FUNCTION)
TYPE_ALIAS: Final = int(DefinitionKind.TYPE_ALIAS)
VARIABLE: Final = int(DefinitionKind.VARIABLE)

STATIC: Final = int(DefinitionFlag.STATIC)


def storage(node: Node) -> frozenset[bytes]:
    """`static`, `extern` and the like."""
    words = (part.text or b"" for part in node.named_children if part.type == "storage_class_specifier")
    return frozenset(words)


def function(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A function with its body."""
    declarator, type_ = node.child_by_field_name("declarator"), node.child_by_field_name("type")
    code, inner = node.child_by_field_name("body"), function_declarator(declarator)
    name = declared_name(declarator)
    if name is None or code is None or inner is None:
        builder.read_all(node)
        return -1
    builder.full = (node.start_byte, node.end_byte)
    row = builder.define(name, FUNCTION, STATIC if b"static" in storage(node) else 0)
    outer, owner, full = builder.scope, builder.owner, builder.full
    builder.owner = row
    returned = builder.read(type_, 1, TYPED) if type_ is not None else -1
    builder.scope = builder.open_scope(FUNCTION_SCOPE, code.start_byte, node.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    read_declarator(builder, declarator, inner)
    given = inner.child_by_field_name("parameters")
    if given is not None:
        parameters(builder, given, bind=True)
        _old_parameters(builder, node, given)
    builder.read_body(row, code, body)
    builder.scope, builder.owner, builder.full = outer, owner, full
    _returns(builder, row, returned)
    builder.describe(row, node.start_byte, code.start_byte, documentation_above(builder.data, node.start_byte))
    return -1


def _old_parameters(builder: DeclaredFactsBuilder, node: Node, given: Node) -> None:
    """`int f(a, b) int a; char *b; { ... }`."""
    names = [part for part in given.named_children if part.type == "identifier"]
    if not names:
        return
    for part in node.named_children:
        type_ = part.child_by_field_name("type") if part.type == "declaration" else None
        if type_ is None:
            continue
        written = builder.read(type_, 1, TYPED)
        builder.full = (part.start_byte, part.end_byte)
        for declarator in part.children_by_field_name("declarator"):
            name = declared_name(declarator)
            if name is not None:
                builder.definitions[builder.define(name, PARAMETER)][D_TYPE] = written
            read_declarator(builder, declarator)
    for name in names:
        if builder.is_bound(name):
            builder.use(name.start_byte, name.end_byte, READ)
        else:
            builder.full = (name.start_byte, name.end_byte)
            builder.define(name, PARAMETER)


def _returns(builder: DeclaredFactsBuilder, row: int, type_: int) -> None:
    if type_ >= 0:
        builder.returns.append((row, builder.instance(type_), RETURN))


def declaration(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Prototypes and variables."""
    type_, declarators = node.child_by_field_name("type"), node.children_by_field_name("declarator")
    if type_ is None:
        builder.read_all(node)
        return -1
    words = storage(node)
    around = anonymous_body(type_)
    if not declarators or around is None or type_.type == ENUM_SPECIFIER:
        builder.full = (node.start_byte, node.end_byte)
        written = builder.read(type_, 1, TYPED)
        for part in declarators:
            _declared(builder, node, part, written, words)
        return -1
    first = declared_name(declarators[0])
    if first is None:
        builder.read_all(node)
        return -1
    rows = [_declared(builder, node, part, -1, words) for part in declarators]
    written = builder.expression(OBJECT, open_members(builder, around, OBJECT_SCOPE, rows[0]))
    for row in rows:
        if row >= 0:
            builder.definitions[row][D_TYPE] = written
    return -1


def _declared(builder: DeclaredFactsBuilder, node: Node, part: Node, type_: int, words: frozenset[bytes]) -> int:
    """One name of a declaration."""
    declarator, value = part, None
    if part.type == "init_declarator":
        value = part.child_by_field_name("value")
        inner = part.child_by_field_name("declarator")
        declarator = inner if inner is not None else part
    name = declared_name(declarator)
    if name is None:
        builder.read(part)
        return -1
    top = builder.scope == 0
    builder.full = (node.start_byte, node.end_byte if top else declarator.end_byte)
    flags = STATIC if b"static" in words else 0
    signature = function_declarator(declarator)
    owner = builder.owner
    if signature is not None and value is None:
        row = builder.define(name, FUNCTION, flags | PROTOTYPE)
        _returns(builder, row, type_)
    else:
        row = builder.define(name, VARIABLE, flags | (PROTOTYPE if b"extern" in words and value is None else 0))
        builder.definitions[row][D_TYPE] = type_
    if top:
        builder.owner = row
        builder.describe(row, node.start_byte, declarator.end_byte, documentation_above(builder.data, node.start_byte))
    read_declarator(builder, declarator)
    if value is not None:
        initializer(builder, value, builder.instance(type_))
    builder.owner = owner
    return row


def type_definition(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`typedef type name, *other;`: a struct without a tag has the first name."""
    type_, declarators = node.child_by_field_name("type"), node.children_by_field_name("declarator")
    names = [declared_name(part) for part in declarators]
    if type_ is None:
        builder.read_all(node)
        return -1
    builder.full = full = (node.start_byte, node.end_byte)
    doc = documentation_above(builder.data, node.start_byte)
    around = anonymous_body(type_)
    first = names[0] if names else None
    if around is not None and first is not None:
        row = builder.define(first, ENUM if type_.type == ENUM_SPECIFIER else CLASS)
        builder.describe(row, type_.start_byte, around.start_byte, doc)
        open_body(builder, type_, around, row)
        written, rest = name_of_type(builder, first), names[1:]
    else:
        written, rest = builder.read(type_, 1, TYPED), names
    builder.full = full
    _aliases(builder, node, rest, written, doc)
    for part in declarators:
        read_declarator(builder, part)
    return -1


def _aliases(builder: DeclaredFactsBuilder, node: Node, names: Sequence[Node | None], type_: int, doc: str) -> None:
    for name in names:
        if name is not None:
            row = builder.define(name, TYPE_ALIAS)
            builder.definitions[row][D_VALUE] = type_
            builder.describe(row, node.start_byte, node.end_byte, doc)


RULES: dict[str, Rule] = {
    "function_definition": function,
    "declaration": declaration,
    "type_definition": type_definition,
}
