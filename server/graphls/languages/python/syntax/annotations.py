"""Annotations: expressions that denote types.

Owns: role TYPE, unions written with `|`, annotations inside strings.
Must not know: what the annotation is attached to.
Invariant: names inside a string carry their true offsets; a string that is not an expression yields nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from tree_sitter import Node, Range

from graphls.facts.kinds import ExpressionKind
from graphls.languages.extract.grammars import PartParser, parser
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.facts_builder import (
    IN_STRING,
    MEMBER,
    NAME,
    READ,
    TYPED,
    UNION,
    PyFactsBuilder,
)
from graphls.languages.python.syntax.nesting import children, generic, too_deep
from graphls.languages.python.syntax.strings import PLAIN, content_range, prefix

SUBSCRIPT: Final = int(ExpressionKind.SUBSCRIPT)
TUPLE: Final = int(ExpressionKind.TUPLE)
COLLECTION: Final = int(ExpressionKind.COLLECTION)
STARRED: Final = int(ExpressionKind.STARRED)

DOTTED = re.compile(rb"[ \t]*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)[ \t]*")
QUOTED_CAP: Final = 2000
"""Bytes of a string that is read as an annotation."""
VALUES: Final = frozenset((b"Literal",))
"""Subscripted names whose arguments are values."""


def annotation(builder: PyFactsBuilder, node: Node) -> int:
    """The expression of an annotation."""
    rule = _RULES.get(node.kind_id)
    if rule is None:
        return builder.read(node, 1, TYPED)
    if builder.depth >= DEPTH:
        return too_deep(builder, node)
    builder.depth += 1
    row = rule(builder, node)
    builder.depth -= 1
    return row


def _wrapped(builder: PyFactsBuilder, node: Node) -> int:
    row = -1
    for part in children(node):
        row = annotation(builder, part)
    return row


def _splat(builder: PyFactsBuilder, node: Node) -> int:
    row = _wrapped(builder, node)
    return builder.expression(STARRED, row) if row >= 0 else -1


def _subscript(builder: PyFactsBuilder, node: Node) -> int:
    """`Name[...]`, in both shapes that the grammar gives it."""
    parts = children(node)
    base = builder.read(parts[0], 1, TYPED)
    given = children(parts[1]) if len(parts) > 1 and parts[1].kind_id == nodes.TYPE_PARAMETER else parts[1:]
    head = builder.data[parts[0].start_byte : parts[0].end_byte].rpartition(b".")[2]
    if head in VALUES:
        rows = [_value(builder, part) for part in given]
    elif head == b"Annotated":
        rows = [
            annotation(builder, part) if position == 0 else _value(builder, part) for position, part in enumerate(given)
        ]
    else:
        rows = [annotation(builder, part) for part in given]
    return builder.expression(SUBSCRIPT, base, builder.sequence(rows)) if base >= 0 else -1


def _value(builder: PyFactsBuilder, node: Node) -> int:
    row = -1
    for part in children(node) if node.kind_id == nodes.TYPE else [node]:
        row = builder.read(part, 1)
    return row


def _union(builder: PyFactsBuilder, node: Node) -> int:
    """`A | B | C`, flattened."""
    spine: list[Node] = []
    while True:
        while node.kind_id == nodes.TYPE and node.named_child_count == 1:
            node = node.named_children[0]
        parts = children(node)
        if node.kind_id not in _UNIONS or len(parts) != 2 or node.children[1].type != "|":
            break
        spine.append(parts[1])
        node = parts[0]
    if not spine:
        return builder.read(node, 1, TYPED) if node.kind_id == nodes.BINARY else generic(builder, node, 0, READ)
    rows = [annotation(builder, node), *(annotation(builder, part) for part in reversed(spine))]
    return builder.expression(UNION, builder.sequence(rows))


def _member(builder: PyFactsBuilder, node: Node) -> int:
    """`Name[int].Inner`."""
    parts = children(node)
    if len(parts) != 2:
        return generic(builder, node, 0, READ)
    base = annotation(builder, parts[0])
    base = base if base >= 0 else builder.unknown()
    name = builder.use(parts[1].start_byte, parts[1].end_byte, TYPED, base)
    return builder.expression(MEMBER, base, name, parts[1].start_byte)


def _list(builder: PyFactsBuilder, node: Node) -> int:
    """The parameters in `Callable[[int], str]`."""
    rows = [annotation(builder, part) for part in children(node)]
    return builder.expression(COLLECTION, builder.sequence(rows), builder.text("list"))


def _tuple(builder: PyFactsBuilder, node: Node) -> int:
    rows = [annotation(builder, part) for part in children(node)]
    return builder.expression(TUPLE, builder.sequence(rows))


def quoted(builder: PyFactsBuilder, node: Node) -> int:
    """The annotation that a string spells."""
    start, end = content_range(builder, node)
    if end - start > QUOTED_CAP or builder.use_flags & IN_STRING or prefix(builder, node) not in PLAIN:
        return -1
    flags = builder.use_flags
    builder.use_flags |= IN_STRING
    dotted = DOTTED.fullmatch(builder.data, start, end)
    row = _dotted(builder, *dotted.span(1)) if dotted else _parsed(builder, start, end)
    builder.use_flags = flags
    return row


def _dotted(builder: PyFactsBuilder, start: int, end: int) -> int:
    base = -1
    while start < end:
        stop = builder.data.find(b".", start, end)
        stop = end if stop < 0 else stop
        name = builder.name(start, stop)
        role = TYPED if stop == end else READ
        builder.occurrences += (start, stop, name, role, builder.use_flags, builder.scope, base, builder.owner)
        scope = builder.scope
        base = (
            builder.expression(NAME, name, scope, start) if base < 0 else builder.expression(MEMBER, base, name, start)
        )
        start = stop + 1
    return base


def _parsed(builder: PyFactsBuilder, start: int, end: int) -> int:
    """Only the content is parsed, in its place, so that offsets are those of the file."""
    if b"\\" in builder.between(start, end):
        return -1
    while start < end and builder.data[start] in b" \t\r\n":
        start += 1
    if start == end:
        return -1
    parts_of_text = builder.parts
    if parts_of_text is None or parts_of_text.data is not builder.data:
        parts_of_text = builder.parts = PartParser(parser("python"), builder.data)
    root = parts_of_text.parse(Range((0, 0), (0, end - start), start, end)).root_node
    parts = children(root)
    if root.has_error or len(parts) != 1:
        return -1
    return annotation(builder, parts[0])


_UNIONS: Final = frozenset((nodes.BINARY, nodes.UNION_TYPE))

_RULES: Mapping[int, Callable[[PyFactsBuilder, Node], int]] = {
    nodes.TYPE: _wrapped,
    nodes.PARENTHESIZED: _wrapped,
    nodes.CONSTRAINED_TYPE: _wrapped,
    nodes.SPLAT_TYPE: _splat,
    nodes.LIST_SPLAT: _splat,
    nodes.GENERIC_TYPE: _subscript,
    nodes.SUBSCRIPT: _subscript,
    nodes.BINARY: _union,
    nodes.UNION_TYPE: _union,
    nodes.MEMBER_TYPE: _member,
    nodes.LIST: _list,
    nodes.TUPLE: _tuple,
    nodes.EXPRESSION_LIST: _tuple,
    nodes.TUPLE_EXPRESSION: _tuple,
    nodes.STRING: quoted,
}
