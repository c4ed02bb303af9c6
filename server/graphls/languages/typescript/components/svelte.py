"""Svelte: what the markup of a component uses.

Owns: expressions in braces, blocks and what they bind, directives, snippets, stores.
Must not know: how code is read, script blocks.
Invariant: what a block binds is known in that block only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from graphls.languages.extract.facts_builder import D_NAME, D_SCOPE, U_NAME, U_START, USE
from graphls.languages.extract.nesting import DEPTH
from graphls.languages.typescript.components.template import Template
from graphls.languages.typescript.syntax.facts_builder import BLOCK, ELEMENT, FUNCTION, TsFactsBuilder

_TAGS = ("start_tag", "self_closing_tag")
_CODE = ("raw_text_expr", "raw_text_await", "raw_text_each")
_AS = re.compile(rb"\s+as\s+")
_WORD = re.compile(rb"\s*@(?!const\b)\w+\s")
_ACTIONS = frozenset((b"use", b"transition", b"in", b"out", b"animate"))
_SHORT = frozenset((b"bind", b"class", b"style"))
_NAME = re.compile(rb"[A-Za-z_$][\w$.]*")
_BINDS = ("each_start_expr", "await_start_expr", "then_expr", "catch_expr")


def read_markup(template: Template, root: Node) -> None:
    """Everything outside of script and style."""
    _inside(template, root)
    template.missed(root)


def _inside(template: Template, node: Node) -> None:
    builder = template.draft
    if builder.depth >= DEPTH:
        builder.note_depth(node.start_byte, node.end_byte)
        return
    builder.depth += 1
    outer = builder.scope
    for part in node.named_children:
        kind = part.type
        if kind in ("script_element", "style_element", "comment"):
            continue
        if kind.endswith("_statement"):
            _block(template, part)
        elif kind == "element":
            _element(template, part)
        elif kind == "expression" or kind.endswith("_expr"):
            _braces(template, part)
        elif part.named_child_count:
            _inside(template, part)
    builder.scope = outer
    builder.depth -= 1


def _block(template: Template, node: Node) -> None:
    if node.type == "snippet_statement":
        _snippet(template, node)
        return
    outer = template.inner(node)
    _inside(template, node)
    template.leave(outer)


def _span(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


# ---------------------------------------------------------------- braces


def _braces(template: Template, node: Node) -> None:
    """`{code}`, `{#if code}`, `{@html code}` and what opens other blocks."""
    if node.type == "each_start_expr":
        _each(template, node)
    elif node.type == "await_start_expr":
        _await(template, node)
    elif node.type in _BINDS:
        for part in node.named_children:
            if part.type in _CODE:
                template.patterns(*_span(part))
    elif node.type == "const_expr":
        word = next((part for part in node.named_children if part.type == "special_block_keyword"), None)
        if word is not None:
            template.statements(word.start_byte, _end(template, node))
    elif node.type not in ("else_expr", "key_end_expr") and not node.type.endswith("_end_expr"):
        words = [part for part in node.named_children if part.type == "special_block_keyword"]
        start = words[-1].end_byte if words else node.start_byte + 1
        word = _WORD.match(template.draft.data, start, node.end_byte)
        template.expression(word.end() if word else start, _end(template, node))


def _end(template: Template, node: Node) -> int:
    return node.end_byte - template.draft.data.endswith(b"}", node.start_byte, node.end_byte)


def _each(template: Template, node: Node) -> None:
    """`{#each items as pattern, index (key)}`."""
    parts = [part for part in node.named_children if part.type in _CODE]
    if not parts:
        return
    spans = [_span(part) for part in parts]
    if len(spans) == 1:
        words = list(_AS.finditer(template.draft.data, *spans[0]))
        if words:
            start, end = spans[0]
            spans = [(start, words[-1].start()), (words[-1].end(), end)]
    items = template.expression(*spans[0], want=1)
    value = template.draft.expression(ELEMENT, items, 0) if items >= 0 else -1
    for span in spans[1:]:
        names, key = _keyed(template.draft.data, *span)
        template.patterns(*names, value)
        template.expression(*key)


def _keyed(data: bytes, start: int, end: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The names of an `each`, and the key in brackets behind them."""
    depth = 0
    for at in range(start, end):
        letter = data[at : at + 1]
        if letter == b"(" and depth == 0:
            close = data.rfind(b")", at, end)
            return (start, at), (at + 1, close if close > at else end)
        depth += (letter in (b"{", b"[", b"(")) - (letter in (b"}", b"]", b")"))
    return (start, end), (end, end)


def _await(template: Template, node: Node) -> None:
    """`{#await promise}`, `{#await promise then pattern}`."""
    parts = [part for part in node.named_children if part.type in _CODE]
    for place, part in enumerate(parts):
        if place == 0:
            template.expression(*_span(part))
        else:
            template.patterns(*_span(part))


