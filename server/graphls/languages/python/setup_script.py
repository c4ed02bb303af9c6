"""Setup script: what `setup.py` says about packages, read in its text.

Owns: literal arguments of `setup` and of what finds packages.
Must not know: which files exist, what the arguments are good for.
Invariant: nothing is run; what is computed is not there, and no text raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tree_sitter import Node

from graphls.languages.extract import grammars

_SETUP: Final = frozenset({"setup"})
_FIND: Final = frozenset({"find_packages", "find_namespace_packages", "find"})
_WANTED: Final = frozenset({"package_dir", "packages", "namespace_packages"})
_FOUND: Final = {"where": 0, "include": 2}
"""Arguments of what finds packages, with their places."""
_MOST_BYTES: Final = 400_000
_MOST_NODES: Final = 20_000
_MOST_DEPTH: Final = 200

Value = str | list["Value"] | dict[str, "Value"] | None


def setup_arguments(data: bytes) -> Mapping[str, Value]:
    """Arguments of `setup(...)` about packages, and `where` and `include` of what finds packages, by name."""
    try:
        return _Script(data).arguments() if len(data) <= _MOST_BYTES else {}
    except grammars.ParserTooSlow:
        return {}


class _Script:
    """One script, with what its names were given so far."""

    def __init__(self, data: bytes) -> None:
        self._tree = grammars.parse(grammars.parser("python"), data)
        self._names: dict[str, Node] = {}
        self._left = _MOST_NODES
        """Values that may still be read: names of lists of names are many."""

    def arguments(self) -> Mapping[str, Value]:
        """See `setup_arguments`."""
        found: dict[str, Value] = {}
        for node in _nodes(self._tree.root_node):
            if node.type == "assignment":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                if left is not None and right is not None and left.type == "identifier":
                    self._names[_text(left)] = right
            elif node.type == "call":
                found.update(self._said(node))
        return found

    def _said(self, call: Node) -> Iterator[tuple[str, Value]]:
        function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is None or arguments is None:
            return
        name = _text(function).rpartition(".")[2]
        if name not in _SETUP and name not in _FIND:
            return
        for place, argument in enumerate(arguments.named_children):
            if argument.type == "keyword_argument":
                key, value = argument.child_by_field_name("name"), argument.child_by_field_name("value")
                word = "" if key is None else _text(key)
                if value is not None and word in (_WANTED if name in _SETUP else _FOUND):
                    yield word, self._value(value, 0)
            elif name in _FIND:
                yield from ((word, self._value(argument, 0)) for word, at in _FOUND.items() if at == place)

    def _value(self, node: Node, depth: int) -> Value:
        """A literal, or what a name of the script was last given before; None of what is computed."""
        self._left -= 1
        if depth > 4 or self._left < 0:
            return None
        if node.type == "identifier":
            bound = self._names.get(_text(node))
            return None if bound is None else self._value(bound, depth + 1)
        if node.type == "string":
            plain = all(child.type != "interpolation" for child in node.named_children)
            return (
                "".join(_text(part) for part in node.named_children if part.type == "string_content") if plain else None
            )
        if node.type in ("list", "tuple", "set"):
            return [self._value(child, depth + 1) for child in node.named_children]
        if node.type == "dictionary":
            made: dict[str, Value] = {}
            for pair in node.named_children:
                key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
                word = None if key is None else self._value(key, depth + 1)
                if value is not None and isinstance(word, str):
                    made[word] = self._value(value, depth + 1)
            return made
        return None


def _nodes(root: Node) -> Iterator[Node]:
    """In the order of the text, as many as a script of this kind has."""
    waiting = [(root, 0)]
    count = 0
    while waiting and count < _MOST_NODES:
        node, depth = waiting.pop()
        count += 1
        yield node
        if depth < _MOST_DEPTH:
            waiting += [(child, depth + 1) for child in reversed(node.named_children)]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
