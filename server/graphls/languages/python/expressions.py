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
from graphls.languages.draft import EXPRESSION
from graphls.languages.python import nodes
from graphls.languages.python.conditions import judge
from graphls.languages.python.draft import (
    COMPREHENSION,
    INHERITED,
    LAMBDA,
    LITERAL,
    MEMBER,
    NAME,
    READ,
    TYPED,
    UNION,
    Draft,
    Rule,
)
from graphls.languages.python.nesting import DEPTH, children, generic, guarded
from graphls.languages.python.parameters import bind_parameters
from graphls.languages.python.targets import Target, bind_target, settle

AWAIT: Final = int(ExpressionKind.AWAIT)
SUBSCRIPT: Final = int(ExpressionKind.SUBSCRIPT)
TUPLE: Final = int(ExpressionKind.TUPLE)
COLLECTION: Final = int(ExpressionKind.COLLECTION)
STARRED: Final = int(ExpressionKind.STARRED)
OPERATION: Final = int(ExpressionKind.OPERATION)
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
ELEMENTS: Final = 20
"""Elements of a display that are written down; their types repeat."""


def identifier(draft: Draft, node: Node, want: int, role: int) -> int:
    """A plain name."""
    start, end = node.start_byte, node.end_byte
    if start == end:
        return -1
    name = draft.names.get(draft.data[start:end])
    if name is None:
        name = draft.name(start, end)
    draft.occurrences += (start, end, name, role, draft.use_flags, draft.scope, -1, draft.owner)
    if want:
        rows = draft.expressions
        rows += (NAME, name, draft.scope, start)
        return len(rows) // EXPRESSION - 1
    return -1


def attribute(draft: Draft, node: Node, want: int, role: int) -> int:
    """`base.name`. The base is always understood well enough to say that there is one."""
    if not draft.broken:
        row = _dotted(draft, node, want, role)
        if row != NOT_DOTTED:
            return row
    parts = node.children
    if len(parts) == 3:
        left, _, right = parts
    else:
        parts = children(node)
        if len(parts) != 2:
            return generic(draft, node, 0, READ)
        left, right = parts
    base = draft.rules[left.kind_id](draft, left, 1, READ)
    if base < 0:
        base = draft.unknown()
    start, end = right.start_byte, right.end_byte
    if start == end:
        return -1
    name = draft.names.get(draft.data[start:end])
    if name is None:
        name = draft.name(start, end)
    draft.shape.append(nodes.ATTRIBUTE)
    draft.occurrences += (start, end, name, role, draft.use_flags, draft.scope, base, draft.owner)
    return draft.expression(MEMBER, base, name, start) if want else -1


def _dotted(draft: Draft, node: Node, want: int, role: int) -> int:
    """Names joined by dots and nothing else, read off the text: no node is made for any of them.

    `NOT_DOTTED` where the text may be something else: only names that the file has shown before count as such.
    """
    start = node.start_byte
    parts = draft.data[start : node.end_byte].split(b".")
    if len(parts) > DOTS or draft.depth + DOTS >= DEPTH or parts[0] in CONSTANTS:
        return NOT_DOTTED
    known: list[int] = []
    for part in parts:
        name = draft.names.get(part)
        if name is None:
            return NOT_DOTTED
        known.append(name)
    rows, uses, scope = draft.expressions, draft.occurrences, draft.scope
    flags, owner = draft.use_flags, draft.owner
    base, last = -1, len(parts) - 1
    for at, name in enumerate(known):
        end = start + len(parts[at])
        if at:
            draft.shape.append(nodes.ATTRIBUTE)
        uses += (start, end, name, role if at == last else READ, flags, scope, base, owner)
        if at < last or want:
            if at:
                rows += (MEMBER, base, name, start)
            else:
                rows += (NAME, name, scope, start)
            base = len(rows) // EXPRESSION - 1
        start = end + 1
    return base if want else -1


def subscript(draft: Draft, node: Node, want: int, role: int) -> int:
    """`value[index]`; in a base class the indices are types."""
    parts = children(node)
    outer, inner = (role, TYPED) if role in (INHERITED, TYPED) else (READ, READ)
    base = draft.read(parts[0], want, outer)
    rows = [draft.read(part, want, inner) for part in parts[1:]]
    draft.shape.append(nodes.SUBSCRIPT)
    return draft.expression(SUBSCRIPT, base, draft.sequence(rows)) if want and base >= 0 else -1


