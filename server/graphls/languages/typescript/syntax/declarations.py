"""Declarations: variables, functions, interfaces, aliases, enums and namespaces.

Owns: their definitions and scopes; what `export` and `declare` before them add.
Must not know: classes' members, what expressions mean.
Invariant: everything within a declaration's full range is owned by it, except for variables inside of functions.
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from graphls.languages.extract.facts_builder import (
    D_BODY,
    D_FLAGS,
    D_SIGNATURE,
    D_TYPE,
    D_VALUE,
)
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.documented import declared_type
from graphls.languages.typescript.syntax.facts_builder import (
    CLASS_SCOPE,
    CONSTANT,
    ENUM,
    ENUM_MEMBER,
    EXPORTED,
    FUNCTION,
    FUNCTION_VALUE,
    INHERITED,
    INTERFACE,
    KEPT,
    NAMESPACE,
    NAMESPACE_SCOPE,
    OVERLOAD,
    SHARED,
    TYPE,
    TYPE_ALIAS,
    TYPE_ONLY,
    TYPE_PARAMETERS,
    TYPED,
    VARIABLE,
    WANTED,
    Rule,
    TsFactsBuilder,
    TsFrame,
)
from graphls.languages.typescript.syntax.functions import function, read_statements, signature, type_parameters
from graphls.languages.typescript.syntax.imports import part_row, require_row, required, required_part
from graphls.languages.typescript.syntax.nesting import children, field, generic, guarded
from graphls.languages.typescript.syntax.patterns import PatternBinding, PatternName, assign_values, bind, hoisted
from graphls.languages.typescript.syntax.signatures import members, name_of
from graphls.languages.typescript.syntax.texts import first_line, is_whole

# ---------------------------------------------------------------- variables


def variables(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`const a = 1, b = 2`."""
    full = builder.full
    _widen(builder, node)
    scope = hoisted(builder) if builder.kinds.of(node) == nodes.VARIABLE_DECLARATION else builder.scope
    constant = builder.data.startswith(b"const", node.start_byte)
    for part in children(node):
        if builder.kinds.of(part) == nodes.VARIABLE_DECLARATOR:
            declarator(builder, part, scope, constant)
        else:
            builder.read(part)
    builder.full = full
    return -1


def declarator(builder: TsFactsBuilder, node: Node, scope: int, constant: bool) -> None:
    """One variable, or the names of one pattern."""
    name, value = field(builder, node, nodes.F_NAME), field(builder, node, nodes.F_VALUE)
    annotation = field(builder, node, nodes.F_TYPE)
    if name is None:
        generic(builder, node, 0, 0)
        return
    if (
        builder.kinds.of(name) == nodes.IDENTIFIER
        and value is not None
        and builder.kinds.marks(value) & nodes.FUNCTIONS
    ):
        _function_variable(builder, node, name, value, scope=scope)
        return
    pending: list[PatternName] = []
    bind(builder, name, pending, PatternBinding(VARIABLE, scope))
    if (
        builder.kinds.of(name) == nodes.IDENTIFIER
        and constant
        and pending
        and builder.scopes[scope][0] in (0, NAMESPACE_SCOPE)
    ):
        definition = builder.definitions[pending[0].row]
        if builder.strings[definition[0]].isupper():
            definition[1] = CONSTANT
    flags, doc, owner = builder.bind_flags, builder.doc, builder.owner
    builder.go_inside()
    _own(builder, pending, value)
    declared = builder.read(annotation, WANTED) if annotation is not None else declared_type(builder, node)
    for bound in pending:
        if declared >= 0 and not bound.path:
            builder.definitions[bound.row][D_TYPE] = declared
        if builder.scopes[scope][0] in (0, NAMESPACE_SCOPE):
            builder.definitions[bound.row][D_SIGNATURE] = first_line(builder, node)
    row = _value(builder, value, pending, declared) if value is not None else -1
    if declared >= 0 and pending and pending[0].path:
        row = builder.expression(TYPE, declared)
    if value is not None and row >= 0 and required(builder, value):
        require_row(builder, node, pending, row)
    elif value is not None and row >= 0 and declared < 0 and required_part(builder, value):
        part_row(builder, value, pending, row)
    elif pending:
        assign_values(builder, pending, row)
    builder.bind_flags, builder.doc, builder.owner = flags, doc, owner


def _own(builder: TsFactsBuilder, pending: list[PatternName], value: Node | None) -> None:
    """What follows is used by the first name of the pattern, if that is a variable of the module or a namespace."""
    if not pending or not builder.owns(pending[0].row):
        return
    if value is not None and (required(builder, value) or required_part(builder, value)):
        return
    builder.owner = pending[0].row
    for bound in pending[1:]:
        builder.definitions[bound.row][D_FLAGS] |= SHARED


