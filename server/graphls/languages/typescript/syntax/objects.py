"""Objects: literals of objects and arrays, and JSX.

Owns: members of object literals, keys that a declared type gives a meaning, elements, rendered components.
Must not know: what the literal is the value of.
Invariant: members are definitions only where the literal is kept under a name or returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.languages.bounds import MAX_CANDIDATES
from graphls.languages.extract.facts_builder import D_BODY, D_SIGNATURE, D_TYPE, D_VALUE, U_OWNER, USE
from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.classes import method
from graphls.languages.typescript.syntax.documented import declared_type
from graphls.languages.typescript.syntax.facts_builder import (
    COLLECTION,
    ELEMENT,
    FIELD,
    FUNCTION_VALUE,
    KEPT,
    KEYWORD,
    MEMBER,
    METHOD,
    OBJECT,
    OBJECT_SCOPE,
    READ,
    RENDER,
    TYPE,
    VARIABLE,
    WANTED,
    Rule,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import function
from graphls.languages.typescript.syntax.nesting import children, field, guarded
from graphls.languages.typescript.syntax.signatures import name_of
from graphls.languages.typescript.syntax.texts import first_line

INTRINSIC: Final = "JSX.IntrinsicElements"
"""The type that declares the elements that are built in, and what they take."""
ELEMENTS: Final = MAX_CANDIDATES + 1
"""Elements of an array that are written down: as many as are told apart, and one that says that there are more."""


def object_literal(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{ a, b: c, d() {} }`."""
    expected, owner = builder.take_expected(), builder.take_owner()
    full, outer, doc = builder.full, builder.scope, builder.doc
    with_scope = want == KEPT
    scope = builder.open_scope(OBJECT_SCOPE, node.start_byte, node.end_byte, owner) if with_scope else -1
    spreads: list[int] = []
    for part in node.named_children:
        kind = builder.kinds.of(part)
        builder.full, builder.doc = (part.start_byte, part.end_byte), -1
        if kind == nodes.PAIR:
            _pair(builder, part, scope, expected)
        elif kind == nodes.SHORTHAND_PROPERTY_IDENTIFIER:
            _shorthand(builder, part, scope, expected)
        elif kind == nodes.METHOD_DEFINITION:
            _method(builder, part, scope, expected)
        elif kind == nodes.SPREAD_ELEMENT:
            spreads.append(builder.read(part, want))
        else:
            builder.read(part)
    builder.full, builder.scope, builder.doc = full, outer, doc
    if not want:
        return -1
    row = builder.expression(OBJECT, scope) if with_scope else builder.builtin("object")
    return builder.operator("&", row, *spreads) if spreads and with_scope else row


def _key(builder: TsFactsBuilder, node: Node | None, expected: int) -> tuple[int, int, int] | None:
    """The name of a member; a use of what the expected type declares by that name."""
    named = name_of(builder, node)
    if named is not None and expected >= 0:
        builder.use(named[1], named[2], KEYWORD, expected)
    return named


def _pair(builder: TsFactsBuilder, node: Node, scope: int, expected: int) -> None:
    parts = children(node)
    if len(parts) != 2:
        for part in parts:
            builder.read(part)
        return
    key, value = parts
    named = _key(builder, key, expected)
    declared = declared_type(builder, node)
    inner = builder.expression(TYPE, declared) if declared >= 0 else -1
    if inner < 0 and named is not None and expected >= 0 and builder.kinds.marks(value) & nodes.TYPED_VALUES:
        inner = builder.expression(MEMBER, expected, named[0], -1)
    if scope < 0 or named is None:
        builder.expected = inner
        builder.read(value, 1 if inner >= 0 else 0)
        builder.expected = -1
        return
    called = builder.kinds.marks(value) & nodes.FUNCTIONS != 0
    row = builder.define(named[0], METHOD if called else FIELD, named[1], named[2], scope)
    definition = builder.definitions[row]
    definition[D_TYPE] = declared
    outer, owner = builder.scope, builder.owner
    if called:
        builder.scope = scope
        function(builder, value, row, inner)
        builder.scope = outer
        _inner_name(builder, value, row)
        return
    definition[D_SIGNATURE] = first_line(builder, node)
    builder.expected, builder.object_owner = inner, row if builder.kinds.of(value) == nodes.OBJECT else -1
    if builder.kinds.of(value) == nodes.OBJECT:
        builder.scope = scope
    if builder.owns(row):
        builder.owner = row
    definition[D_VALUE] = builder.read(value, KEPT)
    builder.expected = builder.object_owner = -1
    builder.scope, builder.owner = outer, owner


def _inner_name(builder: TsFactsBuilder, value: Node, row: int) -> None:
    """`key: function name() {}`: the name is known inside of the function only."""
    name = field(builder, value, nodes.F_NAME)
    if name is None:
        return
    start, end = name.start_byte, name.end_byte
    own = builder.define(builder.name(start, end), VARIABLE, start, end, builder.definitions[row][D_BODY])
    builder.definitions[own][D_VALUE] = builder.expression(FUNCTION_VALUE, row)


