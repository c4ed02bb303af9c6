"""Calls: callee, arguments, and the strings in them that name code.

Owns: role CALL, keyword names, literals of calls, `getattr`, `cast` and `__all__` calls.
Must not know: what is called.
Invariant: the callee is read before the arguments, so a keyword's base is always there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind
from graphls.languages.draft import U_NAME, USE
from graphls.languages.python import nodes
from graphls.languages.python.annotations import quoted
from graphls.languages.python.draft import (
    CALLED,
    DECORATES,
    KEYWORD,
    READ,
    Draft,
    Level,
    Rule,
)
from graphls.languages.python.nesting import children, generic, guarded
from graphls.languages.python.strings import add_literal, exported, is_text, named_attribute, short_text, spells_path

CALL: Final = int(ExpressionKind.CALL)
BY_NAME: Final = frozenset((b"getattr", b"setattr", b"hasattr", b"delattr"))
CASTS: Final = frozenset((b"cast", b"typing.cast", b"t.cast"))
EXPORTERS: Final = frozenset((b"__all__.extend", b"__all__.append"))
LAST_NAMES: Final = frozenset(("getattr", "setattr", "hasattr", "delattr", "cast", "extend", "append"))

Told: TypeAlias = tuple[Node, int, int]
"""A string argument to be listed, its position and its name; -1 for none."""


def call(draft: Draft, node: Node, want: int, role: int) -> int:
    """`callee(arguments)`. Strings given to decorators and outside of functions are listed, elsewhere only paths."""
    parts = node.children
    if len(parts) != 2:
        parts = children(node)
        if len(parts) != 2:
            return generic(draft, node, 0, READ)
    function, arguments = parts
    outside = draft.frame.level != Level.FUNCTION or role == DECORATES
    callee = draft.rules[function.kind_id](draft, function, 1, DECORATES if role == DECORATES else CALLED)
    draft.shape.append(nodes.CALL)
    given = arguments.named_children if arguments.kind_id == nodes.ARGUMENTS else [arguments]
    told: list[Told] = []
    uses = draft.occurrences
    if given and uses and draft.strings[uses[U_NAME - USE]] in LAST_NAMES and _special(draft, function, given):
        rows = _special_arguments(draft, function, children(arguments))
    else:
        rows = (
            _arguments(draft, given, callee, told, keep=1 if want or outside else 0, outside=outside) if given else []
        )
    row = draft.expression(CALL, callee, draft.sequence(rows)) if callee >= 0 and (want or told) else -1
    for part, position, name in told:
        add_literal(draft, part, (row, position, name))
    return row if want else -1


def _special(draft: Draft, function: Node, given: list[Node]) -> bool:
    """Whether strings among the arguments have a meaning of their own."""
    name = draft.data[function.start_byte : function.end_byte]
    if name in EXPORTERS:
        return draft.frame.level == Level.MODULE
    if len(given) < 2 or name not in BY_NAME | CASTS:
        return False
    told = given[1 if name in BY_NAME else 0]
    return told.kind_id == nodes.STRING and is_text(draft, told)


def _special_arguments(draft: Draft, function: Node, given: list[Node]) -> list[int]:
    name = draft.data[function.start_byte : function.end_byte]
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


def _arguments(
    draft: Draft, given: list[Node], callee: int, told: list[Told], *, keep: int, outside: bool
) -> list[int]:
    """Reads the arguments; expressions of the positional ones."""
    rows: list[int] = []
    rules = draft.rules
    for part in given:
        kind = part.kind_id
        if kind == nodes.KEYWORD_ARGUMENT:
            _keyword(draft, part, callee, told, outside)
        elif kind == nodes.STRING and (outside or spells_path(draft, part)) and is_text(draft, part):
            told.append((part, len(rows), -1))
            rows.append(draft.builtin("str", short_text(draft, part)))
        elif kind not in nodes.EXTRAS:
            row = rules[kind](draft, part, keep, READ)
            if kind != nodes.DICTIONARY_SPLAT:
                rows.append(row)
    return rows


def _keyword(draft: Draft, node: Node, callee: int, told: list[Told], outside: bool) -> None:
    """`name=value`."""
    parts = node.children
    if len(parts) != 3:
        lone_keyword(draft, node, 0, READ)
        return
    name, _, value = parts
    used = draft.use(name.start_byte, name.end_byte, KEYWORD, callee if callee >= 0 else draft.unknown())
    kind = value.kind_id
    if kind == nodes.STRING and (outside or spells_path(draft, value)) and is_text(draft, value):
        told.append((value, -1, used))
    else:
        draft.rules[kind](draft, value, 0, READ)


def lone_keyword(draft: Draft, node: Node, want: int, role: int) -> int:
    """`name=value` outside of a call that could be read."""
    parts = children(node)
    if len(parts) == 2:
        draft.use(parts[0].start_byte, parts[0].end_byte, KEYWORD, draft.unknown())
    return draft.read(parts[-1]) if parts else -1


RULES: Mapping[str, Rule] = {"call": guarded(call), "keyword_argument": guarded(lone_keyword)}