def _value(builder: TsFactsBuilder, value: Node, pending: list[PatternName], declared: int) -> int:
    single = len(pending) == 1 and not pending[0].path
    builder.expected = builder.expression(TYPE, declared) if declared >= 0 else -1
    builder.object_owner = pending[0].row if single else -1
    row = builder.read(value, KEPT)
    builder.expected = builder.object_owner = -1
    return row


def _function_variable(builder: TsFactsBuilder, node: Node, name: Node, value: Node, *, scope: int) -> None:
    """`const f = () => ...`: a function by that name."""
    start, end = name.start_byte, name.end_byte
    row = builder.define(builder.name(start, end), FUNCTION, start, end, scope)
    annotation, expected = field(builder, node, nodes.F_TYPE), -1
    if annotation is not None or builder.notes is not None:
        owner, builder.owner = builder.owner, row
        declared = builder.read(annotation, WANTED) if annotation is not None else declared_type(builder, node)
        builder.owner = owner
        builder.definitions[row][D_TYPE] = declared
        expected = builder.expression(TYPE, declared) if declared >= 0 else -1
    function(builder, value, row, expected)
    builder.definitions[row][D_SIGNATURE] = signature(builder, node, field(builder, value, nodes.F_BODY))
    inner = field(builder, value, nodes.F_NAME)
    if inner is not None:
        own = builder.define(
            builder.name(inner.start_byte, inner.end_byte),
            VARIABLE,
            inner.start_byte,
            inner.end_byte,
            builder.definitions[row][D_BODY],
        )
        builder.definitions[own][D_VALUE] = builder.expression(FUNCTION_VALUE, row)


# ---------------------------------------------------------------- functions


