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
from graphls.languages.extract.facts_builder import (
    D_BODY,
    D_FLAGS,
    D_SIGNATURE,
    D_TYPE,
    D_VALUE,
    U_NAME,
    U_ROLE,
    USE,
)
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.documented import declared_type
from graphls.languages.typescript.syntax.facts_builder import (
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
    Rule,
    TsFactsBuilder,
    TsFrame,
)
from graphls.languages.typescript.syntax.fragment_cache import read_cached
from graphls.languages.typescript.syntax.functions import (
    documentation,
    function,
    read_statements,
    signature,
    type_parameters,
)
from graphls.languages.typescript.syntax.nesting import children, field, guarded
from graphls.languages.typescript.syntax.signatures import index_signature, method_signature, name_of
from graphls.languages.typescript.syntax.texts import first_line, is_whole

BODY: Final = int(RegionKind.BODY)
ARGUMENTS_CAP: Final = 500
IMPLEMENTS: Final = "implements"
"""Keyword of a base that is only promised."""


def class_declaration(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A class statement, or a class as a value."""
    name, body = field(builder, node, nodes.F_NAME), field(builder, node, nodes.F_BODY)
    given = builder.take_owner()
    builder.expected = -1
    full, outer, owner, frame = builder.full, builder.scope, builder.owner, builder.frame
    doc, flags = builder.doc, builder.bind_flags
    row = _class_row(builder, node, name, given)
    if row == given and name is not None:
        _own_name(builder, node, name, row)
    builder.go_inside()
    builder.owner = row
    definition = builder.definitions[row]
    definition[D_FLAGS] |= ABSTRACT if builder.kinds.of(node) == nodes.ABSTRACT_CLASS_DECLARATION else 0
    definition[D_SIGNATURE] = signature(builder, node, body)
    before, builder.decorators_before = builder.decorators_before, ()
    for part in (*before, *children(node)):
        if builder.kinds.of(part) == nodes.DECORATOR:
            decorator(builder, part, row)
    for part in children(node):
        if builder.kinds.of(part) == nodes.TYPE_PARAMETERS:
            builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
            type_parameters(builder, part)
        elif builder.kinds.of(part) == nodes.CLASS_HERITAGE:
            _heritage(builder, part, row)
    if body is not None:
        builder.scope = builder.open_scope(CLASS_SCOPE, body.start_byte, body.end_byte, row)
        builder.definitions[row][D_BODY] = builder.scope
        builder.region(BODY, body, body.start_byte)
        builder.frame = TsFrame(-1, False)
        _members(builder, body)
    builder.full, builder.scope, builder.owner, builder.frame = full, outer, owner, frame
    builder.doc, builder.bind_flags = doc, flags
    return builder.expression(FUNCTION_VALUE, row) if want else -1


def _class_row(builder: TsFactsBuilder, node: Node, name: Node | None, given: int) -> int:
    """The definition of a class: its own name, or that of the variable it is the value of."""
    statement = builder.kinds.of(node) != nodes.CLASS
    if not statement and given >= 0:
        definition = builder.definitions[given]
        definition[1] = CLASS
        return given
    if not (statement and is_whole(builder, node)):
        builder.full = (node.start_byte, node.end_byte)
    start, end = (name.start_byte, name.end_byte) if name is not None else (node.start_byte, node.start_byte + 5)
    scope = builder.scope if statement else builder.open_scope(BLOCK, node.start_byte, node.end_byte)
    return builder.define(builder.name(start, end), CLASS, start, end, scope)


def _own_name(builder: TsFactsBuilder, node: Node, name: Node, row: int) -> None:
    """`x = class Name {}`: the name is known inside of it only."""
    builder.scope = builder.open_scope(TYPE_PARAMETERS, node.start_byte, node.end_byte, row)
    start, end = name.start_byte, name.end_byte
    own = builder.define(builder.name(start, end), VARIABLE, start, end, builder.scope)
    builder.definitions[own][D_VALUE] = builder.expression(FUNCTION_VALUE, row)


def _heritage(builder: TsFactsBuilder, node: Node, row: int) -> None:
    """`extends Base<T> implements A, B`."""
    for part in children(node):
        if builder.kinds.of(part) == nodes.EXTENDS_CLAUSE:
            _extends(builder, part, row)
        elif builder.kinds.of(part) == nodes.IMPLEMENTS_CLAUSE:
            for base in children(part):
                expression = builder.read(base, WANTED, IMPLEMENT)
                builder.bases.append((row, expression, builder.text(IMPLEMENTS)))
        else:
            builder.bases.append((row, builder.read(part, WANTED, INHERITED), -1))


def _extends(builder: TsFactsBuilder, node: Node, row: int) -> None:
    expression = -1
    for part in children(node):
        if builder.kinds.of(part) == nodes.TYPE_ARGUMENTS:
            given = [builder.read(argument, WANTED) for argument in children(part)]
            if expression >= 0:
                expression = builder.expression(SUBSCRIPT, expression, builder.sequence(given))
        else:
            expression = builder.read(part, WANTED, INHERITED)
    builder.bases.append((row, expression, -1))


def decorator(builder: TsFactsBuilder, node: Node, row: int) -> None:
    """`@name` and `@name(arguments)`."""
    mark, owner = len(builder.occurrences), builder.owner
    expression, text, at = -1, -1, node
    builder.owner = row
    for part in children(node):
        at = part
        expression = builder.read(part, WANTED, DECORATES)
        arguments = field(builder, part, nodes.F_ARGUMENTS) if builder.kinds.of(part) == nodes.CALL_EXPRESSION else None
        if arguments is not None:
            text = builder.text(
                " ".join(builder.source(arguments.start_byte, arguments.end_byte)[1:-1].split())[:ARGUMENTS_CAP]
            )
    builder.owner = owner
    uses, name = builder.occurrences, -1
    for place in range(mark, len(uses), USE):
        name = uses[place + U_NAME] if uses[place + U_ROLE] == DECORATES else name
    builder.decorators.append((row, expression, at.start_byte, at.end_byte, name, text))


# ---------------------------------------------------------------- members


def _members(builder: TsFactsBuilder, body: Node) -> None:
    comment: Node | None = None
    pending: list[Node] = []
    for part in body.named_children:
        kind = builder.kinds.of(part)
        if kind == nodes.COMMENT:
            comment = part
            continue
        if kind == nodes.DECORATOR:
            pending.append(part)
            continue
        builder.doc = documentation(builder, comment) if comment is not None else -1
        comment = None
        start = pending[0].start_byte if pending else part.start_byte
        builder.full = (start, part.end_byte)
        if pending or not read_cached(builder, part, _plain_member):
            _member(builder, part, tuple(pending))
        pending = []
    for left in pending:
        builder.read(left)


def _plain_member(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    _member(builder, node, ())
    return -1


def _member(builder: TsFactsBuilder, node: Node, decorators: tuple[Node, ...]) -> None:
    kind = builder.kinds.of(node)
    row = -1
    if kind == nodes.METHOD_DEFINITION:
        row = method(builder, node)
    elif kind in (nodes.PUBLIC_FIELD_DEFINITION, nodes.FIELD_DEFINITION):
        row = _field(builder, node)
    elif builder.kinds.marks(node) & nodes.METHODS:
        method_signature(builder, node)
    elif kind == nodes.INDEX_SIGNATURE:
        index_signature(builder, node)
    elif kind == nodes.CLASS_STATIC_BLOCK:
        _static_block(builder, node)
    else:
        builder.read(node)
    inner = tuple(part for part in node.named_children if builder.kinds.of(part) == nodes.DECORATOR)
    for part in (*decorators, *inner):
        if row >= 0:
            decorator(builder, part, row)
        else:
            builder.read(part)


def _static_block(builder: TsFactsBuilder, node: Node) -> None:
    """`static { ... }`: its names are its own, and `this` is the class, which owns its scope."""
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK, node.start_byte, node.end_byte, builder.owner)
    for part in children(node):
        read_statements(builder, part.named_children)
    builder.scope = outer


def method(builder: TsFactsBuilder, node: Node, kind: int = METHOD) -> int:
    """A method or accessor with a body, of a class or an object literal; -1 when its name is computed."""
    flags = 0
    for child in node.children:
        word = builder.kinds.of(child)
        if word in (nodes.GET, nodes.SET):
            kind, flags = PROPERTY, flags | (SETTER if word == nodes.SET else 0)
        elif word == nodes.STATIC:
            flags |= STATIC
        elif word not in (nodes.ACCESSIBILITY_MODIFIER, nodes.OVERRIDE_MODIFIER, nodes.DECORATOR) and child.is_named:
            break
    expected = builder.take_expected()
    named = name_of(builder, field(builder, node, nodes.F_NAME))
    if named is None:
        # A scope that nobody owns does not say whose `this` it has: that of an instance is found around it.
        of_class = builder.scopes[builder.scope][0] == CLASS_SCOPE and not flags & STATIC
        function(builder, node, -1, expected, of_class)
        return -1
    row = builder.define(named[0], kind, named[1], named[2], builder.scope)
    builder.definitions[row][D_FLAGS] |= flags
    function(builder, node, row, expected)
    return row


def _field(builder: TsFactsBuilder, node: Node) -> int:
    """A field; a function as its value makes it a method."""
    name = field(builder, node, nodes.F_NAME) or field(builder, node, nodes.F_PROPERTY)
    annotation, value = field(builder, node, nodes.F_TYPE), field(builder, node, nodes.F_VALUE)
    named = name_of(builder, name)
    if named is None:
        for part in (annotation, value):
            if part is not None:
                builder.read(part)
        return -1
    static = any(builder.kinds.of(child) == nodes.STATIC for child in node.children)
    called = value is not None and builder.kinds.of(value) in (nodes.ARROW_FUNCTION, nodes.FUNCTION_EXPRESSION)
    row = builder.define(named[0], METHOD if called else FIELD, named[1], named[2], builder.scope)
    definition = builder.definitions[row]
    definition[D_FLAGS] |= STATIC if static else INSTANCE
    definition[D_SIGNATURE] = first_line(builder, node)
    expected = -1
    owner, builder.owner = builder.owner, row
    if annotation is not None or builder.notes is not None:
        definition[D_TYPE] = (
            builder.read(annotation, WANTED) if annotation is not None else declared_type(builder, node)
        )
        expected = builder.expression(TYPE, definition[D_TYPE]) if definition[D_TYPE] >= 0 else -1
    if value is not None and called:
        function(builder, value, row, expected)
    elif value is not None:
        builder.expected, builder.object_owner = expected, row if builder.kinds.of(value) == nodes.OBJECT else -1
        outer = builder.scope
        if (
            static
            and builder.kinds.of(value) != nodes.OBJECT
            and b"this" in builder.data[value.start_byte : value.end_byte]
        ):
            builder.scope = builder.open_scope(BLOCK, value.start_byte, value.end_byte, builder.scopes[outer][4])
        definition[D_VALUE] = builder.read(value, KEPT)
        builder.expected = builder.object_owner = -1  # a value that takes neither would leave it to the next member
        builder.scope = outer
    builder.owner = owner
    return row


RULES: Mapping[str, Rule] = {
    "class_declaration": guarded(class_declaration),
    "abstract_class_declaration": guarded(class_declaration),
    "class": guarded(class_declaration),
}
