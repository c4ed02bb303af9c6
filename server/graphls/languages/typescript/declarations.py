"""Declarations: variables, functions, interfaces, aliases, enums and namespaces.

Owns: their definitions and scopes; what `export` and `declare` before them add.
Must not know: classes' members, what expressions mean.
Invariant: everything within a declaration's full range is owned by it, except for variables inside of functions.
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from graphls.languages.draft import (
    D_BODY,
    D_FLAGS,
    D_SIGNATURE,
    D_TYPE,
    D_VALUE,
)
from graphls.languages.typescript import nodes
from graphls.languages.typescript.documented import declared_type
from graphls.languages.typescript.draft import (
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
    Draft,
    Frame,
    Rule,
)
from graphls.languages.typescript.functions import function, read_statements, signature, type_parameters
from graphls.languages.typescript.imports import part_row, require_row, required, required_part
from graphls.languages.typescript.nesting import children, field, generic, guarded
from graphls.languages.typescript.patterns import Binding, Bound, bind, hoisted, settle
from graphls.languages.typescript.signatures import members, name_of
from graphls.languages.typescript.texts import first_line, is_whole

# ---------------------------------------------------------------- variables


def variables(draft: Draft, node: Node, want: int, role: int) -> int:
    """`const a = 1, b = 2`."""
    full = draft.full
    _widen(draft, node)
    scope = hoisted(draft) if draft.kinds.of(node) == nodes.VARIABLE_DECLARATION else draft.scope
    constant = draft.data.startswith(b"const", node.start_byte)
    for part in children(node):
        if draft.kinds.of(part) == nodes.VARIABLE_DECLARATOR:
            declarator(draft, part, scope, constant)
        else:
            draft.read(part)
    draft.full = full
    return -1


def declarator(draft: Draft, node: Node, scope: int, constant: bool) -> None:
    """One variable, or the names of one pattern."""
    name, value = field(draft, node, nodes.F_NAME), field(draft, node, nodes.F_VALUE)
    annotation = field(draft, node, nodes.F_TYPE)
    if name is None:
        generic(draft, node, 0, 0)
        return
    if draft.kinds.of(name) == nodes.IDENTIFIER and value is not None and draft.kinds.marks(value) & nodes.FUNCTIONS:
        _function_variable(draft, node, name, value, scope=scope)
        return
    pending: list[Bound] = []
    bind(draft, name, pending, Binding(VARIABLE, scope))
    if (
        draft.kinds.of(name) == nodes.IDENTIFIER
        and constant
        and pending
        and draft.scopes[scope][0] in (0, NAMESPACE_SCOPE)
    ):
        definition = draft.definitions[pending[0].row]
        if draft.strings[definition[0]].isupper():
            definition[1] = CONSTANT
    flags, doc, owner = draft.bind_flags, draft.doc, draft.owner
    draft.go_inside()
    _own(draft, pending, value)
    declared = draft.read(annotation, WANTED) if annotation is not None else declared_type(draft, node)
    for bound in pending:
        if declared >= 0 and not bound.path:
            draft.definitions[bound.row][D_TYPE] = declared
        if draft.scopes[scope][0] in (0, NAMESPACE_SCOPE):
            draft.definitions[bound.row][D_SIGNATURE] = first_line(draft, node)
    row = _value(draft, value, pending, declared) if value is not None else -1
    if declared >= 0 and pending and pending[0].path:
        row = draft.expression(TYPE, declared)
    if value is not None and row >= 0 and required(draft, value):
        require_row(draft, node, pending, row)
    elif value is not None and row >= 0 and declared < 0 and required_part(draft, value):
        part_row(draft, value, pending, row)
    elif pending:
        settle(draft, pending, row)
    draft.bind_flags, draft.doc, draft.owner = flags, doc, owner


def _own(draft: Draft, pending: list[Bound], value: Node | None) -> None:
    """What follows is used by the first name of the pattern, if that is a variable of the module or a namespace."""
    if not pending or not draft.owns(pending[0].row):
        return
    if value is not None and (required(draft, value) or required_part(draft, value)):
        return
    draft.owner = pending[0].row
    for bound in pending[1:]:
        draft.definitions[bound.row][D_FLAGS] |= SHARED


def _value(draft: Draft, value: Node, pending: list[Bound], declared: int) -> int:
    single = len(pending) == 1 and not pending[0].path
    draft.expected = draft.expression(TYPE, declared) if declared >= 0 else -1
    draft.object_owner = pending[0].row if single else -1
    row = draft.read(value, KEPT)
    draft.expected = draft.object_owner = -1
    return row


def _function_variable(draft: Draft, node: Node, name: Node, value: Node, *, scope: int) -> None:
    """`const f = () => ...`: a function by that name."""
    start, end = name.start_byte, name.end_byte
    row = draft.define(draft.name(start, end), FUNCTION, start, end, scope)
    annotation, expected = field(draft, node, nodes.F_TYPE), -1
    if annotation is not None or draft.notes is not None:
        owner, draft.owner = draft.owner, row
        declared = draft.read(annotation, WANTED) if annotation is not None else declared_type(draft, node)
        draft.owner = owner
        draft.definitions[row][D_TYPE] = declared
        expected = draft.expression(TYPE, declared) if declared >= 0 else -1
    function(draft, value, row, expected)
    draft.definitions[row][D_SIGNATURE] = signature(draft, node, field(draft, value, nodes.F_BODY))
    inner = field(draft, value, nodes.F_NAME)
    if inner is not None:
        own = draft.define(
            draft.name(inner.start_byte, inner.end_byte),
            VARIABLE,
            inner.start_byte,
            inner.end_byte,
            draft.definitions[row][D_BODY],
        )
        draft.definitions[own][D_VALUE] = draft.expression(FUNCTION_VALUE, row)


# ---------------------------------------------------------------- functions


def function_declaration(draft: Draft, node: Node, want: int, role: int) -> int:
    """`function name() {}`; without a body it is an overload or ambient."""
    name = field(draft, node, nodes.F_NAME)
    if name is None:
        return generic(draft, node, 0, 0)
    _widen(draft, node)
    start, end = name.start_byte, name.end_byte
    row = draft.define(draft.name(start, end), FUNCTION, start, end, draft.scope)
    if draft.kinds.of(node) == nodes.FUNCTION_SIGNATURE and not draft.ambient:
        draft.definitions[row][D_FLAGS] |= OVERLOAD
    function(draft, node, row)
    return row


def _widen(draft: Draft, node: Node) -> None:
    """The full range of a declaration: its statement's, when it stands in one made for it."""
    if not is_whole(draft, node):
        draft.full = (node.start_byte, node.end_byte)


