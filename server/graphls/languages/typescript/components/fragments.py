"""Fragments: stretches of a file that are code, as trees whose offsets are those of the file.

Owns: included ranges; the brackets that make an expression or a list of parameters out of a stretch.
Must not know: where code stands in which kind of file.
Invariant: a fragment has a byte before it; no node that is handed out has a name beyond the end of the file. All of
    them together have the time that one tree of the file has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node, Range

from graphls.languages.extract import grammars
from graphls.languages.typescript.syntax.nesting import children

_TAIL = b") => 0;"
_OPEN = ord("(")


def stretch(start: int, end: int) -> Range:
    """A range of bytes. Nobody asks for rows: they are left zero."""
    return Range((0, start), (0, end), start, end)


def block(data: bytes, start: int, end: int, grammar: str) -> Node:
    """The program that stands between two offsets."""
    parser = grammars.parser(grammar)
    return grammars.PartParser(parser, data).parse(stretch(start, end)).root_node


class TemplateFragments:
    """Expressions and parameters in one file: the byte before a fragment is read as a bracket."""

    def __init__(self, data: bytes, grammar: str) -> None:
        self._text = bytearray(data + _TAIL)
        self._size = len(data)
        self._parser = grammars.PartParser(grammars.parser(grammar), self._text)

    def statements(self, start: int, end: int) -> Node:
        """The program of a stretch as it is."""
        return self._parser.parse(stretch(start, end)).root_node

    def expression(self, start: int, end: int) -> Node | None:
        """The expression of a stretch, in brackets; None when it is none."""
        root = self._bracketed(start, end, 1)
        parts = children(root)
        inner = children(parts[0]) if len(parts) == 1 else []
        if root.has_error or len(inner) != 1 or inner[0].type != "parenthesized_expression":
            return None
        return inner[0]

    def parameters(self, start: int, end: int) -> Sequence[Node]:
        """The patterns of a list of parameters; brackets of its own around it are none of it."""
        if self._text[start:end].startswith(b"(") and self._text[start:end].endswith(b")"):
            start, end = start + 1, end - 1
        root = self._bracketed(start, end, len(_TAIL))
        return tuple(_patterns(root)) if not root.has_error else ()

    def blanked(self, start: int, end: int) -> None:
        """Makes a stretch that is no code white space."""
        self._text[start:end] = b" " * (end - start)

    def _bracketed(self, start: int, end: int, tail: int) -> Node:
        before, self._text[start - 1] = self._text[start - 1], _OPEN
        root = self._parser.parse(stretch(start - 1, end), stretch(self._size, self._size + tail)).root_node
        self._text[start - 1] = before
        return root


def _patterns(root: Node) -> Iterator[Node]:
    for statement in children(root):
        for function in children(statement):
            parameters = function.child_by_field_name("parameters")
            for part in children(parameters) if parameters is not None else ():
                yield part.child_by_field_name("pattern") or part


def names(root: Node) -> Iterator[Node]:
    """Plain names in code that is not understood, for want of better."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type in ("identifier", "shorthand_property_identifier"):
            yield node
        pending.extend(reversed(node.children))