def _snippet(template: Template, node: Node) -> None:
    """`{#snippet name(parameters)}`: a function of the markup around it."""
    builder = template.draft
    head = next((part for part in node.named_children if part.type == "snippet_start_expr"), node)
    name = next((part for part in head.named_children if part.type == "snippet_name"), None)
    if name is not None:
        builder.full = _span(node)
        builder.define(builder.name(*_span(name)), FUNCTION, *_span(name), builder.scope)
    outer = builder.scope
    builder.scope = builder.open_scope(BLOCK, node.start_byte, node.end_byte)
    for part in head.named_children:
        if part.type in _CODE:
            template.patterns(*_span(part))
    for part in node.named_children:
        if part != head:
            _one(template, part)
    builder.scope = outer


def _one(template: Template, node: Node) -> None:
    if node.type == "element":
        _element(template, node)
    elif node.type.endswith("_statement"):
        _block(template, node)
    elif node.type == "expression" or node.type.endswith("_expr"):
        _braces(template, node)


# ---------------------------------------------------------------- elements


def _element(template: Template, node: Node) -> None:
    tag = node.children[0] if node.children else node
    outer = template.draft.scope
    if tag.type in _TAGS:
        name = next((part for part in tag.named_children if part.type == "tag_name"), None)
        if name is not None:
            text = template.draft.data[name.start_byte : name.end_byte]
            if text[:1].isupper() or (b"." in text and b":" not in text):
                template.rendered(*_span(name))
        attributes = [part for part in tag.named_children if part.type == "attribute"]
        for attribute in attributes:
            _attribute(template, attribute)
        for attribute in attributes:
            _let(template, node, attribute)
    _inside(template, node) if tag.type not in _TAGS else _children(template, node, tag)
    template.leave(outer)


def _children(template: Template, node: Node, tag: Node) -> None:
    if template.draft.depth >= DEPTH:
        template.draft.note_depth(node.start_byte, node.end_byte)
        return
    template.draft.depth += 1
    for part in node.named_children:
        if part != tag:
            _one(template, part) if part.type not in ("script_element", "style_element") else None
    template.draft.depth -= 1


def _attribute(template: Template, node: Node) -> None:
    data = template.draft.data
    name = node.named_children[0] if node.named_child_count else node
    text = data[name.start_byte : name.end_byte]
    word, colon, rest = text.partition(b":")
    if word == b"let" and colon:
        return
    if colon and word in _ACTIONS:
        found = _NAME.match(rest)
        if found is not None:
            start = name.start_byte + len(word) + 1
            template.expression(start, start + found.end())
    if colon and word in _SHORT and name.end_byte == node.end_byte:
        start = name.start_byte + len(word) + 1
        found = _NAME.match(rest)
        if found is not None and found.end() == len(rest.partition(b"|")[0]):
            template.named(start, start + found.end())
    written = text.startswith(b"bind:")
    for start, end in _stretches(data, node):
        if data[start:end].lstrip().startswith(b"..."):
            start = data.index(b"...", start) + 3
        if data[start:end].lstrip().startswith(b"@attach"):
            start = data.index(b"@attach", start) + len(b"@attach")
        template.updated(start, end) if written else template.expression(start, end)


def _stretches(data: bytes, node: Node) -> Iterator[tuple[int, int]]:
    """Code in the braces of an attribute."""
    pending = [node]
    while pending:
        part = pending.pop()
        if part.type in _CODE:
            yield _span(part)
        elif part.type == "attribute_value":
            yield from _quoted(data, *_span(part))
        pending.extend(reversed(part.children))


def _quoted(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Code in the braces of a quoted value."""
    depth, opening = 0, start
    for at in range(start, end):
        if data[at] == ord("{"):
            opening, depth = (at if depth == 0 else opening), depth + 1
        elif data[at] == ord("}") and depth:
            depth -= 1
            if depth == 0:
                yield opening + 1, at


def _let(template: Template, node: Node, attribute: Node) -> None:
    """`let:name`, `let:name={pattern}`: known inside of the element."""
    data = template.draft.data
    name = attribute.named_children[0] if attribute.named_child_count else attribute
    if not data.startswith(b"let:", name.start_byte):
        return
    template.inner(node)
    given = list(_stretches(data, attribute))
    for start, end in given or [(name.start_byte + 4, name.end_byte)]:
        template.patterns(start, end)


# ---------------------------------------------------------------- stores


def resolve_stores(builder: TsFactsBuilder) -> None:
    """`$name` is a use of the store `name`, unless the script binds `$name` itself."""
    bound = {builder.strings[row[D_NAME]] for row in builder.definitions if row[D_SCOPE] == 0}
    uses = builder.occurrences
    for at in range(0, len(uses), USE):
        name = builder.strings[uses[at + U_NAME]]
        if name[:1] == "$" and name not in bound and name[1:] in bound:
            uses[at + U_START] += 1
            uses[at + U_NAME] = builder.text(name[1:])