# ---------------------------------------------------------------- types


def interface(draft: Draft, node: Node, want: int, role: int) -> int:
    """`interface Name<T> extends A, B { ... }`."""
    name, body = field(draft, node, nodes.F_NAME), field(draft, node, nodes.F_BODY)
    if name is None:
        return generic(draft, node, 0, 0)
    _widen(draft, node)
    row = _declare(draft, node, name, INTERFACE, TYPE_ONLY)
    outer, owner, full, flags = draft.scope, draft.owner, draft.full, draft.bind_flags
    draft.go_inside()
    draft.owner = row
    for part in node.named_children:
        if draft.kinds.of(part) == nodes.TYPE_PARAMETERS:
            draft.scope = draft.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
            type_parameters(draft, part)
        elif draft.kinds.of(part) in (nodes.EXTENDS_TYPE_CLAUSE, nodes.EXTENDS_CLAUSE):
            for base in children(part):
                draft.bases.append((row, draft.read(base, WANTED, INHERITED), -1))
    if body is not None:
        draft.scope = draft.open_scope(CLASS_SCOPE, body.start_byte, body.end_byte, row)
        draft.definitions[row][D_BODY] = draft.scope
        members(draft, body)
    draft.scope, draft.owner, draft.full, draft.bind_flags = outer, owner, full, flags
    return row


def _declare(draft: Draft, node: Node, name: Node, kind: int, flags: int) -> int:
    start, end = name.start_byte, name.end_byte
    row = draft.define(draft.name(start, end), kind, start, end, draft.scope)
    draft.definitions[row][D_FLAGS] |= flags
    draft.definitions[row][D_SIGNATURE] = signature(draft, node, field(draft, node, nodes.F_BODY))
    return row


def alias(draft: Draft, node: Node, want: int, role: int) -> int:
    """`type Name<T> = ...`."""
    name, value = field(draft, node, nodes.F_NAME), field(draft, node, nodes.F_VALUE)
    if name is None or value is None:
        return generic(draft, node, 0, 0)
    _widen(draft, node)
    row = _declare(draft, node, name, TYPE_ALIAS, TYPE_ONLY)
    outer, owner, flags = draft.scope, draft.owner, draft.bind_flags
    draft.go_inside()
    draft.owner = row
    for part in node.named_children:
        if draft.kinds.of(part) == nodes.TYPE_PARAMETERS:
            draft.scope = draft.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
            draft.definitions[row][D_BODY] = draft.scope
            type_parameters(draft, part)
    draft.object_owner = row if draft.kinds.of(value) == nodes.OBJECT_TYPE else -1
    draft.definitions[row][D_VALUE] = draft.read(value, WANTED, TYPED)
    draft.scope, draft.owner, draft.bind_flags = outer, owner, flags
    return row


