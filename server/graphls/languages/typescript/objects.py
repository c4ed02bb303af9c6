"""Objects: literals of objects and arrays, and JSX.

Owns: members of object literals, keys that a declared type gives a meaning, elements, rendered components.
Must not know: what the literal is the value of.
Invariant: members are definitions only where the literal is kept under a name or returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.languages.draft import D_BODY, D_SIGNATURE, D_TYPE, D_VALUE, U_OWNER, USE
from graphls.languages.typescript import nodes
from graphls.languages.typescript.classes import method
from graphls.languages.typescript.documented import declared_type
from graphls.languages.typescript.draft import (
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
    Draft,
    Rule,
)
from graphls.languages.typescript.functions import function
from graphls.languages.typescript.nesting import children, field, guarded
from graphls.languages.typescript.signatures import name_of
from graphls.languages.typescript.texts import first_line

ELEMENTS: Final = 20
"""Elements of an array that are written down; their types repeat."""


def object_literal(draft: Draft, node: Node, want: int, role: int) -> int:
    """`{ a, b: c, d() {} }`."""
    expected, owner = draft.take_expected(), draft.take_owner()
    full, outer, doc = draft.full, draft.scope, draft.doc
    kept = want == KEPT
    scope = draft.open_scope(OBJECT_SCOPE, node.start_byte, node.end_byte, owner) if kept else -1
    spreads: list[int] = []
    for part in node.named_children:
        kind = draft.kinds.of(part)
        draft.full, draft.doc = (part.start_byte, part.end_byte), -1
        if kind == nodes.PAIR:
            _pair(draft, part, scope, expected)
        elif kind == nodes.SHORTHAND_PROPERTY_IDENTIFIER:
            _shorthand(draft, part, scope, expected)
        elif kind == nodes.METHOD_DEFINITION:
            _method(draft, part, scope, expected)
        elif kind == nodes.SPREAD_ELEMENT:
            spreads.append(draft.read(part, want))
        else:
            draft.read(part)
    draft.full, draft.scope, draft.doc = full, outer, doc
    if not want:
        return -1
    row = draft.expression(OBJECT, scope) if kept else draft.builtin("object")
    return draft.operator("&", row, *spreads) if spreads and kept else row


def _key(draft: Draft, node: Node | None, expected: int) -> tuple[int, int, int] | None:
    """The name of a member; a use of what the expected type declares by that name."""
    named = name_of(draft, node)
    if named is not None and expected >= 0:
        draft.use(named[1], named[2], KEYWORD, expected)
    return named


def _pair(draft: Draft, node: Node, scope: int, expected: int) -> None:
    parts = children(node)
    if len(parts) != 2:
        for part in parts:
            draft.read(part)
        return
    key, value = parts
    named = _key(draft, key, expected)
    declared = declared_type(draft, node)
    inner = draft.expression(TYPE, declared) if declared >= 0 else -1
    if inner < 0 and named is not None and expected >= 0 and draft.kinds.marks(value) & nodes.TYPED_VALUES:
        inner = draft.expression(MEMBER, expected, named[0], -1)
    if scope < 0 or named is None:
        draft.expected = inner
        draft.read(value, 1 if inner >= 0 else 0)
        draft.expected = -1
        return
    called = draft.kinds.marks(value) & nodes.FUNCTIONS != 0
    row = draft.define(named[0], METHOD if called else FIELD, named[1], named[2], scope)
    definition = draft.definitions[row]
    definition[D_TYPE] = declared
    outer, owner = draft.scope, draft.owner
    if called:
        draft.scope = scope
        function(draft, value, row, inner)
        draft.scope = outer
        _inner_name(draft, value, row)
        return
    definition[D_SIGNATURE] = first_line(draft, node)
    draft.expected, draft.object_owner = inner, row if draft.kinds.of(value) == nodes.OBJECT else -1
    if draft.kinds.of(value) == nodes.OBJECT:
        draft.scope = scope
    if draft.owns(row):
        draft.owner = row
    definition[D_VALUE] = draft.read(value, KEPT)
    draft.expected = draft.object_owner = -1
    draft.scope, draft.owner = outer, owner


def _inner_name(draft: Draft, value: Node, row: int) -> None:
    """`key: function name() {}`: the name is known inside of the function only."""
    name = field(draft, value, nodes.F_NAME)
    if name is None:
        return
    start, end = name.start_byte, name.end_byte
    own = draft.define(draft.name(start, end), VARIABLE, start, end, draft.definitions[row][D_BODY])
    draft.definitions[own][D_VALUE] = draft.expression(FUNCTION_VALUE, row)


def _shorthand(draft: Draft, node: Node, scope: int, expected: int) -> None:
    start, end = node.start_byte, node.end_byte
    mark = len(draft.occurrences)
    value = draft.read(node, 1)
    name = draft.name(start, end)
    row = draft.define(name, FIELD, start, end, scope) if scope >= 0 else -1
    if row >= 0 and draft.owns(row):
        for at in range(mark + U_OWNER, len(draft.occurrences), USE):
            draft.occurrences[at] = row
    if expected >= 0:
        draft.use(start, end, KEYWORD, expected)
    if row >= 0:
        draft.definitions[row][D_VALUE] = value
        draft.definitions[row][D_SIGNATURE] = name


def _method(draft: Draft, node: Node, scope: int, expected: int) -> None:
    outer = draft.scope
    name = field(draft, node, nodes.F_NAME)
    inner = -1
    if expected >= 0 and name is not None and draft.kinds.of(name) == nodes.PROPERTY_IDENTIFIER:
        text = draft.use(name.start_byte, name.end_byte, KEYWORD, expected)
        inner = draft.expression(MEMBER, expected, text, -1)
    if scope >= 0:
        draft.scope = scope
        draft.expected = inner
        method(draft, node)
        draft.scope = outer
        return
    if name is not None and draft.kinds.of(name) == nodes.COMPUTED_PROPERTY_NAME:
        draft.read(name)
    draft.expected = inner
    _unnamed(draft, node)


def _unnamed(draft: Draft, node: Node) -> None:
    """A method of a literal that nobody keeps."""
    expected = draft.take_expected()
    function(draft, node, -1, expected)


def array_literal(draft: Draft, node: Node, want: int, role: int) -> int:
    """`[a, b]`."""
    expected = draft.take_expected()
    draft.object_owner = -1
    element = -1
    rows: list[int] = []
    for part in children(node):
        keep = want if len(rows) < ELEMENTS else 0
        if expected >= 0 and draft.kinds.marks(part) & nodes.TYPED_VALUES:
            element = element if element >= 0 else draft.expression(ELEMENT, expected, 0)
            draft.expected = element
        row = draft.read(part, 1 if keep and draft.kinds.of(part) != nodes.OBJECT else keep)
        draft.expected = -1
        if keep:
            rows.append(row)
    return draft.expression(COLLECTION, draft.sequence(rows), draft.text("Array"), -1) if want else -1


# ---------------------------------------------------------------- JSX


def jsx_element(draft: Draft, node: Node, want: int, role: int) -> int:
    """`<Name ...>...</Name>`: a component is rendered; lower-case names are built in."""
    draft.expected = draft.object_owner = -1
    opening = field(draft, node, nodes.F_OPEN_TAG) or node
    name = field(draft, opening, nodes.F_NAME)
    rendered = _component(draft, name) if name is not None else -1
    expected = -1
    for part in children(opening):
        if draft.kinds.of(part) == nodes.JSX_ATTRIBUTE and rendered >= 0 and expected < 0:
            expected = draft.operator("argument:0:0", rendered)
        if part != name:
            _attribute(draft, part, expected)
    if opening is not node:
        for part in children(node):
            if draft.kinds.of(part) not in (nodes.JSX_OPENING_ELEMENT, nodes.JSX_CLOSING_ELEMENT, nodes.JSX_TEXT):
                draft.read(part)
        closing = field(draft, node, nodes.F_CLOSE_TAG)
        again = field(draft, closing, nodes.F_NAME) if closing is not None else None
        if again is not None:
            _component(draft, again, READ)  # it names what is rendered, and renders nothing more
    return draft.builtin("JSX.Element") if want else -1


def _component(draft: Draft, node: Node, role: int = RENDER) -> int:
    """The name of a component; -1 for what is built in."""
    if draft.kinds.of(node) == nodes.IDENTIFIER:
        first = draft.data[node.start_byte : node.start_byte + 1]
        if first.isalpha() and first.islower():
            return -1
    return draft.read(node, WANTED, role)


def _attribute(draft: Draft, node: Node, expected: int) -> None:
    """`name={value}`: a use of what the component takes by that name."""
    told = -1
    for part in children(node) if draft.kinds.of(node) == nodes.JSX_ATTRIBUTE else [node]:
        if draft.kinds.of(part) == nodes.PROPERTY_IDENTIFIER:
            if expected >= 0:
                name = draft.use(part.start_byte, part.end_byte, KEYWORD, expected)
                told = draft.expression(MEMBER, expected, name, -1)
        elif draft.kinds.of(part) == nodes.JSX_EXPRESSION and told >= 0:
            for inner in children(part):
                draft.expected = told if draft.kinds.marks(inner) & nodes.TYPED_VALUES else -1
                draft.read(inner, 1 if draft.expected >= 0 else 0)
                draft.expected = -1
        elif draft.kinds.of(part) not in (nodes.STRING, nodes.JSX_NAMESPACE_NAME):
            draft.read(part)


RULES: Mapping[str, Rule] = {
    "object": guarded(object_literal),
    "array": guarded(array_literal),
    "jsx_element": guarded(jsx_element),
    "jsx_self_closing_element": guarded(jsx_element),
}
