"""GraphQL: what a `.graphql` file declares and uses.

Owns: types, their fields, arguments and values, directives, fragments, named operations; by which way through a schema
    a name of an operation is reached.
Must not know: other files, which of several schemas counts.
Invariant: a name of an operation is spelled by its way, never looked up here; what the specification
    declares (`Int`, `__typename`, `@include`) is no reference.

Source: https://spec.graphql.org/October2021/. Definitions are parsed one by one, so that one which the grammar cannot
read takes no other with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import attrs
from tree_sitter import Node

from graphls.languages.config.document import ConfigDocument, ConfigEntry, ConfigReference, ReferenceKind
from graphls.languages.extract import grammars

FIELD: Final = "field"
ARGUMENT: Final = "argument"
VALUE: Final = "value"
TYPE: Final = "type"
DIRECTIVE: Final = "directive"
FRAGMENT: Final = "fragment"
EXTENSION: Final = "extension"
SCHEMA: Final = "schema"
"""The name of the entry that says which types operations begin at, before the kinds of operations."""
WAY: Final = "way"
"""Base of a reference whose text is a way: where it begins, then one step a word, with its sign before it."""
EMBEDDED: Final = "graphql"
"""The attribute `via` of edges that begin in a document inside of code."""
MEMBER, GIVEN, INSIDE, CHOSEN = ".", "(", "{", "="
"""Steps of a way: a field of a type, an argument of a field or directive, a field and a value of what that takes."""
_STEP: Final = f"{MEMBER}{GIVEN}{INSIDE}{CHOSEN}"

_MOST_STEPS: Final = 40
"""Of a way; what is nested deeper is no reference, so that text grows with the file."""
_TOKENS: Final = re.compile(
    rb'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)|"(?:[^"\\\n]|\\.)*"?|#[^\n]*|(?P<open>[{(\[])|(?P<close>[})\]])|(?P<word>[A-Za-z_]\w*)',
    re.DOTALL,
)
_BEGINS: Final = frozenset((
    b"type", b"interface", b"union", b"enum", b"input", b"scalar", b"directive", b"schema", b"extend", b"query",
    b"mutation", b"subscription", b"fragment",
))  # fmt: skip
_INDENT: Final = 80
_NAMES: Final = re.compile(rb"[ \t]+@?[A-Za-z_]|[ \t]*[{(@]")
"""What stands behind a word that begins a definition, and not behind the name of a field."""
_BARE: Final = re.compile(rb"\s*extend\s+schema\b[^{]*\Z")
_ENDED: Final = b"{query:_}"
"""What the grammar wants behind `extend schema @link(...)`, which may stand alone."""
_BUILT_IN: Final = frozenset(
    ("Int", "Float", "String", "Boolean", "ID", "@include", "@skip", "@deprecated", "@specifiedBy", "@oneOf")
)
_DEFINED: Final = {
    "object_type_definition": TYPE, "interface_type_definition": "interface", "union_type_definition": "union",
    "enum_type_definition": "enum", "input_object_type_definition": "input", "scalar_type_definition": "scalar",
    "directive_definition": DIRECTIVE, "object_type_extension": EXTENSION, "interface_type_extension": EXTENSION,
    "union_type_extension": EXTENSION, "enum_type_extension": EXTENSION, "input_object_type_extension": EXTENSION,
    "scalar_type_extension": EXTENSION, "schema_definition": SCHEMA, "schema_extension": SCHEMA,
}  # fmt: skip
TYPES: Final = frozenset((TYPE, "interface", "union", "enum", "input", "scalar"))
"""Kinds of entries that a type is one of."""


@attrs.frozen
class _Surroundings:
    """Around a node: the declaration that names in it belong to, and the way that a name in it continues."""

    owner: str = ""
    way: str = ""
    steps: int = 0

    def stepped(self, step: str, name: str) -> _Surroundings:
        """One step further; no way where it is too long or begins nowhere."""
        if not self.way or self.steps >= _MOST_STEPS:
            return _Surroundings(self.owner)
        return _Surroundings(self.owner, f"{self.way} {step}{name}", self.steps + 1)


def read_graphql(_path: str, data: bytes) -> ConfigDocument:
    """Entries in source order; a field, argument or value has its type, field or directive before its name."""
    reading = _DefinitionReader(data)
    reading.read()
    entries = sorted(reading.entries, key=lambda one: (one.start, one.end))
    return ConfigDocument(entries, sorted(reading.references, key=lambda one: one.start))


def _definitions(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each definition stands, its description with it. A word that begins one at the start of a line ends
    whatever was left open before."""
    begun, depth, described, ended = 0, 0, -1, True
    for token in _TOKENS.finditer(data):
        at = token.start()
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(depth - 1, 0)
            ended = depth == 0
            continue
        elif token["word"] and token["word"] in _BEGINS and _NAMES.match(data, token.end()):
            line, newline, blank = data[max(at - _INDENT, 0) : at].rpartition(b"\n")
            first = not blank and (bool(newline) or at == len(line))
            if first or (depth == 0 and (ended or described >= 0 or (newline and not blank.strip()))):
                depth = 0
                start = described if described >= 0 else at
                if start > begun:
                    yield begun, start
                begun = start
        if data[at] == 0x22 and depth == 0:
            described = at if ended or described < 0 else described
        elif data[at] != 0x23:
            described, ended = -1, False
    yield begun, len(data)


