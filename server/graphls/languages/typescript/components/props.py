"""Props: the names that `defineProps` gives to the template of a `<script setup>`.

Owns: which calls declare props, the members of the type that they are given, which names of a template may be props.
Must not know: templates, other files.
Invariant: a name that the file binds is no prop; one that it does not bind is a prop only where the type has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from graphls.languages.extract.facts_builder import (
    D_BODY,
    D_KIND,
    D_NAME,
    D_SCOPE,
    D_START,
    D_TYPE,
    EXPRESSION,
    U_NAME,
    U_ROLE,
    USE,
)
from graphls.languages.typescript.syntax.facts_builder import (
    CALLED,
    FIELD,
    INTERFACE,
    MEMBER,
    METHOD,
    NAME,
    OBJECT,
    OBJECT_SCOPE,
    READ,
    TYPE,
    WRITE,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.nesting import children

_DEFINES, _DEFAULTS = b"defineProps", b"withDefaults"
_PAGE_TYPE = "Props"
_GLOBAL = frozenset(
    (
        *("Array", "BigInt", "Boolean", "Date", "Error", "Infinity", "Intl", "JSON", "Map", "Math", "NaN", "Number"),
        *("Object", "RegExp", "Set", "String", "Symbol", "arguments", "console", "decodeURI", "decodeURIComponent"),
        *("encodeURI", "encodeURIComponent", "isFinite", "isNaN", "parseFloat", "parseInt", "undefined"),
    )
)
"""Names that templates of Vue know without any script."""
_U_SCOPE, _U_BASE = 5, 6
_PLAIN = frozenset((READ, CALLED, WRITE))


def prop_names(builder: TsFactsBuilder, statements: Sequence[Node]) -> Mapping[str, int]:
    """Names with the expressions that they stand for, once the statements have been read."""
    found: dict[str, int] = {}
    for _, node in _given(builder, statements):
        found.update(_members(builder, node))
    return found


def prop_type(builder: TsFactsBuilder, statements: Sequence[Node]) -> int:
    """The type of the props as an expression, -1 where they have none; a variable that keeps them is of this type."""
    for name, node in _given(builder, statements):
        typed = _denoted(builder, node)
        row = next((row for row in builder.definitions if name is not None and row[D_START] == name.start_byte), None)
        if typed >= 0 and row is not None and row[D_TYPE] < 0:
            row[D_TYPE] = typed
        return typed
    return -1


def maybe_props(builder: TsFactsBuilder, typed: int, since: int) -> Mapping[str, int]:
    """Names that were used since some place of the occurrences and that nothing binds: members of the type, if it has
    such."""
    bound: dict[int, set[int]] = {}
    for row in builder.definitions:
        bound.setdefault(row[D_SCOPE], set()).add(row[D_NAME])
    found: dict[str, int] = {}
    uses = builder.occurrences
    for at in range(since, len(uses) if typed >= 0 else 0, USE):
        number, role, scope, base = uses[at + U_NAME], uses[at + U_ROLE], uses[at + _U_SCOPE], uses[at + _U_BASE]
        name = builder.strings[number]
        if base >= 0 or role not in _PLAIN or name in found or name in _GLOBAL or name.startswith("$"):
            continue
        while scope >= 0 and number not in bound.get(scope, ()):
            scope = builder.scopes[scope][1]
        if scope < 0:
            instance = builder.expression(TYPE, typed)
            found[name] = builder.expression(MEMBER, instance, number, -1)
    return found


def page_props(builder: TsFactsBuilder) -> None:
    """`Astro.props` is of the type that the page calls `Props`."""
    name = builder.text(_PAGE_TYPE)
    if not any(row[D_NAME] == name and row[D_SCOPE] == 0 for row in builder.definitions):
        return
    rows, page, props = builder.expressions, builder.text("Astro"), builder.text("props")
    for at in range(0, len(rows), EXPRESSION):
        base = rows[at + 1] * EXPRESSION
        if rows[at] == MEMBER and rows[at + 2] == props and base >= 0 and rows[base : base + 2] == [NAME, page]:
            rows[at : at + EXPRESSION] = [TYPE, builder.expression(NAME, name, 0, -1), -1, -1]


def _given(builder: TsFactsBuilder, statements: Sequence[Node]) -> Iterator[tuple[Node | None, Node]]:
    """The types that calls are given, each with the variable that keeps the props."""
    for statement in statements:
        for name, call in _calls(builder, statement):
            types = call.child_by_field_name("type_arguments")
            yield from ((name, node) for node in (children(types)[:1] if types is not None else ()))


def _denoted(builder: TsFactsBuilder, node: Node) -> int:
    """A type by its name; of several that are joined all of them. It has been read, so nothing is recorded."""
    if node.type == "type_identifier":
        return builder.expression(NAME, builder.name(node.start_byte, node.end_byte), 0, -1)
    parts = [part for part in children(node) if part.type != "type_arguments"]
    if node.type == "generic_type" and parts:
        return _denoted(builder, parts[0])
    if node.type == "intersection_type":
        rows = [_denoted(builder, part) for part in parts]
        return builder.operator("&", *(row for row in rows if row >= 0)) if any(row >= 0 for row in rows) else -1
    return -1


def _calls(builder: TsFactsBuilder, statement: Node) -> Iterator[tuple[Node | None, Node]]:
    """`defineProps<T>()`, alone, kept in a variable, or given defaults."""
    values: list[tuple[Node | None, Node | None]] = []
    if statement.type == "expression_statement":
        values = [(None, part) for part in statement.named_children[:1]]
    elif statement.type == "lexical_declaration":
        values = [(part.child_by_field_name("name"), part.child_by_field_name("value")) for part in children(statement)]
    for target, value in values:
        name = _callee(builder, value)
        if value is not None and name == _DEFAULTS:
            arguments = value.child_by_field_name("arguments")
            value = next(iter(children(arguments)), None) if arguments is not None else None
            name = _callee(builder, value)
        if value is not None and name == _DEFINES:
            yield target if target is not None and target.type == "identifier" else None, value


def _callee(builder: TsFactsBuilder, node: Node | None) -> bytes:
    callee = node.child_by_field_name("function") if node is not None and node.type == "call_expression" else None
    return b"" if callee is None else builder.data[callee.start_byte : callee.end_byte]


def _members(builder: TsFactsBuilder, node: Node) -> Iterator[tuple[str, int]]:
    scope, base = -1, -1
    if node.type == "object_type":
        wanted = (OBJECT_SCOPE, node.start_byte, node.end_byte)
        scope = next((at for at, row in enumerate(builder.scopes) if (row[0], row[2], row[3]) == wanted), -1)
        base = builder.expression(OBJECT, scope)
    elif node.type == "type_identifier":
        name = builder.name(node.start_byte, node.end_byte)
        own = (row for row in builder.definitions if row[D_NAME] == name and row[D_SCOPE] == 0)
        scope = next((row[D_BODY] for row in own if row[D_KIND] == INTERFACE), -1)
        base = builder.expression(NAME, name, 0, -1)
    typed = builder.expression(TYPE, base) if scope >= 0 else -1
    for row in list(builder.definitions) if scope >= 0 else ():
        if row[D_SCOPE] == scope and row[D_KIND] in (FIELD, METHOD):
            yield builder.strings[row[D_NAME]], builder.expression(MEMBER, typed, row[D_NAME], -1)
