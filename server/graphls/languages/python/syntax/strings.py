"""Strings: what stands between quotes.

Owns: contents of string nodes, documentation paragraphs, code inside f-strings, literals that spell code.
Must not know: annotations, statements.
Invariant: contents are given as written; nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.languages.python.syntax import nodes
from graphls.languages.python.syntax.constructs import FORMATTED, construct
from graphls.languages.python.syntax.facts_builder import (
    EXPORT,
    IN_STRING,
    TEXT,
    PyFactsBuilder,
    Rule,
)
from graphls.languages.python.syntax.nesting import guarded

QUOTES: Final = b"\"'`"
DOT: Final = 46
COLON: Final = 58
"""As numbers: a byte is looked for by its number at a tenth of what a text of one byte costs."""
PATH = re.compile(rb"[rRuUbB]{0,2}(['\"])[A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)+\1\Z")
"""A string that may name code: `package.module:name`."""
PARAGRAPH_END = re.compile(rb"(?:\r\n?|\n)[ \t]*[\r\n]")

PLAIN: Final = frozenset((b"", b"r", b"u"))
"""Prefixes of strings that are text as written."""

SHORT: Final = 80
"""Bytes of a string that is kept as the value of an expression."""
CAP: Final = 200
"""Characters of a string kept as a literal."""
DOC_CAP: Final = 1000


def content_range(builder: PyFactsBuilder, node: Node) -> tuple[int, int]:
    """Offsets of what stands between the quotes."""
    data, start, end = builder.data, node.start_byte, node.end_byte
    while data[start] not in QUOTES and start + 1 < end:
        start += 1
    quote = data[start : start + 1]
    width = 3 if data.startswith(quote * 3, start) and end - start > 5 else 1
    closed = end - start >= 2 * width and data.endswith(quote * width, start, end)
    return start + width, end - width if closed else end


def prefix(builder: PyFactsBuilder, node: Node) -> bytes:
    """Letters before the quotes, in lower case."""
    start = node.start_byte
    end = start
    while end < start + 3 and builder.data[end : end + 1].isalpha():
        end += 1
    return builder.data[start:end].lower()


def string(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """A string literal; interpolations are code."""
    start = node.start_byte
    if builder.data[start] not in QUOTES:
        letters = prefix(builder, node)
        if b"f" in letters or b"t" in letters:
            for part in node.named_children:
                if part.kind_id == nodes.INTERPOLATION:
                    builder.read(part)
            return builder.builtin("str") if want else -1
        if b"b" in letters:
            return builder.builtin("bytes") if want else -1
    if _path(builder.data, start, node.end_byte):
        add_literal(builder, node, (-1, -1, -1))
    return builder.builtin("str", short_text(builder, node)) if want else -1


def interpolation(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`{value!r:spec}` in a string."""
    row, how = -1, ""
    parts = node.named_children
    for position, part in enumerate(parts):
        if part.type == "type_conversion":
            how = builder.source(part.start_byte, part.end_byte)
        elif position == 0:
            row = builder.read(part, 1)
        else:
            builder.read(part)
    if len(parts):
        construct(builder, FORMATTED, (node.start_byte, node.end_byte), row, how)
    return -1


def short_text(builder: PyFactsBuilder, node: Node) -> int:
    """The content as a row of `strings`, -1 when it is long."""
    start, end = content_range(builder, node)
    return builder.text(builder.source(start, end)) if end - start <= SHORT else -1


def spells_path(builder: PyFactsBuilder, node: Node) -> bool:
    """Whether a string may name code."""
    return _path(builder.data, node.start_byte, node.end_byte)


def _path(data: bytes, start: int, end: int) -> bool:
    """Most strings have neither dot nor colon, and to look for these costs a tenth of trying the pattern."""
    text = data[start:end] if end > start else b""
    return (DOT in text or COLON in text) and PATH.match(text) is not None


def is_text(builder: PyFactsBuilder, node: Node) -> bool:
    """Whether a string is text as written: no bytes, no interpolations."""
    return builder.data[node.start_byte] in QUOTES or prefix(builder, node) in PLAIN


def add_literal(builder: PyFactsBuilder, node: Node, place: tuple[int, int, int]) -> None:
    """A row of `literals`; `place` is call, position and keyword."""
    start, end = content_range(builder, node)
    text = builder.text(builder.source(start, end)[:CAP])
    builder.literals.append((text, start, end, builder.owner, *place))


def name_in_string(builder: PyFactsBuilder, node: Node, role: int, base: int = -1) -> int:
    """An occurrence for a string whose content is one identifier; -1 when it is not."""
    start, end = content_range(builder, node)
    text = builder.source(start, end)
    if prefix(builder, node) not in PLAIN or not text.isidentifier():
        return -1
    name = builder.name(start, end)
    flags = builder.use_flags | IN_STRING
    builder.occurrences += (start, end, name, role, flags, builder.scope, base, builder.owner)
    return name


def exported(builder: PyFactsBuilder, node: Node, depth: int = 0) -> None:
    """Marks every string of an export list, through lists, tuples and sums."""
    if node.kind_id == nodes.STRING:
        name = name_in_string(builder, node, EXPORT)
        if name >= 0:
            builder.exports.add(name)
    elif node.kind_id in EXPORT_LISTS and depth < 20:
        for part in node.named_children:
            exported(builder, part, depth + 1)


def named_attribute(builder: PyFactsBuilder, node: Node, base: int) -> None:
    """The literal of `getattr(base, "name")`."""
    name_in_string(builder, node, TEXT, base if base >= 0 else builder.unknown())


def concatenated(builder: PyFactsBuilder, node: Node, want: int, role: int) -> int:
    """`"a" f"{b}"`."""
    for part in node.named_children:
        builder.read(part)
    return builder.builtin("str") if want else -1


def paragraph(builder: PyFactsBuilder, node: Node) -> str:
    """The first paragraph of a documentation string on one line."""
    if node.kind_id != nodes.STRING or prefix(builder, node) not in PLAIN:
        return ""
    start, end = content_range(builder, node)
    text = builder.between(start, min(end, start + 8 * DOC_CAP)).strip()
    gap = PARAGRAPH_END.search(text)
    first = text[: gap.start()] if gap else text
    return " ".join(first.decode("utf-8", "replace").split())[:DOC_CAP]


EXPORT_LISTS = nodes.TUPLES | {nodes.LIST, nodes.SET, nodes.PARENTHESIZED, nodes.BINARY, nodes.ARGUMENTS}

RULES: Mapping[str, Rule] = {
    "string": string,
    "interpolation": guarded(interpolation),
    "concatenated_string": guarded(concatenated),
}
