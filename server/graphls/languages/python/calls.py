"""Calls: callee, arguments, and the strings in them that name code.

Owns: role CALL, keyword names, literals of calls, `getattr`, `cast` and `__all__` calls.
Must not know: what is called.
Invariant: the callee is read before the arguments, so a keyword's base is always there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind
from graphls.languages.python import nodes
from graphls.languages.python.annotations import quoted
from graphls.languages.python.draft import CALLED, DECORATES, KEYWORD, READ, Draft, Level, Rule
from graphls.languages.python.nesting import children, generic, guarded
from graphls.languages.python.strings import add_literal, exported, is_text, named_attribute, short_text, spells_path

CALL = int(ExpressionKind.CALL)
BY_NAME = frozenset((b"getattr", b"setattr", b"hasattr", b"delattr"))
CASTS = frozenset((b"cast", b"typing.cast", b"t.cast"))
Argument: TypeAlias = tuple[Node | None, Node]
"""Name, when there is one, and value."""
EXPORTERS = frozenset((b"__all__.extend", b"__all__.append"))


def call(draft: Draft, node: Node, want: int, role: int) -> int:
    """`callee(arguments)`."""
    parts = node.named_children
    if len(parts) != 2:
        parts = children(node)
        if len(parts) != 2:
            return generic(draft, node, 0, READ)
    function, arguments = parts
    given, keywords, strings = _given(arguments)
    told = bool(strings) and _worth_telling(draft, role, strings)
    keep = 1 if want or told else 0
    callee = draft.rules[function.kind_id](
        draft, function, 1 if keep or keywords else 0, DECORATES if role == DECORATES else CALLED
    )
    draft.shape.append(nodes.CALL)
    if (strings and len(given) > 1) or (function.kind_id == nodes.ATTRIBUTE and draft.frame.level == Level.MODULE):
        special = draft.data[function.start_byte : function.end_byte]
        if _special(special, given):
            rows = _special_arguments(draft, special, given)
            return draft.expression(CALL, callee, draft.sequence(rows)) if want and callee >= 0 else -1
    rows = _arguments(draft, given, keep, callee) if given else []
    row = draft.expression(CALL, callee, draft.sequence(rows)) if keep and callee >= 0 else -1
    if told:
        _literals(draft, given, row)
    return row if want else -1


def _given(arguments: Node) -> tuple[list[Argument], bool, list[Node]]:
    """The arguments, whether one has a name, and those that are strings."""
    if arguments.kind_id != nodes.ARGUMENTS:
        return [(None, arguments)], False, []
    given: list[Argument] = []
    strings: list[Node] = []
    keywords = False
    for part in arguments.named_children:
        kind = part.kind_id
        name: Node | None = None
        if kind == nodes.KEYWORD_ARGUMENT:
            pair = children(part)
            if len(pair) == 2:
                keywords = True
                name, part = pair
                kind = part.kind_id
        elif kind in nodes.EXTRAS:
            continue
        if kind == nodes.STRING:
            strings.append(part)
        given.append((name, part))
    return given, keywords, strings


def _worth_telling(draft: Draft, role: int, strings: list[Node]) -> bool:
    """Strings given to decorators, at module or class level, or spelling a path."""
    if role == DECORATES or draft.frame.level != Level.FUNCTION:
        return True
    return any(spells_path(draft, part) for part in strings)


def _special(name: bytes, given: list[Argument]) -> bool:
    if len(given) < 2:
        return name in EXPORTERS
    return (name in BY_NAME and given[1][1].kind_id == nodes.STRING) or (
        name in CASTS and given[0][1].kind_id == nodes.STRING
    )


def _special_arguments(draft: Draft, name: bytes, given: list[Argument]) -> list[int]:
    rows: list[int] = []
    for position, (_, part) in enumerate(given):
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


def _arguments(draft: Draft, given: list[Argument], keep: int, callee: int) -> list[int]:
    """Reads the arguments; expressions of the positional ones."""
    rows: list[int] = []
    rules = draft.rules
    for name, part in given:
        kind = part.kind_id
        if name is not None:
            draft.use(name, KEYWORD, callee if callee >= 0 else draft.unknown())
        if kind == nodes.STRING and spells_path(draft, part):
            # Told with its place in the call.
            row = draft.builtin("str", short_text(draft, part)) if keep else -1
        else:
            row = rules[kind](draft, part, keep if name is None else 0, READ)
        if name is None and kind != nodes.DICTIONARY_SPLAT:
            rows.append(row)
    return rows


def _literals(draft: Draft, given: list[Argument], row: int) -> None:
    position = 0
    for name, part in given:
        keyword = -1 if name is None else draft.name(name.start_byte, name.end_byte)
        if part.kind_id == nodes.STRING and is_text(draft, part):
            add_literal(draft, part, (row, position if name is None else -1, keyword))
        position += name is None


def lone_keyword(draft: Draft, node: Node, want: int, role: int) -> int:
    """`name=value` outside of a call that could be read."""
    parts = children(node)
    if len(parts) == 2:
        draft.use(parts[0], KEYWORD, draft.unknown())
    return draft.read(parts[-1]) if parts else -1


RULES: Mapping[str, Rule] = {"call": guarded(call), "keyword_argument": guarded(lone_keyword)}