def sliced(draft: Draft, node: Node, want: int, role: int) -> int:
    """`start:stop`: which part does not matter, that it is one does."""
    generic(draft, node, 0, READ)
    return draft.builtin("slice") if want else -1


def parenthesized(draft: Draft, node: Node, want: int, role: int) -> int:
    """The expression inside."""
    row = -1
    for part in children(node):
        row = draft.read(part, want, role)
    return row


def awaited(draft: Draft, node: Node, want: int, role: int) -> int:
    """`await x`."""
    row = parenthesized(draft, node, want, READ)
    return draft.expression(AWAIT, row) if want and row >= 0 else -1


def starred(draft: Draft, node: Node, want: int, role: int) -> int:
    """`*x` where values are listed."""
    row = parenthesized(draft, node, want, READ)
    return draft.expression(STARRED, row) if want and row >= 0 else -1


def binary(draft: Draft, node: Node, want: int, role: int) -> int:
    """A chain of operators; the left spine is walked, not recursed into."""
    spine: list[tuple[Node, str]] = []
    while node.kind_id == nodes.BINARY and node.child_count == 3:
        left, sign, right = node.children
        spine.append((right, sign.type))
        node = left
    row = generic(draft, node, 0, READ) if node.kind_id == nodes.BINARY else draft.read(node, want)
    while spine:
        right, spelled = spine.pop()
        draft.shape.append(nodes.BINARY)
        other = draft.read(right, want)
        if want:
            row = draft.expression(OPERATION, row, other, draft.text(spelled))
    return row


def unary(draft: Draft, node: Node, want: int, role: int) -> int:
    """`-x`, `+x`, `~x`."""
    row = parenthesized(draft, node, want, READ)
    if not want or row < 0:
        return -1
    if draft.kind_of(row) == LITERAL:
        return row
    return draft.expression(OPERATION, row, -1, draft.text(node.children[0].type))


def condition(draft: Draft, node: Node, want: int, role: int) -> int:
    """`and`, `or`, `not` and comparisons."""
    return judge(draft, node, want)[0]


def conditional(draft: Draft, node: Node, want: int, role: int) -> int:
    """`a if test else b`: what the test says holds in `a`."""
    parts = children(node)
    if len(parts) != 3:
        return generic(draft, node, 0, READ)
    draft.frame.branches += 1
    first = draft.read(parts[0], want, role)
    _, yes, no = judge(draft, parts[1], 0)
    second = draft.read(parts[2], want, role)
    draft.narrow(yes, parts[0].start_byte, parts[0].end_byte)
    draft.narrow(no, parts[2].start_byte, parts[2].end_byte)
    return draft.expression(UNION, draft.sequence((first, second))) if want else -1


def elements(draft: Draft, node: Node, want: int, role: int) -> list[int]:
    """Expressions of the first elements of a display."""
    rows: list[int] = []
    for part in node.named_children:
        if part.kind_id in nodes.EXTRAS:
            continue
        keep = want and len(rows) < ELEMENTS
        row = draft.read(part, want if keep else 0, role if role == TYPED else READ)
        if keep:
            rows.append(row)
    return rows


def tuple_display(draft: Draft, node: Node, want: int, role: int) -> int:
    """`a, b`."""
    rows = elements(draft, node, want, role)
    return draft.expression(TUPLE, draft.sequence(rows)) if want else -1


def list_display(draft: Draft, node: Node, want: int, role: int) -> int:
    """`[a, b]`."""
    rows = elements(draft, node, want, role)
    return _collection(draft, "list", rows) if want else -1


def set_display(draft: Draft, node: Node, want: int, role: int) -> int:
    """`{a, b}`."""
    rows = elements(draft, node, want, role)
    return _collection(draft, "set", rows) if want else -1


def _collection(draft: Draft, kind: str, rows: list[int], keys: list[int] | None = None) -> int:
    return draft.expression(
        COLLECTION, draft.sequence(rows), draft.text(kind), -1 if keys is None else draft.sequence(keys)
    )


def dictionary(draft: Draft, node: Node, want: int, role: int) -> int:
    """`{key: value}`; values merged with `**` are starred and have no key."""
    keys: list[int] = []
    values: list[int] = []
    for part in children(node):
        keep = want if len(values) < ELEMENTS else 0
        key, value = pair(draft, part, keep)
        if keep:
            keys.append(key)
            values.append(value)
    return _collection(draft, "dict", values, keys) if want else -1


