"""Expressions: values of Incan as expressions.

Owns: the rules of names, members, calls, literals, operators, closures and comprehensions.
Must not know: statements, other files.
Invariant: what is awaited, or may fail, has the type of its value.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionKind, Role, ScopeKind
from graphls.languages.declared.expressions import identifier, left_deep, literal, operands
from graphls.languages.declared.facts_builder import (
    BLOCK_SCOPE,
    CALL,
    CALLED,
    ITEM,
    OPERATION,
    READ,
    SUBSCRIPT,
    WRITE,
    DeclaredFactsBuilder,
    Rule,
    nothing,
)
from graphls.languages.extract.facts_builder import D_VALUE

VARIABLE: Final = int(DefinitionKind.VARIABLE)
PARAMETER: Final = int(DefinitionKind.PARAMETER)
KEYWORD: Final = int(Role.KEYWORD)
LAMBDA_SCOPE: Final = int(ScopeKind.LAMBDA)
_COMPARED: Final = frozenset((
    b"==", b"!=", b"<", b">", b"<=", b">=", b"in", b"not in", b"is", b"is not", b"and", b"or", b"not",
))  # fmt: skip
_UNIQUE: Final = b"_"


def content_of(builder: DeclaredFactsBuilder, held: int) -> int:
    """What is in something: of a list its elements, of a dictionary its keys, of a result its value."""
    return builder.expression(OPERATION, held, -1, builder.text("key")) if held >= 0 else -1


def item_of(builder: DeclaredFactsBuilder, value: int, position: int, count: int) -> int:
    """What one of several names gets of a value; a single name gets all of it."""
    return value if count == 1 or value < 0 else builder.expression(ITEM, value, position)


def bind(builder: DeclaredFactsBuilder, node: Node, value: int) -> int:
    """A new variable at a name; -1 for `_`, which binds nothing."""
    if builder.data[node.start_byte : node.end_byte] == _UNIQUE:
        return -1
    row = builder.define(node, VARIABLE)
    builder.definitions[row][D_VALUE] = value
    return row


def name(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """A name; `_` names nothing."""
    if builder.data[node.start_byte : node.end_byte] == _UNIQUE:
        return -1
    return identifier(builder, node, want, role)


def field(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value.name`, `value.0`."""
    value, member = node.child_by_field_name("value"), node.child_by_field_name("name")
    if value is None or member is None:
        builder.read_all(node)
        return -1
    base = builder.read(value, 1)
    builder.shape.append(node.kind_id)
    if member.type == "number":
        digits = builder.data[member.start_byte : member.end_byte]
        return builder.expression(ITEM, base, int(digits)) if want and base >= 0 and digits.isdigit() else -1
    return builder.member_expression(base, member, want, role)


