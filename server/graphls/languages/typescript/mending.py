"""Mending: right code that the grammar takes for broken, written so that the grammar understands it.

Owns: what the grammar does not know, and the text of the same length that stands in for it.
Must not know: facts, what any node means.
Invariant: offsets stay what they are and only the tree comes from the other text, where that is less broken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from tree_sitter import Node, Tree

from graphls.languages.grammars import parser

IMPORT_TYPE = b"import("
"""Begins the text of what reads as a plain name and is the module of a type."""
MOST = 400
"""Places of a kind that are mended in one file, and errors that are looked at."""
LONGEST = 4000
"""Bytes of a list of type parameters."""

Change: TypeAlias = tuple[int, bytes]
"""Offset, and what stands there instead."""

_USING = re.compile(rb"(?<![\w$.])(?:await[ \t]+)?using[ \t]+(?=(?!of\b|in\b)[A-Za-z_$][\w$]*[ \t]*(?:[=:][^=]|of\b))")
_SIGNATURE = re.compile(rb"\n[ \t]*(?=<)")
_COMMENT = re.compile(rb"(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)\s*\Z")
_TYPE_ENDS = re.compile(rb"[\w$\])>}'\"`]\Z")
_KEY_IN = re.compile(rb"(?:[{;,\n]|\breadonly)[ \t]*(in)(?=\??[ \t]*:)")
_IMPORTED = re.compile(
    rb"(?<=typeof )\bimport\((?:'[^'\n]*'|\"[^\"\n]*\")\)"
    rb"|\bimport\((?:'[^'\n]*'|\"[^\"\n]*\")\)(?=(?:\.[\w$]+)+(?:\[\]|<[^;{}()]{0,400}>(?![ \t]*\()))"
)
_BLANK = re.compile(
    rb"\bexport\s+(type)\s*\*"
    rb"|\b(?:static|abstract|override|declare|readonly|public|private|protected)[ \t]+(accessor)(?=[ \t]+[\w$#\[])"
    rb"|\b(?:from|import)\s*(?:'[^'\n]*'|\"[^\"\n]*\")[ \t]*((?:with|assert)[ \t]*\{[^{}]{0,400}\})"
)


def mended(data: bytes, tree: Tree, grammar: str) -> Tree:
    """The tree of the text that the grammar understands better, if there is one."""
    data, tree = _constant(data, tree, grammar)
    if not tree.root_node.has_error:
        return tree
    text = bytearray(data)
    for rule in _RULES:
        for start, other in rule(data):
            if not _quoted(tree.root_node, start):
                text[start : start + len(other)] = other
    if bytes(text) == data:
        return tree
    made = parser(grammar).parse(bytes(text))
    return made if _broken(made.root_node) < _broken(tree.root_node) else tree


def _constant(data: bytes, tree: Tree, grammar: str) -> tuple[bytes, Tree]:
    """`using x = y` and `await using x = y` declare as `const x = y` does; the grammar takes them for assignments."""
    if b"using" not in data:
        return data, tree
    text = bytearray(data)
    for _, match in zip(range(MOST), _USING.finditer(data), strict=False):
        if not _quoted(tree.root_node, match.start()):
            text[match.start() : match.end()] = b"const".ljust(match.end() - match.start())
    if bytes(text) == data:
        return data, tree
    made = parser(grammar).parse(bytes(text))
    return (bytes(text), made) if _broken(made.root_node) <= _broken(tree.root_node) else (data, tree)


def _signatures(data: bytes) -> Iterator[Change]:
    """A line that begins with type parameters is a member of its own: a semicolon before it."""
    for _, match in zip(range(MOST), _SIGNATURE.finditer(data), strict=False):
        at = match.end() - 1
        before = data[max(0, match.start() - LONGEST) : match.start()].rstrip()
        while comment := _COMMENT.search(before):
            before = before[: comment.start()].rstrip()
        if at > match.start() and _TYPE_ENDS.search(before[-1:]) and _called(data, at + 1):
            yield at, b";"


def _called(data: bytes, start: int) -> bool:
    """Whether `<...>` is followed by a bracket."""
    depth = 0
    for at in range(start, min(len(data), start + LONGEST)):
        sign = data[at]
        if sign == _OPEN:
            depth += 1
        elif sign == _CLOSE and data[at - 1] != _EQUALS:
            depth -= 1
            if depth == 0:
                return data[at + 1 : at + 20].lstrip().startswith(b"(")
    return False


def _keys(data: bytes) -> Iterator[Change]:
    """`in?: T`, which reads as variance."""
    return ((match.start(1), b"i_") for _, match in zip(range(MOST), _KEY_IN.finditer(data), strict=False))


def _imported(data: bytes) -> Iterator[Change]:
    """`import("m").T[]`, `import("m").T<U>`, `typeof import("m")` among type arguments: plain names for modules."""
    for _, match in zip(range(MOST), _IMPORTED.finditer(data), strict=False):
        yield match.start(), b"i" * (match.end() - match.start())


def _blank(data: bytes) -> Iterator[Change]:
    """Words that the grammar does not expect and that change no name: white space."""
    for _, match in zip(range(MOST), _BLANK.finditer(data), strict=False):
        for start, end in (match.span(group) for group in (1, 2, 3) if match.start(group) >= 0):
            yield start, re.sub(rb"[^\r\n]", b" ", data[start:end])


def _quoted(root: Node, offset: int) -> bool:
    """Whether a place is in a comment or a string."""
    node = root.descendant_for_byte_range(offset, offset)
    return node is not None and node.type in ("comment", "string_fragment", "template_string", "regex_pattern")


def _broken(root: Node) -> int:
    """How much is not understood: bytes in errors, and what is missing."""
    amount = seen = 0
    pending = [root]
    while pending and seen < MOST:
        node = pending.pop()
        if node.is_error or node.is_missing:
            seen += 1
            amount += node.end_byte - node.start_byte + 1
        else:
            pending.extend(child for child in node.children if child.has_error or child.is_missing)
    return amount


_OPEN, _CLOSE, _EQUALS = b"<>="
_RULES: tuple[Callable[[bytes], Iterator[Change]], ...] = (_signatures, _keys, _imported, _blank)
