"""Annotations: expressions that denote types.

Owns: role TYPE, unions written with `|`, annotations inside strings.
Must not know: what the annotation is attached to.
Invariant: names inside a string carry their true offsets; a string that is not an expression yields nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from tree_sitter import Node, Parser, Range

from graphls.facts.kinds import ExpressionKind
from graphls.languages.grammars import language
from graphls.languages.python import nodes
from graphls.languages.python.draft import (
    IN_STRING,
    MEMBER,
    NAME,
    READ,
    TYPED,
    UNION,
    Draft,
)
from graphls.languages.python.nesting import DEPTH, children, generic, too_deep
from graphls.languages.python.strings import PLAIN, content_range, prefix

SUBSCRIPT: Final = int(ExpressionKind.SUBSCRIPT)
TUPLE: Final = int(ExpressionKind.TUPLE)
COLLECTION: Final = int(ExpressionKind.COLLECTION)
STARRED: Final = int(ExpressionKind.STARRED)

DOTTED = re.compile(rb"[ \t]*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)[ \t]*")
QUOTED_CAP: Final = 2000
"""Bytes of a string that is read as an annotation."""
VALUES: Final = frozenset((b"Literal",))
"""Subscripted names whose arguments are values."""


def annotation(draft: Draft, node: Node) -> int:
    """The expression of an annotation."""
    rule = _RULES.get(node.kind_id)
    if rule is None:
        return draft.read(node, 1, TYPED)
    if draft.depth >= DEPTH:
        return too_deep(draft, node)
    draft.depth += 1
    row = rule(draft, node)
    draft.depth -= 1
    return row


def _wrapped(draft: Draft, node: Node) -> int:
    row = -1
    for part in children(node):
        row = annotation(draft, part)
    return row


def _splat(draft: Draft, node: Node) -> int:
    row = _wrapped(draft, node)
    return draft.expression(STARRED, row) if row >= 0 else -1


def _subscript(draft: Draft, node: Node) -> int:
    """`Name[...]`, in both shapes that the grammar gives it."""
    parts = children(node)
    base = draft.read(parts[0], 1, TYPED)
    given = children(parts[1]) if len(parts) > 1 and parts[1].kind_id == nodes.TYPE_PARAMETER else parts[1:]
    head = draft.data[parts[0].start_byte : parts[0].end_byte].rpartition(b".")[2]
    if head in VALUES:
        rows = [_value(draft, part) for part in given]
    elif head == b"Annotated":
        rows = [
            annotation(draft, part) if position == 0 else _value(draft, part) for position, part in enumerate(given)
        ]
    else:
        rows = [annotation(draft, part) for part in given]
    return draft.expression(SUBSCRIPT, base, draft.sequence(rows)) if base >= 0 else -1


def _value(draft: Draft, node: Node) -> int:
    row = -1
    for part in children(node) if node.kind_id == nodes.TYPE else [node]:
        row = draft.read(part, 1)
    return row


def _union(draft: Draft, node: Node) -> int:
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
        return draft.read(node, 1, TYPED) if node.kind_id == nodes.BINARY else generic(draft, node, 0, READ)
    rows = [annotation(draft, node), *(annotation(draft, part) for part in reversed(spine))]
    return draft.expression(UNION, draft.sequence(rows))


def _member(draft: Draft, node: Node) -> int:
    """`Name[int].Inner`."""
    parts = children(node)
    if len(parts) != 2:
        return generic(draft, node, 0, READ)
    base = annotation(draft, parts[0])
    base = base if base >= 0 else draft.unknown()
    name = draft.use(parts[1].start_byte, parts[1].end_byte, TYPED, base)
    return draft.expression(MEMBER, base, name, parts[1].start_byte)


def _list(draft: Draft, node: Node) -> int:
    """The parameters in `Callable[[int], str]`."""
    rows = [annotation(draft, part) for part in children(node)]
    return draft.expression(COLLECTION, draft.sequence(rows), draft.text("list"))


def _tuple(draft: Draft, node: Node) -> int:
    rows = [annotation(draft, part) for part in children(node)]
    return draft.expression(TUPLE, draft.sequence(rows))


def quoted(draft: Draft, node: Node) -> int:
    """The annotation that a string spells."""
    start, end = content_range(draft, node)
    if end - start > QUOTED_CAP or draft.use_flags & IN_STRING or prefix(draft, node) not in PLAIN:
        return -1
    flags = draft.use_flags
    draft.use_flags |= IN_STRING
    dotted = DOTTED.fullmatch(draft.data, start, end)
    row = _dotted(draft, *dotted.span(1)) if dotted else _parsed(draft, start, end)
    draft.use_flags = flags
    return row


def _dotted(draft: Draft, start: int, end: int) -> int:
    base = -1
    while start < end:
        stop = draft.data.find(b".", start, end)
        stop = end if stop < 0 else stop
        name = draft.name(start, stop)
        role = TYPED if stop == end else READ
        draft.occurrences += (start, stop, name, role, draft.use_flags, draft.scope, base, draft.owner)
        scope = draft.scope
        base = draft.expression(NAME, name, scope, start) if base < 0 else draft.expression(MEMBER, base, name, start)
        start = stop + 1
    return base


def _parsed(draft: Draft, start: int, end: int) -> int:
    """Only the content is parsed, in its place, so that offsets are those of the file."""
    if b"\\" in draft.between(start, end):
        return -1
    while start < end and draft.data[start] in b" \t\r\n":
        start += 1
    if start == end:
        return -1
    parser = Parser(language("python"), included_ranges=[Range((0, 0), (0, end - start), start, end)])
    root = parser.parse(draft.data).root_node
    parts = children(root)
    if root.has_error or len(parts) != 1:
        return -1
    return annotation(draft, parts[0])


_UNIONS: Final = frozenset((nodes.BINARY, nodes.UNION_TYPE))

_RULES: Mapping[int, Callable[[Draft, Node], int]] = {
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