def call(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`function(arguments)`, a constructor too."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    callee = builder.read(function, 1, CALLED) if function is not None else -1
    builder.shape.append(node.kind_id)
    rows, names = read_arguments(builder, arguments, callee)
    if not want or callee < 0:
        return -1
    together = builder.sequence(names) if any(one >= 0 for one in names) else -1
    return builder.expression(CALL, callee, builder.sequence(rows), together)


def read_arguments(builder: DeclaredFactsBuilder, node: Node | None, callee: int) -> tuple[list[int], list[int]]:
    """The arguments of a call, and the names of those that have one."""
    rows: list[int] = []
    names: list[int] = []
    for part in node.named_children if node is not None else ():
        word = -1
        if part.type in ("named_argument", "typed_argument"):
            named = part.child_by_field_name("name")
            given = part.child_by_field_name("value") or part.child_by_field_name("type")
            if named is not None:
                base = callee if callee >= 0 else builder.unknown()
                word = builder.use(named.start_byte, named.end_byte, KEYWORD, base)
            rows.append(builder.read(given, 1) if given is not None else -1)
        elif part.type == "comment":
            continue
        else:
            rows.append(builder.read(part, 1))
        names.append(word)
    return rows, names


def subscript(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value[index]`: an element, or a function or type with its type arguments."""
    value = node.child_by_field_name("value")
    if value is None:
        builder.read_all(node)
        return -1
    base = builder.read(value, 1, role if role == CALLED else READ)
    rows = [builder.read(part, 1) for part in node.named_children if part != value and part.type != "comment"]
    sliced = any(part.type == "slice" for part in node.named_children)
    if not want or base < 0:
        return -1
    return base if sliced else builder.expression(SUBSCRIPT, base, builder.sequence(rows))


def same(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(x)`, `await x`, `-x`, `partial f(x)`."""
    parts = [part for part in node.named_children if part.type != "comment"]
    rows = [builder.read(part, want, role if role == CALLED else READ) for part in parts]
    return rows[0] if rows else -1


def attempt(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`x?`: the value of a result or option."""
    parts = node.named_children
    held = builder.read(parts[0], want) if parts else -1
    return content_of(builder, held) if want else -1


def unary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`not x`, `-x`."""
    operand, operator = node.child_by_field_name("operand"), node.child_by_field_name("operator")
    row = builder.read(operand, want) if operand is not None else -1
    return builder.builtin("bool") if want and operator is not None and operator.text == b"not" else row


def binary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """Two operands; a comparison gives a truth value."""
    rows, operator = operands(builder, node, want)
    if not want:
        return -1
    if operator in _COMPARED:
        return builder.builtin("bool")
    return rows[0]


def sequence_of(constructor: str) -> Rule:
    """The rule of a display whose elements have one type."""

    def read(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        rows = [builder.read(part, want) for part in node.named_children if part.type != "comment"]
        first = next((row for row in rows if row >= 0), -1)
        if not want:
            return -1
        # The type of what it holds is that of its first element.
        return builder.expression(CALL, builder.builtin(constructor), builder.sequence((first,)))

    return read


def dictionary(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{key: value}`."""
    pair = (-1, -1)
    for part in node.named_children:
        key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
        if part.type != "pair" or key is None or value is None:
            builder.read(part)
            continue
        rows = (builder.read(key, want), builder.read(value, want))
        pair = rows if pair == (-1, -1) else pair
    return builder.expression(CALL, builder.builtin("{}"), builder.sequence(pair)) if want else -1


def tuple_display(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(a, b)`."""
    if role == WRITE:
        for part in node.named_children:
            builder.read(part, 0, WRITE)
        return -1
    rows = [builder.read(part, want) for part in node.named_children if part.type != "comment"]
    return builder.expression(CALL, builder.builtin("()"), builder.sequence(rows)) if want else -1


def closure(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(a, b) => value`."""
    outer, full = builder.scope, builder.full
    builder.scope = builder.open_scope(LAMBDA_SCOPE, node.start_byte, node.end_byte)
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    for part in parameters.named_children if parameters is not None else ():
        builder.full = (part.start_byte, part.end_byte)
        for word in part.named_children:
            if builder.data[word.start_byte : word.end_byte] != _UNIQUE:
                builder.define(word, PARAMETER)
    given = builder.read(body, want) if body is not None else -1
    builder.scope, builder.full = outer, full
    if not want or given < 0:
        return -1
    return builder.expression(CALL, builder.builtin("=>"), builder.sequence((given,)))


def comprehension(constructor: str) -> Rule:
    """The rule of `[value for name in values if condition]`: names are bound before what uses them is read."""

    def read(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
        outer, full = builder.scope, builder.full
        builder.scope = builder.open_scope(BLOCK_SCOPE, node.start_byte, node.end_byte)
        value = node.child_by_field_name("value")
        for part in node.named_children:
            if part != value:
                builder.full = (node.start_byte, node.start_byte)
                builder.read(part)
        row = builder.read(value, want) if value is not None else -1
        builder.scope, builder.full = outer, full
        if not want or row < 0:
            return -1
        return (
            row
            if constructor == "{}"
            else builder.expression(CALL, builder.builtin(constructor), builder.sequence((row,)))
        )

    return read


def pair(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`key: value` of a comprehension."""
    rows = [builder.read(part, want) for part in node.named_children if part.type != "comment"]
    return builder.expression(CALL, builder.builtin("{}"), builder.sequence(rows)) if want else -1


def for_clause(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`for a, b in values`, of a loop or a comprehension."""
    value = node.child_by_field_name("value")
    held = content_of(builder, builder.read(value, 1) if value is not None else -1)
    words = [part for part in node.children_by_field_name("pattern") if part.type == "identifier"]
    for at, word in enumerate(words):
        bind(builder, word, item_of(builder, held, at, len(words)))
    return -1


def choice(rows: list[int]) -> int:
    """One of several values, of which the first that is known stands for all."""
    return next((row for row in rows if row >= 0), -1)


def dotted_name(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """The name of a decorator, of a variant: `a.b.c`."""
    row = -1
    words = [part for part in node.named_children if part.type == "identifier"]
    for at, word in enumerate(words):
        own = role if at == len(words) - 1 else READ
        row = builder.name_expression(word, 1, own) if at == 0 else builder.member_expression(row, word, 1, own)
    return row


def number(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`1`, `1.5`, `2e3`, `1.50d`."""
    text = builder.data[node.start_byte : node.end_byte]
    kind = "decimal" if text.endswith(b"d") else "float" if b"." in text or b"e" in text.lower() else "int"
    return builder.builtin(kind) if want else -1


def word(builder: DeclaredFactsBuilder, node: Node, want: int, role: int) -> int:
    """`self`."""
    return builder.name_expression(node, want, READ)


RULES: dict[str, Rule] = {
    "identifier": name,
    "self": word,
    "field_expression": field,
    "leading_dot_path": nothing,
    "call": call,
    "subscript": subscript,
    "parenthesized_expression": same,
    "await_expression": same,
    "partial_expression": same,
    "yield_expression": same,
    "spread_argument": same,
    "try_expression": attempt,
    "unary_expression": unary,
    "binary_expression": left_deep(binary),
    "list": sequence_of("[]"),
    "set": sequence_of("[]"),
    "range_expression": sequence_of("[]"),
    "dictionary": dictionary,
    "tuple": tuple_display,
    "closure": closure,
    "list_comprehension": comprehension("[]"),
    "generator": comprehension("[]"),
    "dictionary_comprehension": comprehension("{}"),
    "pair": pair,
    "for_clause": for_clause,
    "path": dotted_name,
    "string": literal("str"),
    "format_specifier": nothing,
    "string_content": nothing,
    "escape": nothing,
    "bytes": literal("bytes"),
    "number": number,
    "true": literal("bool"),
    "false": literal("bool"),
    "none": nothing,
    "comment": nothing,
    "vocabulary_word": nothing,
}