def _shorthand(builder: TsFactsBuilder, node: Node, scope: int, expected: int) -> None:
    start, end = node.start_byte, node.end_byte
    mark = len(builder.occurrences)
    value = builder.read(node, 1)
    name = builder.name(start, end)
    row = builder.define(name, FIELD, start, end, scope) if scope >= 0 else -1
    if row >= 0 and builder.owns(row):
        for at in range(mark + U_OWNER, len(builder.occurrences), USE):
            builder.occurrences[at] = row
    if expected >= 0:
        builder.use(start, end, KEYWORD, expected)
    if row >= 0:
        builder.definitions[row][D_VALUE] = value
        builder.definitions[row][D_SIGNATURE] = name


def _method(builder: TsFactsBuilder, node: Node, scope: int, expected: int) -> None:
    outer = builder.scope
    name = field(builder, node, nodes.F_NAME)
    inner = -1
    if expected >= 0 and name is not None and builder.kinds.of(name) == nodes.PROPERTY_IDENTIFIER:
        text = builder.use(name.start_byte, name.end_byte, KEYWORD, expected)
        inner = builder.expression(MEMBER, expected, text, -1)
    if scope >= 0:
        builder.scope = scope
        builder.expected = inner
        method(builder, node)
        builder.scope = outer
        return
    if name is not None and builder.kinds.of(name) == nodes.COMPUTED_PROPERTY_NAME:
        builder.read(name)
    builder.expected = inner
    _unnamed(builder, node)


def _unnamed(builder: TsFactsBuilder, node: Node) -> None:
    """A method of a literal that nobody keeps."""
    expected = builder.take_expected()
    function(builder, node, -1, expected)


def array_literal(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[a, b]`."""
    expected = builder.take_expected()
    builder.object_owner = -1
    element = -1
    rows: list[int] = []
    for part in children(node):
        keep = want if len(rows) < ELEMENTS else 0
        if expected >= 0 and builder.kinds.marks(part) & nodes.TYPED_VALUES:
            element = element if element >= 0 else builder.expression(ELEMENT, expected, 0)
            builder.expected = element
        row = builder.read(part, 1 if keep and builder.kinds.of(part) != nodes.OBJECT else keep)
        builder.expected = -1
        if keep:
            rows.append(row)
    return builder.expression(COLLECTION, builder.sequence(rows), builder.text("Array"), -1) if want else -1


# ---------------------------------------------------------------- JSX


def jsx_element(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """`<Name ...>...</Name>`: a component is rendered; lower-case names are built in."""
    builder.expected = builder.object_owner = -1
    opening = field(builder, node, nodes.F_OPEN_TAG) or node
    name = field(builder, opening, nodes.F_NAME)
    intrinsic = name is not None and _is_intrinsic(builder, name)
    rendered = _component(builder, name, RENDER) if name is not None else -1
    expected = rendered if intrinsic else -1
    for part in children(opening):
        if builder.kinds.of(part) == nodes.JSX_ATTRIBUTE and rendered >= 0 and expected < 0:
            expected = builder.operator("argument:0:0", rendered)
        if part != name:
            _attribute(builder, part, expected)
    if opening is not node:
        for part in children(node):
            if builder.kinds.of(part) not in (nodes.JSX_OPENING_ELEMENT, nodes.JSX_CLOSING_ELEMENT, nodes.JSX_TEXT):
                builder.read(part)
        closing = field(builder, node, nodes.F_CLOSE_TAG)
        again = field(builder, closing, nodes.F_NAME) if closing is not None else None
        if again is not None:
            _component(builder, again, READ)  # it names what is rendered, and renders nothing more
    return builder.builtin("JSX.Element") if want else -1


def _is_intrinsic(builder: TsFactsBuilder, node: Node) -> bool:
    first = builder.data[node.start_byte : node.start_byte + 1]
    return builder.kinds.of(node) == nodes.IDENTIFIER and first.isalpha() and first.islower()


def _component(builder: TsFactsBuilder, node: Node, role: int) -> int:
    """The name of a component, or what an element that is built in takes."""
    if not _is_intrinsic(builder, node):
        return builder.read(node, WANTED, role)
    table = builder.builtin(INTRINSIC)
    name = builder.use(node.start_byte, node.end_byte, role, table)
    return builder.expression(MEMBER, table, name, -1)


def _attribute(builder: TsFactsBuilder, node: Node, expected: int) -> None:
    """`name={value}`: a use of what the component takes by that name."""
    expectation = -1
    for part in children(node) if builder.kinds.of(node) == nodes.JSX_ATTRIBUTE else [node]:
        if builder.kinds.of(part) == nodes.PROPERTY_IDENTIFIER:
            if expected >= 0:
                name = builder.use(part.start_byte, part.end_byte, KEYWORD, expected)
                expectation = builder.expression(MEMBER, expected, name, -1)
        elif builder.kinds.of(part) == nodes.JSX_EXPRESSION and expectation >= 0:
            for inner in children(part):
                builder.expected = expectation if builder.kinds.marks(inner) & nodes.TYPED_VALUES else -1
                builder.read(inner, 1 if builder.expected >= 0 else 0)
                builder.expected = -1
        elif builder.kinds.of(part) not in (nodes.STRING, nodes.JSX_NAMESPACE_NAME):
            builder.read(part)


RULES: Mapping[str, Rule] = {
    "object": guarded(object_literal),
    "array": guarded(array_literal),
    "jsx_element": guarded(jsx_element),
    "jsx_self_closing_element": guarded(jsx_element),
}
