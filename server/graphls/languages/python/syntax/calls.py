"""Calls: callee, arguments, and the strings in them that name code.

Owns: role CALL, keyword names, literals of calls, `getattr`, `cast` and `__all__` calls.
Must not know: what is called.
Invariant: the callee is read before the arguments, so a keyword's base is always there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from tree_sitter import Node

from graphls.facts.kinds import ExpressionKind
from graphls.languages.extract.facts_builder import D_FLAGS, D_KIND, D_START, D_VALUE, EXPRESSION, U_NAME, USE
from graphls.languages.python.special_methods import copies, delegates, is_mixed_in, operands_of
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.annotations import quoted
from graphls.languages.python.syntax.constructs import BUILTIN_CALL, INHERITED_CALL, VALUE_CALL, construct
from graphls.languages.python.syntax.facts_builder import (
    CALLED,
    DECORATES,
    KEYWORD,
    MEMBER,
    NAME,
    READ,
    TYPE_TEST,
    PyFactsBuilder,
    Rule,
    StatementLevel,
)
from graphls.languages.python.syntax.nesting import children, generic, guarded
from graphls.languages.python.syntax.parameters import KEYWORDS, PARAMETER, VARIADIC
from graphls.languages.python.syntax.strings import (
    add_literal,
    exported,
    is_text,
    named_attribute,
    short_text,
    spells_path,
)

CALL: Final = int(ExpressionKind.CALL)
ELEMENT: Final = int(ExpressionKind.ELEMENT)
_NAMING: Final = frozenset((nodes.IDENTIFIER, nodes.ATTRIBUTE))
"""Callees whose last name is an occurrence: that says what is called."""
TYPE_TESTS: Final = frozenset((b"isinstance", b"issubclass"))
BY_NAME: Final = frozenset((b"getattr", b"setattr", b"hasattr", b"delattr"))
CASTS: Final = frozenset((b"cast", b"typing.cast", b"t.cast"))
EXPORTERS: Final = frozenset((b"__all__.extend", b"__all__.append"))
LAST_NAMES: Final = frozenset(("getattr", "setattr", "hasattr", "delattr", "cast", "extend", "append"))

_BY_KEY: Final = frozenset(("sorted", "min", "max", "sort", "groupby"))
"""Calls whose argument `key` is a function that each item is given."""
_OF_ITEMS: Final = frozenset(("map", "filter"))

StringArgument: TypeAlias = tuple[Node, int, int]
"""A string argument to be listed, its position and its name; -1 for none."""


_TYPE_VARIABLE: Final = b"TypeVar"
_SPREAD: Final = "**"
"""Stands for the names of a mapping that is spread into a call."""


class ArgumentReading(NamedTuple):
    """How the arguments of one call are read, and what is found in them beside their expressions."""

    callee: int
    strings: list[StringArgument]
    """Those to be listed."""
    keep: int
    """1 where expressions of arguments by position are wanted."""
    outside: bool
    """Not in a function, or above a definition."""
    named: list[tuple[int, int]] | None
    """Names and expressions of arguments by name, where these are wanted."""


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
    listed = want or role == DECORATES or spelled.endswith(_TYPE_VARIABLE)
    named: list[tuple[int, int]] | None = [] if listed else None
    built_in = delegates(spelled) if function.kind_id == nodes.IDENTIFIER else copies(spelled)
    joins = spelled.endswith(b".join") and function.children[0].kind_id == nodes.STRING
    if given and uses and builder.strings[uses[U_NAME - USE]] in LAST_NAMES and _special(builder, function, given):
        rows = _special_arguments(builder, function, children(arguments))
    else:
        mark, flags = len(builder.definitions), builder.use_flags
        if builder.data[function.start_byte : function.end_byte] in TYPE_TESTS:
            builder.use_flags |= TYPE_TEST
        keep = 1 if want or outside or built_in or joins else 0
        reading = (callee, string_arguments, keep, outside, named)
        rows = _arguments(builder, given, ArgumentReading(*reading)) if given else []
        builder.use_flags = flags
        if len(builder.definitions) > mark:
            _give_elements(builder, callee, given, rows, mark)
    if built_in:
        function_name = spelled.decode()
        for position in operands_of(function_name, len(rows)):
            construct(builder, BUILTIN_CALL, (node.start_byte, node.end_byte), rows[position], function_name)
    elif joins and rows:
        construct(builder, BUILTIN_CALL, (node.start_byte, node.end_byte), rows[0], "join")
    _of_callee(builder, function, callee)
    row = _call_expression(builder, callee, rows, named or ()) if callee >= 0 and (want or string_arguments) else -1
    for part, position, name in string_arguments:
        add_literal(builder, part, (row, position, name))
    return row if want else -1


def _call_expression(
    builder: PyFactsBuilder, callee: int, rows: Sequence[int], named: Sequence[tuple[int, int]]
) -> int:
    """The call with its arguments by position; those by name stand behind them where somebody wants what it gives."""
    if not named:
        return builder.expression(CALL, callee, builder.sequence(rows))
    names = (*(-1 for _ in rows), *(name for name, _ in named))
    return builder.expression(
        CALL, callee, builder.sequence((*rows, *(row for _, row in named))), builder.sequence(names)
    )


def _of_callee(builder: PyFactsBuilder, function: Node, callee: int) -> None:
    """What a call runs of what is called, and of the object whose inherited method it is."""
    span = (function.start_byte, function.end_byte)
    if builder.kind_of(callee) == MEMBER:
        base, name = builder.expressions[callee * EXPRESSION + 1], builder.expressions[callee * EXPRESSION + 2]
        if is_mixed_in(builder.strings[name]):
            construct(builder, INHERITED_CALL, span, base, builder.strings[name])
    if function.kind_id not in _NAMING:
        construct(builder, VALUE_CALL, span, callee)


def _give_elements(builder: PyFactsBuilder, callee: int, given: list[Node], rows: list[int], mark: int) -> None:
    """`sorted(items, key=lambda item: ...)`, `map(lambda item: ..., items)`: what the parameters of a lambda are given.

    `mark`: the length of `definitions` before the arguments were read.
    """
    kind = builder.kind_of(callee)
    column = 1 if kind == NAME else 2 if kind == MEMBER else 0
    name = builder.strings[builder.expressions[callee * EXPRESSION + column]] if column else ""
    if name in _BY_KEY:
        by_key = [part for part in given if part.kind_id == nodes.KEYWORD_ARGUMENT]
        functions = [part.children[2] for part in by_key if len(part.children) == 3 and _is_key(builder, part)]
        items = builder.expressions[callee * EXPRESSION + 1 : callee * EXPRESSION + 2] if name == "sort" else rows[:1]
        items = items if name == "sort" or len(rows) == 1 else []
    elif name in _OF_ITEMS and kind == NAME:
        functions, items = given[:1], rows[1:]
    else:
        return
    for function in functions:
        parameters = function.child_by_field_name("parameters") if function.kind_id == nodes.LAMBDA else None
        if parameters is None:
            continue
        first, last = parameters.start_byte, parameters.end_byte
        bound = [row for row in builder.definitions[mark:] if row[D_KIND] == PARAMETER and first <= row[D_START] < last]
        for row, item in zip(bound, items, strict=False):
            if row[D_VALUE] < 0 <= item and not row[D_FLAGS] & (VARIADIC | KEYWORDS):
                row[D_VALUE] = builder.expression(ELEMENT, item, 0)


def _is_key(builder: PyFactsBuilder, argument: Node) -> bool:
    name = argument.children[0]
    return builder.data[name.start_byte : name.end_byte] == b"key"


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


def _arguments(builder: PyFactsBuilder, given: list[Node], reading: ArgumentReading) -> list[int]:
    """Reads the arguments; expressions of the positional ones."""
    rows: list[int] = []
    rules = builder.rules
    for part in given:
        kind = part.kind_id
        if kind == nodes.KEYWORD_ARGUMENT:
            _keyword(builder, part, reading)
        elif kind == nodes.STRING and (reading.outside or spells_path(builder, part)) and is_text(builder, part):
            reading.strings.append((part, len(rows), -1))
            rows.append(builder.builtin("str", short_text(builder, part)))
        elif kind not in nodes.EXTRAS:
            row = rules[kind](builder, part, reading.keep, READ)
            if kind != nodes.DICTIONARY_SPLAT:
                rows.append(row)
            elif reading.named is not None:
                reading.named.append((builder.text(_SPREAD), row if row >= 0 else builder.unknown()))
    return rows


def _keyword(builder: PyFactsBuilder, node: Node, reading: ArgumentReading) -> None:
    """`name=value`."""
    parts = node.children
    if len(parts) != 3:
        lone_keyword(builder, node, 0, READ)
        return
    name, _, value = parts
    callee = reading.callee if reading.callee >= 0 else builder.unknown()
    used = builder.use(name.start_byte, name.end_byte, KEYWORD, callee)
    kind = value.kind_id
    if kind == nodes.STRING and reading.named is not None and _is_bound(builder, name, callee):
        reading.named.append((builder.name(name.start_byte, name.end_byte), quoted(builder, value)))
        return
    if kind == nodes.STRING and (reading.outside or spells_path(builder, value)) and is_text(builder, value):
        reading.strings.append((value, -1, used))
        if reading.named is not None:
            text = builder.builtin("str", short_text(builder, value))
            reading.named.append((builder.name(name.start_byte, name.end_byte), text))
        return
    row = builder.rules[kind](builder, value, int(reading.named is not None), READ)
    if reading.named is not None:
        known = row if row >= 0 else builder.unknown()
        reading.named.append((builder.name(name.start_byte, name.end_byte), known))


def _is_bound(builder: PyFactsBuilder, name: Node, callee: int) -> bool:
    """Whether an argument by name is the type of `TypeVar("T", bound="Node")`."""
    kind = builder.kind_of(callee)
    column = 1 if kind == NAME else 2 if kind == MEMBER else 0
    called = builder.strings[builder.expressions[callee * EXPRESSION + column]] if column else ""
    return builder.data[name.start_byte : name.end_byte] == b"bound" and called == _TYPE_VARIABLE.decode()


def lone_keyword(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`name=value` outside of a call that could be read."""
    parts = children(node)
    if len(parts) == 2:
        builder.use(parts[0].start_byte, parts[0].end_byte, KEYWORD, builder.unknown())
    return builder.read(parts[-1]) if parts else -1


RULES: Mapping[str, Rule] = {"call": guarded(call), "keyword_argument": guarded(lone_keyword)}