def pair(draft: Draft, node: Node, want: int) -> tuple[int, int]:
    """Key and value of one entry."""
    if node.kind_id != nodes.PAIR:
        return -1, draft.read(node, want)
    parts = children(node)
    if len(parts) != 2:
        return -1, generic(draft, node, 0, READ)
    return draft.read(parts[0], want), draft.read(parts[1], want)


def comprehension(draft: Draft, node: Node, want: int, role: int) -> int:
    """A comprehension: a scope of its own, except for its first iterable."""
    outer = draft.scope
    full = draft.full
    kind = draft.source(node.start_byte, node.start_byte + 1)
    draft.scope = draft.open_scope(COMPREHENSION, node.start_byte, node.end_byte)
    parts = children(node)
    key = value = -1
    body = parts[0] if parts else node
    if parts and body.kind_id == nodes.PAIR:
        key, value = pair(draft, body, want)
    elif parts:
        value = draft.read(body, want)
    first = True
    for part in parts[1:]:
        if part.kind_id == nodes.FOR_IN:
            _for_in(draft, part, outer if first else draft.scope)
            first = False
        elif part.kind_id == nodes.IF_CLAUSE:
            _if_clause(draft, part, body)
        else:
            draft.read(part)
    draft.scope = outer
    draft.full = full
    draft.shape.append(node.kind_id)
    if not want:
        return -1
    name = {"[": "list", "(": "generator"}.get(kind, "set" if key < 0 and body.kind_id != nodes.PAIR else "dict")
    return _collection(draft, name, [value], [key] if name == "dict" else None)


def _for_in(draft: Draft, node: Node, scope_of_iterable: int) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        generic(draft, node, 0, READ)
        return
    draft.full = (node.start_byte, node.end_byte)
    pending: list[Target] = []
    bind_target(draft, left, pending, VARIABLE)
    inner, draft.scope = draft.scope, scope_of_iterable
    row = draft.read(right, 1)
    draft.scope = inner
    rest = node.children_by_field_name("right")[1:]
    for part in rest:
        draft.read(part)
    if row >= 0 and not rest:
        settle(draft, pending, draft.expression(ELEMENT, row, int(node.children[0].type == "async")))


def _if_clause(draft: Draft, node: Node, body: Node) -> None:
    draft.frame.branches += 1
    for part in children(node):
        _, yes, _ = judge(draft, part, 0)
        draft.narrow(yes, body.start_byte, body.end_byte)


def lambda_value(draft: Draft, node: Node, want: int, role: int) -> int:
    """`lambda x: body`; defaults are read outside of its scope."""
    body = node.child_by_field_name("body")
    if body is None:
        return generic(draft, node, 0, READ)
    outer = draft.scope
    scope = draft.open_scope(LAMBDA, body.start_byte, body.end_byte)
    parameters = node.child_by_field_name("parameters")
    if parameters is not None:
        bind_parameters(draft, parameters, scope)
    draft.scope = scope
    row = draft.read(body, want)
    draft.scope = outer
    return draft.expression(LAMBDA_VALUE, row) if want else -1


def walrus(draft: Draft, node: Node, want: int, role: int) -> int:
    """`(name := value)`: binds in the scope around the comprehensions it stands in."""
    parts = children(node)
    if len(parts) != 2:
        return generic(draft, node, 0, READ)
    full, scope = draft.full, draft.scope
    draft.full = (node.start_byte, node.end_byte)
    while draft.scopes[draft.scope][0] == COMPREHENSION:
        draft.scope = draft.scopes[draft.scope][1]
    pending: list[Target] = []
    bind_target(draft, parts[0], pending)
    draft.scope = scope
    row = draft.read(parts[1], 1)
    settle(draft, pending, row)
    draft.full = full
    return row


def yielded(draft: Draft, node: Node, want: int, role: int) -> int:
    """`yield x`, `yield from x`: makes the function around it a generator."""
    scope = draft.scope
    while draft.scopes[scope][0] == COMPREHENSION:
        scope = draft.scopes[scope][1]
    frame = draft.frame
    row = parenthesized(draft, node, 1, READ)
    if draft.scopes[scope][0] != FUNCTION_SCOPE or frame.definition < 0:
        return -1
    draft.definitions[frame.definition][2] |= GENERATES
    if node.named_child_count:
        delegated = any(part.type == "from" for part in node.children[1:2])
        draft.returns.append((frame.definition, row, YIELD_FROM if delegated else YIELD))
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
