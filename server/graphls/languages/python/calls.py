"""Calls: callee, arguments, and the strings in them that name code.

Owns: role CALL, keyword names, literals of calls, `getattr`, `cast` and `__all__` calls.
Must not know: what is called.
Invariant: the callee is read before the arguments, so a keyword's base is always there.
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind
from graphls.languages.python import nodes
from graphls.languages.python.annotations import quoted
from graphls.languages.python.draft import CALLED, DECORATES, KEYWORD, READ, Draft, Level, Rule
from graphls.languages.python.nesting import children, generic, guarded
from graphls.languages.python.strings import add_literal, exported, named_attribute, short_text, spells_path

CALL = int(ExpressionKind.CALL)
BY_NAME = frozenset((b"getattr", b"setattr", b"hasattr", b"delattr"))
CASTS = frozenset((b"cast", b"typing.cast", b"t.cast"))
EXPORTERS = frozenset((b"__all__.extend", b"__all__.append"))


def call(draft: Draft, node: Node, want: int, role: int) -> int:
    """`callee(arguments)`."""
    parts = node.named_children
    if len(parts) != 2:
        parts = children(node)
        if len(parts) != 2:
            return generic(draft, node, 0, READ)
    function, arguments = parts
    given = children(arguments) if arguments.kind_id == nodes.ARGUMENTS else [arguments]
    strings = [part for part in map(_value_of, given) if part is not None and part.kind_id == nodes.STRING]
    told = strings and _worth_telling(draft, role, strings)
    keep = 1 if want or told else 0
    needs_callee = keep or any(part.kind_id == nodes.KEYWORD_ARGUMENT for part in given)
    callee = draft.read(function, 1 if needs_callee else 0, DECORATES if role == DECORATES else CALLED)
    draft.shape.append(nodes.CALL)
    if (strings and len(given) > 1) or (function.kind_id == nodes.ATTRIBUTE and draft.frame.level == Level.MODULE):
        special = draft.data[function.start_byte : function.end_byte]
        if _special(special, given):
            rows = _special_arguments(draft, special, given)
            return draft.expression(CALL, callee, draft.sequence(rows)) if want and callee >= 0 else -1
    rows = _arguments(draft, given, keep, callee)
    row = draft.expression(CALL, callee, draft.sequence(rows)) if keep and callee >= 0 else -1
    if told:
        _literals(draft, given, row)
    return row if want else -1


def _value_of(node: Node) -> Node | None:
    return node.child_by_field_name("value") if node.kind_id == nodes.KEYWORD_ARGUMENT else node


def _worth_telling(draft: Draft, role: int, strings: list[Node]) -> bool:
    """Strings given to decorators, at module or class level, or spelling a path."""
    if role == DECORATES or draft.frame.level != Level.FUNCTION:
        return True
    return any(spells_path(draft, part) for part in strings)


def _special(name: bytes, given: list[Node]) -> bool:
    if len(given) < 2:
        return name in EXPORTERS
    return (name in BY_NAME and given[1].kind_id == nodes.STRING) or (
        name in CASTS and given[0].kind_id == nodes.STRING
    )


def _special_arguments(draft: Draft, name: bytes, given: list[Node]) -> list[int]:
    rows: list[int] = []
    for position, part in enumerate(given):
        if name in EXPORTERS:
            exported(draft, part)
            rows.append(draft.read(part, 1))
        elif name in CASTS and position == 0:
            rows.append(quoted(draft, part))
        elif name in BY_NAME and position == 1:
            named_attribute(draft, part, rows[0])
            rows.append(draft.builtin("str", short_text(draft, part)))
        else:
            rows.append(draft.read(part, 1))
    return rows


def _arguments(draft: Draft, given: list[Node], keep: int, callee: int) -> list[int]:
    rows: list[int] = []
    rules = draft.rules
    for part in given:
        kind = part.kind_id
        if kind == nodes.KEYWORD_ARGUMENT:
            keyword(draft, part, callee)
        elif kind == nodes.STRING and spells_path(draft, part):
            # Told with its place in the call.
            rows.append(draft.builtin("str", short_text(draft, part)) if keep else -1)
        else:
            row = rules[kind](draft, part, keep, READ)
            if kind != nodes.DICTIONARY_SPLAT:
                rows.append(row)
    return rows


def keyword(draft: Draft, node: Node, callee: int) -> int:
    """`name=value`; answers the expression of the value."""
    parts = children(node)
    if len(parts) != 2:
        return generic(draft, node, 0, READ)
    name, value = parts
    draft.use(name, KEYWORD, callee if callee >= 0 else draft.unknown())
    if value.kind_id == nodes.STRING and spells_path(draft, value):
        return -1
    return draft.read(value)


def _literals(draft: Draft, given: list[Node], row: int) -> None:
    everything = draft.frame.level != Level.FUNCTION
    position = 0
    for part in given:
        value, name = part, -1
        if part.kind_id == nodes.KEYWORD_ARGUMENT:
            value = _value_of(part)
            first = part.children[0]
            name = draft.name(first.start_byte, first.end_byte)
        if value is not None and value.kind_id == nodes.STRING and (everything or row >= 0):
            add_literal(draft, value, (row, -1 if name >= 0 else position, name))
        position += name < 0


RULES: Mapping[str, Rule] = {"call": guarded(call), "keyword_argument": guarded(lambda d, n, w, r: keyword(d, n, -1))}
