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
from graphls.languages.extract.facts_builder import EXPRESSION, U_NAME, USE
from graphls.languages.python.special_methods import copies, delegates, is_mixed_in
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.annotations import quoted
from graphls.languages.python.syntax.constructs import BUILTIN_CALL, INHERITED_CALL, VALUE_CALL, construct
from graphls.languages.python.syntax.facts_builder import (
    CALLED,
    DECORATES,
    KEYWORD,
    MEMBER,
    READ,
    TYPE_TEST,
    PyFactsBuilder,
    Rule,
    StatementLevel,
)
from graphls.languages.python.syntax.nesting import children, generic, guarded
from graphls.languages.python.syntax.strings import (
    add_literal,
    exported,
    is_text,
    named_attribute,
    short_text,
    spells_path,
)

CALL: Final = int(ExpressionKind.CALL)
_NAMING: Final = frozenset((nodes.IDENTIFIER, nodes.ATTRIBUTE))
"""Callees whose last name is an occurrence: that says what is called."""
TYPE_TESTS: Final = frozenset((b"isinstance", b"issubclass"))
BY_NAME: Final = frozenset((b"getattr", b"setattr", b"hasattr", b"delattr"))
CASTS: Final = frozenset((b"cast", b"typing.cast", b"t.cast"))
EXPORTERS: Final = frozenset((b"__all__.extend", b"__all__.append"))
LAST_NAMES: Final = frozenset(("getattr", "setattr", "hasattr", "delattr", "cast", "extend", "append"))

StringArgument: TypeAlias = tuple[Node, int, int]
"""A string argument to be listed, its position and its name; -1 for none."""


def call(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`callee(arguments)`. Strings given to decorators and outside of functions are listed, elsewhere only paths."""
    parts = node.children
    if len(parts) != 2:
        parts = children(node)
        if len(parts) != 2:
            return generic(builder, node, 0, READ)
    function, arguments = parts
    outside = builder.frame.level != StatementLevel.FUNCTION or role == DECORATES
    callee = builder.rules[function.kind_id](builder, function, 1, DECORATES if role == DECORATES else CALLED)
    builder.shape.append(nodes.CALL)
    given = arguments.named_children if arguments.kind_id == nodes.ARGUMENTS else [arguments]
    string_arguments: list[StringArgument] = []
    uses = builder.occurrences
    spelled = builder.data[function.start_byte : function.end_byte]
    built_in = delegates(spelled) if function.kind_id == nodes.IDENTIFIER else copies(spelled)
    if given and uses and builder.strings[uses[U_NAME - USE]] in LAST_NAMES and _special(builder, function, given):
        rows = _special_arguments(builder, function, children(arguments))
    else:
        flags = builder.use_flags
        if builder.data[function.start_byte : function.end_byte] in TYPE_TESTS:
            builder.use_flags |= TYPE_TEST
        keep = 1 if want or outside or built_in else 0
        rows = _arguments(builder, given, callee, string_arguments, keep=keep, outside=outside) if given else []
        builder.use_flags = flags
    if built_in and rows:
        construct(builder, BUILTIN_CALL, (node.start_byte, node.end_byte), rows[0], spelled.decode())
    if builder.kind_of(callee) == MEMBER:
        base, name = builder.expressions[callee * EXPRESSION + 1], builder.expressions[callee * EXPRESSION + 2]
        if is_mixed_in(builder.strings[name]):
            span = (function.start_byte, function.end_byte)
            construct(builder, INHERITED_CALL, span, base, builder.strings[name])
    if function.kind_id not in _NAMING:
        construct(builder, VALUE_CALL, (function.start_byte, function.end_byte), callee)
    row = builder.expression(CALL, callee, builder.sequence(rows)) if callee >= 0 and (want or string_arguments) else -1
    for part, position, name in string_arguments:
        add_literal(builder, part, (row, position, name))
    return row if want else -1


def _special(builder: PyFactsBuilder, function: Node, given: list[Node]) -> bool:
    """Whether strings among the arguments have a meaning of their own."""
    name = builder.data[function.start_byte : function.end_byte]
    if name in EXPORTERS:
        return builder.frame.level == StatementLevel.MODULE
    if len(given) < 2 or name not in BY_NAME | CASTS:
        return False
    argument = given[1 if name in BY_NAME else 0]
    return argument.kind_id == nodes.STRING and is_text(builder, argument)


def _special_arguments(builder: PyFactsBuilder, function: Node, given: list[Node]) -> list[int]:
    name = builder.data[function.start_byte : function.end_byte]
    rows: list[int] = []
    for position, part in enumerate(given):
        if name in EXPORTERS:
            exported(builder, part)
            rows.append(builder.read(part, 1))
        elif name in CASTS and position == 0:
            rows.append(quoted(builder, part))
        elif name in BY_NAME and position == 1:
            named_attribute(builder, part, rows[0])
            rows.append(builder.builtin("str", short_text(builder, part)))
        else:
            rows.append(builder.read(part, 1))
    return rows


def _arguments(
    builder: PyFactsBuilder,
    given: list[Node],
    callee: int,
    string_arguments: list[StringArgument],
    *,
    keep: int,
    outside: bool,
) -> list[int]:
    """Reads the arguments; expressions of the positional ones."""
    rows: list[int] = []
    rules = builder.rules
    for part in given:
        kind = part.kind_id
        if kind == nodes.KEYWORD_ARGUMENT:
            _keyword(builder, part, callee, string_arguments, outside)
        elif kind == nodes.STRING and (outside or spells_path(builder, part)) and is_text(builder, part):
            string_arguments.append((part, len(rows), -1))
            rows.append(builder.builtin("str", short_text(builder, part)))
        elif kind not in nodes.EXTRAS:
            row = rules[kind](builder, part, keep, READ)
            if kind != nodes.DICTIONARY_SPLAT:
                rows.append(row)
    return rows


def _keyword(
    builder: PyFactsBuilder, node: Node, callee: int, string_arguments: list[StringArgument], outside: bool
) -> None:
    """`name=value`."""
    parts = node.children
    if len(parts) != 3:
        lone_keyword(builder, node, 0, READ)
        return
    name, _, value = parts
    used = builder.use(name.start_byte, name.end_byte, KEYWORD, callee if callee >= 0 else builder.unknown())
    kind = value.kind_id
    if kind == nodes.STRING and (outside or spells_path(builder, value)) and is_text(builder, value):
        string_arguments.append((value, -1, used))
    else:
        builder.rules[kind](builder, value, 0, READ)


def lone_keyword(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name=value` outside of a call that could be read."""
    parts = children(node)
    if len(parts) == 2:
        builder.use(parts[0].start_byte, parts[0].end_byte, KEYWORD, builder.unknown())
    return builder.read(parts[-1]) if parts else -1


RULES: Mapping[str, Rule] = {"call": guarded(call), "keyword_argument": guarded(lone_keyword)}
