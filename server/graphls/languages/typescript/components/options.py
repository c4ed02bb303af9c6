"""Options: the names that a component of Vue's options gives to its template.

Owns: members of `methods`, `computed`, `props`, `components`, and what `data` and `setup` give back.
Must not know: templates, how objects are read.
Invariant: a name rests on a member that is written out; what mixins, plugins and lists of strings add is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from graphls.languages.draft import D_FLAGS, D_KIND, D_NAME, D_SCOPE, D_VALUE, EXPRESSION
from graphls.languages.typescript.draft import (
    CALLED,
    DEFAULT_EXPORT,
    EXPORTED,
    FIELD,
    KEPT,
    MEMBER,
    METHOD,
    OBJECT,
    VARIABLE,
    Draft,
)
from graphls.languages.typescript.functions import read_statements
from graphls.languages.typescript.imports import DEFAULT, give
from graphls.languages.typescript.nesting import children

_WRAPPERS = (b"defineComponent", b"defineNuxtComponent", b"Vue.extend", b"defineAsyncComponent")
_GROUPS = ("methods", "computed", "props")
_RETURNED = ("data", "setup")


def read_script(draft: Draft, statements: list[Node]) -> None:
    """Statements; the options that a call around them hands through are the component itself."""
    done = 0
    for place, statement in enumerate(statements):
        call = _wrapped(draft, statement)
        if call is not None:
            read_statements(draft, statements[done:place])
            _component(draft, statement, call)
            done = place + 1
    read_statements(draft, statements[done:])


def _wrapped(draft: Draft, node: Node) -> Node | None:
    """The call in `export default defineComponent({ ... })`."""
    value = node.child_by_field_name("value") if node.type == "export_statement" else None
    if value is None or value.type != "call_expression":
        return None
    callee, arguments = value.child_by_field_name("function"), value.child_by_field_name("arguments")
    if callee is None or arguments is None or draft.data[callee.start_byte : callee.end_byte] not in _WRAPPERS:
        return None
    given = children(arguments)
    return value if len(given) == 1 and given[0].type == "object" else None


def _component(draft: Draft, node: Node, call: Node) -> None:
    word = next(child for child in node.children if child.type == "default")
    callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    outer, draft.full = draft.full, (node.start_byte, node.end_byte)
    flags = EXPORTED | DEFAULT_EXPORT
    row = give(draft, draft.text(DEFAULT), VARIABLE, (word.start_byte, word.end_byte), -1, flags=flags)
    if callee is not None and arguments is not None:
        owner, draft.owner = draft.owner, row
        draft.read(callee, 0, CALLED)
        draft.object_owner = row
        draft.definitions[row][D_VALUE] = draft.read(children(arguments)[0], KEPT)
        draft.owner = owner
    draft.full = outer


def template_names(draft: Draft) -> Mapping[str, int]:
    """Names with the expressions that they stand for."""
    scope = _component_scope(draft)
    return dict(_names(draft, scope)) if scope >= 0 else {}


def has_component(draft: Draft) -> bool:
    """Whether the script exports a component itself."""
    return component_row(draft) >= 0


def component_row(draft: Draft) -> int:
    """The definition of the component that the script exports, -1 where it exports none."""
    return next((number for number, row in enumerate(draft.definitions) if row[D_FLAGS] & DEFAULT_EXPORT), -1)


def _component_scope(draft: Draft) -> int:
    row = component_row(draft)
    return _object_scope(draft, draft.definitions[row][D_VALUE]) if row >= 0 else -1


def _object_scope(draft: Draft, expression: int) -> int:
    return draft.expressions[expression * EXPRESSION + 1] if draft.kind_of(expression) == OBJECT else -1


def _names(draft: Draft, scope: int) -> Iterator[tuple[str, int]]:
    options = {draft.strings[row[D_NAME]]: (number, row) for number, row in _members(draft, scope)}
    for name in _RETURNED:
        if name in options and options[name][1][D_KIND] == METHOD:
            for definition, value, _ in draft.returns:
                if definition == options[name][0]:
                    yield from _through(draft, _object_scope(draft, value), value)
    for name in _GROUPS:
        if name in options:
            value = options[name][1][D_VALUE]
            yield from _through(draft, _object_scope(draft, value), value)
    if "components" in options:
        for _, row in _members(draft, _object_scope(draft, options["components"][1][D_VALUE])):
            if row[D_VALUE] >= 0:
                yield draft.strings[row[D_NAME]], row[D_VALUE]


def _through(draft: Draft, scope: int, value: int) -> Iterator[tuple[str, int]]:
    for _, row in _members(draft, scope):
        yield draft.strings[row[D_NAME]], draft.expression(MEMBER, value, row[D_NAME], -1)


def _members(draft: Draft, scope: int) -> Iterator[tuple[int, list[int]]]:
    if scope >= 0:
        for number, row in enumerate(draft.definitions):
            if row[D_SCOPE] == scope and row[D_KIND] in (FIELD, METHOD):
                yield number, row