def enum(draft: Draft, node: Node, want: int, role: int) -> int:
    """`enum Name { A = 1, B }`."""
    name, body = field(draft, node, nodes.F_NAME), field(draft, node, nodes.F_BODY)
    if name is None or body is None:
        return generic(draft, node, 0, 0)
    _widen(draft, node)
    row = _declare(draft, node, name, ENUM, 0)
    outer, owner, full, flags = draft.scope, draft.owner, draft.full, draft.bind_flags
    draft.go_inside()
    draft.owner = row
    draft.scope = draft.open_scope(NAMESPACE_SCOPE, body.start_byte, body.end_byte, row)
    draft.definitions[row][D_BODY] = draft.scope
    for part in children(body):
        draft.full = (part.start_byte, part.end_byte)
        assigned = draft.kinds.of(part) == nodes.ENUM_ASSIGNMENT
        named = name_of(draft, field(draft, part, nodes.F_NAME) if assigned else part)
        if named is not None:
            member = draft.define(named[0], ENUM_MEMBER, named[1], named[2], draft.scope)
            value = field(draft, part, nodes.F_VALUE) if assigned else None
            if value is not None:
                draft.definitions[member][D_VALUE] = draft.read(value, WANTED)
    draft.scope, draft.owner, draft.full, draft.bind_flags = outer, owner, full, flags
    return row


def namespace(draft: Draft, node: Node, want: int, role: int) -> int:
    """`namespace A.B { ... }`, `declare module "name" { ... }`."""
    name, body = field(draft, node, nodes.F_NAME), field(draft, node, nodes.F_BODY)
    if name is None:
        return generic(draft, node, 0, 0)
    _widen(draft, node)
    outer = draft.scope, draft.owner, draft.frame, draft.ambient, draft.bind_flags
    row = -1
    for part in _names(draft, name):
        start, end = part.start_byte, part.end_byte
        if draft.kinds.of(part) == nodes.STRING:
            start, end = start + 1, end - 1
        row = draft.define(draft.name(start, end), NAMESPACE, start, end, draft.scope)
        if draft.kinds.of(part) == nodes.STRING:
            draft.definitions[row][D_FLAGS] |= TYPE_ONLY
            draft.definitions[row][D_VALUE] = draft.module(draft.definitions[row][0], 0)
        draft.owner = row
        draft.bind_flags |= EXPORTED  # `namespace A.B` is `namespace A { export namespace B }`
        start, end = (body.start_byte, body.end_byte) if body is not None else (node.end_byte, node.end_byte)
        draft.scope = draft.open_scope(NAMESPACE_SCOPE, start, end, row)
        draft.definitions[row][D_BODY] = draft.scope
    draft.go_inside()
    if body is not None:
        draft.frame = Frame(row, False)
        read_statements(draft, body.named_children)
    draft.scope, draft.owner, draft.frame, draft.ambient, draft.bind_flags = outer
    return row


def _names(draft: Draft, node: Node) -> list[Node]:
    """The parts of `A.B.C`, of which the grammar reads the front as a member of a value."""
    found: list[Node] = []
    while draft.kinds.of(node) in (nodes.NESTED_IDENTIFIER, nodes.MEMBER_EXPRESSION) and node.named_child_count > 1:
        found.append(node.named_children[-1])
        node = node.named_children[0]
    return [node, *reversed(found)]


def ambient(draft: Draft, node: Node, want: int, role: int) -> int:
    """`declare ...`; `declare global { ... }` adds to the names that every file sees."""
    full, was = draft.full, draft.ambient
    draft.full, draft.ambient = (node.start_byte, node.end_byte), True
    row = -1
    for part in children(node):
        if draft.kinds.of(part) == nodes.STATEMENT_BLOCK:
            _global(draft, part)
        else:
            row = draft.read(part)
    draft.full, draft.ambient = full, was
    return row


def _global(draft: Draft, body: Node) -> None:
    start = body.start_byte
    row = draft.define(draft.text("global"), NAMESPACE, start, start, draft.scope)
    outer = draft.scope
    draft.scope = draft.open_scope(NAMESPACE_SCOPE, start, body.end_byte, row)
    draft.definitions[row][D_BODY] = draft.scope
    draft.definitions[row][D_FLAGS] |= TYPE_ONLY
    read_statements(draft, body.named_children)
    draft.scope = outer


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