def function_declaration(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function name() {}`; without a body it is an overload or ambient."""
    name = field(builder, node, nodes.F_NAME)
    if name is None:
        return generic(builder, node, 0, 0)
    _widen(builder, node)
    start, end = name.start_byte, name.end_byte
    row = builder.define(builder.name(start, end), FUNCTION, start, end, builder.scope)
    if builder.kinds.of(node) == nodes.FUNCTION_SIGNATURE and not builder.ambient:
        builder.definitions[row][D_FLAGS] |= OVERLOAD
    function(builder, node, row)
    return row


def _widen(builder: TsFactsBuilder, node: Node) -> None:
    """The full range of a declaration: its statement's, when it stands in one made for it."""
    if not is_whole(builder, node):
        builder.full = (node.start_byte, node.end_byte)


# ---------------------------------------------------------------- types


def interface(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`interface Name<T> extends A, B { ... }`."""
    name, body = field(builder, node, nodes.F_NAME), field(builder, node, nodes.F_BODY)
    if name is None:
        return generic(builder, node, 0, 0)
    _widen(builder, node)
    row = _declare(builder, node, name, INTERFACE, TYPE_ONLY)
    outer, owner, full, flags = builder.scope, builder.owner, builder.full, builder.bind_flags
    builder.go_inside()
    builder.owner = row
    for part in node.named_children:
        if builder.kinds.of(part) == nodes.TYPE_PARAMETERS:
            builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
            type_parameters(builder, part)
        elif builder.kinds.of(part) in (nodes.EXTENDS_TYPE_CLAUSE, nodes.EXTENDS_CLAUSE):
            for base in children(part):
                builder.bases.append((row, builder.read(base, WANTED, INHERITED), -1))
    if body is not None:
        builder.scope = builder.open_scope(CLASS_SCOPE, body.start_byte, body.end_byte, row)
        builder.definitions[row][D_BODY] = builder.scope
        members(builder, body)
    builder.scope, builder.owner, builder.full, builder.bind_flags = outer, owner, full, flags
    return row


def _declare(builder: TsFactsBuilder, node: Node, name: Node, kind: int, flags: int) -> int:
    start, end = name.start_byte, name.end_byte
    row = builder.define(builder.name(start, end), kind, start, end, builder.scope)
    builder.definitions[row][D_FLAGS] |= flags
    builder.definitions[row][D_SIGNATURE] = signature(builder, node, field(builder, node, nodes.F_BODY))
    return row


def alias(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`type Name<T> = ...`."""
    name, value = field(builder, node, nodes.F_NAME), field(builder, node, nodes.F_VALUE)
    if name is None or value is None:
        return generic(builder, node, 0, 0)
    _widen(builder, node)
    row = _declare(builder, node, name, TYPE_ALIAS, TYPE_ONLY)
    outer, owner, flags = builder.scope, builder.owner, builder.bind_flags
    builder.go_inside()
    builder.owner = row
    for part in node.named_children:
        if builder.kinds.of(part) == nodes.TYPE_PARAMETERS:
            builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
            builder.definitions[row][D_BODY] = builder.scope
            type_parameters(builder, part)
    builder.object_owner = row if builder.kinds.of(value) == nodes.OBJECT_TYPE else -1
    builder.definitions[row][D_VALUE] = builder.read(value, WANTED, TYPED)
    builder.scope, builder.owner, builder.bind_flags = outer, owner, flags
    return row


def enum(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`enum Name { A = 1, B }`."""
    name, body = field(builder, node, nodes.F_NAME), field(builder, node, nodes.F_BODY)
    if name is None or body is None:
        return generic(builder, node, 0, 0)
    _widen(builder, node)
    row = _declare(builder, node, name, ENUM, 0)
    outer, owner, full, flags = builder.scope, builder.owner, builder.full, builder.bind_flags
    builder.go_inside()
    builder.owner = row
    builder.scope = builder.open_scope(NAMESPACE_SCOPE, body.start_byte, body.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    for part in children(body):
        builder.full = (part.start_byte, part.end_byte)
        assigned = builder.kinds.of(part) == nodes.ENUM_ASSIGNMENT
        named = name_of(builder, field(builder, part, nodes.F_NAME) if assigned else part)
        if named is not None:
            member = builder.define(named[0], ENUM_MEMBER, named[1], named[2], builder.scope)
            value = field(builder, part, nodes.F_VALUE) if assigned else None
            if value is not None:
                builder.definitions[member][D_VALUE] = builder.read(value, WANTED)
    builder.scope, builder.owner, builder.full, builder.bind_flags = outer, owner, full, flags
    return row


def namespace(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`namespace A.B { ... }`, `declare module "name" { ... }`."""
    name, body = field(builder, node, nodes.F_NAME), field(builder, node, nodes.F_BODY)
    if name is None:
        return generic(builder, node, 0, 0)
    _widen(builder, node)
    outer = builder.scope, builder.owner, builder.frame, builder.ambient, builder.bind_flags
    row = -1
    for part in _names(builder, name):
        start, end = part.start_byte, part.end_byte
        if builder.kinds.of(part) == nodes.STRING:
            start, end = start + 1, end - 1
        row = builder.define(builder.name(start, end), NAMESPACE, start, end, builder.scope)
        if builder.kinds.of(part) == nodes.STRING:
            builder.definitions[row][D_FLAGS] |= TYPE_ONLY
            builder.definitions[row][D_VALUE] = builder.module(builder.definitions[row][0], 0)
        builder.owner = row
        builder.bind_flags |= EXPORTED  # `namespace A.B` is `namespace A { export namespace B }`
        start, end = (body.start_byte, body.end_byte) if body is not None else (node.end_byte, node.end_byte)
        builder.scope = builder.open_scope(NAMESPACE_SCOPE, start, end, row)
        builder.definitions[row][D_BODY] = builder.scope
    builder.go_inside()
    if body is not None:
        builder.frame = TsFrame(row, False)
        read_statements(builder, body.named_children)
    builder.scope, builder.owner, builder.frame, builder.ambient, builder.bind_flags = outer
    return row


def _names(builder: TsFactsBuilder, node: Node) -> list[Node]:
    """The parts of `A.B.C`, of which the grammar reads the front as a member of a value."""
    found: list[Node] = []
    while builder.kinds.of(node) in (nodes.NESTED_IDENTIFIER, nodes.MEMBER_EXPRESSION) and node.named_child_count > 1:
        found.append(node.named_children[-1])
        node = node.named_children[0]
    return [node, *reversed(found)]


def ambient(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`declare ...`; `declare global { ... }` adds to the names that every file sees."""
    full, was = builder.full, builder.ambient
    builder.full, builder.ambient = (node.start_byte, node.end_byte), True
    row = -1
    for part in children(node):
        if builder.kinds.of(part) == nodes.STATEMENT_BLOCK:
            _global(builder, part)
        else:
            row = builder.read(part)
    builder.full, builder.ambient = full, was
    return row


def _global(builder: TsFactsBuilder, body: Node) -> None:
    start = body.start_byte
    row = builder.define(builder.text("global"), NAMESPACE, start, start, builder.scope)
    outer = builder.scope
    builder.scope = builder.open_scope(NAMESPACE_SCOPE, start, body.end_byte, row)
    builder.definitions[row][D_BODY] = builder.scope
    builder.definitions[row][D_FLAGS] |= TYPE_ONLY
    read_statements(builder, body.named_children)
    builder.scope = outer


RULES: Mapping[str, Rule] = {
    "lexical_declaration": guarded(variables),
    "variable_declaration": guarded(variables),
    "using_declaration": guarded(variables),
    "function_declaration": guarded(function_declaration),
    "generator_function_declaration": guarded(function_declaration),
    "function_signature": guarded(function_declaration),
    "interface_declaration": guarded(interface),
    "type_alias_declaration": guarded(alias),
    "enum_declaration": guarded(enum),
    "internal_module": guarded(namespace),
    "module": guarded(namespace),
    "ambient_declaration": guarded(ambient),
}
