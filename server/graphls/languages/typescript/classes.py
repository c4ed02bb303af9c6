"""Classes: their definitions, heritage and members.

Owns: fields, methods, accessors, static blocks, decorators, base classes.
Must not know: what function bodies do.
Invariant: members are bound in the class scope, which no plain name reaches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import RegionKind
from graphls.languages.draft import (
    D_BODY,
    D_FLAGS,
    D_SIGNATURE,
    D_TYPE,
    D_VALUE,
    U_NAME,
    U_ROLE,
    USE,
)
from graphls.languages.typescript import nodes
from graphls.languages.typescript.documented import declared_type
from graphls.languages.typescript.draft import (
    ABSTRACT,
    BLOCK,
    CLASS,
    CLASS_SCOPE,
    DECORATES,
    FIELD,
    FUNCTION_VALUE,
    IMPLEMENT,
    INHERITED,
    INSTANCE,
    KEPT,
    METHOD,
    PROPERTY,
    SETTER,
    STATIC,
    SUBSCRIPT,
    TYPE,
    TYPE_PARAMETERS,
    VARIABLE,
    WANTED,
    Draft,
    Frame,
    Rule,
)
from graphls.languages.typescript.functions import (
    documentation,
    function,
    read_statements,
    signature,
    type_parameters,
)
from graphls.languages.typescript.nesting import children, field, guarded
from graphls.languages.typescript.recall import recalled
from graphls.languages.typescript.signatures import index_signature, method_signature, name_of
from graphls.languages.typescript.texts import first_line, is_whole

BODY: Final = int(RegionKind.BODY)
ARGUMENTS_CAP: Final = 500
IMPLEMENTS: Final = "implements"
"""Keyword of a base that is only promised."""


def class_declaration(draft: Draft, node: Node, want: int, role: int) -> int:
    """A class statement, or a class as a value."""
    name, body = field(draft, node, nodes.F_NAME), field(draft, node, nodes.F_BODY)
    given = draft.take_owner()
    draft.expected = -1
    full, outer, owner, frame = draft.full, draft.scope, draft.owner, draft.frame
    doc, flags = draft.doc, draft.bind_flags
    row = _class_row(draft, node, name, given)
    if row == given and name is not None:
        _own_name(draft, node, name, row)
    draft.go_inside()
    draft.owner = row
    definition = draft.definitions[row]
    definition[D_FLAGS] |= ABSTRACT if draft.kinds.of(node) == nodes.ABSTRACT_CLASS_DECLARATION else 0
    definition[D_SIGNATURE] = signature(draft, node, body)
    before, draft.decorators_before = draft.decorators_before, ()
    for part in (*before, *children(node)):
        if draft.kinds.of(part) == nodes.DECORATOR:
            decorator(draft, part, row)
    for part in children(node):
        if draft.kinds.of(part) == nodes.TYPE_PARAMETERS:
            draft.scope = draft.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
            type_parameters(draft, part)
        elif draft.kinds.of(part) == nodes.CLASS_HERITAGE:
            _heritage(draft, part, row)
    if body is not None:
        draft.scope = draft.open_scope(CLASS_SCOPE, body.start_byte, body.end_byte, row)
        draft.definitions[row][D_BODY] = draft.scope
        draft.region(BODY, body, body.start_byte)
        draft.frame = Frame(-1, False)
        _members(draft, body)
    draft.full, draft.scope, draft.owner, draft.frame = full, outer, owner, frame
    draft.doc, draft.bind_flags = doc, flags
    return draft.expression(FUNCTION_VALUE, row) if want else -1


def _class_row(draft: Draft, node: Node, name: Node | None, given: int) -> int:
    """The definition of a class: its own name, or that of the variable it is the value of."""
    statement = draft.kinds.of(node) != nodes.CLASS
    if not statement and given >= 0:
        definition = draft.definitions[given]
        definition[1] = CLASS
        return given
    if not (statement and is_whole(draft, node)):
        draft.full = (node.start_byte, node.end_byte)
    start, end = (name.start_byte, name.end_byte) if name is not None else (node.start_byte, node.start_byte + 5)
    scope = draft.scope if statement else draft.open_scope(BLOCK, node.start_byte, node.end_byte)
    return draft.define(draft.name(start, end), CLASS, start, end, scope)


def _own_name(draft: Draft, node: Node, name: Node, row: int) -> None:
    """`x = class Name {}`: the name is known inside of it only."""
    draft.scope = draft.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
    start, end = name.start_byte, name.end_byte
    own = draft.define(draft.name(start, end), VARIABLE, start, end, draft.scope)
    draft.definitions[own][D_VALUE] = draft.expression(FUNCTION_VALUE, row)


def _heritage(draft: Draft, node: Node, row: int) -> None:
    """`extends Base<T> implements A, B`."""
    for part in children(node):
        if draft.kinds.of(part) == nodes.EXTENDS_CLAUSE:
            _extends(draft, part, row)
        elif draft.kinds.of(part) == nodes.IMPLEMENTS_CLAUSE:
            for base in children(part):
                expression = draft.read(base, WANTED, IMPLEMENT)
                draft.bases.append((row, expression, draft.text(IMPLEMENTS)))
        else:
            draft.bases.append((row, draft.read(part, WANTED, INHERITED), -1))


def _extends(draft: Draft, node: Node, row: int) -> None:
    expression = -1
    for part in children(node):
        if draft.kinds.of(part) == nodes.TYPE_ARGUMENTS:
            given = [draft.read(argument, WANTED) for argument in children(part)]
            if expression >= 0:
                expression = draft.expression(SUBSCRIPT, expression, draft.sequence(given))
        else:
            expression = draft.read(part, WANTED, INHERITED)
    draft.bases.append((row, expression, -1))


def decorator(draft: Draft, node: Node, row: int) -> None:
    """`@name` and `@name(arguments)`."""
    mark, owner = len(draft.occurrences), draft.owner
    expression, text, at = -1, -1, node
    draft.owner = row
    for part in children(node):
        at = part
        expression = draft.read(part, WANTED, DECORATES)
        arguments = field(draft, part, nodes.F_ARGUMENTS) if draft.kinds.of(part) == nodes.CALL_EXPRESSION else None
        if arguments is not None:
            text = draft.text(
                " ".join(draft.source(arguments.start_byte, arguments.end_byte)[1:-1].split())[:ARGUMENTS_CAP]
            )
    draft.owner = owner
    uses, name = draft.occurrences, -1
    for place in range(mark, len(uses), USE):
        name = uses[place + U_NAME] if uses[place + U_ROLE] == DECORATES else name
    draft.decorators.append((row, expression, at.start_byte, at.end_byte, name, text))


# ---------------------------------------------------------------- members


def _members(draft: Draft, body: Node) -> None:
    comment: Node | None = None
    pending: list[Node] = []
    for part in body.named_children:
        kind = draft.kinds.of(part)
        if kind == nodes.COMMENT:
            comment = part
            continue
        if kind == nodes.DECORATOR:
            pending.append(part)
            continue
        draft.doc = documentation(draft, comment) if comment is not None else -1
        comment = None
        start = pending[0].start_byte if pending else part.start_byte
        draft.full = (start, part.end_byte)
        if pending or not recalled(draft, part, _plain_member):
            _member(draft, part, tuple(pending))
        pending = []
    for left in pending:
        draft.read(left)


def _plain_member(draft: Draft, node: Node, want: int, role: int) -> int:
    _member(draft, node, ())
    return -1


def _member(draft: Draft, node: Node, decorators: tuple[Node, ...]) -> None:
    kind = draft.kinds.of(node)
    row = -1
    if kind == nodes.METHOD_DEFINITION:
        row = method(draft, node)
    elif kind in (nodes.PUBLIC_FIELD_DEFINITION, nodes.FIELD_DEFINITION):
        row = _field(draft, node)
    elif draft.kinds.marks(node) & nodes.METHODS:
        method_signature(draft, node)
    elif kind == nodes.INDEX_SIGNATURE:
        index_signature(draft, node)
    elif kind == nodes.CLASS_STATIC_BLOCK:
        _static_block(draft, node)
    else:
        draft.read(node)
    inner = tuple(part for part in node.named_children if draft.kinds.of(part) == nodes.DECORATOR)
    for part in (*decorators, *inner):
        if row >= 0:
            decorator(draft, part, row)
        else:
            draft.read(part)


def _static_block(draft: Draft, node: Node) -> None:
    """`static { ... }`: its names are its own, and `this` is the class, which owns its scope."""
    outer = draft.scope
    draft.scope = draft.open_scope(BLOCK, node.start_byte, node.end_byte, draft.owner)
    for part in children(node):
        read_statements(draft, part.named_children)
    draft.scope = outer


def method(draft: Draft, node: Node, kind: int = METHOD) -> int:
    """A method or accessor with a body, of a class or an object literal; -1 when its name is computed."""
    flags = 0
    for child in node.children:
        word = draft.kinds.of(child)
        if word in (nodes.GET, nodes.SET):
            kind, flags = PROPERTY, flags | (SETTER if word == nodes.SET else 0)
        elif word == nodes.STATIC:
            flags |= STATIC
        elif word not in (nodes.ACCESSIBILITY_MODIFIER, nodes.OVERRIDE_MODIFIER, nodes.DECORATOR) and child.is_named:
            break
    expected = draft.take_expected()
    named = name_of(draft, field(draft, node, nodes.F_NAME))
    if named is None:
        # A scope that nobody owns does not say whose `this` it has: that of an instance is found around it.
        of_class = draft.scopes[draft.scope][0] == CLASS_SCOPE and not flags & STATIC
        function(draft, node, -1, expected, of_class)
        return -1
    row = draft.define(named[0], kind, named[1], named[2], draft.scope)
    draft.definitions[row][D_FLAGS] |= flags
    function(draft, node, row, expected)
    return row


def _field(draft: Draft, node: Node) -> int:
    """A field; a function as its value makes it a method."""
    name = field(draft, node, nodes.F_NAME) or field(draft, node, nodes.F_PROPERTY)
    annotation, value = field(draft, node, nodes.F_TYPE), field(draft, node, nodes.F_VALUE)
    named = name_of(draft, name)
    if named is None:
        for part in (annotation, value):
            if part is not None:
                draft.read(part)
        return -1
    static = any(draft.kinds.of(child) == nodes.STATIC for child in node.children)
    called = value is not None and draft.kinds.of(value) in (nodes.ARROW_FUNCTION, nodes.FUNCTION_EXPRESSION)
    row = draft.define(named[0], METHOD if called else FIELD, named[1], named[2], draft.scope)
    definition = draft.definitions[row]
    definition[D_FLAGS] |= STATIC if static else INSTANCE
    definition[D_SIGNATURE] = first_line(draft, node)
    expected = -1
    owner, draft.owner = draft.owner, row
    if annotation is not None or draft.notes is not None:
        definition[D_TYPE] = draft.read(annotation, WANTED) if annotation is not None else declared_type(draft, node)
        expected = draft.expression(TYPE, definition[D_TYPE]) if definition[D_TYPE] >= 0 else -1
    if value is not None and called:
        function(draft, value, row, expected)
    elif value is not None:
        draft.expected, draft.object_owner = expected, row if draft.kinds.of(value) == nodes.OBJECT else -1
        outer = draft.scope
        if (
            static
            and draft.kinds.of(value) != nodes.OBJECT
            and b"this" in draft.data[value.start_byte : value.end_byte]
        ):
            draft.scope = draft.open_scope(BLOCK, value.start_byte, value.end_byte, draft.scopes[outer][4])
        definition[D_VALUE] = draft.read(value, KEPT)
        draft.scope = outer
    draft.owner = owner
    return row


RULES: Mapping[str, Rule] = {
    "class_declaration": guarded(class_declaration),
    "abstract_class_declaration": guarded(class_declaration),
    "class": guarded(class_declaration),
}
