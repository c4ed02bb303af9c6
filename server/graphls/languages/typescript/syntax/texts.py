"""Texts: strings, templates and what they may spell.

Owns: literals that are recorded, first lines of statements.
Must not know: what is done with a string.
Invariant: recorded text is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tree_sitter import Node

from graphls.languages.typescript.syntax import nodes
from graphls.languages.typescript.syntax.facts_builder import Rule, TsFactsBuilder
from graphls.languages.typescript.syntax.nesting import generic, guarded

SIGNATURE_CAP: Final = 120
TEXT_CAP: Final = 200
MODIFIERS_CAP: Final = 300
MODIFIERS: Final = (b"export", b"default", b"declare", b"abstract")
"""What may stand before a declaration in its statement."""
DOT: Final = 46
"""As a number, which is looked for in bytes at a tenth of what a text costs."""
SYMBOL: Final = re.compile(rb"\[(?:k[A-Z]\w*|\w+Sym(?:bol)?)\]")
"""What a name in brackets is spelled like that is the key of a symbol, by custom (Node's own code, pino)."""
PATH = re.compile(r"\w+(?:\.\w+)+(?::\w+)?\Z")


def symbol_key(builder: TsFactsBuilder, start: int, end: int) -> int:
    """The number of the name of a member under a symbol, whose brackets are in a stretch of text: `[kState]`; or -1."""
    if builder.data[start : start + 1] != b"[" or not SYMBOL.fullmatch(builder.data, start, end):
        return -1
    return builder.name(start, end)


def first_line(builder: TsFactsBuilder, node: Node) -> int:
    """The first line of a statement as written, behind its decorators."""
    start = behind_decorators(builder, node)
    raw = builder.between(start, min(node.end_byte, start + 4 * SIGNATURE_CAP)).lstrip()
    line = raw.splitlines()[0] if raw else b""
    return builder.text(" ".join(line.decode("utf-8", "replace").split())[:SIGNATURE_CAP])


def behind_decorators(builder: TsFactsBuilder, node: Node) -> int:
    """Where a declaration goes on behind the decorators that it begins with."""
    start = node.start_byte
    if builder.between(start, start + 1) != b"@":
        return start
    for part in node.named_children:
        if builder.kinds.of(part) != nodes.DECORATOR:
            break
        start = part.end_byte
    return start


def is_whole(builder: TsFactsBuilder, node: Node) -> bool:
    """Whether a declaration is what the current statement is made for: nothing but words like `export` and decorators
    stand before it. A declaration in the body of a function is a statement of its own."""
    start, end = builder.full
    if not (start <= node.start_byte and node.end_byte <= end <= node.end_byte + 4):
        return False
    before = builder.between(start, min(node.start_byte, start + MODIFIERS_CAP)).strip()
    return not before or before.startswith(b"@") or before.endswith(MODIFIERS)


def spelled(builder: TsFactsBuilder, node: Node) -> str:
    """What a string says, escapes as written."""
    start, end = node.start_byte + 1, node.end_byte - 1
    return builder.source(start, min(end, start + 4 * TEXT_CAP))


def string(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A string; its text where it is short."""
    if not want:
        return -1
    text = spelled(builder, node)
    return builder.builtin("string", builder.text(text) if len(text) <= 60 else -1)


def template(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
    """A template; what is between its braces is code."""
    generic(builder, node, 0, 0)
    return builder.builtin("string") if want else -1


def add_literal(builder: TsFactsBuilder, node: Node, call: int, position: int) -> None:
    """Records a string argument."""
    text = spelled(builder, node)
    if text and len(text) <= TEXT_CAP:
        builder.literals.append((builder.text(text), node.start_byte, node.end_byte, builder.owner, call, position, -1))


def spells_path(builder: TsFactsBuilder, node: Node) -> bool:
    """Whether a string looks like a route or a dotted path."""
    start, end = node.start_byte + 1, node.end_byte - 1
    text = builder.between(start, min(end, start + 4 * TEXT_CAP))
    return text.startswith(b"/") or (DOT in text and PATH.match(text.decode("utf-8", "replace")) is not None)


def _literal(name: str) -> Rule:
    def read(builder: TsFactsBuilder, node: Node, want: int, role: int) -> int:
        return builder.builtin(name) if want else -1

    return read


RULES: Mapping[str, Rule] = {
    "string": string,
    "template_string": guarded(template),
    "number": _literal("number"),
    "true": _literal("boolean"),
    "false": _literal("boolean"),
    "null": _literal("null"),
    "undefined": _literal("undefined"),
    "regex": _literal("RegExp"),
}
