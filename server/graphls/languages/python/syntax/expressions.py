"""Expressions: names, attributes, operators, displays and lambdas as they are used.

Owns: occurrences of plain and dotted names; the expression rows of everything but calls and conditions.
Must not know: statements, annotations.
Invariant: each identifier below a node is recorded once, in source order, whatever the caller wants back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.facts.kinds import DefinitionFlag, DefinitionKind, ExpressionKind, ReturnKind, ScopeKind
from graphls.languages.extract.facts_builder import EXPRESSION
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.conditions import judge
from graphls.languages.python.syntax.constructs import (
    ASYNC_FOR,
    AWAITED,
    FOR,
    SUBSCRIPTED,
    UNPACK,
    construct,
    operator,
)
from graphls.languages.python.syntax.facts_builder import (
    COMPREHENSION,
    INHERITED,
    LAMBDA,
    LITERAL,
    MEMBER,
    NAME,
    READ,
    TYPED,
    UNION,
    PyFactsBuilder,
    Rule,
)
from graphls.languages.python.syntax.nesting import children, generic, guarded
from graphls.languages.python.syntax.parameters import bind_parameters
from graphls.languages.python.syntax.targets import Target, assign_values, bind_target

AWAIT: Final = int(ExpressionKind.AWAIT)
SUBSCRIPT: Final = int(ExpressionKind.SUBSCRIPT)
TUPLE: Final = int(ExpressionKind.TUPLE)
COLLECTION: Final = int(ExpressionKind.COLLECTION)
STARRED: Final = int(ExpressionKind.STARRED)
OPERATION: Final = int(ExpressionKind.OPERATION)
TYPE: Final = int(ExpressionKind.TYPE)
ELEMENT: Final = int(ExpressionKind.ELEMENT)
LAMBDA_VALUE: Final = int(ExpressionKind.LAMBDA)
VARIABLE: Final = int(DefinitionKind.VARIABLE)
GENERATES: Final = int(DefinitionFlag.GENERATOR)
YIELD: Final = int(ReturnKind.YIELD)
YIELD_FROM: Final = int(ReturnKind.YIELD_FROM)
FUNCTION_SCOPE: Final = int(ScopeKind.FUNCTION)

NOT_DOTTED: Final = -2
"""Instead of a row: the node is not read yet."""
DOTS: Final = 8
"""Names in a row that are read off the text."""
CONSTANTS: Final = frozenset((b"None", b"True", b"False"))
GENERATORS: Final = frozenset(("Generator", "AsyncGenerator"))
YIELDS: Final = 200
"""Of a function with more the types of what is sent to it are not looked up."""
ELEMENTS: Final = 20
"""Elements of a display that are written down; their types repeat."""


def identifier(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """A plain name."""
    start, end = node.start_byte, node.end_byte
    if start == end:
        return -1
    name = builder.names.get(builder.data[start:end])
    if name is None:
        name = builder.name(start, end)
    builder.occurrences += (start, end, name, role, builder.use_flags, builder.scope, -1, builder.owner)
    if want:
        rows = builder.expressions
        rows += (NAME, name, builder.scope, start)
        return len(rows) // EXPRESSION - 1
    return -1


def attribute(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`base.name`. The base is always understood well enough to say that there is one."""
    if not builder.broken:
        row = _dotted(builder, node, want, role)
        if row != NOT_DOTTED:
            return row
    parts = node.children
    if len(parts) == 3:
        left, _, right = parts
    else:
        parts = children(node)
        if len(parts) != 2:
            return generic(builder, node, 0, READ)
        left, right = parts
    base = builder.rules[left.kind_id](builder, left, 1, READ)
    if base < 0:
        base = builder.unknown()
    start, end = right.start_byte, right.end_byte
    if start == end:
        return -1
    name = builder.names.get(builder.data[start:end])
    if name is None:
        name = builder.name(start, end)
    builder.shape.append(nodes.ATTRIBUTE)
    builder.occurrences += (start, end, name, role, builder.use_flags, builder.scope, base, builder.owner)
    return builder.expression(MEMBER, base, name, start) if want else -1


