"""Options: the names that a component of Vue's options gives to its template.

Owns: members of `methods`, `computed`, `props`, `components`, and what `data` and `setup` give back.
Must not know: templates, how objects are read.
Invariant: a name rests on a member that is written out; what mixins, plugins and lists of strings add is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from graphls.languages.extract.facts_builder import D_FLAGS, D_KIND, D_NAME, D_SCOPE, D_VALUE, EXPRESSION
from graphls.languages.typescript.syntax.facts_builder import (
    CALLED,
    DEFAULT_EXPORT,
    EXPORTED,
    FIELD,
    KEPT,
    MEMBER,
    METHOD,
    OBJECT,
    VARIABLE,
    TsFactsBuilder,
)
from graphls.languages.typescript.syntax.functions import read_statements
from graphls.languages.typescript.syntax.imports import DEFAULT, give
from graphls.languages.typescript.syntax.nesting import children

_WRAPPERS = (b"defineComponent", b"defineNuxtComponent", b"Vue.extend", b"defineAsyncComponent")
_GROUPS = ("methods", "computed", "props")
_RETURNED = ("data", "setup")


def read_script(builder: TsFactsBuilder, statements: list[Node]) -> None:
    """Statements; the options that a call around them hands through are the component itself."""
    done = 0
    for place, statement in enumerate(statements):
        call = _wrapped(builder, statement)
        if call is not None:
            read_statements(builder, statements[done:place])
            _component(builder, statement, call)
            done = place + 1
    read_statements(builder, statements[done:])


def _wrapped(builder: TsFactsBuilder, node: Node) -> Node | None:
    """The call in `export default defineComponent({ ... })`."""
    value = node.child_by_field_name("value") if node.type == "export_statement" else None
    if value is None or value.type != "call_expression":
        return None
    callee, arguments = value.child_by_field_name("function"), value.child_by_field_name("arguments")
    if callee is None or arguments is None or builder.data[callee.start_byte : callee.end_byte] not in _WRAPPERS:
        return None
    given = children(arguments)
    return value if len(given) == 1 and given[0].type == "object" else None


def _component(builder: TsFactsBuilder, node: Node, call: Node) -> None:
    word = next(child for child in node.children if child.type == "default")
    callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    outer, builder.full = builder.full, (node.start_byte, node.end_byte)
    flags = EXPORTED | DEFAULT_EXPORT
    row = give(builder, builder.text(DEFAULT), VARIABLE, (word.start_byte, word.end_byte), -1, flags=flags)
    if callee is not None and arguments is not None:
        owner, builder.owner = builder.owner, row
        builder.read(callee, 0, CALLED)
        builder.object_owner = row
        builder.definitions[row][D_VALUE] = builder.read(children(arguments)[0], KEPT)
        builder.owner = owner
    builder.full = outer


def template_names(builder: TsFactsBuilder) -> Mapping[str, int]:
    """Names with the expressions that they stand for."""
    scope = _component_scope(builder)
    return dict(_names(builder, scope)) if scope >= 0 else {}


def has_component(builder: TsFactsBuilder) -> bool:
    """Whether the script exports a component itself."""
    return component_row(builder) >= 0


def component_row(builder: TsFactsBuilder) -> int:
    """The definition of the component that the script exports, -1 where it exports none."""
    return next((number for number, row in enumerate(builder.definitions) if row[D_FLAGS] & DEFAULT_EXPORT), -1)


def _component_scope(builder: TsFactsBuilder) -> int:
    row = component_row(builder)
    return _object_scope(builder, builder.definitions[row][D_VALUE]) if row >= 0 else -1


def _object_scope(builder: TsFactsBuilder, expression: int) -> int:
    return builder.expressions[expression * EXPRESSION + 1] if builder.kind_of(expression) == OBJECT else -1


def _names(builder: TsFactsBuilder, scope: int) -> Iterator[tuple[str, int]]:
    options = {builder.strings[row[D_NAME]]: (number, row) for number, row in _members(builder, scope)}
    for name in _RETURNED:
        if name in options and options[name][1][D_KIND] == METHOD:
            for definition, value, _ in builder.returns:
                if definition == options[name][0]:
                    yield from _through(builder, _object_scope(builder, value), value)
    for name in _GROUPS:
        if name in options:
            value = options[name][1][D_VALUE]
            yield from _through(builder, _object_scope(builder, value), value)
    if "components" in options:
        for _, row in _members(builder, _object_scope(builder, options["components"][1][D_VALUE])):
            if row[D_VALUE] >= 0:
                yield builder.strings[row[D_NAME]], row[D_VALUE]


def _through(builder: TsFactsBuilder, scope: int, value: int) -> Iterator[tuple[str, int]]:
    for _, row in _members(builder, scope):
        yield builder.strings[row[D_NAME]], builder.expression(MEMBER, value, row[D_NAME], -1)


def _members(builder: TsFactsBuilder, scope: int) -> Iterator[tuple[int, list[int]]]:
    if scope >= 0:
        for number, row in enumerate(builder.definitions):
            if row[D_SCOPE] == scope and row[D_KIND] in (FIELD, METHOD):
                yield number, row
