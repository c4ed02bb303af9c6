"""Props: the names that `defineProps` gives to the template of a `<script setup>`.

Owns: which calls declare props, the members of the type that they are given.
Must not know: templates, other files.
Invariant: a name rests on a member that is written out in this file; props of imported types are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from graphls.languages.draft import D_BODY, D_KIND, D_NAME, D_SCOPE
from graphls.languages.typescript.draft import FIELD, INTERFACE, MEMBER, METHOD, NAME, OBJECT, OBJECT_SCOPE, TYPE, Draft
from graphls.languages.typescript.nesting import children

_DEFINES, _DEFAULTS = b"defineProps", b"withDefaults"


def prop_names(draft: Draft, statements: Sequence[Node]) -> Mapping[str, int]:
    """Names with the expressions that they stand for, once the statements have been read."""
    found: dict[str, int] = {}
    for statement in statements:
        for call in _calls(draft, statement):
            types = call.child_by_field_name("type_arguments")
            for node in children(types) if types is not None else ():
                found.update(_members(draft, node))
    return found


def _calls(draft: Draft, statement: Node) -> Iterator[Node]:
    """`defineProps<T>()`, alone, kept in a variable, or given defaults."""
    values: list[Node | None] = []
    if statement.type == "expression_statement":
        values = list(statement.named_children[:1])
    elif statement.type == "lexical_declaration":
        values = [part.child_by_field_name("value") for part in children(statement)]
    for value in values:
        name = _callee(draft, value)
        if value is not None and name == _DEFAULTS:
            arguments = value.child_by_field_name("arguments")
            value = next(iter(children(arguments)), None) if arguments is not None else None
            name = _callee(draft, value)
        if value is not None and name == _DEFINES:
            yield value


def _callee(draft: Draft, node: Node | None) -> bytes:
    callee = node.child_by_field_name("function") if node is not None and node.type == "call_expression" else None
    return b"" if callee is None else draft.data[callee.start_byte : callee.end_byte]


def _members(draft: Draft, node: Node) -> Iterator[tuple[str, int]]:
    scope, base = -1, -1
    if node.type == "object_type":
        wanted = (OBJECT_SCOPE, node.start_byte, node.end_byte)
        scope = next((at for at, row in enumerate(draft.scopes) if (row[0], row[2], row[3]) == wanted), -1)
        base = draft.expression(OBJECT, scope)
    elif node.type == "type_identifier":
        name = draft.name(node.start_byte, node.end_byte)
        own = (row for row in draft.definitions if row[D_NAME] == name and row[D_SCOPE] == 0)
        scope = next((row[D_BODY] for row in own if row[D_KIND] == INTERFACE), -1)
        base = draft.expression(NAME, name, 0, -1)
    typed = draft.expression(TYPE, base) if scope >= 0 else -1
    for row in list(draft.definitions) if scope >= 0 else ():
        if row[D_SCOPE] == scope and row[D_KIND] in (FIELD, METHOD):
            yield draft.strings[row[D_NAME]], draft.expression(MEMBER, typed, row[D_NAME], -1)