def _dotted(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """Names joined by dots and nothing else, read off the text: no node is made for any of them.

    `NOT_DOTTED` where the text may be something else: only names that the file has shown before count as such.
    """
    start = node.start_byte
    parts = builder.data[start : node.end_byte].split(b".")
    if len(parts) > DOTS or builder.depth + DOTS >= DEPTH or parts[0] in CONSTANTS:
        return NOT_DOTTED
    known: list[int] = []
    for part in parts:
        name = builder.names.get(part)
        if name is None:
            return NOT_DOTTED
        known.append(name)
    rows, uses, scope = builder.expressions, builder.occurrences, builder.scope
    flags, owner = builder.use_flags, builder.owner
    base, last = -1, len(parts) - 1
    for at, name in enumerate(known):
        end = start + len(parts[at])
        if at:
            builder.shape.append(nodes.ATTRIBUTE)
        uses += (start, end, name, role if at == last else READ, flags, scope, base, owner)
        if at < last or want:
            if at:
                rows += (MEMBER, base, name, start)
            else:
                rows += (NAME, name, scope, start)
            base = len(rows) // EXPRESSION - 1
        start = end + 1
    return base if want else -1


def subscript(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`value[index]`; in a base class the indices are types."""
    parts = children(node)
    outer, inner = (role, TYPED) if role in (INHERITED, TYPED) else (READ, READ)
    base = builder.read(parts[0], 1 if inner == READ else want, outer)
    by_key = inner == READ and len(parts) == 2
    rows = [builder.read(part, 1 if by_key else want, inner) for part in parts[1:]]
    builder.shape.append(nodes.SUBSCRIPT)
    if inner == READ:
        key = rows[0] if by_key else -1
        construct(builder, SUBSCRIPTED, (node.start_byte, node.end_byte), base, other=key)
    return builder.expression(SUBSCRIPT, base, builder.sequence(rows)) if want and base >= 0 else -1


def sliced(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`start:stop`: which part does not matter, that it is one does."""
    generic(builder, node, 0, READ)
    return builder.builtin("slice") if want else -1


def parenthesized(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """The expression inside."""
    row = -1
    for part in children(node):
        row = builder.read(part, want, role)
    return row


def awaited(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`await x`."""
    row = parenthesized(builder, node, 1, READ)
    construct(builder, AWAITED, (node.start_byte, node.end_byte), row)
    return builder.expression(AWAIT, row) if want and row >= 0 else -1


def starred(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`*x` where values are listed."""
    row = parenthesized(builder, node, 1, READ)
    if node.kind_id == nodes.LIST_SPLAT:
        construct(builder, UNPACK, (node.start_byte, node.end_byte), row)
    return builder.expression(STARRED, row) if want and row >= 0 else -1


def binary(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """A chain of operators; the left spine is walked, not recursed into."""
    spine: list[tuple[Node, str]] = []
    while node.kind_id == nodes.BINARY and node.child_count == 3:
        left, sign, right = node.children
        spine.append((right, sign.type))
        node = left
    row = generic(builder, node, 0, READ) if node.kind_id == nodes.BINARY else builder.read(node, 1)
    start = node.start_byte
    while spine:
        right, spelled = spine.pop()
        builder.shape.append(nodes.BINARY)
        other = builder.read(right, 1)
        operator(builder, spelled, (start, right.end_byte), row, other=other)
        if want or spine:
            row = builder.expression(OPERATION, row, other, builder.text(spelled))
    return row


def unary(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`-x`, `+x`, `~x`."""
    row = parenthesized(builder, node, 1, READ)
    if row < 0:
        return -1
    operator(builder, f"unary {node.children[0].type}", (node.start_byte, node.end_byte), row)
    if not want:
        return -1
    if builder.kind_of(row) == LITERAL:
        return row
    return builder.expression(OPERATION, row, -1, builder.text(node.children[0].type))


def condition(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`and`, `or`, `not` and comparisons."""
    return judge(builder, node, want)[0]


def conditional(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a if test else b`: what the test says holds in `a`."""
    parts = children(node)
    if len(parts) != 3:
        return generic(builder, node, 0, READ)
    builder.frame.branches += 1
    first = builder.read(parts[0], want, role)
    _, yes, no = judge(builder, parts[1], 0)
    second = builder.read(parts[2], want, role)
    builder.narrow(yes, parts[0].start_byte, parts[0].end_byte)
    builder.narrow(no, parts[2].start_byte, parts[2].end_byte)
    return builder.expression(UNION, builder.sequence((first, second))) if want else -1


def elements(builder: PyFactsBuilder, node: Node, want: int, role: int) -> list[int]:
    """Expressions of the first elements of a display."""
    rows: list[int] = []
    for part in node.named_children:
        if part.kind_id in nodes.EXTRAS:
            continue
        keep = want and len(rows) < ELEMENTS
        row = builder.read(part, want if keep else 0, role if role == TYPED else READ)
        if keep:
            rows.append(row)
    return rows


def tuple_display(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`a, b`."""
    rows = elements(builder, node, want, role)
    return builder.expression(TUPLE, builder.sequence(rows)) if want else -1


def list_display(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`[a, b]`."""
    rows = elements(builder, node, want, role)
    return _collection(builder, "list", rows) if want else -1


def set_display(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{a, b}`."""
    rows = elements(builder, node, want, role)
    return _collection(builder, "set", rows) if want else -1


def _collection(builder: PyFactsBuilder, kind: str, rows: list[int], keys: list[int] | None = None) -> int:
    return builder.expression(
        COLLECTION, builder.sequence(rows), builder.text(kind), -1 if keys is None else builder.sequence(keys)
    )


def dictionary(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{key: value}`; values merged with `**` are starred and have no key."""
    keys: list[int] = []
    values: list[int] = []
    for part in children(node):
        keep = want if len(values) < ELEMENTS else 0
        key, value = pair(builder, part, keep)
        if keep:
            keys.append(key)
            values.append(value)
    return _collection(builder, "dict", values, keys) if want else -1


def pair(builder: PyFactsBuilder, node: Node, want: int) -> tuple[int, int]:
    """Key and value of one entry."""
    if node.kind_id != nodes.PAIR:
        return -1, builder.read(node, want)
    parts = children(node)
    if len(parts) != 2:
        return -1, generic(builder, node, 0, READ)
    return builder.read(parts[0], want), builder.read(parts[1], want)


def comprehension(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """A comprehension: a scope of its own, except for its first iterable."""
    outer = builder.scope
    full = builder.full
    kind = builder.source(node.start_byte, node.start_byte + 1)
    builder.scope = builder.open_scope(COMPREHENSION, node.start_byte, node.end_byte)
    parts = children(node)
    key = value = -1
    body = parts[0] if parts else node
    if parts and body.kind_id == nodes.PAIR:
        key, value = pair(builder, body, want)
    elif parts:
        value = builder.read(body, want)
    first = True
    for part in parts[1:]:
        if part.kind_id == nodes.FOR_IN:
            _for_in(builder, part, outer if first else builder.scope)
            first = False
        elif part.kind_id == nodes.IF_CLAUSE:
            _if_clause(builder, part, body)
        else:
            builder.read(part)
    builder.scope = outer
    builder.full = full
    builder.shape.append(node.kind_id)
    if not want:
        return -1
    name = {"[": "list", "(": "generator"}.get(kind, "set" if key < 0 and body.kind_id != nodes.PAIR else "dict")
    return _collection(builder, name, [value], [key] if name == "dict" else None)


def _for_in(builder: PyFactsBuilder, node: Node, scope_of_iterable: int) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        generic(builder, node, 0, READ)
        return
    builder.full = (node.start_byte, node.end_byte)
    pending: list[Target] = []
    bind_target(builder, left, pending, VARIABLE)
    inner, builder.scope = builder.scope, scope_of_iterable
    row = builder.read(right, 1)
    builder.scope = inner
    rest = node.children_by_field_name("right")[1:]
    for part in rest:
        builder.read(part)
    if row >= 0 and not rest:
        waits = node.children[0].type == "async"
        construct(builder, ASYNC_FOR if waits else FOR, (right.start_byte, right.end_byte), row)
        assign_values(builder, pending, builder.expression(ELEMENT, row, int(waits)))


def _if_clause(builder: PyFactsBuilder, node: Node, body: Node) -> None:
    builder.frame.branches += 1
    for part in children(node):
        _, yes, _ = judge(builder, part, 0)
        builder.narrow(yes, body.start_byte, body.end_byte)


def lambda_value(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`lambda x: body`; defaults are read outside of its scope."""
    body = node.child_by_field_name("body")
    if body is None:
        return generic(builder, node, 0, READ)
    outer = builder.scope
    scope = builder.open_scope(LAMBDA, body.start_byte, body.end_byte)
    parameters = node.child_by_field_name("parameters")
    if parameters is not None:
        bind_parameters(builder, parameters, scope)
    builder.scope = scope
    row = builder.read(body, want)
    builder.scope = outer
    return builder.expression(LAMBDA_VALUE, row) if want else -1


def walrus(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`(name := value)`: binds in the scope around the comprehensions it stands in."""
    parts = children(node)
    if len(parts) != 2:
        return generic(builder, node, 0, READ)
    full, scope = builder.full, builder.scope
    builder.full = (node.start_byte, node.end_byte)
    while builder.scopes[builder.scope][0] == COMPREHENSION:
        builder.scope = builder.scopes[builder.scope][1]
    pending: list[Target] = []
    bind_target(builder, parts[0], pending)
    builder.scope = scope
    row = builder.read(parts[1], 1)
    assign_values(builder, pending, row)
    builder.full = full
    return row


def yielded(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`yield x`, `yield from x`: makes the function around it a generator."""
    scope = builder.scope
    while builder.scopes[scope][0] == COMPREHENSION:
        scope = builder.scopes[scope][1]
    frame = builder.frame
    row = parenthesized(builder, node, 1, READ)
    if builder.scopes[scope][0] != FUNCTION_SCOPE or frame.definition < 0:
        return -1
    builder.definitions[frame.definition][2] |= GENERATES
    if node.named_child_count:
        delegated = any(part.type == "from" for part in node.children[1:2])
        if delegated:
            construct(builder, FOR, (node.start_byte, node.end_byte), row)
        builder.returns.append((frame.definition, row, YIELD_FROM if delegated else YIELD))
        if want and not delegated:
            return _sent(builder, frame.definition)
    return -1


def _sent(builder: PyFactsBuilder, function: int) -> int:
    """What `yield` gives in a function that says so: `B` of `Generator[A, B, C]`."""
    table = builder.expressions
    steps = 0
    for definition, row, _ in reversed(builder.returns):
        steps += 1
        if definition < function or steps > YIELDS:
            break
        if definition != function or builder.kind_of(row) != TYPE:
            continue
        declared = table[row * EXPRESSION + 1]
        if builder.kind_of(declared) != SUBSCRIPT:
            break
        base, given = table[declared * EXPRESSION + 1], table[declared * EXPRESSION + 2]
        kind = builder.kind_of(base)
        name = table[base * EXPRESSION + (1 if kind == NAME else 2)] if kind in (NAME, MEMBER) else -1
        start, end = builder.lists[given]
        if name >= 0 and builder.strings[name] in GENERATORS and end - start > 1:
            return builder.expression(TYPE, builder.items[start + 1])
        break
    return -1


RULES: Mapping[str, Rule] = {
    "identifier": identifier,
    "attribute": guarded(attribute),
    "subscript": guarded(subscript),
    "slice": guarded(sliced),
    "parenthesized_expression": guarded(parenthesized),
    "await": guarded(awaited),
    "list_splat": guarded(starred),
    "dictionary_splat": guarded(starred),
    "binary_operator": guarded(binary),
    "unary_operator": guarded(unary),
    "not_operator": guarded(condition),
    "boolean_operator": guarded(condition),
    "comparison_operator": guarded(condition),
    "conditional_expression": guarded(conditional),
    "tuple": guarded(tuple_display),
    "expression_list": guarded(tuple_display),
    "tuple_expression": guarded(tuple_display),
    "list": guarded(list_display),
    "set": guarded(set_display),
    "dictionary": guarded(dictionary),
    "list_comprehension": guarded(comprehension),
    "set_comprehension": guarded(comprehension),
    "dictionary_comprehension": guarded(comprehension),
    "generator_expression": guarded(comprehension),
    "lambda": guarded(lambda_value),
    "named_expression": guarded(walrus),
    "yield": guarded(yielded),
}