class _DefinitionReader:
    """The definitions of one file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        """Where the definition begins that is read. Offsets of nodes count from there."""
        self._open: list[tuple[Node, _Surroundings]] = []
        self._steps: Mapping[str, Callable[[Node, _Surroundings], None]] = {
            "root_operation_type_definition": self._root,
            "field_definition": self._declared,
            "input_value_definition": self._declared,
            "enum_value_definition": self._value_declared,
            "named_type": self._named_type,
            "directive": self._directive,
            "operation_definition": self._operation,
            "variable_definition": self._variable,
            "fragment_definition": self._fragment,
            "inline_fragment": self._inline,
            "fragment_spread": self._spread,
            "field": self._selected,
            "argument": self._argument,
            "object_field": self._object_field,
            "enum_value": self._chosen,
        }
        self.entries: list[ConfigEntry] = []
        self.references: list[ConfigReference] = []

    def read(self) -> None:
        """Takes in the whole file. No recursion: selections nest as deep as a file is long."""
        parser = grammars.parser("graphql")
        for start, end in _definitions(self._data):
            self._at = start
            piece = self._data[start:end]
            self._tree(grammars.parse(parser, piece + _ENDED if _BARE.match(piece) else piece).root_node, end - start)

    def _tree(self, root: Node, end: int) -> None:
        self._open = [(root, _Surroundings())]
        while self._open:
            node, scope = self._open.pop()
            if node.start_byte >= end:
                continue
            kind = node.type
            if kind in _DEFINED:
                self._definition(node, _DEFINED[kind])
            elif (step := self._steps.get(kind)) is not None:
                step(node, scope)
            elif node.child_count:
                self._inside(node, scope)

    def _inside(self, node: Node, scope: _Surroundings, *, without: Sequence[Node] = ()) -> None:
        self._open += ((child, scope) for child in node.named_children if child not in without)

    def _text(self, node: Node) -> str:
        return self._data[self._at + node.start_byte : self._at + node.end_byte].decode("utf-8", "replace")

    def _name(self, node: Node, kind: str = "name") -> Node | None:
        found = next((child for child in node.named_children if child.type == kind), None)
        return None if found is None or found.is_missing else found

    def _entry(self, kind: str, text: str, name: Node, whole: Node, leads: str = "") -> None:
        at = self._at
        span, around = (at + name.start_byte, at + name.end_byte), (at + whole.start_byte, at + whole.end_byte)
        self.entries.append(ConfigEntry(kind, text, *span, *around, leads))

    def _use(self, base: str, text: str, name: Node) -> None:
        first, _, rest = text.partition(" ")
        last = (rest or first).rpartition(" ")[2].lstrip(_STEP)
        if text and first not in _BUILT_IN and not last.startswith("__"):
            span = self._at + name.start_byte, self._at + name.end_byte
            self.references.append(ConfigReference(ReferenceKind.WAY, text, *span, base))

    def _definition(self, node: Node, kind: str) -> None:
        if kind == SCHEMA:
            word = next((child for child in node.children if child.type == SCHEMA), None)
            if word is not None:
                self._entry(SCHEMA, SCHEMA, word, node)
            self._inside(node, _Surroundings(SCHEMA))
            return
        name = self._name(node)
        if name is None:
            self._inside(node, _Surroundings())
            return
        text = self._text(name)
        text = f"@{text}" if kind == DIRECTIVE else text
        self._entry(kind, text, name, node)
        if kind == EXTENSION:
            self._use(TYPE, text, name)
        self._inside(node, _Surroundings(text), without=(name,))

    def _root(self, node: Node, scope: _Surroundings) -> None:
        """`query: RootQuery` of a schema."""
        word, named = self._name(node, "operation_type"), self._name(node, "named_type")
        if word is not None and named is not None:
            self._entry(FIELD, f"{SCHEMA}.{self._text(word)}", word, node, self._text(named))
            self._open.append((named, scope))

    def _declared(self, node: Node, scope: _Surroundings) -> None:
        """A field of a type, an argument, a field of an input."""
        name = self._name(node)
        if name is None or not scope.owner:
            self._inside(node, scope)
            return
        argument = node.parent is not None and node.parent.type == "arguments_definition"
        text = f"{scope.owner}.{self._text(name)}"
        leads = self._leads(node)
        self._entry(ARGUMENT if argument else FIELD, text, name, node, leads)
        for child in node.named_children:
            if child.type == "default_value":
                self._open.append((child, _Surroundings(way=leads, steps=1)))
            elif child != name:
                self._open.append((child, _Surroundings(text)))

    def _leads(self, node: Node) -> str:
        """The type that is written behind a name, without lists and marks."""
        found = self._name(node, "type")
        while found is not None and found.type != "named_type":
            found = next((child for child in found.named_children if child.type != "comma"), None)
        return "" if found is None else self._text(found)

    def _value_declared(self, node: Node, scope: _Surroundings) -> None:
        name = self._name(node, "enum_value")
        if name is not None and scope.owner:
            self._entry(VALUE, f"{scope.owner}.{self._text(name)}", name, node)
            self._inside(node, _Surroundings(), without=(name,))

    def _named_type(self, node: Node, _scope: _Surroundings) -> None:
        name = self._name(node)
        if name is not None:
            self._use(TYPE, self._text(name), name)

    def _directive(self, node: Node, _scope: _Surroundings) -> None:
        name = self._name(node)
        if name is not None:
            text = f"@{self._text(name)}"
            self._use(DIRECTIVE, text, name)
            self._inside(node, _Surroundings(way=text), without=(name,))

    def _operation(self, node: Node, _scope: _Surroundings) -> None:
        word, name = self._name(node, "operation_type"), self._name(node)
        kind = "query" if word is None else self._text(word)
        if name is not None:
            self._entry(kind, self._text(name), name, node)
        self._inside(node, _Surroundings(way=f"{SCHEMA}.{kind}"), without=[child for child in (word, name) if child])

    def _variable(self, node: Node, _scope: _Surroundings) -> None:
        """A variable of an operation; its default is a value of its type."""
        leads = self._leads(node)
        for child in node.named_children:
            self._open.append((child, _Surroundings(way=leads if child.type == "default_value" else "")))

    def _fragment(self, node: Node, _scope: _Surroundings) -> None:
        outer, condition = self._name(node, "fragment_name"), self._name(node, "type_condition")
        if outer is not None:
            self._entry(FRAGMENT, self._text(outer), outer, node)
        without = () if outer is None else (outer,)
        self._inside(node, _Surroundings(way="" if condition is None else self._condition(condition)), without=without)

    def _inline(self, node: Node, scope: _Surroundings) -> None:
        condition = self._name(node, "type_condition")
        self._inside(node, scope if condition is None else _Surroundings(way=self._condition(condition)))

    def _condition(self, node: Node) -> str:
        named = self._name(node, "named_type")
        return "" if named is None else self._text(named)

    def _spread(self, node: Node, scope: _Surroundings) -> None:
        name = self._name(node, "fragment_name")
        if name is not None:
            self._use(FRAGMENT, self._text(name), name)
        self._inside(node, scope, without=() if name is None else (name,))

    def _selected(self, node: Node, scope: _Surroundings) -> None:
        alias, name = self._name(node, "alias"), self._name(node)
        if name is None:
            self._inside(node, _Surroundings())
            return
        inner = scope.stepped(MEMBER, self._text(name))
        self._use(WAY, inner.way, name)
        self._inside(node, inner, without=[child for child in (alias, name) if child])

    def _argument(self, node: Node, scope: _Surroundings) -> None:
        self._given(node, scope, GIVEN)

    def _object_field(self, node: Node, scope: _Surroundings) -> None:
        self._given(node, scope, INSIDE)

    def _given(self, node: Node, scope: _Surroundings, step: str) -> None:
        """A name with a value behind it, of which the way goes on inside."""
        name = self._name(node)
        if name is None:
            return
        inner = scope.stepped(step, self._text(name))
        self._use(WAY, inner.way, name)
        self._inside(node, inner, without=(name,))

    def _chosen(self, node: Node, scope: _Surroundings) -> None:
        """A value of an enumeration; `true` and `null` are of another kind of node."""
        self._use(WAY, scope.stepped(CHOSEN, self._text(node)).way, node)
